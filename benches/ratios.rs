//! One command that prints how fast json-rope is beside the other encoders, for all documents, as Markdown tables.
//!
//! ```sh
//! cargo bench --bench ratios                   # one or two minutes
//! cargo bench --bench ratios -- canada         # documents whose name contains `canada`
//! cargo bench --bench ratios -- --test         # one quick round, to see that it works
//! ```
//!
//! All encoders of a table encode the same value in the same process, in alternating rounds; the times are medians.
//! Absolute times depend on the machine, ratios much less.

#[path = "support/rounds.rs"]
mod rounds;
mod support;
#[path = "support/table.rs"]
mod table;

use std::fmt::Write as _;
use std::hint::black_box;
use std::io::{self, IsTerminal, Write};
use std::process::{ExitCode, exit};

use json_rope::{Encoder, to_rope};
use serde::Serialize;

use rounds::{Candidate, Medians, medians};
use support::documents::{self, Visitor};
use support::floors::{self, Floors};
use support::peers::{Agreement, agreement, done, ours, peers};
use table::{Table, grouped, micros, ratio};

/// Odd, so that the median is one of the times.
const ROUNDS: usize = 101;

const USAGE: &str = "\
Usage: cargo bench --bench ratios -- [FILTER]... [--test]

  FILTER   only documents whose name contains this, or one of these
  --test   one quick round; the times mean nothing";

struct Settings {
    filters: Vec<String>,
    rounds: usize,
}

impl Settings {
    /// From the arguments; cargo adds `--bench`, but not when the benchmark is only to be tested.
    fn parse(arguments: impl Iterator<Item = String>) -> Result<Settings, String> {
        let (mut filters, mut bench, mut test) = (Vec::new(), false, false);
        for argument in arguments {
            match argument.as_str() {
                "--bench" => bench = true,
                "--test" => test = true,
                _ if argument.starts_with('-') => return Err(format!("unknown option {argument}")),
                _ => filters.push(argument),
            }
        }
        Ok(Settings { filters, rounds: if bench && !test { ROUNDS } else { 1 } })
    }

    fn wants(&self, name: &str) -> bool {
        self.filters.is_empty() || self.filters.iter().any(|filter| name.contains(filter.as_str()))
    }
}

