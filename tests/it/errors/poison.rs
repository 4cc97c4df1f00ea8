//! A `Serialize` that swallows errors, catches panics and goes on gets an error, or a valid document: never a panic of
//! the library, and never a broken document. Over all ways out.

use std::cell::{Cell, RefCell};
use std::fmt::{self, Display};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use json_rope::{Encoder, Error, Fragment, Frame};
use serde::ser::{
    Error as _, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTupleStruct,
    SerializeTupleVariant,
};
use serde::{Serialize, Serializer};

use crate::support::sweeps::or_a_quarter;

/// The panic of a value, without a message on the terminal.
struct Bang;

fn bang() -> ! {
    resume_unwind(Box::new(Bang))
}

/// All documents that a value makes, by each way out. `Err` if the way reports an error.
fn all_ways<T: Serialize>(encoder: &Encoder, value: &T) -> Vec<(&'static str, Result<Vec<u8>, Error>)> {
    fn pulled(chunks: impl Iterator<Item = json_rope::Result<bytes::Bytes>>) -> Result<Vec<u8>, Error> {
        let mut all = Vec::new();
        for chunk in chunks {
            all.extend_from_slice(&chunk?);
        }
        Ok(all)
    }
    let mut written = Vec::new();
    let write = encoder.write(&mut written, value).map(|len| {
        assert_eq!(len, written.len() as u64);
        written.clone()
    });
    let mut lines = Vec::new();
    let write_framed = encoder.write_framed(Frame::JsonSeq, &mut lines, value).map(|_| lines[1..].to_vec());
    let records = pulled(encoder.records(Frame::Grpc, [value])).map(|mut all| all.split_off(5));
    vec![
        ("encode", encoder.encode(value).map(|rope| rope.to_vec())),
        ("write", write),
        ("encode_framed", encoder.encode_framed(Frame::Grpc, value).map(|rope| rope.to_vec()[5..].to_vec())),
        ("write_framed", write_framed),
        ("array", pulled(encoder.array([value]))),
        ("records", records),
        ("lines", pulled(encoder.records(Frame::JsonSeq, [value])).map(|all| all[1..].to_vec())),
    ]
}

fn encoders() -> Vec<Encoder> {
    let plain = Encoder::builder;
    [
        plain(),
        plain().pretty(true),
        plain().sort_keys(true),
        plain().max_chunk(16),
        plain().sort_keys(true).max_chunk(64).html_safe(true),
        plain().max_len(60),
        plain().max_depth(3).sort_keys(true),
    ]
    .map(|builder| builder.build().unwrap())
    .into()
}

/// Which part of the value panics.
#[derive(Clone, Copy, Debug, PartialEq)]
enum At {
    Before,
    Scalar,
    Container,
    Display,
    Key,
    KeyDisplay,
    Newtype,
    Struct,
    Token,
}

const ALL: [At; 9] =
    [At::Before, At::Scalar, At::Container, At::Display, At::Key, At::KeyDisplay, At::Newtype, At::Struct, At::Token];

/// Writes something, panics, and is caught outside.
struct Panics(At);

struct PanicsShown;

impl Display for PanicsShown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("some text")?;
        bang()
    }
}

impl Serialize for Panics {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            At::Before => bang(),
            At::Scalar => drop(serializer.serialize_str("text")),
            At::Container => {
                let mut seq = serializer.serialize_seq(None)?;
                seq.serialize_element(&1)?;
            }
            At::Display => return serializer.collect_str(&PanicsShown),
            At::Key => {
                let mut map = serializer.serialize_map(None)?;
                map.serialize_key(&Panics(At::Scalar))?;
            }
            At::KeyDisplay => {
                let mut map = serializer.serialize_map(None)?;
                map.serialize_entry("a", &1)?;
                map.serialize_key(&Panics(At::Display))?;
            }
            At::Newtype => return serializer.serialize_newtype_variant("E", 0, "V", &Panics(At::Scalar)),
            At::Struct => {
                let mut state = serializer.serialize_struct("S", 2)?;
                state.serialize_field("a", &1)?;
                state.serialize_field("b", &Panics(At::Scalar))?;
            }
            At::Token => {
                let name = "$serde_json::private::RawValue";
                let mut state = serializer.serialize_struct(name, 1)?;
                state.serialize_field(name, &Panics(At::Scalar))?;
            }
        }
        bang()
    }
}

