//! Documents that are one object with open parts.

use std::fmt;

use serde::Serialize;

use super::Chunks;
use crate::encoder::Encoder;
use crate::source::{Array, Fallible, Field, Infallible, LateField, Member, Members, Object, Source, Tree};

/// The members of an object that is encoded on demand, in their order. Made by [`Encoder::object`].
///
/// Each method adds one member; [`chunks`](Self::chunks) ends the list. `P` is the type of the members so far. Names are
/// strings of any kind, and are not compared with one another.
#[must_use = "nothing is encoded until `chunks` is called and chunks are asked for"]
pub struct ObjectBuilder<P> {
    encoder: Encoder,
    members: P,
}

/// The builder with one member more.
type With<P, K, S> = ObjectBuilder<(P, Member<K, S>)>;

impl Encoder {
    /// Begins an object with open parts, encoded on demand: the envelope that most answers of an API have, around items
    /// that should not be collected first.
    ///
    /// Members come out in the order in which they are added, one element of an open array at a time, as with
    /// [`array`](Encoder::array), which it costs as much as. The handle is `Send` and `'static` if all parts are.
    /// [`max_len`](crate::EncoderBuilder::max_len) is for the whole document. With
    /// [`sort_keys`](crate::EncoderBuilder::sort_keys) nothing leaves before all of it is encoded.
    ///
    /// ```
    /// use std::cell::Cell;
    ///
    /// let count = Cell::new(0);
    /// let rows = (1..=3).map(|n| n * n).inspect(|_| count.set(count.get() + 1));
    /// let mut out = Vec::new();
    /// json_rope::Encoder::new()
    ///     .object()
    ///     .field("version", 1)
    ///     .array("items", rows)
    ///     .field_with("count", || count.get())
    ///     .chunks()
    ///     .write_to(&mut out)?;
    /// assert_eq!(out, br#"{"version":1,"items":[1,4,9],"count":3}"#);
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn object(&self) -> ObjectBuilder<()> {
        ObjectBuilder { encoder: self.clone(), members: () }
    }
}

impl<P: Members> ObjectBuilder<P> {
    /// Adds a member with this value: anything that is `Serialize`, by value or by reference. It is encoded in one step.
    ///
    /// ```
    /// let object = json_rope::Encoder::new().object().field("a", [1, 2]).field("b", "c");
    /// assert_eq!(object.chunks().next().unwrap()?, r#"{"a":[1,2],"b":"c"}"#);
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn field<K: AsRef<str>, T: Serialize>(self, key: K, value: T) -> With<P, K, Field<T>> {
        self.member(key, Field(value))
    }

    /// Adds a member whose value is known only when its turn comes: a count of the items before it, a cursor after the
    /// last of them, a time. `value` is called when all members before this one have been encoded.
    ///
    /// ```
    /// let object = json_rope::Encoder::new().object().field_with("sum", || (1..=4).sum::<i32>());
    /// assert_eq!(object.chunks().next().unwrap()?, r#"{"sum":10}"#);
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn field_with<K, F, T>(self, key: K, value: F) -> With<P, K, LateField<F>>
    where
        K: AsRef<str>,
        F: FnOnce() -> T,
        T: Serialize,
    {
        self.member(key, LateField::new(value))
    }

    /// Adds an array whose elements are asked for one at a time, as [`Encoder::array`] does.
    ///
    /// ```
    /// let object = json_rope::Encoder::new().object().array("squares", (1..4).map(|n| n * n));
    /// assert_eq!(object.chunks().next().unwrap()?, r#"{"squares":[1,4,9]}"#);
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn array<K, I>(self, key: K, items: I) -> With<P, K, Array<Infallible<I::IntoIter>>>
    where
        K: AsRef<str>,
        I: IntoIterator<Item: Serialize>,
    {
        self.member(key, Array::new(Infallible(items.into_iter())))
    }

    /// Adds an array from an iterator of results, as [`Encoder::try_array`] does: the first `Err` ends the document,
    /// and no bracket is closed.
    ///
    /// ```
    /// let rows = ["1", "x"].into_iter().map(str::parse::<i32>);
    /// let mut chunks = json_rope::Encoder::new().object().try_array("items", rows).chunks();
    /// assert_eq!(chunks.next().unwrap()?, r#"{"items":[1"#);
    /// assert_eq!(chunks.next().unwrap().unwrap_err().pointer(), Some("/items/1"));
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn try_array<K, I, T, E>(self, key: K, items: I) -> With<P, K, Array<Fallible<I::IntoIter>>>
    where
        K: AsRef<str>,
        I: IntoIterator<Item = std::result::Result<T, E>>,
        T: Serialize,
        E: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        self.member(key, Array::new(Fallible(items.into_iter())))
    }

    /// Adds a tree, which is walked as by [`Encoder::chunks`]: chunk by chunk, and at any depth.
    ///
    /// ```
    /// let tree = serde_json::json!({"deep": [[[]]]});
    /// let object = json_rope::Encoder::new().object().tree("tree", &tree);
    /// assert_eq!(object.chunks().next().unwrap()?, r#"{"tree":{"deep":[[[]]]}}"#);
    /// # Ok::<(), json_rope::Error>(())
    /// ```
    pub fn tree<K: AsRef<str>, V: Tree>(self, key: K, tree: V) -> With<P, K, V::Walk> {
        let walker = tree.walk(self.encoder.options());
        self.member(key, walker)
    }

    /// The object, to be encoded as chunks are asked for.
    ///
    /// # Errors
    /// The items are as those of [`Encoder::array`]; an error names the place with the member's name in front, as in
    /// `/items/77/price`.
    pub fn chunks(self) -> Chunks<Object<P>> {
        Chunks::new(self.encoder, Object::new(self.members))
    }

    fn member<K, S: Source>(self, key: K, value: S) -> With<P, K, S> {
        let member = Member::new(key, value, self.encoder.options());
        ObjectBuilder { members: (self.members, member), encoder: self.encoder }
    }
}

impl<P> fmt::Debug for ObjectBuilder<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ObjectBuilder").finish_non_exhaustive()
    }
}
