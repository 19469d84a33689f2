//! Which program holds runs.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Asks who it is.
pub(super) const VERSION_FLAG: &str = "--version";

/// How to run the holder program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HolderProgram {
    /// The program.
    pub exe: PathBuf,
    /// What comes before the run's directory: a subcommand.
    pub args: Vec<OsString>,
}

impl HolderProgram {
    /// The holder that was installed beside this program, under its name and `-hold`, which needs a
    /// third of the memory; without it this program itself, whose first argument `hold` must then
    /// lead to [`main`](super::main()).
    pub fn of_this_program() -> io::Result<Self> {
        Ok(Self::beside(std::env::current_exe()?))
    }

    /// One that is left from another version is not used: it would not know what it is told.
    fn beside(exe: PathBuf) -> Self {
        let mut name = exe.file_name().unwrap_or_default().to_owned();
        name.push("-hold");
        let small = exe.with_file_name(name);
        match is_of_this_version(&small) {
            true => Self { exe: small, args: Vec::new() },
            false => Self { exe, args: vec!["hold".into()] },
        }
    }
}

fn is_of_this_version(program: &Path) -> bool {
    let mut command = Command::new(program);
    command.arg(VERSION_FLAG).stdin(Stdio::null()).stderr(Stdio::null());
    command
        .output()
        .is_ok_and(|said| said.status.success() && said.stdout.trim_ascii() == version().as_bytes())
}

/// Which holder this is: those that say the same take the same arguments and speak the same.
pub(super) fn version() -> String {
    format!("pilothouse-hold {} protocol {}", env!("CARGO_PKG_VERSION"), super::protocol::VERSION)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program beside `daemon` that says this when it is asked.
    fn says(text: &str) -> (tempfile::TempDir, HolderProgram) {
        let dir = tempfile::tempdir().unwrap();
        let small = dir.path().join("daemon-hold");
        // Another process writes it: one that is started meanwhile must not have it open.
        let write = r#"printf '#!/bin/sh\necho "%s"\n' "$1" > "$2" && chmod 755 "$2""#;
        let mut shell = Command::new("sh");
        shell.args(["-c", write, "sh", text]).arg(&small);
        assert!(shell.status().unwrap().success());
        let program = HolderProgram::beside(dir.path().join("daemon"));
        (dir, program)
    }

    #[test]
    fn the_small_one_is_used_if_it_is_of_this_version() {
        let (dir, program) = says(&version());
        assert_eq!(program, HolderProgram { exe: dir.path().join("daemon-hold"), args: vec![] });
    }

    #[test]
    fn one_of_another_version_is_left_alone() {
        for text in ["pilothouse-hold 0.0.1 protocol 1", ""] {
            let (dir, program) = says(text);
            let own = HolderProgram { exe: dir.path().join("daemon"), args: vec!["hold".into()] };
            assert_eq!(program, own);
        }
        let alone = HolderProgram::beside("/nowhere/daemon".into());
        assert_eq!(alone.exe, Path::new("/nowhere/daemon"));
    }
}
