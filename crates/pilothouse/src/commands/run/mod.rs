//! `run`: one prompt, from the question to the end of its turn.

mod prompt;
mod turn;

use std::pin::pin;
use std::time::Duration;

use hyper::Method;
use pilothouse_host::config::Config;
use pilothouse_session::event::Body;
use pilothouse_session::id::{PromptId, SessionId};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::time::timeout;

use super::policy::policy_name;
use super::sessions::{SessionRow, directory, find, path};
use super::trust::Question;
use super::usage;
use crate::args::RunArgs;
use crate::exit::Exit;
use crate::reach::{ApiError, Ask, Reach, Update, Watch, quoted};
use crate::system::{Interrupts, Stops};
pub(super) use prompt::text;
use turn::{Output, Turn};

/// The mode that asks nothing.
const BYPASS: &str = "bypassPermissions";

/// What a daemon that answers takes at most to hear that a run is to end. Who is told to go before
/// that still says it.
const MOMENT: Duration = Duration::from_secs(1);

#[derive(Deserialize)]
struct Taken {
    prompt: PromptId,
}

pub(super) async fn run(config: &Config, args: RunArgs) -> anyhow::Result<Exit> {
    let cwd = directory(args.cwd.as_deref())?;
    if let Some(claude) = &args.claude
        && !claude.exists()
    {
        let why = format!("{} is not there: correct --claude, or leave it out", claude.display());
        return Err(crate::exit::Trouble::NoCli(why).into());
    }
    let text = text(&args.prompt).await?;
    let mut reach = Reach::open(config).await?;
    let ran = turn(&mut reach, &args, &cwd, &text).await;
    reach.close().await;
    ran
}

async fn turn(reach: &mut Reach, args: &RunArgs, cwd: &str, text: &str) -> anyhow::Result<Exit> {
    let row = session(reach, args, cwd).await?;
    let is_running = row.status.has_run();
    let question = match is_running && !args.trust {
        true => None,
        false => Question::ask(reach, args, &row.cwd, Some(row.id)).await?,
    };
    match question {
        Some(_) if is_running => {
            let why = "--trust holds from the next start on, and the session is running: end it \
                       with `pilothouse stop` first";
            return Err(usage(why));
        }
        Some(question) => question.settle(reach, row.id).await?,
        None => {}
    }
    // Ours to end, if it was not running before.
    let ends = !is_running;
    let watch = Watch::new(row.id, row.last_seq);
    let prompt = say(reach, row.id, text, None).await?;
    let output = match (args.json, args.quiet) {
        (true, _) => Output::Json,
        (_, true) => Output::Quiet,
        _ => Output::Human,
    };
    let mut stops = Stops::new()?;
    let exit = Turn::new(row.id, prompt, output, args.wait).follow(watch, reach, &mut stops).await;
    if ends {
        let mut ending = pin!(end(reach, row.id));
        // The same ones: what comes when the turn has just ended is heard, too.
        let stopped = tokio::select! {
            stopped = &mut ending => stopped,
            () = stops.next() => timeout(MOMENT, ending).await.unwrap_or(Ok(())),
        };
        // What the turn came to is the answer; that its end did not work comes second.
        if exit.is_ok() {
            stopped?;
        }
    }
    exit
}

/// Ends a session's run, if it has one. Ctrl-C ends the waiting.
pub(super) async fn stop(reach: &mut Reach, session: SessionId) -> anyhow::Result<()> {
    let mut interrupts = Interrupts::new()?;
    interrupts.or(end(reach, session)).await.unwrap_or(Ok(()))
}

/// Ends a session's run, if it has one. Without a daemon somebody has to be there until it has ended.
async fn end(reach: &mut Reach, session: SessionId) -> anyhow::Result<()> {
    let stopped = reach.post::<Value>(&format!("{}/stop", path(session)), &Value::Null).await;
    match stopped {
        Err(error) if error.refusal().is_some() => return Ok(()),
        stopped => stopped.map(drop)?,
    }
    if reach.is_lasting() {
        return Ok(());
    }
    let row: SessionRow = reach.get(&path(session)).await?;
    let mut watch = Watch::new(session, row.last_seq);
    let mut status = row.status;
    while status.has_run() {
        if let Update::Event { event: Some(event), .. } = watch.next(reach).await?
            && let Body::SessionStatus { status: now } = event.body
        {
            status = now;
        }
    }
    Ok(())
}

/// Says something to a session, once.
pub(super) async fn say(
    reach: &mut Reach,
    session: SessionId,
    text: &str,
    urgency: Option<&str>,
) -> Result<PromptId, ApiError> {
    let mut body = json!({ "text": text });
    if let Some(urgency) = urgency {
        body["urgency"] = urgency.into();
    }
    let ask = Ask::new(Method::POST, format!("{}/prompts", path(session)));
    let ask = ask.json(&body)?.once(uuid::Uuid::new_v4().to_string());
    let answer = reach.send(ask).await?;
    Ok(crate::reach::read::<Taken>(answer).await?.prompt)
}

