//! One task for each run: writes down what the CLI says and takes, and ends it.
//!
//! The order is what makes the promises, as in a holder: what the CLI took is in the log before its
//! answer is read; what it said is in the log before anybody is told.

use std::collections::VecDeque;
use std::future::pending;
use std::io;
use std::time::{Duration, Instant};

use bytes::{Buf, Bytes, BytesMut};
use tokio::io::AsyncWriteExt;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::{mpsc, watch};

use super::Order;
use super::cli::{Cli, Pipes};
use super::lines::Lines;
use crate::holder::{HoldSpec, Ladder, Rung, Times};
use crate::host::at;
use crate::wirelog::{Closed, Exit, Head, Writer, unix_millis};

/// How often what is left in the pipes is read when they do not close. That is more than they hold:
/// whoever still writes then is not the CLI.
const LAST_READS: usize = 64;

/// How often a full disk is tried again.
const RETRY_EVERY: Duration = Duration::from_millis(300);

/// What is held.
pub(super) struct Hold {
    cli: Cli,
    stdin: Option<ChildStdin>,
    stdout: Lines<ChildStdout>,
    stderr: Lines<ChildStderr>,
    log: Writer,
    /// Nothing when there is nobody any more who could give one.
    orders: Option<mpsc::UnboundedReceiver<Order>>,
    told: watch::Sender<u64>,
    /// Lines for the CLI, with their numbers. Of the first some is written already.
    queue: VecDeque<(u64, Bytes)>,
    first: BytesMut,
    accepted: u64,
    closing: Option<Closed>,
    ladder: Ladder,
    times: Times,
    /// How long after the end of the CLI its pipes may stay open: a process that was not found can
    /// hold them.
    pipes_close_within: Duration,
    stage: Stage,
    trouble: Option<Trouble>,
}

/// The disk does not take what is to be written.
struct Trouble {
    since: Instant,
    again: Instant,
    what: String,
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
}

/// What has happened.
enum Step {
    Ordered(Option<Order>),
    Out(io::Result<usize>),
    Err(io::Result<usize>),
    Taken(io::Result<usize>),
    Ended,
    Time,
}

impl Hold {
    pub(super) fn new(
        spec: &HoldSpec,
        (cli, pipes): (Cli, Pipes),
        mut log: Writer,
        orders: mpsc::UnboundedReceiver<Order>,
        told: watch::Sender<u64>,
        pipes_close_within: Duration,
    ) -> Self {
        let now = unix_millis();
        let what = spec.without_secrets().to_string();
        log.line(now, Head::Started(cli.pid()), what.as_bytes());
        if let Some(error) = cli.unguarded() {
            let note =
                format!("no guard: if the daemon is killed, the CLI may outlive it ({error})");
            log.line(now, Head::Note, note.as_bytes());
        }
        Self {
            cli,
            stdin: Some(pipes.stdin),
            stdout: Lines::new(pipes.stdout, Head::Out),
            stderr: Lines::new(pipes.stderr, Head::Err),
            log,
            orders: Some(orders),
            told,
            queue: VecDeque::new(),
            first: BytesMut::new(),
            accepted: 0,
            closing: None,
            ladder: Ladder::Up,
            times: spec.times,
            pipes_close_within,
            stage: Stage::Running,
            trouble: None,
        }
    }

    /// Runs to the end. As long as what it gives is there, nobody is told of that.
    pub(super) async fn run(mut self) -> watch::Sender<u64> {
        self.write_down();
        while self.stage != Stage::Ended || !self.log.is_clear() {
            let step = self.wait().await;
            let at = unix_millis();
            match step {
                Step::Ordered(order) => self.obey(order, at),
                Step::Out(came) => self.stdout.split(came, at, &mut self.log),
                Step::Err(came) => self.stderr.split(came, at, &mut self.log),
                Step::Taken(taken) => self.taken(taken, at),
                Step::Ended => self.ended().await,
                Step::Time => self.keep_time(at),
            }
            self.write_down();
            self.close_what_is_done(at);
            self.write_down();
        }
        self.cli.let_go().await;
        self.told
    }

