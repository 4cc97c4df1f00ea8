//! Proves that text which is trusted and wrong stays in its frame, and that no option's promise ends with it: whatever a
//! fragment or raw value says, and wherever its chunks are cut, no byte comes out that must not. And that JSON in which
//! there is nothing to change is linked, frame or not.

use json_rope::{Encoder, EncoderBuilder, Fragment, Frame, Rope, to_rope_pretty};
use proptest::prelude::*;
use proptest::test_runner::Config;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use serde_json::Value;

const FRAMES: [Frame; 4] = [Frame::NdJson, Frame::ServerSentEvent, Frame::JsonSeq, Frame::Grpc];

#[derive(Clone, Copy, Debug)]
struct Options {
    ascii: bool,
    html: bool,
    solidus: bool,
    sorted: bool,
    chunk: usize,
}

impl Options {
    fn builder(self) -> EncoderBuilder {
        let builder = Encoder::builder().ascii(self.ascii).html_safe(self.html).escape_solidus(self.solidus);
        builder.sort_keys(self.sorted).max_chunk(self.chunk)
    }
}

/// A raw value of serde_json that holds something else than JSON.
struct Hostile<'a>(&'a str);

impl Serialize for Hostile<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const TOKEN: &str = "$serde_json::private::RawValue";
        let mut raw = serializer.serialize_struct(TOKEN, 1)?;
        raw.serialize_field(TOKEN, self.0)?;
        raw.end()
    }
}

/// Takes the frame off, and says what is wrong with the body.
fn body(frame: Frame, message: &[u8]) -> Result<Vec<u8>, &'static str> {
    let strip = |before: &[u8], after: &[u8]| {
        let body = message.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
        body.map(<[u8]>::to_vec).ok_or("the frame is broken")
    };
    match frame {
        Frame::NdJson => {
            let body = strip(b"", b"\n")?;
            if body.iter().any(|byte| matches!(byte, b'\n' | b'\r')) { Err("a line break") } else { Ok(body) }
        }
        Frame::JsonSeq => {
            let body = strip(b"\x1e", b"\n")?;
            if body.contains(&0x1e) { Err("a record separator") } else { Ok(body) }
        }
        Frame::ServerSentEvent => {
            let lines = strip(b"", b"\n\n")?;
            if lines.contains(&b'\r') {
                return Err("a carriage return");
            }
            let mut lines = lines.split(|&byte| byte == b'\n');
            let data = lines.try_fold(Vec::new(), |mut all, line| {
                all.extend_from_slice(line.strip_prefix(b"data: ")?);
                all.push(b'\n');
                Some(all)
            });
            data.map(|mut data| {
                data.pop();
                data
            })
            .ok_or("a line without data")
        }
        _ => Ok(message[5..].to_vec()),
    }
}

fn assert_stays(options: Options, frame: Frame, message: &[u8]) -> Vec<u8> {
    let what = || format!("{options:?} {frame:?}: {:?}", String::from_utf8_lossy(message));
    let body = body(frame, message).unwrap_or_else(|wrong| panic!("{wrong}, {}", what()));
    if options.ascii {
        assert!(body.is_ascii(), "{}", what());
    }
    if options.html {
        assert!(!body.iter().any(|byte| b"<>&".contains(byte)), "{}", what());
        assert!(!body.windows(3).any(|three| three == b"\xe2\x80\xa8" || three == b"\xe2\x80\xa9"), "{}", what());
    }
    if options.solidus {
        let escaped = |at: usize| at > 0 && body[at - 1] == b'\\';
        assert!((0..body.len()).all(|at| body[at] != b'/' || escaped(at)), "{}", what());
    }
    body
}

/// Encodes by every way out that has a frame, checks each, and returns the body.
fn encode(options: Options, frame: Frame, value: &impl Serialize) -> Vec<u8> {
    let encoder = options.builder().build().unwrap();
    let kept = encoder.encode_framed(frame, value).unwrap().to_vec();
    let mut streamed = Vec::new();
    encoder.write_framed(frame, &mut streamed, value).unwrap();
    assert!(kept == streamed, "{options:?} {frame:?}: {:?}", String::from_utf8_lossy(&streamed));
    let record = encoder.records(frame, [value]).map(Result::unwrap).collect::<Vec<_>>().concat();
    assert!(kept == record, "{options:?} {frame:?}: {:?}", String::from_utf8_lossy(&record));
    assert_stays(options, frame, &kept)
}

