//! Text, and room of exactly the size that is asked for, each at the last byte before an unmapped page, and at the
//! first byte after one: an access outside, even of one byte, ends the process.

use super::*;

#[path = "../../../tests/support/guard.rs"]
mod guard;

use guard::Guarded;

const MOST: usize = 300;

/// Texts of this length: clean, nothing but escapes of each length, and one escape at the places where blocks end.
fn texts(len: usize) -> Vec<Vec<u8>> {
    let mut texts: Vec<Vec<u8>> = [b'x', 0xc3, b'"', 0x01].map(|byte| vec![byte; len]).into();
    for at in [0, 1, 3, 4, 7, 8, 15, 16, 31, 32, 63, 64, 127, 128, 255, 256] {
        for at in [Some(at), len.checked_sub(at + 1)].into_iter().flatten().filter(|&at| at < len) {
            for byte in [b'\\', 0x1f] {
                let mut text = vec![b'y'; len];
                text[at] = byte;
                texts.push(text);
            }
        }
    }
    texts
}

/// Runs all implementations with `set` on `text`, into room that ends before an unmapped page.
fn check_in<S: Set>(target: &mut Guarded, set: S, text: &[u8], expected: &[u8], what: &str) {
    for (name, escape) in implementations() {
        let room = target.tail(6 * text.len() + SLACK);
        let start = room.as_mut_ptr();
        // SAFETY: the room is what the implementations ask for.
        let written = unsafe { escape(set, text, start).offset_from(start) as usize };
        assert_eq!(room[..written], *expected, "{name}, {what}");
    }
}

#[test]
fn no_path_reads_or_writes_outside() {
    let (mut source, mut target) = (Guarded::new(MOST), Guarded::new(quoted_room(MOST)));
    for len in 0..=MOST {
        for bytes in texts(len) {
            let expected = naive(&bytes);
            for at_end in [true, false] {
                let text = if at_end { source.tail(len) } else { source.head(len) };
                text.copy_from_slice(&bytes);
                let text = &*text;
                let what = format_args!("{len} bytes, at the end: {at_end}").to_string();
                check_in(&mut target, Json, text, &expected, &what);
                let clean = bytes.iter().position(|&byte| naive(&[byte]).len() > 1).unwrap_or(len);
                assert_eq!((imp::clean_len(Json, text), swar::clean_len(Json, text)), (clean, clean));
                for room in [len, len / 2, len.saturating_sub(1)] {
                    assert_eq!(copy_clean(text, target.tail_room(room)), &text[..clean.min(room)]);
                }
                if let Ok(text) = std::str::from_utf8(text) {
                    // All sets share the code of the paths: one after another is enough for the longer texts.
                    for escapes in all_escapes().filter(|set| len < 20 || set.index() == len % Escapes::COUNT) {
                        assert!(clean_len_with(escapes, text) <= clean);
                        let expected = naive_with(escapes, text);
                        check_in(&mut target, More::of(escapes), text.as_bytes(), &expected, &what);
                    }
                }
                let mut tail = crate::out::tail::Tail::on_scratch(target.tail_room(quoted_room(len)));
                assert!(tail.put_quoted(b",\"", text, b"\":"));
                assert_eq!(tail.filled(), [b",\"", &expected[..], b"\":"].concat());
            }
        }
    }
}
