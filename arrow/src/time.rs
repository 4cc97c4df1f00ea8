//! Dates, times and timestamps, as text in the form of RFC 3339.

use arrow_array::timezone::Tz;
use arrow_schema::TimeUnit;
use chrono::{DateTime, Offset as _, TimeZone as _};

use crate::texts::Room;

/// Seconds of a day.
const DAY: i64 = 86_400;

/// The days since 1970 that have a date: from the year −262143 to 262142. Arrow's own tools have the same limits.
const FIRST_DAY: i64 = -96_465_292;
const LAST_DAY: i64 = 95_026_236;

/// Years are counted from this many before the year 0, so that they are positive; a multiple of 400, so that leap years
/// are where they were, and of 10,000, so that the last four digits are the same.
const YEAR_0: u32 = 400_000;

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

/// Splits a time into whole days, rounded down, seconds of the day and nanoseconds.
#[inline(always)]
fn split(value: i64, unit: TimeUnit) -> (i64, u32, u32) {
    // Each with constants, which need no division, and only one that is signed.
    const fn split<const PER_SECOND: i64>(value: i64) -> (i64, u32, u32) {
        let (days, rest) = (value.div_euclid(DAY * PER_SECOND), value.rem_euclid(DAY * PER_SECOND) as u64);
        let (seconds, parts) = (rest / PER_SECOND as u64, rest % PER_SECOND as u64);
        (days, seconds as u32, parts as u32 * (1_000_000_000 / PER_SECOND) as u32)
    }
    match unit {
        TimeUnit::Second => split::<1>(value),
        TimeUnit::Millisecond => split::<1_000>(value),
        TimeUnit::Microsecond => split::<1_000_000>(value),
        TimeUnit::Nanosecond => split::<1_000_000_000>(value),
    }
}

/// Eight decimal digits of four numbers below 100, the first one in the least significant byte. All of them at once: in
/// each lane, 103 / 1024 is near enough to a tenth.
#[inline(always)]
fn pairs(numbers: [u32; 4]) -> u64 {
    let lanes = numbers.iter().rev().fold(0, |lanes, number| lanes << 16 | u64::from(*number));
    let tens = ((lanes * 103) >> 10) & 0x000f_000f_000f_000f;
    (tens | (lanes - 10 * tens) << 8) | 0x3030_3030_3030_3030
}

/// A character at a place among eight.
const fn mark(character: u8, at: u32) -> u64 {
    (character as u64) << (8 * at)
}

#[inline(always)]
fn put(room: &mut Room, at: usize, eight: u64) {
    room[at..at + 8].copy_from_slice(&eight.to_le_bytes());
}

/// Puts the text of a date, given as days since 1970, at the front of the room, and returns its length. `None` if it is
/// out of range.
#[inline(always)]
pub(crate) fn date(days: i64, room: &mut Room) -> Option<usize> {
    if !(FIRST_DAY..=LAST_DAY).contains(&days) {
        return None;
    }
    let year = put_date(room, days);
    Some(if is_long(year) { put_long_year(room, 10, year) } else { 10 })
}

/// Puts the text of a time of the day, as [`date`]. `None` if no day has it.
#[inline(always)]
pub(crate) fn time(value: i64, unit: TimeUnit, room: &mut Room) -> Option<usize> {
    match split(value, unit) {
        (0, seconds, nanos) => Some(put_time(room, 0, seconds, nanos)),
        _ => None,
    }
}

/// Puts the text of a date and time, given as units since 1970, as [`date`]. `None` if it is out of range.
#[inline(always)]
pub(crate) fn timestamp(value: i64, unit: TimeUnit, zone: Zone, room: &mut Room) -> Option<usize> {
    let (mut days, mut seconds, nanos) = split(value, unit);
    if !(FIRST_DAY..=LAST_DAY).contains(&days) {
        return None;
    }
    let offset = match zone {
        Zone::None | Zone::Fixed(0) => 0,
        Zone::Fixed(offset) => offset,
        Zone::Named(zone) => offset_of(zone, days, seconds),
    };
    if offset != 0 {
        let local = i64::from(seconds) + i64::from(offset);
        days += local.div_euclid(DAY);
        seconds = local.rem_euclid(DAY) as u32;
    }
    let year = put_date(room, days);
    room[10] = b'T';
    let mut len = put_time(room, 11, seconds, nanos);
    match zone {
        Zone::None => {}
        _ if offset == 0 => {
            room[len] = b'Z';
            len += 1;
        }
        _ => len = put_offset(room, len, offset),
    }
    Some(if is_long(year) { put_long_year(room, len, year) } else { len })
}

#[inline(never)]
fn offset_of(zone: Tz, days: i64, seconds: u32) -> i32 {
    let utc = DateTime::from_timestamp(days * DAY + i64::from(seconds), 0).unwrap_or_default().naive_utc();
    zone.offset_from_utc_datetime(&utc).fix().local_minus_utc()
}

