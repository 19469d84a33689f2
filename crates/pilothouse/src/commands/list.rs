//! `ls` and `show`: sessions as they stand.

use anstyle::Style;
use jiff::Timestamp;
use pilothouse_host::config::Config;
use pilothouse_session::approval::{Approval, Subject};
use pilothouse_session::event::Status;
use serde_json::Value;

use super::sessions::{SessionDetail, SessionRow, directory, find, path, state};
use super::{print, print_json};
use crate::args::{LsArgs, ShowArgs};
use crate::exit::Exit;
use crate::reach::{Reach, quoted};
use crate::view::{
    ACCENT, BAD, BOLD, DIM, PLAIN, Screen, Table, WARN, ago, one_line, request, short,
};

pub(super) async fn ls(config: &Config, args: &LsArgs) -> anyhow::Result<Exit> {
    let mut reach = Reach::open(config).await?;
    let listed = list(&mut reach, args).await;
    reach.close().await;
    listed
}

async fn list(reach: &mut Reach, args: &LsArgs) -> anyhow::Result<Exit> {
    let mut query = "/api/v1/sessions?".to_owned();
    if !args.all {
        query.push_str("archived=false&");
    }
    if args.waiting {
        query.push_str("needs_you=true&");
    }
    if let Some(cwd) = &args.cwd {
        query.push_str(&format!("cwd={}&", quoted(&directory(Some(cwd))?)));
    }
    if let Some(tag) = &args.tag {
        query.push_str(&format!("tag={}&", quoted(tag)));
    }
    if args.json {
        let rows: Vec<Value> = reach.list(&query, args.limit).await?;
        return print_json(&rows);
    }
    let rows: Vec<SessionRow> = reach.list(&query, args.limit).await?;
    if rows.is_empty() {
        return print("No sessions. `pilothouse run \"…\"` makes one.\n");
    }
    let (mut table, now) = (Table::default(), Timestamp::now());
    for mut row in rows {
        if row.title.as_ref().is_none_or(String::is_empty) {
            row.title = first_words(reach, &row).await?;
        }
        let waiting = if row.open_approvals > 0 { " ?" } else { "" };
        let archived = if row.archived { " (archived)" } else { "" };
        table.row([
            (ACCENT, &*short(row.id)),
            (look(row.status), &format!("{}{waiting}", state(row.status))),
            (DIM, &ago(row.updated_at, now)),
            (PLAIN, base(&row.cwd)),
            (BOLD, &format!("{}{archived}", row.name())),
        ]);
    }
    table.write(&mut Screen::new())?;
    Ok(Exit::Done)
}

/// What was said first, where nobody has given a title.
async fn first_words(reach: &mut Reach, row: &SessionRow) -> anyhow::Result<Option<String>> {
    let events: Value = reach.get(&format!("{}/events?limit=5", path(row.id))).await?;
    let mut events = events["items"].as_array().into_iter().flatten();
    let said = events.find(|event| event["type"] == "user_message");
    Ok(said.and_then(|said| said["text"].as_str()).map(str::to_owned))
}

fn base(path: &str) -> &str {
    path.rsplit('/').find(|part| !part.is_empty()).unwrap_or(path)
}

fn look(status: Status) -> Style {
    match status {
        Status::AwaitingApproval => WARN,
        Status::Interrupted => BAD,
        Status::Running | Status::Starting => ACCENT,
        _ => DIM,
    }
}

pub(super) async fn show(config: &Config, args: &ShowArgs) -> anyhow::Result<Exit> {
    let mut reach = Reach::open(config).await?;
    let shown = detail(&mut reach, args).await;
    reach.close().await;
    shown
}

async fn detail(reach: &mut Reach, args: &ShowArgs) -> anyhow::Result<Exit> {
    let id = find(reach, &args.session).await?.id;
    if args.json {
        let all: Value = reach.get(&path(id)).await?;
        return print_json([all]);
    }
    let SessionDetail { row, approvals, tasks } = reach.get(&path(id)).await?;
    let mut table = Table::default();
    let mut tell = |name: &str, text: &str| {
        if !text.is_empty() {
            table.row([(DIM, name), (PLAIN, text)]);
        }
    };
    tell("session", &row.id.to_string());
    tell("title", row.title.as_deref().unwrap_or_default());
    tell("directory", &row.cwd);
    tell("state", state(row.status));
    tell("model", row.model.as_deref().unwrap_or_default());
    tell("mode", row.mode.as_deref().unwrap_or_default());
    tell("policy", row.policy.as_deref().unwrap_or_default());
    tell("tags", &row.tags.join(", "));
    tell("Claude's id", row.cli_session.as_deref().unwrap_or_default());
    tell("begun", &row.created_at.strftime("%F %H:%M UTC").to_string());
    tell("events", &row.last_seq.to_string());
    for task in &tasks {
        tell("goes on", &format!("{} ({})", task.description, task.status));
    }
    let mut screen = Screen::new();
    table.write(&mut screen)?;
    for approval in &approvals {
        screen.line(DIM, &format!("asks {}", approval.approval))?;
        for (style, line) in request(approval) {
            screen.line(style, &format!("  {line}"))?;
        }
    }
    if !approvals.is_empty() {
        let id = short(row.id);
        let how = format!("answer with `pilothouse approve {id}` or `pilothouse deny {id}`");
        screen.line(WARN, &how)?;
    }
    Ok(Exit::Done)
}

/// What is asked, in a line.
pub(super) fn subject(approval: &Approval) -> String {
    let text = match &approval.subject {
        Subject::Tool { tool_name, payload, .. } => format!("{tool_name}: {}", payload.title()),
        Subject::EnterPlan => "may it plan first?".to_owned(),
        Subject::Plan { .. } => "is the plan good?".to_owned(),
        Subject::Question { questions } => {
            questions.iter().map(|asked| asked.question.as_str()).collect::<Vec<_>>().join(" ")
        }
        Subject::Elicitation { message, .. } => message.clone().unwrap_or_default(),
        Subject::Dialog { dialog, .. } => dialog.clone(),
    };
    one_line(&text)
}
