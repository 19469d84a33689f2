//! `rewind`: files as they were before a prompt; with `--dry-run`, what that would change.

use pilothouse_session::Event;
use pilothouse_session::event::Body;
use pilothouse_session::tool::Patch;
use serde::Deserialize;
use serde_json::{Value, json};

use super::sessions::{SessionRow, find, path};
use crate::args::RewindArgs;
use crate::exit::Exit;
use crate::reach::Reach;
use crate::view::{
    ACCENT, ADDED, BOLD, DIM, PLAIN, REMOVED, Screen, Table, WARN, harmless, one_line,
};

#[derive(Deserialize)]
struct Rewound {
    can_rewind: bool,
    insertions: Option<u64>,
    deletions: Option<u64>,
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
    let row = find(reach, &args.session).await?;
    let Some(prompt) = args.prompt else { return prompts(reach, &row).await };
    let ask = |dry_run: bool| json!({ "user_message_id": prompt, "dry_run": dry_run });
    let path = format!("{}/rewind", path(row.id));
    // Also before it is done: what it was is told by nobody afterwards.
    let would: Rewound = reach.post(&path, &ask(true)).await?;
    if !would.can_rewind {
        let why = would.error.as_deref().unwrap_or("Claude Code does not say why");
        anyhow::bail!("files cannot be put back: {}", one_line(why));
    }
    let mut screen = Screen::new();
    if args.dry_run {
        screen.line(PLAIN, &sum(&would, "would be put back"))?;
        for file in &would.files {
            show(&mut screen, file)?;
        }
        return Ok(Exit::Done);
    }
    let done: Rewound = reach.post(&path, &ask(false)).await?;
    screen.line(PLAIN, &sum(&would, "put back"))?;
    for file in &would.files {
        screen.line(PLAIN, &format!("  {}", one_line(&file.path)))?;
    }
    if let Some(links) = done.skipped_links.filter(|links| *links > 0) {
        screen.line(WARN, &format!("{links} links were left as they are"))?;
    }
    Ok(Exit::Done)
}

fn sum(would: &Rewound, what: &str) -> String {
    let count = match would.files.len() {
        1 => "1 file".to_owned(),
        count => format!("{count} files"),
    };
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
    screen.painted(&format!("{BOLD}{}{BOLD:#} {DIM}({kind}){DIM:#}", one_line(&file.path)))?;
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
        screen.line(style, &harmless(line))?;
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
    table.write(&mut Screen::new())?;
    Ok(Exit::Done)
}
