//! The CLI's stdin: accepted lines in, whole lines written, each acknowledged in the log.
//!
//! A line is accepted only when all of it is here, so what a dying daemon has sent half of never
//! reaches the CLI. Nothing here waits for the CLI to read.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::process::ChildStdin;

use super::gather::Gathered;
use crate::wirelog::{Closed, Head, Writer};

/// No more is taken from a daemon while this much waits for the CLI.
const FULL_BYTES: usize = 128 * 1024;
const FULL_LINES: usize = 256;

/// Lines on their way to the CLI.
pub(super) struct Feed {
    pipe: Option<ChildStdin>,
    queue: VecDeque<(u64, Gathered)>,
    /// How much of the first line has been written.
    written: u64,
    accepted: u64,
    closing: Option<Closed>,
}

/// What is to be done with a line of this number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// It is the next one.
    Yes,
    /// It was accepted before, or nothing can be written any more.
    No,
    /// There are some missing before it.
    Gap,
}

impl Feed {
    pub(super) fn new(pipe: ChildStdin) -> io::Result<Self> {
        rustix::io::ioctl_fionbio(&pipe, true)?;
        let queue = VecDeque::new();
        Ok(Self { pipe: Some(pipe), queue, written: 0, accepted: 0, closing: None })
    }

    /// The highest number that was accepted.
    pub(super) fn accepted(&self) -> u64 {
        self.accepted
    }

    pub(super) fn wants(&self, number: u64) -> Wanted {
        match number {
            _ if self.pipe.is_none() || self.closing.is_some() => Wanted::No,
            number if number <= self.accepted => Wanted::No,
            number if number == self.accepted + 1 => Wanted::Yes,
            _ => Wanted::Gap,
        }
    }

    /// Takes a line that is [wanted](Feed::wants).
    pub(super) fn accept(&mut self, number: u64, line: Gathered) {
        if self.wants(number) == Wanted::Yes {
            self.accepted = number;
            self.queue.push_back((number, line));
        }
    }

    pub(super) fn is_full(&self) -> bool {
        let waiting: usize = self.queue.iter().map(|(_, line)| line.in_memory()).sum();
        waiting >= FULL_BYTES || self.queue.len() >= FULL_LINES
    }

    /// The pipe, while there is something to write.
    pub(super) fn writable(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().filter(|_| !self.queue.is_empty()).map(AsFd::as_fd)
    }

    /// Closes the pipe once everything that was accepted is written.
    pub(super) fn close_when_written(&mut self, why: Closed) {
        self.closing.get_or_insert(why);
    }

    /// Closes the pipe whatever is left to be written.
    fn close(&mut self, why: Closed, at: u64, log: &mut Writer) {
        self.queue.clear();
        if self.pipe.take().is_some() {
            log.closed(at, self.closing.unwrap_or(why));
        }
    }

    /// The CLI has ended: nobody reads what is left.
    pub(super) fn abandon(&mut self) {
        self.queue.clear();
        self.pipe = None;
    }

    /// Writes as much as the CLI takes.
    pub(super) fn pump(&mut self, room: &mut [u8], at: u64, log: &mut Writer) -> io::Result<()> {
        while let (Some(pipe), Some((number, line))) = (&mut self.pipe, self.queue.front()) {
            if !log.is_clear() {
                return Ok(());
            }
            let mut count = line.read_at(room, self.written)?;
            if self.written + count as u64 == line.len() && count < room.len() {
                room[count] = b'\n';
                count += 1;
            }
            match pipe.write(&room[..count]) {
                Ok(written) => self.written += written as u64,
                Err(error) => match error.kind() {
                    ErrorKind::WouldBlock => return Ok(()),
                    ErrorKind::Interrupted => continue,
                    _ => {
                        self.close(Closed::Broken, at, log);
                        return log.flush();
                    }
                },
            }
            if self.written > line.len() {
                let number = *number;
                if let Some((_, line)) = self.queue.pop_front() {
                    line.log(log, at, Head::In(number));
                }
                self.written = 0;
                log.flush()?;
            }
        }
        match self.closing {
            Some(why) if self.queue.is_empty() => self.close(why, at, log),
            _ => {}
        }
        Ok(())
    }
}
