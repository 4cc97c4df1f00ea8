//! Durations and intervals, as text.

use arrow_buffer::{IntervalDayTime, IntervalMonthDayNano};
use arrow_schema::TimeUnit;

use crate::text::Text;

/// A duration in the form of ISO 8601, in seconds. `None` if it is out of the range that Arrow's own tools have.
pub(crate) fn duration(value: i64, unit: TimeUnit) -> Option<Text> {
    let (places, most) = match unit {
        TimeUnit::Second => (0, i64::MAX / 1_000),
        TimeUnit::Millisecond => (3, i64::MAX),
        TimeUnit::Microsecond => (6, i64::MAX),
        TimeUnit::Nanosecond => (9, i64::MAX),
    };
    if value.unsigned_abs() > most.unsigned_abs() && places <= 3 {
        return None;
    }
    let mut text = Text::new();
    if value < 0 {
        text.push(b"-");
    }
    if value == 0 {
        text.push(b"P0D");
        return Some(text);
    }
    text.push(b"PT");
    let per_second = 10u64.pow(places);
    let (seconds, mut fraction) = (value.unsigned_abs() / per_second, value.unsigned_abs() % per_second);
    text.push_number(seconds);
    if fraction != 0 {
        let mut places = places as usize;
        while fraction % 10 == 0 {
            fraction /= 10;
            places -= 1;
        }
        text.push(b".");
        push_padded(&mut text, fraction, places);
    }
    text.push(b"S");
    Some(text)
}

/// Years and months.
pub(crate) fn months(value: i32) -> Text {
    let mut text = Text::new();
    text.push_number(value.div_euclid(12));
    text.push(b" years ");
    text.push_number(value.rem_euclid(12));
    text.push(b" mons");
    text
}

/// Days and milliseconds.
pub(crate) fn days_and_time(value: IntervalDayTime) -> Text {
    let mut text = Text::new();
    push_part(&mut text, value.days.into(), b" days");
    push_time(&mut text, value.milliseconds.into(), 3);
    or_nothing(text)
}

/// Months, days and nanoseconds.
pub(crate) fn months_days_and_time(value: IntervalMonthDayNano) -> Text {
    let mut text = Text::new();
    push_part(&mut text, value.months.into(), b" mons");
    push_part(&mut text, value.days.into(), b" days");
    push_time(&mut text, value.nanoseconds, 9);
    or_nothing(text)
}

fn or_nothing(mut text: Text) -> Text {
    if text.as_bytes().is_empty() {
        text.push(b"0 secs");
    }
    text
}

/// Parts of an interval have a space between them.
fn separate(text: &mut Text) {
    if !text.as_bytes().is_empty() {
        text.push(b" ");
    }
}

/// A part of an interval with its sign and its unit, unless it is zero.
fn push_part(text: &mut Text, value: i64, unit: &[u8]) {
    if value != 0 {
        separate(text);
        text.push_number(value);
        text.push(unit);
    }
}

/// Hours, minutes and seconds of a time in units of 10^−places seconds.
fn push_time(text: &mut Text, value: i64, places: usize) {
    let per_second = 10i64.pow(places as u32);
    let (seconds, fraction) = (value / per_second, value % per_second);
    push_part(text, seconds / 3_600, b" hours");
    push_part(text, seconds / 60 % 60, b" mins");
    if seconds % 60 == 0 && fraction == 0 {
        return;
    }
    separate(text);
    if value < 0 {
        text.push(b"-");
    }
    text.push_number((seconds % 60).unsigned_abs());
    text.push(b".");
    push_padded(text, fraction.unsigned_abs(), places);
    text.push(b" secs");
}

/// A number with zeros before it, up to so many digits.
fn push_padded(text: &mut Text, value: u64, places: usize) {
    let mut digits = itoa::Buffer::new();
    let digits = digits.format(value).as_bytes();
    text.push(&b"000000000"[..places.saturating_sub(digits.len()).min(9)]);
    text.push(digits);
}
