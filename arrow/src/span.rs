//! Durations and intervals, as text.

use std::fmt::{self, Display};

use arrow_buffer::{IntervalDayTime, IntervalMonthDayNano};
use arrow_schema::TimeUnit;
use chrono::TimeDelta;

/// A duration in the form of ISO 8601. `None` if it is out of range.
pub(crate) fn duration(value: i64, unit: TimeUnit) -> Option<impl Display> {
    match unit {
        TimeUnit::Second => TimeDelta::try_seconds(value),
        TimeUnit::Millisecond => TimeDelta::try_milliseconds(value),
        TimeUnit::Microsecond => Some(TimeDelta::microseconds(value)),
        TimeUnit::Nanosecond => Some(TimeDelta::nanoseconds(value)),
    }
}

/// Years and months.
pub(crate) fn months(value: i32) -> impl Display {
    fmt::from_fn(move |f| write!(f, "{} years {} mons", value.div_euclid(12), value.rem_euclid(12)))
}

/// Days and milliseconds.
pub(crate) fn days_and_time(value: IntervalDayTime) -> impl Display {
    fmt::from_fn(move |f| {
        let mut parts = Parts { f, is_empty: true };
        parts.number(value.days.into(), "days")?;
        parts.time(value.milliseconds.into(), 3)?;
        parts.end()
    })
}

/// Months, days and nanoseconds.
pub(crate) fn months_days_and_time(value: IntervalMonthDayNano) -> impl Display {
    fmt::from_fn(move |f| {
        let mut parts = Parts { f, is_empty: true };
        parts.number(value.months.into(), "mons")?;
        parts.number(value.days.into(), "days")?;
        parts.time(value.nanoseconds, 9)?;
        parts.end()
    })
}

/// The parts of an interval that are not zero, each with its unit and its sign.
struct Parts<'f, 'a> {
    f: &'f mut fmt::Formatter<'a>,
    is_empty: bool,
}

impl Parts<'_, '_> {
    fn part(&mut self, text: impl Display) -> fmt::Result {
        let space = if self.is_empty { "" } else { " " };
        self.is_empty = false;
        write!(self.f, "{space}{text}")
    }

    fn number(&mut self, value: i64, unit: &str) -> fmt::Result {
        if value == 0 { Ok(()) } else { self.part(format_args!("{value} {unit}")) }
    }

    /// Hours, minutes and seconds of a time in units of 10^−places seconds.
    fn time(&mut self, value: i64, places: usize) -> fmt::Result {
        let unit = 10i64.pow(places as u32);
        let (seconds, fraction) = (value / unit, value % unit);
        self.number(seconds / 3_600, "hours")?;
        self.number(seconds / 60 % 60, "mins")?;
        if seconds % 60 == 0 && fraction == 0 {
            return Ok(());
        }
        let sign = if value < 0 { "-" } else { "" };
        let (seconds, fraction) = ((seconds % 60).abs(), fraction.abs());
        self.part(format_args!("{sign}{seconds}.{fraction:0places$} secs"))
    }

    fn end(self) -> fmt::Result {
        if self.is_empty { self.f.write_str("0 secs") } else { Ok(()) }
    }
}
