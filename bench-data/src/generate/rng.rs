//! The pseudo-random number generator of all generators.

/// SplitMix64, by Guy Steele, Doug Lea and Christine Flood (2014).
///
/// The state is a counter that grows by the golden ratio; each output is that
/// counter, mixed. It is fast, needs no set-up, takes any seed and is good
/// enough for test data. It is not for secrets.
#[derive(Debug, Clone)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// A generator that starts at `seed`; every seed is fine, zero as well.
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 bits.
    pub const fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number from 0 to `bound - 1`; 0 if `bound` is 0.
    ///
    /// The bias of the multiplication is at most `bound` in 2^64.
    pub const fn below(&mut self, bound: u64) -> u64 {
        ((self.next_u64() as u128 * bound as u128) >> 64) as u64
    }

    /// An index into something that is `len` long.
    pub const fn index(&mut self, len: usize) -> usize {
        self.below(len as u64) as usize
    }

    /// True in `percent` of 100 cases.
    pub const fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// A number from 0 to 1, without 1: a multiple of 2^-53.
    pub const fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// One of `items`, which must not be empty.
    pub const fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.index(items.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::SplitMix64;

    #[test]
    fn first_outputs_are_those_of_the_published_algorithm() {
        let mut rng = SplitMix64::new(1_234_567);
        let got: [u64; 3] = std::array::from_fn(|_| rng.next_u64());
        assert_eq!(got, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn bounded_numbers_stay_in_bounds() {
        let mut rng = SplitMix64::new(7);
        let mut seen = [false; 10];
        for _ in 0..1_000 {
            seen[rng.index(10)] = true;
            let unit = rng.unit();
            assert!((0.0..1.0).contains(&unit));
        }
        assert_eq!(seen, [true; 10]);
        assert_eq!(rng.below(0), 0);
        assert!(!rng.percent(0) && rng.percent(100));
    }
}
