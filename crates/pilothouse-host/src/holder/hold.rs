//! The holder's loop: one thread, one `poll`, no waiting for anybody.
//!
//! The order in each turn is what makes the promises: what the CLI took is acknowledged in the log
//! before its answer is read; what it said is in the log before it is told to the daemon.

mod serve;

use std::fs::File;
use std::io;
use std::os::unix::net::UnixListener;
use std::process::{ChildStderr, ChildStdout};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::Signal;

use super::cli::{Cli, Pipes};
use super::feed::Feed;
use super::guard::Guard;
use super::ladder::{Ladder, Rung, later};
use super::source::{Brought, Source};
use super::spec::Times;
use super::visitor::Visitor;
use crate::wirelog::{Closed, Exit, Head, Writer, unix_millis};

/// How much is read at once.
const ROOM: usize = 64 * 1024;

/// How long after the end of the CLI its pipes may stay open: a process that hides its mark can
/// hold them.
const PIPES_CLOSE_WITHIN: Duration = Duration::from_secs(2);

/// Who writes this much between two looks is not kept waiting: its pipe would fill up.
const MUCH: usize = 8 * 1024;

/// The longest that a daemon can make the CLI's output wait.
const LONGEST_REST: Duration = Duration::from_millis(100);

/// How often a full disk is tried again.
const RETRY_EVERY: Duration = Duration::from_millis(300);

/// What is held, and who looks on.
pub(super) struct Hold {
    cli: Cli,
    guard: Option<Guard>,
    feed: Feed,
    stdout: Source<ChildStdout>,
    stderr: Source<ChildStderr>,
    log: Writer,
    /// The same file, for reading.
    log_file: File,
    listener: UnixListener,
    visitors: Vec<Visitor>,
    times: Times,
    ladder: Ladder,
    stage: Stage,
    trouble: Option<Trouble>,
    /// Since when nobody is attached.
    alone_since: Option<Instant>,
    last_output: Instant,
    /// How long stdout is left alone after a read, so that more lines are read at once.
    gather: Duration,
    /// Until when it is left alone.
    rest: Option<Instant>,
    room: Vec<u8>,
}

/// Everything a holder has opened before its loop begins.
pub(super) struct Opened {
    pub(super) cli: Cli,
    pub(super) pipes: Pipes,
    pub(super) guard: Option<Guard>,
    pub(super) log: Writer,
    pub(super) log_file: File,
    pub(super) listener: UnixListener,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Running,
    /// The CLI has ended, its pipes may not be empty.
    Draining {
        exit: Exit,
        until: Instant,
    },
    /// The last record has been queued.
    Ended,
    /// There is nothing left to do.
    Over,
}

/// The disk does not take what is to be written.
struct Trouble {
    since: Instant,
    again: Instant,
    what: String,
}

/// What a `poll` has found ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ready {
    Exit,
    Stdin,
    Stdout,
    Stderr,
    Listener,
    Visitor { index: usize, readable: bool },
}

impl Hold {
    pub(super) fn new(opened: Opened, times: Times) -> io::Result<Self> {
        let Opened { cli, pipes, guard, log, log_file, listener } = opened;
        listener.set_nonblocking(true)?;
        let now = Instant::now();
        Ok(Self {
            feed: Feed::new(pipes.stdin)?,
            stdout: Source::new(pipes.stdout, Head::Out)?,
            stderr: Source::new(pipes.stderr, Head::Err)?,
            visitors: Vec::new(),
            ladder: Ladder::Up,
            stage: Stage::Running,
            trouble: None,
            alone_since: Some(now),
            last_output: now,
            gather: Duration::ZERO,
            rest: None,
            room: vec![0; ROOM],
            cli,
            guard,
            log,
            log_file,
            listener,
            times,
        })
    }

