//! The other encoders, and the proof that they do the same work.

use std::fmt::Display;

use json_rope::Rope;
use serde::Serialize;
use serde_json::Value;

/// Another encoder: its two entry points that make a vector.
pub struct Peer<T: ?Sized> {
    pub name: &'static str,
    pub compact: fn(&T) -> Vec<u8>,
    pub pretty: fn(&T) -> Vec<u8>,
}

/// The peers, the reference first.
pub fn peers<T: Serialize + ?Sized>() -> [Peer<T>; 3] {
    [
        Peer {
            name: "serde_json",
            compact: |value| done(serde_json::to_vec(value)),
            pretty: |value| done(serde_json::to_vec_pretty(value)),
        },
        Peer {
            name: "sonic-rs",
            compact: |value| done(sonic_rs::to_vec(value)),
            pretty: |value| done(sonic_rs::to_vec_pretty(value)),
        },
        Peer {
            name: "simd-json",
            compact: |value| done(simd_json::serde::to_vec(value)),
            pretty: |value| done(simd_json::serde::to_vec_pretty(value)),
        },
    ]
}

/// json-rope, through a pointer like the peers.
pub struct Ours<T: ?Sized> {
    pub compact: fn(&T) -> Rope,
    pub pretty: fn(&T) -> Rope,
}

pub fn ours<T: Serialize + ?Sized>() -> Ours<T> {
    Ours { compact: |value| done(json_rope::to_rope(value)), pretty: |value| done(json_rope::to_rope_pretty(value)) }
}

/// Unwraps without asking for `Debug` of every error type.
#[inline(always)]
pub fn done<R, E: Display>(result: Result<R, E>) -> R {
    match result {
        Ok(encoded) => encoded,
        Err(error) => panic!("cannot encode: {error}"),
    }
}

/// How like the reference's output a peer's is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Agreement {
    /// The same bytes.
    Bytes,
    /// Other bytes that parse to the same values: numbers or escapes written in another way.
    Values,
    /// As `Values`, but some numbers are an integer for a float or the neighbouring float, as parsers differ there.
    Nearly,
}

/// Compares a peer's output with the reference's.
///
/// # Panics
/// If it means something else. Then a comparison of times would mean nothing.
pub fn agreement(name: &str, output: &[u8], reference: &[u8]) -> Agreement {
    if output == reference {
        return Agreement::Bytes;
    }
    let (output, reference): (Value, Value) =
        (done(serde_json::from_slice(output)), done(serde_json::from_slice(reference)));
    if output == reference {
        Agreement::Values
    } else if nearly(&output, &reference) {
        Agreement::Nearly
    } else {
        panic!("{name} writes another document than serde_json");
    }
}

fn nearly(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => match (a.as_f64(), b.as_f64()) {
            (Some(a), Some(b)) => a.to_bits().abs_diff(b.to_bits()) <= 1,
            _ => false,
        },
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| nearly(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|((k, a), (l, b))| k == l && nearly(a, b))
        }
        (a, b) => a == b,
    }
}
