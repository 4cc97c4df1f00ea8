//! Sixteen decimal digits at once, one in each byte: in a vector register with SSE2, in a wide integer elsewhere.

#![allow(unsafe_code)]

#[cfg(not(all(target_arch = "x86_64", target_feature = "sse2", not(miri), not(json_rope_portable))))]
pub(super) use portable::Digits;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2", not(miri), not(json_rope_portable)))]
pub(super) use vector::Digits;

#[cfg(all(target_arch = "x86_64", target_feature = "sse2", not(miri)))]
#[allow(dead_code, reason = "not used if the portable one is asked for")]
mod vector {
    use std::arch::x86_64::*;

    /// The digits of a number below 10^16, from 0 to 9, the first one in the first byte.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Digits(__m128i);

    impl Digits {
        /// All lanes of a register are divided at once, by multiplying with a rounded-up reciprocal that is exact for
        /// the range of a lane: into lanes of eight digits, of four, of two, of one.
        #[inline(always)]
        pub(in super::super) fn of(value: u64) -> Digits {
            let (high, low) = (value / 100_000_000, value % 100_000_000);
            // SAFETY: for a target with SSE2 these are ordinary functions.
            unsafe {
                let eights = _mm_set_epi64x(low as i64, high as i64);
                let upper = _mm_srli_epi64(_mm_mul_epu32(eights, _mm_set1_epi64x(109_951_163)), 40);
                let lower = _mm_sub_epi64(eights, _mm_mul_epu32(upper, _mm_set1_epi64x(10_000)));
                let fours = _mm_or_si128(upper, _mm_slli_epi64(lower, 32));
                let upper = _mm_srli_epi16(_mm_mulhi_epu16(fours, _mm_set1_epi32(5_243)), 3);
                let lower = _mm_sub_epi16(fours, _mm_mullo_epi16(upper, _mm_set1_epi32(100)));
                let twos = _mm_or_si128(upper, _mm_slli_epi32(lower, 16));
                let upper = _mm_mulhi_epu16(twos, _mm_set1_epi16(6_554));
                // twos · 256 - upper · 2560 + upper: the lower digit in the upper byte.
                Digits(_mm_sub_epi16(_mm_slli_epi16(twos, 8), _mm_mullo_epi16(upper, _mm_set1_epi16(2_559))))
            }
        }

        /// The index of the last digit that is not 0; 0 if there is none.
        #[inline(always)]
        pub(in super::super) fn last_nonzero(self) -> usize {
            // SAFETY: as in `of`.
            let nonzero = unsafe { _mm_movemask_epi8(_mm_cmpgt_epi8(self.0, _mm_setzero_si128())) };
            (nonzero as u32 | 1).ilog2() as usize
        }

        #[inline(always)]
        pub(in super::super) fn ascii(self) -> Text {
            // SAFETY: as in `of`.
            unsafe { Text(_mm_or_si128(self.0, _mm_set1_epi8(b'0' as i8))) }
        }

        /// The digits that `whole` marks, a gap of one byte, and then as many of the other digits as fit.
        #[inline(always)]
        pub(in super::super) fn spread(self, whole: &[u8; 16]) -> Text {
            // SAFETY: as in `of`, and an unaligned load of the 16 bytes of the array.
            unsafe {
                let whole = _mm_loadu_si128(whole.as_ptr().cast());
                let after = _mm_andnot_si128(whole, _mm_slli_si128(self.0, 1));
                Digits(_mm_or_si128(_mm_and_si128(whole, self.0), after)).ascii()
            }
        }
    }

    /// Sixteen bytes of text.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Text(__m128i);

    impl Text {
        /// # Safety
        /// `place` must be valid for writes of 16 bytes.
        #[inline(always)]
        pub(in super::super) unsafe fn store(self, place: *mut u8) {
            // SAFETY: an unaligned store of the 16 bytes that the caller promises.
            unsafe { _mm_storeu_si128(place.cast(), self.0) }
        }
    }
}

#[allow(dead_code, reason = "used where there is nothing better, and by the tests everywhere")]
mod portable {
    use super::super::eight_digits;

    /// The digits of a number below 10^16, from 0 to 9, the first one in the least significant byte.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Digits(u128);

    impl Digits {
        #[inline(always)]
        pub(in super::super) fn of(value: u64) -> Digits {
            let (high, low) = (value / 100_000_000, value % 100_000_000);
            Digits(u128::from(eight_digits(high as u32)) | u128::from(eight_digits(low as u32)) << 64)
        }

        /// The index of the last digit that is not 0; 0 if there is none.
        #[inline(always)]
        pub(in super::super) fn last_nonzero(self) -> usize {
            ((self.0 | 1).ilog2() / 8) as usize
        }

        #[inline(always)]
        pub(in super::super) fn ascii(self) -> Text {
            Text(self.0 | u128::from_ne_bytes([b'0'; 16]))
        }

        /// The digits that `whole` marks, a gap of one byte, and then as many of the other digits as fit.
        #[inline(always)]
        pub(in super::super) fn spread(self, whole: &[u8; 16]) -> Text {
            let whole = u128::from_le_bytes(*whole);
            Digits(self.0 & whole | self.0 << 8 & !whole).ascii()
        }
    }

    /// Sixteen bytes of text.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Text(u128);

    impl Text {
        /// # Safety
        /// `place` must be valid for writes of 16 bytes.
        #[inline(always)]
        pub(in super::super) unsafe fn store(self, place: *mut u8) {
            // SAFETY: an unaligned store of the 16 bytes that the caller promises.
            unsafe { place.cast::<[u8; 16]>().write_unaligned(self.0.to_le_bytes()) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Digits, portable};

    #[test]
    fn every_group_of_digits() {
        let mut numbers = vec![0, 1, 9_999_999_999_999_999, 1_000_000_000_000_000];
        for group in 0..10_000 {
            for place in [1, 10_000, 100_000_000, 1_000_000_000_000] {
                numbers.extend([group * place, 9_999_999_999_999_999 - group * place]);
            }
        }
        for number in numbers {
            let expected = format!("{number:016}");
            let last = expected.rfind(|digit| digit != '0').unwrap_or(0);
            let texts = |whole: usize| {
                let mask = std::array::from_fn(|i| if i < whole { 0xff } else { 0 });
                let (digits, other) = (Digits::of(number), portable::Digits::of(number));
                assert_eq!((digits.last_nonzero(), other.last_nonzero()), (last, last), "{number}");
                let mut room = [[0; 16]; 4];
                // SAFETY: each array has 16 bytes.
                unsafe {
                    digits.ascii().store(room[0].as_mut_ptr());
                    other.ascii().store(room[1].as_mut_ptr());
                    digits.spread(&mask).store(room[2].as_mut_ptr());
                    other.spread(&mask).store(room[3].as_mut_ptr());
                }
                assert_eq!((room[0], room[2]), (room[1], room[3]), "{number}");
                assert_eq!(&room[0], expected.as_bytes());
                assert_eq!((&room[2][..whole], &room[2][whole + 1..]), (&room[0][..whole], &room[0][whole..15]));
            };
            texts(1 + number as usize % 15);
        }
    }
}
