//! Keeps a repository's programs out of the git calls of another program.
//!
//! Claude Code asks git how a repository stands, with the repository's own configuration: a filter,
//! a monitor or a converter in `.git/config` would run before anybody has approved a thing. A clone
//! does not bring such a file; an unpacked archive or a shared directory does.
//!
//! Only what runs while git reads is switched off. Hooks of commits stay: they run on a command that
//! a person has allowed, and leaving them out in silence would be worse. Where the configuration
//! cannot be read, git is told of no repository at all.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::time::Duration;

use super::look::{Setting, own_settings, setting};
use super::output::{Deadline, collect};
use super::program::{Program, SearchPath, os_string};
use super::{GitError, repository};

/// Settings in every directory that is not trusted. They change nothing that people see in ordinary
/// repositories, but that changes inside of submodules are not shown.
const ALWAYS: [(&str, &str); 6] = [
    ("safe.bareRepository", "explicit"),
    ("core.fsmonitor", "false"),
    // Showing a signature runs a program to verify it.
    ("log.showSignature", "false"),
    // Writing the index runs a hook.
    ("diff.autoRefreshIndex", "false"),
    // These settings do not reach the git that would look into a submodule.
    ("diff.ignoreSubmodules", "dirty"),
    ("status.submoduleSummary", "false"),
];

/// Variables in every directory that is not trusted.
const VARIABLES: [(&str, &str); 2] = [
    // Writing the index runs a hook.
    ("GIT_OPTIONAL_LOCKS", "0"),
    // Fetching a missing object runs what the configuration names for it.
    ("GIT_NO_LAZY_FETCH", "1"),
];

/// Settings of each filter of the repository. `required` lets `git add` fail where a filter is
/// switched off, instead of storing what the filter would have replaced.
const FILTER: [(&str, &str); 4] =
    [("clean", ""), ("smudge", ""), ("process", ""), ("required", "true")];

/// Settings that name a program, and what stands in for it. A `*` is a name with or without dots.
/// `git diff` fails where its program is switched off.
const PROGRAMS: [(&str, &str); 12] = [
    ("diff.external", ""),
    ("diff.*.command", ""),
    ("diff.*.textconv", "cat"),
    ("core.pager", "cat"),
    ("pager.*", "false"),
    ("gpg.program", "false"),
    ("gpg.*.program", "false"),
    ("merge.*.driver", "false"),
    ("remote.*.uploadpack", "false"),
    ("core.sshcommand", "false"),
    ("core.gitproxy", "false"),
    ("protocol.*.allow", "never"),
];

/// Those of [`PROGRAMS`] that matter only where objects can be missing: people set them for fetches.
const FETCHING: [&str; 4] =
    ["remote.*.uploadpack", "core.sshcommand", "core.gitproxy", "protocol.*.allow"];

/// The first git that takes settings from the environment.
const OLDEST: super::Version = super::Version(2, 31);

/// The longest configuration that is read, in bytes.
const LONGEST: usize = 4 << 20;

/// Git settings of a repository that start programs while git only reads it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Quarantine {
    /// Names and values, as the repository has them.
    pub programs: Vec<(String, String)>,
    /// Why the configuration could not be read. git then finds no repository.
    pub problem: Option<String>,
    settings: Vec<(OsString, OsString)>,
}

impl Quarantine {
    /// Reads the configuration of the repository around `directory`, if there is one.
    pub fn of(directory: &Path, patience: Duration) -> Self {
        Self::with(SearchPath::of_process(), directory, patience)
    }

    /// Reads the configuration with the git of a search path.
    pub fn with(search: SearchPath, directory: &Path, patience: Duration) -> Self {
        let own = |(key, value): (&str, &str)| (key.into(), value.into());
        let settings = ALWAYS.into_iter().map(own).collect();
        let mut quarantine = Self { programs: Vec::new(), problem: None, settings };
        match settings_of(search, directory, Deadline::after(patience)) {
            Ok(entries) => quarantine.add_all(&entries),
            // Without a repository there is nothing to keep out.
            Err(_) if repository::top(directory).is_none() => {}
            Err(error) => quarantine.problem = Some(error.to_string()),
        }
        quarantine
    }

