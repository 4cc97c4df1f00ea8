//! The bytes are those of arrow-json, for random batches of every type, but for the text of floats.

use arrow_array::RecordBatch;
use json_rope::{Encoder, Frame};
use json_rope_arrow::RowEncoder;

use crate::random::{Random, Without};
use crate::support::{Tokens, their_array, their_lines};

/// Whether two documents are equal, where numbers may be written in different ways.
#[track_caller]
fn assert_same(ours: &str, theirs: &str, context: &dyn std::fmt::Debug) {
    let (mut our_tokens, mut their_tokens) = (Tokens(ours), Tokens(theirs));
    loop {
        let (our, their) = (our_tokens.next(), their_tokens.next());
        if our == their {
            if our.is_none() {
                return;
            }
            continue;
        }
        assert!(
            our.zip(their).is_some_and(|(our, their)| same_number(our, their)),
            "{our:?} where arrow-json has {their:?}\n{ours}\n{theirs}\n{context:#?}"
        );
    }
}

/// Whether two texts are of the same double; or of the same `f32`, if they are as short as one of those needs.
fn same_number(our: &str, their: &str) -> bool {
    let (Ok(of_our), Ok(of_their)) = (our.parse::<f64>(), their.parse::<f64>()) else { return false };
    let digits = our.split('e').next().unwrap_or_default().trim_start_matches(['-', '0', '.']).len();
    let singles = || digits <= 13 && our.parse::<f32>().ok() == their.parse::<f32>().ok();
    of_our.to_bits() == of_their.to_bits() || singles()
}

fn batches(seed: u64, without: Without) -> Vec<RecordBatch> {
    let random = &mut Random::new(seed);
    let batch = random.batch(3, without);
    let len = batch.num_rows();
    // A stream of several batches has one schema.
    let cut = random.below(len + 1);
    vec![batch.slice(0, cut), batch.slice(cut, len - cut)]
}

fn check(seed: u64, without: Without, explicit_nulls: bool) {
    let batches = batches(seed, without);
    let encoder = RowEncoder::new(Encoder::new()).explicit_nulls(explicit_nulls);
    let mut written = Vec::new();
    encoder.write_records(Frame::NdJson, batches.iter().cloned().map(Ok), &mut written).unwrap();
    let ours = String::from_utf8(written).unwrap();
    let theirs = their_lines(&batches, explicit_nulls);
    let context = (seed, batches[0].schema());
    if without.floats {
        assert_eq!(ours, theirs, "{context:#?}");
    } else {
        assert_same(&ours, &theirs, &context);
    }
    let mut records = String::new();
    for batch in &batches {
        let array = encoder.array(batch).unwrap().into_string().unwrap();
        assert_same(&array, &their_array(batch, explicit_nulls), &context);
        records += &encoder.records(Frame::NdJson, batch).unwrap().into_string().unwrap();
    }
    assert_eq!(records, ours);
    let chunks = encoder.chunks(Frame::NdJson, batches.into_iter().map(Ok)).collect::<Result<Vec<_>, _>>().unwrap();
    assert_eq!(chunks.concat(), ours.as_bytes());
}

#[test]
fn byte_for_byte_without_floats() {
    for seed in 0..1_500 {
        check(seed, Without { floats: true, bytes: false }, seed % 2 == 0);
    }
}

#[test]
fn equal_numbers_with_floats() {
    for seed in 0..500 {
        check(seed, Without::default(), seed % 2 == 0);
    }
}
