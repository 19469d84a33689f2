//! The simulated CLI: behaves as `claude` does over stream-json, from the same scripts as the
//! scripted model, without a model, an account or a network.
//!
//! It takes the CLI's flags and variables, speaks the dialect of 2.1.325, runs the core tools for
//! real in its working directory, keeps sessions on disk, and starts in a few milliseconds. The
//! script rides in the prompt (see [`crate::script`]); for prompts without one, `SIM_SCRIPT` can
//! name a file.
//!
//! `hold NAME` waits for a file `$SIM_HOLD_DIR/NAME`; that it waits is told by a file `NAME.held`
//! there. Without that directory a hold does not hold.
//!
//! What it says in prose is its own; names, fields and order of frames are the CLI's. Retries of
//! failed requests are told but not waited for.
//!
//! # Faults
//!
//! `SIM_FAULT` is a list, separated by commas:
//!
//! * `torn`: lines are written in pieces of random size (the seed is fixed)
//! * `merged`: lines are kept back and written several at a time
//! * `junk`: lines that are no JSON stand between the others
//! * `flood=N`: the first text of every answer is followed by N more stream events
//! * `silence`: the first prompt is never answered
//! * `crash`, `crash=mid-line`, `crash=after=N`: exit with 134 in the middle of a line: the first
//!   assistant frame, or the one after N lines
//! * `bigline=BYTES`: the first tool result has that size
//! * `deaf`, `deaf=A+B`: control requests (all but `initialize`, or these) are not answered
//! * `slow-stdin`, `slow-stdin=stop`: stdin is read slowly, or not at all after the first line
//! * `exit-at-once`, `exit-at-once=CODE`: the process ends before it reads anything
//! * `stderr-flood`, `stderr-flood=BYTES`: that much (1 MiB) goes to stderr after the `initialize`
//!   reply; who does not read it blocks us
//! * `unknown-types`: types, subtypes, fields, blocks and events that nobody knows
//! * `not-logged-in`: no answer without an account
//! * `old`: the dialect of 2.1.7: no lifecycle, no state events, no receipt for an interrupt
//! * `early-asks`: permission is asked for before the stream of the answer with the call has ended,
//!   as the CLI may do
//! * `ignore-sigterm`, `ignore-eof`: SIGTERM, or the end of stdin, has no effect
//!
//! Background commands end with the process, whatever they are at; the CLI itself waits for them.

mod abort;
mod asks;
mod catalog;
mod checkpoint;
mod cli;
mod clock;
mod control;
mod dialect;
mod fault;
mod hold;
mod hooks;
mod input;
mod launch;
mod ledger;
mod local;
mod mcp;
mod out;
mod patch;
mod permission;
mod prompt;
mod result;
mod scope;
mod session;
mod speak;
mod system;
mod tasks;
mod thread;
mod tools;
mod transcript;
mod turn;
mod voice;

use std::io::Write;
use std::process::ExitCode;
use std::rc::Rc;

use serde_json::json;
use tokio::sync::mpsc::UnboundedReceiver;

use cli::Cli;
use fault::Faults;
use input::Incoming;
use launch::{Flags, Launch};
use out::Out;
use permission::Mode;
use prompt::Prompt;
use session::{OpenError, Session};
use system::Told;

use crate::script::Script;

/// What a process that SIGTERM has ended reports.
const TERMINATED: u8 = 143;

/// How long lines are kept back to be merged: as long as it takes to say about this many.
const MERGED: usize = 8;

/// Writes what is answered to a prompt that brings no script.
pub type Author = fn(&str) -> Script;

/// Runs the simulated CLI with the arguments and the environment of this process, to its end.
pub fn main() -> ExitCode {
    play(std::env::args().skip(1), None)
}

