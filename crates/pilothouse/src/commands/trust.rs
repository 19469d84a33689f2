//! `trust`: decisions about the Claude Code settings of repositories, and the question that `run`
//! asks.

use std::io;
use std::path::Path;

use anstyle::Style;
use hyper::Method;
use pilothouse_host::config::Config;
use pilothouse_host::store::TrustKind;
use pilothouse_host::trust::{Brings, Standing, TrustAnswer, TrustReport};
use pilothouse_session::id::SessionId;
use serde::Deserialize;
use serde_json::{Value, json};

use super::sessions::directory;
use super::{print_json, usage};
use crate::args::{AddArgs, RunArgs, TrustCommand};
use crate::ask::Console;
use crate::exit::Exit;
use crate::reach::{ApiError, Ask, Reach, quoted};
use crate::view::{BOLD, DIM, GOOD, PLAIN, Screen, Table, WARN, one_line, prompt};

const LIST: &str = "/api/v1/trust";

#[derive(Deserialize)]
struct Listed<T> {
    items: Vec<T>,
}

/// A decision as the API lists it.
#[derive(Deserialize)]
struct Decision {
    root: String,
    kind: TrustKind,
    session: Option<SessionId>,
    actor: String,
}

pub(super) async fn trust(config: &Config, command: TrustCommand) -> anyhow::Result<Exit> {
    let mut reach = Reach::open(config).await?;
    let done = match command {
        TrustCommand::Ls { json } => ls(&mut reach, json).await,
        TrustCommand::Show { dir, json } => show(&mut reach, dir.as_deref(), json).await,
        TrustCommand::Add(args) => add(&mut reach, &args).await,
        TrustCommand::Rm { dir } => rm(&mut reach, &dir).await,
    };
    reach.close().await;
    done
}

async fn ls(reach: &mut Reach, json: bool) -> anyhow::Result<Exit> {
    if json {
        let rows: Listed<Value> = reach.get(LIST).await?;
        return print_json(&rows.items);
    }
    let rows: Listed<Decision> = reach.get(LIST).await?;
    let mut table = Table::default();
    for row in &rows.items {
        let (style, answer) = match row.kind {
            TrustKind::Always => (GOOD, "trusted"),
            TrustKind::ClaudeCode => (GOOD, "trusted (by Claude Code)"),
            TrustKind::Session => (GOOD, "trusted for a session"),
            TrustKind::Never => (WARN, "never"),
            TrustKind::Removed => continue,
        };
        let by = row.session.map(|session| session.to_string()).unwrap_or_default();
        table.row([(style, answer), (PLAIN, &row.root), (DIM, &row.actor), (DIM, &by)]);
    }
    let mut screen = Screen::new();
    match table.is_empty() {
        true => screen.line(DIM, "no decisions yet: `pilothouse trust add DIR` makes one")?,
        false => table.write(&mut screen)?,
    }
    Ok(Exit::Done)
}

async fn show(reach: &mut Reach, dir: Option<&Path>, json: bool) -> anyhow::Result<Exit> {
    let path = report_path(&directory(dir)?, None);
    if json {
        return print_json([reach.get::<Value>(&path).await?]);
    }
    let report: TrustReport = reach.get(&path).await?;
    let mut screen = Screen::new();
    write_report(&report, &mut screen)?;
    screen.line(PLAIN, &format!("Standing: {}", standing(report.standing)))?;
    Ok(Exit::Done)
}

async fn add(reach: &mut Reach, args: &AddArgs) -> anyhow::Result<Exit> {
    let report = report(reach, &directory(args.dir.as_deref())?, None).await?;
    let mut screen = Screen::new();
    if args.never {
        let never = Given { answer: TrustAnswer::Never, hooks_may_answer: false };
        decide(reach, &report, never, None).await?;
        screen.line(PLAIN, &format!("{}: its settings are never used", one_line(&report.root)))?;
        return Ok(Exit::Done);
    }
    if report.standing == Standing::Empty {
        let line = format!("{}: nothing to trust, it has no Claude Code settings", report.root);
        screen.line(PLAIN, &one_line(&line))?;
        return Ok(Exit::Done);
    }
    write_report(&report, &mut screen)?;
    if let Some(problem) = &report.problem {
        anyhow::bail!("{problem}");
    }
    let hooks_may_answer = match (report.brings.can_answer(), args.yes) {
        (false, _) => false,
        (true, _) if args.allow_hook_answers => true,
        (true, true) => return Err(usage(NEEDS_HOOKS)),
        (true, false) => match confirm(HOOKS_QUESTION).await? {
            true => true,
            false => anyhow::bail!("not trusted: {NEEDS_HOOKS}"),
        },
    };
    if !args.yes && !confirm("Trust it with this content?").await? {
        anyhow::bail!("not trusted");
    }
    decide(reach, &report, Given { answer: TrustAnswer::Always, hooks_may_answer }, None).await?;
    screen.line(GOOD, &format!("{}: trusted with this content", one_line(&report.root)))?;
    Ok(Exit::Done)
}

