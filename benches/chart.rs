//! Draws the numbers of `cargo bench -p json-rope-benches --bench ratios -- --numbers FILE` as a chart.
//!
//! ```sh
//! cargo bench -p json-rope-benches --bench ratios -- --numbers docs/ratios.tsv
//! cargo bench -p json-rope-benches --bench chart                      # docs/ratios.tsv -> docs/ratios.svg
//! cargo bench -p json-rope-benches --bench chart -- --test            # the chart is that of the numbers beside it
//! ```
//!
//! For each document, one bar for each peer. All start at 1, which is json-rope's own time, and end at the peer's time
//! divided by it, on a logarithmic axis: equal factors are equally long, in both directions. The colours follow the
//! reader's preference of light or dark; the background stays transparent.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};

/// The groups that the README speaks of. Their documents are drawn in the order of the file.
const GROUPS: [(&str, &str); 4] = [
    ("typed structs", "Typed structs"),
    ("serde_json::Value", "serde_json::Value"),
    ("strings of 1 MiB", "Strings of 1 MiB"),
    ("small", "Small documents"),
];

/// The peers, and the class that colours each.
const PEERS: [(&str, &str); 3] = [("serde_json", "a"), ("sonic-rs", "b"), ("simd-json", "c")];

/// Ticks of the axis, which begins at the first and ends at the last.
const TICKS: [(f64, &str); 6] = [(0.7, ""), (1.0, "1"), (2.0, "2"), (4.0, "4"), (8.0, "8"), (16.0, "16")];

const WIDTH: f64 = 860.0;
const LEFT: f64 = 210.0;
const RIGHT: f64 = 60.0;
const BAR: f64 = 12.0;
const GAP: f64 = 14.0;

