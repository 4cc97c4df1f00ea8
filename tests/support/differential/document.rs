//! Random documents of a few bytes to some megabytes, each out of a seed.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use bytes::Bytes;
use json_rope::{Fragment, Rope};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::support::reference::{Node, Style};
use crate::support::values::{Calls, Hint, Key, NAMES, Pieces, Shape};

/// SplitMix64: the same numbers for the same seed, everywhere.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let n = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let n = (n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        n ^ (n >> 31)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// Up to `most`, small numbers as often as large ones.
    pub fn scaled(&mut self, most: usize) -> usize {
        let bits = self.below(usize::BITS as usize - most.leading_zeros() as usize + 1);
        self.below((1 << bits).min(most + 1))
    }

    /// True in one of so many cases.
    pub fn one_in(&mut self, cases: usize) -> bool {
        self.below(cases) == 0
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

/// What most of a document is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Mixed,
    /// Maps with a few members, among which one text may be long.
    Rows,
    Texts,
    Numbers,
    /// Containers in containers.
    Deep,
    Fragments,
}

pub const KINDS: [Kind; 6] = [Kind::Mixed, Kind::Rows, Kind::Texts, Kind::Numbers, Kind::Deep, Kind::Fragments];

/// One value, and the same as the items of a sequence, with what the reference knows of both.
pub struct Content {
    pub root: Shape,
    pub items: Vec<Shape>,
    pub root_node: Node,
    pub item_nodes: Vec<Node>,
}

pub struct Document {
    pub whole: Content,
    /// The same document, but one of its scalars fails.
    pub failing: Content,
    pub tree: Value,
    pub tree_node: Node,
    /// Whether there are texts in it that may be linked, whose chunks are as their owner cut them.
    pub has_fragments: bool,
    /// Bytes of the whole document, compact.
    pub size: usize,
    shape: usize,
    tame: OnceLock<Box<Document>>,
}

impl Document {
    /// A document of about so many bytes.
    pub fn new(seed: u64, kind: Kind, bytes: usize) -> Document {
        let mut generator = Generator { random: Random(seed), kind, left: bytes as isize, has_fragments: false };
        let mut items = Vec::new();
        while items.is_empty() || generator.left > 0 {
            items.push(generator.item());
        }
        let shape = generator.random.below(4);
        let mut failing_items = items.clone();
        let at = generator.random.below(items.len());
        let scalars = count_scalars(&mut failing_items[at]);
        fail_at(&mut failing_items[at], &mut generator.random.below(scalars));
        Document::of(items, failing_items, shape, generator.has_fragments)
    }

    /// A document that is like this one, and has a canonical form (RFC 8785) if it does not fail.
    pub fn tame(&self) -> &Document {
        self.tame.get_or_init(|| {
            let tame = |items: &[Shape]| items.iter().map(tame).collect();
            let items = (tame(&self.whole.items), tame(&self.failing.items));
            Box::new(Document::of(items.0, items.1, self.shape, self.has_fragments))
        })
    }

    fn of(items: Vec<Shape>, failing_items: Vec<Shape>, shape: usize, has_fragments: bool) -> Document {
        let whole = Content::new(items, shape);
        let text = whole.root_node.render(&Style::default());
        let tree: Value = serde_json::from_str(&text).expect("the reference writes JSON");
        let tree_node = Node::of(&tree);
        Document {
            whole,
            failing: Content::new(failing_items, shape),
            tree,
            tree_node,
            has_fragments,
            size: text.len(),
            shape,
            tame: OnceLock::new(),
        }
    }
}

impl Content {
    fn new(items: Vec<Shape>, shape: usize) -> Content {
        let rows = || items.clone();
        let root = match shape {
            0 => Shape::Map(
                Hint::Unknown,
                Calls::Entries,
                vec![
                    (Key::Str("rows".into()), Shape::Seq(Hint::True, rows())),
                    (Key::Str("next".into()), Shape::None),
                    (Key::Str("count".into()), Shape::U64(items.len() as u64)),
                ],
            ),
            1 => Shape::NewtypeVariant("rows", Box::new(Shape::Tuple(rows()))),
            _ if items.len() == 1 => items[0].clone(),
            _ => Shape::Seq(Hint::Unknown, rows()),
        };
        let root_node = Node::of_shape(&root);
        let item_nodes = items.iter().map(Node::of_shape).collect();
        Content { root, items, root_node, item_nodes }
    }
}

struct Generator {
    random: Random,
    kind: Kind,
    /// Bytes that are still to be generated, roughly.
    left: isize,
    has_fragments: bool,
}

