//! The CLI, and the programs beside it.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::trial::{Trial, hear};
use super::{Check, Examination, Program};

/// The oldest CLI that sessions are tested with.
const OLDEST: Version = Version([2, 1, 7]);
/// The newest one.
const NEWEST: Version = Version([2, 1, 325]);
/// The oldest Node that the CLI runs on.
const OLDEST_NODE: Version = Version([18, 0, 0]);

/// The version of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version(pub(crate) [u32; 3]);

impl Version {
    /// The first word of a text, with or without a `v`.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let word = text.split_whitespace().next()?.trim_start_matches('v');
        let core = word.split(['-', '+']).next()?;
        let mut parts = core.split('.').map(str::parse);
        let mut next = || parts.next()?.ok();
        Some(Self([next()?, next()?, next()?]))
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self([major, minor, patch]) = self;
        write!(f, "{major}.{minor}.{patch}")
    }
}

pub(super) fn checks(about: &Examination) -> Vec<Check> {
    let mut checks = vec![found(about), version(about)];
    checks.push(node(about));
    checks.push(git(about));
    checks
}

fn found(about: &Examination) -> Check {
    let (id, title) = ("cli.found", "Claude Code");
    match &about.cli {
        Ok(program) if by_npx(program) => Check::ok(id, title, "fetched and run by npx"),
        Ok(program) if program.exe.is_file() => {
            Check::ok(id, title, program.exe.display().to_string())
        }
        Ok(program) => Check::fail(
            id,
            title,
            format!("{} is not there", program.exe.display()),
            "Install Claude Code, or correct its path in PILOTHOUSE_CLAUDE or the configuration.",
        ),
        Err(reason) => Check::fail(
            id,
            title,
            reason.clone(),
            "Install Claude Code, or say where its `claude` is with PILOTHOUSE_CLAUDE.",
        ),
    }
}

fn version(about: &Examination) -> Check {
    let (id, title) = ("cli.version", "Claude Code's version");
    let program = match &about.cli {
        Ok(program) if by_npx(program) => {
            return Check::skipped(id, title, "npx would have to fetch it first");
        }
        Ok(program) if program.exe.is_file() => program,
        _ => return Check::skipped(id, title, "there is no CLI to ask"),
    };
    let args = program.args.iter().cloned().chain(["--version".into()]);
    let by_hand = "Run it by hand with `--version` and see what it says.";
    match hear(&program.exe, args, about.patience) {
        Trial::Hung => {
            let patience = about.patience.as_secs_f64();
            Check::fail(id, title, format!("it gave no answer in {patience} s"), by_hand)
        }
        Trial::NotRun(error) => {
            Check::fail(id, title, format!("it cannot be run: {error}"), by_hand)
        }
        Trial::Said(status, _) if !status.success() => {
            Check::fail(id, title, format!("it ended with {status}"), by_hand)
        }
        Trial::Said(_, text) => match Version::read(&text) {
            None => {
                let first: String =
                    text.lines().next().unwrap_or_default().chars().take(80).collect();
                Check::warn(id, title, format!("it says {first:?}, which is no version"), by_hand)
            }
            Some(version) if version < OLDEST => Check::fail(
                id,
                title,
                format!("{version} is older than {OLDEST}, the oldest that is supported"),
                "Update Claude Code: `claude update`.",
            ),
            Some(version) if version > NEWEST => {
                Check::ok(id, title, format!("{version}; tested up to {NEWEST}"))
            }
            Some(version) => Check::ok(id, title, version.to_string()),
        },
    }
}

fn by_npx(program: &Program) -> bool {
    program.exe.file_stem().is_some_and(|name| name == "npx")
}

/// A CLI from npm is a script for Node; one from the installer brings its own.
fn node(about: &Examination) -> Check {
    let (id, title) = ("cli.node", "Node");
    let needs_it =
        about.cli.as_ref().is_ok_and(|program| by_npx(program) || is_node_script(&program.exe));
    if !needs_it {
        return Check::skipped(id, title, "this CLI needs none");
    }
    let advice = "Install Node 18 or newer, or Claude Code by its own installer, which needs none.";
    match hear("node", ["--version"], about.patience) {
        Trial::Said(status, text) if status.success() => match Version::read(&text) {
            Some(version) if version >= OLDEST_NODE => Check::ok(id, title, version.to_string()),
            Some(version) => Check::fail(id, title, format!("{version} is too old"), advice),
            None => Check::warn(id, title, "it does not tell its version", advice),
        },
        Trial::Said(status, _) => Check::fail(id, title, format!("it ended with {status}"), advice),
        Trial::Hung => Check::fail(id, title, "it gave no answer", advice),
        Trial::NotRun(error) => {
            Check::fail(id, title, format!("it cannot be run: {error}"), advice)
        }
    }
}

fn is_node_script(path: &Path) -> bool {
    let mut begin = [0; 128];
    let read = File::open(path).and_then(|mut file| file.read(&mut begin));
    let line = begin.get(..read.unwrap_or(0)).unwrap_or_default();
    let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
    line.starts_with(b"#!") && String::from_utf8_lossy(line).contains("node")
}

fn git(about: &Examination) -> Check {
    let (id, title) = ("git", "git");
    match pilothouse_client::git::version(about.patience) {
        Ok(version) => Check::ok(id, title, version.to_string()),
        // The sentence ends with what to do about it.
        Err(error) => {
            let advice = "Without it there are no diffs of working trees, and no worktrees.";
            Check::warn(id, title, error.to_string(), advice)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_and_compared() {
        let read = |text| Version::read(text).map(|version| version.to_string());
        assert_eq!(read("2.1.325 (Claude Code)\n").as_deref(), Some("2.1.325"));
        assert_eq!(read("v20.11.1").as_deref(), Some("20.11.1"));
        assert_eq!(read("3.0.0-beta.1+x").as_deref(), Some("3.0.0"));
        assert_eq!(read("hello"), None);
        assert_eq!(read(""), None);
        assert_eq!(read("1.2"), None);
        assert!(Version([2, 1, 62]) > OLDEST && Version([2, 0, 900]) < OLDEST);
    }
}
