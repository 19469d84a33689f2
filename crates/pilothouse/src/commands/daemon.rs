//! `status` and `down`: the daemon from outside.

use std::time::{Duration, Instant};

use pilothouse_host::config::Config;
use pilothouse_session::event::Status;
use rustix::process::{Pid, Signal, kill_process};
use serde::Serialize;

use super::sessions::SessionRow;
use super::{json_line, print};
use crate::args::JsonArgs;
use crate::exit::Exit;
use crate::reach::{Beacon, Reach, is_locked};

/// How long a daemon may take to let go of its sessions.
const PATIENCE: Duration = Duration::from_secs(60);

/// What `status --json` tells.
#[derive(Serialize)]
struct Told<'a> {
    running: bool,
    #[serde(flatten)]
    beacon: Option<&'a Beacon>,
    data_dir: String,
    sessions: Option<Counts>,
}

#[derive(Clone, Copy, Default, Serialize)]
struct Counts {
    all: usize,
    working: usize,
    waiting: usize,
}

pub(super) async fn status(config: &Config, args: &JsonArgs) -> anyhow::Result<Exit> {
    let data_dir = config.data_dir.display().to_string();
    let Some(beacon) = Beacon::read(&config.data_dir) else {
        let told =
            Told { running: false, beacon: None, data_dir: data_dir.clone(), sessions: None };
        print(&match args.json {
            true => json_line(&told)?,
            false => {
                format!("No daemon runs for {data_dir}.\nStart it with `pilothouse up`.\n")
            }
        })?;
        return Ok(Exit::Failed);
    };
    let mut reach = Reach::open(config).await?;
    let rows: Vec<SessionRow> = reach.list("/api/v1/sessions?archived=false", usize::MAX).await?;
    let working = |row: &&SessionRow| matches!(row.status, Status::Running | Status::Starting);
    let counts = Counts {
        all: rows.len(),
        working: rows.iter().filter(working).count(),
        waiting: rows.iter().filter(|row| row.needs_you).count(),
    };
    if args.json {
        let beacon = Some(&beacon);
        return print(&json_line(&Told {
            running: true,
            beacon,
            data_dir,
            sessions: Some(counts),
        })?);
    }
    let Counts { all, working, waiting } = counts;
    print(&format!(
        "The daemon runs at {} (pid {}, version {}).\n{all} sessions: {working} at work, {waiting} \
         waiting for you.\nEverything is kept in {data_dir}.\n",
        beacon.origin().unwrap_or_default(),
        beacon.pid,
        beacon.version,
    ))
}

pub(super) async fn down(config: &Config) -> anyhow::Result<Exit> {
    let Some(beacon) = Beacon::read(&config.data_dir) else {
        return print("No daemon runs.\n");
    };
    end(config, &beacon, Signal::TERM).await?;
    print("The daemon has stopped. Sessions go on; `pilothouse up` takes them up again.\n")
}

/// Has who serves a data directory let go of it, and waits for that.
pub(super) async fn end(config: &Config, beacon: &Beacon, signal: Signal) -> anyhow::Result<()> {
    let pid = i32::try_from(beacon.pid).ok().and_then(Pid::from_raw);
    let pid = pid.ok_or_else(|| anyhow::anyhow!("the daemon's pid {} is none", beacon.pid))?;
    kill_process(pid, signal).map_err(|error| {
        anyhow::anyhow!("the daemon (pid {}) cannot be stopped: {error}", beacon.pid)
    })?;
    let until = Instant::now() + PATIENCE;
    // Somebody else may take the directory over at once: then the beacon is another's.
    let is_there = || {
        let now = Beacon::read(&config.data_dir);
        is_locked(&config.data_dir) && now.is_none_or(|now| now.pid == beacon.pid)
    };
    while is_there() {
        anyhow::ensure!(
            Instant::now() < until,
            "the daemon (pid {}) does not end: look at its log, or kill it; sessions go on",
            beacon.pid
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(())
}