    fn add_all(&mut self, entries: &[Setting]) {
        let is_partial = |(key, _): &Setting| {
            key == b"extensions.partialclone"
                || key.starts_with(b"remote.") && key.ends_with(b".promisor")
        };
        let is_partial = entries.iter().any(is_partial);
        for (key, value) in entries {
            self.add(key, value, is_partial);
        }
    }

    fn add(&mut self, key: &[u8], value: &[u8], is_partial: bool) {
        let is_switch = matches!(value, b"" | b"true" | b"false" | b"1" | b"0" | b"yes" | b"no");
        if let Some(name) = name_in(key, b"filter.") {
            for (part, value) in FILTER {
                self.set(&[b"filter.", name, b".", part.as_bytes()].concat(), value);
            }
            if !is_switch {
                self.list(key, value);
            }
        } else if let Some(name) = name_in(key, b"submodule.") {
            self.set(&[b"submodule.", name, b".ignore"].concat(), "dirty");
        } else if key == b"core.fsmonitor" && !is_switch {
            self.list(key, value);
        } else if let Some((pattern, stand_in)) = PROGRAMS.iter().find(|(it, _)| fits(it, key))
            && (is_partial || !FETCHING.contains(pattern))
        {
            self.set(key, stand_in);
            if !is_switch {
                self.list(key, value);
            }
        }
    }

    fn set(&mut self, key: &[u8], value: &str) {
        let key = os_string(key);
        if !self.settings.iter().any(|(known, _)| *known == key) {
            self.settings.push((key, value.into()));
        }
    }

    fn list(&mut self, key: &[u8], value: &[u8]) {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        self.programs.push((text(key), text(value)));
    }

    /// The environment for the other program, after `count` settings that it has already.
    pub fn environment(&self, count: usize) -> Vec<(OsString, OsString)> {
        let total = (count + self.settings.len()).to_string();
        let mut variables: Vec<(OsString, OsString)> =
            vec![("GIT_CONFIG_COUNT".into(), total.into())];
        for (number, (key, value)) in (count..).zip(&self.settings) {
            variables.push((format!("GIT_CONFIG_KEY_{number}").into(), key.clone()));
            variables.push((format!("GIT_CONFIG_VALUE_{number}").into(), value.clone()));
        }
        variables.extend(VARIABLES.map(|(name, value)| (name.into(), value.into())));
        if self.problem.is_some() {
            variables.push(("GIT_DIR".into(), "/dev/null".into()));
        }
        variables
    }
}

/// Settings of the repository itself, and of its list of submodules. Unlike
/// [`Look`](super::Look) this does not care whose repository it is: the other program will read it
/// in any case.
fn settings_of(
    search: SearchPath,
    directory: &Path,
    deadline: Deadline,
) -> Result<Vec<Setting>, GitError> {
    let top = repository::top(directory);
    let program = Program::find(&search.without(&top))?;
    program.version(OLDEST, deadline)?;
    let list = |scope: &OsStr| {
        let mut command = program.command(directory);
        command.envs(VARIABLES).args(["--no-pager", "config", "--list", "-z"]).arg(scope);
        collect(command, deadline, LONGEST).and_then(|output| match output.is_cut {
            true => Err(GitError::Failed("the repository's configuration is too large".into())),
            false => Ok(output.text),
        })
    };
    let mut found = own_settings(&list("--show-scope".as_ref())?);
    let modules = top.map(|top| top.join(".gitmodules")).filter(|path| path.is_file());
    if let Some(modules) = modules {
        let mut flag = OsString::from("--file=");
        flag.push(modules);
        found.extend(list(&flag)?.split(|byte| *byte == 0).map(setting));
    }
    Ok(found)
}

/// The name in a key like `filter.NAME.clean`. The name can have dots.
pub(super) fn name_in<'k>(key: &'k [u8], section: &[u8]) -> Option<&'k [u8]> {
    let rest = key.strip_prefix(section)?;
    let dot = memchr::memrchr(b'.', rest)?;
    Some(&rest[..dot])
}

/// Whether a key is of a form like `diff.*.command`. git prints sections and variables in lower case.
fn fits(pattern: &str, key: &[u8]) -> bool {
    match pattern.split_once('*') {
        None => pattern.as_bytes() == key,
        Some((before, after)) => key
            .strip_prefix(before.as_bytes())
            .and_then(|rest| rest.strip_suffix(after.as_bytes()))
            .is_some_and(|name| !name.is_empty()),
    }
}
