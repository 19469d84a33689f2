//! `policy`: checking, trying and explaining policies.

use std::path::{Path, PathBuf};

use hyper::Method;
use pilothouse_host::config::Config;
use pilothouse_session::command::mode_named;
use pilothouse_session::policy::{
    Call, Decision, Level, Place, Policy, PolicySet, Preset, Verdict,
};
use pilothouse_wire::Raw;
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::sessions::{SessionRow, directory, find};
use super::{print_json, usage};
use crate::args::PolicyCommand;
use crate::exit::Exit;
use crate::reach::{ApiError, Ask, Reach, quoted};
use crate::view::{ACCENT, BAD, DIM, GOOD, PLAIN, Screen, Table, WARN, count, short};

/// How many of the latest sessions are tried where none is named.
const LATEST: usize = 20;

/// How much of a file's name is kept in the name of its policy, which is short.
const LONGEST_STEM: usize = 30;

pub(super) async fn policy(
    config: impl Fn() -> anyhow::Result<Config>,
    command: PolicyCommand,
) -> anyhow::Result<Exit> {
    match command {
        PolicyCommand::Check { files } => check(&files),
        PolicyCommand::Test { policy, sessions, json } => {
            let mut reach = Reach::open(&config()?).await?;
            let tried = test(&mut reach, &policy, &sessions, json).await;
            reach.close().await;
            tried
        }
        PolicyCommand::Explain { policy, tool, input, mode, cwd } => {
            let place = place(cwd.as_deref())?;
            let policy = named(&policy, &config()?)?;
            explain(policy, &tool, &input, mode.as_deref(), &place)
        }
    }
}

/// The name under which the daemon knows a policy. A file is put there first.
pub(super) async fn policy_name(reach: &mut Reach, policy: &str) -> anyhow::Result<String> {
    let Some((text, _)) = file(Path::new(policy))? else { return Ok(policy.to_owned()) };
    let name = name_of_file(Path::new(policy), &text);
    let own = format!("/api/v1/policies/{}", quoted(&name));
    // To put it changes the sessions that have it: one that is there stays untouched.
    match reach.get::<Kept>(&own).await {
        Ok(kept) if kept.text == text => return Ok(name),
        Ok(_) => {
            return Err(usage(format!(
                "the policy `{name}` was changed since it was read from such a file: use it by \
                 that name, or rename the file"
            )));
        }
        Err(ApiError::Refused(document)) if document.status == 404 => {}
        Err(error) => return Err(error.into()),
    }
    reach.send(Ask::new(Method::PUT, own).json(&json!({ "text": text }))?).await?;
    Ok(name)
}

#[derive(Deserialize)]
struct Kept {
    text: String,
}

/// What a file's text is kept as. Other sessions may have the policy of that name, so another text
/// must have another: two files that are called alike must not change each other's sessions.
fn name_of_file(path: &Path, text: &str) -> String {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy()).unwrap_or_default();
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let stem: String = stem.chars().take(LONGEST_STEM).map(plain).collect();
    let digest: String =
        Sha256::digest(text).iter().take(12).map(|byte| format!("{byte:02x}")).collect();
    format!("file-{stem}-{digest}")
}

/// A policy in a file, with its text; none where it is a name.
fn file(path: &Path) -> anyhow::Result<Option<(String, Policy)>> {
    let is_file = path.extension().is_some() || path.components().count() > 1;
    if !is_file {
        return Ok(None);
    }
    let unusable = |error: &dyn std::fmt::Display| {
        usage(format!("the policy {} cannot be used: {error}", path.display()))
    };
    let text = std::fs::read_to_string(path).map_err(|error| unusable(&error))?;
    let policy = Policy::parse(&path.to_string_lossy(), &text, Level::User)
        .map_err(|error| usage(error.to_string()))?;
    Ok(Some((text, policy)))
}

/// A policy by the name of a file, of a preset, or of one that was put into the data directory.
fn named(policy: &Path, config: &Config) -> anyhow::Result<Policy> {
    if let Some((_, policy)) = file(policy)? {
        return Ok(policy);
    }
    let name = policy.to_string_lossy();
    if let Some(preset) = Preset::named(&name) {
        let more = config.policy.protected_paths.iter().map(|path| &*path.0);
        return preset.protecting(more).map_err(|error| usage(error.to_string()));
    }
    pilothouse_host::data_dir::check(&config.data_dir)?;
    let kept = config.data_dir.join("policies").join(format!("{name}.toml"));
    match file(&kept) {
        Ok(Some((_, policy))) => Ok(policy),
        _ => Err(usage(format!(
            "there is no policy `{name}`: name a file, or one of supervised, autonomous, plan"
        ))),
    }
}