    async fn wait(&mut self) -> Step {
        let deadline = self.deadline();
        // While the disk is full nothing more is taken in.
        let clear = self.log.is_clear();
        let writes = clear && !self.first.is_empty();
        let Self { cli, stdin, stdout, stderr, orders, first, stage, .. } = self;
        let order = async {
            match orders {
                Some(orders) => orders.recv().await,
                None => pending().await,
            }
        };
        let write = async {
            match stdin {
                Some(stdin) => stdin.write(first).await,
                None => pending().await,
            }
        };
        tokio::select! {
            order = order => Step::Ordered(order),
            taken = write, if writes => Step::Taken(taken),
            came = stdout.more(), if clear => Step::Out(came),
            came = stderr.more(), if clear => Step::Err(came),
            () = cli.wait(), if *stage == Stage::Running => Step::Ended,
            () = at(deadline) => Step::Time,
        }
    }

    fn deadline(&self) -> Option<Instant> {
        let stage = match self.stage {
            Stage::Running => self.ladder.deadline(),
            // With a full disk there is nothing to be done at that time.
            Stage::Draining { until, .. } => Some(until).filter(|_| self.log.is_clear()),
            Stage::Ended => None,
        };
        stage.into_iter().chain(self.trouble.as_ref().map(|trouble| trouble.again)).min()
    }

    fn obey(&mut self, order: Option<Order>, at: u64) {
        match order {
            Some(Order::Send(number, line)) => self.accept(number, line, at),
            Some(Order::Eof) => _ = self.closing.get_or_insert(Closed::Eof),
            Some(Order::Stop(grace)) => self.stop(grace),
            // The host is gone without a word.
            None => {
                self.orders = None;
                self.stop(self.times.after_eof);
            }
        }
    }

    /// A line of a number that came before is ignored: who sends it again does not know that.
    fn accept(&mut self, number: u64, line: Bytes, at: u64) {
        let last = self.accepted;
        if self.stdin.is_none() || self.closing.is_some() || number <= last {
            return;
        }
        if number > last + 1 {
            let note = format!("refused line {number}: the last one was {last}");
            return self.log.line(at, Head::Note, note.as_bytes());
        }
        self.accepted = number;
        self.queue.push_back((number, line));
        self.begin_line();
    }

    fn begin_line(&mut self) {
        if let (true, Some((_, line))) = (self.first.is_empty(), self.queue.front()) {
            self.first.reserve(line.len() + 1);
            self.first.extend_from_slice(line);
            self.first.extend_from_slice(b"\n");
        }
    }

    /// The CLI has taken some of the first line.
    fn taken(&mut self, taken: io::Result<usize>, at: u64) {
        match taken {
            Ok(count) => self.first.advance(count),
            Err(_) => {
                self.closing.get_or_insert(Closed::Broken);
                return self.forget_lines();
            }
        }
        if self.first.is_empty()
            && let Some((number, line)) = self.queue.pop_front()
        {
            self.log.line(at, Head::In(number), &line);
            self.begin_line();
        }
    }

    fn forget_lines(&mut self) {
        self.queue.clear();
        self.first.clear();
    }

    fn stop(&mut self, grace: Duration) {
        self.closing.get_or_insert(Closed::Stop);
        self.ladder.descend(Instant::now(), grace);
    }

    async fn ended(&mut self) {
        // Nobody reads what is left.
        self.stdin = None;
        self.forget_lines();
        let exit = self.cli.collect().await;
        self.stage = Stage::Draining { exit, until: Instant::now() + self.pipes_close_within };
    }

