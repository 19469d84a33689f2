//! The transcripts that are kept: complete, free of the CLI's prose and of this machine.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use super::scenario::Scenario;
use super::transcript::{Dir, Line, read};
use super::{file_name, own_texts, scenarios, trim};
use crate::cli::CliVersion;

fn directory(version: CliVersion) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../transcripts").join(version.number())
}

fn files(scenario: &Scenario) -> Vec<String> {
    (1..=scenario.runs.len()).map(|run| file_name(scenario, run)).collect()
}

/// What was kept of each scenario with each version, all runs in one list.
fn kept() -> Vec<(String, Scenario, Vec<Line>)> {
    let mut kept = Vec::new();
    for version in CliVersion::RECORDED {
        for scenario in scenarios::all() {
            if !scenario.suits(version) {
                continue;
            }
            let mut lines = Vec::new();
            for name in files(&scenario) {
                let path = directory(version).join(name);
                let text = fs::read_to_string(&path)
                    .unwrap_or_else(|error| panic!("{}: {error}; record it", path.display()));
                lines.extend(read(&text).unwrap());
            }
            kept.push((format!("{version} {}", scenario.name), scenario, lines));
        }
    }
    kept
}

#[test]
fn there_is_one_for_every_run_and_nothing_else() {
    for version in CliVersion::RECORDED {
        let suiting = scenarios::all().into_iter().filter(|scenario| scenario.suits(version));
        let wanted: BTreeSet<String> = suiting.flat_map(|scenario| files(&scenario)).collect();
        let found: BTreeSet<String> = fs::read_dir(directory(version))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        assert_eq!(found, wanted, "{version}");
    }
}

#[test]
fn there_is_nothing_left_to_scrub_or_trim() {
    for (name, scenario, lines) in kept() {
        let own = own_texts(&scenario, lines.iter());
        for line in lines.into_iter().filter(|line| line.dir == Dir::Out) {
            let mut again = line.line.clone();
            trim(&mut again);
            own.scrub(&mut again);
            assert_eq!(again, line.line, "{name}");
        }
    }
}

/// Beginnings and ends of sentences that the CLI is known to write, one for each place where it
/// writes them: results of tools, refusals, interrupts, errors, descriptions of commands, agents,
/// models and tools, prompts, local commands.
const THEIRS: [&str; 22] = [
    "successfully",
    "has been updated",
    "The file ",
    "does not exist",
    "doesn't want to",
    "was rejected",
    "Request interrupted",
    "[ede_diagnostic]",
    "API Error",
    "No conversation found",
    "No such tool",
    "Exit code ",
    "requires approval",
    "haven't granted",
    "You are ",
    "Claude Code",
    "Clear conversation",
    "General-purpose agent",
    "Use this tool",
    "Most capable",
    "Total cost",
    "Stream closed",
];

/// What would tell where these were recorded.
const OURS: [&str; 6] =
    ["/tmp/pilothouse", "-tmp-pilothouse", "/root", ".cache", "made-up-key", "claude-cli"];

#[test]
fn no_sentence_of_theirs_and_no_trace_of_this_machine_is_in_them() {
    for (name, _, lines) in kept() {
        for line in lines {
            line.line.each_text("", &mut |under, text| {
                for theirs in THEIRS {
                    assert!(!text.contains(theirs), "{name}: {under}: {text}");
                }
                for ours in OURS {
                    assert!(!text.contains(ours), "{name}: {under}: {text}");
                }
            });
        }
    }
}

#[test]
fn every_id_is_a_placeholder_and_every_time_the_same() {
    for (name, _, lines) in kept() {
        for line in lines {
            line.line.each_text("", &mut |under, text| {
                for id in super::names::uuids(text) {
                    let placeholder = id.starts_with("00000000-0000-4000-8000-");
                    assert!(placeholder, "{name}: {under}: {text}");
                }
                let renamed = super::Names::default().rename(text);
                assert_eq!(renamed, text, "{name}: {under}");
            });
        }
    }
}
