//! Installs the CLI from npm: `<cache>/claude-cli/<version>/claude` is one executable, whatever the
//! package holds.
//!
//! Safe to call from many tests and processes at once, and free of the network as soon as the
//! version is there: a version is prepared beside its place under a file lock, and moved there when
//! complete.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A version of the CLI that the tests run with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CliVersion {
    /// The oldest one, run by node.
    V2_1_7,
    /// One in between, run by node.
    V2_1_62,
    /// A native program.
    V2_1_325,
    /// The newest one, a native program.
    V2_1_326,
}

/// Why a version could not be installed.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// npm is not there.
    #[error(
        "Claude Code {version} is not in {} and npm was not found; install Node.js 18 or newer with npm, \
         then run `cargo run -p testkit --bin fetch-cli`", cache.display()
    )]
    NpmMissing {
        /// The version wanted.
        version: CliVersion,
        /// Where it would have been.
        cache: PathBuf,
    },
    /// npm ran and failed.
    #[error("npm could not install {package}; is the registry reachable? npm said:\n{output}")]
    NpmFailed {
        /// The package.
        package: String,
        /// What npm wrote.
        output: String,
    },
    /// npm succeeded, but the program is not where it should be.
    #[error("{package} was installed but has no {}; has the package changed its layout?", missing.display())]
    NotInPackage {
        /// The package.
        package: String,
        /// What is missing.
        missing: PathBuf,
    },
    /// No native program for this machine.
    #[error("Claude Code {version} has no native package for {system} on {processor}")]
    NoPackage {
        /// The version wanted.
        version: CliVersion,
        /// The operating system.
        system: &'static str,
        /// The processor.
        processor: &'static str,
    },
    /// The cache directory cannot be used.
    #[error("cannot use the cache {}: {source} (set PILOTHOUSE_TEST_CACHE to a directory that can be written)", path.display())]
    Cache {
        /// The path in question.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// How a version is packed.
enum Package {
    /// A program, in a package for each platform.
    Native(String),
    /// `cli.js`, to be run with node.
    Node(String),
}

impl Package {
    fn name(&self) -> &str {
        match self {
            Self::Native(name) | Self::Node(name) => name,
        }
    }

    fn program(&self) -> PathBuf {
        let folder = Path::new("node_modules").join(self.name());
        match self {
            Self::Native(_) => folder.join("claude"),
            Self::Node(_) => folder.join("cli.js"),
        }
    }
}

impl CliVersion {
    /// All versions, newest first.
    pub const ALL: [Self; 4] = [Self::V2_1_326, Self::V2_1_325, Self::V2_1_62, Self::V2_1_7];

    /// The versions with recorded transcripts, newest first.
    pub const RECORDED: [Self; 3] = [Self::V2_1_325, Self::V2_1_62, Self::V2_1_7];

    /// As npm and the CLI write it.
    pub fn number(self) -> &'static str {
        match self {
            Self::V2_1_7 => "2.1.7",
            Self::V2_1_62 => "2.1.62",
            Self::V2_1_325 => "2.1.325",
            Self::V2_1_326 => "2.1.326",
        }
    }

    /// The program, installed now if it is not yet in the cache.
    pub fn install(self) -> Result<PathBuf, InstallError> {
        self.install_in(&cache_dir(), "npm".as_ref())
    }

    /// Whether the program is in the cache.
    pub fn is_installed(self) -> bool {
        self.program_in(&cache_dir()).is_file()
    }

    fn program_in(self, cache: &Path) -> PathBuf {
        cache.join(self.number()).join("claude")
    }

    fn package(self) -> Result<Package, InstallError> {
        match self {
            Self::V2_1_7 | Self::V2_1_62 => Ok(Package::Node("@anthropic-ai/claude-code".into())),
            Self::V2_1_325 | Self::V2_1_326 => {
                let (system, processor) = (std::env::consts::OS, std::env::consts::ARCH);
                let platform = match (system, processor) {
                    ("linux", "x86_64") => "linux-x64",
                    ("linux", "aarch64") => "linux-arm64",
                    ("macos", "x86_64") => "darwin-x64",
                    ("macos", "aarch64") => "darwin-arm64",
                    _ => {
                        return Err(InstallError::NoPackage { version: self, system, processor });
                    }
                };
                Ok(Package::Native(format!("@anthropic-ai/claude-code-{platform}")))
            }
        }
    }

    fn install_in(self, cache: &Path, npm: &OsStr) -> Result<PathBuf, InstallError> {
        let program = self.program_in(cache);
        if program.is_file() {
            return Ok(program);
        }
        let unusable = |path: &Path| {
            let path = path.to_owned();
            |source| InstallError::Cache { path, source }
        };
        fs::create_dir_all(cache).map_err(unusable(cache))?;
        let lock_path = cache.join(format!("{}.lock", self.number()));
        let lock = File::create(&lock_path).map_err(unusable(&lock_path))?;
        // Held until `lock` is dropped. Whoever waited here finds the work done.
        lock.lock().map_err(unusable(&lock_path))?;
        if program.is_file() {
            return Ok(program);
        }
        let staging = tempfile::Builder::new()
            .prefix(&format!(".{}-", self.number()))
            .tempdir_in(cache)
            .map_err(unusable(cache))?;
        self.prepare(staging.path(), cache, npm)?;
        let home = cache.join(self.number());
        if home.exists() {
            // Not ours: without `claude` in it, it is what an interrupted hand left behind.
            fs::remove_dir_all(&home).map_err(unusable(&home))?;
        }
        fs::rename(staging.path(), &home).map_err(unusable(&home))?;
        Ok(program)
    }

    /// Downloads into `staging` and gives it one executable, `claude`.
    fn prepare(self, staging: &Path, cache: &Path, npm: &OsStr) -> Result<(), InstallError> {
        let unusable = |source| InstallError::Cache { path: staging.to_owned(), source };
        let package = self.package()?;
        let wanted = format!("{}@{}", package.name(), self.number());
        let run = Command::new(npm)
            .args(["install", "--ignore-scripts", "--no-save", "--no-package-lock"])
            .args(["--no-audit", "--no-fund", "--loglevel=error", "--prefix"])
            .arg(staging)
            .arg(&wanted)
            .current_dir(staging)
            .output();
        let output = match run {
            Ok(output) => output,
            Err(fault) if fault.kind() == io::ErrorKind::NotFound => {
                return Err(InstallError::NpmMissing { version: self, cache: cache.to_owned() });
            }
            Err(fault) => return Err(unusable(fault)),
        };
        if !output.status.success() {
            let mut text = output.stderr;
            text.extend_from_slice(&output.stdout);
            return Err(InstallError::NpmFailed {
                package: wanted,
                output: String::from_utf8_lossy(&text).trim().to_owned(),
            });
        }
        let program = package.program();
        if !staging.join(&program).is_file() {
            return Err(InstallError::NotInPackage { package: wanted, missing: program });
        }
        let claude = staging.join("claude");
        match package {
            // A link, because the program has hundreds of megabytes. Relative, because its
            // directory is moved.
            Package::Native(_) => symlink(&program, &claude).map_err(unusable)?,
            Package::Node(_) => {
                let script = format!(
                    "#!/bin/sh\nexec node \"$(dirname \"$0\")/{}\" \"$@\"\n",
                    program.display()
                );
                fs::write(&claude, script).map_err(unusable)?;
                fs::set_permissions(&claude, fs::Permissions::from_mode(0o755))
                    .map_err(unusable)?;
            }
        }
        // A temporary directory is private; a cache may be shared.
        fs::set_permissions(staging, fs::Permissions::from_mode(0o755)).map_err(unusable)
    }
}