const STYLE: &str = "
  text { font: 13px system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif; fill: #1f2328; }
  .title { font-size: 17px; font-weight: 600; }
  .group { font-weight: 600; }
  .muted { fill: #59636e; font-size: 12px; }
  .value { font-size: 11px; }
  .end { text-anchor: end; } .middle { text-anchor: middle; }
  .grid { stroke: #d1d9e0; stroke-width: 1; }
  .one { stroke: #1f2328; stroke-width: 1.5; }
  .a { fill: #b35900; } .b { fill: #0969da; } .c { fill: #6e7781; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; }
    .muted { fill: #9198a1; }
    .grid { stroke: #3d444d; }
    .one { stroke: #f0f6fc; }
    .a { fill: #f0883e; } .b { fill: #58a6ff; } .c { fill: #9ea7b3; }
  }
";

/// One line of the numbers.
struct Line<'a> {
    group: &'a str,
    document: &'a str,
    bytes: f64,
    encoder: &'a str,
    seconds: f64,
    ratio: f64,
}

impl Line<'_> {
    fn parse(text: &str) -> Option<Line<'_>> {
        let mut fields = text.split('\t');
        let line = Line {
            group: fields.next()?,
            document: fields.next()?,
            bytes: fields.next()?.parse().ok()?,
            encoder: fields.next()?,
            seconds: fields.next()?.parse().ok()?,
            ratio: fields.next()?.parse().ok()?,
        };
        (fields.next().is_none() && line.ratio > 0.0 && line.seconds > 0.0).then_some(line)
    }
}

/// The chart of `numbers`, or what is wrong with them.
fn chart(numbers: &str) -> Result<String, String> {
    let build = numbers.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or("unknown build");
    let mut lines = Vec::new();
    for (index, text) in numbers.lines().enumerate().filter(|(_, text)| !text.starts_with('#')) {
        lines.push(Line::parse(text).ok_or_else(|| format!("line {} is not a measurement", index + 1))?);
    }
    let (mut body, mut y) = (String::new(), 96.0);
    let top = y - 8.0;
    for (group, title) in GROUPS {
        let ours: Vec<&Line> =
            lines.iter().filter(|line| line.group == group && line.encoder.starts_with("json-rope")).collect();
        if ours.is_empty() {
            return Err(format!("nothing is known of {group}"));
        }
        y += 18.0;
        text(&mut body, 12.0, y, "group", title);
        y += 10.0;
        for ours in ours {
            document(&mut body, y, ours, &lines)?;
            y += 3.0 * BAR + GAP;
        }
    }
    let bottom = y;
    let height = bottom + 48.0;
    let mut svg = String::new();
    let label = "Time to encode, as a multiple of json-rope's, for serde_json, sonic-rs and simd-json";
    let head = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" \
         role=\"img\" aria-label=\"{label}\">\n<style>{STYLE}</style>\n"
    );
    svg.push_str(&head);
    text(&mut svg, 12.0, 26.0, "title", "How many times longer the other encoders take");
    let how =
        "Time to encode a value, divided by json-rope's time for it. Longer bars: json-rope is faster by that factor.";
    text(&mut svg, 12.0, 46.0, "muted", how);
    let mut x = LEFT;
    for (peer, class) in PEERS {
        rect(&mut svg, (x, 61.0), (11.0, 11.0), class);
        text(&mut svg, x + 16.0, 71.0, "", peer);
        x += 110.0;
    }
    for (tick, name) in TICKS {
        let class = if tick == 1.0 { "one" } else { "grid" };
        if !name.is_empty() {
            let x = place(tick);
            writeln!(svg, "<path class=\"{class}\" d=\"M{x:.1} {top:.1}V{bottom:.1}\"/>").expect("strings take all");
            text(&mut svg, x, bottom + 16.0, "muted middle", &format!("{name}×"));
        }
    }
    text(&mut svg, place(1.0), bottom + 34.0, "middle value", "json-rope = 1");
    let end = format!("logarithmic axis; {build}");
    text(&mut svg, WIDTH - RIGHT + 40.0, bottom + 34.0, "muted end", &end);
    svg.push_str(&body);
    svg.push_str("</svg>\n");
    Ok(svg)
}

/// The bars of one document, from `y` down.
fn document(body: &mut String, y: f64, ours: &Line, lines: &[Line]) -> Result<(), String> {
    let name = ours.document.strip_suffix(", Value").unwrap_or(ours.document);
    let middle = y + 1.5 * BAR;
    text(body, LEFT - 16.0, middle - 3.0, "end", name);
    let speed = match ours.bytes / ours.seconds {
        speed @ 1e9.. => format!("{:.1} GB/s", speed / 1e9),
        speed => format!("{:.0} MB/s", speed / 1e6),
    };
    let time = match ours.seconds {
        seconds @ 1e-3.. => format!("{:.2} ms", seconds * 1e3),
        seconds @ 1e-6.. => format!("{:.*} µs", usize::from(seconds < 1e-5), seconds * 1e6),
        seconds => format!("{:.0} ns", seconds * 1e9),
    };
    text(body, LEFT - 16.0, middle + 12.0, "muted end", &format!("json-rope: {time}, {speed}"));
    for (index, (peer, class)) in PEERS.iter().enumerate() {
        let of_peer = |line: &&Line| (line.group, line.document, line.encoder) == (ours.group, ours.document, *peer);
        let line = lines.iter().find(of_peer).ok_or_else(|| format!("{peer} is missing for {}", ours.document))?;
        let (one, end) = (place(1.0), place(line.ratio));
        let top = y + index as f64 * BAR;
        rect(body, (one.min(end), top), ((end - one).abs(), BAR - 2.0), class);
        // Behind the longer side, so that a bar to the left does not hide under its number.
        text(body, one.max(end) + 5.0, top + 9.0, "value", &format!("{:.2}×", line.ratio));
    }
    Ok(())
}

/// Where a ratio stands on the axis; what lies outside stands at its end.
fn place(ratio: f64) -> f64 {
    let (first, last) = (TICKS[0].0.ln(), TICKS[TICKS.len() - 1].0.ln());
    LEFT + (ratio.ln().clamp(first, last) - first) / (last - first) * (WIDTH - LEFT - RIGHT)
}

fn text(svg: &mut String, x: f64, y: f64, class: &str, text: &str) {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" class=\"{class}\">{text}</text>").expect("strings take all");
}

fn rect(svg: &mut String, (x, y): (f64, f64), (width, height): (f64, f64), class: &str) {
    writeln!(svg, "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" class=\"{class}\"/>")
        .expect("strings take all");
}

fn run() -> Result<(), String> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    // cargo adds `--bench`, but not when the benchmark is only to be tested.
    let test = arguments.iter().any(|a| a == "--test") || !arguments.iter().any(|a| a == "--bench");
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let (from, to) = (docs.join("ratios.tsv"), docs.join("ratios.svg"));
    let read =
        |path: &Path| fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()));
    let svg = chart(&read(&from)?)?;
    if !test {
        return fs::write(&to, svg).map_err(|error| format!("cannot write {}: {error}", to.display()));
    }
    if read(&to)? == svg { Ok(()) } else { Err("docs/ratios.svg is not the chart of docs/ratios.tsv".into()) }
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
