//! Everything that must stand before the first run: our programs, the printer,
//! the official SDKs, the rival crates.
//!
//! Needs the network once; afterwards everything is found in `.cache`. A rival
//! that cannot be prepared is left out with the reason; only our own build
//! failing ends the run.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where things are.
#[derive(Debug)]
pub struct Site {
    /// Our programs.
    pub programs: PathBuf,
    /// The rivals' sources.
    pub rivals: PathBuf,
    /// Corpora, and what else we may throw away.
    pub cache: PathBuf,
    /// The contenders' home directory.
    pub home: PathBuf,
    /// Holds the printer under the name `claude`.
    pub path_directory: PathBuf,
    /// The directory with the TypeScript SDK's `node_modules`.
    pub typescript: Result<PathBuf, String>,
    /// The interpreter that has the Python SDK.
    pub python: Result<PathBuf, String>,
    /// The directory with the rival crates' programs.
    pub rust: Result<PathBuf, String>,
}

/// Why nothing can be measured.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// Our own programs do not build.
    #[error("`cargo build -p bench --bins` failed; its messages are above")]
    Build,
    /// A file or directory of the cache cannot be made.
    #[error("cannot prepare {path}: {source}; check that the directory can be written to")]
    Cache {
        /// What could not be prepared.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl Site {
    /// Builds and installs what is missing. `say` hears what is being done.
    pub fn prepare(say: &mut dyn FnMut(&str)) -> Result<Self, SetupError> {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR"));
        let workspace = sources.parent().unwrap_or(sources);
        let cache = workspace.join(".cache/bench");
        let rivals = sources.join("rivals");

        say("building the printer and our own contenders");
        let programs = build_ours(workspace)?;

        say("installing the official SDKs, unless they are in the cache");
        let typescript = sdk(sources, "ts");
        let python = sdk(sources, "python");

        say("building the rival crates, unless they are in the cache (3 minutes the first time)");
        let rust = build_rivals(&rivals, &cache.join("rust-target"));

        let site = Self {
            home: cache.join("home"),
            path_directory: cache.join("path"),
            programs,
            rivals,
            cache,
            typescript,
            python,
            rust,
        };
        site.place_printer()?;
        Ok(site)
    }

    /// One of our programs.
    #[must_use]
    pub fn program(&self, name: &str) -> PathBuf {
        self.programs.join(name)
    }

    fn place_printer(&self) -> Result<(), SetupError> {
        let link = self.path_directory.join("claude");
        let place = || {
            std::fs::create_dir_all(&self.home)?;
            std::fs::create_dir_all(&self.path_directory)?;
            match std::fs::remove_file(&link) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            // A copy and not a link: links are made differently on every system.
            std::fs::copy(self.program("printer"), &link).map(drop)
        };
        place().map_err(|source| SetupError::Cache { path: link.clone(), source })
    }
}

/// `cargo run` builds only the runner; the rest is built here, beside it.
fn build_ours(workspace: &Path) -> Result<PathBuf, SetupError> {
    let mut build = cargo();
    build.current_dir(workspace).args(["build", "--quiet", "--package=bench", "--bins"]);
    if !cfg!(debug_assertions) {
        build.arg("--release");
    }
    if !succeeds(&mut build) {
        return Err(SetupError::Build);
    }
    let runner = std::env::current_exe()
        .map_err(|source| SetupError::Cache { path: workspace.to_owned(), source })?;
    Ok(runner.parent().unwrap_or(workspace).to_owned())
}

fn build_rivals(rivals: &Path, target: &Path) -> Result<PathBuf, String> {
    let mut build = cargo();
    build
        .args(["build", "--quiet", "--release", "--locked", "--bins"])
        .arg("--manifest-path")
        .arg(rivals.join("rust/Cargo.toml"))
        .arg("--target-dir")
        .arg(target);
    if succeeds(&mut build) {
        Ok(target.join("release"))
    } else {
        Err("the rival crates could not be built".to_owned())
    }
}

/// Runs the install script for one SDK and takes the path from its answer.
fn sdk(sources: &Path, name: &str) -> Result<PathBuf, String> {
    let output = Command::new(sources.join("setup-sdks.sh"))
        .arg(name)
        .stderr(std::process::Stdio::inherit())
        .output()
        .map_err(|error| format!("setup-sdks.sh cannot be run: {error}"))?;
    let answer = String::from_utf8_lossy(&output.stdout);
    answer
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix('='))
        .filter(|_| output.status.success())
        .map(PathBuf::from)
        .ok_or_else(|| "the SDK could not be installed".to_owned())
}

fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

fn succeeds(command: &mut Command) -> bool {
    command.status().is_ok_and(|status| status.success())
}
