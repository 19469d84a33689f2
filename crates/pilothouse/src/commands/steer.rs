//! `send`, `approve`, `deny`, `stop`, `resume`, `fork`, `rm`: one thing said to a session.

use std::io::IsTerminal;

use hyper::Method;
use pilothouse_host::config::Config;
use pilothouse_session::approval::{Decision, PlanChoice, Subject, Suggestion};
use pilothouse_wire::PermissionUpdate;
use serde_json::{Value, json};

use super::list::subject;
use super::run::{say, text};
use super::sessions::{OpenRequest, SessionRow, find, path, state};
use super::up::raise;
use super::{print, rewind, usage};
use crate::args::{Also, ApproveArgs, Command, Common, DenyArgs, ForkArgs, RmArgs, SendArgs};
use crate::ask::{adds_rules, sentence};
use crate::exit::Exit;
use crate::reach::{Ask, Reach};
use crate::view::{self, PLAIN, Screen, prompt, report, short, warn};

/// Does one of these.
pub(super) async fn steer(
    common: &Common,
    config: &Config,
    command: &Command,
) -> anyhow::Result<Exit> {
    // Read before anything is opened: it may take as long as somebody types.
    let words = match command {
        Command::Send(args) => text(&args.prompt).await?,
        _ => String::new(),
    };
    let mut reach = match command {
        Command::Send(args) => lasting(common, config, &args.session).await?,
        Command::Resume(args) => lasting(common, config, &args.session).await?,
        _ => Reach::open(config).await?,
    };
    let done = match command {
        Command::Send(args) => send(&mut reach, args, &words).await,
        Command::Approve(args) => approve(&mut reach, args).await,
        Command::Deny(args) => deny(&mut reach, args).await,
        Command::Stop(args) => simply(&mut reach, &args.session, "stop", Value::Null).await,
        Command::Resume(args) => simply(&mut reach, &args.session, "start", json!({})).await,
        Command::Fork(args) => fork(&mut reach, args).await,
        Command::Rewind(args) => rewind::rewind(&mut reach, args).await,
        Command::Rm(args) => rm(&mut reach, args).await,
        _ => Ok(Exit::Usage),
    };
    reach.close().await;
    done
}

/// A daemon that stays, for what goes on when this command has ended: without one nobody would
/// hear what a session asks, and the policy would not answer it.
async fn lasting(common: &Common, config: &Config, session: &str) -> anyhow::Result<Reach> {
    let mut reach = Reach::open(config).await?;
    if reach.is_lasting() {
        return Ok(reach);
    }
    // A session that is not there needs no daemon.
    let found = find(&mut reach, session).await;
    reach.close().await;
    found?;
    if !raise(common, config).await? {
        let told = "started the daemon, which goes on with it; `pilothouse down` stops it";
        warn(told)?;
    }
    Reach::open(config).await
}

async fn send(reach: &mut Reach, args: &SendArgs, words: &str) -> anyhow::Result<Exit> {
    let row = find(reach, &args.session).await?;
    say(reach, row.id, words, args.now.then_some("now")).await?;
    print(&format!("Sent; `pilothouse attach {}` shows what comes of it.\n", short(row.id)))
}

/// Starts or stops a run, and tells how the session stands then.
async fn simply(reach: &mut Reach, name: &str, what: &str, body: Value) -> anyhow::Result<Exit> {
    let row = find(reach, name).await?;
    let after: SessionRow = reach.post(&format!("{}/{what}", path(row.id)), &body).await?;
    print(&format!("{} is {}.\n", short(row.id), state(after.status)))
}

/// The request that somebody means.
async fn request(
    reach: &mut Reach,
    session: Option<&str>,
    number: Option<u64>,
) -> anyhow::Result<OpenRequest> {
    let mut open: Vec<OpenRequest> = reach.list("/api/v1/approvals?", usize::MAX).await?;
    if let Some(name) = session {
        let id = find(reach, name).await?.id;
        open.retain(|request| request.session == id);
    }
    if let Some(number) = number {
        open.retain(|request| request.approval.0 == number);
    }
    match open.len() {
        1 => Ok(open.remove(0)),
        0 => Err(usage("nothing waits for an answer there: `pilothouse ls --waiting`")),
        _ => {
            let mut list = String::new();
            for request in &open {
                let about = request.request.as_ref().map(subject).unwrap_or_default();
                let (session, number) = (short(request.session), request.approval);
                list.push_str(&format!("\n  {session} {number}  {about}"));
            }
            Err(usage(format!("several requests wait; name one of them:{list}")))
        }
    }
}

