//! `search`, `import`, `export`: what was said, found, taken in and taken out.

use std::fs::File;
use std::path::Path;

use anyhow::Context;
use hyper::Method;
use jiff::Timestamp;
use pilothouse_host::config::Config;
use pilothouse_host::past::{PastFound, PastSession};
use pilothouse_session::id::SessionId;
use serde::Deserialize;
use serde_json::{Value, json};

use super::sessions::{SessionRow, directory, find, path};
use super::{print_json, usage};
use crate::args::{ExportArgs, ImportArgs, SearchArgs};
use crate::exit::Exit;
use crate::reach::{Ask, Reach, pour, quoted};
use crate::view::{ACCENT, BAD, DIM, Exact, PLAIN, Screen, Table, ago, one_line, short};

pub(super) async fn search(config: &Config, args: &SearchArgs) -> anyhow::Result<Exit> {
    let mut reach = Reach::open(config).await?;
    let found = look(&mut reach, args).await;
    reach.close().await;
    found
}

#[derive(Deserialize)]
struct Hit {
    session: SessionId,
    title: Option<String>,
    at: Timestamp,
    snippet: Snippet,
}

#[derive(Deserialize)]
struct Snippet {
    text: String,
}

async fn look(reach: &mut Reach, args: &SearchArgs) -> anyhow::Result<Exit> {
    let words = quoted(&args.words.join(" "));
    let limit = args.limit.clamp(1, 500);
    let query = format!("/api/v1/sessions/search?q={words}&archived=true&limit={limit}");
    let found: Value = reach.get(&query).await?;
    let hits = found["items"].as_array().cloned().unwrap_or_default();
    let mut screen = Screen::new();
    let past = match args.past {
        true => {
            screen.status("looking through the conversations of Claude Code …")?;
            let query = format!("/api/v1/history/search?q={words}&limit={}", limit.min(200));
            Some(reach.get::<PastFound>(&query).await?)
        }
        false => None,
    };
    screen.hide()?;
    if args.json {
        let past = past.iter().flat_map(|found| &found.hits).map(serde_json::to_value);
        let all = hits.into_iter().map(Ok).chain(past);
        return print_json(all.collect::<Result<Vec<_>, _>>()?);
    }
    let (mut table, now) = (Table::default(), Timestamp::now());
    for hit in hits {
        let hit: Hit = serde_json::from_value(hit)?;
        let title = hit.title.unwrap_or_default();
        let title = title.chars().take(24).collect::<String>();
        table.row([
            (ACCENT, &*short(hit.session)),
            (DIM, &ago(hit.at, now)),
            (DIM, &title),
            (PLAIN, &hit.snippet.text),
        ]);
    }
    for hit in past.iter().flat_map(|found| &found.hits) {
        let text = hit.snippets.first().map(|snippet| snippet.text.as_str()).unwrap_or_default();
        table.row([
            (ACCENT, &*hit.session.cli_session),
            (DIM, &ago(hit.session.updated_at, now)),
            (DIM, "Claude Code"),
            (PLAIN, text),
        ]);
    }
    match table.is_empty() {
        true => screen.line(DIM, "Nothing was found.")?,
        false => table.write(&mut screen)?,
    }
    if past.is_some_and(|found| !found.complete) {
        screen.line(DIM, "There may be more: not everything was looked at.")?;
    }
    Ok(Exit::Done)
}

pub(super) async fn import(config: &Config, args: &ImportArgs) -> anyhow::Result<Exit> {
    let mut reach = Reach::open(config).await?;
    let taken = take_in(&mut reach, args).await;
    reach.close().await;
    taken
}

async fn take_in(reach: &mut Reach, args: &ImportArgs) -> anyhow::Result<Exit> {
    let place = match args.everywhere {
        true => String::new(),
        false => format!("cwd={}&", quoted(&directory(args.cwd.as_deref())?)),
    };
    let query = format!("/api/v1/history?{place}");
    let mut screen = Screen::new();
    let wanted = match (args.all, args.conversations.is_empty()) {
        (true, true) => {
            let kept: Vec<PastSession> = reach.list(&query, usize::MAX).await?;
            kept.into_iter().map(|kept| kept.cli_session).collect()
        }
        (true, false) => return Err(usage("either name conversations or say --all")),
        (false, false) => args.conversations.clone(),
        (false, true) => {
            let kept: Vec<PastSession> = reach.list(&query, 100).await?;
            return offer(&kept, &mut screen);
        }
    };
    let mut failed = 0;
    for (number, conversation) in wanted.iter().enumerate() {
        screen.status(&format!("importing {} of {} …", number + 1, wanted.len()))?;
        let path = format!("/api/v1/history/{}/import", quoted(conversation));
        match reach.post::<SessionRow>(&path, &json!({})).await {
            Ok(row) => {
                screen.line(PLAIN, &format!("{}  {}", short(row.id), row.name()))?;
            }
            Err(error) => {
                failed += 1;
                screen.line(BAD, &format!("{conversation}: {}", one_line(&error.to_string())))?;
            }
        }
    }
    Ok(if failed > 0 { Exit::Failed } else { Exit::Done })
}

fn offer(kept: &[PastSession], screen: &mut Screen) -> anyhow::Result<Exit> {
    if kept.is_empty() {
        screen
            .line(DIM, "Claude Code has kept no conversation of this directory; --everywhere?")?;
        return Ok(Exit::Done);
    }
    let (mut table, now) = (Table::default(), Timestamp::now());
    for kept in kept {
        let since = ago(kept.updated_at, now);
        table.row([(ACCENT, &*kept.cli_session), (DIM, &since), (PLAIN, &kept.summary)]);
    }
    table.write(screen)?;
    screen.line(DIM, "Import with `pilothouse import ID …`, or all of them with --all.")?;
    Ok(Exit::Done)
}

pub(super) async fn export(config: &Config, args: &ExportArgs) -> anyhow::Result<Exit> {
    let mut reach = Reach::open(config).await?;
    let taken = take_out(&mut reach, args).await;
    reach.close().await;
    taken
}

async fn take_out(reach: &mut Reach, args: &ExportArgs) -> anyhow::Result<Exit> {
    let row = find(reach, &args.session).await?;
    let query = format!("{}/export?format={}", path(row.id), args.format.name());
    let answer = reach.send(Ask::new(Method::GET, query)).await?;
    match &args.output {
        None => pour(answer, &mut Exact::stdout()).await?,
        Some(file) => {
            let written = pour(answer, &mut create(file)?).await;
            written.with_context(|| format!("{} is not whole", file.display()))?;
        }
    }
    Ok(Exit::Done)
}

fn create(file: &Path) -> anyhow::Result<File> {
    File::create(file).with_context(|| format!("{} cannot be written", file.display()))
}