/// Puts a date, with the last four digits of its year, in ten bytes. Returns the year, counted from [`YEAR_0`].
#[inline(always)]
fn put_date(room: &mut Room, days: i64) -> u32 {
    let (year, month, day) = civil(days);
    let digits = pairs([year / 100 % 100, year % 100, month, day]);
    put(room, 0, digits & 0xffff_ffff | mark(b'-', 4) | (digits >> 32 & 0xffff) << 40 | mark(b'-', 7));
    room[8..10].copy_from_slice(&((digits >> 48) as u16).to_le_bytes());
    year
}

/// Puts a time, with as many digits of a second as are needed: none, three, six or nine. Returns where it ends.
#[inline(always)]
fn put_time(room: &mut Room, at: usize, seconds: u32, nanos: u32) -> usize {
    let millis = nanos / 1_000_000;
    let digits = pairs([seconds / 3_600, seconds / 60 % 60, seconds % 60, millis / 10]);
    let (hours, minutes, seconds) = (digits & 0xffff, digits >> 16 & 0xffff, digits >> 32 & 0xffff);
    put(room, at, hours | mark(b':', 2) | minutes << 24 | mark(b':', 5) | seconds << 48);
    if nanos == 0 {
        return at + 8;
    }
    put(room, at + 8, mark(b'.', 0) | (digits >> 48) << 8 | mark(b'0' + (millis % 10) as u8, 3));
    let fine = nanos - millis * 1_000_000;
    if fine == 0 {
        return at + 12;
    }
    put(room, at + 12, pairs([fine / 10_000, fine / 100 % 100, fine % 100, 0]));
    if fine.is_multiple_of(1_000) { at + 15 } else { at + 18 }
}

/// Puts the offset from Greenwich, to the nearest minute: some of before 1900 have seconds. Returns where it ends.
#[inline(never)]
fn put_offset(room: &mut Room, at: usize, offset: i32) -> usize {
    let minutes = (offset.unsigned_abs() + 30) / 60;
    let digits = pairs([minutes / 60, minutes % 60, 0, 0]);
    let sign = if offset < 0 { b'-' } else { b'+' };
    put(room, at, mark(sign, 0) | (digits & 0xffff) << 8 | mark(b':', 3) | (digits >> 16 & 0xffff) << 32);
    at + 6
}

/// Whether a year has not four digits.
#[inline(always)]
fn is_long(year: u32) -> bool {
    !(YEAR_0..YEAR_0 + 10_000).contains(&year)
}

/// Puts a whole year in the place of the four digits that begin a text of this length. Returns the new length.
#[cold]
#[inline(never)]
fn put_long_year(room: &mut Room, len: usize, year: u32) -> usize {
    let year = format!("{:+05}", i64::from(year) - i64::from(YEAR_0));
    room.copy_within(4..len, year.len());
    room[..year.len()].copy_from_slice(year.as_bytes());
    len - 4 + year.len()
}

/// The year, month and day of a day since 1970. By the method of Neri and Schneider ("Euclidean affine functions and
/// their application to calendar algorithms"): years begin in March, so that the leap day is the last one, and each
/// division is one by a constant.
///
/// The year is counted from [`YEAR_0`].
#[inline(always)]
fn civil(days: i64) -> (u32, u32, u32) {
    const DAYS_OF_400_YEARS: i64 = 146_097;
    /// From March of the year 0 to 1970.
    const EPOCH: i64 = 719_468;
    // Less than 2^28, so four times as much fits, too.
    let shifted = (days + EPOCH + i64::from(YEAR_0) / 400 * DAYS_OF_400_YEARS) as u32;
    let centuries = (4 * shifted + 3) / 146_097;
    let day_of_century = (4 * shifted + 3) % 146_097 / 4;
    let year_of_century = (4 * day_of_century + 3) / 1_461;
    let day_of_year = (4 * day_of_century + 3) % 1_461 / 4;
    // Months from March on have 31, 30, 31, 30, 31 days, again and again.
    let month_and_day = 2_141 * day_of_year + 197_913;
    let (month, day) = (month_and_day >> 16, (month_and_day & 0xffff) / 2_141);
    let after_december = day_of_year >= 306;
    let year = 100 * centuries + year_of_century + u32::from(after_december);
    (year, if after_december { month - 12 } else { month }, day + 1)
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
            let (year, month, of_month) = civil(day);
            assert_eq!((year as i32 - YEAR_0 as i32, month, of_month), (date.year(), date.month(), date.day()));
        }
        let text = |day| date(day, &mut [0; 128]);
        assert!(text(FIRST_DAY - 1).is_none() && text(LAST_DAY + 1).is_none());
    }
}
