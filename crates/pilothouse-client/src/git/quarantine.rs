//! Keeps a repository's programs out of the git calls of another program.
//!
//! Older CLIs ask git how a repository stands when they start, with the repository's own
//! configuration: a filter or a monitor in `.git/config` runs before anybody has said a word. A clone
//! does not bring such a file; an unpacked archive or a shared directory does.
//!
//! Only what runs while git reads is switched off. Hooks of commits stay: they run on a command that
//! a person has allowed, and leaving them out in silence would be worse.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use super::look::{Look, filter_name};
use super::program::os_string;

/// Settings in every directory that is not trusted. They change nothing for ordinary repositories.
const ALWAYS: [(&str, &str); 2] =
    [("safe.bareRepository", "explicit"), ("core.fsmonitor", "false")];

/// Settings of each filter of the repository. `required` lets `git add` fail where a filter is
/// switched off, instead of storing what the filter would have replaced.
const FILTER: [(&str, &str); 4] =
    [("clean", ""), ("smudge", ""), ("process", ""), ("required", "true")];

/// Git settings of a repository that start programs while git only reads it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Quarantine {
    /// Names and values, as the repository has them.
    pub programs: Vec<(String, String)>,
    settings: Vec<(OsString, OsString)>,
}

impl Quarantine {
    /// Reads the configuration of the repository around `directory`, if there is one. Where git is
    /// missing or refuses it, what is left is what holds everywhere.
    pub fn of(directory: &Path, patience: Duration) -> Self {
        let own = |(key, value): (&str, &str)| (key.into(), value.into());
        let mut quarantine =
            Self { programs: Vec::new(), settings: ALWAYS.into_iter().map(own).collect() };
        if let Ok(Some(look)) = Look::open(directory, patience)
            && let Ok(entries) = look.own_settings()
        {
            for (key, value) in &entries {
                quarantine.add(key, value);
            }
        }
        quarantine
    }

    fn add(&mut self, key: &[u8], value: &[u8]) {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let is_switch = matches!(value, b"" | b"true" | b"false" | b"1" | b"0" | b"yes" | b"no");
        if key == b"core.fsmonitor" && !is_switch {
            self.programs.push((text(key), text(value)));
        }
        let Some(name) = filter_name(key) else { return };
        if !key.ends_with(b".required") && !value.is_empty() {
            self.programs.push((text(key), text(value)));
        }
        for (part, value) in FILTER {
            let key = os_string(&[b"filter.", name, b".", part.as_bytes()].concat());
            if !self.settings.iter().any(|(known, _)| *known == key) {
                self.settings.push((key, value.into()));
            }
        }
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
        variables
    }
}
