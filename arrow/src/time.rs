//! Dates, times and timestamps, as text in the form of RFC 3339.

use arrow_array::timezone::Tz;
use arrow_schema::TimeUnit;
use chrono::{DateTime, Offset as _, TimeZone as _};

/// Seconds of a day.
const DAY: i64 = 86_400;

/// The days since 1970 that have a date: from the year −262143 to 262142. Arrow's own tools have the same limits.
const FIRST_DAY: i64 = -96_465_292;
const LAST_DAY: i64 = 95_026_236;

/// Where a timestamp is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Zone {
    /// Nowhere: it has no time zone.
    None,
    /// At this many seconds east of Greenwich.
    Fixed(i32),
    /// Where the distance depends on the time.
    Named(Tz),
}

impl Zone {
    /// Reads the time zone of a type.
    pub(crate) fn parse(name: Option<&str>) -> Result<Zone, String> {
        match name {
            None => Ok(Zone::None),
            Some("UTC" | "+00:00") => Ok(Zone::Fixed(0)),
            Some(name) => name.parse::<Tz>().map(Zone::Named).map_err(|error| error.to_string()),
        }
    }
}

/// How many of this unit are in a second.
fn per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}

/// Whole seconds, rounded down, and nanoseconds.
#[inline]
fn split(value: i64, unit: TimeUnit) -> (i64, u32) {
    // Each with a constant, which needs no division.
    match unit {
        TimeUnit::Second => (value, 0),
        TimeUnit::Millisecond => (value.div_euclid(1_000), value.rem_euclid(1_000) as u32 * 1_000_000),
        TimeUnit::Microsecond => (value.div_euclid(1_000_000), value.rem_euclid(1_000_000) as u32 * 1_000),
        TimeUnit::Nanosecond => (value.div_euclid(1_000_000_000), value.rem_euclid(1_000_000_000) as u32),
    }
}

/// The text of a date or time, with room for the longest one.
///
/// Dates and times have fixed places in it, and are put there eight bytes at a time, as `YYYY-MM-`, `DDThh:mm` and
/// `:ss.fff`.
pub(crate) struct Text {
    bytes: [u8; 48],
    len: usize,
}

/// Where the time begins, and where the fraction of a second.
const TIME: usize = 11;
const FRACTION: usize = 19;

/// Eight decimal digits of four numbers below 100, the first one in the least significant byte. All of them at once: in
/// each lane, 103 / 1024 is near enough to a tenth.
#[inline(always)]
fn pairs(numbers: [u32; 4]) -> u64 {
    let lanes = numbers.iter().rev().fold(0, |lanes, number| lanes << 16 | u64::from(*number));
    let tens = (lanes * 103 >> 10) & 0x000f_000f_000f_000f;
    (tens | (lanes - 10 * tens) << 8) | 0x3030_3030_3030_3030
}

/// A character at a place among eight.
const fn mark(character: u8, at: u32) -> u64 {
    (character as u64) << (8 * at)
}

impl Text {
    #[inline(always)]
    fn new() -> Text {
        Text { bytes: [0; 48], len: 0 }
    }

    #[inline]
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    #[inline(always)]
    fn put(&mut self, at: usize, eight: u64) {
        self.bytes[at..at + 8].copy_from_slice(&eight.to_le_bytes());
    }

    /// Puts a date and a time, with as many digits of a second as are needed: none, three, six or nine. Of the year there
    /// are the last four digits.
    #[inline(always)]
    fn date_and_time(&mut self, [year, month, day]: [u32; 3], seconds: u32, nanos: u32) {
        let date = pairs([year / 100, year % 100, month, day]);
        let millis = nanos / 1_000_000;
        let time = pairs([seconds / 3_600, seconds / 60 % 60, seconds % 60, millis / 10]);
        let (years, months, days) = (date & 0xffff_ffff, date >> 32 & 0xffff, date >> 48);
        let (hours, minutes, seconds, tens) = (time & 0xffff, time >> 16 & 0xffff, time >> 32 & 0xffff, time >> 48);
        let last = u64::from(millis % 10 + u32::from(b'0'));
        self.put(0, years | mark(b'-', 4) | months << 40 | mark(b'-', 7));
        self.put(8, days | mark(b'T', 2) | hours << 24 | mark(b':', 5) | minutes << 48);
        self.put(16, mark(b':', 0) | seconds << 8 | mark(b'.', 3) | tens << 32 | last << 48);
        self.len = if nanos == 0 { FRACTION } else { FRACTION + 4 };
        if nanos != millis * 1_000_000 {
            self.fine_fraction(nanos % 1_000_000);
        }
    }

    /// Puts three or six more digits of a second.
    #[inline]
    fn fine_fraction(&mut self, nanos: u32) {
        let digits = pairs([0, nanos / 10_000, nanos / 100 % 100, nanos % 100]);
        self.put(FRACTION + 4, digits >> 16);
        self.len = if nanos % 1_000 == 0 { FRACTION + 7 } else { FRACTION + 10 };
    }

    /// Adds the offset from Greenwich, to the nearest minute: some of before 1900 have seconds.
    fn offset(&mut self, offset: i32) {
        if offset == 0 {
            self.bytes[self.len] = b'Z';
            self.len += 1;
            return;
        }
        let minutes = (offset.unsigned_abs() + 30) / 60;
        let digits = pairs([minutes / 60, minutes % 60, 0, 0]);
        let sign = if offset < 0 { b'-' } else { b'+' };
        self.put(self.len, mark(sign, 0) | (digits & 0xffff) << 8 | mark(b':', 3) | (digits >> 16 & 0xffff) << 32);
        self.len += 6;
    }

