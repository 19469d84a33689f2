//! Runs the contenders in turn and keeps their readings.
//!
//! One round is every contender once on one corpus: what else the machine does
//! meanwhile then hits all of them alike, and not the one whose turn it is.

use crate::contenders::Contender;
use crate::corpus::{Corpus, Kind};
use crate::reading::Reading;
use crate::setup::Site;

/// All readings of one contender on one corpus.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Series {
    /// Lines of the corpus.
    pub lines: u64,
    /// One per run that went through.
    pub readings: Vec<Reading>,
    /// Why a run did not go through.
    pub failure: Option<String>,
}

impl Series {
    /// Thousands of corpus lines per second: the best run, with the slowest one.
    #[must_use]
    pub fn klines(&self) -> Option<(f64, f64)> {
        let rates = self
            .readings
            .iter()
            .filter(|reading| reading.messages > 0 && reading.seconds > 0.0)
            .map(|reading| self.lines as f64 / reading.seconds / 1000.0);
        rates.fold(None, |range: Option<(f64, f64)>, rate| {
            let (best, worst) = range.unwrap_or((rate, rate));
            Some((best.max(rate), worst.min(rate)))
        })
    }

    /// The rate of the best run.
    #[must_use]
    pub fn best(&self) -> Option<f64> {
        self.klines().map(|(best, _)| best)
    }

    /// The highest peak memory of any run that measured something.
    #[must_use]
    pub fn peak_rss_kib(&self) -> Option<u64> {
        let measured = self.readings.iter().filter(|reading| reading.messages > 0);
        measured.map(|reading| reading.peak_rss_kib).max()
    }

    /// What a reader of the table has to know about these figures; `omission` is
    /// what is known about messages left out.
    #[must_use]
    pub fn remark(&self, omission: Option<&str>) -> Option<String> {
        if let Some(failure) = &self.failure {
            return Some(failure.clone());
        }
        let reading = self.readings.first()?;
        if reading.messages == 0 {
            return Some("not measured yet".to_owned());
        }
        if reading.messages == self.lines {
            return None;
        }
        let mut remark = format!("hands out {} of {} messages", reading.messages, self.lines);
        if let Some(omission) = omission {
            remark.push_str(&format!(": {omission}"));
        }
        if let Some(error) = &reading.first_error {
            let errors = reading.errors;
            remark.push_str(&format!(", {errors} lines fail to decode (\"{error}\")"));
        }
        Some(remark)
    }
}

/// One contender's line of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Who.
    pub contender: Contender,
    /// On the mixed corpus.
    pub mixed: Series,
    /// On deltas alone.
    pub deltas: Series,
}

impl Row {
    fn series_mut(&mut self, kind: Kind) -> &mut Series {
        match kind {
            Kind::Mixed => &mut self.mixed,
            Kind::Deltas => &mut self.deltas,
        }
    }
}

/// Runs everyone `runs` times on each corpus. `say` hears each reading.
pub fn measure(
    site: &Site,
    contenders: &[Contender],
    corpora: &[Corpus],
    runs: u32,
    say: &mut dyn FnMut(&str),
) -> Vec<Row> {
    let row = |contender: &Contender| Row {
        contender: *contender,
        mixed: Series::default(),
        deltas: Series::default(),
    };
    let mut rows: Vec<Row> = contenders.iter().map(row).collect();
    for run in 1..=runs {
        for corpus in corpora {
            for row in &mut rows {
                let contender = row.contender;
                let series = row.series_mut(corpus.kind);
                series.lines = corpus.lines;
                // Who failed once would fail again, after another long wait.
                if series.failure.is_some() {
                    continue;
                }
                let outcome = run_once(site, contender, corpus);
                let (name, kind) = (contender.key(), corpus.kind.name());
                match outcome {
                    Ok(reading) => {
                        let seconds = reading.seconds;
                        say(&format!("run {run}/{runs}, {kind}, {name}: {seconds:.3} s"));
                        series.readings.push(reading);
                    }
                    Err(failure) => {
                        say(&format!("run {run}/{runs}, {kind}, {name}: {failure}"));
                        series.failure = Some(failure);
                    }
                }
            }
        }
    }
    rows
}

fn run_once(site: &Site, contender: Contender, corpus: &Corpus) -> Result<Reading, String> {
    let output = contender
        .command(site, corpus)?
        .output()
        .map_err(|error| format!("cannot be started: {error}"))?;
    let printed = String::from_utf8_lossy(&output.stdout);
    if let (true, Some(reading)) = (output.status.success(), Reading::parse(&printed)) {
        return Ok(reading);
    }
    let complaints = String::from_utf8_lossy(&output.stderr);
    let last = complaints.lines().rev().find(|line| !line.trim().is_empty());
    Err(format!("fails with {}: {}", output.status, last.unwrap_or("no message")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(messages: u64, seconds: f64) -> Reading {
        Reading { messages, seconds, peak_rss_kib: 7, errors: 0, first_error: None }
    }

    #[test]
    fn the_best_run_counts() {
        let series = Series {
            lines: 1000,
            readings: vec![reading(1000, 0.5), reading(1000, 0.25), reading(1000, 1.0)],
            failure: None,
        };
        assert_eq!(series.klines(), Some((4.0, 1.0)));
        assert_eq!(series.peak_rss_kib(), Some(7));
        assert_eq!(series.remark(Some("unused")), None);
    }

    #[test]
    fn a_stub_has_no_figures() {
        let series = Series { lines: 1000, readings: vec![reading(0, 0.1)], failure: None };
        assert_eq!((series.klines(), series.peak_rss_kib()), (None, None));
        assert_eq!(series.remark(None).as_deref(), Some("not measured yet"));
    }

    #[test]
    fn lost_messages_are_remarked() {
        let mut short = reading(900, 0.1);
        short.errors = 100;
        short.first_error = Some("bad".into());
        let series = Series { lines: 1000, readings: vec![short], failure: None };
        let remark = series.remark(Some("skips")).expect("a remark");
        assert_eq!(
            remark,
            "hands out 900 of 1000 messages: skips, 100 lines fail to decode (\"bad\")"
        );
    }
}