/// Catches the panic of a value, and goes on.
struct Careless(usize, At);

impl Serialize for Careless {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value = Panics(self.1);
        macro_rules! catch {
            ($call:expr) => {
                _ = catch_unwind(AssertUnwindSafe(|| _ = $call))
            };
        }
        match self.0 {
            0 => {
                let mut seq = serializer.serialize_seq(None)?;
                catch!(seq.serialize_element(&value));
                seq.end()
            }
            1 => {
                let mut seq = serializer.serialize_seq(None)?;
                seq.serialize_element(&0)?;
                catch!(seq.serialize_element(&value));
                _ = seq.serialize_element(&3);
                seq.end()
            }
            2 => {
                let mut map = serializer.serialize_map(None)?;
                catch!(map.serialize_entry("k", &value));
                _ = map.serialize_entry("l", &3);
                map.end()
            }
            3 => {
                let mut map = serializer.serialize_map(None)?;
                map.serialize_key("k")?;
                catch!(map.serialize_value(&value));
                _ = map.serialize_value(&3);
                map.end()
            }
            4 => {
                let mut map = serializer.serialize_map(None)?;
                catch!(map.serialize_key(&value));
                _ = map.serialize_value(&3);
                map.end()
            }
            5 => {
                let mut map = serializer.serialize_map(None)?;
                map.serialize_entry("a", &1)?;
                catch!(map.serialize_entry(&value, &1));
                map.end()
            }
            6 => {
                let mut state = serializer.serialize_struct("S", 2)?;
                catch!(state.serialize_field("k", &value));
                _ = state.serialize_field("l", &3);
                state.end()
            }
            7 => {
                let mut state = serializer.serialize_struct_variant("S", 0, "V", 2)?;
                catch!(state.serialize_field("k", &value));
                state.end()
            }
            8 => {
                let mut state = serializer.serialize_tuple_variant("S", 0, "V", 2)?;
                catch!(state.serialize_field(&value));
                _ = state.serialize_field(&3);
                state.end()
            }
            9 => {
                let mut state = serializer.serialize_tuple_struct("S", 2)?;
                catch!(state.serialize_field(&value));
                state.end()
            }
            _ => {
                let name = "$serde_json::private::RawValue";
                let mut state = serializer.serialize_struct(name, 1)?;
                catch!(state.serialize_field(name, &value));
                state.end()
            }
        }
    }
}

#[test]
fn a_caught_panic_is_an_error() {
    for encoder in encoders() {
        for kind in 0..=10 {
            for at in ALL {
                let careless = Careless(kind, at);
                for (way, outcome) in all_ways(&encoder, &careless) {
                    assert!(outcome.is_err(), "{way}, {kind}, {at:?}: {:?}", outcome.map(String::from_utf8));
                }
                for (way, outcome) in all_ways(&encoder, &(1, [&careless], 2)) {
                    assert!(outcome.is_err(), "{way}, {kind}, {at:?}");
                }
            }
        }
    }
}

#[test]
fn the_error_says_what_was_done() {
    let error = json_rope::to_rope(&(0, Careless(3, At::Scalar))).unwrap_err();
    assert_eq!(error.to_string(), "cannot encode /1/k: a Serialize implementation went on after a panic");
    let error = json_rope::to_rope(&[Careless(1, At::Before)]).unwrap_err();
    assert_eq!(error.to_string(), "cannot encode /0/1: a Serialize implementation went on after a panic");
    let error = json_rope::to_rope(&[Careless(7, At::Newtype)]).unwrap_err();
    assert_eq!(error.to_string(), "cannot encode /0/V/k: a Serialize implementation went on after a panic");
    let error = json_rope::to_rope(&[Careless(5, At::Scalar)]).unwrap_err();
    assert_eq!(error.to_string(), "cannot encode /0: a Serialize implementation went on after a panic");
}

