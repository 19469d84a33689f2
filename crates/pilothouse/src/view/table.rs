//! Lists in columns, and the short forms of ids and times.

use std::io;

use anstyle::Style;
use jiff::{SignedDuration, Timestamp};
use pilothouse_session::id::SessionId;
use unicode_width::UnicodeWidthStr;

use super::screen::{Screen, width};
use super::text::{cut, one_line};

/// Rows of cells. The last column takes what is left of the width.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<Vec<(Style, String)>>,
}

impl Table {
    /// Adds a row.
    pub(crate) fn row<const N: usize>(&mut self, cells: [(Style, &str); N]) {
        let cells = cells.map(|(style, text)| (style, one_line(text)));
        self.rows.push(cells.into());
    }

    /// It has no rows.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Writes it.
    pub(crate) fn write(&self, screen: &mut Screen) -> io::Result<()> {
        for line in self.lines(width()) {
            screen.painted(&line)?;
        }
        Ok(())
    }

    fn lines(&self, width: usize) -> Vec<String> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let widest = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|(_, text)| text.width()).max().unwrap_or(0)
        };
        let widths: Vec<_> = (0..columns).map(widest).collect();
        let line = |row: &Vec<(Style, String)>| {
            let (mut line, mut left) = (String::new(), width);
            for (column, (style, text)) in row.iter().enumerate() {
                let is_last = column + 1 == row.len();
                let room = if is_last { left } else { widths[column].min(left) };
                let text = cut(text, room);
                line.push_str(&format!("{style}{text}{style:#}"));
                if !is_last {
                    line.push_str(&" ".repeat((room - text.width()).min(left) + 2));
                }
                left = left.saturating_sub(room + 2);
            }
            line.trim_end().to_owned()
        };
        self.rows.iter().map(line).collect()
    }
}

/// The end of an id: the beginning is the time, and alike for sessions of one day.
pub(crate) fn short(session: SessionId) -> String {
    let id = session.to_string();
    id[id.len().saturating_sub(8)..].to_owned()
}

/// How long ago something was.
pub(crate) fn ago(then: Timestamp, now: Timestamp) -> String {
    let since = now.duration_since(then).max(SignedDuration::ZERO);
    let (minutes, hours) = (since.as_mins(), since.as_hours());
    match (minutes, hours) {
        (0, _) => "now".to_owned(),
        (minutes @ 1..60, _) => format!("{minutes} min"),
        (_, hours @ 1..48) => format!("{hours} h"),
        (_, hours) => format!("{} d", hours / 24),
    }
}

#[cfg(test)]
mod tests {
    use super::super::style::PLAIN;
    use super::*;

    #[test]
    fn columns_stand_below_each_other_and_fit() {
        let mut table = Table::default();
        table.row([(PLAIN, "a"), (PLAIN, "wide"), (PLAIN, "the rest of it\nis cut")]);
        table.row([(PLAIN, "漢字"), (PLAIN, "b"), (PLAIN, "short")]);
        assert_eq!(table.lines(22), ["a     wide  the rest …", "漢字  b     short"]);
        assert_eq!(table.lines(6), ["a", "漢字"]);
    }

    #[test]
    fn times_are_told_in_one_unit() {
        let now = Timestamp::from_second(1_000_000).unwrap();
        let then = |seconds: i64| Timestamp::from_second(1_000_000 - seconds).unwrap();
        for (seconds, told) in
            [(0, "now"), (59, "now"), (60, "1 min"), (3_600, "1 h"), (172_800, "2 d"), (-5, "now")]
        {
            assert_eq!(ago(then(seconds), now), told);
        }
    }
}
