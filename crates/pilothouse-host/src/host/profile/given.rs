//! Files that a run reads in place of arguments: servers, settings and the addition to the system
//! prompt may have secrets, and a command line can be read by everyone on the machine.

use std::fmt;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use pilothouse_wire::invocation::{Invocation, InvocationError, PromptText, Settings};
use serde_json::Value;

use crate::private::Private;

/// The MCP servers of a session's runs.
const SERVERS: &str = "mcp.json";
/// Their settings.
const SETTINGS: &str = "settings.json";

/// What is added to their system prompt.
const PROMPT: &str = "system-prompt.txt";

/// A file that a command line names. Every run of a session finds the same in it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct GivenFile {
    path: PathBuf,
    text: String,
}

impl GivenFile {
    /// Writes it, for its owner's eyes only.
    pub(crate) fn write(&self) -> io::Result<()> {
        let mut options = OpenOptions::new();
        let mut file =
            options.write(true).create(true).truncate(true).private().open(&self.path)?;
        file.write_all(self.text.as_bytes())
    }
}

/// Without what is in it.
impl fmt::Debug for GivenFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({} bytes)", self.path.display(), self.text.len())
    }
}

/// Takes servers, settings and the addition to the system prompt out of the command line, into files
/// in `dir`.
pub(super) fn set_apart(
    invocation: &mut Invocation,
    dir: &Path,
) -> Result<Vec<GivenFile>, InvocationError> {
    let mut files = Vec::new();
    if let Some(config) = invocation.mcp_config()? {
        let path = dir.join(SERVERS);
        invocation.mcp_servers.clear();
        invocation.mcp_config_files.push(path.clone());
        files.push(GivenFile { path, text: config.to_string() });
    }
    if let Some(Settings::Inline(settings)) = &invocation.settings {
        let (path, text) = (dir.join(SETTINGS), Value::Object(settings.clone()).to_string());
        invocation.settings = Some(Settings::File(path.clone()));
        files.push(GivenFile { path, text });
    }
    if let Some(PromptText::Text(text)) = &invocation.append_system_prompt {
        let (path, text) = (dir.join(PROMPT), text.clone());
        invocation.append_system_prompt = Some(PromptText::File(path.clone()));
        files.push(GivenFile { path, text });
    }
    Ok(files)
}