thread_local! {
    static RANDOM: Cell<u64> = const { Cell::new(0) };
}

fn random(below: u64) -> u64 {
    RANDOM.with(|state| {
        // SplitMix64.
        state.set(state.get().wrapping_add(0x9e37_79b9_7f4a_7c15));
        let mut z = state.get();
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % below
    })
}

/// Does anything that the traits allow, panics and fails anywhere, and mostly does not care.
struct Hostile {
    depth: usize,
    seed: RefCell<Option<u64>>,
}

impl Hostile {
    fn new(depth: usize) -> Hostile {
        Hostile { depth, seed: RefCell::new(Some(0)) }
    }

    fn inner(&self) -> Hostile {
        Hostile::new(self.depth.saturating_sub(1))
    }
}

struct HostileShown;

impl Display for HostileShown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for _ in 0..random(4) {
            match random(16) {
                0 => bang(),
                1 => return Err(fmt::Error),
                2 => _ = catch_unwind(AssertUnwindSafe(|| write!(f, "{}", PanicsShown))),
                3 => _ = f.write_str(&"long ".repeat(40)),
                _ => _ = f.write_str("a\"é"),
            }
        }
        Ok(())
    }
}

/// Runs a call, catching a panic; passes an error on, or swallows it.
macro_rules! dare {
    ($call:expr) => {
        match catch_unwind(AssertUnwindSafe(|| $call)) {
            Ok(Err(error)) if random(3) == 0 => return Err(error),
            Ok(Err(error)) if random(3) == 0 => return Err(S::Error::custom(error)),
            Err(_) if random(4) == 0 => bang(),
            _ => {}
        }
    };
}

impl Serialize for Hostile {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        assert!(self.seed.take().is_some(), "serialized twice");
        let choice = if self.depth == 0 { random(10) } else { random(24) };
        match choice {
            0 => bang(),
            1 => Err(S::Error::custom("failed")),
            2 => serializer.serialize_u64(random(u64::MAX)),
            3 => serializer.serialize_str(&"x\n".repeat(random(40) as usize)),
            4 => serializer.collect_str(&HostileShown),
            5 => serializer.serialize_none(),
            6 => serializer.serialize_f64(0.5),
            7 => serializer.serialize_bytes(b"ab"),
            8 => Fragment::trusted("[1, 2]").serialize(serializer),
            9 => serializer.serialize_unit_variant("E", 0, "Variant"),
            10 => serializer.serialize_some(&self.inner()),
            11 => serializer.serialize_newtype_variant("E", 0, "New", &self.inner()),
            12 => serializer.serialize_newtype_struct("N", &self.inner()),
            13..16 => {
                let mut seq = serializer.serialize_seq(Some(random(3) as usize))?;
                for _ in 0..random(4) {
                    dare!(seq.serialize_element(&self.inner()));
                }
                finish::<S, _>(seq, SerializeSeq::end)
            }
            16..20 => {
                let mut map = serializer.serialize_map(None)?;
                for _ in 0..random(5) {
                    let key = Hostile::new(random(2) as usize * random(2) as usize);
                    match random(8) {
                        0 => dare!(map.serialize_key(&key)),
                        1 => dare!(map.serialize_value(&self.inner())),
                        2..4 => {
                            dare!(map.serialize_key(&key));
                            dare!(map.serialize_value(&self.inner()));
                        }
                        4 => dare!(map.serialize_entry(&random(9), &self.inner())),
                        5 => dare!(map.serialize_entry("b", &self.inner())),
                        _ => dare!(map.serialize_entry(&key, &self.inner())),
                    }
                }
                finish::<S, _>(map, SerializeMap::end)
            }
            20 => {
                let mut state = serializer.serialize_struct("S", 2)?;
                dare!(state.serialize_field("b", &self.inner()));
                dare!(state.serialize_field("a", &self.inner()));
                finish::<S, _>(state, SerializeStruct::end)
            }
            21 => {
                let mut state = serializer.serialize_struct_variant("S", 0, "V", 2)?;
                dare!(state.serialize_field("b", &self.inner()));
                dare!(state.serialize_field("a", &self.inner()));
                finish::<S, _>(state, SerializeStructVariant::end)
            }
            22 => {
                let mut state = serializer.serialize_tuple_variant("S", 0, "V", 2)?;
                dare!(state.serialize_field(&self.inner()));
                finish::<S, _>(state, SerializeTupleVariant::end)
            }
            _ => {
                let mut state = serializer.serialize_tuple_struct("S", 2)?;
                dare!(state.serialize_field(&self.inner()));
                finish::<S, _>(state, SerializeTupleStruct::end)
            }
        }
    }
}

