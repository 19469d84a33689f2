//! The one table: what was measured, what was to be reached.

use crate::goals::Verdict;
use crate::options::Format;

/// One row.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// What was measured.
    pub what: String,
    /// What came of it.
    pub figure: String,
    /// What was to be reached; nothing where it is only told.
    pub goal: Option<String>,
    /// Whether it was.
    pub verdict: Option<Verdict>,
}

impl Row {
    /// A figure that is to be no more than `most`.
    pub fn at_most(what: impl Into<String>, value: f64, most: f64, unit: &str) -> Self {
        Self::bound(what, value, (most, "≤"), unit, value <= most)
    }

    /// A figure that is to be no less than `least`.
    pub fn at_least(what: impl Into<String>, value: f64, least: f64, unit: &str) -> Self {
        Self::bound(what, value, (least, "≥"), unit, value >= least)
    }

    fn bound(
        what: impl Into<String>,
        value: f64,
        (bound, sign): (f64, &str),
        unit: &str,
        is_met: bool,
    ) -> Self {
        Self {
            what: what.into(),
            figure: format!("{}{unit}", round(value)),
            goal: Some(format!("{sign} {}{unit}", round(bound))),
            verdict: Some(if is_met { Verdict::Met } else { Verdict::NotMet }),
        }
    }

    /// A figure without a goal.
    pub fn told(what: impl Into<String>, figure: impl Into<String>) -> Self {
        Self { what: what.into(), figure: figure.into(), goal: None, verdict: None }
    }

    /// Something that could not be measured.
    pub fn failed(what: impl Into<String>, why: &str) -> Self {
        let (figure, verdict) = (why.replace(['\n', '|'], " "), Some(Verdict::NotMeasured));
        Self { what: what.into(), figure, goal: None, verdict }
    }
}

/// Three digits that mean something.
fn round(value: f64) -> String {
    match value.abs() {
        size if size >= 1000.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size == size.trunc() => format!("{value:.0}"),
        _ => format!("{value:.2}"),
    }
}

/// The table.
#[must_use]
pub fn render(rows: &[Row], format: Format) -> String {
    let cells = |row: &Row| {
        [
            row.what.clone(),
            row.figure.clone(),
            row.goal.clone().unwrap_or_default(),
            row.verdict.map_or("", Verdict::words).to_owned(),
        ]
    };
    let mut lines = vec![["measured".to_owned(), "figure".into(), "goal".into(), "verdict".into()]];
    lines.extend(rows.iter().map(cells));
    let mut text = String::new();
    match format {
        Format::Markdown => {
            for (number, line) in lines.iter().enumerate() {
                text.push_str(&format!("| {} |\n", line.join(" | ")));
                if number == 0 {
                    text.push_str("|---|---|---|---|\n");
                }
            }
        }
        Format::Plain => {
            let width = |column: usize| {
                let of = |line: &[String; 4]| line.get(column).map_or(0, |it| it.chars().count());
                lines.iter().map(of).max().unwrap_or(0)
            };
            let widths: Vec<usize> = (0..4).map(width).collect();
            for line in &lines {
                let cells = line.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
                text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
                text.push('\n');
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_judged() {
        let rows = [
            Row::at_most("p99", 26.0, 25.0, " ms"),
            Row::at_least("rate", 123_456.0, 100_000.0, "/s"),
            Row::told("p50", "1 ms"),
        ];
        let text = render(&rows, Format::Markdown);
        assert!(text.contains("| p99 | 26.0 ms | ≤ 25.0 ms | not met |"), "{text}");
        assert!(text.contains("| rate | 123456/s | ≥ 100000/s | met |"), "{text}");
        assert!(text.contains("| p50 | 1 ms |  |  |"), "{text}");
    }
}
