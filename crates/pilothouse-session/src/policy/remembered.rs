//! Which calls a rule of the CLI's own would match: `Bash(npm run test:*)`, `Edit(/src/**)`.
//!
//! For showing what an "always allow" would also have allowed. The CLI decides by its own code,
//! which differs between versions; this follows what its settings are documented to mean, and says
//! no where it cannot tell.

use pilothouse_wire::Raw;
use pilothouse_wire::permission::PermissionRule;
use pilothouse_wire::tool::{canonical, mcp_parts};

use super::Call;
use super::glob::{Case, star};
use super::place::{PathGlob, Place};
use super::shell::{Command, Kind, Part};
use super::subject::{Files, Piece, SHELL_TOOLS, Subject};

/// Whether `rule`, once remembered, would match `call`. Best effort.
///
/// ```
/// use pilothouse_session::policy::{Call, Place, rule_matches};
/// use pilothouse_wire::Raw;
/// use pilothouse_wire::permission::{PermissionMode, PermissionRule};
///
/// let rule = PermissionRule {
///     tool_name: "Bash".into(),
///     rule_content: Some("npm run test:*".into()),
///     ..PermissionRule::default()
/// };
/// let matches = |command: &str| {
///     let input = Raw::from(serde_json::json!({ "command": command }));
///     let mode = PermissionMode::Default;
///     rule_matches(&rule, &Call::new("Bash", &input, &mode), &Place::at("/home/me/app"))
/// };
/// assert!(matches("npm run test -- --watch"));
/// assert!(!matches("npm run test && rm -rf ~"));
/// ```
pub fn rule_matches(rule: &PermissionRule, call: &Call<'_>, place: &Place) -> bool {
    let Some(content) = rule.rule_content.as_deref().filter(|content| !content.is_empty()) else {
        return names_tool(&rule.tool_name, call.tool);
    };
    let (named, used) = (canonical(&rule.tool_name), canonical(call.tool));
    let member = |key: &str| call.input.member(key).and_then(|it| it.read::<String>());
    match named {
        _ if SHELL_TOOLS.contains(&named) && named == used => {
            match Subject::of(used, call.input, place) {
                Subject::Shell(pieces) => matches_script(content, &pieces),
                _ => false,
            }
        }
        "Edit" | "Write" | "MultiEdit" | "NotebookEdit" if is_edit(used) => {
            matches_file(content, used, call.input, place)
        }
        "Read" if matches!(used, "Read" | "Grep" | "Glob" | "LS" | "NotebookRead") => {
            matches_file(content, used, call.input, place)
        }
        "WebFetch" if named == used => matches_url(content, member("url")),
        "Agent" if named == used => member("subagent_type").as_deref() == Some(content),
        "Skill" | "SlashCommand" if named == used => {
            let skill = member("skill").or_else(|| member("command")).unwrap_or_default();
            matches_text(content, &skill)
        }
        _ => false,
    }
}

fn is_edit(tool: &str) -> bool {
    matches!(tool, "Edit" | "Write" | "MultiEdit" | "NotebookEdit")
}

/// `mcp__server` and `mcp__server__*` are all tools of the server.
fn names_tool(rule: &str, tool: &str) -> bool {
    if canonical(rule) == canonical(tool) {
        return true;
    }
    let server = rule.strip_suffix("__*").unwrap_or(rule);
    server.strip_prefix("mcp__").is_some_and(|server| {
        !server.contains("__") && mcp_parts(tool).is_some_and(|(of, _)| of == server)
    })
}

/// Every command must match; nothing else may happen.
fn matches_script(content: &str, pieces: &[Piece]) -> bool {
    let fits = |part: &Part| match part {
        Part::Run(command) => matches_command(content, command),
        Part::Mention(..) | Part::Words { .. } => true,
        Part::Touch(_) | Part::Opaque { .. } => false,
    };
    pieces.iter().all(|piece| fits(&piece.part))
}

fn matches_command(content: &str, command: &Command) -> bool {
    let known = command.words.iter().all(|word| word.kind == Kind::Plain);
    let words: Vec<&str> = command.words.iter().map(|word| word.text.as_str()).collect();
    known && command.assigns.is_empty() && matches_text(content, &words.join(" "))
}

/// `npm run test:*` is that, alone or with more words; `*` is any text; else it is the whole.
fn matches_text(content: &str, text: &str) -> bool {
    if let Some(prefix) = content.strip_suffix(":*") {
        return text
            .strip_prefix(prefix)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    }
    // `ls *` is `ls` too.
    content.strip_suffix(" *") == Some(text) || star(content, text, Case::Matters)
}

/// Patterns as in a `.gitignore`: `//x` from the root, `~/x` from the home, `/x` and `x/y` from the
/// project, `x` in any directory; a directory is all that is in it.
fn matches_file(content: &str, tool: &str, input: &Raw, place: &Place) -> bool {
    let path = match Subject::of(tool, input, place) {
        Subject::Search(Some(path)) => path,
        Subject::Files(Files { mut paths, is_cut: false, .. }) if paths.len() == 1 => {
            paths.remove(0)
        }
        _ => return false,
    };
    let (pattern, anywhere) = match content {
        _ if content.starts_with("//") => (content[1..].to_owned(), false),
        _ if content.starts_with("~/") => (content.to_owned(), false),
        _ => {
            let relative = content.strip_prefix("./").unwrap_or(content);
            let inner = relative.trim_end_matches('/');
            let anywhere = !inner.contains('/');
            (inner.trim_start_matches('/').to_owned(), anywhere)
        }
    };
    let from = if anywhere { format!("**/{pattern}") } else { pattern };
    let matches = |glob: &str| {
        PathGlob::parse(glob).is_ok_and(|glob| glob.matches(&path, place, Case::Matters))
    };
    matches(&from) || matches(&format!("{from}/**"))
}

/// `domain:example.com`.
fn matches_url(content: &str, url: Option<String>) -> bool {
    let (Some(domain), Some(url)) = (content.strip_prefix("domain:"), url) else { return false };
    let rest = url.split_once("://").map_or(url.as_str(), |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = host.rsplit_once(':').map_or(host, |(host, _)| host);
    star(domain, host, Case::Ignored)
}
