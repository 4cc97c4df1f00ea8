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

/// The texts of some rows.
#[derive(Default)]
pub(crate) struct Texts {
    /// The first of these rows.
    from: usize,
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
        bytes.clear();
        self.ends.clear();
        self.from = rows.start;
        for row in rows {
            if nulls.is_none_or(|nulls| nulls.is_valid(row)) {
                with_text(values, row, |text| bytes.extend_from_slice(text));
            }
            self.ends.push(bytes.len());
        }
        // They are ASCII characters.
        self.text = String::from_utf8(bytes).unwrap_or_default();
    }
}

/// Hands the text of a value to a function. `None` if the value is out of the range of its type, or not one of those
/// that are texts.
#[inline(always)]
pub(crate) fn with_text<R>(values: &Values, row: usize, take: impl FnOnce(&[u8]) -> R) -> Option<R> {
    match values {
        Values::Timestamp(values, unit, zone) => time::timestamp(values[row], *unit, *zone, take),
        Values::Date32(values) => time::date(values[row].into(), take),
        Values::Date64(values) => time::timestamp(values[row], TimeUnit::Millisecond, Zone::None, take),
        Values::Time32(values, unit) => time::time(values[row].into(), *unit, take),
        Values::Time64(values, unit) => time::time(values[row], *unit, take),
        Values::Duration(values, unit) => Some(take(span::duration(values[row], *unit)?.as_bytes())),
        Values::Months(values) => Some(take(span::months(values[row]).as_bytes())),
        Values::DayTime(values) => Some(take(span::days_and_time(values[row]).as_bytes())),
        Values::MonthDayNano(values) => Some(take(span::months_days_and_time(values[row]).as_bytes())),
        _ => None,
    }
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
