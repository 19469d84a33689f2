//! What we want to reach, held against what was measured.

use crate::contenders::Contender;
use crate::corpus::{Corpus, Kind};
use crate::runner::{Row, Series};

/// One goal and its outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct Goal {
    /// What is compared, and the bound.
    pub aim: String,
    /// The measured figure with its unit; `None` when a side was not measured.
    pub figure: Option<String>,
    /// Whether the figure is within the bound.
    pub verdict: Verdict,
}

/// Whether a goal is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It is.
    Met,
    /// It is not.
    NotMet,
    /// Not all of it was measured.
    NotMeasured,
}

impl Verdict {
    /// The words for it.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Met => "met",
            Self::NotMet => "not met",
            Self::NotMeasured => "not measured",
        }
    }
}

/// How often our client must be as fast as an SDK.
const LEADS: [(Contender, &str, Kind, f64); 4] = [
    (Contender::TypeScript, "TypeScript SDK", Kind::Mixed, 4.0),
    (Contender::Python, "Python SDK", Kind::Mixed, 10.0),
    (Contender::TypeScript, "TypeScript SDK", Kind::Deltas, 5.0),
    (Contender::Python, "Python SDK", Kind::Deltas, 15.0),
];
/// How often the cost of splitting a typed decode may take.
const DECODE_COST: f64 = 25.0;
/// How often the cost of a decode the machine on top of it may take, both together.
const SESSION_COST: f64 = 2.0;
/// Memory our client may use beyond four times the longest line.
const SPARE_KIB: u64 = 16 * 1024;

/// Every goal, judged.
#[must_use]
pub fn judge(rows: &[Row], corpora: &[Corpus]) -> Vec<Goal> {
    let mut goals = Vec::new();
    for (rival, name, kind, factor) in LEADS {
        let lead = ratio(rows, Contender::Client, rival, kind);
        goals.push(Goal {
            aim: format!("end to end ≥ {factor}× the {name}, {}", kind.name()),
            figure: lead.map(|lead| format!("{lead:.2}×")),
            verdict: verdict(lead.map(|lead| lead >= factor)),
        });
    }
    for kind in Kind::ALL {
        let cost = ratio(rows, Contender::Split, Contender::Decode, kind);
        goals.push(Goal {
            aim: format!("typed decode ≤ {DECODE_COST}× the cost of splitting, {}", kind.name()),
            figure: cost.map(|cost| format!("{cost:.1}×")),
            verdict: verdict(cost.map(|cost| cost <= DECODE_COST)),
        });
    }
    for kind in Kind::ALL {
        let cost = ratio(rows, Contender::Decode, Contender::Session, kind);
        goals.push(Goal {
            aim: format!("decode and handle ≤ {SESSION_COST}× the decode alone, {}", kind.name()),
            figure: cost.map(|cost| format!("{cost:.2}×")),
            verdict: verdict(cost.map(|cost| cost <= SESSION_COST)),
        });
    }
    for corpus in corpora {
        let allowed = 4 * corpus.longest_line / 1024 + SPARE_KIB;
        let peak = series(rows, Contender::Client, corpus.kind).and_then(Series::peak_rss_kib);
        goals.push(Goal {
            aim: format!(
                "peak memory ≤ 4 × the longest line + 16 MiB = {:.1} MiB, {}",
                mebibytes(allowed),
                corpus.kind.name()
            ),
            figure: peak.map(|peak| format!("{:.1} MiB", mebibytes(peak))),
            verdict: verdict(peak.map(|peak| peak <= allowed)),
        });
    }
    goals
}

/// KiB as MiB.
#[must_use]
pub fn mebibytes(kib: u64) -> f64 {
    kib as f64 / 1024.0
}

/// How many times as fast `one` is as `other`, best run against best run.
#[must_use]
pub fn ratio(rows: &[Row], one: Contender, other: Contender, kind: Kind) -> Option<f64> {
    let rate = |contender| series(rows, contender, kind).and_then(Series::best);
    Some(rate(one)? / rate(other)?)
}

fn series(rows: &[Row], contender: Contender, kind: Kind) -> Option<&Series> {
    let row = rows.iter().find(|row| row.contender == contender)?;
    Some(match kind {
        Kind::Mixed => &row.mixed,
        Kind::Deltas => &row.deltas,
    })
}

fn verdict(reached: Option<bool>) -> Verdict {
    match reached {
        Some(true) => Verdict::Met,
        Some(false) => Verdict::NotMet,
        None => Verdict::NotMeasured,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::reading::Reading;

    pub(crate) fn row(contender: Contender, mixed: f64, deltas: f64) -> Row {
        let series = |seconds| Series {
            lines: 1000,
            readings: vec![Reading {
                messages: 1000,
                seconds,
                peak_rss_kib: 30_000,
                errors: 0,
                first_error: None,
            }],
            failure: None,
        };
        Row { contender, mixed: series(mixed), deltas: series(deltas) }
    }

    fn corpus(longest_line: u64) -> Corpus {
        Corpus {
            kind: Kind::Mixed,
            path: "corpus".into(),
            bytes: 1,
            lines: 1000,
            results: 1,
            longest_line,
        }
    }

    #[test]
    fn goals_compare_best_with_best() {
        let rows = [
            row(Contender::Split, 0.01, 0.01),
            row(Contender::Decode, 0.2, 0.3),
            row(Contender::Session, 0.3, 0.7),
            row(Contender::Client, 1.0, 1.0),
            row(Contender::TypeScript, 4.0, 4.9),
        ];
        let goals = judge(&rows, &[corpus(2 << 20)]);
        let verdicts = goals.iter().map(|goal| goal.verdict).collect::<Vec<_>>();
        use Verdict::{Met, NotMeasured, NotMet};
        assert_eq!(verdicts[..4], [Met, NotMeasured, NotMet, NotMeasured]);
        assert_eq!(verdicts[4..], [Met, NotMet, Met, NotMet, NotMet]);
        assert_eq!(goals[2].figure.as_deref(), Some("4.90×"));
        assert!(judge(&rows, &[corpus(8 << 20)])[8].verdict == Met);
    }
}