/// The text in chunks that end at these bytes.
fn rope(text: &str, cuts: &[usize]) -> Rope {
    let mut cuts: Vec<_> = cuts.iter().map(|cut| cut % (text.len() + 1)).chain([0, text.len()]).collect();
    cuts.sort_unstable();
    let mut rope = Rope::new();
    for cut in cuts.windows(2).filter(|cut| cut[0] < cut[1]) {
        rope.append(Rope::from(text.as_bytes()[cut[0]..cut[1]].to_vec()));
    }
    rope
}

fn options() -> impl Strategy<Value = Options> {
    let chunk = prop_oneof![Just(16), Just(65536)];
    (any::<[bool; 4]>(), chunk).prop_map(|([ascii, html, solidus, sorted], chunk)| Options {
        ascii,
        html,
        solidus,
        sorted,
        chunk,
    })
}

fn garbage() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec!["\\", "\n", "\r", "<", ">", "&", "/", "é", "\u{2028}", "\u{2029}", "😀", "\"", "…"]),
        1 => prop::sample::select(vec!["\0", "\x1e", "\t", "\u{1f}", "\u{7f}", "\\u", "{", ",", "data: ", "\\\\", "\\/"]),
        2 => prop::sample::select(vec!["a", "event: x", "0123456789abcdef", "a text of more than thirty-two bytes"]),
    ];
    prop::collection::vec(piece, 1..40).prop_map(|pieces| pieces.concat())
}

/// JSON with white space of all kinds between its tokens, and with escapes that are not necessary.
fn json() -> impl Strategy<Value = String> {
    let space = "[ \t\n\r]{0,3}";
    let string = prop::collection::vec(
        prop::sample::select(vec![
            "\\/", "\\\\", "/", "\\n", "<", "&", "é", "\u{2028}", "\\u2028", "😀", "\\\"", "a", "…",
        ]),
        0..12,
    );
    let leaf = prop_oneof![string.prop_map(|parts| format!("\"{}\"", parts.concat())), Just("-1.5e3".to_owned())];
    leaf.prop_recursive(4, 30, 4, move |inner| {
        let spaced = (space, inner, space).prop_map(|(before, json, after)| format!("{before}{json}{after}"));
        prop::collection::vec(spaced, 0..4).prop_flat_map(move |items| {
            let object = items.iter().enumerate().map(|(n, item)| format!("\"/<{n}\"\r\n:{item}")).collect::<Vec<_>>();
            prop_oneof![Just(format!("[{}]", items.join(","))), Just(format!("{{{}}}", object.join(",")))]
        })
    })
}

proptest! {
    #![proptest_config(Config { cases: 400, failure_persistence: None, ..Config::default() })]

    #[test]
    fn garbage_stays(text in garbage(), more in garbage(), cuts in prop::collection::vec(any::<usize>(), 0..4), options in options()) {
        for frame in FRAMES {
            let fragment = Fragment::trusted(rope(&text, &cuts));
            encode(options, frame, &fragment);
            encode(options, frame, &(&fragment, Fragment::trusted(more.as_str().to_owned()), "a/<é"));
            encode(options, frame, &std::collections::BTreeMap::from([("a", &fragment)]));
            encode(options, frame, &(Hostile(&text), Hostile(&more), "/"));
        }
    }

    #[test]
    fn json_keeps_its_meaning(text in json(), cuts in prop::collection::vec(any::<usize>(), 0..4), options in options()) {
        let want: Value = serde_json::from_str(&text).unwrap();
        for frame in FRAMES {
            let body = encode(options, frame, &Fragment::trusted(rope(&text, &cuts)));
            prop_assert_eq!(&serde_json::from_slice::<Value>(&body).unwrap(), &want);
            let body = encode(options, frame, &Hostile(&text));
            prop_assert_eq!(&serde_json::from_slice::<Value>(&body).unwrap(), &want);
        }
    }
}

