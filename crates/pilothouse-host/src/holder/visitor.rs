//! One connection to a holder: what it says, what it is still to be told.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;

use super::gather::Gathering;
use super::protocol::Hearing;
use crate::wirelog::Writer;

/// How much of the log is sent before others get their turn.
const TURN: u64 = 1024 * 1024;

/// Who has connected.
pub(super) struct Visitor {
    stream: UnixStream,
    pub(super) hearing: Hearing,
    /// The line it is sending.
    pub(super) sending: Option<Sending>,
    /// The next byte of the log that it is to get, if it has attached.
    pub(super) attached: Option<u64>,
    /// To be said before the log.
    greeting: Vec<u8>,
    gone: bool,
}

/// A line that is being received.
pub(super) struct Sending {
    pub(super) number: u64,
    /// Nothing, if the line is not wanted.
    pub(super) line: Option<Gathering>,
}

impl Visitor {
    pub(super) fn new(stream: UnixStream) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        let (hearing, greeting) = (Hearing::default(), Vec::new());
        Ok(Self { stream, hearing, sending: None, attached: None, greeting, gone: false })
    }

    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }

    pub(super) fn is_gone(&self) -> bool {
        self.gone
    }

    pub(super) fn go(&mut self) {
        self.gone = true;
    }

    /// Says why and goes. Who has attached is only cut off: what it gets is the log.
    pub(super) fn refuse(&mut self, why: &str) {
        if self.attached.is_none() {
            let _ = self.stream.write(format!("refused {why}\n").as_bytes());
        }
        self.gone = true;
    }

    pub(super) fn attach(&mut self, offset: u64, greeting: String) {
        self.attached = Some(offset);
        self.greeting = greeting.into_bytes();
    }

    /// Whether it waits for the disk to have room.
    pub(super) fn is_blocked(&self) -> bool {
        self.gathering().is_some_and(Gathering::is_stuck)
    }

    /// Tries again what the disk had no room for.
    pub(super) fn retry(&mut self) -> io::Result<()> {
        match self.sending.as_mut().and_then(|sending| sending.line.as_mut()) {
            Some(line) if line.is_stuck() => line.retry(),
            _ => Ok(()),
        }
    }

    fn gathering(&self) -> Option<&Gathering> {
        self.sending.as_ref().and_then(|sending| sending.line.as_ref())
    }

    /// Reads once; nothing when there is nothing.
    pub(super) fn read<'r>(&mut self, room: &'r mut [u8]) -> &'r [u8] {
        match self.stream.read(room) {
            Ok(0) => self.gone = true,
            Ok(read) => return &room[..read],
            Err(error) if is_temporary(&error) => {}
            Err(_) => self.gone = true,
        }
        &[]
    }

    /// Whether there is something to tell it.
    pub(super) fn is_owed(&self, log_len: u64) -> bool {
        !self.greeting.is_empty() || self.attached.is_some_and(|next| next < log_len)
    }

    /// Tells it as much as it takes.
    pub(super) fn tell(&mut self, room: &mut [u8], file: &File, log: &Writer) {
        let Some(mut next) = self.attached else { return };
        let until = log.len().min(next + TURN);
        while !self.gone && (!self.greeting.is_empty() || next < until) {
            let bytes = match (self.greeting.is_empty(), log.recent(next)) {
                (false, _) => &self.greeting[..],
                (true, Some(recent)) => recent,
                (true, None) => {
                    let there = usize::try_from(until - next).unwrap_or(usize::MAX);
                    let count = room.len().min(there);
                    match file.read_at(&mut room[..count], next) {
                        Ok(read @ 1..) => &room[..read],
                        // Its own log: only damage to the disk makes it unreadable.
                        _ => {
                            self.gone = true;
                            break;
                        }
                    }
                }
            };
            match self.stream.write(bytes) {
                Ok(written) if !self.greeting.is_empty() => drop(self.greeting.drain(..written)),
                Ok(written) => next += written as u64,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(_) => self.gone = true,
            }
        }
        self.attached = Some(next);
    }
}

fn is_temporary(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}
