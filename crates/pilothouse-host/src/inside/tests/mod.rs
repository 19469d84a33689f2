//! With shells in place of the CLI.

#[cfg(target_os = "linux")]
mod disk;

use super::*;
use crate::holder::protocol::Command;
use crate::holder::{RunState, look};
use crate::wirelog::{Closed, Exit, Log, Record};

/// More than anything here takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// Waits for something that comes by itself.
async fn until(mut come: impl FnMut() -> bool) {
    let come = async {
        while !come() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, come).await.unwrap();
}

/// Where runs are held.
struct Bed {
    dir: tempfile::TempDir,
    runs: Runs,
}

impl Bed {
    fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap(), runs: Runs::default() }
    }

    fn spec(&self, script: &str) -> HoldSpec {
        let run = uuid::Uuid::new_v4().to_string();
        let mut spec = HoldSpec::new(run, "sh", "/").args(["-c", script]);
        spec.times.after_eof = Duration::from_millis(200);
        spec.times.after_term = Duration::from_millis(200);
        spec
    }

    fn start_in(&self, dir: &Path, spec: &HoldSpec) -> Held {
        let dir = dir.join(&spec.run);
        let pid = self.runs.start(&dir, spec).unwrap();
        let feed = Feed::new(self.runs.get(&dir).unwrap(), Log::open(&dir).unwrap(), 0);
        Held { dir, pid, feed, seen: Vec::new() }
    }

    fn sh(&self, script: &str) -> Held {
        self.start_in(self.dir.path(), &self.spec(script))
    }
}

/// A run, and what was heard of it.
struct Held {
    dir: PathBuf,
    pid: u32,
    feed: Feed,
    seen: Vec<Record>,
}

impl Held {
    fn send(&self, number: u64, line: &str) {
        self.feed.say(Command::Send { number, line: line.as_bytes() }).unwrap();
    }

    fn say(&self, command: Command<'_>) {
        self.feed.say(command).unwrap();
    }

    /// Hears everything up to such a record.
    async fn until(&mut self, wanted: impl Fn(&Record) -> bool) {
        let heard = async {
            while let Some(found) = self.feed.next().await.unwrap() {
                self.seen.push(found.record);
                if self.seen.last().is_some_and(&wanted) {
                    return;
                }
            }
            panic!("it is over: {:?}", self.seen);
        };
        tokio::time::timeout(PATIENCE, heard).await.unwrap();
    }

    async fn until_out(&mut self, text: &str) {
        self.until(|record| matches!(record, Record::Out { line, .. } if line == text)).await;
    }

    /// Hears everything to the end. Then the log says the same, and nobody holds it.
    async fn end(&mut self) -> Exit {
        self.until(|record| matches!(record, Record::Exited { .. })).await;
        let over = tokio::time::timeout(PATIENCE, self.feed.next()).await.unwrap().unwrap();
        assert!(over.is_none(), "{over:?}");
        let log: Vec<Record> =
            Log::open(&self.dir).unwrap().records(0).map(|found| found.unwrap().record).collect();
        assert_eq!(log, self.seen);
        let wait = std::fs::File::open(self.dir.join(crate::holder::PID_FILE)).unwrap();
        wait.lock_shared().unwrap();
        match look(&self.dir).unwrap().unwrap() {
            RunState::Ended(exit) => exit,
            state => panic!("{state:?}"),
        }
    }

    fn outs(&self) -> Vec<String> {
        let lines = self.seen.iter().filter_map(|record| match record {
            Record::Out { line, .. } => Some(String::from_utf8_lossy(line).into_owned()),
            _ => None,
        });
        lines.collect()
    }
}

const DONE: Exit = Exit { code: Some(0), signal: None };

#[tokio::test]
async fn everything_is_in_the_log_in_its_order() {
    let bed = Bed::new();
    let mut run = bed.sh("while read -r line; do echo \"got $line\"; echo \"$line\" >&2; done");
    assert_eq!(look(&run.dir).unwrap(), Some(RunState::Live));
    assert_eq!(bed.runs.start(&run.dir, &bed.spec("true")).unwrap_err().to_string(), {
        StartError::Exists(run.dir.clone()).to_string()
    });
    run.send(1, "one");
    run.until_out("got one").await;
    // Again: whoever sends it does not know that it came. And one too early.
    run.send(1, "one");
    run.send(3, "three");
    run.send(2, "two");
    run.until_out("got two").await;
    run.say(Command::Eof);
    assert_eq!(run.end().await, DONE);
    assert_eq!(run.outs(), ["got one", "got two"]);
    let place = |wanted: &dyn Fn(&Record) -> bool| run.seen.iter().position(wanted).unwrap();
    assert_eq!(place(&|it| matches!(it, Record::Started { pid, .. } if *pid == run.pid)), 0);
    let taken = place(&|it| matches!(it, Record::In { number: 2, .. }));
    assert!(taken < place(&|it| matches!(it, Record::Out { line, .. } if line == "got two")));
    let is_note = |it: &Record| matches!(it, Record::Note { text, .. } if text.starts_with(b"refused line 3"));
    assert!(run.seen.iter().any(is_note));
    let errors = run.seen.iter().filter(|it| matches!(it, Record::Err { .. })).count();
    assert_eq!(errors, 2);
    assert!(bed.runs.get(&run.dir).is_none());
}

