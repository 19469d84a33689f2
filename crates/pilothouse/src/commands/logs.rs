//! `logs`: what happened in a session, for people, for programs, or as it was said.

use std::io::Write;

use hyper::Method;
use pilothouse_host::config::Config;
use pilothouse_session::id::SessionId;
use serde::Deserialize;

use super::sessions::{find, path};
use crate::args::LogsArgs;
use crate::exit::Exit;
use crate::reach::{Ask, Reach, Update, Watch, pour};
use crate::view::{Screen, Transcript};

pub(super) async fn logs(config: &Config, args: &LogsArgs) -> anyhow::Result<Exit> {
    let mut reach = Reach::open(config).await?;
    let told = match args.raw {
        true => raw(&mut reach, args).await,
        false => events(&mut reach, args).await,
    };
    reach.close().await;
    told
}

async fn events(reach: &mut Reach, args: &LogsArgs) -> anyhow::Result<Exit> {
    let session = find(reach, &args.session).await?.id;
    let mut watch = Watch::new(session, args.after);
    let (mut screen, mut transcript) = (Screen::new(), Transcript::with_prompts());
    loop {
        let update = tokio::select! {
            update = watch.next(reach) => update?,
            _ = tokio::signal::ctrl_c() => return Ok(Exit::Interrupted),
        };
        match update {
            Update::Event { text, .. } if args.json => writeln!(std::io::stdout(), "{text}")?,
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

#[derive(Deserialize)]
struct Run {
    run: uuid::Uuid,
    is_live: bool,
    bytes: u64,
}

#[derive(Deserialize)]
struct Runs {
    items: Vec<Run>,
}

/// The wire logs, one after the other, byte for byte.
async fn raw(reach: &mut Reach, args: &LogsArgs) -> anyhow::Result<Exit> {
    let session = find(reach, &args.session).await?.id;
    let runs: Runs = reach.get(&format!("{}/runs", path(session))).await?;
    let mut out = std::io::stdout();
    for run in &runs.items {
        pour(piece(reach, session, run, 0).await?, &mut out).await?;
    }
    let last = runs.items.last().filter(|run| run.is_live && args.follow);
    if let Some(run) = last {
        follow(reach, session, run, &mut out).await?;
    }
    Ok(Exit::Done)
}

async fn piece(
    reach: &mut Reach,
    session: SessionId,
    run: &Run,
    offset: u64,
) -> anyhow::Result<hyper::Response<hyper::body::Incoming>> {
    let path = format!("{}/runs/{}/wire?offset={offset}", path(session), run.run);
    Ok(reach.send(Ask::new(Method::GET, path)).await?)
}

/// What is added to a log: there is something new whenever something is told of the session.
async fn follow(
    reach: &mut Reach,
    session: SessionId,
    run: &Run,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let mut offset = run.bytes;
    let mut watch = Watch::new(session, u64::MAX >> 1);
    loop {
        tokio::select! {
            update = watch.next(reach) => drop(update?),
            _ = tokio::signal::ctrl_c() => return Ok(()),
        }
        let mut counted = Counted { out: &mut *out, count: 0 };
        pour(piece(reach, session, run, offset).await?, &mut counted).await?;
        offset += counted.count;
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