fn main() -> ExitCode {
    let settings = match Settings::parse(std::env::args().skip(1)) {
        Ok(settings) => settings,
        Err(error) => {
            let _ = writeln!(io::stderr(), "{error}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    print(&facts(&settings));
    let mut peers = Peers::new(&settings);
    documents::visit_all(&mut peers);
    peers.group("pretty");
    peers.pretty = true;
    documents::visit_values(&mut peers);
    peers.finish();
    reused(&settings);
    floors(&settings);
    ExitCode::SUCCESS
}

/// What does not depend on the machine's mood.
fn facts(settings: &Settings) -> String {
    let lock = include_str!("../Cargo.lock");
    let version = |name: &str| {
        let package = lock.split("[[package]]").find(|package| package.contains(&format!("name = \"{name}\"\n")));
        let line = package.and_then(|package| package.lines().find_map(|line| line.strip_prefix("version = ")));
        line.map_or("?".into(), |version| version.trim_matches('"').to_owned())
    };
    let versions = ["json-rope", "serde_json", "sonic-rs", "simd-json", "bytes", "itoa", "zmij"]
        .map(|name| format!("{name} {}", version(name)))
        .join(", ");
    let mut features = Vec::new();
    macro_rules! feature {
        ($($name:tt)*) => { $(if cfg!(target_feature = $name) { features.push($name); })* };
    }
    feature!("sse2" "ssse3" "sse4.1" "sse4.2" "popcnt" "avx" "avx2" "bmi2" "avx512f" "avx512bw" "neon" "sve");
    let mut text = String::new();
    writeln!(text, "Versions: {versions}.").expect("strings take all");
    writeln!(
        text,
        "Target: {} {}; features enabled at compile time, of those that matter: {}.",
        std::env::consts::ARCH,
        std::env::consts::OS,
        if features.is_empty() { "none".into() } else { features.join(", ") }
    )
    .expect("strings take all");
    match settings.rounds {
        1 => text.push_str("A TEST of one round: the times mean nothing.\n"),
        rounds => writeln!(text, "Times: medians of {rounds} alternating rounds in one process, with results dropped, and without waiting for a processor (Linux).")
            .expect("strings take all"),
    }
    if cfg!(debug_assertions) {
        text.push_str("Built WITHOUT optimisation: the times mean nothing.\n");
    }
    text.push_str("Ratios: the other's time divided by json-rope's in the same round; above 1, json-rope is faster.\n");
    text
}

/// Compares with the peers, document by document.
struct Peers<'a> {
    settings: &'a Settings,
    group: &'static str,
    pretty: bool,
    table: Table,
    /// Of this group: fastest peer, then each peer.
    ratios: Vec<[f64; 4]>,
    /// Peers whose bytes are not those of serde_json.
    others: Vec<(&'static str, Agreement, &'static str)>,
}

impl<'a> Peers<'a> {
    fn new(settings: &'a Settings) -> Self {
        Peers { settings, group: "", pretty: false, table: Self::table(), ratios: Vec::new(), others: Vec::new() }
    }

    fn table() -> Table {
        let head = ["document", "bytes", "µs", "MB/s", "fastest peer", "its µs", "ratio"];
        let peers = peers::<str>().map(|peer| peer.name);
        Table::new(&[&head[..], &peers[..]].concat(), &[0, 4])
    }

    fn finish_group(&mut self) {
        let mut table = std::mem::replace(&mut self.table, Self::table());
        let ratios = std::mem::take(&mut self.ratios);
        if table.is_empty() {
            return;
        }
        let mean = |i: usize| (ratios.iter().map(|row| row[i].ln()).sum::<f64>() / ratios.len() as f64).exp();
        let mut row = vec!["**geometric mean**".to_owned()];
        row.extend(std::iter::repeat_n(String::new(), 5));
        row.extend((0..4).map(|i| format!("**{}**", ratio(mean(i)))));
        table.row(row);
        print(&format!("\n### {}\n\n{}", self.group, table.render()));
    }

    fn finish(mut self) {
        self.finish_group();
        let mut text = String::from("\njson-rope's output was compared with serde_json's byte for byte.");
        for peer in peers::<str>().iter().skip(1) {
            for (agreement, how) in [
                (Agreement::Values, "writes other bytes of the same values"),
                (
                    Agreement::Nearly,
                    "writes other bytes, with numbers that parse to an integer or a neighbouring float",
                ),
            ] {
                let of_peer = self.others.iter().filter(|&&(name, kind, _)| (name, kind) == (peer.name, agreement));
                let documents: Vec<&str> = of_peer.map(|&(_, _, document)| document).collect();
                if !documents.is_empty() {
                    write!(text, " {} {how} for: {}.", peer.name, documents.join("; ")).expect("strings take all");
                }
            }
        }
        text.push_str(" All other outputs are equal to it, too.\n");
        print(&text);
    }
}

impl Visitor for Peers<'_> {
    fn group(&mut self, name: &'static str) {
        self.finish_group();
        self.group = name;
    }

    fn wants(&self, name: &str) -> bool {
        self.settings.wants(name)
    }

    fn visit<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) {
        progress(name);
        let (ours, peers) = (ours::<T>(), peers::<T>());
        let ours = if self.pretty { ours.pretty } else { ours.compact };
        let theirs = peers.each_ref().map(|peer| if self.pretty { peer.pretty } else { peer.compact });
        let expected = theirs[0](value);
        assert!(ours(value) == expected, "{name}: json-rope does not agree with serde_json");
        for (peer, encode) in peers.iter().zip(theirs) {
            let agreement = agreement(peer.name, &encode(value), &expected);
            if agreement != Agreement::Bytes {
                self.others.push((peer.name, agreement, name));
            }
        }
        let [serde_json, sonic_rs, simd_json] = theirs.map(|encode| Candidate::new(move || encode(black_box(value))));
        let ours = Candidate::new(|| ours(black_box(value)));
        let medians = medians([ours, serde_json, sonic_rs, simd_json], self.settings.rounds);
        let [ours, times @ ..] = medians.times;
        let [_, ratios @ ..] = medians.ratios;
        let fastest = (0..3).min_by(|&a, &b| ratios[a].total_cmp(&ratios[b])).expect("there are three");
        let mut row = vec![
            name.to_owned(),
            grouped(expected.len()),
            micros(ours),
            grouped((expected.len() as f64 / ours / 1e6).round() as usize),
            peers[fastest].name.to_owned(),
            micros(times[fastest]),
            ratio(ratios[fastest]),
        ];
        row.extend(ratios.map(ratio));
        self.table.row(row);
        self.ratios.push([ratios[fastest], ratios[0], ratios[1], ratios[2]]);
    }
}

