//! Proves canonical JSON (RFC 8785): the RFC's own examples, numbers by its generator, order, and what it refuses.

use std::collections::{BTreeMap, HashMap};

use bytes::Bytes;
use json_rope::{BigIntegers, BytesFormat, Encoder, EncoderBuilder, Error, Fragment, Frame, NonFinite, Rope};
use proptest::prelude::*;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::support::generated_numbers::generated;
use crate::support::reference::{Node, Style, canonical_number};
use crate::support::strategy::text;
use crate::support::sweeps::long;
use crate::support::values::{Calls, Hint, Key, Shape};

fn canonical() -> Encoder {
    Encoder::builder().canonical(true).build().unwrap()
}

/// The canonical form of a JSON text, as a fragment that is cut into chunks of three characters.
fn of_text(json: &str) -> Result<String, Error> {
    let mut rest = json;
    let mut rope = Rope::new();
    while !rest.is_empty() {
        let (now, later) = rest.split_at(rest.floor_char_boundary(5.max(rest.len() / 3)).min(rest.len()));
        rope.push(Bytes::copy_from_slice(now.as_bytes()));
        rest = later;
    }
    canonical().encode(&Fragment::trusted(rope))?.into_string()
}

/// The canonical form of a value, which is the same on all ways.
fn of(value: &(impl Serialize + ?Sized)) -> String {
    let rope = canonical().encode(value).unwrap();
    let small = Encoder::builder().canonical(true).max_chunk(16).build().unwrap();
    let mut written = Vec::new();
    small.write(&mut written, value).unwrap();
    assert_eq!(rope, written);
    rope.into_string().unwrap()
}

/// Appendix B.
#[test]
fn number_samples_of_the_rfc() {
    let samples = [
        (0x0000000000000000, "0"),
        (0x8000000000000000, "0"),
        (0x0000000000000001, "5e-324"),
        (0x8000000000000001, "-5e-324"),
        (0x7fefffffffffffff, "1.7976931348623157e+308"),
        (0xffefffffffffffff, "-1.7976931348623157e+308"),
        (0x4340000000000000, "9007199254740992"),
        (0xc340000000000000, "-9007199254740992"),
        (0x4430000000000000, "295147905179352830000"),
        (0x44b52d02c7e14af5, "9.999999999999997e+22"),
        (0x44b52d02c7e14af6, "1e+23"),
        (0x44b52d02c7e14af7, "1.0000000000000001e+23"),
        (0x444b1ae4d6e2ef4e, "999999999999999700000"),
        (0x444b1ae4d6e2ef4f, "999999999999999900000"),
        (0x444b1ae4d6e2ef50, "1e+21"),
        (0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7"),
        (0x3eb0c6f7a0b5ed8d, "0.000001"),
        (0x41b3de4355555553, "333333333.3333332"),
        (0x41b3de4355555554, "333333333.33333325"),
        (0x41b3de4355555555, "333333333.3333333"),
        (0x41b3de4355555556, "333333333.3333334"),
        (0x41b3de4355555557, "333333333.33333343"),
        (0xbecbf647612f3696, "-0.0000033333333333333333"),
        (0x43143ff3c1cb0959, "1424953923781206.2"),
    ];
    for (bits, expected) in samples {
        let value = f64::from_bits(bits);
        assert_eq!(of(&value), expected);
        assert_eq!(of(&[(value, 1)]), format!("[[{expected},1]]"));
        assert_eq!(of_text(&format!("{value:e}")).unwrap(), expected);
        assert_eq!(of_text(expected).unwrap(), expected, "canonical text stays");
    }
    for bits in [0x7fffffffffffffff, 0x7ff0000000000000, 0xfff0000000000000] {
        let error = canonical().encode(&[f64::from_bits(bits)]).unwrap_err();
        assert_eq!(error.to_string(), "cannot encode /0: float is not finite");
    }
}

/// Section 3.2.2.
#[test]
fn sample_of_the_rfc() {
    let input = r#"{
        "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
        "literals": [null, true, false]
    }"#;
    let expected = r#"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}"#;
    assert_eq!(of_text(input).unwrap(), expected);
    assert_eq!(of(&RawValue::from_string(input.into()).unwrap()), expected);
}

