//! From a started program to a holder that belongs to nobody.
//!
//! The program starts itself a second time and ends: the second one is nobody's child, so no daemon
//! has to wait for it, and it is never the leader of a group, so it can always have a session of
//! its own, without a terminal whose Ctrl-C or hang-up would reach it.
//!
//! Its stdin is a socket: the [`HoldSpec`] comes in, one line goes out. Its stdout is the run's pid
//! file, locked by whoever started it. The lock belongs to the open file, so it is held without a
//! gap from then until the holder has ended, however it ends.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

use rustix::io::fcntl_dupfd_cloexec;
use rustix::stdio::{dup2_stdin, dup2_stdout};

use super::cli::Cli;
use super::guard::Guard;
use super::hold::{Hold, Opened};
use super::program::{VERSION_FLAG, version};
use super::spec::HoldSpec;
use super::{SOCKET, StartError};
use crate::wirelog::{self, Head, Writer, unix_millis};

/// Marks the second start.
const INNER: &str = "--inner";

/// What the holder program was started with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoldOptions {
    /// The directory of the run; it exists.
    pub dir: PathBuf,
    /// Whether it has started itself already.
    pub stage: Stage,
}

/// Which of the two starts this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Start again, then end.
    Launch,
    /// Hold.
    Hold,
}

impl HoldOptions {
    /// Reads `DIR [--inner]`.
    pub fn from_args(args: impl IntoIterator<Item = OsString>) -> Option<Self> {
        let mut args = args.into_iter();
        let dir = args.next()?.into();
        let stage = match args.next() {
            None => Stage::Launch,
            Some(arg) if arg == INNER => Stage::Hold,
            Some(_) => return None,
        };
        args.next().is_none().then_some(Self { dir, stage })
    }
}

/// The holder as a program, or as a subcommand of one: reads what comes after its name. `--version`
/// tells which holder it is.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut args = args.into_iter().peekable();
    if args.next_if(|arg| arg == VERSION_FLAG).is_some() {
        return match writeln!(io::stdout(), "{}", version()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        };
    }
    match HoldOptions::from_args(args) {
        Some(options) => run(options),
        None => ExitCode::from(2),
    }
}

/// Runs the holder program. It is not for people: [`start`](super::start()) starts it.
pub fn run(options: HoldOptions) -> ExitCode {
    let result = match options.stage {
        Stage::Launch => start_again(),
        Stage::Hold => hold(options),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// With the same arguments, whatever they were, so that this can be a subcommand.
#[expect(clippy::disallowed_methods, reason = "this is not the CLI")]
fn start_again() -> io::Result<()> {
    // The file may have been replaced by a newer version by now; this is still the one that runs.
    let exe = match cfg!(target_os = "linux") {
        true => PathBuf::from("/proc/self/exe"),
        false => std::env::current_exe()?,
    };
    let mut command = Command::new(exe);
    command.args(std::env::args_os().skip(1)).arg(INNER).stderr(Stdio::null());
    command.spawn().map(drop)
}

fn hold(options: HoldOptions) -> io::Result<()> {
    let mut caller = UnixStream::from(fcntl_dupfd_cloexec(io::stdin(), 3)?);
    let pid_file = File::from(fcntl_dupfd_cloexec(io::stdout(), 3)?);
    let nothing = File::options().read(true).write(true).open("/dev/null")?;
    dup2_stdin(&nothing)?;
    dup2_stdout(&nothing)?;
    // Fails for the leader of a group only, which a second start never is.
    let _ = rustix::process::setsid();
    let held = open(&options, &mut caller, &pid_file);
    let answer = match &held {
        Ok((_, cli)) => format!("ready {} {cli}\n", std::process::id()),
        Err(error) => format!("{}\n", error.to_line()),
    };
    // If the caller has gone, the next daemon finds this.
    let _ = caller.write_all(answer.as_bytes());
    drop(caller);
    let Ok((mut hold, _)) = held else { return Err(io::ErrorKind::Other.into()) };
    let ran = hold.run();
    let _ = std::fs::remove_file(SOCKET);
    // In this order: whoever sees the connection end finds the run unlocked.
    drop(pid_file);
    drop(hold);
    ran
}

/// Opens everything, the CLI last. Gives its pid.
fn open(
    options: &HoldOptions,
    caller: &mut UnixStream,
    mut pid_file: &File,
) -> Result<(Hold, u32), StartError> {
    let mut spec = Vec::new();
    caller.read_to_end(&mut spec)?;
    let spec: HoldSpec = serde_json::from_slice(&spec).map_err(io::Error::from)?;
    // From here on every path is short and relative; a socket's path must be.
    std::env::set_current_dir(&options.dir)?;
    let listener = UnixListener::bind(SOCKET)?;
    std::fs::set_permissions(SOCKET, std::fs::Permissions::from_mode(0o600))?;
    let mut log = Writer::create(wirelog::FILE.as_ref())?;
    let log_file = File::open(wirelog::FILE)?;
    let guard = Guard::start(&spec.run);
    let (cli, pipes) = Cli::start(&spec).map_err(|error| StartError::from_spawn(&spec, error))?;
    let pid = cli.pid();
    let what = spec.without_secrets().to_string();
    log.line(unix_millis(), Head::Started(pid), what.as_bytes());
    let watched = guard.and_then(|mut guard| guard.watch(pid).map(|()| guard));
    if let Err(error) = &watched {
        let note = format!("no guard: if the holder is killed, the CLI may outlive it ({error})");
        log.line(unix_millis(), Head::Note, note.as_bytes());
    }
    pid_file.set_len(0)?;
    writeln!(pid_file, "{} {pid}", std::process::id())?;
    let opened = Opened { cli, pipes, guard: watched.ok(), log, log_file, listener };
    let hold = Hold::new(opened, spec.times)?;
    Ok((hold, pid))
}