/// What the encoder's memory of the usual size is worth.
fn reused(settings: &Settings) {
    struct Reused<'a>(&'a Settings, Table);
    impl Visitor for Reused<'_> {
        fn group(&mut self, _name: &'static str) {}

        fn wants(&self, name: &str) -> bool {
            self.0.wants(name)
        }

        fn visit<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) {
            progress(name);
            let encoder = Encoder::new();
            let expected = done(serde_json::to_vec(value));
            for _ in 0..3 {
                assert!(done(encoder.encode(value)) == expected, "{name}: Encoder does not agree with serde_json");
            }
            let fresh = Candidate::new(|| done(to_rope(black_box(value))));
            let reused = Candidate::new(|| done(encoder.encode(black_box(value))));
            let Medians { times: [reused, fresh], ratios } = medians([reused, fresh], self.0.rounds);
            self.1.row(vec![name.to_owned(), micros(fresh), micros(reused), ratio(ratios[1])]);
        }
    }
    let mut reused = Reused(settings, Table::new(&["document", "`to_rope` µs", "`Encoder` µs", "ratio"], &[0]));
    documents::visit_values(&mut reused);
    if !reused.1.is_empty() {
        print(&format!("\n### Encoder (reused)\n\n{}", reused.1.render()));
    }
}

/// How far above the floors.
fn floors(settings: &Settings) {
    let mut table = Table::new(&["document", "µs", "floor", "its µs", "json-rope / floor"], &[0, 2]);
    let mut rows = |name: &str, floors: [&str; 2], medians: Medians<3>| {
        for (i, floor) in (1..).zip(floors) {
            let (ours, time) = (medians.times[0], medians.times[i]);
            let above = ratio(1.0 / medians.ratios[i]);
            table.row(vec![name.into(), micros(ours), floor.into(), micros(time), above]);
        }
    };
    const COPY: &str = "copying the output";
    if !["canada", "canada, Value", "citm_catalog, Value", "twitter, Value"].iter().any(|name| settings.wants(name)) {
        return;
    }
    let Floors { values, canada, floats } = Floors::new();
    let rounds = settings.rounds;
    if settings.wants("canada") {
        progress("canada");
        let output = done(to_rope(&canada)).to_vec();
        let ours = Candidate::new(|| done(to_rope(black_box(&canada))));
        let copy = Candidate::new(|| floors::copy(black_box(&output)));
        let format = Candidate::new(|| floors::format_floats(black_box(&floats)));
        rows("canada", [COPY, "formatting the floats"], medians([ours, copy, format], rounds));
    }
    for (name, value) in values.iter().filter(|(name, _)| settings.wants(name)) {
        progress(name);
        let output = done(to_rope(value)).to_vec();
        let ours = Candidate::new(|| done(to_rope(black_box(value))));
        let copy = Candidate::new(|| floors::copy(black_box(&output)));
        let walk = Candidate::new(|| floors::walk(black_box(value)));
        rows(name, [COPY, "walking the value"], medians([ours, copy, walk], rounds));
    }
    print(&format!("\n### Floors\n\n{}", table.render()));
}

/// Shows what is measured, where somebody waits for it.
fn progress(name: &str) {
    if io::stderr().is_terminal() {
        // The cursor stays at the beginning, so the next text goes over it.
        let _ = write!(io::stderr(), "\r{name:<40}\r");
    }
}

/// Prints, and ends quietly if nobody reads any more.
fn print(text: &str) {
    progress("");
    let mut stdout = io::stdout().lock();
    if let Err(error) = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        if error.kind() == io::ErrorKind::BrokenPipe {
            exit(0);
        }
        let _ = writeln!(io::stderr(), "cannot print: {error}");
        exit(1);
    }
}
