//! Streaming takes a fixed amount of memory, however many batches there are. A program of its own, because it counts
//! what is allocated.

use std::sync::Arc;

use arrow_array::*;
use json_rope::{Encoder, Frame};
use json_rope_arrow::RowEncoder;

fn batch() -> RecordBatch {
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..8_192));
    let names: ArrayRef = Arc::new(StringArray::from_iter_values((0..8_192).map(|n| format!("name {n}"))));
    let runs = (0..8_192).map(|n| Some(["a", "b"][n / 100 % 2])).collect::<Vec<_>>();
    let runs: ArrayRef = Arc::new(runs.into_iter().collect::<Int32RunArray>());
    RecordBatch::try_from_iter([("id", ids), ("name", names), ("run", runs)]).unwrap()
}

/// What a batch costs: its keys, the index of a run for each row, and its null masks.
const BATCH: u64 = 8_192 * 4 + 8_192;

#[test]
fn memory_does_not_grow_with_the_number_of_batches() {
    let (batch, encoder) = (batch(), RowEncoder::new(Encoder::new()));
    for batches in [1, 10, 200] {
        let stream = || std::iter::repeat_n(&batch, batches).cloned().map(Ok);
        let info = allocation_counter::measure(|| {
            encoder.write_records(Frame::NdJson, stream(), std::io::sink()).unwrap();
        });
        assert!(info.bytes_max <= BATCH + 128 * 1024 + 4_096, "{batches} batches to a writer: {info:?}");
        assert_eq!(info.bytes_current, 0);
        let info = allocation_counter::measure(|| {
            let len = encoder.chunks(Frame::NdJson, stream()).map(|chunk| chunk.unwrap().len()).sum::<usize>();
            assert!(len > batches * 300_000);
        });
        assert!(info.bytes_max <= BATCH + 2 * 64 * 1024 + 4_096, "{batches} batches on demand: {info:?}");
        assert_eq!(info.bytes_current, 0);
    }
}
