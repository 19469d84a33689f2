//! What the command line has to say.

use std::path::PathBuf;

use super::Source;
use super::error::{ConfigError, Fault, Mistake};
use super::keys::Key;
use super::raw::Raw;

/// Values from flags; the binary fills it in.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The file to read instead of the usual one.
    pub file: Option<PathBuf>,
    pub(super) values: Vec<(Key, Raw, String)>,
}

impl Options {
    /// Sets a key as the flag `flag` says. Of two for one key the later counts.
    pub fn set(&mut self, key: Key, value: impl Into<String>, flag: impl Into<String>) {
        self.values.push((key, Raw::Loose(value.into()), flag.into()));
    }

    /// Sets a key that takes a list, as a flag that came several times says.
    pub fn set_list(
        &mut self,
        key: Key,
        values: impl IntoIterator<Item = String>,
        flag: impl Into<String>,
    ) {
        let list = values.into_iter().map(Raw::Loose).collect();
        self.values.push((key, Raw::List(list), flag.into()));
    }

    /// Takes `key=value`, as from `--set`.
    pub fn assign(&mut self, pair: &str) -> Result<(), ConfigError> {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let name = name.trim();
        // Without the value, which may be a secret.
        let flag = format!("--set {name}");
        match Key::named(name) {
            Some(key) => {
                self.set(key, value, flag);
                Ok(())
            }
            None => {
                let mistake = Mistake::unknown_key(name);
                let fault = Fault { source: Source::Flag { flag }, column: None, mistake };
                Err(ConfigError { faults: vec![fault] })
            }
        }
    }
}