    fn keep_time(&mut self, at: u64) {
        let now = Instant::now();
        match self.stage {
            Stage::Running => match self.ladder.step(now, self.times.after_term) {
                None => {}
                Some(Rung::Term) => self.cli.ask_to_end(),
                Some(Rung::Kill) => self.cli.kill(),
            },
            Stage::Draining { until, .. } if until <= now && self.log.is_clear() => {
                self.close_pipes(at);
            }
            Stage::Draining { .. } | Stage::Ended => {}
        }
    }

    /// The pipes do not close by themselves: takes what is in them, and reads no more.
    fn close_pipes(&mut self, at: u64) {
        for _ in 0..LAST_READS {
            let (out, err) = (self.stdout.ready(), self.stderr.ready());
            if out.is_none() && err.is_none() {
                break;
            }
            if let Some(came) = out {
                self.stdout.split(came, at, &mut self.log);
            }
            if let Some(came) = err {
                self.stderr.split(came, at, &mut self.log);
            }
            self.write_down();
            if !self.log.is_clear() {
                // The rest stays where it is until there is room.
                return;
            }
        }
        self.stdout.close(at, &mut self.log);
        self.stderr.close(at, &mut self.log);
    }

    /// Stdin when all is written, the log when all is said.
    fn close_what_is_done(&mut self, at: u64) {
        if let (Some(why), true) = (self.closing, self.queue.is_empty())
            && self.stdin.take().is_some()
        {
            self.log.closed(at, why);
        }
        if let Stage::Draining { exit, .. } = self.stage
            && self.stdout.is_closed()
            && self.stderr.is_closed()
            && self.trouble.is_none()
        {
            self.log.exited(at, exit);
            self.stage = Stage::Ended;
        }
    }

    /// Writes what is to be in the log, then tells how long that is. What the disk has no room for
    /// is tried again.
    fn write_down(&mut self) {
        let (now, mut written) = (Instant::now(), self.log.flush());
        let trouble = self.trouble.take();
        // After the last record nothing comes.
        if let (Ok(()), Some(trouble), true) = (&written, &trouble, self.stage != Stage::Ended) {
            // Nothing was read meanwhile: who had something to write could not.
            if let Stage::Draining { until, .. } = &mut self.stage {
                *until = now + self.pipes_close_within;
            }
            let lasted = now.duration_since(trouble.since).as_millis();
            let note = format!("nothing could be written for {lasted} ms: {}", trouble.what);
            self.log.line(unix_millis(), Head::Note, note.as_bytes());
            written = self.log.flush();
        }
        if let Err(error) = written {
            let since = trouble.map_or(now, |trouble| trouble.since);
            let (again, what) = (now + RETRY_EVERY, error.to_string());
            self.trouble = Some(Trouble { since, again, what });
        }
        let len = self.log.len();
        self.told.send_if_modified(|told| std::mem::replace(told, len) != len);
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use crate::wirelog::{self, Log, Record};

    #[tokio::test]
    async fn what_is_in_the_pipes_is_taken_before_they_are_closed() {
        let dir = tempfile::tempdir().unwrap();
        let spec = HoldSpec::new("r", "sh", "/").args(["-c", "echo out; printf err >&2"]);
        let log = Writer::create(&dir.path().join(wirelog::FILE)).unwrap();
        let ((_orders, ordered), (told, _)) = (mpsc::unbounded_channel(), watch::channel(0));
        let cli = Cli::start(&spec).unwrap();
        let mut hold = Hold::new(&spec, cli, log, ordered, told, Duration::ZERO);
        hold.write_down();
        hold.cli.wait().await;
        hold.ended().await;
        // The time comes before anything was read.
        hold.keep_time(unix_millis());
        assert!(hold.stdout.is_closed() && hold.stderr.is_closed());
        hold.write_down();
        let records = Log::open(dir.path()).unwrap().records(0).map(|found| found.unwrap().record);
        let said: Vec<_> = records.skip(1).collect();
        assert!(
            matches!(&*said, [Record::Out { line: out, .. }, Record::Err { line: err, .. }]
                if out == "out" && err == "err"),
            "{said:?}"
        );
        hold.cli.let_go().await;
    }
}