/// The session to talk to: a new one, one that was there, or a copy of it.
async fn session(reach: &mut Reach, args: &RunArgs, cwd: &str) -> anyhow::Result<SessionRow> {
    let past = match (&args.resume, args.continue_last) {
        (Some(name), _) => Some(resumed(reach, name).await?),
        (None, true) => Some(latest(reach, cwd).await?),
        (None, false) if args.fork => {
            return Err(usage("--fork needs --resume ID or --continue: a copy of what?"));
        }
        (None, false) => None,
    };
    let Some(row) = past else { return created(reach, args, cwd).await };
    let fixed = [
        ("--cwd", args.cwd.is_some()),
        ("--claude", args.claude.is_some()),
        ("--max-turns", args.max_turns.is_some()),
        ("--max-budget-usd", args.max_budget_usd.is_some()),
        ("--see-every-call", args.see_every_call),
    ];
    if let Some((flag, _)) = fixed.iter().find(|(_, is_set)| *is_set) {
        return Err(usage(format!("{flag} is for new sessions: this one has been set up already")));
    }
    let row = match args.fork {
        true => reach.post(&format!("{}/fork", path(row.id)), &json!({})).await?,
        false => row,
    };
    adjust(reach, args, row).await
}

async fn created(reach: &mut Reach, args: &RunArgs, cwd: &str) -> anyhow::Result<SessionRow> {
    let mut profile = Map::new();
    let mut set = |name: &str, value: Option<Value>| {
        profile.extend(value.map(|value| (name.to_owned(), value)));
    };
    let claude = args.claude.as_ref().map(dunce::canonicalize).transpose()?;
    set("claude", claude.map(|claude| json!(claude)));
    set("model", args.model.clone().map(Value::from));
    set("mode", args.mode.clone().map(Value::from));
    // Whoever writes this mode out wants it, and starts the session themselves.
    let bypasses = args.mode.as_deref().is_some_and(|mode| mode == BYPASS);
    set("allow_bypass", bypasses.then_some(Value::from(true)));
    set("see_every_call", args.see_every_call.then_some(Value::from(true)));
    set("max_turns", args.max_turns.map(Value::from));
    set("max_budget_usd", args.max_budget_usd.map(Value::from));
    let policy = match &args.policy {
        Some(policy) => Some(policy_name(reach, policy).await?),
        None => None,
    };
    let body = json!({ "cwd": cwd, "policy": policy, "profile": profile });
    reach.post("/api/v1/sessions", &body).await.map_err(misnamed)
}

/// What the daemon finds wrong with the input stood on the command line.
fn misnamed(error: ApiError) -> anyhow::Error {
    match error {
        ApiError::Refused(document) if !document.errors.is_empty() => {
            let wrong: Vec<_> = document.errors.iter().map(|fault| &*fault.detail).collect();
            usage(wrong.join("; "))
        }
        error => error.into(),
    }
}

/// A session of ours, or one that is made of a conversation of the CLI's.
async fn resumed(reach: &mut Reach, name: &str) -> anyhow::Result<SessionRow> {
    match find(reach, name).await {
        Ok(row) => Ok(row),
        Err(unknown) if uuid::Uuid::parse_str(name).is_ok() => {
            let import = format!("/api/v1/history/{}/import", quoted(name));
            let taken = reach.post(&import, &json!({})).await;
            taken.map_err(|why| {
                usage(format!("{unknown:#}; as a conversation of Claude Code: {why}"))
            })
        }
        Err(unknown) => Err(unknown),
    }
}

async fn latest(reach: &mut Reach, cwd: &str) -> anyhow::Result<SessionRow> {
    let there = format!("/api/v1/sessions?archived=false&cwd={}", quoted(cwd));
    let rows: Vec<SessionRow> = reach.list(&there, usize::MAX).await?;
    if let Some(row) = rows.into_iter().max_by_key(|row| row.updated_at) {
        return Ok(row);
    }
    #[derive(Deserialize)]
    struct Kept {
        cli_session: String,
    }
    let kept: Vec<Kept> = reach.list(&format!("/api/v1/history?cwd={}", quoted(cwd)), 1).await?;
    match kept.into_iter().next() {
        Some(kept) => resumed(reach, &kept.cli_session).await,
        None => Err(usage(format!("nothing was said in {cwd} yet: leave out --continue"))),
    }
}

/// What the command line says about a session that is there.
async fn adjust(
    reach: &mut Reach,
    args: &RunArgs,
    mut row: SessionRow,
) -> anyhow::Result<SessionRow> {
    let own = path(row.id);
    let put = |name: &str, body: Value| Ask::new(Method::PUT, format!("{own}/{name}")).json(&body);
    if let Some(model) = &args.model {
        reach.send(put("model", json!({ "model": model }))?).await?;
    }
    if let Some(mode) = &args.mode {
        let changed = reach.send(put("mode", json!({ "mode": mode }))?).await;
        changed.map_err(|error| match error {
            ApiError::Refused(_) if mode == BYPASS => {
                usage("this session was begun with permissions: only a new one can be without")
            }
            error => misnamed(error),
        })?;
    }
    if let Some(policy) = &args.policy {
        let policy = policy_name(reach, policy).await?;
        let change = Ask::new(Method::PATCH, &own).json(&json!({ "policy": policy }))?;
        reach.send(change).await.map_err(misnamed)?;
    }
    // What these changes were told as is not what we wait for.
    row.last_seq = reach.get::<SessionRow>(&own).await?.last_seq;
    Ok(row)
}
