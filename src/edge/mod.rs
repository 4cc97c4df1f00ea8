//! What the outside holds while a document is encoded on demand. A new kind of consumer is a new file here.

mod chunks;
mod reader;

pub use chunks::Chunks;
pub use reader::ChunksReader;
