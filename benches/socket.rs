//! Four ways to send a document over loopback TCP, from the start of the encoding until the reader has acknowledged the
//! last byte. `cargo bench --bench socket`. The example `socket` shows first bytes, system calls and memory as well.

#[path = "../examples/support/socket_link.rs"]
mod link;

use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use json_rope::Encoder;
use json_rope_bench_data::DOCUMENTS;
use serde_json::Value;

use link::{Link, Way};

fn socket(criterion: &mut Criterion) {
    for document in DOCUMENTS {
        let value: Value = serde_json::from_str(document.text()).expect("the documents are JSON");
        let expected = serde_json::to_vec(&value).expect("a Value can be encoded");
        let encoder = Encoder::new();
        let mut link = Link::open().expect("loopback TCP works");
        let mut group = criterion.benchmark_group(format!("socket/{}", document.name));
        group.throughput(Throughput::Bytes(expected.len() as u64));
        group.sample_size(30).warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
        for way in Way::ALL {
            let mut transfer = |keep| {
                link.transfer(expected.len(), keep, |socket| way.send(&encoder, &value, socket))
                    .expect("loopback works")
            };
            let transferred = transfer(true);
            assert!(transferred.received == expected, "{}: {}", document.name, way.name());
            assert!(transferred.calls > 0 && transferred.first_byte <= transferred.total);
            group.bench_function(way.name(), |bencher| bencher.iter(|| transfer(false).total));
        }
        group.finish();
    }
}

criterion_group!(benches, socket);
criterion_main!(benches);
