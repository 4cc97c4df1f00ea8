//! A document through a `Writer`, in random pieces.

use bytes::Bytes;
use json_rope::{Error, Key as EncodedKey, Writer};
use serde_json::Value;

use super::document::Random;
use crate::support::values::{Calls, Hint, Key, Shape};

/// Pushes values, and sometimes takes chunks between them.
pub struct Pusher<'a> {
    pub writer: Writer,
    pub random: &'a mut Random,
    /// All that was taken.
    pub chunks: Vec<Bytes>,
}

impl Pusher<'_> {
    /// Pushes one value, whole or in pieces.
    pub fn push(&mut self, shape: &Shape) -> Result<(), Error> {
        self.take();
        if self.random.one_in(4) {
            return self.writer.value(shape);
        }
        match shape {
            Shape::Some(inner) | Shape::NewtypeStruct(inner) => self.push(inner),
            Shape::Seq(_, items) | Shape::Tuple(items) | Shape::TupleStruct(items) => self.array(items),
            Shape::Struct(fields) => self.fields(fields),
            Shape::Map(_, _, members) => {
                self.writer.begin_object()?;
                for (key, value) in members {
                    self.key(&text(key))?;
                    self.push(value)?;
                }
                self.writer.end()
            }
            Shape::NewtypeVariant(name, inner) => self.variant(name, |this| this.push(inner)),
            Shape::TupleVariant(name, items) => self.variant(name, |this| this.array(items)),
            Shape::StructVariant(name, fields) => self.variant(name, |this| this.fields(fields)),
            scalar => self.writer.value(scalar),
        }
    }

    /// Takes what can be taken.
    pub fn take_all(&mut self) {
        self.chunks.extend(std::iter::from_fn(|| self.writer.pop()));
    }

    fn take(&mut self) {
        match self.random.below(64) {
            0 => self.writer.flush(),
            1..4 => self.take_all(),
            4..8 => self.chunks.extend(self.writer.pop()),
            _ => {}
        }
    }

    fn array(&mut self, items: &[Shape]) -> Result<(), Error> {
        self.writer.begin_array()?;
        items.iter().try_for_each(|item| self.push(item))?;
        self.writer.end()
    }

    fn fields(&mut self, fields: &[(&'static str, Shape)]) -> Result<(), Error> {
        self.writer.begin_object()?;
        for (name, value) in fields {
            self.key(name)?;
            self.push(value)?;
        }
        self.writer.end()
    }

    fn variant(&mut self, name: &str, push: impl FnOnce(&mut Self) -> Result<(), Error>) -> Result<(), Error> {
        self.writer.begin_object()?;
        self.key(name)?;
        push(self)?;
        self.writer.end()
    }

    fn key(&mut self, name: &str) -> Result<(), Error> {
        self.take();
        if self.random.one_in(2) { self.writer.key(name) } else { self.writer.encoded_key(&EncodedKey::new(name)) }
    }
}

/// The text of a key, which serde_json knows.
fn text(key: &Key) -> String {
    if let Key::Str(text) = key {
        return text.clone();
    }
    let map = Shape::Map(Hint::True, Calls::Entries, vec![(key.clone(), Shape::Unit)]);
    match serde_json::from_str(&serde_json::to_string(&map).expect("a key")) {
        Ok(Value::Object(map)) => map.into_iter().next().expect("a member").0,
        other => panic!("{other:?}"),
    }
}
