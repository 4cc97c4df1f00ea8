//! Short documents with the default options share a formatter, which each thread keeps. Proves that no document sees
//! anything of the one before it, however that ended.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use json_rope::{Encoder, Fragment, Text, to_rope, to_string, to_vec};
use proptest::prelude::*;
use serde::ser::{Error as _, SerializeMap};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

/// Documents that leave a formatter in every state that it can be in.
#[derive(Clone, Debug)]
enum Document {
    Plain(Value),
    /// Longer than the stack area.
    Long(usize),
    /// Linked, not copied.
    Fragment(usize),
    Text(usize),
    /// A key that is formatted into memory of the formatter.
    Key(u32),
    /// Maps in maps, of which more than eight are open at once.
    Deep(usize),
    /// Fails so many maps deep.
    Fails(usize),
    Swallows,
    Panics(usize),
    TooDeep,
    /// Encodes one of these while it is being encoded.
    Around(Box<Document>),
}

struct Level<'a>(usize, &'a dyn Fn() -> Result<u32, &'static str>);

impl Serialize for Level<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0 == 0 {
            return serializer.serialize_u32(self.1().map_err(S::Error::custom)?);
        }
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry(&format!("level {}", self.0), &Level(self.0 - 1, self.1))?;
        map.serialize_entry("after", &[1])?;
        map.end()
    }
}

impl Serialize for Document {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Document::Plain(value) => value.serialize(serializer),
            Document::Long(len) => serializer.collect_seq(std::iter::repeat_n("é\"", len / 7)),
            Document::Fragment(len) => [Fragment::trusted(format!("\"{}\"", "f".repeat(*len)))].serialize(serializer),
            Document::Text(len) => [Text::from("t".repeat(*len))].serialize(serializer),
            Document::Key(n) => serializer.collect_map([(*n, "number"), (n / 2, "another")]),
            Document::Deep(depth) => Level(*depth, &|| Ok(7)).serialize(serializer),
            Document::Fails(depth) => Level(*depth, &|| Err("as told")).serialize(serializer),
            Document::Swallows => {
                let mut map = serializer.serialize_map(None)?;
                _ = map.serialize_entry("a", &Level(1, &|| Err("as told")));
                map.end()
            }
            Document::Panics(depth) => Level(*depth, &|| panic!("as told")).serialize(serializer),
            Document::TooDeep => Level(1001, &|| Ok(7)).serialize(serializer),
            Document::Around(inner) => {
                serializer.serialize_str(&outcome(0, &Encoder::new(), inner).unwrap_or_else(|e| e))
            }
        }
    }
}

/// Functions, and states of memory that is appended to.
const WAYS: usize = 9;

/// What becomes of a document: its text, or all that the error says.
fn outcome(way: usize, encoder: &Encoder, document: &Document) -> Result<String, String> {
    // The last ways append to memory with more or less room to spare.
    let mut appended = Vec::with_capacity([0, 6, 30, 14_400, 200_000][way.saturating_sub(4)]);
    appended.extend_from_slice(if way == 4 { b"" } else { b"before" });
    let before = appended.clone();
    let result = catch_unwind(AssertUnwindSafe(|| match way {
        0 => to_rope(document).and_then(json_rope::Rope::into_string),
        1 => to_string(document),
        2 => to_vec(document).map(|bytes| String::from_utf8(bytes).unwrap()),
        3 => encoder.encode(document).and_then(json_rope::Rope::into_string),
        _ => encoder.encode_to_vec(&mut appended, document).map(|()| {
            assert!(appended.starts_with(&before));
            String::from_utf8(appended.split_off(before.len())).unwrap()
        }),
    }));
    assert_eq!(appended, before, "as before, if that fails");
    match result {
        Ok(result) => result.map_err(|error| format!("{error:?}")),
        Err(_) => Err("panic".to_owned()),
    }
}

/// The same on a thread that has encoded nothing before.
fn on_a_fresh_thread(way: usize, document: &Document) -> Result<String, String> {
    std::thread::scope(|scope| scope.spawn(|| outcome(way, &Encoder::new(), document)).join().unwrap())
}

fn document() -> impl Strategy<Value = Document> {
    let leaf = prop_oneof![
        4 => prop_oneof![Just(json!(true)), Just(json!({"ok": 1})), Just(json!([1.5, "é\n", null, {"a": {"b": []}}]))]
            .prop_map(Document::Plain),
        1 => prop_oneof![14_200..14_500usize, 2000..2100usize, 0..100_000usize].prop_map(Document::Long),
        1 => prop_oneof![0..100usize, 900..1200usize, 10_000..20_000usize].prop_map(Document::Fragment),
        1 => prop_oneof![0..100usize, 900..1200usize, 10_000..20_000usize].prop_map(Document::Text),
        1 => any::<u32>().prop_map(Document::Key),
        1 => (1..20usize).prop_map(Document::Deep),
        1 => (0..20usize).prop_map(Document::Fails),
        1 => Just(Document::Swallows),
        1 => (0..20usize).prop_map(Document::Panics),
        1 => Just(Document::TooDeep),
    ];
    (leaf, 0..4usize).prop_map(|(leaf, around)| {
        (0..around.saturating_sub(1)).fold(leaf, |inner, _| Document::Around(Box::new(inner)))
    })
}

proptest! {
    #[test]
    fn any_sequence(documents in proptest::collection::vec((0..WAYS, document()), 1..12)) {
        let encoder = Encoder::new();
        for (way, document) in &documents {
            prop_assert_eq!(outcome(*way, &encoder, document), on_a_fresh_thread(*way, document));
        }
    }
}

#[test]
fn fresh_threads_give_what_serde_json_gives() {
    for document in [
        Document::Plain(json!({"a": [1, {"b": "é\u{1}"}]})),
        Document::Long(14_336),
        Document::Long(14_343),
        Document::Long(200_000),
        Document::Key(77),
        Document::Deep(12),
        Document::Text(3000),
    ] {
        let want = serde_json::to_string(&document).unwrap();
        for way in 0..WAYS {
            for _ in 0..2 {
                assert_eq!(outcome(way, &Encoder::new(), &document).as_ref(), Ok(&want));
            }
        }
    }
}

/// The last thing that a thread does is to drop what is local to it, and some of that may encode.
#[test]
fn while_the_thread_ends() {
    struct Encodes(std::sync::mpsc::Sender<String>);
    impl Drop for Encodes {
        fn drop(&mut self) {
            let text = format!("{} {}", to_string(&[1]).unwrap(), to_rope(&[2]).unwrap());
            self.0.send(text).unwrap();
        }
    }
    thread_local! {
        static EARLY: RefCell<Option<Encodes>> = const { RefCell::new(None) };
        static LATE: RefCell<Option<Encodes>> = const { RefCell::new(None) };
    }
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        EARLY.set(Some(Encodes(sender.clone())));
        assert_eq!(to_string(&[0]).unwrap(), "[0]");
        LATE.set(Some(Encodes(sender)));
    })
    .join()
    .unwrap();
    assert_eq!(receiver.iter().collect::<Vec<_>>(), ["[1] [2]", "[1] [2]"]);
}
