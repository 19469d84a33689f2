//! The outcome as text: one table, the remarks, the goals.

use std::fmt::Write;

use crate::contenders::Contender;
use crate::corpus::{Corpus, Kind};
use crate::goals::{Goal, mebibytes, ratio};
use crate::options::Format;
use crate::runner::{Row, Series};

const HEADINGS: [&str; 6] = [
    "contender",
    "mixed, klines/s",
    "deltas, klines/s",
    "peak RSS, MiB",
    "to TypeScript",
    "to Python",
];

/// Everything the reader gets.
#[must_use]
pub fn render(rows: &[Row], corpora: &[Corpus], goals: &[Goal], format: Format) -> String {
    let mut remarks = Vec::new();
    let body = rows.iter().map(|row| cells(row, rows, &mut remarks)).collect::<Vec<_>>();
    let mut out = String::new();
    grid(&mut out, &HEADINGS.map(str::to_owned), &body, format);
    out.push('\n');
    let mark = match format {
        Format::Plain => "",
        Format::Markdown => "\n",
    };
    for (number, remark) in remarks.iter().enumerate() {
        line(&mut out, &format!("[{}] {remark}{mark}", number + 1));
    }
    line(
        &mut out,
        &format!(
            "Rates: best run (slowest run). Peak RSS: the contender's own process, mixed / deltas. Ratios: mixed / deltas.{mark}"
        ),
    );
    for corpus in corpora {
        line(
            &mut out,
            &format!(
                "Corpus {}: {} lines, {:.1} MB, longest line {} bytes.{mark}",
                corpus.kind.name(),
                corpus.lines,
                corpus.bytes as f64 / 1e6,
                corpus.longest_line
            ),
        );
    }
    line(&mut out, &format!("Machine: {}.", machine()));
    out.push('\n');
    let body = goals.iter().map(goal_cells).collect::<Vec<_>>();
    grid(&mut out, &["goal".into(), "measured".into(), "verdict".into()], &body, format);
    out
}

fn cells(row: &Row, rows: &[Row], remarks: &mut Vec<String>) -> Vec<String> {
    let memory = if row.contender.in_memory() { None } else { memory_cell(row) };
    let omission = row.contender.omission();
    let to = |rival| pair(|kind| ratio(rows, row.contender, rival, kind), "×");
    vec![
        row.contender.label().to_owned(),
        rate_cell(&row.mixed, omission, remarks),
        rate_cell(&row.deltas, omission, remarks),
        memory.unwrap_or_else(|| "–".to_owned()),
        to(Contender::TypeScript),
        to(Contender::Python),
    ]
}

fn rate_cell(series: &Series, omission: Option<&str>, remarks: &mut Vec<String>) -> String {
    let mut cell = match series.klines() {
        Some((best, worst)) => format!("{best:.1} ({worst:.1})"),
        None => "not measured".to_owned(),
    };
    if let Some(remark) = series.remark(omission) {
        let number = remarks.iter().position(|known| *known == remark).unwrap_or_else(|| {
            remarks.push(remark);
            remarks.len() - 1
        });
        cell.push_str(&format!(" [{}]", number + 1));
    }
    cell
}

fn memory_cell(row: &Row) -> Option<String> {
    let mixed = row.mixed.peak_rss_kib();
    let deltas = row.deltas.peak_rss_kib();
    mixed.or(deltas)?;
    let one =
        |kib: Option<u64>| kib.map_or("–".to_owned(), |kib| format!("{:.0}", mebibytes(kib)));
    Some(format!("{} / {}", one(mixed), one(deltas)))
}

/// A figure for each corpus, or a dash when there is neither.
fn pair(figure: impl Fn(Kind) -> Option<f64>, unit: &str) -> String {
    let one = |kind| figure(kind).map_or("–".to_owned(), |value| format!("{value:.2}{unit}"));
    let (mixed, deltas) = (one(Kind::Mixed), one(Kind::Deltas));
    if mixed == deltas && mixed == "–" { mixed } else { format!("{mixed} / {deltas}") }
}

fn goal_cells(goal: &Goal) -> Vec<String> {
    vec![
        goal.aim.clone(),
        goal.figure.clone().unwrap_or_else(|| "–".to_owned()),
        goal.verdict.words().to_owned(),
    ]
}

fn grid(out: &mut String, headings: &[String], body: &[Vec<String>], format: Format) {
    match format {
        Format::Markdown => {
            line(out, &format!("| {} |", headings.join(" | ")));
            line(out, &format!("|{}", "---|".repeat(headings.len())));
            for row in body {
                line(out, &format!("| {} |", row.join(" | ")));
            }
        }
        Format::Plain => {
            let width = |column: usize| {
                let cells = body.iter().filter_map(|row| row.get(column));
                let cells = cells.chain(headings.get(column));
                cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
            };
            let widths = (0..headings.len()).map(width).collect::<Vec<_>>();
            aligned(out, headings, &widths);
            line(
                out,
                &widths.iter().map(|width| "-".repeat(*width)).collect::<Vec<_>>().join("  "),
            );
            for row in body {
                aligned(out, row, &widths);
            }
        }
    }
}

fn aligned(out: &mut String, cells: &[String], widths: &[usize]) {
    let padded = cells.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
    line(out, padded.collect::<Vec<_>>().join("  ").trim_end());
}

fn line(out: &mut String, text: &str) {
    // Writing to a String cannot fail.
    let _ = writeln!(out, "{text}");
}

fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let facts = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = facts
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "))
        .map_or("unknown processor", |(_, model)| model);
    format!("{model}, {cores} cores")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goals::tests::row;

    #[test]
    fn a_row_shows_rates_ratios_and_remarks() {
        let mut rows = [row(Contender::Client, 1.0, 0.5), row(Contender::TypeScript, 4.0, 4.0)];
        rows[1].deltas.failure = Some("fails".into());
        rows[1].deltas.readings.clear();
        let text = render(&rows, &[], &[], Format::Markdown);
        let line =
            |label: &str| text.lines().find(|line| line.contains(label)).expect("a row").to_owned();
        assert_eq!(
            line("pilothouse-client"),
            "| pilothouse-client, end to end | 1.0 (1.0) | 2.0 (2.0) | 29 / 29 | 4.00× / – | – |"
        );
        assert!(line("TypeScript SDK").contains("| not measured [1] |"));
        assert!(text.contains("[1] fails"));
    }

    #[test]
    fn plain_columns_line_up() {
        let mut out = String::new();
        let body = [vec!["ä".to_owned(), "b".to_owned()]];
        grid(&mut out, &["one".to_owned(), "two".to_owned()], &body, Format::Plain);
        assert_eq!(out, "one  two\n---  ---\nä    b\n");
    }
}
