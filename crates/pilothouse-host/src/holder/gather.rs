//! A line that is still coming: in memory while it is short, in a nameless file when it is long.
//!
//! So a line of any length costs the holder a bounded amount of memory, and enters the log in one
//! piece, with nothing between its beginning and its end.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};

use crate::wirelog::{Head, Writer};

/// What is longer goes to a file.
const LONG: usize = 64 * 1024;

/// Exists only for the moment between creating the file and taking its name away.
const NAME: &str = "part";

/// The beginning of a line.
#[derive(Debug, Default)]
pub(super) struct Gathering {
    spilled: Option<(File, u64)>,
    memory: Vec<u8>,
    stuck: bool,
}

/// A whole line.
#[derive(Debug)]
pub(super) struct Gathered {
    spilled: Option<(File, u64)>,
    end: Vec<u8>,
}

impl Gathering {
    pub(super) fn is_empty(&self) -> bool {
        self.memory.is_empty() && self.spilled.is_none()
    }

    /// Adds bytes; what is long goes to a file in the current directory. After an error nothing is
    /// lost, but nothing more may be added before [`Gathering::retry`] has succeeded.
    pub(super) fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.spilled.is_none() && self.memory.len() + bytes.len() <= LONG {
            self.memory.extend_from_slice(bytes);
            return Ok(());
        }
        let mut rest = bytes;
        let spilled = self.retry().and_then(|()| self.spill(&mut rest));
        if spilled.is_err() {
            self.memory.extend_from_slice(rest);
            self.stuck = true;
        }
        spilled
    }

    /// Whether an error has left something to be retried.
    pub(super) fn is_stuck(&self) -> bool {
        self.stuck
    }

    /// Moves what is in memory to the file.
    pub(super) fn retry(&mut self) -> io::Result<()> {
        let memory = std::mem::take(&mut self.memory);
        let mut rest = &memory[..];
        let spilled = self.spill(&mut rest);
        self.memory = rest.to_vec();
        self.stuck = spilled.is_err();
        spilled
    }

    fn spill(&mut self, rest: &mut &[u8]) -> io::Result<()> {
        let (file, len) = match &mut self.spilled {
            Some(spilled) => spilled,
            none => none.insert((nameless_file()?, 0)),
        };
        while !rest.is_empty() {
            let written = file.write_at(rest, *len)?;
            if written == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            *len += written as u64;
            *rest = &rest[written..];
        }
        Ok(())
    }

    /// The line is complete; the next one begins.
    pub(super) fn take(&mut self) -> Gathered {
        self.stuck = false;
        let mut end = std::mem::take(&mut self.memory);
        // It may wait long for the CLI to read it.
        end.shrink_to_fit();
        Gathered { spilled: self.spilled.take(), end }
    }
}

fn nameless_file() -> io::Result<File> {
    let mut options = OpenOptions::new();
    let file = options.read(true).write(true).create(true).truncate(true).mode(0o600).open(NAME)?;
    std::fs::remove_file(NAME)?;
    Ok(file)
}

impl Gathered {
    pub(super) fn len(&self) -> u64 {
        self.spilled.as_ref().map_or(0, |(_, len)| *len) + self.end.len() as u64
    }

    /// How much of it is in memory.
    pub(super) fn in_memory(&self) -> usize {
        self.end.len()
    }

    /// Reads some of the line.
    pub(super) fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
        match &self.spilled {
            Some((file, len)) if offset < *len => {
                let there = usize::try_from(len - offset).unwrap_or(usize::MAX);
                let count = bytes.len().min(there);
                file.read_at(&mut bytes[..count], offset)
            }
            spilled => {
                let before = spilled.as_ref().map_or(0, |(_, len)| *len);
                let from = usize::try_from(offset - before).unwrap_or(usize::MAX);
                let rest = self.end.get(from..).unwrap_or_default();
                let count = rest.len().min(bytes.len());
                bytes[..count].copy_from_slice(&rest[..count]);
                Ok(count)
            }
        }
    }

    /// Becomes a record.
    pub(super) fn log<F: Write>(self, log: &mut Writer<F>, at: u64, head: Head) {
        match self.spilled {
            None => log.line(at, head, &self.end),
            Some(body) => log.long_line(at, head, body, &self.end),
        }
    }
}
