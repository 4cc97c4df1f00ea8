//! What shared text, lines that are held back, and canonical fragments cost in heap memory.

use json_rope::{Encoder, Fragment, Text};
use serde::Serialize;

use crate::MIB;
use crate::counting::measured;
use crate::streaming::{PEAK, stream};

/// The length of the text.
const LARGE: usize = if cfg!(debug_assertions) { 10 * MIB } else { 100 * MIB };

crate::tests!(a_shared_text_is_not_copied, inline_width_streams_in_fixed_memory, canonical_fragments_take_no_tree);

fn a_shared_text_is_not_copied() {
    let text = Text::from("0123456789".repeat(LARGE / 10));
    for encoder in [Encoder::new(), Encoder::builder().ascii(true).html_safe(true).build().unwrap()] {
        let (rope, heap) = measured(|| encoder.encode(&[("text", &text)]).unwrap());
        println!("a text of {} MiB in a rope: {heap:?}", LARGE / MIB);
        assert_eq!(rope.len(), text.len() + r#"[["text",""]]"#.len());
        assert!(heap.blocks <= 3, "{heap:?}");
        assert!(heap.bytes <= 64 * 1024, "{heap:?}");
        let heap = stream(&encoder, &text, text.len() + 2);
        assert!(heap.peak <= PEAK, "{heap:?}");
    }
}

fn inline_width_streams_in_fixed_memory() {
    let encoder = Encoder::builder().pretty(true).indent("").inline_width(80).max_depth(5000).build().unwrap();
    let points = vec![[[1.5, -2.25], [3.0, 4.0]]; 200_000];
    let length = encoder.encode(&points).unwrap().len();
    let heap = stream(&encoder, &points, length);
    println!("points on lines of 80: {heap:?}");
    assert!(heap.peak <= PEAK, "{heap:?}");
    // One more container inside of every other, none of which fits a line, and none of which is known to at first.
    #[derive(Serialize)]
    struct Node(u32, Option<Box<Node>>, [[u32; 30]; 2]);
    let deep = (0..400).fold(None, |inner, _| Some(Box::new(Node(1, inner, [[7; 30]; 2]))));
    let length = encoder.encode(&deep).unwrap().len();
    let heap = stream(&encoder, &deep, length);
    println!("deep on lines of 80: {heap:?}");
    assert!(heap.peak <= PEAK, "{heap:?}");
}

fn canonical_fragments_take_no_tree() {
    let encoder = Encoder::builder().canonical(true).build().unwrap();
    let json = format!("[{}1]", "1.50, ".repeat(MIB));
    let (rope, heap) = measured(|| encoder.encode(&Fragment::trusted(json.clone())).unwrap());
    println!("a fragment of 6 MiB in canonical form: {heap:?}");
    assert_eq!(rope.len(), 4 * MIB + 3);
    // The copy of the text above, and slabs.
    assert!(heap.peak <= json.len() + 3 * rope.len(), "{heap:?}");
}
