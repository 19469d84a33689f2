//! `logs`: what happened in a session, for people, for programs, or as it was said.
//!
//! Followed, both go on until they are interrupted: a session has no end, only runs have.

use std::collections::HashMap;
use std::io::Write;

use hyper::Method;
use pilothouse_host::config::Config;
use pilothouse_session::id::SessionId;
use serde::Deserialize;

use super::sessions::{find, path};
use crate::args::LogsArgs;
use crate::exit::Exit;
use crate::reach::{Ask, Reach, Update, Watch, pour};
use crate::system::Interrupts;
use crate::view::{Exact, Screen, Transcript, print_json};

pub(super) async fn logs(config: &Config, args: &LogsArgs) -> anyhow::Result<Exit> {
    let mut interrupts = Interrupts::new()?;
    let Some(reach) = interrupts.or(Reach::open(config)).await else {
        return Ok(Exit::Interrupted);
    };
    let mut reach = reach?;
    let told = interrupts.or(tell(&mut reach, args)).await;
    reach.close().await;
    told.unwrap_or(Ok(Exit::Interrupted))
}

async fn tell(reach: &mut Reach, args: &LogsArgs) -> anyhow::Result<Exit> {
    match args.raw {
        true => raw(reach, args).await,
        false => events(reach, args).await,
    }
}

async fn events(reach: &mut Reach, args: &LogsArgs) -> anyhow::Result<Exit> {
    let session = find(reach, &args.session).await?.id;
    let mut watch = Watch::new(session, args.after);
    let (mut screen, mut transcript) = (Screen::new(), Transcript::with_prompts());
    loop {
        match watch.next(reach).await? {
            Update::Event { text, .. } if args.json => print_json(&text)?,
            Update::Event { event: Some(event), .. } => transcript.event(&event, &mut screen)?,
            Update::Live { .. } if !args.follow => return Ok(Exit::Done),
            Update::Live { open_items } if !args.json => {
                transcript.open(&open_items, &mut screen)?;
            }
            Update::Delta(delta) if !args.json => transcript.delta(&delta, &mut screen)?,
            Update::Lagged if !args.json => transcript.lagged(&mut screen)?,
            _ => {}
        }
        screen.flush()?;
    }
}

/// The wire logs, one after the other, byte for byte but on a terminal.
async fn raw(reach: &mut Reach, args: &LogsArgs) -> anyhow::Result<Exit> {
    let row = find(reach, &args.session).await?;
    let mut wire = Wire { session: row.id, poured: HashMap::new(), out: Exact::stdout() };
    wire.pour(reach).await?;
    if !args.follow {
        return Ok(Exit::Done);
    }
    // From before the logs were read: what was told since was written since, or read already.
    let mut watch = Watch::new(row.id, row.last_seq);
    loop {
        watch.next(reach).await?;
        // What else is there already needs no look of its own.
        loop {
            tokio::select! {
                biased;
                update = watch.next(reach) => drop(update?),
                () = std::future::ready(()) => break,
            }
        }
        // A line is in the log before anything is told of it.
        wire.pour(reach).await?;
    }
}

#[derive(Deserialize)]
struct Run {
    run: uuid::Uuid,
    is_live: bool,
}

#[derive(Deserialize)]
struct Runs {
    items: Vec<Run>,
}

/// The wire logs of a session, as far as they were written out.
struct Wire<W> {
    session: SessionId,
    poured: HashMap<uuid::Uuid, Poured>,
    out: W,
}

#[derive(Clone, Copy, Default)]
struct Poured {
    bytes: u64,
    /// Nothing more will come.
    is_whole: bool,
}

impl<W: Write> Wire<W> {
    /// Writes what there is and was not written yet.
    async fn pour(&mut self, reach: &mut Reach) -> anyhow::Result<()> {
        let runs: Runs = reach.get(&format!("{}/runs", path(self.session))).await?;
        for run in runs.items {
            let had = self.poured.get(&run.run).copied().unwrap_or_default();
            if had.is_whole {
                continue;
            }
            let own = format!("{}/runs/{}", path(self.session), run.run);
            let rest = Ask::new(Method::GET, format!("{own}/wire?offset={}", had.bytes));
            let rest = reach.send(rest).await?;
            let mut counted = Counted { out: &mut self.out, count: 0 };
            let done = pour(rest, &mut counted).await;
            let bytes = had.bytes + counted.count;
            // It had ended before it was read, so that was its end.
            self.poured.insert(run.run, Poured { bytes, is_whole: !run.is_live });
            done?;
        }
        Ok(())
    }
}

struct Counted<W> {
    out: W,
    count: u64,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.count += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}