/// What texts are put together from, beside runs of plain characters: every kind of escape, every length of character.
const MARKS: [&str; 16] = [
    "é",
    "€",
    "😀",
    "\"",
    "\\",
    "\n",
    "\t",
    "\r\n",
    "\u{0}",
    "\u{1f}",
    "\u{7f}",
    "/",
    "<>&",
    "\u{2028}\u{2029}",
    "\\/",
    "データ",
];

impl Generator {
    fn item(&mut self) -> Shape {
        match self.kind {
            Kind::Rows => self.row(),
            Kind::Deep => {
                let depth = 1 + self.random.below(90);
                self.nested(depth)
            }
            _ => self.value(6),
        }
    }

    fn row(&mut self) -> Shape {
        let mut members = vec![(Key::Str("text".into()), Shape::Str(self.text(30_000)))];
        for name in ["id", "zeta", "alpha", "é"].iter().take(self.random.below(5)) {
            members.push((Key::Str((*name).into()), self.scalar()));
        }
        if self.random.one_in(3) {
            let inner = self.value(2);
            members.push((Key::Str("inner".into()), inner));
        }
        Shape::Map(Hint::True, Calls::Alternating, members)
    }

    fn nested(&mut self, depth: usize) -> Shape {
        (0..depth).fold(self.scalar(), |inner, _| match self.random.below(6) {
            0 => Shape::Seq(Hint::Unknown, vec![inner]),
            1 => Shape::Tuple(vec![self.scalar(), inner, self.scalar()]),
            2 => Shape::Struct(vec![(self.name(), self.scalar()), (self.name(), inner)]),
            3 => Shape::NewtypeVariant(self.name(), Box::new(inner)),
            4 => Shape::Some(Box::new(inner)),
            _ => Shape::Map(Hint::TooFew, Calls::KeysAndValues, vec![(self.key(), inner), (self.key(), self.scalar())]),
        })
    }

    fn value(&mut self, depth: usize) -> Shape {
        if depth == 0 || self.left <= 0 || self.random.one_in(3) {
            return self.scalar();
        }
        self.left -= 10;
        match self.random.below(11) {
            0 => Shape::Some(Box::new(self.value(depth - 1))),
            1 => Shape::NewtypeStruct(Box::new(self.value(depth - 1))),
            2 => Shape::NewtypeVariant(self.name(), Box::new(self.value(depth - 1))),
            3 => Shape::Tuple(self.values(depth)),
            4 => Shape::TupleStruct(self.values(depth)),
            5 => Shape::TupleVariant(self.name(), self.values(depth)),
            6 => Shape::Struct(self.fields(depth)),
            7 => Shape::StructVariant(self.name(), self.fields(depth)),
            8 | 9 => {
                let hint = self.hint();
                Shape::Seq(hint, self.values(depth))
            }
            _ => {
                let calls = *self.random.pick(&[Calls::Entries, Calls::KeysAndValues, Calls::Alternating]);
                let len = self.random.scaled(12);
                let members = (0..len).map(|_| (self.key(), self.value(depth - 1))).collect();
                Shape::Map(self.hint(), calls, members)
            }
        }
    }

    fn values(&mut self, depth: usize) -> Vec<Shape> {
        (0..self.random.scaled(30)).map(|_| self.value(depth - 1)).collect()
    }

    fn fields(&mut self, depth: usize) -> Vec<(&'static str, Shape)> {
        (0..self.random.scaled(8)).map(|_| (self.name(), self.value(depth - 1))).collect()
    }

    fn hint(&mut self) -> Hint {
        *self.random.pick(&[Hint::True, Hint::Unknown, Hint::TooFew, Hint::TooMany, Hint::Zero])
    }

