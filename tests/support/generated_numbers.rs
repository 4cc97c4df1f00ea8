//! The random numbers that RFC 8785 suggests for tests.

use sha2::{Digest, Sha256};

/// The numbers of the RFC's file of 100 million, but for its list of edge cases, which the samples above stand for:
/// 2,000 in a row from the smallest normal one, and then what a chain of SHA-256 digests gives, eight bytes a number in
/// little-endian order. The chain begins with 32 zeros; zeros and what is not finite are left out.
pub fn generated() -> impl Iterator<Item = f64> {
    let row = (0..2000).map(|n| f64::from_bits((1 << 52) + n));
    let mut digest = [0; 32];
    let chain = std::iter::repeat_with(move || {
        digest = Sha256::digest(digest).into();
        let double = |at: usize| f64::from_bits(u64::from_le_bytes(std::array::from_fn(|byte| digest[at + byte])));
        [0, 8, 16, 24].map(double)
    });
    row.chain(chain.flatten().filter(|value| *value != 0.0 && value.is_finite()))
}