async fn rm(reach: &mut Reach, dir: &Path) -> anyhow::Result<Exit> {
    // The directory may be gone; then its path is what was decided about.
    let dir = std::path::absolute(dir)?;
    let path = format!("{LIST}?directory={}", quoted(&dir.to_string_lossy()));
    reach.send(Ask::new(Method::DELETE, path)).await?;
    Screen::new()
        .line(PLAIN, &format!("{}: decisions removed", one_line(&dir.to_string_lossy())))?;
    Ok(Exit::Done)
}

const HOOKS_QUESTION: &str =
    "Hooks of this repository can approve tool calls in your place. Allow that?";
const NEEDS_HOOKS: &str = "the repository has hooks that can approve tool calls in your place: pass \
                           --allow-hook-answers to allow that, or do not trust it";

/// An answer that was given.
#[derive(Clone, Copy, Debug)]
pub(super) struct Given {
    answer: TrustAnswer,
    hooks_may_answer: bool,
}

/// What is to be decided before a session of `run` starts its CLI.
#[derive(Debug)]
pub(super) struct Question {
    report: TrustReport,
    given: Option<Given>,
}

impl Question {
    /// Asks the person at the terminal, if there is something to ask and somebody to answer.
    pub(super) async fn ask(
        reach: &mut Reach,
        args: &RunArgs,
        cwd: &str,
        session: Option<SessionId>,
    ) -> anyhow::Result<Option<Self>> {
        let report = report(reach, cwd, session).await?;
        if args.trust && report.standing == Standing::Never {
            let dir = one_line(&report.root);
            return Err(usage(format!(
                "{dir} is never trusted, by an earlier decision: `pilothouse trust rm {dir}` removes it"
            )));
        }
        if report.standing != Standing::Undecided {
            return Ok(None);
        }
        let given = match args.trust {
            true => Some(by_flag(&report, args)?),
            false if args.json || args.quiet || report.problem.is_some() => None,
            false => at_terminal(&report).await?,
        };
        Ok(Some(Self { report, given }))
    }

    /// Sends the answer, for the session where it is about one.
    pub(super) async fn settle(
        self,
        reach: &mut Reach,
        session: SessionId,
    ) -> Result<(), ApiError> {
        match self.given {
            Some(given) => decide(reach, &self.report, given, Some(session)).await,
            None => Ok(()),
        }
    }
}

fn by_flag(report: &TrustReport, args: &RunArgs) -> anyhow::Result<Given> {
    if let Some(problem) = &report.problem {
        anyhow::bail!("{problem}");
    }
    if report.brings.can_answer() && !args.allow_hook_answers {
        return Err(usage(NEEDS_HOOKS));
    }
    Ok(Given { answer: TrustAnswer::Session, hooks_may_answer: args.allow_hook_answers })
}

async fn at_terminal(report: &TrustReport) -> anyhow::Result<Option<Given>> {
    let Some(mut console) = Console::open() else { return Ok(None) };
    let mut screen = Screen::aside();
    write_report(report, &mut screen)?;
    screen.line(BOLD, "Use these settings?")?;
    screen.line(PLAIN, "  s  in this session   a  always   n  never   Enter  not now")?;
    let answer = match line(&mut console).await?.as_str() {
        "s" => TrustAnswer::Session,
        "a" => TrustAnswer::Always,
        "n" => TrustAnswer::Never,
        _ => return Ok(None),
    };
    let asks = answer != TrustAnswer::Never && report.brings.can_answer();
    let hooks_may_answer = asks && is_yes(&ask(&mut console, HOOKS_QUESTION).await?);
    match asks && !hooks_may_answer {
        true => Ok(None),
        false => Ok(Some(Given { answer, hooks_may_answer })),
    }
}

