//! Reads a repository without running any program that it names.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::output::{Deadline, collect};
use super::program::{OLDEST, Program, SearchPath, os_string};
use super::quarantine::name_in;
use super::{GitError, Output, repository};

/// Global flags of every call.
const FLAGS: [&str; 4] =
    ["--no-pager", "--no-optional-locks", "--literal-pathspecs", "--no-replace-objects"];

/// Settings of every call. They overrule those of the repository and of the user.
const SETTINGS: [(&str, &str); 21] = [
    // A directory of a clone must not pass for a repository.
    ("safe.bareRepository", "explicit"),
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.pager", "cat"),
    ("core.askPass", ""),
    ("core.sshCommand", "false"),
    ("credential.helper", ""),
    ("protocol.allow", "never"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    // Showing a signature runs a program to verify it.
    ("log.showSignature", "false"),
    ("gpg.program", "false"),
    ("gpg.ssh.program", "false"),
    ("gpg.x509.program", "false"),
    // Showing a merge can run a merge driver.
    ("log.diffMerges", "off"),
    // Looking into a submodule would run git under that one's configuration.
    ("status.submoduleSummary", "false"),
    ("submodule.recurse", "false"),
    ("diff.ignoreSubmodules", "dirty"),
    // The output that our parsers expect.
    ("core.quotePath", "true"),
    ("core.untrackedCache", "false"),
    ("diff.suppressBlankEmpty", "false"),
];

/// Settings of each filter that is configured, in whatever scope.
const FILTER: [(&str, &str); 4] =
    [("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")];

/// Variables of every call.
const VARIABLES: [(&str, &str); 6] = [
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    // Unlike `protocol.allow`, this also holds against `protocol.NAME.allow` of the repository.
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_PAGER", "cat"),
];

/// Flags of commands that print changes.
const DIFF: [&str; 5] = [
    "--no-ext-diff",
    "--no-textconv",
    "--ignore-submodules=dirty",
    "--submodule=short",
    // `diff.orderFile` can name a pipe.
    "-O/dev/null",
];

/// A repository to read. All calls together take no longer than its time limit.
#[derive(Debug)]
pub struct Look {
    program: Program,
    directory: PathBuf,
    deadline: Deadline,
    settings: Vec<(OsString, OsString)>,
}

impl Look {
    /// Opens the repository around `directory` with the git on this process's PATH. Returns `None`
    /// where there is no repository.
    ///
    /// # Errors
    /// There is no git, git is too old, or the repository is not one to read: its files are
    /// elsewhere, its `.git` leads to a git directory of another working tree, or git refuses it.
    pub fn open(directory: &Path, patience: Duration) -> Result<Option<Self>, GitError> {
        Self::open_with(SearchPath::of_process(), directory, patience)
    }

    /// Opens the repository around `directory` with the git of a search path.
    ///
    /// # Errors
    /// As [`Look::open`].
    pub fn open_with(
        search: SearchPath,
        directory: &Path,
        patience: Duration,
    ) -> Result<Option<Self>, GitError> {
        let Ok(directory) = dunce::canonicalize(directory) else { return Ok(None) };
        let Some(top) = repository::top(&directory) else { return Ok(None) };
        let program = Program::find(&search.without([&top]))?;
        let deadline = Deadline::after(patience);
        program.version(OLDEST, deadline)?;
        let own = |(key, value): (&str, &str)| (key.into(), value.into());
        let settings = SETTINGS.into_iter().map(own).collect();
        let mut look = Self { program, directory, deadline, settings };
        look.overrule_filters()?;
        repository::check(&look, &top)?;
        Ok(Some(look))
    }

    /// The current changes as a patch.
    pub fn diff(&self, arguments: &[&str], limit: usize) -> Result<Output, GitError> {
        self.run(["diff"].iter().chain(&DIFF).chain(arguments), limit)
    }

    /// Commits.
    pub fn log(&self, arguments: &[&str], limit: usize) -> Result<Output, GitError> {
        self.run(["log"].iter().chain(&DIFF).chain(arguments), limit)
    }

    /// Files that differ from the index or the last commit.
    pub fn status(&self, arguments: &[&str], limit: usize) -> Result<Output, GitError> {
        let flags = ["status", "--ignore-submodules=dirty"];
        self.run(flags.iter().chain(arguments), limit)
    }

    /// Names of files that are neither tracked nor ignored, each ended by a NUL byte.
    pub fn untracked(&self, limit: usize) -> Result<Output, GitError> {
        self.run(["ls-files", "--others", "--exclude-standard", "-z"], limit)
    }

    /// The branch that is checked out; `None` where HEAD is no branch.
    pub fn branch(&self) -> Option<String> {
        let output = self.run(["symbolic-ref", "--quiet", "--short", "HEAD"], 4 << 10).ok()?;
        let name = String::from_utf8_lossy(output.text.trim_ascii()).into_owned();
        (!name.is_empty()).then_some(name)
    }

    /// All working trees of the repository, the main one first.
    pub fn worktrees(&self) -> Result<Vec<PathBuf>, GitError> {
        let output = self.run(["worktree", "list", "--porcelain", "-z"], 16 << 20)?;
        let fields = output.text.split(|byte| *byte == 0);
        let paths = fields.filter_map(|field| field.strip_prefix(b"worktree "));
        Ok(paths.map(|path| os_string(path).into()).collect())
    }

    /// Runs git with arguments that only read.
    pub(super) fn run<A: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = A>,
        limit: usize,
    ) -> Result<Output, GitError> {
        let mut command = self.program.command(&self.directory);
        command.envs(VARIABLES).env("GIT_CONFIG_COUNT", self.settings.len().to_string());
        for (number, (key, value)) in self.settings.iter().enumerate() {
            command.env(format!("GIT_CONFIG_KEY_{number}"), key);
            command.env(format!("GIT_CONFIG_VALUE_{number}"), value);
        }
        command.args(FLAGS).args(arguments);
        collect(command, self.deadline, limit)
    }

    /// Switches off every filter that is configured. git has no setting for all of them at once.
    fn overrule_filters(&mut self) -> Result<(), GitError> {
        let output = self.run(["config", "--list", "--name-only", "-z"], 4 << 20)?;
        if output.is_cut {
            return Err(GitError::Failed("the repository's configuration is too large".into()));
        }
        let keys = output.text.split(|byte| *byte == 0);
        let names: BTreeSet<&[u8]> = keys.filter_map(|key| name_in(key, b"filter.")).collect();
        for name in names {
            for (part, value) in FILTER {
                let key = [b"filter.", name, b".", part.as_bytes()].concat();
                self.settings.push((os_string(&key), value.into()));
            }
        }
        Ok(())
    }
}

/// The name and the value of a setting, as git prints them.
pub(super) type Setting = (Vec<u8>, Vec<u8>);

/// Settings of the repository itself, with what they include, in the output of
/// `git config --list --show-scope -z`: those that neither the user nor the system has made.
pub(super) fn own_settings(text: &[u8]) -> Vec<Setting> {
    let mut fields = text.split(|byte| *byte == 0);
    let mut found = Vec::new();
    while let (Some(scope), Some(entry)) = (fields.next(), fields.next()) {
        if matches!(scope, b"local" | b"worktree") {
            found.push(setting(entry));
        }
    }
    found
}

/// The key and the value in one entry of `git config --list -z`.
pub(super) fn setting(entry: &[u8]) -> Setting {
    let (key, value) = match memchr::memchr(b'\n', entry) {
        Some(end) => (&entry[..end], &entry[end + 1..]),
        None => (entry, &b""[..]),
    };
    (key.to_vec(), value.to_vec())
}
