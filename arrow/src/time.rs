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
pub(crate) struct Text {
    bytes: [u8; 48],
    len: usize,
}

/// The form of most texts. Digits are filled in where they belong, which needs no position but constant ones.
const FORM: [u8; 48] = *b"0000-00-00T00:00:00.000000000                   ";
/// Where the time begins in it, and where the fraction of a second.
const TIME: usize = 11;
const FRACTION: usize = 19;

impl Text {
    #[inline]
    pub(crate) fn as_str(&self) -> &str {
        str::from_utf8(&self.bytes[..self.len]).unwrap_or_default()
    }

    /// Fills in two digits.
    #[inline(always)]
    fn pair(&mut self, at: usize, value: u32) {
        // Exact for all numbers below 100.
        let tens = value * 205 >> 11;
        self.bytes[at] = b'0' + tens as u8;
        self.bytes[at + 1] = b'0' + (value - 10 * tens) as u8;
    }

    /// Fills in a date whose year has four digits.
    #[inline(always)]
    fn date(&mut self, year: u32, month: u32, day: u32) {
        self.pair(0, year / 100);
        self.pair(2, year % 100);
        self.pair(5, month);
        self.pair(8, day);
    }

    /// Fills in a time from `TIME` on, with as many digits of a second as are needed: none, three, six or nine.
    #[inline(always)]
    fn time(&mut self, seconds: u32, nanos: u32) {
        self.pair(TIME, seconds / 3_600);
        self.pair(TIME + 3, seconds / 60 % 60);
        self.pair(TIME + 6, seconds % 60);
        self.len = FRACTION;
        if nanos != 0 {
            self.fraction(nanos);
        }
    }

    #[inline(always)]
    fn fraction(&mut self, nanos: u32) {
        let (millis, micros, rest) = (nanos / 1_000_000, nanos / 1_000 % 1_000, nanos % 1_000);
        self.three(FRACTION + 1, millis);
        self.len = FRACTION + 4;
        if micros != 0 || rest != 0 {
            self.three(FRACTION + 4, micros);
            self.len = FRACTION + 7;
        }
        if rest != 0 {
            self.three(FRACTION + 7, rest);
            self.len = FRACTION + 10;
        }
    }

    #[inline(always)]
    fn three(&mut self, at: usize, value: u32) {
        self.bytes[at] = b'0' + (value / 100) as u8;
        self.pair(at + 1, value % 100);
    }

    /// Adds the offset from Greenwich, to the nearest minute: some of before 1900 have seconds.
    fn offset(&mut self, offset: i32) {
        if offset == 0 {
            self.bytes[self.len] = b'Z';
            self.len += 1;
            return;
        }
        let minutes = (offset.unsigned_abs() + 30) / 60;
        self.bytes[self.len] = if offset < 0 { b'-' } else { b'+' };
        self.pair(self.len + 1, minutes / 60);
        self.bytes[self.len + 3] = b':';
        self.pair(self.len + 4, minutes % 60);
        self.len += 6;
    }

    /// Puts a year that has not four digits in the place of those that are there.
    #[cold]
    #[inline(never)]
    fn long_year(&mut self, year: i64) {
        let year = format!("{year:+05}");
        let longer = year.len() - 4;
        self.bytes.copy_within(4..self.len, year.len());
        self.bytes[..year.len()].copy_from_slice(year.as_bytes());
        self.len += longer;
    }
}

/// Writes a date, given as days since 1970. `None` if it is out of range.
#[inline]
pub(crate) fn date<R>(days: i64, write: impl FnOnce(&str) -> R) -> Option<R> {
    if !(FIRST_DAY..=LAST_DAY).contains(&days) {
        return None;
    }
    let mut text = Text { bytes: FORM, len: TIME - 1 };
    let (year, month, day) = civil(days);
    text.date(year.rem_euclid(10_000) as u32, month, day);
    if !(0..=9999).contains(&year) {
        text.long_year(year);
    }
    Some(write(text.as_str()))
}

/// Writes a time of the day. `None` if no day has it.
#[inline]
pub(crate) fn time<R>(value: i64, unit: TimeUnit, write: impl FnOnce(&str) -> R) -> Option<R> {
    if !(0..DAY * per_second(unit)).contains(&value) {
        return None;
    }
    let (seconds, nanos) = split(value, unit);
    let mut text = Text { bytes: FORM, len: 0 };
    text.time(seconds as u32, nanos);
    Some(write(&text.as_str()[TIME..]))
}

/// Writes a date and time, given as units since 1970. `None` if it is out of range.
#[inline]
pub(crate) fn timestamp<R>(value: i64, unit: TimeUnit, zone: Zone, write: impl FnOnce(&str) -> R) -> Option<R> {
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
    let mut text = Text { bytes: FORM, len: 0 };
    text.date(year.rem_euclid(10_000) as u32, month, day);
    text.time(local.rem_euclid(DAY) as u32, nanos);
    if !matches!(zone, Zone::None) {
        text.offset(offset);
    }
    if !(0..=9999).contains(&year) {
        text.long_year(year);
    }
    Some(write(text.as_str()))
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
        let text = |day| date(day, str::to_owned);
        assert!(text(FIRST_DAY - 1).is_none() && text(LAST_DAY + 1).is_none());
    }
}
