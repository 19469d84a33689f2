//! Starts a run under its name, or finds it where it was started already.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pilothouse_session::effect::Launch;
use pilothouse_session::id::SessionId;

use super::trust;
use crate::holder::{HoldSpec, PID_FILE, RunState, StartError, Text, look};
use crate::host::profile::{CommandLine, GivenFile, Profile, ProfileError, RunTerms};
use crate::host::{HostError, House};
use crate::{private, wirelog};

/// How long a holder may take until it listens. As long as one that starts it waits: starting takes
/// milliseconds, on a machine that is overloaded a while.
const LISTENS_WITHIN: Duration = Duration::from_secs(60);

/// How often is looked whether it does.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// A run was not started.
#[derive(Debug, thiserror::Error)]
pub(super) enum LaunchError {
    #[error(transparent)]
    Profile(#[from] ProfileError),
    #[error(transparent)]
    Start(#[from] StartError),
    #[error(transparent)]
    Trust(Box<HostError>),
    #[error("the run's directory cannot be used: {0}")]
    Io(#[from] io::Error),
    #[error(
        "a run that the database does not know still works on this conversation (its holder is \
         process {holder}, its log is in {dir}): the database may be a restored backup. Wait until \
         the run has ended, or end it with `kill {holder}`, then try again"
    )]
    Driven { holder: String, dir: String },
}

/// What to start where.
#[derive(Debug)]
pub(super) struct Plan<'a> {
    pub(super) house: &'a House,
    pub(super) profile: &'a Profile,
    pub(super) cwd: &'a str,
    pub(super) dir: &'a Path,
    pub(super) session: SessionId,
    /// Directories of runs that the session did not ask for.
    pub(super) passed_over: Vec<PathBuf>,
    pub(super) trace: Option<String>,
}

/// A run that was started.
#[derive(Debug, Default)]
pub(super) struct Launched {
    /// The CLI's process.
    pub(super) pid: Option<u32>,
    /// What the run was not given, for people to read.
    pub(super) left_out: Option<String>,
}

/// Starts the run, unless a daemon that died has done so before. Blocks.
pub(super) fn launch(plan: &Plan<'_>, launch: &Launch) -> Result<Launched, LaunchError> {
    let dir = plan.dir;
    let house = plan.house;
    // A host that closes leaves it to the next one, as it leaves those that it can speak to.
    let is_left = || house.has_run(dir) || house.tasks.is_closed();
    if was_started(dir, LISTENS_WITHIN, is_left)? {
        return Ok(Launched { pid: cli_pid(dir), left_out: None });
    }
    plan.passed_over.iter().try_for_each(|dir| check_has_ended(dir))?;
    // Its daemon may have died before anything was started in it.
    match std::fs::remove_dir_all(dir) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
        _ => {}
    }
    // What is beside the run goes with its session, as the run does.
    let dir_of_session = std::path::absolute(dir.parent().unwrap_or(dir))?;
    private::dir(&dir_of_session)?;
    let options = &plan.house.options;
    let places = (plan.cwd, &*dir_of_session);
    let checked = house.check_trust(plan.cwd, plan.profile, Some(plan.session));
    let checked = checked.map_err(|error| LaunchError::Trust(Box::new(error)))?;
    let terms = RunTerms { trace: plan.trace.clone(), is_trusted: checked.is_trusted() };
    let line = plan.profile.command_line(&options.cli, places, launch, terms)?;
    trust::note(&dir_of_session, launch.run, &checked)?;
    line.files.iter().try_for_each(GivenFile::write)?;
    let mut spec = spec(&launch.run.to_string(), plan.cwd, line);
    spec.times = options.times;
    spec.clear_env = options.clear_env;
    let given = options.env.iter().map(|(name, value)| (Text(name.into()), Text(value.into())));
    spec.set_env.splice(0..0, given);
    let quarantine = checked.quarantine(git_settings(&spec));
    spec.set_env.extend(quarantine.into_iter().map(|(name, value)| (Text(name), Text(value))));
    let pid = Some(plan.house.start_run(dir, &spec)?);
    Ok(Launched { pid, left_out: checked.left_out() })
}

/// Checks that no run works in `dir`: a conversation has one driver.
fn check_has_ended(dir: &Path) -> Result<(), LaunchError> {
    if look(dir)? != Some(RunState::Live) {
        return Ok(());
    }
    let pids = std::fs::read_to_string(dir.join(PID_FILE)).unwrap_or_default();
    let holder = pids.split_whitespace().next().unwrap_or("unknown").to_owned();
    Err(LaunchError::Driven { holder, dir: dir.display().to_string() })
}

/// How many git settings a run gets by variables already.
fn git_settings(spec: &HoldSpec) -> usize {
    const COUNT: &str = "GIT_CONFIG_COUNT";
    let given = spec.set_env.iter().rev().find(|(name, _)| name.0 == COUNT);
    let inherited = || std::env::var_os(COUNT).filter(|_| !spec.clear_env);
    let count = given.map(|(_, value)| value.0.clone()).or_else(inherited);
    count.and_then(|count| count.to_str()?.parse().ok()).unwrap_or(0)
}

/// Whether a CLI was started in `dir`, be it by a daemon that died in the middle of it. One that is
/// held is looked at until this is enough.
fn was_started(dir: &Path, patience: Duration, is_enough: impl Fn() -> bool) -> io::Result<bool> {
    let until = Instant::now() + patience;
    loop {
        match look(dir)? {
            None => return Ok(false),
            Some(RunState::Live) if is_enough() => return Ok(true),
            Some(RunState::Live) if until <= Instant::now() => {
                let pid_file = dir.join(PID_FILE);
                let why = format!(
                    "whoever started the run does not listen; `lsof {}` tells which process it \
                     is: end that, then try again",
                    pid_file.display()
                );
                return Err(io::Error::new(ErrorKind::TimedOut, why));
            }
            // A holder whose daemon has died on it: in a moment it listens or has ended.
            Some(RunState::Live) => pause(),
            // The log is there before the CLI is.
            Some(RunState::Ended(_) | RunState::Dead) => return Ok(wirelog::exists(dir)),
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "nobody tells when a socket listens that is not there yet; to look without a pause \
              would take the processor from who is to make it"
)]
fn pause() {
    std::thread::sleep(LOOK_EVERY);
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

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::fs::File;

    use super::*;

    /// A run that this process holds, and the lock by which it does.
    fn held() -> (tempfile::TempDir, File) {
        let dir = tempfile::tempdir().unwrap();
        let pid_file = File::create(dir.path().join(PID_FILE)).unwrap();
        pid_file.lock().unwrap();
        (dir, pid_file)
    }

    #[test]
    fn a_holder_that_never_listens_is_given_up() {
        let (dir, _held) = held();
        let error = was_started(dir.path(), Duration::ZERO, || false).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut, "{error}");
        assert!(error.to_string().contains("lsof"), "{error}");
    }

    #[test]
    fn one_that_ends_before_it_listens_has_started_nothing() {
        let (dir, held) = held();
        let held = Cell::new(Some(held));
        let looks = Cell::new(0);
        let is_enough = || {
            looks.set(looks.get() + 1);
            if looks.get() == 3 {
                held.take();
            }
            false
        };
        assert!(!was_started(dir.path(), LISTENS_WITHIN, is_enough).unwrap());
        assert_eq!(looks.get(), 3);
    }
}
