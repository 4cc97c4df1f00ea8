//! What the walker needs to know of a tree: how to take its outermost level off, borrowed or owned.

use std::borrow::Borrow;

use serde_json::{Map, Number, Value, map};

use crate::escape;

/// Arrays shorter than this fit the cache with what is in their elements, or soon end.
const LONG_ARRAY: usize = 1024;

/// How many elements ahead the nodes of maps are loaded, and then the texts they refer to. Both distances were measured.
const NODES_AHEAD: usize = 8;
const MEMBERS_AHEAD: usize = 3;

/// The most members whose texts are loaded.
const MAX_MEMBERS: usize = 4;

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

    /// Begins to load what comes some items later, in a long array.
    fn look_ahead(items: &Self::Items);

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
    fn look_ahead(items: &Self::Items) {
        look_ahead(items.as_slice());
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
    fn look_ahead(items: &Self::Items) {
        look_ahead(items.as_slice());
    }

    #[inline(always)]
    fn prefetch(&self) {
        Value::prefetch(self);
    }
}

/// In a tree that is larger than the cache the walk waits for memory. An array of maps tells early where it will go.
#[inline(always)]
fn look_ahead(items: &[Value]) {
    if items.len() >= LONG_ARRAY {
        load_ahead(&items[NODES_AHEAD], &items[MEMBERS_AHEAD]);
    }
}

#[inline(never)]
fn load_ahead(far: &Value, near: &Value) {
    match far {
        // A map does not expose where its members are, but it holds the address.
        Value::Object(members) => escape::prefetch_targets(members),
        _ => far.prefetch(),
    }
    if let Value::Object(members) = near {
        for (key, value) in members.iter().take(MAX_MEMBERS) {
            escape::prefetch(key.as_ptr());
            value.prefetch();
        }
    }
}
