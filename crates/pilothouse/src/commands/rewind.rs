//! `rewind`: files as they were before a prompt; with `--dry-run`, what that would change.

use pilothouse_session::event::{Body, DeadRun, Status};
use pilothouse_session::tool::Patch;
use pilothouse_session::{Event, Refusal};
use serde::Deserialize;
use serde_json::{Value, json};

use super::run::stop;
use super::sessions::{SessionRow, find, path};
use crate::args::RewindArgs;
use crate::exit::{Exit, Trouble};
use crate::reach::{ApiError, Reach, Update, Watch};
use crate::view::{ACCENT, ADDED, BOLD, DIM, PLAIN, REMOVED, Screen, Table, WARN, count, one_line};

#[derive(Deserialize)]
struct Rewound {
    can_rewind: bool,
    insertions: Option<u64>,
    deletions: Option<u64>,
    files_changed: Vec<String>,
    files: Vec<PutBack>,
    skipped_links: Option<u64>,
    error: Option<String>,
}

#[derive(Deserialize)]
struct PutBack {
    path: String,
    kind: Option<Kind>,
    patch: Option<Patch>,
    unknown: Option<String>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Changed,
    Created,
    Deleted,
}

pub(super) async fn rewind(reach: &mut Reach, args: &RewindArgs) -> anyhow::Result<Exit> {
    let mut row = find(reach, &args.session).await?;
    let Some(prompt) = args.prompt else { return prompts(reach, &row).await };
    // Claude Code puts files back, and only while it runs. What is started for this ends with it.
    let mut ends = false;
    let done = loop {
        if !row.status.has_run() {
            reach.post::<Value>(&format!("{}/start", path(row.id)), &json!({})).await?;
            ends = true;
        }
        let done = match ready(reach, &row).await {
            Ok(()) => put_back(reach, &row, prompt, args.dry_run).await,
            Err(error) => Err(error),
        };
        match done {
            Err(error) if is_between(&error) => row = changed(reach, &row).await?,
            done => break done,
        }
    };
    if ends {
        stop(reach, row.id).await?;
    }
    done
}

/// Whether the run is just ending, as it is after a `run`: the next one can be asked.
fn is_between(error: &anyhow::Error) -> bool {
    let error = error.downcast_ref::<ApiError>();
    matches!(error.and_then(ApiError::refusal), Some(Refusal::NotReady))
}

/// The session when it stands otherwise than it did.
async fn changed(reach: &mut Reach, row: &SessionRow) -> anyhow::Result<SessionRow> {
    let mut watch = Watch::new(row.id, row.last_seq);
    loop {
        let Update::Event { event: Some(event), .. } = watch.next(reach).await? else { continue };
        if matches!(event.body, Body::SessionStatus { .. } | Body::RunReady { .. }) {
            return Ok(reach.get(&path(row.id)).await?);
        }
    }
}

/// Waits until the session's run can be asked something.
async fn ready(reach: &mut Reach, row: &SessionRow) -> anyhow::Result<()> {
    if row.status.has_run() && row.status != Status::Starting {
        return Ok(());
    }
    let (mut screen, mut why) = (Screen::new(), String::new());
    screen.status("starting Claude Code …")?;
    let mut watch = Watch::new(row.id, row.last_seq);
    let mut now = Status::Starting;
    loop {
        let Update::Event { event: Some(event), .. } = watch.next(reach).await? else { continue };
        match event.body {
            Body::RunReady { .. } => return Ok(()),
            Body::Error { message, .. }
            | Body::RunEnded { meaning: DeadRun::Failed { message }, .. } => why = message,
            Body::SessionStatus { status } => now = status,
            _ => {}
        }
        if !now.has_run() {
            let why = format!("Claude Code cannot be started: {why} (see `pilothouse doctor`)");
            return Err(Trouble::NoCli(why).into());
        }
    }
}

