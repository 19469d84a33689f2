//! Runs that end with the daemon: it holds them itself.
//!
//! For who wants that (`--no-hold`), and where there is nothing that a [holder](crate::holder)
//! could be reached by. The directory of such a run looks like any other's. Its log is the channel
//! here too: a line is in the log before anybody hears of it, and who follows the run reads the log
//! and is only told how long that is.
//!
//! | what dies | what happens |
//! |---|---|
//! | the daemon, as it was told to | the CLI is stopped first; how it ended is in the log |
//! | the daemon, killed | the CLI sees the end of its stdin; what is left of the run is ended |
//! | the CLI | what it left behind is ended; the log gets its last record |

mod cli;
mod feed;
mod hold;
mod lines;
#[cfg(test)]
#[cfg(unix)]
mod tests;

use std::collections::HashMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::{mpsc, watch};
use tokio_util::task::TaskTracker;

use crate::holder::{HoldSpec, RunDir, StartError};
use crate::wirelog::{self, Writer};

use cli::Cli;
pub(crate) use feed::Feed;
use hold::Hold;

/// How long after the end of a CLI its pipes may stay open, while there is room for what comes.
const PIPES_CLOSE_WITHIN: Duration = Duration::from_secs(2);

/// The runs that this daemon holds.
#[derive(Debug)]
pub(crate) struct Runs {
    open: Arc<Mutex<HashMap<PathBuf, Run>>>,
    tasks: TaskTracker,
    pipes_close_within: Duration,
}

/// A run that this daemon holds.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    orders: mpsc::UnboundedSender<Order>,
    /// How long its log is; nobody tells any more when all is in it.
    len: watch::Receiver<u64>,
    /// From the end of stdin to the first signal, where nobody says.
    grace: Duration,
}

/// What is to be done with a CLI.
#[derive(Debug)]
enum Order {
    /// Write this line, of this number.
    Send(u64, Bytes),
    /// Close its stdin when everything is written.
    Eof,
    /// The same, and end it if it has not ended after this time.
    Stop(Duration),
}

impl Default for Runs {
    fn default() -> Self {
        let (open, tasks) = (Arc::default(), TaskTracker::default());
        Self { open, tasks, pipes_close_within: PIPES_CLOSE_WITHIN }
    }
}

impl Runs {
    /// Starts a run in the new directory `dir`. Gives the pid of its CLI. Must be called within a
    /// runtime.
    pub(crate) fn start(&self, dir: &Path, spec: &HoldSpec) -> Result<u32, StartError> {
        RunDir::create(dir, spec)?.fill(|dir, pid_file| self.start_in(dir, spec, pid_file))
    }

    fn start_in(&self, dir: &Path, spec: &HoldSpec, pid_file: File) -> Result<u32, StartError> {
        let log = Writer::create(&dir.join(wirelog::FILE))?;
        let (cli, pipes) = Cli::start(spec).map_err(|error| StartError::from_spawn(spec, error))?;
        let pid = cli.pid();
        pid_file.set_len(0)?;
        writeln!(&pid_file, "{} {pid}", std::process::id())?;
        let (orders, ordered) = mpsc::unbounded_channel();
        let (told, len) = watch::channel(0);
        let run = Run { orders, len, grace: spec.times.after_eof };
        lock(&self.open).insert(dir.to_owned(), run);
        // Not kept alive by its runs: without a host they end.
        let (open, dir) = (Arc::downgrade(&self.open), dir.to_owned());
        let hold = Hold::new(spec, (cli, pipes), log, ordered, told, self.pipes_close_within);
        self.tasks.spawn(async move {
            let told = hold.run().await;
            // In this order: who finds it locked finds it here, or finds it unlocked the next time;
            // who is told of its end finds it unlocked.
            drop(pid_file);
            if let Some(open) = open.upgrade() {
                lock(&open).remove(&dir);
            }
            drop(told);
        });
        Ok(pid)
    }

    /// The run in `dir`, if it is one of these.
    pub(crate) fn get(&self, dir: &Path) -> Option<Run> {
        lock(&self.open).get(&std::path::absolute(dir).ok()?).cloned()
    }

    /// Ends all of them.
    pub(crate) async fn close(&self) {
        for run in lock(&self.open).values() {
            run.stop(run.grace);
        }
        self.tasks.close();
        self.tasks.wait().await;
    }
}

impl Run {
    /// Ends its CLI.
    pub(crate) fn stop(&self, grace: Duration) {
        // Where nobody hears it, it has ended.
        let _ = self.orders.send(Order::Stop(grace));
    }
}

fn lock(open: &Mutex<HashMap<PathBuf, Run>>) -> MutexGuard<'_, HashMap<PathBuf, Run>> {
    open.lock().unwrap_or_else(PoisonError::into_inner)
}
