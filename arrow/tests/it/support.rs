//! What the tests share: arrow-json's output, and JSON as a tree.

use std::fmt;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_json::writer::{JsonArray, LineDelimited, WriterBuilder};
use json_rope::{Encoder, Frame};
use json_rope_arrow::RowEncoder;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::ser::{SerializeMap, SerializeStruct};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A batch of one column with the name `c`.
pub fn one(column: impl arrow_array::Array + 'static) -> RecordBatch {
    let column: ArrayRef = std::sync::Arc::new(column);
    RecordBatch::try_from_iter_with_nullable([("c", column, true)]).unwrap()
}

/// arrow-json's lines.
pub fn their_lines(batches: &[RecordBatch], explicit_nulls: bool) -> String {
    let mut writer =
        WriterBuilder::new().with_explicit_nulls(explicit_nulls).build::<_, LineDelimited>(Vec::<u8>::new());
    writer.write_batches(&batches.iter().collect::<Vec<_>>()).unwrap();
    writer.finish().unwrap();
    String::from_utf8(writer.into_inner()).unwrap()
}

/// arrow-json's array.
pub fn their_array(batch: &RecordBatch, explicit_nulls: bool) -> String {
    let mut writer = WriterBuilder::new().with_explicit_nulls(explicit_nulls).build::<_, JsonArray>(Vec::<u8>::new());
    writer.write(batch).unwrap();
    writer.finish().unwrap();
    String::from_utf8(writer.into_inner()).unwrap()
}

/// Our lines.
pub fn lines(batch: &RecordBatch) -> String {
    RowEncoder::new(Encoder::new()).records(Frame::NdJson, batch).unwrap().into_string().unwrap()
}

/// The same with nulls.
pub fn lines_with_nulls(batch: &RecordBatch) -> String {
    let encoder = RowEncoder::new(Encoder::new()).explicit_nulls(true);
    encoder.records(Frame::NdJson, batch).unwrap().into_string().unwrap()
}

/// JSON as a tree that keeps the order of members and the text of numbers.
#[derive(Clone, Debug)]
pub enum Json {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const NUMBER: &str = "$serde_json::private::Number";
        match self {
            Json::Null => serializer.serialize_unit(),
            Json::Bool(value) => serializer.serialize_bool(*value),
            Json::Number(text) => {
                let mut number = serializer.serialize_struct(NUMBER, 1)?;
                number.serialize_field(NUMBER, text)?;
                number.end()
            }
            Json::Text(text) => serializer.serialize_str(text),
            Json::Array(items) => serializer.collect_seq(items),
            Json::Object(members) => {
                let mut map = serializer.serialize_map(None)?;
                for (name, value) in members {
                    map.serialize_entry(name, value)?;
                }
                map.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Json, D::Error> {
        struct AnyJson;
        impl<'de> Visitor<'de> for AnyJson {
            type Value = Json;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("JSON without floats")
            }

            fn visit_unit<E>(self) -> Result<Json, E> {
                Ok(Json::Null)
            }

            fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
                Ok(Json::Bool(value))
            }

            fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
                Ok(Json::Number(value.to_string()))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
                Ok(Json::Number(value.to_string()))
            }

            fn visit_str<E>(self, value: &str) -> Result<Json, E> {
                Ok(Json::Text(value.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Json, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = seq.next_element()? {
                    items.push(item);
                }
                Ok(Json::Array(items))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Json::Object(members))
            }
        }
        deserializer.deserialize_any(AnyJson)
    }
}

/// Puts every number of a line into quotes, so that a parser keeps its text.
pub fn quote_numbers(line: &str) -> String {
    let mut quoted = String::new();
    for token in Tokens(line) {
        match token.starts_with(|c: char| c == '-' || c.is_ascii_digit()) {
            true => quoted.extend(["\"\u{1}", token, "\""]),
            false => quoted.push_str(token),
        }
    }
    quoted.replace('\u{1}', "\\u0001#")
}

/// A line as a tree.
pub fn parse(line: &str) -> Json {
    fn unquote(json: Json) -> Json {
        match json {
            Json::Text(text) => match text.strip_prefix("\u{1}#") {
                Some(number) => Json::Number(number.to_owned()),
                None => Json::Text(text),
            },
            Json::Array(items) => Json::Array(items.into_iter().map(unquote).collect()),
            Json::Object(members) => {
                Json::Object(members.into_iter().map(|(name, value)| (name, unquote(value))).collect())
            }
            other => other,
        }
    }
    unquote(serde_json::from_str(&quote_numbers(line)).unwrap())
}

/// The tokens of compact JSON: strings, numbers and words, marks.
pub struct Tokens<'t>(pub &'t str);

impl<'t> Iterator for Tokens<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        let bytes = self.0.as_bytes();
        let is_mark = |byte: &u8| matches!(byte, b'{' | b'}' | b'[' | b']' | b',' | b':' | b'\n' | b'"');
        let len = match *bytes.first()? {
            b'"' => {
                let mut end = 1;
                while bytes[end] != b'"' {
                    end += if bytes[end] == b'\\' { 2 } else { 1 };
                }
                end + 1
            }
            first if is_mark(&first) => 1,
            _ => bytes.iter().position(is_mark).unwrap_or(bytes.len()),
        };
        let (token, rest) = self.0.split_at(len);
        self.0 = rest;
        Some(token)
    }
}
