//! The typed models hold all of the documents.
//!
//! All structs deny unknown fields, so that parsing proves that they have a
//! field for every member. Comparing the encoded model with the document
//! proves that they have nothing else, and that null stays null and missing
//! stays missing.

use json_rope_bench_data::{Canada, CitmCatalog, Twitter, documents};
use serde_json::Value;

fn value(text: &str) -> Value {
    serde_json::from_str(text).expect("the text is JSON")
}

/// The text without white space between its tokens.
fn compact(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut in_string, mut escaped) = (false, false);
    for c in text.chars() {
        if in_string {
            in_string = escaped || c != '"';
            escaped = !escaped && c == '\\';
        } else if c.is_ascii_whitespace() {
            continue;
        } else {
            in_string = c == '"';
        }
        out.push(c);
    }
    out
}

/// Asserts equality, and shows where texts differ rather than all of them.
fn assert_same_text(got: &str, want: &str) {
    let differs = got.bytes().zip(want.bytes()).position(|(a, b)| a != b);
    if let Some(at) = differs {
        let around = |text: &str| {
            let bytes = &text.as_bytes()[at.saturating_sub(80)..text.len().min(at + 80)];
            String::from_utf8_lossy(bytes).into_owned()
        };
        panic!("at {at}:\n got {}\nwant {}", around(got), around(want));
    }
    assert_eq!(got.len(), want.len());
}

/// Whether two numbers are equal, or neighbours.
///
/// Unless its feature `float_roundtrip` is on, serde_json's parser may miss the
/// last bit of a float with 17 digits, as nearly all of `canada.json` has.
fn close(a: f64, b: f64) -> bool {
    a == b || a.next_up() == b || a.next_down() == b
}

#[test]
fn citm_catalog_is_encoded_as_it_was() {
    let text = documents::citm_catalog();
    let model: CitmCatalog = serde_json::from_str(text).expect("all fields are known");
    assert!(serde_json::to_value(&model).expect("encodes") == value(text));

    let encoded = serde_json::to_string(&model).expect("encodes");
    assert_same_text(&encoded, &compact(text));
    assert!(serde_json::from_str::<CitmCatalog>(&encoded).expect("parses") == model);
}

#[test]
fn citm_catalog_has_what_is_said_of_it() {
    let model: CitmCatalog = serde_json::from_str(documents::citm_catalog()).expect("parses");
    assert_eq!((model.events.len(), model.performances.len()), (184, 243));
    assert!(model.block_names.is_empty() && model.subject_names.is_empty());
    assert!(model.events.iter().all(|(id, event)| *id == event.id));
    let events_with_logo = model.events.values().filter(|e| e.logo.is_some());
    assert_eq!(events_with_logo.count(), 94);
}

#[test]
fn twitter_is_encoded_as_it_was() {
    let text = documents::twitter();
    let model: Twitter = serde_json::from_str(text).expect("all fields are known");
    assert!(serde_json::to_value(&model).expect("encodes") == value(text));

    let encoded = serde_json::to_string(&model).expect("encodes");
    assert_same_text(&encoded, &in_model_order(&compact(text)));
    assert!(serde_json::from_str::<Twitter>(&encoded).expect("parses") == model);
}

/// The compact text with the members of `sizes` in the model's order.
fn in_model_order(compact: &str) -> String {
    const SIZES: &str = "\"sizes\":{";
    const END: &str = "}}";
    let mut pieces = compact.split(SIZES);
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (sizes, rest) = piece.split_once(END).expect("sizes have an end");
        let members: Vec<&str> = sizes.split("},").collect();
        let ordered = ["medium", "small", "thumb", "large"].map(|name| {
            let name = format!("\"{name}\":");
            let member = members.iter().find(|m| m.starts_with(&name));
            *member.expect("every picture has four sizes")
        });
        assert_eq!(members.len(), ordered.len());
        out.push_str(SIZES);
        out.push_str(&ordered.join("},"));
        out.push_str(END);
        out.push_str(rest);
    }
    out
}

#[test]
fn twitter_has_what_is_said_of_it() {
    let model: Twitter = serde_json::from_str(documents::twitter()).expect("parses");
    assert_eq!(model.statuses.len(), 100);
    let count =
        |has: fn(&json_rope_bench_data::twitter::Status) -> bool| model.statuses.iter().filter(|s| has(s)).count();
    assert_eq!(count(|s| s.retweeted_status.is_some()), 73);
    assert_eq!(count(|s| s.entities.media.is_some()), 6);
    assert_eq!(count(|s| s.user.profile_banner_url.is_some()), 86);
    let nothing = |s: &json_rope_bench_data::twitter::Status| {
        s.geo.is_none() && s.coordinates.is_none() && s.place.is_none() && s.contributors.is_none()
    };
    assert_eq!(count(nothing), 100);
}

#[test]
fn canada_is_encoded_as_it_was() {
    let text = documents::canada();
    let model: Canada = serde_json::from_str(text).expect("all fields are known");
    let encoded = serde_json::to_value(&model).expect("encodes");
    let (mut numbers, mut integers) = (0, 0);
    assert_same_value(&encoded, &value(text), &mut |got, want| {
        numbers += 1;
        integers += usize::from(want.is_i64());
        got.is_f64() && close(got.as_f64().unwrap_or(f64::NAN), want.as_f64().unwrap_or(0.0))
    });
    assert_eq!((numbers, integers), (111_126, 46));
}

/// Asserts equality of two values, with an equality of numbers of its own.
fn assert_same_value(
    got: &Value,
    want: &Value,
    same: &mut impl FnMut(&serde_json::Number, &serde_json::Number) -> bool,
) {
    match (got, want) {
        (Value::Number(got), Value::Number(want)) => assert!(same(got, want), "{got} {want}"),
        (Value::Array(got), Value::Array(want)) => {
            assert_eq!(got.len(), want.len());
            for (got, want) in got.iter().zip(want) {
                assert_same_value(got, want, same);
            }
        }
        (Value::Object(got), Value::Object(want)) => {
            assert!(got.keys().eq(want.keys()));
            for (got, want) in got.values().zip(want.values()) {
                assert_same_value(got, want, same);
            }
        }
        _ => assert_eq!(got, want),
    }
}

#[test]
fn canada_has_the_same_tokens_in_the_same_order() {
    let text = documents::canada();
    let model: Canada = serde_json::from_str(text).expect("all fields are known");
    let encoded = serde_json::to_string(&model).expect("encodes");
    let (got, got_numbers) = without_numbers(&encoded);
    let (want, want_numbers) = without_numbers(&compact(text));
    assert_same_text(&got, &want);
    assert_eq!(got_numbers.len(), want_numbers.len());
    for (got, want) in got_numbers.into_iter().zip(want_numbers) {
        assert!(close(got, want), "{got} {want}");
    }
}

/// The text with `#` for every number, and the numbers, correctly rounded.
///
/// No string of the document has a digit, a minus or a full stop in it.
fn without_numbers(text: &str) -> (String, Vec<f64>) {
    let of_number = |c: char| c.is_ascii_digit() || matches!(c, '-' | '.');
    let (mut out, mut numbers) = (String::new(), Vec::new());
    let mut rest = text;
    while let Some(start) = rest.find(of_number) {
        let (before, number) = rest.split_at(start);
        let end = number.find(|c| !of_number(c)).unwrap_or(number.len());
        let (number, after) = number.split_at(end);
        out.push_str(before);
        out.push('#');
        numbers.push(number.parse().expect("a number"));
        rest = after;
    }
    out.push_str(rest);
    (out, numbers)
}
