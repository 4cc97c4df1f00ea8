//! Proves which of the marker traits every public type has, so that none is lost by a change inside.

use std::panic::{RefUnwindSafe, UnwindSafe};

use json_rope::source::{Array, Fallible, Infallible, Records, SharedWalker, Walker};
use json_rope::{
    BytesFormat, Chunks, Encoder, EncoderBuilder, Error, Fragment, Frame, IntoIter, Key, NonFinite, Rope, VectoredSink,
    Writer,
};
use serde_json::Value;

fn everything<T: Send + Sync + Unpin + UnwindSafe + RefUnwindSafe>() {}

#[test]
fn every_type_has_all_of_them() {
    everything::<Rope>();
    everything::<IntoIter>();
    everything::<Encoder>();
    everything::<EncoderBuilder>();
    everything::<Fragment>();
    everything::<Frame>();
    everything::<NonFinite>();
    everything::<BytesFormat>();
    everything::<Key>();
}

/// An error may carry one of the caller's, which need not be `UnwindSafe`; `std::io::Error` is not, either.
#[test]
fn an_error_can_be_sent_and_shared() {
    fn all<T: Send + Sync + Unpin + std::error::Error + 'static>() {}
    all::<Error>();
    assert_eq!(size_of::<Error>(), size_of::<usize>());
    assert_eq!(size_of::<json_rope::Result<()>>(), size_of::<usize>());
}

fn sends<T: Send + Sync + Unpin>() {}

/// The types around a writer or an iterator of the caller's have what that has, for any kind of it.
#[test]
fn generic_types_have_those_of_what_they_hold() {
    sends::<VectoredSink<Vec<u8>>>();
    sends::<Chunks<Walker<Value>>>();
    sends::<Chunks<Walker<&Value>>>();
    sends::<Chunks<SharedWalker>>();
    sends::<Chunks<Array<Infallible<std::vec::IntoIter<u8>>>>>();
    sends::<Chunks<Records<Infallible<std::vec::IntoIter<u8>>>>>();
    sends::<Chunks<Array<Fallible<std::vec::IntoIter<Result<u8, Error>>>>>>();
    sends::<Chunks<Records<Fallible<std::vec::IntoIter<Result<u8, Error>>>>>>();
    everything::<VectoredSink<Vec<u8>>>();
}

/// A writer is kept between events, by whichever thread has the next one.
#[test]
fn a_writer_moves_between_threads() {
    sends::<Writer>();
    let mut writer = Encoder::new().writer();
    writer.begin_array().unwrap();
    writer.value("here").unwrap();
    let writer = is_static(writer);
    let mut writer = std::thread::spawn(move || {
        let mut writer = writer;
        writer.value("there").unwrap();
        writer
    })
    .join()
    .unwrap();
    writer.end().unwrap();
    writer.finish().unwrap();
    assert_eq!(writer.pop().unwrap(), r#"["here","there"]"#);
}

/// An object is `Send` if its parts are, and may borrow them.
#[test]
fn an_object_has_the_traits_of_its_parts() {
    let encoder = Encoder::new();
    let owned = encoder.object().field("a", vec![1]).array("b", vec![2]).field_with("c", || 3).tree("d", Value::Null);
    let text = std::thread::spawn(move || is_static(owned.chunks()).next().unwrap().unwrap()).join().unwrap();
    assert_eq!(text, r#"{"a":[1],"b":[2],"c":3,"d":null}"#);
    let borrowed = vec![4];
    let chunks = encoder.object().field("a", &borrowed).array("b", &borrowed).chunks();
    std::thread::scope(|scope| scope.spawn(move || assert_eq!(chunks.count(), 1)).join().unwrap());
}

fn is_static<T: Send + 'static>(value: T) -> T {
    value
}

/// Handles can be kept in a structure across awaits, and moved to another thread half-way.
#[test]
fn handles_outlive_what_they_were_made_from() {
    let (mut chunks, mut array, mut sink) = {
        let encoder = Encoder::builder().max_chunk(16).build().unwrap();
        let tree = serde_json::json!([1, 2, "some text that is longer than a chunk"]);
        let items = vec!["some text that is longer than a chunk"; 3];
        (encoder.chunks(tree), encoder.array(items), VectoredSink::new(Vec::new()))
    };
    let first: Vec<_> = [chunks.next().unwrap().unwrap(), array.next().unwrap().unwrap()].into();
    first.into_iter().for_each(|chunk| sink.push(chunk.into()));
    let (chunks, array, mut sink) = (is_static(chunks), is_static(array), is_static(sink));
    let written = std::thread::spawn(move || {
        chunks.chain(array).for_each(|chunk| sink.push(chunk.unwrap().into()));
        sink.flush().unwrap();
        sink.get_ref().len()
    });
    let text = "\"some text that is longer than a chunk\"".len();
    assert_eq!(written.join().unwrap(), "[1,2,]".len() + text + "[,,]".len() + 3 * text);
}
