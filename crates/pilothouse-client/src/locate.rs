//! Finds the CLI.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::error::StartError;

/// Names the CLI to use where the program does not.
pub(crate) const VARIABLE: &str = "PILOTHOUSE_CLAUDE";

/// What fetches packages from npm and runs them.
pub(crate) const NPX: &str = "npx";

/// Which CLI to run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Cli {
    /// The one that `PILOTHOUSE_CLAUDE` names; else `claude` on the PATH; else where installers put
    /// it.
    #[default]
    Find,
    /// This one.
    At(PathBuf),
    /// This version from npm, through `npx`. Slow to start, and fetches what is not cached.
    Npx(String),
}

impl Cli {
    /// The program and the arguments that come before all others.
    pub fn resolve(&self) -> Result<(PathBuf, Vec<OsString>), StartError> {
        match self {
            Self::At(path) => existing(path),
            Self::Npx(version) => {
                let package = format!("@anthropic-ai/claude-code@{version}");
                Ok((NPX.into(), vec!["-y".into(), package.into()]))
            }
            Self::Find => match std::env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
                Some(path) => existing(Path::new(&path)),
                None => search(),
            },
        }
    }
}

/// Absolute, because the CLI is started in its own working directory, not in ours.
fn existing(path: &Path) -> Result<(PathBuf, Vec<OsString>), StartError> {
    match std::path::absolute(path) {
        Ok(absolute) if absolute.is_file() => Ok((absolute, Vec::new())),
        _ => Err(StartError::NoSuchProgram { path: path.to_owned() }),
    }
}

fn search() -> Result<(PathBuf, Vec<OsString>), StartError> {
    let looked_in = places();
    let name = if cfg!(windows) { "claude.exe" } else { "claude" };
    match looked_in.iter().map(|place| place.join(name)).find(|path| path.is_file()) {
        Some(path) => Ok((path, Vec::new())),
        None => Err(StartError::CliNotFound { looked_in }),
    }
}

/// Directories of the PATH, then those of the known installers. Relative ones are passed over: what
/// they hold depends on where we happen to be.
fn places() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut places: Vec<_> = std::env::split_paths(&path).filter(|dir| dir.is_absolute()).collect();
    if let Some(home) = std::env::home_dir().filter(|home| home.is_absolute()) {
        let below = [
            ".local/bin",
            ".npm-global/bin",
            "node_modules/.bin",
            ".yarn/bin",
            ".claude/local",
            ".bun/bin",
        ];
        places.extend(below.iter().map(|dir| home.join(dir)));
    }
    places.push("/usr/local/bin".into());
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_path_is_one_from_here() {
        let (path, args) = existing(Path::new("src/lib.rs")).unwrap();
        assert_eq!(path, std::env::current_dir().unwrap().join("src/lib.rs"));
        assert!(args.is_empty());
        assert!(existing(Path::new("src")).is_err(), "a directory is no program");
    }
}
