//! How the daemon is set up: one TOML file, then the environment, then flags; the later wins.
//!
//! # What it promises
//!
//! - Every key can be set from all three. In the environment `limits.header_bytes` is
//!   `PILOTHOUSE_LIMITS_HEADER_BYTES`; as a flag it is whatever the binary calls it, or
//!   `--set limits.header_bytes=…`.
//! - A key or variable that is not known is an error with a suggestion; all errors are told at
//!   once, those of the file with line and column.
//! - Every value knows where it comes from; [`Config::render`] prints that, with secrets masked.
//!
//! Durations are written `30s`, `5m` or `1h30m`, sizes `16 MiB`; an empty text takes back what
//! was set before where a key may be without a value. Relative paths in the file are relative to
//! it, those elsewhere to the current directory; `~/` is the home directory.

mod error;
mod file;
mod keys;
mod options;
mod raw;
mod render;
mod settings;
mod units;
mod value;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

pub use error::{ConfigError, Fault, Mistake};
pub use keys::Key;
pub use options::Options;
pub use settings::{
    Claude, Config, Flag, Hidden, Holder, Log, LoginSettings, Mode, Policies, ResourceLimits,
    RetentionTimes, Runs, Server, SessionDefaults, Streams, Telemetry, TlsFiles,
};
pub use units::{Size, Span};

use file::Surroundings;
use keys::KEYS;
use raw::Raw;

/// Names the file.
pub const FILE_VARIABLE: &str = "PILOTHOUSE_CONFIG";
const PREFIX: &str = "PILOTHOUSE_";

/// Variables that begin like ours and are no keys: the mark of a run, which every process in a
/// session has, and what the build and the tests use. Whoever has exported one of those to build or
/// to test can still use what was built.
const OTHERS: [&str; 7] = [
    FILE_VARIABLE,
    pilothouse_client::mark::MARK,
    "PILOTHOUSE_WEB",
    "PILOTHOUSE_DAEMON",
    "PILOTHOUSE_SDKS_DIR",
    "PILOTHOUSE_ISOLATED",
    "PILOTHOUSE_FAULTS",
];
const OTHERS_BEGIN: [&str; 4] =
    ["PILOTHOUSE_WEB_", "PILOTHOUSE_E2E_", "PILOTHOUSE_TEST_", "PILOTHOUSE_WRITE_"];

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Nobody has set it.
    Default,
    /// The file.
    File {
        /// Which.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// A variable.
    Environment {
        /// Its name.
        variable: String,
    },
    /// The command line.
    Flag {
        /// The flag, as it is to be shown.
        flag: String,
    },
}

/// What surrounds a daemon when it starts.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// The variables.
    pub variables: Vec<(OsString, OsString)>,
    /// The home directory.
    pub home: Option<PathBuf>,
    /// The current directory.
    pub cwd: PathBuf,
}

impl Environment {
    /// That of this process.
    pub fn of_process() -> Self {
        Self {
            variables: std::env::vars_os().collect(),
            home: std::env::home_dir().filter(|home| home.is_absolute()),
            cwd: std::env::current_dir().unwrap_or_default(),
        }
    }

    fn get(&self, name: &str) -> Option<&std::ffi::OsStr> {
        let found = self.variables.iter().find(|(variable, _)| variable == name);
        found.map(|(_, value)| value.as_os_str()).filter(|value| !value.is_empty())
    }

    /// A directory for ours, by the rules of the XDG.
    fn base(&self, variable: &str, below_home: &str) -> Option<PathBuf> {
        let named = self.get(variable).map(PathBuf::from).filter(|path| path.is_absolute());
        let base = named.or_else(|| Some(self.home.as_ref()?.join(below_home)))?;
        Some(base.join("pilothouse"))
    }
}

impl Config {
    /// Reads all three. A file that was named must be there; the usual one need not.
    pub fn load(options: &Options, environment: &Environment) -> Result<Self, ConfigError> {
        let named = options
            .file
            .clone()
            .or_else(|| environment.get(FILE_VARIABLE).map(PathBuf::from))
            .map(|path| environment.cwd.join(path));
        let usual = || Some(environment.base("XDG_CONFIG_HOME", ".config")?.join("config.toml"));
        let path = named.clone().or_else(usual);
        let text = match path.as_deref().map(std::fs::read_to_string) {
            None => None,
            Some(Ok(text)) => Some(text),
            Some(Err(error)) if named.is_none() && error.kind() == io::ErrorKind::NotFound => None,
            Some(Err(error)) => {
                let fault = Fault::unreadable(path.unwrap_or_default(), &error);
                return Err(ConfigError { faults: vec![fault] });
            }
        };
        let file = path.as_deref().zip(text.as_deref());
        Self::resolve(file, options, environment)
    }

    /// The same with the text of a file, or none.
    pub fn resolve(
        file: Option<(&Path, &str)>,
        options: &Options,
        environment: &Environment,
    ) -> Result<Self, ConfigError> {
        let mut config = Self::default();
        if let Some(dir) = environment.base("XDG_DATA_HOME", ".local/share") {
            config.data_dir = dir;
        }
        let mut faults = Vec::new();
        if let Some((path, text)) = file {
            file::read(&mut config, path, text, environment, &mut faults);
        }
        let here = Surroundings { home: environment.home.as_deref(), base: &environment.cwd };
        variables(&mut config, &here, environment, &mut faults);
        for (key, raw, flag) in &options.values {
            let source = Source::Flag { flag: flag.clone() };
            config.set(*key, raw, &here, source, &mut faults);
        }
        config.check(&mut faults);
        if faults.is_empty() { Ok(config) } else { Err(ConfigError { faults }) }
    }

    /// Where the value of a key comes from.
    pub fn source(&self, key: Key) -> &Source {
        self.sources.get(key.name()).unwrap_or(&Source::Default)
    }

    fn set(
        &mut self,
        key: Key,
        raw: &Raw,
        here: &Surroundings<'_>,
        source: Source,
        faults: &mut Vec<Fault>,
    ) {
        match key.set(self, raw, here) {
            Ok(()) => {
                self.sources.insert(key.name(), source);
            }
            Err(wanted) => faults.push(Fault::unfit(key, &source, wanted)),
        }
    }
}

fn variables(
    config: &mut Config,
    here: &Surroundings<'_>,
    environment: &Environment,
    faults: &mut Vec<Fault>,
) {
    // In their own order, so that errors come in the same one every time.
    let mut ours: BTreeMap<String, _> = BTreeMap::new();
    for (name, value) in &environment.variables {
        let Some(name) = name.to_str() else { continue };
        let foreign = OTHERS.contains(&name)
            || OTHERS_BEGIN.iter().any(|beginning| name.starts_with(beginning));
        if name.starts_with(PREFIX) && !foreign {
            ours.insert(name.to_owned(), value);
        }
    }
    for (variable, value) in ours {
        let Some(key) = KEYS.iter().map(Key).find(|key| key.has_variable(&variable)) else {
            faults.push(Fault::unknown_variable(variable));
            continue;
        };
        let source = Source::Environment { variable };
        match value.to_str() {
            Some(text) => {
                config.set(key, &Raw::Loose(text.to_owned()), here, source, faults);
            }
            None => faults.push(Fault::unfit(key, &source, "text in UTF-8".to_owned())),
        }
    }
}
