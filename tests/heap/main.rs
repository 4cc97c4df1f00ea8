//! What the crate takes from the heap: budgets, peaks, and leaks.
//!
//! One program without the test harness, whose threads would be counted too: the tests run one after the other. Run with
//! `--nocapture` to see the figures, and with a part of a test's name to run only that.

#[allow(dead_code, reason = "shared with the other test programs, which use more of it")]
#[path = "../support/mod.rs"]
mod support;

mod budgets;
mod counting;
mod faults;
mod formats;
mod on_demand;
mod pools;
mod shared;
mod streaming;

use std::panic;

#[global_allocator]
static ALLOCATOR: counting::Counting = counting::Counting;

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;

type Test = (&'static str, fn());

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let filters: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with('-')).collect();
    let tests = [
        budgets::TESTS,
        faults::TESTS,
        formats::TESTS,
        on_demand::TESTS,
        pools::TESTS,
        shared::TESTS,
        streaming::TESTS,
    ]
    .concat();
    let is_chosen = |(name, _): &Test| filters.is_empty() || filters.iter().any(|filter| name.contains(*filter));
    let chosen: Vec<Test> = tests.into_iter().filter(is_chosen).collect();
    if arguments.iter().any(|argument| argument == "--list") {
        chosen.iter().for_each(|(name, _)| println!("{name}: test"));
        return;
    }
    // What the standard library, and the unwinder, keep after their first use.
    let _ = panic::catch_unwind(|| panic::resume_unwind(Box::new(())));
    let mut failed = 0;
    for (name, test) in &chosen {
        let result = panic::catch_unwind(test);
        println!("test {name} ... {}", if result.is_ok() { "ok" } else { "FAILED" });
        failed += usize::from(result.is_err());
    }
    let outcome = if failed == 0 { "ok" } else { "FAILED" };
    println!("test result: {outcome}. {} passed; {failed} failed", chosen.len() - failed);
    std::process::exit(i32::from(failed > 0));
}

/// The table of a file's tests, each under the name of its function.
macro_rules! tests {
    ($($name:ident),+ $(,)?) => {
        pub const TESTS: &[crate::Test] = &[$((concat!(module_path!(), "::", stringify!($name)), $name)),+];
    };
}
use tests;
