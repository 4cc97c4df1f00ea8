//! Hands what a deserializer reads straight to a serializer: for fragments between this crate and other formats.

use std::cell::{Cell, RefCell};
use std::fmt::{self, Display};
use std::sync::OnceLock;

use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Error as _, Serialize, SerializeMap, SerializeSeq, Serializer};

/// The reserved name by which serde_json passes on numbers, with its feature `arbitrary_precision`.
const NUMBER: &str = "$serde_json::private::Number";

/// The text of the first error of a value. It is passed from level to level as it is: some formats quote the text of an error
/// in that of another, which would double its length with each level.
#[derive(Default)]
pub(super) struct FirstError(RefCell<Option<String>>);

impl FirstError {
    fn text(&self, error: impl Display) -> String {
        self.0.borrow_mut().get_or_insert_with(|| error.to_string()).clone()
    }

    fn of_reader<E: serde::ser::Error>(&self, error: impl Display) -> E {
        E::custom(self.text(error))
    }

    fn of_writer<E: de::Error>(&self, error: impl Display) -> E {
        E::custom(self.text(error))
    }
}

/// What a deserializer reads, to be serialized once.
pub(super) struct Once<'f, T>(Cell<Option<T>>, &'f FirstError);

impl<'f, T> Once<'f, T> {
    pub(super) fn new(source: T, first_error: &'f FirstError) -> Once<'f, T> {
        Once(Cell::new(Some(source)), first_error)
    }

    fn take<E: serde::ser::Error>(&self) -> Result<T, E> {
        self.0.take().ok_or_else(|| E::custom("a value that can be read once was serialized twice"))
    }
}

impl<'de, D: Deserializer<'de>> Serialize for Once<'_, D> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let read = self.take::<S::Error>()?.deserialize_any(Transcode(serializer, self.1));
        read.map_err(|error| self.1.of_reader(error))
    }
}

/// A map of which the first key has been read.
pub(super) struct Begun<'f, A>(Cell<Option<(Option<Key>, A)>>, &'f FirstError);

impl<'f, A> Begun<'f, A> {
    pub(super) fn new(first: Option<Key>, map: A, first_error: &'f FirstError) -> Begun<'f, A> {
        Begun(Cell::new(Some((first, map))), first_error)
    }
}

impl<'de, A: MapAccess<'de>> Serialize for Begun<'_, A> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (first, map) = self.0.take().ok_or_else(|| S::Error::custom("a map was serialized twice"))?;
        copy_map(first, map, serializer, self.1).map_err(|error| self.1.of_reader(error))
    }
}

/// The key of a map, which JSON writes as a string.
pub(super) enum Key {
    Text(String),
    Bool(bool),
    Integer(i128),
}

impl Serialize for Key {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Key::Text(text) => serializer.serialize_str(text),
            Key::Bool(value) => serializer.serialize_bool(*value),
            Key::Integer(value) => match (i64::try_from(*value), u64::try_from(*value)) {
                (Ok(value), _) => serializer.serialize_i64(value),
                (_, Ok(value)) => serializer.serialize_u64(value),
                _ => serializer.serialize_i128(*value),
            },
        }
    }
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Key, D::Error> {
        struct KeyVisitor;
        impl<'de> Visitor<'de> for KeyVisitor {
            type Value = Key;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key that JSON can have")
            }

            fn visit_str<E>(self, text: &str) -> Result<Key, E> {
                Ok(Key::Text(text.to_owned()))
            }

            fn visit_bool<E>(self, value: bool) -> Result<Key, E> {
                Ok(Key::Bool(value))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Key, E> {
                Ok(Key::Integer(value.into()))
            }

            fn visit_u64<E>(self, value: u64) -> Result<Key, E> {
                Ok(Key::Integer(value.into()))
            }

            fn visit_i128<E>(self, value: i128) -> Result<Key, E> {
                Ok(Key::Integer(value))
            }

            fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Key, D::Error> {
                deserializer.deserialize_any(self)
            }
        }
        deserializer.deserialize_any(KeyVisitor)
    }
}

/// Hands what is visited to a serializer.
struct Transcode<'f, S>(S, &'f FirstError);

