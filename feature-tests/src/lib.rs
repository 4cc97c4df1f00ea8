//! Only tests live here; see `tests/`.
