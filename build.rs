//! Finds out whether the compiler has what the crate uses from Rust 1.89 on: AVX-512 intrinsics, and
//! `select_unpredictable`. With an older one, other code writes the same bytes more slowly.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if minor_version().is_some_and(|minor| minor >= 89) {
        println!("cargo::rustc-cfg=json_rope_since_1_89");
    }
}

/// The 89 of `rustc 1.89.0 (…)`. Without an answer the compiler counts as an old one.
fn minor_version() -> Option<u32> {
    let output = Command::new(env::var_os("RUSTC")?).arg("--version").output().ok()?;
    let version = String::from_utf8(output.stdout).ok()?;
    version.strip_prefix("rustc 1.")?.split('.').next()?.parse().ok()
}
