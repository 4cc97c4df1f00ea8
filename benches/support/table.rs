//! A table in Markdown that can also be read as it is.

#![allow(dead_code, reason = "each benchmark uses its own part")]

use std::fmt::Write;

pub struct Table {
    rows: Vec<Vec<String>>,
    /// Which columns are text, aligned to the left; others are numbers.
    texts: &'static [usize],
}

impl Table {
    pub fn new(head: &[&str], texts: &'static [usize]) -> Table {
        Table { rows: vec![head.iter().map(ToString::to_string).collect()], texts }
    }

    pub fn row(&mut self, cells: Vec<String>) {
        assert_eq!(cells.len(), self.rows[0].len());
        self.rows.push(cells);
    }

    pub fn is_empty(&self) -> bool {
        self.rows.len() == 1
    }

    pub fn render(&self) -> String {
        let width = |column: usize| self.rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0).max(3);
        let widths: Vec<usize> = (0..self.rows[0].len()).map(width).collect();
        let mut text = String::new();
        for (i, row) in self.rows.iter().enumerate() {
            for (column, cell) in row.iter().enumerate() {
                let width = widths[column];
                let result = match self.texts.contains(&column) {
                    true => write!(text, "| {cell:<width$} "),
                    false => write!(text, "| {cell:>width$} "),
                };
                result.expect("strings take all");
            }
            text.push_str("|\n");
            if i == 0 {
                for (column, &width) in widths.iter().enumerate() {
                    let end = if self.texts.contains(&column) { '-' } else { ':' };
                    write!(text, "|-{}{end}", "-".repeat(width)).expect("strings take all");
                }
                text.push_str("|\n");
            }
        }
        text
    }
}

/// `1234567` as `1,234,567`.
pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Seconds as microseconds, with three or more digits.
pub fn micros(seconds: f64) -> String {
    match seconds * 1e6 {
        micros @ 100.0.. => grouped(micros.round() as usize),
        micros @ 1.0.. => format!("{micros:.1}"),
        micros => format!("{micros:.3}"),
    }
}

pub fn ratio(ratio: f64) -> String {
    format!("{ratio:.2}")
}
