//! Starts a run under its name, or finds it where it was started already.

use std::io::{self, ErrorKind};
use std::path::Path;

use pilothouse_session::effect::Launch;

use crate::holder::{HoldSpec, PID_FILE, RunState, StartError, Text, look};
use crate::host::House;
use crate::host::profile::{CommandLine, Profile, ProfileError};
use crate::{private, wirelog};

/// A run was not started.
#[derive(Debug, thiserror::Error)]
pub(super) enum LaunchError {
    #[error(transparent)]
    Profile(#[from] ProfileError),
    #[error(transparent)]
    Start(#[from] StartError),
    #[error("the run's directory cannot be used: {0}")]
    Io(#[from] io::Error),
}

/// What to start where.
#[derive(Debug)]
pub(super) struct Plan<'a> {
    pub(super) house: &'a House,
    pub(super) profile: &'a Profile,
    pub(super) cwd: &'a str,
    pub(super) dir: &'a Path,
    pub(super) trace: Option<String>,
}

/// Starts the run, unless a daemon that died has done so before. Gives the CLI's process. Blocks.
pub(super) fn launch(plan: &Plan<'_>, launch: &Launch) -> Result<Option<u32>, LaunchError> {
    let dir = plan.dir;
    if was_started(plan.house, dir)? {
        return Ok(cli_pid(dir));
    }
    // Its daemon may have died before anything was started in it.
    match std::fs::remove_dir_all(dir) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
        _ => {}
    }
    if let Some(parent) = dir.parent() {
        private::dir(parent)?;
    }
    let options = &plan.house.options;
    let line = plan.profile.command_line(&options.cli, plan.cwd, launch, plan.trace.clone())?;
    let mut spec = spec(&launch.run.to_string(), plan.cwd, line);
    spec.times = options.times;
    spec.clear_env = options.clear_env;
    let given = options.env.iter().map(|(name, value)| (Text(name.into()), Text(value.into())));
    spec.set_env.splice(0..0, given);
    Ok(Some(plan.house.start_run(dir, &spec)?))
}

/// Whether a CLI was started in `dir`, be it by a daemon that died in the middle of it.
fn was_started(house: &House, dir: &Path) -> io::Result<bool> {
    loop {
        match look(dir)? {
            None => return Ok(false),
            Some(RunState::Live) if house.has_run(dir) => return Ok(true),
            // A holder whose daemon has died on it: in a moment it listens or has ended.
            Some(RunState::Live) => std::thread::yield_now(),
            // The log is there before the CLI is.
            Some(RunState::Ended(_) | RunState::Dead) => return Ok(wirelog::exists(dir)),
        }
    }
}

fn spec(run: &str, cwd: &str, line: CommandLine) -> HoldSpec {
    let mut spec = HoldSpec::new(run, line.exe, cwd).args(line.args);
    let pairs = line.set_env.into_iter();
    spec.set_env = pairs.map(|(name, value)| (Text(name), Text(value))).collect();
    spec.remove_env = line.remove_env.into_iter().map(Text).collect();
    spec
}

/// As the holder has written it down.
fn cli_pid(dir: &Path) -> Option<u32> {
    let text = std::fs::read_to_string(dir.join(PID_FILE)).ok()?;
    text.split_ascii_whitespace().nth(1)?.parse().ok()
}