/// Section 3.2.3.
#[test]
fn order_of_the_rfc() {
    let input = r#"{
        "\u20ac": "Euro Sign",
        "\r": "Carriage Return",
        "\ufb33": "Hebrew Letter Dalet With Dagesh",
        "1": "One",
        "\ud83d\ude00": "Emoji: Grinning Face",
        "\u0080": "Control",
        "\u00f6": "Latin Small Letter O With Diaeresis"
    }"#;
    let expected = "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u{80}\":\"Control\",\
        \"ö\":\"Latin Small Letter O With Diaeresis\",\"€\":\"Euro Sign\",\"😀\":\"Emoji: Grinning Face\",\
        \"\u{fb33}\":\"Hebrew Letter Dalet With Dagesh\"}";
    assert_eq!(of_text(input).unwrap(), expected);
    assert_eq!(of(&serde_json::from_str::<HashMap<String, String>>(input).unwrap()), expected);
    assert_eq!(canonical().encode_tree(&serde_json::from_str(input).unwrap()).unwrap(), expected);
}

#[test]
fn generated_numbers() {
    let count = if long() { 2_000_000 } else { 40_000 };
    let mut numbers: Vec<f64> = generated().take(count).collect();
    // Random bits seldom are near 1.
    let near = numbers.iter().map(|number| {
        let (bits, exponent) = (number.to_bits() & !(0x7ff << 52), number.to_bits() >> 52 & 127);
        f64::from_bits(bits | (1023 - 50 + exponent) << 52)
    });
    numbers.extend(near.collect::<Vec<f64>>());
    let rope = canonical().encode(&numbers).unwrap().into_string().unwrap();
    let texts = rope[1..rope.len() - 1].split(',');
    for (number, got) in numbers.iter().zip(texts) {
        assert_eq!(Some(got), canonical_number(&format!("{number:e}")).as_deref(), "{:#x}", number.to_bits());
    }
}

/// Every exponent, where the layout changes, in halves and doubles.
#[test]
fn every_layout() {
    for exponent in -330..310 {
        for digits in ["1", "12", "123456789", "12345678901234567", "99999999999999999"] {
            let value: f64 = format!("{digits}e{exponent}").parse().unwrap();
            for value in
                [value, -value, value.next_up(), value.next_down()].into_iter().filter(|value| value.is_finite())
            {
                assert_eq!(Some(of(&value)), canonical_number(&format!("{value:e}")));
            }
        }
    }
    let singles = [0.1f32, -0.0, 16777216.0, f32::MAX, f32::MIN_POSITIVE, 1e-7, 1e-6, 1e20, 1e21, 1e22, 1.5, 1e16];
    for value in singles {
        // As a reader of the ordinary output would write it.
        let ordinary = serde_json::to_string(&value).unwrap();
        assert_eq!(Some(of(&value)), canonical_number(&ordinary), "{ordinary}");
        assert_eq!(of(&value), of_text(&ordinary).unwrap());
    }
    assert_eq!(of(&[0.1f32, 1.0, -0.0]), "[0.1,1,0]");
}

