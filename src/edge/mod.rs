//! What the outside holds while a document is encoded on demand. A new kind of consumer is a new file here, and one that
//! needs another crate needs a feature.

// In this order the methods come on the pages of `Encoder` and `Chunks`: first what needs no feature.
mod chunks;
mod on_demand;

mod object;
mod reader;

#[cfg(feature = "axum")]
pub mod axum;
#[cfg(feature = "tokio")]
mod blocking;
#[cfg(feature = "http-body")]
mod body;
#[cfg(feature = "stream")]
mod items;
#[cfg(feature = "rayon")]
mod parallel;
#[cfg(any(feature = "http-body", feature = "stream"))]
mod poll;
#[cfg(feature = "stream")]
mod stream;

#[cfg(feature = "tokio")]
pub use blocking::BlockingStream;
#[cfg(feature = "http-body")]
pub use body::ChunksBody;
pub use chunks::Chunks;
#[cfg(feature = "stream")]
pub use items::{ItemStream, TryPollNext};
pub use object::ObjectBuilder;
#[cfg(feature = "rayon")]
pub use parallel::Par;
#[cfg(any(feature = "http-body", feature = "stream"))]
pub use poll::PollChunk;
pub use reader::ChunksReader;
#[cfg(feature = "stream")]
pub use stream::ChunksStream;