    fn name(&mut self) -> &'static str {
        self.left -= 8;
        NAMES[self.random.below(NAMES.len())]
    }

    fn key(&mut self) -> Key {
        match self.random.below(12) {
            0 => Key::U64(self.random.next()),
            1 => Key::I16(self.random.next() as i16),
            2 => Key::Bool(self.random.one_in(2)),
            3 => Key::Char(char::from(self.random.next() as u8)),
            4 => Key::Variant(self.name()),
            5 => Key::F64(self.random.below(1000) as f64 / 8.0),
            6 => Key::Display(self.pieces(100)),
            7 => Key::Str(self.text(5000)),
            8 => Key::Newtype(Box::new(Key::Str(self.text(20)))),
            // Often one that was there already.
            _ => Key::Str((*self.random.pick(&["a", "b", "ab", "", "z", "é", "\u{10000}", "\u{ffff}"])).into()),
        }
    }

    fn scalar(&mut self) -> Shape {
        self.left -= 5;
        let (texts, others) = match self.kind {
            Kind::Texts => (12, 4),
            Kind::Numbers => (1, 20),
            Kind::Fragments => (2, 4),
            _ => (5, 8),
        };
        if self.kind == Kind::Fragments && self.random.one_in(2) || self.random.one_in(40) {
            return self.embedded();
        }
        if self.random.below(texts + others) < texts {
            let most = if self.kind == Kind::Texts { 400_000 } else { 3000 };
            return match self.random.below(5) {
                0 => Shape::Display(self.pieces(most)),
                1 | 2 if self.kind == Kind::Fragments => {
                    self.has_fragments = true;
                    Shape::Text(self.text(most).into())
                }
                _ => Shape::Str(self.text(most)),
            };
        }
        let bits = self.random.next();
        match self.random.below(20) {
            0 => Shape::None,
            1 => Shape::Unit,
            2 => Shape::UnitStruct,
            3 => Shape::UnitVariant(self.name()),
            4 => Shape::Bool(bits & 1 != 0),
            5 => Shape::Char(char::from_u32(bits as u32 % 0x11_0000).unwrap_or('€')),
            6 => Shape::I8(bits as i8),
            7 => Shape::I32(bits as i32),
            8 => Shape::U16(bits as u16),
            9 => Shape::I128(i128::from(bits as i64) << (bits % 60)),
            10 => Shape::U128(u128::from(bits) << (bits % 64)),
            11 => Shape::F32(f32::from_bits(bits as u32)),
            12 => Shape::F64(f64::from_bits(bits)),
            13 => Shape::F64(*self.random.pick(&[f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0])),
            14 => Shape::F64((bits % 100_000) as f64 / 64.0),
            15 => {
                let len = self.random.scaled(2000);
                self.left -= 2 * len as isize;
                Shape::Bytes((0..len).map(|_| self.random.next() as u8).collect())
            }
            _ => Shape::U64(bits >> (bits % 64)),
        }
    }

    fn pieces(&mut self, most: usize) -> Pieces {
        Pieces((0..self.random.below(5)).map(|_| self.text(most / 4)).collect())
    }

    /// A text of up to `most` bytes, mostly a short one.
    fn text(&mut self, most: usize) -> String {
        let len = self.random.scaled(most.min(usize::try_from(self.left).unwrap_or(0) + 20));
        self.left -= len as isize;
        let mut text = String::with_capacity(len);
        // Between marks: nothing, a few characters, or, in texts without marks, everything.
        let run = *self.random.pick(&[0, 3, 40, 300, usize::MAX / 2]);
        while text.len() < len {
            let plain = self.random.scaled(run).min(len - text.len());
            text.extend((0..plain).map(|n| char::from(b'a' + (n % 26) as u8)));
            if run < len {
                text.push_str(MARKS[self.random.below(MARKS.len())]);
            }
        }
        text
    }

    /// A fragment or raw value: compact or with white space, short or long, and as a rope that is cut anywhere.
    fn embedded(&mut self) -> Shape {
        self.has_fragments = true;
        let mut inner = Generator {
            random: Random(self.random.next()),
            kind: *self.random.pick(&[Kind::Mixed, Kind::Texts, Kind::Numbers]),
            left: self.random.scaled(20_000) as isize,
            has_fragments: false,
        };
        let plain = Style::default();
        let value = Node::of_shape(&inner.value(3)).render(&plain);
        let value: Value = serde_json::from_str(&value).expect("the reference writes JSON");
        let text = match self.random.below(3) {
            0 => serde_json::to_string_pretty(&value).expect("a tree"),
            1 => format!(" \r\n{}\n\t", serde_json::to_string_pretty(&value).expect("a tree")),
            _ => serde_json::to_string(&value).expect("a tree"),
        };
        self.left -= text.len() as isize;
        let most = 1 + self.random.scaled(text.len());
        match self.random.below(4) {
            0 => Shape::Raw(RawValue::from_string(text).expect("JSON")),
            1 => Shape::Fragment(Fragment::checked(text.clone()).expect("JSON"), text.trim().into()),
            _ => Shape::Fragment(Fragment::trusted(self.cut(&text, most)), text),
        }
    }

    /// The text as a rope of chunks of up to `most` bytes.
    fn cut(&mut self, text: &str, most: usize) -> Rope {
        let mut rest = Bytes::copy_from_slice(text.as_bytes());
        let mut rope = Rope::new();
        while !rest.is_empty() {
            let len = 1 + self.random.below(most);
            rope.push(rest.split_to(len.min(rest.len())));
        }
        rope
    }
}