fn check(files: &[PathBuf]) -> anyhow::Result<Exit> {
    let (mut screen, mut bad) = (Screen::new(), false);
    for path in files {
        let name = path.display();
        let checked = std::fs::read_to_string(path)
            .map_err(|error| format!("{name}: cannot be read: {error}"))
            .and_then(|text| {
                let policy = Policy::parse(&path.to_string_lossy(), &text, Level::User);
                policy.map_err(|error| error.to_string())
            });
        match checked {
            Ok(policy) => {
                let rules = count(policy.len(), "rule");
                screen.line(GOOD, &format!("{name}: {rules}, all good"))?;
            }
            Err(error) => {
                bad = true;
                screen.line(BAD, &error)?;
            }
        }
    }
    Ok(if bad { Exit::Failed } else { Exit::Done })
}

fn place(cwd: Option<&Path>) -> anyhow::Result<Place> {
    let home = std::env::home_dir().map(|home| home.to_string_lossy().into_owned());
    Ok(Place { home, ..Place::at(directory(cwd)?) })
}

fn explain(
    policy: Policy,
    tool: &str,
    input: &str,
    mode: Option<&str>,
    place: &Place,
) -> anyhow::Result<Exit> {
    let raw = Raw::from_text(called_with(tool, input).to_string())
        .map_err(|_| usage("the input is not JSON"))?;
    let mode = mode_named(mode.unwrap_or("default"));
    let call = Call::new(tool, &raw, &mode);
    let Decision { verdict, because } = PolicySet::new([policy]).decide(&call, place);
    let (style, word) = match verdict {
        Verdict::Allow => (GOOD, "allow"),
        Verdict::Deny { .. } => (BAD, "deny"),
        Verdict::Ask => (WARN, "ask"),
    };
    let mut screen = Screen::new();
    screen.spans(&[(style, word), (PLAIN, &format!("  {because}"))])?;
    Ok(Exit::Done)
}

/// What a tool is called with: JSON as it is, anything else as the field that people mean.
fn called_with(tool: &str, input: &str) -> Value {
    if let Ok(value @ Value::Object(_)) = serde_json::from_str(input) {
        return value;
    }
    let field = match tool {
        "Bash" | "PowerShell" => "command",
        "Read" | "Write" | "Edit" | "MultiEdit" => "file_path",
        "NotebookEdit" => "notebook_path",
        "WebFetch" => "url",
        "WebSearch" => "query",
        "Glob" | "Grep" => "pattern",
        _ => "input",
    };
    json!({ field: input })
}

#[derive(Deserialize)]
struct Replayed {
    allowed: usize,
    denied: usize,
    asked: usize,
    is_cut: bool,
    calls: Vec<ReplayedCall>,
}

#[derive(Deserialize)]
struct ReplayedCall {
    tool_name: String,
    verdict: String,
    sentence: String,
}

async fn test(
    reach: &mut Reach,
    policy: &Path,
    sessions: &[String],
    as_json: bool,
) -> anyhow::Result<Exit> {
    let tried = match file(policy)? {
        Some((text, _)) => json!({ "text": text }),
        None => json!({ "policy": policy.to_string_lossy() }),
    };
    let mut rows = Vec::new();
    for name in sessions {
        rows.push(find(reach, name).await?);
    }
    if sessions.is_empty() {
        rows = reach.list::<SessionRow>("/api/v1/sessions?", LATEST).await?;
    }
    let mut screen = Screen::new();
    let (mut allowed, mut denied, mut asked) = (0, 0, 0);
    for (number, row) in rows.iter().enumerate() {
        screen.status(&format!("session {} of {} …", number + 1, rows.len()))?;
        let mut body = tried.clone();
        body["session"] = json!(row.id);
        if as_json {
            let told: Value = reach.post("/api/v1/policies/replay", &body).await?;
            print_json([json!({ "session": row.id, "replay": told })])?;
            continue;
        }
        let told: Replayed = reach.post("/api/v1/policies/replay", &body).await?;
        if told.calls.is_empty() {
            continue;
        }
        screen.spans(&[(ACCENT, &short(row.id)), (PLAIN, &format!("  {}", row.name()))])?;
        let mut table = Table::default();
        for call in &told.calls {
            let style = match &*call.verdict {
                "allow" => GOOD,
                "deny" => BAD,
                _ => WARN,
            };
            table.row([
                (PLAIN, ""),
                (style, &*call.verdict),
                (PLAIN, &call.tool_name),
                (DIM, &call.sentence),
            ]);
        }
        table.write(&mut screen)?;
        if told.is_cut {
            screen.line(DIM, "  … and more calls")?;
        }
        allowed += told.allowed;
        denied += told.denied;
        asked += told.asked;
    }
    if !as_json {
        let all = format!("{allowed} allowed, {denied} denied, {asked} asked");
        screen.line(PLAIN, &all)?;
    }
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_text_has_another_name() {
        let name = |path: &str, text: &str| name_of_file(Path::new(path), text);
        assert_eq!(name("a/My Rules.toml", "x"), name("b/My Rules.toml", "x"));
        assert_ne!(name("a/policy.toml", "x"), name("a/policy.toml", "y"));
        assert!(name("My Rules.toml", "x").starts_with("file-my-rules-"));
        let long = name(&"ü".repeat(200), "x");
        assert!(long.len() <= 64 && long.is_ascii(), "{long}");
    }
}