impl std::fmt::Display for CliVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.number())
    }
}

/// `$PILOTHOUSE_TEST_CACHE/claude-cli`, or `.cache/claude-cli` in the workspace.
fn cache_dir() -> PathBuf {
    let root = match std::env::var_os("PILOTHOUSE_TEST_CACHE") {
        Some(path) if !path.is_empty() => PathBuf::from(path),
        _ => Path::new(env!("CARGO_MANIFEST_DIR"))
            .ancestors()
            .nth(2)
            .unwrap_or(Path::new("."))
            .join(".cache"),
    };
    root.join("claude-cli")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::tests::write_script;

    /// A stand-in for npm: makes what `prefix` would get, and counts its runs in the cache's
    /// directory.
    fn fake_npm(directory: &Path, body: &str) -> PathBuf {
        let path = directory.join("npm");
        let counted = format!("echo run >> {}/runs\n{body}", directory.display());
        write_script(&path, &counted);
        path
    }

    const MAKES_CLI_JS: &str = "mkdir -p node_modules/@anthropic-ai/claude-code && : > node_modules/@anthropic-ai/claude-code/cli.js";

    #[test]
    fn many_at_once_install_once() {
        let directory = tempfile::tempdir().unwrap();
        let npm = fake_npm(directory.path(), MAKES_CLI_JS);
        let cache = directory.path().join("cache");
        std::thread::scope(|scope| {
            let runs: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| CliVersion::V2_1_7.install_in(&cache, npm.as_os_str())))
                .collect();
            for run in runs {
                assert!(run.join().unwrap().unwrap().is_file());
            }
        });
        let runs = fs::read_to_string(directory.path().join("runs")).unwrap();
        assert_eq!(runs.lines().count(), 1);
        let left: Vec<_> = fs::read_dir(&cache)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.starts_with('.'))
            .collect();
        assert_eq!(left, Vec::<String>::new());
    }

    #[test]
    fn without_npm_it_says_what_to_install() {
        let cache = tempfile::tempdir().unwrap();
        let npm = cache.path().join("no-such-npm");
        let error = CliVersion::V2_1_62.install_in(cache.path(), npm.as_os_str()).unwrap_err();
        assert!(matches!(error, InstallError::NpmMissing { .. }), "{error}");
        assert!(error.to_string().contains("install Node.js"), "{error}");
    }

    #[test]
    fn a_failed_npm_leaves_nothing_and_its_words_are_kept() {
        let directory = tempfile::tempdir().unwrap();
        let npm = fake_npm(directory.path(), "echo no route >&2; exit 1");
        let cache = directory.path().join("cache");
        let error = CliVersion::V2_1_7.install_in(&cache, npm.as_os_str()).unwrap_err();
        assert!(error.to_string().contains("no route"), "{error}");
        assert!(!cache.join("2.1.7").exists());
    }

    #[test]
    fn a_package_without_the_program_is_reported() {
        let directory = tempfile::tempdir().unwrap();
        let npm = fake_npm(directory.path(), "exit 0");
        let error = CliVersion::V2_1_7.install_in(directory.path(), npm.as_os_str()).unwrap_err();
        assert!(matches!(error, InstallError::NotInPackage { .. }), "{error}");
    }
}
