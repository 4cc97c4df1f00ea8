//! Every key and value is serialized exactly once, and every `Display` is formatted exactly once, also when the value
//! fails and an error names the key.

use std::cell::Cell;
use std::fmt::{self, Display};

use json_rope::{Encoder, Error, Frame, to_rope};
use serde::ser::{Error as _, SerializeMap};
use serde::{Serialize, Serializer};

/// Every way a value can go out. All of them must agree.
fn all_ways(encoder: &Encoder, value: &dyn Fn() -> Box<dyn Run>) -> Vec<Result<String, Error>> {
    let mut outcomes = Vec::new();
    for way in 0..6 {
        outcomes.push(value().run(encoder, way));
    }
    outcomes
}

trait Run {
    fn run(&self, encoder: &Encoder, way: usize) -> Result<String, Error>;
}

impl<T: Serialize> Run for T {
    fn run(&self, encoder: &Encoder, way: usize) -> Result<String, Error> {
        let mut out = Vec::new();
        match way {
            0 => return encoder.encode(self).map(|rope| rope.to_string()),
            1 => encoder.write(&mut out, self).map(drop)?,
            2 => return encoder.encode_framed(Frame::Grpc, self).map(|rope| rope.to_string()[5..].to_owned()),
            3 => encoder.write_framed(Frame::JsonSeq, &mut out, self).map(drop)?,
            4 => {
                for chunk in encoder.array([self]) {
                    out.extend_from_slice(&chunk?);
                }
            }
            _ => {
                for chunk in encoder.records(Frame::HttpChunk, [self]) {
                    out.extend_from_slice(&chunk?);
                }
            }
        }
        let text = String::from_utf8(out).unwrap();
        Ok(match way {
            3 => text[1..text.len() - 1].to_owned(),
            4 => text[1..text.len() - 1].to_owned(),
            5 => text.split("\r\n").nth(1).unwrap().to_owned(),
            _ => text,
        })
    }
}

/// May be serialized once.
struct Once<T>(Cell<Option<T>>);

fn once<T>(value: T) -> Once<T> {
    Once(Cell::new(Some(value)))
}

impl<T: Serialize> Serialize for Once<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.take().expect("serialized twice").serialize(serializer)
    }
}

/// May be formatted once.
struct Shown(Cell<Option<String>>);

fn shown(text: &str) -> Shown {
    Shown(Cell::new(Some(text.to_owned())))
}

impl Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.take().expect("formatted twice").chars().try_for_each(|c| write!(f, "{c}"))
    }
}

impl Serialize for Shown {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

struct Fails;

impl Serialize for Fails {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(S::Error::custom("no such thing"))
    }
}

/// A map of one member, by one call or by two.
struct Member<K, V>(K, V, bool);

impl<K: Serialize, V: Serialize> Serialize for Member<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if self.2 {
            map.serialize_entry(&self.0, &self.1)?;
        } else {
            map.serialize_key(&self.0)?;
            map.serialize_value(&self.1)?;
        }
        map.end()
    }
}

#[derive(Serialize)]
struct Flat<T: Serialize> {
    #[serde(flatten)]
    rest: T,
}

fn encoders() -> Vec<Encoder> {
    let plain = Encoder::builder;
    [plain(), plain().pretty(true), plain().sort_keys(true), plain().ascii(true), plain().max_chunk(16)]
        .map(|builder| builder.build().unwrap())
        .into()
}

fn compact(text: &str) -> String {
    text.replace(['\n', ' '], "")
}

