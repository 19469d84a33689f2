//! `status` and `down`: the daemon from outside.

use std::time::{Duration, Instant};

use hyper::Method;
use pilothouse_host::config::Config;
use pilothouse_host::data_dir;
use pilothouse_session::event::Status;
use serde::Serialize;
use serde_json::json;

use super::sessions::SessionRow;
use super::{print, print_json};
use crate::args::JsonArgs;
use crate::exit::Exit;
use crate::reach::{
    self, Api, ApiError, Ask, Beacon, Keeper, LOOK, Reach, is_locked, running, silent,
};
use crate::view::Screen;

/// How long a daemon may take to write down that it was told to end, and then to let go of its
/// sessions.
const PATIENCE: Duration = Duration::from_secs(60);

/// After how long that is told.
const TOLD: Duration = Duration::from_millis(300);

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
    let beacon = match running(config).await? {
        Some((_, beacon)) if beacon.keeper == Keeper::Daemon => beacon,
        other => return absent(data_dir, other.map(|(_, beacon)| beacon).as_ref(), args),
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
        return print_json([Told { running: true, beacon, data_dir, sessions: Some(counts) }]);
    }
    let Counts { all, working, waiting } = counts;
    print(&format!(
        "The daemon runs at {} (pid {}, version {}).\n{all} {}: {working} at work, {waiting} \
         waiting for you.\nEverything is kept in {data_dir}.\n",
        beacon.origin().unwrap_or_default(),
        beacon.pid,
        beacon.version,
        if all == 1 { "session" } else { "sessions" },
    ))
}

/// There is no daemon, but perhaps a command that serves itself.
fn absent(data_dir: String, command: Option<&Beacon>, args: &JsonArgs) -> anyhow::Result<Exit> {
    let text = match command {
        Some(beacon) => format!("No daemon runs for {data_dir}. {}", by_itself(beacon.pid)),
        None => format!("No daemon runs for {data_dir}.\n"),
    };
    match args.json {
        true => print_json([Told { running: false, beacon: command, data_dir, sessions: None }])?,
        false => print(&format!("{text}Start it with `pilothouse up`.\n"))?,
    };
    Ok(Exit::Failed)
}

fn by_itself(pid: u32) -> String {
    format!("A command (pid {pid}) serves itself until it is done.\n")
}

pub(super) async fn down(config: &Config) -> anyhow::Result<Exit> {
    data_dir::check(&config.data_dir)?;
    let until = Instant::now() + reach::PATIENCE;
    while is_locked(&config.data_dir) {
        match running(config).await? {
            Some((_, Beacon { keeper: Keeper::Command, pid, .. })) => {
                return print(&format!("No daemon runs. {}", by_itself(pid)));
            }
            Some((api, beacon)) => {
                end(config, &api, &beacon).await?;
                let sessions = match beacon.holds {
                    true => "Sessions go on; `pilothouse up` takes them up again.",
                    false => "So has what sessions ran; `pilothouse up` takes them up again.",
                };
                return print(&format!("The daemon has stopped. {sessions}\n"));
            }
            // It is just starting, or ending.
            None if Instant::now() < until => tokio::time::sleep(LOOK).await,
            None => return Err(silent(config)),
        }
    }
    print("No daemon runs.\n")
}

/// Has who serves a data directory let go of it, and waits for that.
///
/// Asked is whoever answers there, by the process that it says it is: a number from a file may by now
/// be anybody's.
pub(super) async fn end(config: &Config, api: &Api, beacon: &Beacon) -> anyhow::Result<()> {
    let ask = Ask::new(Method::POST, "/api/v1/shutdown").json(&json!({ "pid": beacon.pid }))?;
    match api.send_within(PATIENCE, ask).await {
        // One that has gone away meanwhile is as good.
        Ok(_) | Err(ApiError::Gone(_) | ApiError::Stranger(_)) => {}
        Err(ApiError::Silent(_)) => return Err(silent(config)),
        Err(error) => return Err(error.into()),
    }
    let began = Instant::now();
    let mut screen = Screen::new();
    // Somebody else may take the directory over at once: then the beacon is another's.
    let is_there = || {
        let now = Beacon::read(&config.data_dir);
        is_locked(&config.data_dir) && now.is_none_or(|now| now == *beacon)
    };
    while is_there() {
        let waited = began.elapsed();
        anyhow::ensure!(
            waited < PATIENCE,
            "the daemon (pid {}) does not end: look at its log, or kill it; sessions go on",
            beacon.pid
        );
        if waited > TOLD {
            screen.status(&format!("it lets go of its sessions · {} s", waited.as_secs()))?;
        }
        tokio::time::sleep(LOOK).await;
    }
    screen.hide()?;
    Ok(())
}