/// Asks yes or no at the terminal; no where nobody is there.
async fn confirm(question: &str) -> anyhow::Result<bool> {
    let Some(mut console) = Console::open() else {
        return Err(usage("there is no terminal to ask: pass --yes"));
    };
    Ok(is_yes(&ask(&mut console, question).await?))
}

async fn ask(console: &mut Console, question: &str) -> io::Result<String> {
    Screen::aside().line(BOLD, &format!("{question} [y/N]"))?;
    line(console).await
}

async fn line(console: &mut Console) -> io::Result<String> {
    console.forget();
    prompt("> ")?;
    let line = console.line().await.unwrap_or_default();
    Ok(line.trim().to_lowercase())
}

fn is_yes(answer: &str) -> bool {
    matches!(answer, "y" | "yes")
}

async fn report(
    reach: &mut Reach,
    dir: &str,
    session: Option<SessionId>,
) -> Result<TrustReport, ApiError> {
    reach.get(&report_path(dir, session)).await
}

fn report_path(dir: &str, session: Option<SessionId>) -> String {
    let session = session.map(|session| format!("&session={session}")).unwrap_or_default();
    format!("{LIST}/report?directory={}{session}", quoted(dir))
}

async fn decide(
    reach: &mut Reach,
    report: &TrustReport,
    given: Given,
    session: Option<SessionId>,
) -> Result<(), ApiError> {
    let Given { answer, hooks_may_answer } = given;
    let body = json!({
        "directory": report.directory,
        "digest": report.digest,
        "answer": answer,
        // The report was made for it, with the directories that it adds.
        "session": session,
        "hooks_may_answer": hooks_may_answer,
    });
    reach.send(Ask::new(Method::PUT, LIST).json(&body)?).await.map(drop)
}

fn standing(standing: Standing) -> &'static str {
    match standing {
        Standing::Empty => "nothing to trust",
        Standing::Undecided => "not trusted: sessions start with your own settings only",
        Standing::Trusted => "trusted",
        Standing::TrustedForSession => "trusted for this session",
        Standing::TrustedByClaudeCode => "trusted (recorded by Claude Code)",
        Standing::Never => "never used",
    }
}

/// Writes what a repository would bring. All of it is the repository's text.
fn write_report(report: &TrustReport, screen: &mut Screen) -> io::Result<()> {
    let title = format!("{} brings its own Claude Code settings:", one_line(&report.root));
    screen.line(BOLD, &title)?;
    for (style, line) in lines(&report.brings) {
        screen.line(style, &format!("  {}", one_line(&line)))?;
    }
    if !report.changed.is_empty() {
        let changed = report.changed.join(", ");
        screen.line(WARN, &format!("Changed since it was trusted: {}", one_line(&changed)))?;
    }
    if let Some(problem) = &report.problem {
        screen.line(WARN, &one_line(problem))?;
    }
    Ok(())
}

fn lines(brings: &Brings) -> Vec<(Style, String)> {
    let mut lines = Vec::new();
    for hook in &brings.hooks {
        let style = if hook.can_answer { WARN } else { PLAIN };
        let note = if hook.can_answer { " (can approve tool calls)" } else { "" };
        lines.push((style, format!("hook {}{note}: {}", hook.event, hook.command)));
    }
    for server in &brings.servers {
        lines.push((PLAIN, format!("MCP server {}: {}", server.name, server.target)));
    }
    for helper in brings.helpers.iter().chain(&brings.git) {
        lines.push((PLAIN, format!("{}: {}", helper.setting, helper.command)));
    }
    for variable in &brings.variables {
        let style = if variable.redirects { WARN } else { PLAIN };
        lines.push((style, format!("variable {}={}", variable.name, variable.value)));
    }
    for rule in &brings.rules {
        lines.push((PLAIN, format!("permission {}: {}", rule.effect, rule.rule)));
    }
    let lists = [
        ("plugin", &brings.plugins),
        ("skill", &brings.skills),
        ("command", &brings.commands),
        ("agent", &brings.agents),
        ("instructions", &brings.instructions),
        ("setting", &brings.settings),
        ("unclear", &brings.unclear),
    ];
    for (kind, names) in lists {
        lines.extend(names.iter().map(|name| (DIM, format!("{kind} {name}"))));
    }
    lines
}