#[tokio::test]
async fn many_lines_a_long_one_and_one_without_an_end() {
    let bed = Bed::new();
    let script = "seq 1 50000; head -c 3000000 /dev/zero | tr '\\0' a; echo; printf end; exit 7";
    let mut run = bed.sh(script);
    let exit = run.end().await;
    assert_eq!(exit, Exit { code: Some(7), signal: None });
    let outs = run.outs();
    assert_eq!(outs.len(), 50_002);
    assert!(outs.iter().take(50_000).enumerate().all(|(i, line)| *line == (i + 1).to_string()));
    assert_eq!((outs[50_000].len(), &*outs[50_001]), (3_000_000, "end"));
    // Who comes later, or in the middle, reads the same.
    let middle = Log::open(&run.dir).unwrap().records(0).nth(100).unwrap().unwrap();
    let rest = Log::open(&run.dir).unwrap().records(middle.offset).count();
    assert_eq!(rest, run.seen.len() - 100);
}

#[tokio::test]
async fn one_that_does_not_read_and_does_not_listen_is_ended() {
    let bed = Bed::new();
    let mut run = bed.sh("trap '' TERM; echo deaf; while :; do sleep 1000; done");
    run.until_out("deaf").await;
    run.send(1, &"x".repeat(1 << 20));
    run.say(Command::Stop { grace: Duration::from_millis(50) });
    assert_eq!(run.end().await, Exit { code: None, signal: Some(9) });
}

#[tokio::test]
async fn one_that_ends_with_its_input_is_not_killed() {
    let bed = Bed::new();
    let mut run = bed.sh("cat; echo bye");
    run.send(1, "last words");
    run.say(Command::Stop { grace: PATIENCE });
    assert_eq!(run.end().await, DONE);
    assert_eq!(run.outs(), ["last words", "bye"]);
    assert!(run.seen.iter().any(|it| matches!(it, Record::InClosed { why: Closed::Stop, .. })));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_it_leaves_behind_is_ended() {
    let bed = Bed::new();
    let mut run = bed.sh("setsid sh -c 'echo $$; exec sleep 1000' & read -r line");
    run.until(|record| matches!(record, Record::Out { .. })).await;
    let left: u32 = run.outs()[0].parse().unwrap();
    run.say(Command::Eof);
    run.end().await;
    assert!(!exists(left) || is_zombie(left));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_it_leaves_in_its_group_is_ended_without_a_mark() {
    let bed = Bed::new();
    let mut run = bed.sh("env -i sleep 1000 > /dev/null 2>&1 & echo $!; read -r line");
    run.until(|record| matches!(record, Record::Out { .. })).await;
    let left: u32 = run.outs()[0].parse().unwrap();
    run.say(Command::Eof);
    run.end().await;
    until(|| !exists(left) || is_zombie(left)).await;
}

#[cfg(target_os = "linux")]
fn exists(pid: u32) -> bool {
    Path::new(&format!("/proc/{pid}")).exists()
}

/// Whether it has ended and nobody has waited for it.
#[cfg(target_os = "linux")]
fn is_zombie(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.contains(") Z ")
}

#[tokio::test]
async fn all_end_with_the_host() {
    let bed = Bed::new();
    let mut told = bed.sh("echo here; cat");
    told.until_out("here").await;
    tokio::time::timeout(PATIENCE, bed.runs.close()).await.unwrap();
    assert_eq!(told.end().await, DONE);

    let Bed { dir, runs } = Bed::new();
    let bed = Bed { dir, runs };
    let mut dropped = bed.sh("echo here; cat");
    dropped.until_out("here").await;
    let Bed { dir: _dir, runs } = bed;
    // Whoever follows it does not keep it alive for ever.
    let Held { dir, feed, .. } = dropped;
    drop((runs, feed));
    until(|| matches!(look(&dir).unwrap(), Some(RunState::Ended(DONE)))).await;
}

#[tokio::test]
async fn what_cannot_be_started_leaves_nothing() {
    let bed = Bed::new();
    let dir = bed.dir.path().join("run");
    let no_cli = HoldSpec::new("r", "/no/such/claude", "/");
    let error = bed.runs.start(&dir, &no_cli).unwrap_err();
    assert!(matches!(error, StartError::NoCli(_)), "{error}");
    let no_cwd = HoldSpec::new("r", "sh", "/no/such/directory");
    let error = bed.runs.start(&dir, &no_cwd).unwrap_err();
    assert!(matches!(error, StartError::NoDirectory(_)), "{error}");
    let relative = HoldSpec::new("r", "sh", "here");
    let error = bed.runs.start(&dir, &relative).unwrap_err();
    assert!(matches!(error, StartError::Relative(_)), "{error}");
    assert!(!dir.exists());
    #[cfg(target_os = "linux")]
    until(|| !children().into_iter().any(|pid| guards(pid, "r") || is_zombie(pid))).await;
}

#[cfg(target_os = "linux")]
fn guards(pid: u32, run: &str) -> bool {
    let line = std::fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    line.ends_with(&format!("{}={run}\0", pilothouse_client::mark::MARK))
}

/// Those of this process, by whichever thread they were started.
#[cfg(target_os = "linux")]
fn children() -> Vec<u32> {
    let threads = std::fs::read_dir("/proc/self/task").unwrap().flatten();
    let of = |thread: std::fs::DirEntry| std::fs::read_to_string(thread.path().join("children"));
    let pids: Vec<String> = threads.filter_map(|thread| of(thread).ok()).collect();
    pids.concat().split_ascii_whitespace().map(|pid| pid.parse().unwrap()).collect()
}
