//! Claude Code, started and spoken to. Nothing is said to a model.

use std::time::Duration;

use pilothouse_client::{Cli, Client, Options};
use pilothouse_host::config::SessionDefaults;
use pilothouse_host::doctor::{Check, State};
use pilothouse_wire::control::initialize::InitializeReply;
use pilothouse_wire::invocation::Invocation;

use super::{advised, check};
use crate::view::one_line;

/// How long it may take to say who it is.
const PATIENCE: Duration = Duration::from_secs(30);

pub(super) async fn checks(cli: Cli, defaults: &SessionDefaults) -> Vec<Check> {
    if cli.resolve().is_err() {
        // Told already, with what to do.
        return Vec::new();
    }
    let (id, title) = ("cli.handshake", "Claude Code's answer");
    let options = Options::new(invocation(defaults)).cli(cli);
    let started = tokio::time::timeout(PATIENCE, Client::start(options)).await;
    let advice = "Run `claude` by hand in a terminal and see what it says.";
    let client = match started {
        Ok(Ok((client, _messages))) => client,
        Ok(Err(error)) => {
            return vec![advised(id, title, State::Fail, one_line(&error.to_string()), advice)];
        }
        Err(_) => {
            let waited = format!("none within {} s", PATIENCE.as_secs());
            return vec![advised(id, title, State::Fail, waited, advice)];
        }
    };
    let reply = client.initialized().clone();
    client.stop().await;
    let (models, commands) = (reply.models.len(), reply.commands.len());
    let told = format!("{models} models, {commands} commands");
    vec![check(id, title, State::Ok, told), capabilities(&reply), login(&reply)]
}

/// As sessions start it: a key, or another provider, may be among their variables.
fn invocation(defaults: &SessionDefaults) -> Invocation {
    let mut invocation = Invocation::new().cwd(std::env::temp_dir());
    for (name, value) in &defaults.env {
        invocation = invocation.env_var(name, &value.0);
    }
    for flag in &defaults.extra_flags {
        let flag = flag.0.trim_start_matches('-');
        invocation = match flag.split_once('=') {
            Some((name, value)) => invocation.extra_arg(name, value),
            None => invocation.extra_flag(flag),
        };
    }
    invocation
}

/// Only some are told here; the others come with the first prompt, and one that is not told is no
/// fault: what is made use of is asked for when it is needed.
fn capabilities(reply: &InitializeReply) -> Check {
    let (id, title) = ("cli.capabilities", "What it can do");
    match reply.capabilities.as_deref() {
        None | Some([]) => {
            check(id, title, State::Skipped, "it tells that with the first prompt, if at all")
        }
        Some(told) => {
            let detail = format!("{} told, more with the first prompt", told.len());
            check(id, title, State::Ok, detail)
        }
    }
}

fn login(reply: &InitializeReply) -> Check {
    let (id, title) = ("cli.login", "Login");
    let account = reply.account.clone().unwrap_or_default();
    let who = [account.email, account.organization, account.subscription_type]
        .into_iter()
        .flatten()
        .filter(|text| !text.is_empty())
        .map(|text| one_line(&text))
        .collect::<Vec<_>>()
        .join(", ");
    let key = account.api_key_source.filter(|source| !source.is_empty() && source != "none");
    let token = account.token_source.filter(|source| !source.is_empty() && source != "none");
    match (who.is_empty(), key.or(token)) {
        (false, _) => check(id, title, State::Ok, who),
        (true, Some(source)) => {
            check(id, title, State::Ok, format!("a key from {}", one_line(&source)))
        }
        (true, None) => advised(
            id,
            title,
            State::Warn,
            "Claude Code does not tell of any",
            "Run `claude` and log in with `/login`, or set ANTHROPIC_API_KEY.",
        ),
    }
}
