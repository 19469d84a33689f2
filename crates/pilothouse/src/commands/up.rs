//! `up`: the daemon in the background, and a browser that is logged in.

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use anyhow::Context;
use pilothouse_host::config::Config;
use pilothouse_host::data_dir;
use pilothouse_host::private::Private;

use super::login::{link, open_browser};
use super::{load, print};
use crate::args::{Common, UpArgs};
use crate::exit::Exit;
use crate::reach::{Keeper, Reach, running};
use crate::system::detach;

/// Where a daemon in the background writes what it has to tell.
const LOG: &str = "daemon.log";

pub(super) async fn up(common: &Common, args: &UpArgs) -> anyhow::Result<Exit> {
    let config = load(common)?;
    let was_there = raise(common, &config).await?;
    let mut reach = Reach::open(&config).await?;
    let link = link(&mut reach).await?;
    let beacon = reach.beacon();
    let opened = !args.no_open && open_browser(&link, &config.data_dir);
    let state = if was_there { "runs already" } else { "runs now" };
    print(&format!(
        "The daemon {state} at {} (pid {}).\n{} {link}\n\nThe link works once, for a few minutes; \
         `pilothouse login` makes another.\nStop it with `pilothouse down`; {}.\n",
        beacon.origin().unwrap_or_default(),
        beacon.pid,
        if opened { "Your browser opens" } else { "Open" },
        beacon.without_it(),
    ))
}

/// Has a daemon serve a data directory; whether one did before.
pub(super) async fn raise(common: &Common, config: &Config) -> anyhow::Result<bool> {
    if has_daemon(config).await? {
        return Ok(true);
    }
    let (common, own) = (common.clone(), config.clone());
    let started = tokio::task::spawn_blocking(move || start(&common, &own)).await?;
    // Another `up` may have been quicker: that is as good.
    let was_there = started.is_err() && has_daemon(config).await?;
    if !was_there {
        started?;
    }
    Ok(was_there)
}

async fn has_daemon(config: &Config) -> anyhow::Result<bool> {
    Ok(running(config).await?.is_some_and(|(_, beacon)| beacon.keeper == Keeper::Daemon))
}

/// Starts `serve` and waits until it listens.
fn start(common: &Common, config: &Config) -> anyhow::Result<()> {
    let dir = &config.data_dir;
    data_dir::open(dir)?;
    let log_path = dir.join(LOG);
    let mut options = OpenOptions::new();
    let mut log = options
        .create(true)
        .append(true)
        .read(true)
        .private()
        .open(&log_path)
        .with_context(|| format!("the log {} cannot be opened", log_path.display()))?;
    let before = log.seek(SeekFrom::End(0))?;
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["serve", "--detach"]);
    detach(&mut command);
    if let Some(file) = &common.config {
        command.arg("--config").arg(std::path::absolute(file)?);
    }
    for pair in &common.set {
        command.arg("--set").arg(pair);
    }
    // Relative paths on the command line stay what they were: it works here too.
    command.arg("--data-dir").arg(dir);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log.try_clone()?);
    #[expect(clippy::disallowed_methods, reason = "it is the daemon, not the CLI")]
    let spawned = command.spawn();
    let mut child = spawned.context("the daemon cannot be started")?;
    if let Some(stdout) = child.stdout.take()
        && listens(stdout)
    {
        return Ok(());
    }
    Err(why_not(&mut child, &mut log, before, &log_path))
}

/// Whether it says so before it ends.
fn listens(stdout: ChildStdout) -> bool {
    let mut line = String::new();
    BufReader::new(stdout).read_line(&mut line).is_ok() && line.starts_with("listening on ")
}

fn why_not(
    child: &mut Child,
    log: &mut std::fs::File,
    before: u64,
    log_path: &Path,
) -> anyhow::Error {
    let status = child.wait().map(|status| status.to_string()).unwrap_or_default();
    let mut told = String::new();
    let _ = log.seek(SeekFrom::Start(before)).and_then(|_| log.read_to_string(&mut told));
    let told = told.lines().last().unwrap_or(&status).trim_start_matches("pilothouse: ").to_owned();
    anyhow::anyhow!("the daemon did not start: {told}\n(its log is {})", log_path.display())
}
