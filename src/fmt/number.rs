//! Integers through `itoa`, floats through `zmij`, as serde_json does since 1.0.147.

#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::slice;

use super::Formatter;
use crate::error::Result;

/// Room that [`float_in_place`] needs, in bytes.
const FLOAT_ROOM: usize = size_of::<zmij::Buffer>();

impl<const PLAIN: bool> Formatter<'_, PLAIN> {
    #[inline]
    pub(crate) fn integer(&mut self, value: impl itoa::Integer) -> Result<()> {
        self.out.put(itoa::Buffer::new().format(value).as_bytes())
    }

    /// A float; one that is not finite becomes what the options say.
    #[inline]
    pub(crate) fn float(&mut self, value: impl Float) -> Result<()> {
        if value.is_finite() { self.finite(value) } else { self.non_finite() }
    }

    /// A float that is known to be finite.
    #[inline]
    pub(crate) fn finite(&mut self, value: impl Float) -> Result<()> {
        if self.out.room() >= FLOAT_ROOM {
            self.out.fill(|room| float_in_place(value, room));
            Ok(())
        } else {
            self.out.put_slow(zmij::Buffer::new().format_finite(value).as_bytes())
        }
    }

    #[cold]
    fn non_finite(&mut self) -> Result<()> {
        self.null()
    }
}

/// What `zmij` formats, with the one method that we need of both types.
pub(crate) trait Float: zmij::Float + Copy {
    fn is_finite(self) -> bool;
}

impl Float for f32 {
    #[inline]
    fn is_finite(self) -> bool {
        self.is_finite()
    }
}

impl Float for f64 {
    #[inline]
    fn is_finite(self) -> bool {
        self.is_finite()
    }
}

/// Formats a finite float at the front of `room`, without a copy.
///
/// # Panics
/// If `room` has fewer than [`FLOAT_ROOM`] bytes.
#[inline(always)]
fn float_in_place(value: impl Float, room: &mut [MaybeUninit<u8>]) -> &mut [u8] {
    const { assert!(align_of::<zmij::Buffer>() == 1) };
    assert!(room.len() >= FLOAT_ROOM);
    let start = room.as_mut_ptr();
    // SAFETY: `room` has the size of a `Buffer`, whose alignment is 1, and is exclusively borrowed; the value written
    // makes it a valid one, whatever it consists of.
    let buffer = unsafe {
        start.cast::<zmij::Buffer>().write(zmij::Buffer::new());
        &mut *start.cast::<zmij::Buffer>()
    };
    let text = buffer.format_finite(value);
    let (text, len) = (text.as_ptr(), text.len());
    // Where in its buffer the text stands is up to `zmij`. It is the start; this keeps us right if that ever changes.
    let offset = text.addr() - start.addr();
    // SAFETY: the text lies inside the buffer, so `offset + len` is at most the length of `room`; its bytes are
    // initialised, and `copy` allows the two places to overlap.
    unsafe {
        if offset != 0 {
            start.cast::<u8>().copy_from(start.cast::<u8>().add(offset), len);
        }
        slice::from_raw_parts_mut(start.cast::<u8>(), len)
    }
}