async fn put_back(
    reach: &mut Reach,
    row: &SessionRow,
    prompt: uuid::Uuid,
    dry_run: bool,
) -> anyhow::Result<Exit> {
    let ask = |dry_run: bool| json!({ "user_message_id": prompt, "dry_run": dry_run });
    let path = format!("{}/rewind", path(row.id));
    // Also before it is done: what it was is told by nobody afterwards.
    let would: Rewound = reach.post(&path, &ask(true)).await?;
    if !would.can_rewind {
        let why = would.error.as_deref().unwrap_or("Claude Code does not say why");
        anyhow::bail!("files cannot be put back: {}", one_line(why));
    }
    let mut screen = Screen::new();
    if dry_run {
        screen.line(PLAIN, &sum(&would, "would be put back"))?;
        for file in &would.files {
            show(&mut screen, file)?;
        }
        return Ok(Exit::Done);
    }
    let done: Rewound = reach.post(&path, &ask(false)).await?;
    screen.line(PLAIN, &sum(&would, "put back"))?;
    for file in &would.files_changed {
        screen.line(PLAIN, &format!("  {}", one_line(file)))?;
    }
    if let Some(links) = done.skipped_links.filter(|links| *links > 0) {
        screen.line(WARN, &format!("{links} links were left as they are"))?;
    }
    Ok(Exit::Done)
}

fn sum(would: &Rewound, what: &str) -> String {
    let count = count(would.files_changed.len(), "file");
    match (would.insertions, would.deletions) {
        (Some(added), Some(removed)) => format!("{count} {what} (+{added} −{removed} lines)"),
        _ => format!("{count} {what}"),
    }
}

/// A file, and what would change in it as a unified diff, whole.
fn show(screen: &mut Screen, file: &PutBack) -> std::io::Result<()> {
    let kind = match file.kind {
        Some(Kind::Changed) => "changed",
        Some(Kind::Created) => "created again",
        Some(Kind::Deleted) => "deleted",
        None => "not known",
    };
    screen.line(PLAIN, "")?;
    screen.spans(&[(BOLD, &one_line(&file.path)), (DIM, &format!(" ({kind})"))])?;
    if let Some(why) = &file.unknown {
        screen.line(WARN, &format!("what would change is not known: {}", one_line(why)))?;
    }
    let Some(patch) = &file.patch else { return Ok(()) };
    for line in patch.diff.lines() {
        let style = match line.as_bytes().first() {
            Some(b'+') => ADDED,
            Some(b'-') => REMOVED,
            Some(b'@') => ACCENT,
            _ => PLAIN,
        };
        screen.line(style, line)?;
    }
    if patch.truncated {
        let (added, removed) = (patch.lines_added, patch.lines_removed);
        screen.line(DIM, &format!("… {added} lines added, {removed} removed in all"))?;
    }
    Ok(())
}

/// The prompts of a session, with their ids.
async fn prompts(reach: &mut Reach, row: &SessionRow) -> anyhow::Result<Exit> {
    let mut table = Table::default();
    let mut after = 0;
    while after < row.last_seq {
        #[derive(Deserialize)]
        struct Events {
            items: Vec<Value>,
        }
        let page = format!("{}/events?after={after}&limit=1000", path(row.id));
        let events: Events = reach.get(&page).await?;
        for value in events.items {
            after = value["seq"].as_u64().unwrap_or(u64::MAX);
            let Ok(event) = serde_json::from_value::<Event>(value) else { continue };
            if let Body::UserMessage { prompt: Some(prompt), text, .. } = event.body {
                let at = event.at.strftime("%F %H:%M").to_string();
                table.row([(ACCENT, &*prompt.to_string()), (DIM, &at), (PLAIN, &text)]);
            }
        }
    }
    let mut screen = Screen::new();
    match table.is_empty() {
        true => screen.line(DIM, "Nothing was said in this session yet.")?,
        false => table.write(&mut screen)?,
    }
    Ok(Exit::Done)
}
