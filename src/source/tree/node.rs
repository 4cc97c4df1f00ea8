//! What the walker needs to know of a tree: how to take its outermost level off, borrowed or owned.

use std::borrow::Borrow;

use serde_json::{Map, Number, Value, map};

use crate::escape;

/// A tree that can be taken apart, one level at a time.
pub trait Parts: Sized {
    /// Whether the rest of the tree has to be freed.
    const OWNED: bool;
    type Text: AsRef<str>;
    type Number: Borrow<Number>;
    type Array: IntoIterator<Item = Self, IntoIter = Self::Items>;
    type Items: Iterator<Item = Self>;
    type Object: IntoIterator<Item = (Self::Text, Self), IntoIter = Self::Members>;
    type Members: Iterator<Item = (Self::Text, Self)>;

    fn part(self) -> Part<Self>;

    /// Begins to load what [`part`](Self::part) will refer to into the cache.
    fn prefetch(&self);
}

/// The outermost level of a tree.
pub enum Part<T: Parts> {
    Null,
    Bool(bool),
    Number(T::Number),
    String(T::Text),
    Array(T::Array),
    Object(T::Object),
}

impl Parts for Value {
    const OWNED: bool = true;
    type Text = String;
    type Number = Number;
    type Array = Vec<Value>;
    type Items = std::vec::IntoIter<Value>;
    type Object = Map<String, Value>;
    type Members = map::IntoIter;

    #[inline(always)]
    fn part(self) -> Part<Value> {
        match self {
            Value::Null => Part::Null,
            Value::Bool(value) => Part::Bool(value),
            Value::Number(number) => Part::Number(number),
            Value::String(text) => Part::String(text),
            Value::Array(items) => Part::Array(items),
            Value::Object(members) => Part::Object(members),
        }
    }

    #[inline(always)]
    fn prefetch(&self) {
        match self {
            Value::String(text) => escape::prefetch(text.as_ptr()),
            Value::Array(items) => escape::prefetch(items.as_ptr()),
            // A map does not expose where its members are.
            Value::Object(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

impl<'v> Parts for &'v Value {
    const OWNED: bool = false;
    type Text = &'v String;
    type Number = &'v Number;
    type Array = &'v Vec<Value>;
    type Items = std::slice::Iter<'v, Value>;
    type Object = &'v Map<String, Value>;
    type Members = map::Iter<'v>;

    #[inline(always)]
    fn part(self) -> Part<&'v Value> {
        match self {
            Value::Null => Part::Null,
            Value::Bool(value) => Part::Bool(*value),
            Value::Number(number) => Part::Number(number),
            Value::String(text) => Part::String(text),
            Value::Array(items) => Part::Array(items),
            Value::Object(members) => Part::Object(members),
        }
    }

    #[inline(always)]
    fn prefetch(&self) {
        Value::prefetch(self);
    }
}
