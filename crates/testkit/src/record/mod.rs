//! Records what real CLIs say: plays scenarios and writes transcripts that can be published and
//! compared.
//!
//! * [`scenario`] and [`scenarios`]: what is played, as data.
//! * [`play`]: plays it with a CLI and the scripted model.
//! * [`Names`], [`scrub`], [`trim()`]: make of the lines what does not change from run to run and
//!   holds nobody's prose.
//! * [`transcript`]: the file format.
//!
//! Recording twice gives the same files, as far as the CLI itself says things in the same order.

mod json;
mod names;
#[cfg(test)]
mod published;
mod replies;
pub mod scenario;
pub mod scenarios;
pub mod scrub;
mod stage;
pub mod transcript;
mod trim;

pub use json::{Json, Leaf};
pub use names::Names;
pub use stage::{Log, Played, StageError, play};
pub use trim::trim;

use scenario::Scenario;
use scrub::Own;
use transcript::{Dir, Line};

/// The transcripts of what was played, one for each run, with the names of their files.
pub fn transcripts(scenario: &Scenario, played: &Played) -> Vec<(String, Vec<Line>)> {
    let mut names = Names::new(played.places.clone());
    let mut runs: Vec<Vec<Line>> = played
        .runs
        .iter()
        .map(|run| run.iter().map(|(direction, text)| Line::of(*direction, text)).collect())
        .collect();
    runs.iter().flatten().for_each(|line| names.learn(&line.line));
    runs.iter_mut().flatten().for_each(|line| names.apply(&mut line.line));
    let own = own_texts(scenario, runs.iter().flatten());
    for line in runs.iter_mut().flatten() {
        if line.dir == Dir::Out {
            trim(&mut line.line);
            own.scrub(&mut line.line);
        }
    }
    (1..).zip(runs).map(|(number, run)| (file_name(scenario, number), run)).collect()
}

/// The file of a run, counted from 1.
pub fn file_name(scenario: &Scenario, run: usize) -> String {
    match scenario.runs.len() {
        1 => format!("{}.jsonl", scenario.name),
        _ => format!("{}-{run}.jsonl", scenario.name),
    }
}

/// The texts that are ours in the transcripts of `scenario`.
pub fn own_texts<'a>(scenario: &Scenario, lines: impl Iterator<Item = &'a Line>) -> Own {
    let mut own = Own::default();
    for (name, content) in &scenario.files {
        own.add(name);
        own.add(content);
    }
    for run in &scenario.runs {
        run.flags.iter().for_each(|(_, flag)| own.add(flag));
    }
    for line in lines {
        if line.dir == Dir::In {
            own.add_line(&line.line);
        }
    }
    own
}
