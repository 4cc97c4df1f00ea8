//! Bytes on their way into an `io::Write`. `encoder` uses it.
//!
//! * `vectored`: the one loop that calls a writer, [`Rope::write_to`](crate::Rope::write_to), and the end of a streaming
//!   encode;
//! * `queue`: [`VectoredSink`], which carries on after `WouldBlock`.

mod queue;
mod vectored;

pub use queue::VectoredSink;
pub(crate) use vectored::WriterDrain;