/// Runs it with these arguments, and with somebody who writes what prompts do not bring along.
pub fn play(args: impl IntoIterator<Item = String>, author: Option<Author>) -> ExitCode {
    let faults = match std::env::var("SIM_FAULT").unwrap_or_default().parse::<Faults>() {
        Ok(faults) => faults,
        Err(fault) => {
            complain(&fault.to_string());
            return ExitCode::from(2);
        }
    };
    let mut launch = Launch::new(Flags::parse(args), faults, |name| std::env::var(name).ok());
    launch.author = author;
    launch.script = match std::env::var("SIM_SCRIPT").ok().filter(|path| !path.is_empty()) {
        None => None,
        Some(path) => match script_in(&path) {
            Ok(script) => Some(script),
            Err(fault) => {
                complain(&format!("SIM_SCRIPT: {path}: {fault}"));
                return ExitCode::from(2);
            }
        },
    };
    if launch.flags.version {
        let _ = writeln!(std::io::stdout(), "{} (Claude Code, simulated)", launch.version());
        return ExitCode::SUCCESS;
    }
    if let Some(code) = launch.faults.exit_at_once {
        complain("told to exit at once");
        return ExitCode::from(code);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    match runtime {
        Ok(runtime) => {
            let tasks = tokio::task::LocalSet::new();
            let code = tasks.block_on(&runtime, run(launch));
            // A thread may still wait for stdin; nothing is owed to it.
            drop(tasks);
            runtime.shutdown_background();
            ExitCode::from(code)
        }
        Err(fault) => {
            complain(&format!("cannot start: {fault}"));
            ExitCode::FAILURE
        }
    }
}

fn script_in(path: &str) -> Result<Script, Box<dyn std::error::Error>> {
    Ok(Script::parse(&std::fs::read_to_string(path)?)?)
}

/// A line on stderr.
fn complain(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

fn flood_stderr(bytes: usize) {
    let line = "this is written to stderr and of no use to anybody\n";
    let mut stderr = std::io::stderr();
    for _ in 0..bytes.div_ceil(line.len()) {
        let _ = stderr.write_all(line.as_bytes());
    }
}

async fn run(launch: Launch) -> u8 {
    let out = Rc::new(Out::new(Box::new(std::io::stdout()), &launch.faults));
    let bypasses = launch.flags.permission_mode.as_deref() == Some(Mode::BypassPermissions.name());
    if bypasses && launch.is_root {
        complain("bypassPermissions is not for root (set IS_SANDBOX=1 if this machine is one)");
        return 1;
    }
    let (session, past) = match Session::open(&launch) {
        Ok(opened) => opened,
        Err(fault) => {
            complain(&fault.to_string());
            let told = match &fault {
                OpenError::Unknown { id } | OpenError::NoSuchMessage { id, .. } => Some(id),
                OpenError::InUse { .. } => None,
            };
            if let Some(id) = told.filter(|_| !launch.faults.old) {
                out.send(result::stillborn(id, &fault.to_string()));
                out.flush();
            }
            return 1;
        }
    };
    let lines = input::stdin(launch.faults.slow_stdin);
    let cli = Rc::new(Cli::new(launch, out, session, past));
    let code = attend(&cli, lines).await;
    leave(&cli);
    code
}

/// Hears the host until there is nothing more to hear and nothing left to do.
async fn attend(cli: &Rc<Cli>, mut lines: UnboundedReceiver<String>) -> u8 {
    let mut told = Told::new();
    loop {
        let hears = !cli.input_ended.get();
        tokio::select! {
            biased;
            () = told.wait() => {
                if !cli.launch.faults.ignore_sigterm {
                    return TERMINATED;
                }
            }
            line = lines.recv(), if hears => match line {
                Some(line) => {
                    if let Err(code) = hear(cli, &line) {
                        return code;
                    }
                }
                None => {
                    cli.input_ended.set(true);
                    cli.asks.close();
                }
            },
            () = cli.stirred.notified() => {}
            () = cli.out.holds() => {
                // So that there is more than one line to write at once.
                for _ in 0..MERGED {
                    tokio::task::yield_now().await;
                }
            }
        }
        cli.out.flush();
        if cli.out.is_broken() {
            return 1;
        }
        let over = cli.input_ended.get() && cli.is_at_rest();
        if over && !cli.launch.faults.ignore_eof {
            return u8::from(cli.last_failed.get());
        }
    }
}

fn hear(cli: &Rc<Cli>, line: &str) -> Result<(), u8> {
    match Incoming::read(line) {
        Incoming::Prompt(frame) => cli.accept(Prompt::read(&frame)),
        Incoming::Request { id, request } => cli.serve(&id, &request),
        Incoming::Answer(response) => {
            if cli.launch.flags.replay_user_messages {
                cli.out.send(json!({"type": "control_response", "response": response}));
            }
            cli.asks.answer(&response);
        }
        Incoming::Nothing => {}
        Incoming::NotJson(line) => {
            complain(&format!("stdin: a line of {} characters is not JSON", line.chars().count()));
            return Err(1);
        }
    }
    Ok(())
}

/// Stops what still runs and writes the end of the transcript.
fn leave(cli: &Cli) {
    for task in cli.tasks.all() {
        task.abort.set(abort::Cause::Stopped);
    }
    if cli.results.get() > 0 {
        let transcript = cli.session.transcript();
        transcript.note("cost-state", cli.ledger.borrow().saved());
    }
    cli.out.flush();
}