/// Shows what is about to be allowed.
fn show(open: &OpenRequest) -> anyhow::Result<()> {
    let mut screen = Screen::aside();
    for (style, line) in open.request.iter().flat_map(view::request) {
        screen.line(style, &line)?;
    }
    Ok(())
}

async fn answer(
    reach: &mut Reach,
    request: &OpenRequest,
    decision: &Decision,
    word: &str,
) -> anyhow::Result<Exit> {
    let session = path(request.session);
    let decided = format!("{session}/approvals/{}/decision", request.approval);
    reach.post::<Value>(&decided, decision).await?;
    let about = request.request.as_ref().map(subject).unwrap_or_default();
    print(&format!("{word}: {about}\n"))
}

async fn approve(reach: &mut Reach, args: &ApproveArgs) -> anyhow::Result<Exit> {
    let open = request(reach, args.session.as_deref(), args.request).await?;
    show(&open)?;
    let suggested = open.request.as_ref().map(|request| request.suggestions.as_slice());
    let suggested = suggested.filter(|_| args.always).unwrap_or_default();
    let is_kept = |Suggestion(update): &&Suggestion| match update {
        PermissionUpdate::AddDirectories(_) => args.also.contains(&Also::Directories),
        PermissionUpdate::SetMode(_) => args.also.contains(&Also::Mode),
        update => adds_rules(update),
    };
    let (kept, left): (Vec<_>, Vec<_>) = suggested.iter().partition(is_kept);
    if args.always && kept.is_empty() {
        let list = list_of(&left, "\n  suggested: ");
        return Err(usage(format!(
            "Claude Code suggests no rule for this: leave out --always, or see --also{list}"
        )));
    }
    let updates = kept.iter().map(|update| (*update).clone()).collect();
    let decision = match open.request.as_ref().map(|request| &request.subject) {
        Some(Subject::Plan { .. }) => {
            Decision::Plan { choice: PlanChoice::AcceptEdits, plan: None, feedback: None }
        }
        Some(Subject::Question { .. } | Subject::Elicitation { .. } | Subject::Dialog { .. }) => {
            let id = short(open.session);
            return Err(usage(format!(
                "this is a question: answer it with `pilothouse attach {id}`"
            )));
        }
        _ => Decision::Allow { input: None, updates },
    };
    answer(reach, &open, &decision, "allowed").await?;
    let (kept, left) = (list_of(&kept, "kept: "), list_of(&left, "not kept: "));
    print(&format!("{kept}{left}"))
}

/// A line for each update.
fn list_of(updates: &[&Suggestion], before: &str) -> String {
    updates.iter().map(|Suggestion(update)| format!("{before}{}\n", sentence(update))).collect()
}

async fn deny(reach: &mut Reach, args: &DenyArgs) -> anyhow::Result<Exit> {
    let open = request(reach, args.session.as_deref(), args.request).await?;
    let decision = Decision::Deny { message: args.message.clone(), stop: args.stop };
    answer(reach, &open, &decision, "refused").await
}

async fn fork(reach: &mut Reach, args: &ForkArgs) -> anyhow::Result<Exit> {
    let row = find(reach, &args.session).await?;
    let body = json!({ "title": args.title, "at": args.at });
    let copy: SessionRow = reach.post(&format!("{}/fork", path(row.id)), &body).await?;
    print(&format!("{}\n", copy.id))
}

async fn rm(reach: &mut Reach, args: &RmArgs) -> anyhow::Result<Exit> {
    let mut rows = Vec::new();
    for name in &args.sessions {
        rows.push(find(reach, name).await?);
    }
    if !args.force {
        if !std::io::stdin().is_terminal() {
            return Err(usage("deleting needs --force where nobody can be asked"));
        }
        for row in &rows {
            report(PLAIN, &format!("{}  {}", short(row.id), row.name()))?;
        }
        prompt("Delete, with all that belongs to it? [yes/n] ")?;
        let mut line = String::new();
        std::io::stdin().read_line(&mut line)?;
        if line.trim() != "yes" {
            return Ok(Exit::Interrupted);
        }
    }
    for row in &rows {
        reach.send(Ask::new(Method::DELETE, path(row.id))).await?;
        print(&format!("deleted {}\n", short(row.id)))?;
    }
    Ok(Exit::Done)
}
