//! Values that are texts in JSON, but not in Arrow: dates, times, durations, intervals.
//!
//! Of a column they are put into one text, a block of rows at a time, before the rows are written. That is faster than
//! one by one: a text that has just been put together cannot be copied until its parts have left the processor's store
//! buffer, and a block is checked for UTF-8 at once.

use std::ops::Range;

use arrow_buffer::NullBuffer;
use arrow_schema::TimeUnit;

use crate::column::Values;
use crate::time::Zone;
use crate::{span, time};

/// Rows of a block. Their texts fit the fastest cache, with those of some other columns.
pub(crate) const BLOCK: usize = 256;

/// Room for the longest text, and the rest of the last wide store.
pub(crate) type Room = [u8; 128];

/// The texts of some rows.
#[derive(Default)]
pub(crate) struct Texts {
    /// The first of these rows.
    from: usize,
    /// One after the other, and then room that is not used.
    text: String,
    /// Where each text ends.
    ends: Vec<usize>,
}

impl Texts {
    /// The text of a row, if it is among those that are prepared, and neither null nor out of range.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> Option<&str> {
        let index = row.wrapping_sub(self.from);
        let end = *self.ends.get(index)?;
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        if start == end { None } else { self.text.get(start..end) }
    }

    /// Prepares the texts of these rows, in place of others.
    pub(crate) fn prepare(&mut self, values: &Values, nulls: Option<&NullBuffer>, rows: Range<usize>) {
        let mut bytes = std::mem::take(&mut self.text).into_bytes();
        let mut end = 0;
        self.ends.clear();
        self.from = rows.start;
        for row in rows {
            if nulls.is_none_or(|nulls| nulls.is_valid(row)) {
                if bytes.len() - end < size_of::<Room>() {
                    bytes.resize(end + 32 * size_of::<Room>(), 0);
                }
                if let Some(room) = bytes[end..].first_chunk_mut() {
                    end += put_text(values, row, room).unwrap_or(0);
                }
            }
            self.ends.push(end);
        }
        // They are ASCII characters.
        self.text = String::from_utf8(bytes).unwrap_or_default();
    }
}

/// Puts the text of a value at the front of the room, and returns its length. `None` if the value is out of the range of
/// its type, or not one of those that are texts.
#[inline(always)]
pub(crate) fn put_text(values: &Values, row: usize, room: &mut Room) -> Option<usize> {
    let text = match values {
        Values::Timestamp(values, unit, zone) => return time::timestamp(values[row], *unit, *zone, room),
        Values::Date32(values) => return time::date(values[row].into(), room),
        Values::Date64(values) => return time::timestamp(values[row], TimeUnit::Millisecond, Zone::None, room),
        Values::Time32(values, unit) => return time::time(values[row].into(), *unit, room),
        Values::Time64(values, unit) => return time::time(values[row], *unit, room),
        Values::Duration(values, unit) => span::duration(values[row], *unit)?,
        Values::Months(values) => span::months(values[row]),
        Values::DayTime(values) => span::days_and_time(values[row]),
        Values::MonthDayNano(values) => span::months_days_and_time(values[row]),
        _ => return None,
    };
    room.get_mut(..text.as_bytes().len())?.copy_from_slice(text.as_bytes());
    Some(text.as_bytes().len())
}

/// Whether the values are among those that are texts.
pub(crate) fn are_texts(values: &Values) -> bool {
    matches!(
        values,
        Values::Timestamp(..)
            | Values::Date32(_)
            | Values::Date64(_)
            | Values::Time32(..)
            | Values::Time64(..)
            | Values::Duration(..)
            | Values::Months(_)
            | Values::DayTime(_)
            | Values::MonthDayNano(_)
    )
}
