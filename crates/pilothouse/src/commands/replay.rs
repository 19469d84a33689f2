//! `replay`: recorded lines through the session's machine, as events or as a live view.

use std::io::{Read, Write};
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use pilothouse_host::wirelog::{Speaker, Spoken, read_any};
use pilothouse_session::event::Exit as RunExit;
use pilothouse_session::id::{RunId, SessionId};
use pilothouse_session::replay::Replay;
use pilothouse_session::session::Setup;
use pilothouse_session::{Effect, Session};
use uuid::Uuid;

use super::usage;
use crate::args::ReplayArgs;
use crate::exit::Exit;
use crate::view::{Screen, Transcript, print_json};

/// The longest pause that is kept: nobody wants to wait for the night to pass.
const PAUSE: Duration = Duration::from_secs(5);

pub(super) async fn replay(args: &ReplayArgs) -> anyhow::Result<Exit> {
    let mut stage = Stage::new(args.json);
    let copied;
    let path = match args.file.as_os_str() == "-" {
        true => {
            copied = from_stdin()?;
            copied.path()
        }
        false => args.file.as_path(),
    };
    let unreadable = |error: &dyn std::fmt::Display| {
        usage(format!("{} cannot be replayed: {error}", args.file.display()))
    };
    let size = size(path);
    let mut last: Option<u64> = None;
    let mut read = 0;
    for spoken in read_any(path).map_err(|error| unreadable(&error))? {
        let spoken = spoken.map_err(|error| unreadable(&error))?;
        read += spoken.line.len() as u64;
        if let (Some(speed), Some(at)) = (args.speed, spoken.at) {
            let passed = Duration::from_millis(at.saturating_sub(last.unwrap_or(at)));
            tokio::time::sleep(passed.min(PAUSE).div_f64(speed)).await;
            last = Some(at);
        }
        let share = read.saturating_mul(100).checked_div(size).unwrap_or(100).min(100);
        stage.hear(spoken, share)?;
    }
    stage.end()
}

/// A log is read by its places, which stdin does not have.
fn from_stdin() -> anyhow::Result<tempfile::NamedTempFile> {
    let mut copied = tempfile::NamedTempFile::new()?;
    let mut stdin = std::io::stdin().lock().take(u64::MAX);
    std::io::copy(&mut stdin, &mut copied)?;
    copied.flush()?;
    Ok(copied)
}

fn size(path: &Path) -> u64 {
    path.metadata().map(|metadata| metadata.len()).unwrap_or_default()
}

struct Stage {
    replay: Replay,
    json: bool,
    screen: Screen,
    transcript: Transcript,
    now: Timestamp,
}

impl Stage {
    fn new(json: bool) -> Self {
        let session = Session::new(SessionId(Uuid::nil()), Setup::default());
        Self {
            replay: Replay::of(session, RunId(Uuid::from_u128(1))),
            json,
            screen: Screen::new(),
            transcript: Transcript::with_prompts(),
            now: Timestamp::UNIX_EPOCH,
        }
    }

    fn hear(&mut self, spoken: Spoken, share: u64) -> anyhow::Result<()> {
        let told = spoken.at.and_then(|at| i64::try_from(at).ok());
        self.now = told.and_then(|at| Timestamp::from_millisecond(at).ok()).unwrap_or(self.now);
        let effects = match spoken.by {
            Speaker::Cli => self.replay.written_by_cli(spoken.line, self.now),
            Speaker::Host => self.replay.written_by_host(&spoken.line, self.now),
        };
        self.show(effects)?;
        if !self.json {
            self.screen.status(&format!("… {share} % {}", self.transcript.doing()))?;
        }
        Ok(())
    }

    fn show(&mut self, effects: Vec<Effect>) -> anyhow::Result<()> {
        for effect in effects {
            match effect {
                Effect::Append(event) if self.json => {
                    print_json(&serde_json::to_string(&*event)?)?;
                }
                Effect::Append(event) => self.transcript.event(&event, &mut self.screen)?,
                Effect::Stream(delta) if !self.json => {
                    self.transcript.delta(&delta, &mut self.screen)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn end(mut self) -> anyhow::Result<Exit> {
        let effects = self.replay.ended(RunExit { code: Some(0), signal: None }, self.now);
        self.show(effects)?;
        self.screen.end_line()?;
        Ok(Exit::Done)
    }
}