/// Ends an array or object, or forgets or drops it.
fn finish<S: Serializer, C>(compound: C, end: fn(C) -> Result<S::Ok, S::Error>) -> Result<S::Ok, S::Error> {
    match random(12) {
        0 => {
            std::mem::forget(compound);
            Err(S::Error::custom("forgotten"))
        }
        1 => Err(S::Error::custom("dropped")),
        _ => end(compound),
    }
}

#[test]
fn random_misuse() {
    let encoders = encoders();
    let (mut documents, mut errors) = (0, 0);
    for seed in 0..or_a_quarter(4000) as u64 {
        for encoder in &encoders {
            for way in 0..5 {
                RANDOM.set(seed);
                let hostile = Hostile::new(4);
                let mut written = Vec::new();
                let outcome = catch_unwind(AssertUnwindSafe(|| match way {
                    0 => encoder.encode(&hostile).map(|rope| written = rope.to_vec()),
                    1 => encoder.write(&mut written, &hostile).map(drop),
                    2 => encoder.encode_framed(Frame::Grpc, &hostile).map(|rope| written = rope.to_vec()[5..].to_vec()),
                    3 => encoder
                        .array([&hostile])
                        .try_for_each(|chunk| chunk.map(|chunk| written.extend_from_slice(&chunk))),
                    _ => encoder
                        .records(Frame::JsonSeq, [&hostile])
                        .try_for_each(|chunk| chunk.map(|chunk| written.extend_from_slice(&chunk))),
                }));
                match outcome {
                    Err(panic) => assert!(panic.is::<Bang>(), "a panic of the library, seed {seed}, way {way}"),
                    Ok(Err(_)) => errors += 1,
                    Ok(Ok(())) => {
                        documents += 1;
                        let text = String::from_utf8(written).expect("UTF-8");
                        let text = text.trim_start_matches('\u{1e}');
                        serde_json::from_str::<serde::de::IgnoredAny>(text)
                            .unwrap_or_else(|error| panic!("seed {seed}, way {way}: {error} in {text}"));
                    }
                }
            }
        }
    }
    assert!(documents > 2500 && errors > 2500, "{documents} documents, {errors} errors");
}

/// What went to a writer before a panic of a value is an exact prefix, and nothing follows it.
#[test]
fn nothing_is_written_after_a_caught_panic() {
    struct Long(At);
    impl Serialize for Long {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut seq = serializer.serialize_seq(None)?;
            seq.serialize_element(&"x".repeat(300_000))?;
            _ = catch_unwind(AssertUnwindSafe(|| seq.serialize_element(&Panics(self.0)).is_ok()));
            for _ in 0..100 {
                _ = seq.serialize_element(&"y".repeat(300_000));
            }
            seq.end()
        }
    }
    for at in ALL {
        let mut out = Vec::new();
        assert!(Encoder::new().write(&mut out, &Long(at)).is_err());
        assert!(out.len() <= 300_100 && !out.contains(&b'y'), "{at:?}");
    }
}

#[test]
fn an_error_of_the_writer_that_was_swallowed() {
    struct Full;
    impl io::Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    struct Swallows;
    impl Serialize for Swallows {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut map = serializer.serialize_map(None)?;
            for _ in 0..1000 {
                _ = map.serialize_entry("key", &"x".repeat(1000));
            }
            map.end()
        }
    }
    let error = Encoder::new().write(&mut Full, &[Swallows]).unwrap_err();
    assert_eq!(error.io_error_kind(), Some(io::ErrorKind::StorageFull));
    assert_eq!(error.pointer(), None);
}

