//! One command that prints how fast json-rope is beside the other encoders, for all documents, as Markdown tables.
//!
//! ```sh
//! cargo bench -p json-rope-benches --bench ratios                          # one or two minutes
//! cargo bench -p json-rope-benches --bench ratios -- canada                # documents whose name contains `canada`
//! cargo bench -p json-rope-benches --bench ratios -- --numbers FILE        # also writes the numbers, for `--bench chart`
//! cargo bench -p json-rope-benches --bench ratios -- --test                # one quick round, to see that it works
//! RUSTFLAGS=-Ctarget-cpu=native cargo bench -p json-rope-benches --bench ratios --target-dir target/native    # for this machine's CPU
//! ```
//!
//! All encoders of a table encode the same value in the same process, in alternating rounds; the times are medians.
//! Absolute times depend on the machine, ratios much less. A tree is encoded by the faster of `to_rope` and
//! `encode_tree`.

#[path = "support/rounds.rs"]
mod rounds;
mod support;
#[path = "support/table.rs"]
mod table;

use std::fmt::Write as _;
use std::fs;
use std::hint::black_box;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{ExitCode, exit};

use json_rope::{Encoder, Rope, to_rope};
use serde::Serialize;
use serde_json::Value;

use rounds::{Candidate, medians};
use support::documents::{self, Visitor};
use support::floors::{self, Floors};
use support::peers::{Agreement, agreement, done, ours, peers};
use table::{Table, grouped, micros, ratio};

/// Odd, so that the median is one of the times. Documents that take long have fewer.
const ROUNDS: usize = 101;
const LONG_ROUNDS: usize = 21;
const LONG: usize = 4 << 20;

const USAGE: &str = "\
Usage: cargo bench -p json-rope-benches --bench ratios -- [FILTER]... [--numbers FILE] [--test]

  FILTER           only documents whose name contains this, or one of these
  --numbers FILE   also writes all numbers to FILE, separated by tabs
  --test           one quick round; the times mean nothing";

/// What is asked for: the group, the least ratio to the fastest peer on each document, and their least geometric mean.
const TARGETS: [(&str, f64, f64); 5] = [
    ("typed structs", 1.35, 1.5),
    ("serde_json::Value", 1.2, 1.35),
    ("strings of 1 MiB", 1.15, 1.4),
    ("small", 1.3, 1.5),
    ("larger than the cache", 1.4, 1.4),
];

struct Settings {
    filters: Vec<String>,
    rounds: usize,
    numbers: Option<PathBuf>,
}

impl Settings {
    /// From the arguments; cargo adds `--bench`, but not when the benchmark is only to be tested.
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Settings, String> {
        let (mut filters, mut bench, mut test, mut numbers) = (Vec::new(), false, false, None);
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--bench" => bench = true,
                "--test" => test = true,
                "--numbers" => numbers = Some(arguments.next().ok_or("--numbers needs a file")?.into()),
                _ if argument.starts_with('-') => return Err(format!("unknown option {argument}")),
                _ => filters.push(argument),
            }
        }
        Ok(Settings { filters, rounds: if bench && !test { ROUNDS } else { 1 }, numbers })
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
    let mut numbers = peers.finish();
    reused(&settings);
    floors(&settings, &mut numbers);
    // cargo runs this in the package's own folder, and people in that of the workspace.
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    if let Some(path) = settings.numbers.as_ref().map(|path| root.join(path))
        && let Err(error) = fs::write(&path, numbers)
    {
        let _ = writeln!(io::stderr(), "cannot write {}: {error}", path.display());
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// Which build this is: of the features that the target does not have anyway, whether any is enabled.
fn build() -> &'static str {
    if cfg!(any(target_feature = "sse3", target_feature = "sve", target_feature = "lse")) {
        "native build (a target CPU was chosen)"
    } else {
        "default build (no target CPU was chosen)"
    }
}

/// The size of the largest cache of the first processor, where Linux tells.
fn cache() -> String {
    let size = |index| fs::read_to_string(format!("/sys/devices/system/cpu/cpu0/cache/index{index}/size")).ok();
    (0..8).rev().find_map(size).map_or("size unknown".into(), |size| size.trim().to_owned())
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
        "Target: {}, {} {}; features enabled at compile time, of those that matter: {}.",
        build(),
        std::env::consts::ARCH,
        std::env::consts::OS,
        if features.is_empty() { "none".into() } else { features.join(", ") }
    )
    .expect("strings take all");
    writeln!(text, "Last-level cache: {}.", cache()).expect("strings take all");
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
    targets: Table,
    /// Peers whose bytes are not those of serde_json.
    others: Vec<(&'static str, Agreement, &'static str)>,
    /// All of it once more, to be read by programs.
    numbers: String,
}

