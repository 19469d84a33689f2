//! What is wrong with a configuration.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::keys::{KEYS, Key};
use super::{PREFIX, Source};

/// Everything that is wrong, at once.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct ConfigError {
    /// In the order of file, environment, flags.
    pub faults: Vec<Fault>,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where it comes from.
    pub source: Source,
    /// The column in the file, from 1.
    pub column: Option<usize>,
    /// What is wrong.
    pub mistake: Mistake,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mistake {
    /// The file cannot be read.
    #[error("cannot be read: {reason}")]
    Unreadable {
        /// What the system says.
        reason: String,
    },
    /// The file is not TOML.
    #[error("this is not TOML: {message}")]
    Toml {
        /// What the parser says.
        message: String,
    },
    /// There is no such key.
    #[error("unknown key `{key}`{}", suggest(nearest))]
    UnknownKey {
        /// What was written.
        key: String,
        /// What was meant, perhaps.
        nearest: Option<&'static str>,
    },
    /// There is no such variable.
    #[error("unknown variable `{variable}`{}", suggest(nearest))]
    UnknownVariable {
        /// What was set.
        variable: String,
        /// What was meant, perhaps.
        nearest: Option<String>,
    },
    /// The value does not fit.
    #[error("`{key}` does not fit: write {wanted}")]
    Unfit {
        /// The key.
        key: &'static str,
        /// What would fit.
        wanted: String,
    },
    /// Two values do not go together.
    #[error("{0}")]
    Together(String),
}

fn suggest(nearest: &Option<impl fmt::Display>) -> String {
    match nearest {
        Some(nearest) => format!(": did you mean `{nearest}`?"),
        None => ": see `pilothouse config` for all keys".to_owned(),
    }
}

impl Fault {
    pub(super) fn unreadable(path: PathBuf, error: &io::Error) -> Self {
        let mistake = Mistake::Unreadable { reason: error.to_string() };
        Self { source: Source::File { path, line: 0 }, column: None, mistake }
    }

    pub(super) fn in_file(path: &Path, (line, column): (usize, usize), mistake: Mistake) -> Self {
        let source = Source::File { path: path.to_owned(), line };
        Self { source, column: Some(column), mistake }
    }

    pub(super) fn unfit(key: Key, source: &Source, wanted: String) -> Self {
        let mistake = Mistake::Unfit { key: key.name(), wanted };
        Self { source: source.clone(), column: None, mistake }
    }

    pub(super) fn unknown_variable(variable: String) -> Self {
        let all: Vec<_> = KEYS.iter().map(|spec| Key(spec).variable()).collect();
        // What all begin with tells nothing.
        let tail = |name| str::strip_prefix(name, PREFIX).unwrap_or(name);
        let nearest = closest(tail(&variable), all.iter().map(|name| tail(name)))
            .map(|tail| format!("{PREFIX}{tail}"));
        let source = Source::Environment { variable: variable.clone() };
        let mistake = Mistake::UnknownVariable { variable, nearest };
        Self { source, column: None, mistake }
    }

    pub(super) fn together(source: &Source, sentence: impl Into<String>) -> Self {
        let mistake = Mistake::Together(sentence.into());
        Self { source: source.clone(), column: None, mistake }
    }
}

impl Mistake {
    pub(super) fn unknown_key(key: &str) -> Self {
        let names = || KEYS.iter().map(|spec| spec.name);
        // A key under the wrong table, or none.
        let last = |name: &str| name.rsplit('.').next().map(str::to_owned);
        let mut same = names().filter(|name| last(name) == last(key));
        let moved = same.next().filter(|_| same.next().is_none());
        let key = key.chars().take(80).collect::<String>();
        let nearest = moved.or_else(|| closest(&key, names()));
        Self::UnknownKey { key, nearest }
    }
}

/// What is most like it, if anything is.
fn closest<'a>(to: &str, of: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let alike = |name: &&'a str| (strsim::normalized_damerau_levenshtein(to, name) * 1e6) as u32;
    of.max_by_key(alike).filter(|name| alike(name) >= 600_000)
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { path, line: 0 } => write!(f, "{}", path.display()),
            Self::File { path, line } => write!(f, "{}:{line}", path.display()),
            Self::Environment { variable } => f.write_str(variable),
            Self::Flag { flag } => f.write_str(flag),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.column {
            Some(column) => write!(f, "{}:{column}: {}", self.source, self.mistake),
            None => write!(f, "{}: {}", self.source, self.mistake),
        }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the configuration cannot be used:")?;
        self.faults.iter().try_for_each(|fault| write!(f, "\n  {fault}"))
    }
}
