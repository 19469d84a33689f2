//! Who is measured, and how each one is started.
//!
//! Each contender is a program that takes the corpus from `BENCH_CORPUS` (by
//! itself, or from the printer it starts) and prints a reading.

use std::path::Path;
use std::process::Command;

use crate::corpus::Corpus;
use crate::setup::Site;

/// A contender; the order is that of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Contender {
    /// Finding the newlines, nothing else: the floor.
    Split,
    /// Our codec on lines in memory.
    Decode,
    /// Our codec and the session machine on lines in memory.
    Session,
    /// Our client on a child's pipe.
    Client,
    /// `@anthropic-ai/claude-agent-sdk`.
    TypeScript,
    /// `claude-agent-sdk` for Python.
    Python,
    /// The crate `claude-codes`.
    ClaudeCodes,
    /// The crate `cc-sdk`.
    CcSdk,
}

/// No run takes this long unless it hangs.
const PATIENCE_SECONDS: &str = "600";

impl Contender {
    /// Everyone.
    pub const ALL: [Self; 8] = [
        Self::Split,
        Self::Decode,
        Self::Session,
        Self::Client,
        Self::TypeScript,
        Self::Python,
        Self::ClaudeCodes,
        Self::CcSdk,
    ];

    /// The name on the command line.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Split => "split",
            Self::Decode => "decode",
            Self::Session => "session",
            Self::Client => "client",
            Self::TypeScript => "ts",
            Self::Python => "python",
            Self::ClaudeCodes => "claude-codes",
            Self::CcSdk => "cc-sdk",
        }
    }

    /// The name in the table.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Split => "newline splitting alone (in memory)",
            Self::Decode => "pilothouse-wire, typed decode (in memory)",
            Self::Session => "pilothouse-session, decode and handle (in memory)",
            Self::Client => "pilothouse-client, end to end",
            Self::TypeScript => "official TypeScript SDK 0.3.325",
            Self::Python => "official Python SDK 0.2.182",
            Self::ClaudeCodes => "crate claude-codes 2.1.316",
            Self::CcSdk => "crate cc-sdk 0.8.1",
        }
    }

    /// Whether it holds the whole corpus in memory, which makes its peak memory
    /// a fact about the corpus.
    #[must_use]
    pub fn in_memory(self) -> bool {
        matches!(self, Self::Split | Self::Decode | Self::Session)
    }

    /// Why it hands out fewer messages than there are lines, where that is known.
    #[must_use]
    pub fn omission(self) -> Option<&'static str> {
        match self {
            Self::CcSdk => Some("leaves out every user message that holds a tool result"),
            _ => None,
        }
    }

    /// The command for one run, or why there is none.
    pub fn command(self, site: &Site, corpus: &Corpus) -> Result<Command, String> {
        let printer = site.program("printer");
        // A contender that hangs must not hold up the others.
        let mut command = Command::new("timeout");
        command.args(["--kill-after=5", PATIENCE_SECONDS]);
        command.env("BENCH_CORPUS", &corpus.path);
        // Settings and transcripts of the person who measures are none of their business.
        command.env("HOME", &site.home);
        match self {
            Self::Split | Self::Decode | Self::Session | Self::Client => {
                command.arg(site.program("ours")).arg(self.key()).arg(printer);
            }
            Self::TypeScript => {
                let sdk = site.typescript.as_ref().map_err(Clone::clone)?;
                command.arg("node").arg(site.rivals.join("ts/run.mjs")).arg(sdk).arg(printer);
            }
            Self::Python => {
                let python = site.python.as_ref().map_err(Clone::clone)?;
                command.arg(python).arg(site.rivals.join("python/run.py")).arg(printer);
            }
            Self::ClaudeCodes => {
                let rust = site.rust.as_ref().map_err(Clone::clone)?;
                command.arg(rust.join("claude-codes")).arg(printer);
            }
            Self::CcSdk => {
                let rust = site.rust.as_ref().map_err(Clone::clone)?;
                command.arg(rust.join("cc-sdk")).arg(corpus.results.to_string());
                command.env("PATH", path_with(&site.path_directory));
            }
        }
        Ok(command)
    }
}

/// `PATH` with `directory` in front.
fn path_with(directory: &Path) -> std::ffi::OsString {
    let mut path = directory.as_os_str().to_owned();
    if let Some(rest) = std::env::var_os("PATH") {
        path.push(":");
        path.push(rest);
    }
    path
}
