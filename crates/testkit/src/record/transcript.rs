//! The file format: one line for each line of the wire, `{"dir":"in"|"out","line":…}`.
//!
//! `in` is what the host wrote, `out` what the CLI wrote. A line that was not JSON is a string.

use serde::{Deserialize, Serialize};

use super::json::Json;
use crate::cli::Direction;

/// One line of a transcript.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Who wrote it.
    pub dir: Dir,
    /// What.
    pub line: Json,
}

/// Who wrote a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dir {
    /// The host.
    In,
    /// The CLI.
    Out,
}

impl Line {
    /// A line as it went over the wire.
    pub fn of(direction: Direction, text: &str) -> Self {
        let dir = match direction {
            Direction::ToCli => Dir::In,
            Direction::FromCli => Dir::Out,
        };
        let line = serde_json::from_str(text).unwrap_or_else(|_| Json::Text(text.to_owned()));
        Self { dir, line }
    }
}

/// The text of a file.
pub fn write(lines: &[Line]) -> Result<String, serde_json::Error> {
    let mut text = String::new();
    for line in lines {
        text.push_str(&serde_json::to_string(line)?);
        text.push('\n');
    }
    Ok(text)
}

/// The lines of a file.
pub fn read(text: &str) -> Result<Vec<Line>, serde_json::Error> {
    text.lines().map(serde_json::from_str).collect()
}