#[test]
fn keys_and_values_that_can_be_used_once() {
    for encoder in encoders() {
        for entry in [false, true] {
            let members: [&dyn Fn() -> Box<dyn Run>; 5] = [
                &|| Box::new(Member(once("k"), once(1), entry)),
                &|| Box::new(Member(shown("k"), once(1), entry)),
                &|| Box::new(Member(Some(once(Some("k"))), once(1), entry)),
                &|| Box::new(Flat { rest: Member(shown("k"), 1, entry) }),
                &|| Box::new(Flat { rest: Member(once("k"), once(1), entry) }),
            ];
            for member in members {
                for outcome in all_ways(&encoder, member) {
                    assert_eq!(compact(&outcome.unwrap()), r#"{"k":1}"#);
                }
            }
        }
    }
}

#[test]
fn errors_name_keys_that_can_be_used_once() {
    let key = "a/b~\"\\\u{7f}\n\u{e9}\u{1f600}";
    for encoder in encoders() {
        for entry in [false, true] {
            let members: [&dyn Fn() -> Box<dyn Run>; 3] = [
                &|| Box::new(Member(once(key), Fails, entry)),
                &|| Box::new(Member(shown(key), Fails, entry)),
                &|| Box::new(Flat { rest: Member(shown(key), Fails, entry) }),
            ];
            for member in members {
                for (way, outcome) in all_ways(&encoder, member).into_iter().enumerate() {
                    let pointer = format!("{}/a~1b~0\"\\\u{7f}\n\u{e9}\u{1f600}", if way == 4 { "/0" } else { "" });
                    assert_eq!(outcome.unwrap_err().pointer(), Some(&*pointer), "way {way}");
                }
            }
        }
    }
}

/// The name is read back from the output, wherever that has gone meanwhile.
#[test]
fn errors_name_keys_that_were_written_long_ago() {
    /// Fails after that many bytes.
    struct FailsAfter(usize);
    impl Serialize for FailsAfter {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            use serde::ser::SerializeSeq;
            let mut seq = serializer.serialize_seq(None)?;
            for _ in 0..self.0 / 8 {
                seq.serialize_element("12345")?;
            }
            seq.serialize_element(&Fails)?;
            seq.end()
        }
    }
    let long = "\\\"long/".repeat(500);
    let pointer = |bytes: usize, way: usize| {
        let long = long.replace('/', "~1");
        format!("{}/x/0/{long}/y/k/{}", if way == 4 { "/0" } else { "" }, bytes / 8)
    };
    for encoder in encoders() {
        for bytes in [0, 10_000, 300_000] {
            for entry in [false, true] {
                let value = || -> Box<dyn Run> {
                    let inner = Member(shown("y"), Member(once("k"), FailsAfter(bytes), entry), entry);
                    Box::new(Member(once("x"), [Member(shown(&long), inner, entry)], entry))
                };
                for (way, outcome) in all_ways(&encoder, &value).into_iter().enumerate() {
                    let error = outcome.unwrap_err();
                    assert!(error.pointer() == Some(&pointer(bytes, way)), "way {way}, {bytes} bytes");
                }
            }
        }
    }
}

#[test]
fn maps_in_maps_in_maps() {
    /// Members before the one that fails, whose maps are complete.
    struct Nested(String, Box<dyn erased_serde::Serialize>, bool);
    impl Serialize for Nested {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut map = serializer.serialize_map(None)?;
            map.serialize_entry("before", &std::collections::BTreeMap::from([("a", [1])]))?;
            if self.2 {
                map.serialize_entry(&self.0, &self.1)?;
            } else {
                map.serialize_key(&self.0)?;
                map.serialize_value(&self.1)?;
            }
            map.end()
        }
    }
    let mut value: Box<dyn erased_serde::Serialize> = Box::new(Fails);
    let mut pointer = String::new();
    for level in (0..50).rev() {
        value = Box::new(Nested(level.to_string(), value, level % 2 == 0));
        pointer = format!("/{level}{pointer}");
    }
    for encoder in encoders() {
        assert_eq!(encoder.encode(&value).unwrap_err().pointer(), Some(&*pointer));
        assert_eq!(encoder.write(&mut Vec::new(), &value).unwrap_err().pointer(), Some(&*pointer));
    }
}

/// The value of `itertools::format` may be formatted once.
#[test]
fn joined_items_as_a_key() {
    use itertools::Itertools;
    struct Joined<D>(D);
    impl<D: Display> Serialize for Joined<D> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_str(&self.0)
        }
    }
    for entry in [false, true] {
        assert_eq!(to_rope(&Member(Joined([1, 2, 3].iter().format("-")), 1, entry)).unwrap(), r#"{"1-2-3":1}"#);
        let error = to_rope(&Member(Joined([1, 2].iter().format("/")), Fails, entry)).unwrap_err();
        assert_eq!(error.pointer(), Some("/1~12"));
    }
}

/// Maps that are given up before they end leave their keys behind.
#[test]
fn a_map_given_up_does_not_hide_the_one_around_it() {
    struct GivenUp;
    impl Serialize for GivenUp {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut map = serializer.serialize_map(None)?;
            map.serialize_entry("wrong", &1)?;
            std::mem::forget(map);
            Err(S::Error::custom("given up"))
        }
    }
    for encoder in encoders() {
        let value = || -> Box<dyn Run> { Box::new(Member("a", [Member("b", GivenUp, true)], false)) };
        for (way, outcome) in all_ways(&encoder, &value).into_iter().enumerate() {
            let pointer = if way == 4 { "/0/a/0/b" } else { "/a/0/b" };
            assert_eq!(outcome.unwrap_err().pointer(), Some(pointer));
        }
    }
}
