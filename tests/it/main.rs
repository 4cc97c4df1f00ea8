//! The integration tests: one program, so that it is linked once and its tests run side by side.
//!
//! Programs of their own are only those that cannot share a process: `heap` counts every allocation, `guard_page` has an
//! allocator that ends each buffer at an unmapped page, and `load` measures resident memory.
//! What all of them share is in `support`.
//!
//! `cargo test --test it frame::` runs one theme.

#[path = "../support/mod.rs"]
mod support;

mod auto_traits;
mod differential;
mod miri;
mod regressions;

/// The text of every kind of value and key.
mod data_model {
    mod conformance;
    mod keys;
    mod numbers;
    mod once;
    mod reserved_names;
    mod shapes;
    mod short;
    mod trees;
}

/// What the options change, and the limits.
mod options {
    mod canonical;
    mod escapes;
    mod inline;
    mod limits;
    mod numbers;
    mod sort_depth;
    mod sort_keys;
    mod sort_streams;
    mod values;
}

/// Where a chunk, a slab or a batch ends.
mod chunks {
    mod edges;
    mod exhaustive;
    mod large;
    mod nothing;
}

/// Writers, and the queue in front of one.
mod sink {
    mod calls;
    mod queue;
    mod random;
    mod shape;
    mod socket;
    mod sweep;
}

/// Chunks that are encoded when they are asked for.
mod on_demand {
    mod items;
    mod object;
    mod read;
    mod tree;
}

/// Messages in their envelopes.
mod frame {
    mod messages;
    mod pooled;
}

/// Buffers that come back.
mod pool {
    mod reuse;
    mod threads;
}

/// Text that is linked instead of copied.
mod text;

/// JSON that is already encoded.
mod fragment {
    mod checked;
    mod linking;
    mod rewriting;
    mod trusted_text;
}

/// Documents piece by piece, and in memory that is there.
mod writer {
    mod in_place;
    mod misuse;
    mod pieces;
    mod records;
}

mod rope {
    mod model;
    mod operations;
    mod surface;
}

/// What fails, how that is said, and what is left.
mod errors {
    mod first_failure;
    mod panic;
    mod poison;
    mod system;
    mod values;
}