    /// Puts a year that has not four digits in the place of those that are there.
    #[cold]
    #[inline(never)]
    fn long_year(&mut self, year: i64) {
        let year = format!("{year:+05}");
        self.bytes.copy_within(4..self.len, year.len());
        self.bytes[..year.len()].copy_from_slice(year.as_bytes());
        self.len += year.len() - 4;
    }
}

/// Makes the text of a date, given as days since 1970. `None` if it is out of range.
#[inline]
pub(crate) fn date<R>(days: i64, take: impl FnOnce(&[u8]) -> R) -> Option<R> {
    if !(FIRST_DAY..=LAST_DAY).contains(&days) {
        return None;
    }
    let mut text = Text::new();
    let (year, month, day) = civil(days);
    text.date_and_time([year.rem_euclid(10_000) as u32, month, day], 0, 0);
    text.len = TIME - 1;
    if !(0..=9999).contains(&year) {
        text.long_year(year);
    }
    Some(take(text.as_bytes()))
}

/// Makes the text of a time of the day. `None` if no day has it.
#[inline]
pub(crate) fn time<R>(value: i64, unit: TimeUnit, take: impl FnOnce(&[u8]) -> R) -> Option<R> {
    if !(0..DAY * per_second(unit)).contains(&value) {
        return None;
    }
    let (seconds, nanos) = split(value, unit);
    let mut text = Text::new();
    text.date_and_time([0; 3], seconds as u32, nanos);
    Some(take(&text.as_bytes()[TIME..]))
}

/// Makes the text of a date and time, given as units since 1970. `None` if it is out of range.
#[inline]
pub(crate) fn timestamp<R>(value: i64, unit: TimeUnit, zone: Zone, take: impl FnOnce(&[u8]) -> R) -> Option<R> {
    let (seconds, nanos) = split(value, unit);
    if !(FIRST_DAY * DAY..(LAST_DAY + 1) * DAY).contains(&seconds) {
        return None;
    }
    let offset = match zone {
        Zone::None => 0,
        Zone::Fixed(offset) => offset,
        Zone::Named(zone) => {
            let utc = DateTime::from_timestamp(seconds, 0)?.naive_utc();
            zone.offset_from_utc_datetime(&utc).fix().local_minus_utc()
        }
    };
    let local = seconds + i64::from(offset);
    let (year, month, day) = civil(local.div_euclid(DAY));
    let mut text = Text::new();
    text.date_and_time([year.rem_euclid(10_000) as u32, month, day], local.rem_euclid(DAY) as u32, nanos);
    if !matches!(zone, Zone::None) {
        text.offset(offset);
    }
    if !(0..=9999).contains(&year) {
        text.long_year(year);
    }
    Some(take(text.as_bytes()))
}

/// The year, month and day of a day since 1970. By the method of Neri and Schneider ("Euclidean affine functions and
/// their application to calendar algorithms"): years begin in March, so that the leap day is the last one, and each
/// division is one by a constant.
#[inline]
fn civil(days: i64) -> (i64, u32, u32) {
    /// So many periods of 400 years make all days positive.
    const PERIODS: i64 = 1_000;
    const DAYS_OF_PERIOD: i64 = 146_097;
    /// From March of the year 0 to 1970.
    const EPOCH: i64 = 719_468;
    let shifted = (days + EPOCH + PERIODS * DAYS_OF_PERIOD) as u64;
    let centuries = (4 * shifted + 3) / 146_097;
    let day_of_century = (4 * shifted + 3) % 146_097 / 4;
    let year_of_century = (4 * day_of_century + 3) / 1_461;
    let day_of_year = (4 * day_of_century + 3) % 1_461 / 4;
    // Months from March on have 31, 30, 31, 30, 31 days, again and again.
    let month_and_day = 2_141 * day_of_year + 197_913;
    let (month, day) = (month_and_day >> 16, (month_and_day & 0xffff) / 2_141);
    let after_december = day_of_year >= 306;
    let year = (100 * centuries + year_of_century) as i64 - PERIODS * 400 + i64::from(after_december);
    (year, if after_december { month - 12 } else { month } as u32, day as u32 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::{Datelike, NaiveDate};

    #[test]
    fn every_day_of_a_thousand_years_and_the_first_and_last_ones() {
        let epoch = NaiveDate::from_ymd_opt(1970, 1, 1).unwrap();
        let days_of = |date: NaiveDate| (date - epoch).num_days();
        assert_eq!(days_of(NaiveDate::MIN), FIRST_DAY);
        assert_eq!(days_of(NaiveDate::MAX), LAST_DAY);
        let days = (-400_000..400_000).chain(FIRST_DAY..FIRST_DAY + 1_000).chain(LAST_DAY - 1_000..=LAST_DAY);
        for day in days {
            let date = NaiveDate::from_num_days_from_ce_opt(day as i32 + 719_163).unwrap();
            assert_eq!(civil(day), (date.year().into(), date.month(), date.day()));
        }
        let text = |day| date(day, <[u8]>::to_owned);
        assert!(text(FIRST_DAY - 1).is_none() && text(LAST_DAY + 1).is_none());
    }
}