/// Takes bytes, and panics in one of its calls, before or after it took some.
struct PanickingWriter {
    calls: usize,
    /// The call that panics, and whether it takes its bytes first.
    at: usize,
    takes: bool,
    taken: Vec<u8>,
}

impl PanickingWriter {
    fn new(at: usize, takes: bool) -> PanickingWriter {
        PanickingWriter { calls: 0, at, takes, taken: Vec::new() }
    }

    fn call(&mut self, take: impl FnOnce(&mut Vec<u8>)) {
        self.calls += 1;
        let panics = self.calls == self.at;
        if !panics || self.takes {
            take(&mut self.taken);
        }
        if panics {
            bang();
        }
    }
}

impl io::Write for PanickingWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.call(|taken| taken.extend_from_slice(bytes));
        Ok(bytes.len())
    }
    fn write_vectored(&mut self, parts: &[io::IoSlice<'_>]) -> io::Result<usize> {
        self.call(|taken| parts.iter().for_each(|part| taken.extend_from_slice(part)));
        Ok(parts.iter().map(|part| part.len()).sum())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// After a panic of the writer that a `Serialize` caught, nothing more is written, nothing is written twice, and the
/// document is an error.
#[test]
fn a_caught_panic_of_the_writer() {
    /// Elements of which no two are equal; each one is written inside a `catch_unwind`.
    #[derive(Clone, Copy)]
    enum Kind {
        Array,
        Map,
        Display,
    }
    struct Catches {
        swallows: bool,
        kind: Kind,
    }
    impl Display for Catches {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            for index in 0..100 {
                match catch_unwind(AssertUnwindSafe(|| f.write_str(&element(index)))) {
                    Ok(Err(error)) if !self.swallows => return Err(error),
                    _ => {}
                }
            }
            Ok(())
        }
    }
    fn element(index: usize) -> String {
        format!("{index:06}").repeat(700)
    }
    impl Serialize for Catches {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let caught = |call: &mut dyn FnMut() -> Result<(), S::Error>| match catch_unwind(AssertUnwindSafe(call)) {
                Ok(Err(error)) if !self.swallows => Err(error),
                _ => Ok(()),
            };
            match self.kind {
                Kind::Map => {
                    let mut map = serializer.serialize_map(None)?;
                    for index in 0..100 {
                        caught(&mut || map.serialize_entry(&index.to_string(), &element(index)))?;
                    }
                    map.end()
                }
                Kind::Array => {
                    let mut seq = serializer.serialize_seq(None)?;
                    for index in 0..100 {
                        caught(&mut || seq.serialize_element(&element(index)))?;
                    }
                    seq.end()
                }
                Kind::Display => serializer.collect_str(self),
            }
        }
    }
    for encoder in encoders() {
        for (swallows, kind) in [
            (false, Kind::Array),
            (false, Kind::Map),
            (false, Kind::Display),
            (true, Kind::Array),
            (true, Kind::Map),
            (true, Kind::Display),
        ] {
            let value = Catches { swallows, kind };
            for framed in [false, true] {
                let run = |writer: &mut PanickingWriter| match framed {
                    false => encoder.write(writer, &value),
                    true => encoder.write_framed(Frame::JsonSeq, writer, &value),
                };
                let mut whole = PanickingWriter::new(0, false);
                let is_limited = run(&mut whole).is_err();
                for at in 1..=whole.calls.min(40) {
                    for takes in [false, true] {
                        let mut writer = PanickingWriter::new(at, takes);
                        // The last call is not inside the value, so its panic reaches the caller.
                        let result = catch_unwind(AssertUnwindSafe(|| run(&mut writer)));
                        assert!(!matches!(result, Ok(Ok(_))), "call {at}");
                        assert_eq!(writer.calls, at, "the writer was called again");
                        assert!(whole.taken.starts_with(&writer.taken), "call {at}");
                        if let (Ok(Err(error)), false) = (result, is_limited) {
                            assert!(error.is_data(), "{error}");
                            assert!(error.message().contains("went on after a panic"), "{error}");
                        }
                    }
                }
            }
        }
    }
}