#[test]
fn golden() {
    let none = Options { ascii: false, html: false, solidus: false, sorted: false, chunk: 65536 };
    let all = Options { ascii: true, html: true, solidus: true, ..none };
    for (frame, options, text, want) in [
        // A line break in a string is dropped with the others; in an event it begins another line of data.
        (Frame::NdJson, none, "\"\\\n{\"admin\":1}\r", "\"\\{\"admin\":1}"),
        (Frame::ServerSentEvent, none, "\"\\\r\\\nevent: x", "\"\\\\\nevent: x"),
        (Frame::JsonSeq, none, "1\x1e\n[2]", "1\n[2]"),
        (Frame::Grpc, none, "1\x1e\r\n\\<é", "1\x1e\r\n\\<é"),
        (Frame::Grpc, all, r#""\</script>""#, r#""\\u003c\/script\u003e""#),
        (Frame::Grpc, all, "\"\\é\\\u{2028}\"", r#""\\u00e9\\u2028""#),
        (Frame::Grpc, all, r#""\/ \\/ \\\/ /""#, r#""\/ \\\/ \\\/ \/""#),
    ] {
        for cut in 0..=text.len() {
            let body = encode(options, frame, &Fragment::trusted(rope(text, &[cut])));
            assert_eq!(String::from_utf8(body).unwrap(), want, "{frame:?}, cut at {cut}");
        }
    }
}

/// A large document in chunks of 64 KiB.
fn large() -> Rope {
    let rows: Vec<_> =
        (0..20_000).map(|n| serde_json::json!({"n": n, "text": "hello world", "list": [1, 2, 3]})).collect();
    json_rope::to_rope(&rows).unwrap()
}

fn addresses(rope: &Rope) -> Vec<*const u8> {
    rope.chunks().iter().map(|chunk| chunk.as_ptr()).collect()
}

#[test]
fn text_with_nothing_to_change_is_linked() {
    let large = large();
    let fragment = Fragment::trusted(large.clone());
    let all = Encoder::builder().ascii(true).html_safe(true).escape_solidus(true).build().unwrap();
    for encoder in [Encoder::new(), all] {
        for frame in FRAMES {
            let message = encoder.encode_framed(frame, &[&fragment, &fragment]).unwrap();
            let found = addresses(&message);
            for chunk in addresses(&large) {
                let times = found.iter().filter(|&&address| address == chunk).count();
                assert_eq!(times, 2, "{frame:?}");
            }
            assert!(message.chunks().len() <= 2 * large.chunks().len() + 3, "{frame:?}");
        }
    }
}

/// A last line break is all that many files have.
#[test]
fn long_text_around_few_line_breaks_is_linked() {
    let text = format!("{}\n,\n{}\r\n,", large(), large());
    let want = text.replace(['\r', '\n'], "");
    let bytes = bytes::Bytes::from(format!("[{text}1]"));
    let range = bytes.as_ptr_range();
    let fragment = Fragment::checked(bytes).unwrap();
    let message = Encoder::new().encode_framed(Frame::NdJson, &fragment).unwrap();
    assert!(message == format!("[{want}1]\n"));
    let linked = message.chunks().iter().filter(|chunk| range.contains(&chunk.as_ptr()));
    assert!(linked.map(|chunk| chunk.len()).sum::<usize>() > want.len() - 100);
    // Short lines are not.
    let pretty = Fragment::trusted(to_rope_pretty(&(0..100_000).collect::<Vec<_>>()).unwrap());
    let message = Encoder::new().encode_framed(Frame::NdJson, &pretty).unwrap();
    assert!(message.chunks().len() < 30, "{}", message.chunks().len());
}

#[test]
fn text_that_is_not_utf8_is_an_error() {
    for bytes in [&b"\"\xff\""[..], b"\"\xed\xa0\x80\"", b"\"\xc3", b"\xf0\x82\x80\xa8"] {
        for cut in 0..=bytes.len() {
            let (front, back) = bytes.split_at(cut);
            let parts = [front, back].into_iter().filter(|part| !part.is_empty()).map(|part| Rope::from(part.to_vec()));
            let fragment = Fragment::trusted(parts.fold(Rope::new(), |mut all, part| {
                all.append(part);
                all
            }));
            let options = Options { ascii: false, html: true, solidus: false, sorted: false, chunk: 65536 };
            assert!(options.builder().build().unwrap().encode(&fragment).unwrap_err().is_data());
            for frame in [Frame::NdJson, Frame::ServerSentEvent] {
                let error = Encoder::new().encode_framed(frame, &fragment).unwrap_err();
                assert!(error.is_data() && error.to_string().contains("UTF-8"), "{error}");
            }
        }
    }
}
