//! Numbers.

use super::SplitMix64;

/// `n` integers as they are found in real documents.
///
/// Of 100, about 90 are from 0 to 999, five from -1,000 to -1, three have up
/// to 13 digits (ids and times) and two are any `i64`.
pub fn small_integers(seed: u64, n: usize) -> Vec<i64> {
    let mut rng = SplitMix64::new(seed);
    (0..n)
        .map(|_| match rng.below(100) {
            0..90 => rng.below(1_000) as i64,
            90..95 => -1 - rng.below(1_000) as i64,
            95..98 => rng.below(10_000_000_000_000) as i64,
            _ => rng.next_u64() as i64,
        })
        .collect()
}

/// `n` finite floating-point numbers.
///
/// Of 100, about 40 are from 0 to 1 with all their digits, 30 are coordinates
/// with six decimals, 15 are prices with two decimals, five are whole numbers
/// and ten are any finite bit pattern, so that every exponent occurs.
pub fn floats(seed: u64, n: usize) -> Vec<f64> {
    let mut rng = SplitMix64::new(seed);
    (0..n)
        .map(|_| match rng.below(100) {
            0..40 => rng.unit(),
            40..70 => (rng.below(360_000_001) as f64 - 180_000_000.0) / 1e6,
            70..85 => rng.below(1_000_000) as f64 / 100.0,
            85..90 => rng.below(2_001) as f64 - 1_000.0,
            _ => any_finite(&mut rng),
        })
        .collect()
}

fn any_finite(rng: &mut SplitMix64) -> f64 {
    loop {
        let number = f64::from_bits(rng.next_u64());
        if number.is_finite() {
            return number;
        }
    }
}