macro_rules! scalars {
    ($($visit:ident => $serialize:ident($type:ty);)*) => {$(
        fn $visit<E: de::Error>(self, value: $type) -> Result<S::Ok, E> {
            self.0.$serialize(value).map_err(|error| self.1.of_writer(error))
        }
    )*};
}

impl<'de, S: Serializer> Visitor<'de> for Transcode<'_, S> {
    type Value = S::Ok;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value that JSON can have")
    }

    scalars! {
        visit_bool => serialize_bool(bool);
        visit_i64 => serialize_i64(i64);
        visit_u64 => serialize_u64(u64);
        visit_i128 => serialize_i128(i128);
        visit_u128 => serialize_u128(u128);
        visit_f32 => serialize_f32(f32);
        visit_f64 => serialize_f64(f64);
        visit_char => serialize_char(char);
        visit_str => serialize_str(&str);
        visit_bytes => serialize_bytes(&[u8]);
    }

    fn visit_unit<E: de::Error>(self) -> Result<S::Ok, E> {
        self.0.serialize_unit().map_err(|error| self.1.of_writer(error))
    }

    fn visit_none<E: de::Error>(self) -> Result<S::Ok, E> {
        self.0.serialize_none().map_err(|error| self.1.of_writer(error))
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Ok, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Ok, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<S::Ok, A::Error> {
        let Transcode(serializer, first) = self;
        let mut seq = serializer.serialize_seq(items.size_hint()).map_err(|error| first.of_writer(error))?;
        while items.next_element_seed(Element(&mut seq, first))?.is_some() {}
        seq.end().map_err(|error| first.of_writer(error))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<S::Ok, A::Error> {
        let first = map.next_key::<Key>()?;
        copy_map(first, map, self.0, self.1)
    }
}

/// Writes a map of which the first key has been read, or the number that serde_json passes on as a map.
fn copy_map<'de, A: MapAccess<'de>, S: Serializer>(
    first: Option<Key>,
    mut members: A,
    serializer: S,
    first_error: &FirstError,
) -> Result<S::Ok, A::Error> {
    let pass = |error: S::Error| first_error.of_writer::<A::Error>(error);
    if matches!(&first, Some(Key::Text(name)) if name == NUMBER) && numbers_are_maps() {
        let number: serde_json::Number = members.next_value::<String>()?.parse().map_err(de::Error::custom)?;
        return number.serialize(serializer).map_err(pass);
    }
    let mut map = serializer.serialize_map(None).map_err(pass)?;
    let mut next = first;
    while let Some(key) = next {
        map.serialize_key(&key).map_err(pass)?;
        members.next_value_seed(Member(&mut map, first_error))?;
        next = members.next_key()?;
    }
    map.end().map_err(pass)
}

/// Whether serde_json passes numbers on as maps, because something in the build has turned `arbitrary_precision` on.
fn numbers_are_maps() -> bool {
    struct IsMap(bool);
    impl<'de> Deserialize<'de> for IsMap {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<IsMap, D::Error> {
            struct IsMapVisitor;
            impl<'de> Visitor<'de> for IsMapVisitor {
                type Value = IsMap;

                fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str("a number")
                }

                fn visit_f64<E>(self, _: f64) -> Result<IsMap, E> {
                    Ok(IsMap(false))
                }

                fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<IsMap, A::Error> {
                    while map.next_entry::<String, String>()?.is_some() {}
                    Ok(IsMap(true))
                }
            }
            deserializer.deserialize_any(IsMapVisitor)
        }
    }
    static ANSWER: OnceLock<bool> = OnceLock::new();
    *ANSWER.get_or_init(|| serde_json::from_str("0.5").is_ok_and(|IsMap(is_map)| is_map))
}

struct Element<'a, C>(&'a mut C, &'a FirstError);

impl<'de, C: SerializeSeq> DeserializeSeed<'de> for Element<'_, C> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.0.serialize_element(&Once::new(deserializer, self.1)).map_err(|error| self.1.of_writer(error))
    }
}

struct Member<'a, C>(&'a mut C, &'a FirstError);

impl<'de, C: SerializeMap> DeserializeSeed<'de> for Member<'_, C> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.0.serialize_value(&Once::new(deserializer, self.1)).map_err(|error| self.1.of_writer(error))
    }
}
