//! A chart: how much faster a document is encoded by more threads.

use std::fmt::Write as _;

/// What is known of one document.
pub struct Series {
    pub name: String,
    /// The gain of two threads, measured.
    pub measured: f64,
    /// Numbers of threads, and gains computed for them.
    pub computed: Vec<(usize, f64)>,
}

const STYLE: &str = "text{font:12px system-ui,sans-serif;fill:#1f2328}.muted{fill:#59636e}.title{font-size:16px;font-weight:600}\
    .grid{stroke:#d1d9e0}.ideal{stroke:#818b98;stroke-dasharray:2 4}.end{text-anchor:end}.middle{text-anchor:middle}\
    polyline{fill:none;stroke-width:2;stroke-dasharray:6 4}.a{stroke:#b35900}.b{stroke:#0969da}.c{stroke:#1a7f37}\
    circle.a{fill:#b35900}circle.b{fill:#0969da}circle.c{fill:#1a7f37}text.a{fill:#b35900;stroke:none}\
    text.b{fill:#0969da;stroke:none}text.c{fill:#1a7f37;stroke:none}\
    @media(prefers-color-scheme:dark){text{fill:#f0f6fc}.muted{fill:#9198a1}.grid{stroke:#3d444d}.a{stroke:#f0a050}.b{stroke:#4493f8}\
    .c{stroke:#3fb950}circle.a,text.a{fill:#f0a050}circle.b,text.b{fill:#4493f8}circle.c,text.c{fill:#3fb950}}";

const CLASSES: [&str; 3] = ["a", "b", "c"];
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 380.0;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 190.0;
const TOP: f64 = 72.0;
const BOTTOM: f64 = 48.0;
const MOST: f64 = 64.0;

/// Both axes are logarithmic, so that twice the speed for twice the threads is a straight line.
pub fn chart(series: &[Series]) -> String {
    let x = |threads: f64| LEFT + threads.log2() / MOST.log2() * (WIDTH - LEFT - RIGHT);
    let y = |gain: f64| HEIGHT - BOTTOM - gain.log2() / MOST.log2() * (HEIGHT - TOP - BOTTOM);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" role=\"img\" \
         aria-label=\"Speed of encoding one document by the number of threads\">\n<style>{STYLE}</style>\n\
         <text x=\"12\" y=\"26\" class=\"title\">One document on several cores</text>\n\
         <text x=\"12\" y=\"46\" class=\"muted\">Speed, with one thread = 1. Dots: measured, on two cores. Dashed: computed from the times of \
         the parts.</text>\n"
    );
    for step in 0..=6 {
        let value = f64::from(1 << step);
        let (at, up) = (x(value), y(value));
        let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
        write!(
            svg,
            "<path class=\"grid\" d=\"M{LEFT} {up:.1}H{right}M{at:.1} {TOP}V{bottom}\"/>\n\
             <text x=\"{:.1}\" y=\"{:.1}\" class=\"muted end\">{value}×</text>\n\
             <text x=\"{at:.1}\" y=\"{:.1}\" class=\"muted middle\">{value}</text>\n",
            LEFT - 8.0,
            up + 4.0,
            bottom + 18.0,
        )
        .expect("strings take all");
    }
    let end = (x(MOST), y(MOST));
    write!(
        svg,
        "<path class=\"ideal\" d=\"M{:.1} {:.1}L{:.1} {:.1}\"/>\n<text x=\"{:.1}\" y=\"{:.1}\" class=\"muted middle\">threads</text>\n",
        x(1.0),
        y(1.0),
        end.0,
        end.1,
        (LEFT + WIDTH - RIGHT) / 2.0,
        HEIGHT - 12.0,
    )
    .expect("strings take all");
    for (series, class) in series.iter().zip(CLASSES) {
        let mut points = format!("{:.1},{:.1}", x(1.0), y(1.0));
        for &(threads, gain) in &series.computed {
            write!(points, " {:.1},{:.1}", x(threads as f64), y(gain)).expect("strings take all");
        }
        let last = series.computed.last().map_or(1.0, |&(_, gain)| gain);
        writeln!(
            svg,
            "<polyline class=\"{class}\" points=\"{points}\"/>\n<circle class=\"{class}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\"/>\n\
             <text x=\"{:.1}\" y=\"{:.1}\" class=\"{class}\">{}</text>",
            x(2.0),
            y(series.measured.max(1.0)),
            WIDTH - RIGHT + 8.0,
            y(last) + 4.0,
            series.name,
        )
        .expect("strings take all");
    }
    svg.push_str("</svg>\n");
    svg
}