impl<'a> Peers<'a> {
    fn new(settings: &'a Settings) -> Self {
        let head = ["group", "each at least", "lowest", "mean at least", "geometric mean", "target"];
        let numbers =
            format!("# {}\n# group\tdocument\tbytes\tencoder\tseconds\ttime divided by json-rope's\n", build());
        Peers {
            settings,
            group: "",
            pretty: false,
            table: Self::table(),
            ratios: Vec::new(),
            targets: Table::new(&head, &[0, 5]),
            others: Vec::new(),
            numbers,
        }
    }

    fn table() -> Table {
        let head = ["document", "bytes", "µs", "MB/s", "by", "fastest peer", "its µs", "ratio"];
        let peers = peers::<str>().map(|peer| peer.name);
        Table::new(&[&head[..], &peers[..]].concat(), &[0, 4, 5])
    }

    fn finish_group(&mut self) {
        let mut table = std::mem::replace(&mut self.table, Self::table());
        let ratios = std::mem::take(&mut self.ratios);
        if table.is_empty() {
            return;
        }
        let mean = |i: usize| (ratios.iter().map(|row| row[i].ln()).sum::<f64>() / ratios.len() as f64).exp();
        let mut row = vec!["**geometric mean**".to_owned()];
        row.extend(std::iter::repeat_n(String::new(), 6));
        row.extend((0..4).map(|i| format!("**{}**", ratio(mean(i)))));
        table.row(row);
        print(&format!("\n### {}, {}\n\n{}", self.group, build(), table.render()));
        let target = TARGETS.iter().find(|(group, ..)| *group == self.group);
        // A part of the group says nothing of all.
        if let (Some((group, each, all)), true) = (target, self.settings.filters.is_empty()) {
            let lowest = ratios.iter().map(|row| row[0]).fold(f64::INFINITY, f64::min);
            let reached = if lowest >= *each && mean(0) >= *all { "reached" } else { "missed" };
            let numbers = [*each, lowest, *all, mean(0)].map(ratio);
            self.targets.row([&[(*group).to_owned()], &numbers[..], &[reached.to_owned()]].concat());
        }
    }

    /// Prints the rest, and returns the numbers.
    fn finish(mut self) -> String {
        self.finish_group();
        if !self.targets.is_empty() {
            print(&format!("\n### Ratios to the fastest peer, {}\n\n{}", build(), self.targets.render()));
        }
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
        self.numbers
    }

    /// Compares all ways to encode `value`; `direct` is one of ours beside `to_rope`.
    fn compare<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T, direct: Option<fn(&T) -> Rope>) {
        progress(name);
        let (ours, peers) = (ours::<T>(), peers::<T>());
        let mut ours = vec![("to_rope", if self.pretty { ours.pretty } else { ours.compact })];
        ours.extend(direct.map(|direct| ("encode_tree", direct)));
        let theirs = peers.each_ref().map(|peer| if self.pretty { peer.pretty } else { peer.compact });
        let expected = theirs[0](value);
        for (way, encode) in &ours {
            assert!(encode(value) == expected, "{name}: {way} does not agree with serde_json");
        }
        for (peer, encode) in peers.iter().zip(theirs) {
            let agreement = agreement(peer.name, &encode(value), &expected);
            if agreement != Agreement::Bytes {
                self.others.push((peer.name, agreement, name));
            }
        }
        let theirs = theirs.map(|encode| Candidate::new(move || encode(black_box(value))));
        let candidates = ours.iter().map(|&(_, encode)| Candidate::new(move || encode(black_box(value))));
        let medians = medians(
            candidates.chain(theirs),
            if expected.len() < LONG { self.settings.rounds } else { self.settings.rounds.min(LONG_ROUNDS) },
        );
        // The faster of our own ways is the one that is compared.
        let best = (0..ours.len()).min_by(|&a, &b| medians.ratios[a].total_cmp(&medians.ratios[b])).unwrap_or(0);
        let (way, time) = (ours[best].0, medians.times[best]);
        let times = &medians.times[ours.len()..];
        let ratios: [f64; 3] = std::array::from_fn(|i| medians.ratio(ours.len() + i, best));
        let fastest = (0..3).min_by(|&a, &b| ratios[a].total_cmp(&ratios[b])).expect("there are three");
        let mut row = vec![
            name.to_owned(),
            grouped(expected.len()),
            micros(time),
            grouped((expected.len() as f64 / time / 1e6).round() as usize),
            way.to_owned(),
            peers[fastest].name.to_owned(),
            micros(times[fastest]),
            ratio(ratios[fastest]),
        ];
        row.extend(ratios.map(ratio));
        self.table.row(row);
        self.ratios.push([ratios[fastest], ratios[0], ratios[1], ratios[2]]);
        let head = (self.group, name, expected.len());
        number(&mut self.numbers, head, &format!("json-rope {way}"), time, 1.0);
        for i in 0..3 {
            number(&mut self.numbers, head, peers[i].name, times[i], ratios[i]);
        }
    }
}

