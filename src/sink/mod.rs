//! Bytes on their way into an `io::Write`.
//!
//! * `vectored`: the one loop that calls a writer, [`Rope::write_to`](crate::Rope::write_to), and the drain of a
//!   document that streams into a writer
//! * `queue`: [`VectoredSink`], which continues after `WouldBlock`

mod queue;
mod vectored;

pub use queue::VectoredSink;
pub(crate) use vectored::WriterDrain;
