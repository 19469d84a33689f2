//! A throw-away home and project for one CLI, and an environment that knows no account and no
//! network.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::{fs, io};

use tempfile::TempDir;

use super::install::{CliVersion, InstallError};

/// A place in which a CLI can run without harm. Removed when dropped.
#[derive(Debug)]
pub struct Harness {
    version: CliVersion,
    program: PathBuf,
    home: PathBuf,
    project: PathBuf,
    env: Vec<(String, String)>,
    // Last, so that it is removed when everything else is gone.
    _root: TempDir,
}

/// Why there is no harness.
#[derive(Debug, thiserror::Error)]
pub enum HarnessError {
    /// The CLI is not there.
    #[error(transparent)]
    Install(#[from] InstallError),
    /// The CLI would talk to somebody else.
    #[error(
        "{name}={value} is refused: under test the CLI talks to http://127.0.0.1:PORT only (see ScriptedModel::base_url)"
    )]
    NotLoopback {
        /// The variable.
        name: String,
        /// Its value.
        value: String,
    },
    /// The throw-away directories cannot be made.
    #[error("cannot make a throw-away home for the CLI: {0}")]
    Directory(#[from] io::Error),
}

impl Harness {
    /// A fresh home and project for `version`, with the model at `base_url`. Installs the CLI if
    /// need be.
    pub fn new(version: CliVersion, base_url: &str) -> Result<Self, HarnessError> {
        Self::with_program(version, version.install()?, base_url)
    }

    /// The same for another program in the place of the CLI, one that passes for `version`.
    pub fn with_program(
        version: CliVersion,
        program: PathBuf,
        base_url: &str,
    ) -> Result<Self, HarnessError> {
        check("ANTHROPIC_BASE_URL", base_url)?;
        let root = tempfile::Builder::new().prefix("pilothouse-").tempdir()?;
        // The CLI reports paths with links resolved; tests compare them.
        let real = fs::canonicalize(root.path())?;
        let [home, project, tmp] = ["home", "project", "tmp"].map(|name| real.join(name));
        for directory in [&home, &project, &tmp] {
            fs::create_dir(directory)?;
        }
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let mut env = vec![
            ("HOME".to_owned(), text(&home)),
            ("TMPDIR".to_owned(), text(&tmp)),
            ("CLAUDE_CODE_TMPDIR".to_owned(), text(&tmp)),
            ("PWD".to_owned(), text(&project)),
            ("ANTHROPIC_BASE_URL".to_owned(), base_url.to_owned()),
        ];
        env.extend(FIXED.map(|(name, value)| (name.to_owned(), value.to_owned())));
        if let Ok(path) = std::env::var("PATH") {
            env.push(("PATH".to_owned(), path));
        }
        Ok(Self { version, program, home, project, env, _root: root })
    }

    /// Adds or replaces a variable. A base URL has to stay on loopback.
    pub fn set_env(&mut self, name: &str, value: &str) -> Result<(), HarnessError> {
        check(name, value)?;
        self.env.retain(|(known, _)| known != name);
        self.env.push((name.to_owned(), value.to_owned()));
        Ok(())
    }

    /// Starts CLIs in a directory below the project from now on.
    pub fn enter(&mut self, below: &str) {
        self.project.push(below);
        let pwd = self.project.to_string_lossy().into_owned();
        self.env.retain(|(name, _)| name != "PWD");
        self.env.push(("PWD".to_owned(), pwd));
    }

    /// The version that runs here.
    pub fn version(&self) -> CliVersion {
        self.version
    }

    /// The one executable, whatever it is written in.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// The complete environment: start the CLI with this and nothing inherited.
    pub fn env(&self) -> Vec<(String, String)> {
        self.env.clone()
    }

    /// The home directory; `.claude` will be in it.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// The project, an empty directory: where the CLI is started.
    pub fn cwd(&self) -> &Path {
        &self.project
    }
}

const FIXED: [(&str, &str); 11] = [
    ("ANTHROPIC_API_KEY", "made-up-key-for-tests"),
    ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS", "1"),
    ("DISABLE_AUTOUPDATER", "1"),
    ("DISABLE_ERROR_REPORTING", "1"),
    ("DISABLE_TELEMETRY", "1"),
    ("LANG", "C.UTF-8"),
    ("TZ", "UTC"),
    ("TERM", "dumb"),
    ("SHELL", "/bin/bash"),
    ("USER", "tester"),
];

/// Nothing that could lead the CLI off this machine may get into its environment.
fn check(name: &str, value: &str) -> Result<(), HarnessError> {
    let elsewhere = name.starts_with("CLAUDE_CODE_USE_")
        || (name.ends_with("_BASE_URL") && !is_loopback(value))
        || (name.to_ascii_lowercase().ends_with("_proxy") && !value.is_empty());
    if elsewhere {
        return Err(HarnessError::NotLoopback { name: name.to_owned(), value: value.to_owned() });
    }
    Ok(())
}

/// `http://ADDRESS:PORT` with a literal loopback address: a name could be made to mean another
/// machine.
fn is_loopback(url: &str) -> bool {
    let Some(rest) = url.strip_prefix("http://") else {
        return false;
    };
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    authority.parse::<SocketAddr>().is_ok_and(|address| address.ip().is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_literal_loopback_address_is_accepted() {
        for url in ["http://127.0.0.1:80", "http://127.0.0.1:80/", "http://[::1]:80/v1"] {
            assert!(is_loopback(url), "{url}");
        }
        for url in [
            "https://api.anthropic.com",
            "http://127.0.0.1",
            "http://localhost:80",
            "http://127.0.0.1:80@example.com",
            "http://127.0.0.1.example.com:80",
            "http://10.0.0.1:80",
            "http://example.com\\@127.0.0.1:80",
            "",
        ] {
            assert!(!is_loopback(url), "{url}");
        }
    }

    #[test]
    fn nothing_leads_out() {
        let program = PathBuf::from("/bin/true");
        let refused =
            Harness::with_program(CliVersion::V2_1_7, program.clone(), "https://api.anthropic.com");
        assert!(matches!(refused, Err(HarnessError::NotLoopback { .. })));
        let mut harness =
            Harness::with_program(CliVersion::V2_1_7, program, "http://127.0.0.1:9").unwrap();
        for (name, value) in [
            ("ANTHROPIC_BASE_URL", "http://example.com"),
            ("ANTHROPIC_BEDROCK_BASE_URL", "http://example.com"),
            ("CLAUDE_CODE_USE_BEDROCK", "1"),
            ("HTTPS_PROXY", "http://example.com"),
            ("https_proxy", "http://example.com"),
        ] {
            assert!(harness.set_env(name, value).is_err(), "{name}");
        }
        harness.set_env("SHELL", "/bin/sh").unwrap();
        let shells: Vec<_> =
            harness.env().into_iter().filter(|(name, _)| name == "SHELL").collect();
        assert_eq!(shells, [("SHELL".to_owned(), "/bin/sh".to_owned())]);
    }

    #[test]
    fn it_leaves_nothing_behind() {
        let harness = Harness::with_program(
            CliVersion::V2_1_7,
            PathBuf::from("/bin/true"),
            "http://127.0.0.1:9",
        )
        .unwrap();
        let (home, cwd) = (harness.home().to_owned(), harness.cwd().to_owned());
        assert!(home.is_dir() && cwd.is_dir());
        drop(harness);
        assert!(!home.exists() && !cwd.exists());
    }
}