/// One line for programs.
fn number(
    numbers: &mut String,
    (group, document, bytes): (&str, &str, usize),
    encoder: &str,
    seconds: f64,
    ratio: f64,
) {
    writeln!(numbers, "{group}\t{document}\t{bytes}\t{encoder}\t{seconds:.4e}\t{ratio:.3}").expect("strings take all");
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
        self.compare(name, value, None);
    }

    fn visit_tree(&mut self, name: &'static str, tree: &Value) {
        self.compare(name, tree, (!self.pretty).then_some(|tree| done(Encoder::new().encode_tree(tree))));
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
            let medians = medians([reused, fresh], self.0.rounds);
            let [reused, fresh] = [0, 1].map(|i| micros(medians.times[i]));
            self.1.row(vec![name.to_owned(), fresh, reused, ratio(medians.ratios[1])]);
        }
    }
    let mut reused = Reused(settings, Table::new(&["document", "`to_rope` µs", "`Encoder` µs", "ratio"], &[0]));
    documents::visit_values(&mut reused);
    if !reused.1.is_empty() {
        print(&format!("\n### Encoder (reused)\n\n{}", reused.1.render()));
    }
}

/// How far above the floors.
fn floors(settings: &Settings, numbers: &mut String) {
    const COPY: &str = "copying the output";
    if !["canada", "canada, Value", "citm_catalog, Value", "twitter, Value", "plain"].iter().any(|n| settings.wants(n))
    {
        return;
    }
    let head = ["document", "µs", "by", "floor", "its µs", "json-rope / floor", "at most"];
    let mut table = Table::new(&head, &[0, 2, 3]);
    // The candidates are json-rope, by one or two ways, and then the floors, each with its target if there is one.
    let mut rows =
        |name: &str, bytes: usize, ways: &[&str], floors: &[(&str, Option<f64>)], candidates: Vec<Candidate>| {
            let medians = medians(candidates, settings.rounds);
            let best = (0..ways.len()).min_by(|&a, &b| medians.ratios[a].total_cmp(&medians.ratios[b])).unwrap_or(0);
            for (i, (floor, target)) in (ways.len()..).zip(floors) {
                let (ours, time) = (medians.times[best], medians.times[i]);
                let above = ratio(medians.ratio(best, i));
                let target = target.map_or(String::new(), ratio);
                let way = ways[best].to_owned();
                table.row(vec![name.into(), micros(ours), way, floor.to_string(), micros(time), above, target]);
                number(numbers, ("floors", name, bytes), floor, time, medians.ratio(i, best));
            }
        };
    let Floors { values, canada, floats, plain } = Floors::new();
    if settings.wants("canada") {
        progress("canada");
        let output = done(to_rope(&canada)).to_vec();
        let ours = Candidate::new(|| done(to_rope(black_box(&canada))));
        let copy = Candidate::new(|| floors::copy(black_box(&output)));
        let format = Candidate::new(|| floors::format_floats(black_box(&floats)));
        let floors = [(COPY, None), ("formatting the floats", Some(1.1))];
        rows("canada", output.len(), &["to_rope"], &floors, vec![ours, copy, format]);
    }
    for (name, value) in values.iter().filter(|(name, _)| settings.wants(name)) {
        progress(name);
        let output = done(to_rope(value)).to_vec();
        let ours = Candidate::new(|| done(to_rope(black_box(value))));
        let direct = Candidate::new(|| done(Encoder::new().encode_tree(black_box(value))));
        let copy = Candidate::new(|| floors::copy(black_box(&output)));
        let walk = Candidate::new(|| floors::walk(black_box(value)));
        let floors = [(COPY, None), ("walking the value", None)];
        rows(name, output.len(), &["to_rope", "encode_tree"], &floors, vec![ours, direct, copy, walk]);
    }
    if settings.wants("plain") {
        progress("plain");
        let output = done(to_rope(&plain)).to_vec();
        let ours = Candidate::new(|| done(to_rope(black_box(&plain))));
        let copy = Candidate::new(|| floors::copy(black_box(&output)));
        rows("plain", output.len(), &["to_rope"], &[(COPY, Some(1.5))], vec![ours, copy]);
    }
    print(&format!("\n### Floors, {}\n\n{}", build(), table.render()));
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
