//! Proves that `Fragment::checked` takes exactly the texts of RFC 8259, and says at which byte the others go wrong.

use json_rope::{Fragment, to_rope};
use proptest::prelude::*;
use proptest::test_runner::Config;

/// Checks a text character by character, with a stack of brackets. The result is the first byte that no JSON text can
/// have after what stands before it; the length of the text if more has to come.
fn first_fault(text: &[u8]) -> Option<usize> {
    #[derive(Clone, Copy, PartialEq)]
    enum Expect {
        Value,
        ValueOrEnd,
        Key,
        KeyOrEnd,
        Colon,
        CommaOrEnd,
    }
    let (mut at, mut stack, mut expect) = (0, Vec::new(), Expect::Value);
    loop {
        while matches!(text.get(at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            at += 1;
        }
        let done = expect == Expect::CommaOrEnd && stack.is_empty();
        let Some(&byte) = text.get(at) else { return (!done).then_some(at) };
        if done {
            return Some(at);
        }
        match (byte, expect) {
            (b'"', Expect::Key | Expect::KeyOrEnd) => {
                at = string_end(text, at).map_or_else(|fault| Err(fault), Ok).ok()?;
                expect = Expect::Colon;
            }
            _ => unreachable!(),
        }
    }
}
