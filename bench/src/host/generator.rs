//! The CLI's side of a session, as cheap as it can be: one thread, one `poll`, one `write` per line.
//!
//! Answers every control request, and speaks according to the [`Plan`] in the first prompt. A line
//! that is late is written at once and bears the moment at which it was written: what the machine
//! takes away from the generator is not counted against who reads it. Ends with its stdin.
//!
//! Where there is a [`speaker`], that one speaks instead: a process for each session that wakes for
//! each line would take more of the machine than what is measured.

use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::Value;

use super::script::Plan;
use super::speaker;
use super::speech::{SESSION, Speech};
use crate::handshake::reply;

/// Speaks until stdin ends.
pub fn run() -> io::Result<()> {
    let (mut stdin, mut stdout) = (io::stdin().lock(), io::stdout().lock());
    let mut heard = Vec::new();
    let mut room = [0; 8192];
    let mut speech: Option<Speech> = None;
    loop {
        let wait = speech.as_ref().and_then(|speech| speech.wait(Instant::now()));
        if is_readable(wait)? {
            let count = stdin.read(&mut room)?;
            if count == 0 {
                return Ok(());
            }
            heard.extend_from_slice(room.get(..count).unwrap_or_default());
            while let Some(end) = heard.iter().position(|byte| *byte == b'\n') {
                let said: Vec<u8> = heard.drain(..=end).collect();
                if let Some(plan) = obey(&said, &mut stdout)?
                    && !speaker::takes_over(&stdout, plan)?
                {
                    speech.get_or_insert_with(|| Speech::new(plan));
                }
            }
        }
        if let Some(speech) = &mut speech {
            speech.say_what_is_due(&mut stdout, Instant::now())?;
        }
    }
}

fn is_readable(wait: Option<Duration>) -> io::Result<bool> {
    let stdin = io::stdin();
    let mut fds = [PollFd::from_borrowed_fd(stdin.as_fd(), PollFlags::IN)];
    let wait = wait.map(|wait| Timespec {
        tv_sec: i64::try_from(wait.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(wait.subsec_nanos()),
    });
    match poll(&mut fds, wait.as_ref()) {
        Err(rustix::io::Errno::INTR) => Ok(false),
        polled => Ok(polled? > 0),
    }
}

/// Answers a request, echoes a prompt; gives the plan of a prompt.
fn obey(said: &[u8], out: &mut impl Write) -> io::Result<Option<Plan>> {
    let Ok(mut message) = serde_json::from_slice::<Value>(said) else { return Ok(None) };
    match message.get("type").and_then(Value::as_str) {
        Some("control_request") => {
            write_line(out, &reply(&message))?;
            Ok(None)
        }
        Some("user") => {
            let plan = Plan::find(&String::from_utf8_lossy(said));
            if let Some(fields) = message.as_object_mut() {
                fields.insert("session_id".into(), SESSION.into());
                fields.insert("isReplay".into(), true.into());
            }
            write_line(out, &message)?;
            Ok(plan)
        }
        _ => Ok(None),
    }
}

fn write_line(out: &mut impl Write, message: &Value) -> io::Result<()> {
    out.write_all(format!("{message}\n").as_bytes())?;
    out.flush()
}
