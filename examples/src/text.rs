//! Numbers and sentences as people read them.

/// `1234567` as `1,234,567`.
pub fn grouped(number: u64) -> String {
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

/// Seconds with three or four digits and a fitting unit.
pub fn duration(seconds: f64) -> String {
    let (value, unit) = match seconds {
        1.0.. => (seconds, "s"),
        1e-3.. => (seconds * 1e3, "ms"),
        1e-6.. => (seconds * 1e6, "µs"),
        _ => (seconds * 1e9, "ns"),
    };
    if value < 10.0 { format!("{value:.2} {unit}") } else { format!("{value:.1} {unit}") }
}

/// `1 chunk`, `2 chunks`.
pub fn count(number: usize, noun: &str) -> String {
    format!("{} {noun}{}", grouped(number as u64), if number == 1 { "" } else { "s" })
}

/// A paragraph in lines of at most `width` columns, each ended. Longer words get a line of their own.
pub fn wrap(paragraph: &str, width: usize) -> String {
    let mut text = String::new();
    let mut column = 0;
    for word in paragraph.split_whitespace() {
        let len = word.chars().count();
        if column > 0 && column + 1 + len > width {
            text.push('\n');
            column = 0;
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += len;
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([2.5, 0.0125, 9.9e-6, 4e-8].map(duration), ["2.50 s", "12.5 ms", "9.90 µs", "40.0 ns"]);
        assert_eq!([count(1, "row"), count(2000, "row")], ["1 row", "2,000 rows"]);
    }

    #[test]
    fn lines_are_not_too_long() {
        let text = "a bc  def\nghij klmnopqrstuvw xyz é é é";
        for width in 1..40 {
            let wrapped = wrap(text, width);
            assert!(wrapped.lines().all(|line| line.chars().count() <= width || !line.contains(' ')));
            assert_eq!(wrapped.split_whitespace().collect::<Vec<_>>(), text.split_whitespace().collect::<Vec<_>>());
        }
        assert_eq!(wrap("one two three", 8), "one two\nthree\n");
    }
}