    /// Runs to the end. Whoever said goodbye stays connected until this is dropped.
    pub(super) fn run(&mut self) -> io::Result<()> {
        let written = self.log.flush();
        self.check(written, Instant::now());
        let mut now = Instant::now();
        while self.stage != Stage::Over {
            let ready = self.wait(now)?;
            now = Instant::now();
            let at = unix_millis();
            self.retry(now);
            let read = self.serve_cli(&ready, now, at);
            self.check(read, now);
            self.keep_time(now, at);
            let written = self.log.flush();
            self.check(written, now);
            self.serve_visitors(&ready, now);
            // A line that has just arrived is written in the same turn.
            let pumped = self.feed.pump(&mut self.room, at, &mut self.log);
            self.check(pumped, now);
            let written = self.log.flush();
            self.check(written, now);
            self.tell(now);
        }
        Ok(())
    }

    fn wait(&self, now: Instant) -> io::Result<Vec<Ready>> {
        let timeout = self.deadline(now).map(|at| at.saturating_duration_since(now));
        let timeout = timeout.map(|time| Timespec {
            tv_sec: i64::try_from(time.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: i64::from(time.subsec_nanos()),
        });
        let (mut tokens, mut fds) = (Vec::with_capacity(8), Vec::with_capacity(8));
        let mut want = |token, fd, flags| {
            tokens.push(token);
            fds.push(PollFd::from_borrowed_fd(fd, flags));
        };
        let clear = self.log.is_clear();
        if let (Stage::Running, Some(fd)) = (self.stage, self.cli.ended()) {
            want(Ready::Exit, fd, PollFlags::IN);
        }
        if let (true, Some(fd)) = (clear, self.feed.writable()) {
            want(Ready::Stdin, fd, PollFlags::OUT);
        }
        if let (true, Some(fd)) = (clear && self.rest.is_none(), self.stdout.readable()) {
            want(Ready::Stdout, fd, PollFlags::IN);
        }
        if let (true, Some(fd)) = (clear, self.stderr.readable()) {
            want(Ready::Stderr, fd, PollFlags::IN);
        }
        want(Ready::Listener, rustix::fd::AsFd::as_fd(&self.listener), PollFlags::IN);
        for (index, visitor) in self.visitors.iter().enumerate() {
            let mut flags = PollFlags::empty();
            flags.set(PollFlags::IN, self.hears(visitor));
            flags.set(PollFlags::OUT, visitor.is_owed(self.log.len()));
            want(Ready::Visitor { index, readable: false }, visitor.fd(), flags);
        }
        match poll(&mut fds, timeout.as_ref()) {
            Err(rustix::io::Errno::INTR) => return Ok(Vec::new()),
            polled => polled?,
        };
        let ready = tokens.into_iter().zip(&fds).filter(|(_, fd)| !fd.revents().is_empty());
        Ok(ready
            .map(|(token, fd)| match token {
                Ready::Visitor { index, .. } => {
                    Ready::Visitor { index, readable: fd.revents() != PollFlags::OUT }
                }
                token => token,
            })
            .collect())
    }

    /// Whether there is room for what this visitor says. Who has not attached is always heard: it
    /// may want to stop a CLI that does not read.
    fn hears(&self, visitor: &Visitor) -> bool {
        !visitor.is_blocked() && (visitor.attached.is_none() || !self.feed.is_full())
    }

    fn deadline(&self, now: Instant) -> Option<Instant> {
        let stage = match self.stage {
            Stage::Running => self.cli.look_again(now),
            // With a full disk there is nothing to be done at that time.
            Stage::Draining { until, .. } => Some(until).filter(|_| self.trouble.is_none()),
            Stage::Ended | Stage::Over => None,
        };
        let alone = self.alone_since.and_then(|since| match self.stage {
            Stage::Running if self.ladder == Ladder::Up => {
                Some(later(since.max(self.last_output), self.times.alone))
            }
            Stage::Ended => Some(later(since, self.times.linger)),
            _ => None,
        });
        let ladder = self.ladder.deadline().filter(|_| self.stage == Stage::Running);
        let trouble = self.trouble.as_ref().map(|trouble| trouble.again);
        let rest = self.rest.filter(|_| self.log.is_clear());
        [stage, alone, ladder, trouble, rest].into_iter().flatten().min()
    }

    fn serve_cli(&mut self, ready: &[Ready], now: Instant, at: u64) -> io::Result<()> {
        let is_rested = self.log.is_clear() && self.rest.take_if(|until| *until <= now).is_some();
        if ready.contains(&Ready::Stdout) || is_rested {
            let brought = self.stdout.read(&mut self.room, at, &mut self.log)?;
            if let Brought::Bytes(count) = brought {
                self.last_output = now;
                let rests = !self.gather.is_zero() && count < MUCH;
                self.rest = rests.then(|| now + self.gather);
            }
        }
        if ready.contains(&Ready::Stderr) {
            self.last_output = now;
            self.stderr.read(&mut self.room, at, &mut self.log)?;
        }
        let looks = ready.contains(&Ready::Exit) || self.cli.ended().is_none();
        if self.stage == Stage::Running
            && looks
            && let Some(exit) = self.cli.collect()
        {
            self.feed.abandon();
            self.stage = Stage::Draining { exit, until: now + PIPES_CLOSE_WITHIN };
        }
        Ok(())
    }

    fn keep_time(&mut self, now: Instant, at: u64) {
        match self.stage {
            Stage::Running => {
                match self.ladder.step(now, self.times.after_term) {
                    None => {}
                    Some(Rung::Term) => self.cli.signal(Signal::TERM),
                    Some(Rung::Kill) => self.cli.signal(Signal::KILL),
                }
                let silent =
                    |since: Instant| later(since.max(self.last_output), self.times.alone) <= now;
                if self.ladder == Ladder::Up && self.alone_since.is_some_and(silent) {
                    self.log.line(at, Head::Note, b"no daemon and no output for long: stopping");
                    self.stop(self.times.after_eof, now);
                }
            }
            Stage::Draining { exit, until } => self.drain(exit, now >= until, at),
            Stage::Ended => {
                if self.alone_since.is_some_and(|since| later(since, self.times.linger) <= now) {
                    self.stage = Stage::Over;
                }
            }
            Stage::Over => {}
        }
    }

    /// After the end of the CLI: waits for the end of its pipes, or takes what is there.
    fn drain(&mut self, exit: Exit, late: bool, at: u64) {
        if self.trouble.is_some() {
            return;
        }
        if late {
            // No more than a pipe holds: whoever still writes to it is not the CLI.
            for _ in 0..64 {
                let out = self.stdout.read(&mut self.room, at, &mut self.log);
                let err = self.stderr.read(&mut self.room, at, &mut self.log);
                match (out, err) {
                    (Ok(Brought::Nothing), Ok(Brought::Nothing)) => break,
                    (Ok(_), Ok(_)) => {}
                    _ => return,
                }
            }
            self.stdout.close(at, &mut self.log);
            self.stderr.close(at, &mut self.log);
        }
        if self.stdout.is_closed() && self.stderr.is_closed() {
            self.log.exited(at, exit);
            self.stage = Stage::Ended;
            if let Some(guard) = self.guard.take() {
                guard.dismiss();
            }
            if let Some(since) = &mut self.alone_since {
                *since = Instant::now();
            }
        }
    }

    fn stop(&mut self, grace: Duration, now: Instant) {
        self.feed.close_when_written(Closed::Stop);
        self.ladder.descend(now, grace);
    }

    /// Notes that the disk is full; nothing more is read until it is not.
    fn check(&mut self, result: io::Result<()>, now: Instant) {
        if let Err(error) = result {
            let again = now + RETRY_EVERY;
            self.trouble.get_or_insert_with(|| Trouble {
                since: now,
                again,
                what: error.to_string(),
            });
        }
    }

    /// Tries again what the disk had no room for.
    fn retry(&mut self, now: Instant) {
        let Some(trouble) = self.trouble.take_if(|trouble| trouble.again <= now) else { return };
        let mut result = self.log.flush();
        result = result.and_then(|()| self.stdout.retry()).and_then(|()| self.stderr.retry());
        for visitor in &mut self.visitors {
            result = result.and_then(|()| visitor.retry());
        }
        if let Err(error) = result {
            let (again, what) = (now + RETRY_EVERY, error.to_string());
            self.trouble = Some(Trouble { again, what, ..trouble });
        } else {
            let lasted = now.duration_since(trouble.since).as_millis();
            let note = format!("nothing could be written for {lasted} ms: {}", trouble.what);
            self.log.line(unix_millis(), Head::Note, note.as_bytes());
        }
    }
}
