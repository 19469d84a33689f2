//! `doctor`: everything that sessions need, tried out.
//!
//! The host looks at files, versions and limits; here is what it takes a process for: Claude Code is
//! started and spoken to, a holder holds something, the port is tried, recorded sessions are looked
//! through for messages that this version does not know.

mod claude;
#[cfg(unix)]
mod holding;
mod recorded;

use pilothouse_client::Cli;
use pilothouse_host::config::Config;
use pilothouse_host::doctor::{Check, Examination, Program, Report, State};

use super::print_json;
use crate::args::JsonArgs;
use crate::exit::Exit;
use crate::reach::{Keeper, running};
use crate::view::{BAD, DIM, GOOD, PLAIN, Screen, WARN, one_line};

pub(super) async fn doctor(config: &Config, args: &JsonArgs) -> anyhow::Result<Exit> {
    let mut screen = Screen::new();
    let cli = config.claude.path.clone().map_or(Cli::Find, Cli::At);
    let mut progress = |what: &str| match args.json {
        true => Ok(()),
        false => screen.status(&format!("looking at {what} …")),
    };
    progress("files and versions")?;
    let examination = Examination::of(&config.data_dir, Program::find(&cli));
    let mut report = tokio::task::spawn_blocking(move || examination.run()).await?;
    progress("Claude Code")?;
    report.checks.extend(claude::checks(cli, &config.session).await);
    progress("holders")?;
    #[cfg(unix)]
    report.checks.push(holding::holder().await);
    report.checks.push(port(config).await);
    progress("recorded sessions")?;
    report.checks.retain(|check| check.id != "unknown_messages");
    report.checks.push(recorded::unknown(config).await);
    report.state = report.checks.iter().map(|check| check.state).max().unwrap_or(State::Skipped);
    if args.json {
        print_json([&report])?;
    } else {
        screen.hide()?;
        show(&report, &mut screen)?;
    }
    let lacks_cli = |id: &&Check| id.id.starts_with("cli.") && id.state == State::Fail;
    Ok(match report.state {
        State::Fail if report.checks.iter().any(|check| lacks_cli(&check)) => Exit::NoCli,
        State::Fail => Exit::Failed,
        _ => Exit::Done,
    })
}

fn show(report: &Report, screen: &mut Screen) -> std::io::Result<()> {
    let width = report.checks.iter().map(|check| check.title.chars().count()).max().unwrap_or(0);
    for check in &report.checks {
        let (style, word) = match check.state {
            State::Skipped => (DIM, "skip"),
            State::Ok => (GOOD, "ok  "),
            State::Warn => (WARN, "warn"),
            State::Fail => (BAD, "FAIL"),
        };
        let detail = one_line(&check.detail);
        let rest = format!("  {:width$}  {detail}", check.title);
        screen.spans(&[(style, word), (PLAIN, &rest)])?;
        if let Some(advice) = &check.advice {
            screen.line(PLAIN, &format!("      → {advice}"))?;
        }
    }
    let of = |state| report.checks.iter().filter(|check| check.state == state).count();
    screen.line(
        PLAIN,
        &match (of(State::Fail), of(State::Warn)) {
            (0, 0) => "All is well.".to_owned(),
            (0, warnings) => format!("It works; {warnings} to look at."),
            (failures, warnings) => format!("{failures} not working, {warnings} more to look at."),
        },
    )
}

/// Whether the daemon can listen where it should.
async fn port(config: &Config) -> Check {
    match running(config).await {
        Ok(Some((_, beacon))) if beacon.keeper == Keeper::Daemon => {
            let at = beacon.origin().unwrap_or_default();
            return check("port", "Port", State::Ok, format!("the daemon listens at {at}"));
        }
        // A command that serves itself uses another port.
        Ok(_) => {}
        Err(error) => {
            let advice = "Until that is mended no command can be used.";
            return advised("port", "Port", State::Fail, format!("{error:#}"), advice);
        }
    }
    for address in &config.server.listen {
        if let Err(error) = std::net::TcpListener::bind(address) {
            let advice = "Set `server.listen` to another port, or end what uses this one.";
            let detail = format!("{address} is not free: {error}");
            return advised("port", "Port", State::Fail, detail, advice);
        }
    }
    let addresses: Vec<_> = config.server.listen.iter().map(ToString::to_string).collect();
    check("port", "Port", State::Ok, format!("{} is free", addresses.join(", ")))
}

fn check(id: &str, title: &str, state: State, detail: impl Into<String>) -> Check {
    Check { id: id.into(), title: title.into(), state, detail: detail.into(), advice: None }
}

fn advised(id: &str, title: &str, state: State, detail: impl Into<String>, advice: &str) -> Check {
    Check { advice: Some(advice.to_owned()), ..check(id, title, state, detail) }
}
