//! Random documents, under any settings, on every way out, against a reference that shares nothing with the crate.
//!
//! Used by the integration tests, which choose documents and settings by a covering design, and by the fuzz target
//! `large`, whose input chooses them.

pub mod document;
pub mod pieces;
pub mod settings;
pub mod ways;

use json_rope::Frame;

use super::check::assert_same;
use super::frames;
use super::reference::{Node, Style};
use document::Document;
use settings::{Config, describe};
use ways::{Case, Output, Source, Way};

/// One case: a document, settings, and a way out.
pub struct Trial<'a> {
    pub document: &'a Document,
    pub fails: bool,
    /// A value for each setting.
    pub settings: &'a [usize],
    pub way: &'a Way,
    pub seed: u64,
}

/// What has to come out: all of it, or at most so much before an error.
struct Expected {
    bytes: Vec<u8>,
    /// What has come out at least, if the way gives parts of a document that fails.
    certain: usize,
    is_complete: bool,
}

/// Encodes the document, and compares what comes out with what the reference says.
pub fn check(trial: &Trial<'_>) {
    let Trial { document, fails, settings, way, seed } = *trial;
    let config = Config::new(settings);
    // Most random documents have no canonical form.
    let is_tame = config.style.canonical && seed % 4 > 0;
    let document = if is_tame { document.tame() } else { document };
    let encoder = config.builder.clone().build().expect("valid settings");
    let what = format!(
        "{}{}, settings: {}, fails: {fails}, seed: {seed}",
        way.name,
        way.frame.map_or(String::new(), |frame| format!(" in {frame:?}")),
        describe(settings)
    );
    let output = way.run(&Case { document, fails, encoder: &encoder, way, seed });
    if way.frame == Some(Frame::NdJson) && config.style.indent.is_some() {
        assert!(output.bytes.is_empty(), "{what}: a line cannot be pretty");
        assert!(output.error.is_some_and(|error| error.is_config()), "{what}: a line cannot be pretty");
        return;
    }
    let expected = expected(&Trial { document, ..*trial }, &config.style);
    compare(&output, &expected, &what);
    if let Some(chunks) = &output.chunks {
        let everyday = matches!(way.source, Source::Everyday { .. });
        let max_chunk = if everyday { 64 * 1024 } else { config.max_chunk };
        for chunk in chunks {
            assert!(!chunk.is_empty(), "{what}: an empty chunk");
            let is_linked = document.has_fragments && way.source != Source::Tree;
            assert!(is_linked || chunk.len() <= max_chunk, "{what}: a chunk of {} bytes", chunk.len());
            // Lengths are no text, and fragments are cut as their owner cut them.
            let is_text = is_linked || way.frame.is_some() || str::from_utf8(chunk).is_ok();
            assert!(is_text, "{what}: a chunk that is not text");
        }
    }
}

fn compare(output: &Output, expected: &Expected, what: &str) {
    let Some(error) = &output.error else {
        assert!(expected.is_complete, "{what}: no error");
        assert_same(&output.bytes, &expected.bytes, what);
        assert!(output.counted.is_none_or(|count| count == output.bytes.len() as u64), "{what}: {:?}", output.counted);
        return;
    };
    assert!(!expected.is_complete && error.is_data(), "{what}: {error}");
    let got = output.bytes.len();
    assert!(output.is_partial || got == 0, "{what}: {got} bytes of a document that failed");
    assert!(got <= expected.bytes.len(), "{what}: {got} bytes before an error, not {}", expected.bytes.len());
    assert_same(&output.bytes, &expected.bytes[..got], format_args!("{what}: before {error}"));
    // On demand, all that is certain comes before the error.
    assert!(output.chunks.is_none() || got >= expected.certain, "{what}: {got} bytes, not {}", expected.certain);
}

fn expected(trial: &Trial<'_>, style: &Style) -> Expected {
    let content = if trial.fails { &trial.document.failing } else { &trial.document.whole };
    match trial.way.source {
        Source::Everyday { pretty } => {
            one(&content.root_node, &Style { indent: pretty.then(|| "  ".into()), ..Style::default() }, None)
        }
        Source::Document => one(&content.root_node, style, trial.way.frame),
        Source::Tree => one(&trial.document.tree_node, style, None),
        Source::Array => one(&Node::Array(content.item_nodes.clone()), style, None),
        Source::Object => {
            let members = [
                ("root", content.root_node.clone()),
                ("items", Node::Array(content.item_nodes.clone())),
                ("count", Node::Bare(content.items.len().to_string())),
                ("a tree", trial.document.tree_node.clone()),
            ];
            one(&Node::Object(members.map(|(name, node)| (name.to_owned(), node)).into()), style, None)
        }
        Source::Records => {
            let mut all = Expected { bytes: Vec::new(), certain: 0, is_complete: true };
            for node in &content.item_nodes {
                let next = one(node, style, trial.way.frame);
                all.bytes.extend_from_slice(&next.bytes);
                if !next.is_complete {
                    all.is_complete = false;
                    break;
                }
                all.certain = all.bytes.len();
            }
            all
        }
    }
}

/// One document, in its frame if there is one.
fn one(node: &Node, style: &Style, frame: Option<Frame>) -> Expected {
    let rendered = node.render_until_failure(style);
    let is_complete = rendered.is_ok();
    let mut body = rendered.unwrap_or_else(|part| part);
    // Line breaks that are not escaped are outside of strings, where they mean nothing.
    if matches!(frame, Some(Frame::NdJson | Frame::ServerSentEvent)) {
        body.retain(|c| c != '\r');
    }
    if frame == Some(Frame::NdJson) {
        body.retain(|c| c != '\n');
    }
    let bytes = match frame {
        None => body.into_bytes(),
        Some(frame) if is_complete => frames::frame(frame, &body),
        // The length of what failed is not known.
        Some(Frame::Grpc | Frame::LengthDelimited | Frame::HttpChunk) => Vec::new(),
        Some(Frame::NdJson) => body.into_bytes(),
        Some(Frame::JsonSeq) => format!("\u{1e}{body}").into_bytes(),
        Some(_) => format!("data: {}", body.replace('\n', "\ndata: ")).into_bytes(),
    };
    Expected { certain: if is_complete { bytes.len() } else { 0 }, bytes, is_complete }
}