#[test]
fn integers_that_no_double_can_hold_are_errors() {
    let edge = 1u64 << 53;
    for exact in [0, 1, edge - 1, edge, edge + 2, 1 << 62, 1 << 63, 0xffff_ffff_ffff_f800] {
        let expected = canonical_number(&exact.to_string()).unwrap();
        assert_eq!(of(&exact), expected);
        assert_eq!(of(&u128::from(exact)), expected);
        assert_eq!(of_text(&exact.to_string()).unwrap(), expected);
        assert_eq!(of_text(&expected).unwrap(), expected);
        // Read by a program that has 64 bits for it.
        assert_eq!(of(&expected.parse::<u64>().unwrap()), expected);
        if exact > 0 {
            assert_eq!(of(&-i128::from(exact)), format!("-{expected}"));
        }
    }
    assert_eq!(of(&(1u64 << 60)), "1152921504606847000");
    assert_eq!(of(&i128::MIN), "-1.7014118346046923e+38");
    for inexact in [edge + 1, edge + 3, u64::MAX, u64::MAX - 1, i64::MAX as u64] {
        let message =
            "cannot encode /n: integer is not a double, so it has no canonical form (RFC 8785); it could be a string";
        for error in [
            canonical().encode(&BTreeMap::from([("n", inexact)])),
            canonical().encode(&BTreeMap::from([("n", u128::from(inexact))])),
            canonical().encode(&BTreeMap::from([("n", -i128::from(inexact))])),
            canonical().encode(&BTreeMap::from([("n", Fragment::trusted(inexact.to_string()))])),
            canonical().encode_tree(&json!({"n": inexact})),
        ] {
            assert_eq!(error.unwrap_err().to_string(), message);
        }
    }
    for inexact in [i128::MAX, i128::MIN + 1, 10i128.pow(30) + 1] {
        assert!(canonical().encode(&inexact).unwrap_err().is_data());
    }
    assert!(canonical().encode(&u128::MAX).unwrap_err().is_data());
    assert!(of_text("1e400").unwrap_err().is_data());
    assert!(of_text(&"9".repeat(400)).unwrap_err().is_data());
    // Floats round, as in every JSON parser; keys are text.
    assert_eq!(of_text("[9007199254740993.0,1e-400,0.1000000000000000055]").unwrap(), "[9007199254740992,0,0.1]");
    assert_eq!(of(&BTreeMap::from([(u64::MAX, ())])), r#"{"18446744073709551615":null}"#);
}

#[test]
fn duplicate_names_are_errors() {
    let twice = |a: &str, b: &str| {
        let members = [a, "between", b].map(|name| (Key::Str(name.into()), Shape::Unit));
        Shape::Map(Hint::Unknown, Calls::Entries, members.to_vec())
    };
    for name in ["a", "", "z", "é\"\n"] {
        let error = canonical().encode(&[twice("other", name), twice(name, name)]).unwrap_err();
        assert!(error.is_data());
        assert_eq!(error.pointer(), Some("/1"));
        assert!(error.message().contains(&format!("{name:?}")), "{error}");
        let streamed = canonical().write(&mut Vec::new(), &[twice("other", name), twice(name, name)]).unwrap_err();
        assert_eq!(format!("{error:?}"), format!("{streamed:?}"));
    }
    // In an object that is in order otherwise, and in text from elsewhere, however the name is written.
    let struct_with_two = Shape::Struct(vec![("a", Shape::Unit), ("a", Shape::Unit)]);
    assert!(canonical().encode(&struct_with_two).unwrap_err().message().contains("\"a\""));
    for json in [r#"{"a":1,"a":1}"#, r#"{"b":0,"\u0061":1,"a":1}"#, r#"[[{"x":{"é":1,"\u00e9":1}}]]"#] {
        assert!(of_text(json).unwrap_err().message().contains("occurs twice"));
    }
    // They may be in different objects.
    assert_eq!(of_text(r#"{"a":{"a":1},"b":{"a":1}}"#).unwrap(), r#"{"a":{"a":1},"b":{"a":1}}"#);
    // And are no error elsewhere.
    let sorted = Encoder::builder().sort_keys(true).build().unwrap();
    assert_eq!(sorted.encode(&twice("z", "z")).unwrap(), r#"{"between":null,"z":null,"z":null}"#);
}

#[test]
fn text_from_elsewhere() {
    let cases = [
        (" [ ] ", "[]"),
        ("{ }", "{}"),
        ("[1 ,2\n,{\"b\":[ ],\"a\":{ }}]", r#"[1,2,{"a":{},"b":[]}]"#),
        (r#""\u0041\/\u00e9\ud83d\ude00\u001F\t\u0009""#, r#""A/é😀\u001f\t\t""#),
        (r#"{"z":{"y":1,"x":[{"b":1,"a":2}]},"a":-0}"#, r#"{"a":0,"z":{"x":[{"a":2,"b":1}],"y":1}}"#),
        ("-0.0", "0"),
        ("1.0e2", "100"),
        ("true", "true"),
        (r#""""#, r#""""#),
    ];
    for (json, expected) in cases {
        assert_eq!(of_text(json).unwrap(), expected);
        assert_eq!(of_text(expected).unwrap(), expected);
        let within = json!({"b": 1}).as_object().unwrap().clone();
        let mut members: Vec<(Key, Shape)> = within.keys().map(|key| (Key::Str(key.clone()), Shape::Unit)).collect();
        members.push((Key::Str("a".into()), Shape::Raw(RawValue::from_string(json.trim().into()).unwrap())));
        let map = Shape::Map(Hint::True, Calls::Entries, members);
        assert_eq!(of(&map), format!(r#"{{"a":{expected},"b":null}}"#));
    }
    for wrong in ["[1,]", "{\"a\"}", "\"\u{1}\"", "nul", "1 2", "\"\\ud800\"", "[\"\\udc00x\"]", "{\"\\ud800\":1}"] {
        assert!(of_text(wrong).unwrap_err().is_data(), "{wrong}");
    }
    assert!(canonical().encode(&Fragment::trusted(vec![b'"', 0xff, b'"'])).unwrap_err().is_data());
    // Deeper than any recursion could go, up to the limit that was set.
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    let encoder = Encoder::builder().canonical(true).max_depth(100_000).build().unwrap();
    assert_eq!(encoder.encode(&Fragment::trusted(deep.clone())).unwrap(), deep);
    assert!(canonical().encode(&Fragment::trusted(deep)).unwrap_err().is_limit());
}

#[test]
fn contradictions_are_configuration_errors() {
    type Change = fn(EncoderBuilder) -> EncoderBuilder;
    let contradictions: [(&str, Change); 6] = [
        ("pretty", |builder| builder.pretty(true)),
        ("ascii", |builder| builder.ascii(true)),
        ("html_safe", |builder| builder.html_safe(true)),
        ("escape_solidus", |builder| builder.escape_solidus(true)),
        ("BigIntegers::String", |builder| builder.big_integers(BigIntegers::String)),
        ("NonFinite::String", |builder| builder.non_finite(NonFinite::String)),
    ];
    for (name, change) in contradictions {
        for builder in [change(Encoder::builder()).canonical(true), change(Encoder::builder().canonical(true))] {
            let error = builder.build().unwrap_err();
            assert!(error.is_config() && error.to_string().contains(name), "{error}");
        }
        assert!(change(Encoder::builder()).canonical(true).canonical(false).build().is_ok());
    }
    let allowed = Encoder::builder().canonical(true).sort_keys(false).indent("\t").bytes(BytesFormat::Hex);
    let encoder = allowed.non_finite(NonFinite::Null).build().unwrap();
    assert_eq!(encoder.encode(&json!({"b": 1, "a": 2})).unwrap(), r#"{"a":2,"b":1}"#);
    assert!(encoder.encode(&f64::NAN).unwrap_err().is_data());
    // The setting of the same builder without `canonical` is as it was.
    let builder = Encoder::builder().canonical(true);
    assert!(builder.clone().build().is_ok());
    assert_eq!(builder.canonical(false).build().unwrap().encode(&json!([f64::NAN, 1.0])).unwrap(), "[null,1.0]");
}

#[test]
fn on_demand_and_in_frames() {
    let tree = json!({"b": [1.0, {"\u{10000}": 1e21, "\u{ffff}": -0.0}], "a": "\u{1e}\n"});
    let expected = "{\"a\":\"\\u001e\\n\",\"b\":[1,{\"\u{10000}\":1e+21,\"\u{ffff}\":0}]}";
    for max in [16, 4096] {
        let encoder = Encoder::builder().canonical(true).max_chunk(max).build().unwrap();
        assert_eq!(encoder.chunks(&tree).map(Result::unwrap).collect::<Rope>(), expected);
        assert_eq!(encoder.chunks(tree.clone()).map(Result::unwrap).collect::<Rope>(), expected);
        let lines: Rope = encoder.records(Frame::NdJson, [&tree, &tree]).map(Result::unwrap).collect();
        assert_eq!(lines, format!("{expected}\n{expected}\n"));
        let fragment = Fragment::trusted(serde_json::to_string_pretty(&tree).unwrap());
        let lines: Rope = encoder.records(Frame::NdJson, [&fragment]).map(Result::unwrap).collect();
        assert_eq!(lines, format!("{expected}\n"));
    }
}

fn value() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-(1i64 << 53)..1 << 53).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        (-1_000_000..1_000_000i32).prop_map(|n| Value::from(f64::from(n) / 1000.0)),
        text().prop_map(Value::from),
    ];
    let name = prop_oneof![text(), "[\u{d7f0}-\u{d7ff}\u{e000}-\u{e010}\u{fff0}-\u{1000f}a]{0,3}"];
    scalar.prop_recursive(4, 60, 8, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            proptest::collection::vec((name.clone(), inner), 0..8)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if long() { 20_000 } else { 500 }))]

    /// A value, its ordinary text, and its canonical text have one canonical form.
    #[test]
    fn one_form(value in value()) {
        let style = Style { canonical: true, sorted: true, non_finite: NonFinite::Error, ..Style::default() };
        let expected = Node::of(&value).render(&style);
        prop_assert_eq!(&of(&value), &expected);
        prop_assert_eq!(&of_text(&serde_json::to_string_pretty(&value).unwrap()).unwrap(), &expected);
        prop_assert_eq!(&of_text(&expected).unwrap(), &expected);
        let tree = canonical().encode_tree(&value).unwrap();
        prop_assert_eq!(tree, expected);
    }
}
