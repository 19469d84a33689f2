//! One of the CLI's output pipes: bytes in, records out.

use std::io::{self, ErrorKind, Read};
use std::os::fd::{AsFd, BorrowedFd};

use memchr::memchr;

use super::gather::Gathering;
use crate::wirelog::{Head, Writer};

/// Stdout or stderr of the CLI.
pub(super) struct Source<P> {
    pipe: Option<P>,
    head: Head,
    line: Gathering,
}

/// What one read has brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Brought {
    Bytes(usize),
    Nothing,
}

impl<P: Read + AsFd> Source<P> {
    pub(super) fn new(pipe: P, head: Head) -> io::Result<Self> {
        rustix::io::ioctl_fionbio(&pipe, true)?;
        Ok(Self { pipe: Some(pipe), head, line: Gathering::default() })
    }

    /// The pipe, while there may be something to read and room to put it.
    pub(super) fn readable(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().filter(|_| !self.line.is_stuck()).map(AsFd::as_fd)
    }

    pub(super) fn is_closed(&self) -> bool {
        self.pipe.is_none()
    }

    /// Reads once. At the end of the pipe what came after the last newline is a line, too.
    pub(super) fn read(
        &mut self,
        room: &mut [u8],
        at: u64,
        log: &mut Writer,
    ) -> io::Result<Brought> {
        let Some(pipe) = &mut self.pipe else { return Ok(Brought::Nothing) };
        match pipe.read(room) {
            Ok(0) => {
                self.close(at, log);
                Ok(Brought::Nothing)
            }
            Ok(read) => {
                self.split(&room[..read], at, log)?;
                Ok(Brought::Bytes(read))
            }
            Err(error) => match error.kind() {
                ErrorKind::WouldBlock | ErrorKind::Interrupted => Ok(Brought::Nothing),
                _ => {
                    self.close(at, log);
                    Ok(Brought::Nothing)
                }
            },
        }
    }

    /// Tries again what the disk had no room for.
    pub(super) fn retry(&mut self) -> io::Result<()> {
        if self.line.is_stuck() { self.line.retry() } else { Ok(()) }
    }

    /// Reads no more.
    pub(super) fn close(&mut self, at: u64, log: &mut Writer) {
        self.pipe = None;
        if !self.line.is_empty() {
            self.line.take().log(log, at, self.head);
        }
    }

    fn split(&mut self, mut bytes: &[u8], at: u64, log: &mut Writer) -> io::Result<()> {
        while let Some(newline) = memchr(b'\n', bytes) {
            let line = &bytes[..newline];
            bytes = &bytes[newline + 1..];
            if self.line.is_empty() {
                log.line(at, self.head, line);
            } else {
                // What the disk has no room for is in memory, and goes to the log from there.
                let _ = self.line.add(line);
                self.line.take().log(log, at, self.head);
            }
        }
        self.line.add(bytes)
    }
}