/// The same without names that occur twice, floats that are not finite, and integers beyond 2^53.
fn tame(shape: &Shape) -> Shape {
    const SAFE: u64 = (1 << 53) - 1;
    let all = |items: &[Shape]| items.iter().map(tame).collect();
    let fields = |fields: &[(&'static str, Shape)]| {
        let mut names = BTreeSet::new();
        let fields = fields.iter().filter(|(name, _)| names.insert(*name));
        fields.map(|(name, value)| (*name, tame(value))).collect()
    };
    match shape {
        Shape::I64(n) => Shape::I64(n % SAFE as i64),
        Shape::U64(n) => Shape::U64(n % SAFE),
        Shape::I128(n) => Shape::I128(n % i128::from(SAFE)),
        Shape::U128(n) => Shape::U128(n % u128::from(SAFE)),
        Shape::F32(n) if !n.is_finite() => Shape::F32(1e-7),
        Shape::F64(n) if !n.is_finite() => Shape::F64(1e21),
        Shape::Some(inner) => Shape::Some(Box::new(tame(inner))),
        Shape::NewtypeStruct(inner) => Shape::NewtypeStruct(Box::new(tame(inner))),
        Shape::NewtypeVariant(name, inner) => Shape::NewtypeVariant(name, Box::new(tame(inner))),
        Shape::Seq(hint, items) => Shape::Seq(*hint, all(items)),
        Shape::Tuple(items) => Shape::Tuple(all(items)),
        Shape::TupleStruct(items) => Shape::TupleStruct(all(items)),
        Shape::TupleVariant(name, items) => Shape::TupleVariant(name, all(items)),
        Shape::Struct(members) => Shape::Struct(fields(members)),
        Shape::StructVariant(name, members) => Shape::StructVariant(name, fields(members)),
        Shape::Map(hint, calls, members) => {
            let mut names = BTreeSet::new();
            let members = members.iter().filter(|(key, _)| {
                let member = Shape::Map(Hint::True, Calls::Entries, vec![(key.clone(), Shape::Unit)]);
                let Node::Object(member) = Node::of_shape(&member) else { panic!("a map is an object") };
                names.insert(member[0].0.clone())
            });
            Shape::Map(*hint, *calls, members.map(|(key, value)| (key.clone(), tame(value))).collect())
        }
        Shape::Fragment(_, text) => {
            let text = tame_text(text);
            let (front, back) = text.as_bytes().split_at(text.len() / 2);
            let rope = [front, back].into_iter().map(Bytes::copy_from_slice).collect::<Rope>();
            Shape::Fragment(Fragment::trusted(rope), text)
        }
        Shape::Raw(raw) => Shape::Raw(RawValue::from_string(tame_text(raw.get())).expect("JSON")),
        other => other.clone(),
    }
}

fn tame_text(text: &str) -> String {
    fn tame(value: &mut Value) {
        match value {
            Value::Number(number) if number.is_i64() || number.is_u64() => {
                *value = (number.as_u64().unwrap_or_default() % (1 << 53)).into();
            }
            Value::Array(items) => items.iter_mut().for_each(tame),
            Value::Object(members) => members.values_mut().for_each(tame),
            _ => {}
        }
    }
    let mut value: Value = serde_json::from_str(text).expect("JSON");
    tame(&mut value);
    if text.contains('\n') { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }
        .expect("a tree")
}

/// The values inside of a container.
fn children(shape: &mut Shape) -> Vec<&mut Shape> {
    match shape {
        Shape::Some(inner) | Shape::NewtypeStruct(inner) | Shape::NewtypeVariant(_, inner) => vec![inner],
        Shape::Seq(_, items) | Shape::Tuple(items) | Shape::TupleStruct(items) | Shape::TupleVariant(_, items) => {
            items.iter_mut().collect()
        }
        Shape::Map(_, _, members) => members.iter_mut().map(|(_, value)| value).collect(),
        Shape::Struct(members) | Shape::StructVariant(_, members) => {
            members.iter_mut().map(|(_, value)| value).collect()
        }
        _ => Vec::new(),
    }
}

/// Scalars and empty containers.
fn count_scalars(shape: &mut Shape) -> usize {
    children(shape).into_iter().map(count_scalars).sum::<usize>().max(1)
}

/// Replaces the scalar of this number by one that fails.
fn fail_at(shape: &mut Shape, at: &mut usize) -> bool {
    let mut children = children(shape);
    if !children.is_empty() {
        return children.iter_mut().any(|child| fail_at(child, at));
    }
    drop(children);
    if *at > 0 {
        *at -= 1;
        return false;
    }
    *shape = Shape::Fail;
    true
}
