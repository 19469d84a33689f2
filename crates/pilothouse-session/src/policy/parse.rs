//! From TOML to rules, with the place of every mistake.

use std::ops::Range;

use pilothouse_wire::permission::PermissionMode;
use pilothouse_wire::tool::{ToolName, canonical, mcp_parts};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::Policy;
use super::command::{BadPattern, Hidden, Pattern};
use super::error::{PolicyError, Problem};
use super::glob::{distance, nearest};
use super::place::{BadGlob, PathGlob};
use super::rule::{Agents, Effect, Rule};
use super::verdict::{Level, RuleRef};

const TOP_KEYS: &[&str] = &["rule"];
const RULE_KEYS: &[&str] = &[
    "tool",
    "command",
    "variables",
    "path",
    "server",
    "source",
    "mode",
    "subagent",
    "isolation",
    "then",
    "deny",
];
const EFFECTS: &[&str] = &["allow", "ask"];
const MODES: &[&str] = &["default", "acceptEdits", "bypassPermissions", "plan", "dontAsk", "auto"];

/// Of a longer list a summary shows the start.
const MANY: usize = 4;

type Value<'a> = Spanned<DeValue<'a>>;
type Entry<'t> = (&'t Spanned<std::borrow::Cow<'t, str>>, &'t Value<'t>);
/// A mistake and where it stands.
type Mistake = (Range<usize>, Problem);

/// Reads a policy.
pub(super) fn policy(file: &str, text: &str, level: Level) -> Result<Policy, PolicyError> {
    let place = |(span, problem): Mistake| {
        let (line, column) = line_and_column(text, span.start);
        PolicyError { file: file.to_owned(), line, column, problem }
    };
    let table = DeTable::parse(text).map_err(|error| {
        let message = error.message().replace('\n', ", ");
        place((error.span().unwrap_or(0..0), Problem::Toml { message }))
    })?;
    let mut rules = Vec::new();
    for (key, value) in table.get_ref().iter() {
        if key.get_ref() != "rule" {
            return Err(place((key.span(), unknown_key(key.get_ref(), TOP_KEYS))));
        }
        let DeValue::Array(list) = value.get_ref() else {
            let wanted = "each rule under its own `[[rule]]`, in double brackets";
            return Err(place((value.span(), wrong_type("rule", value, wanted))));
        };
        for (at, item) in list.iter().enumerate() {
            let (line, _) = line_and_column(text, item.span().start);
            let reference = RuleRef {
                file: file.to_owned(),
                level,
                number: at + 1,
                line,
                summary: String::new(),
            };
            rules.push(rule(item, reference).map_err(place)?);
        }
    }
    Ok(Policy { name: file.to_owned(), level, rules })
}

fn rule(item: &Value<'_>, reference: RuleRef) -> Result<Rule, Mistake> {
    let DeValue::Table(table) = item.get_ref() else {
        return Err((item.span(), wrong_type("rule", item, "a table: `[[rule]]`")));
    };
    let mut entries: Vec<Entry<'_>> = table.iter().collect();
    // Report errors in file order.
    entries.sort_by_key(|(key, _)| key.span().start);
    let mut rule = Rule::blank(reference);
    let mut summary = Vec::new();
    let mut outcomes = 0;
    for (key, value) in &entries {
        match &**key.get_ref() {
            "tool" => rule.tools = each("tool", value, tool)?,
            "command" => rule.commands = each("command", value, command)?,
            "variables" => match value.get_ref() {
                DeValue::Boolean(true) => rule.hidden = Hidden::Allowed,
                DeValue::Boolean(false) => {}
                _ => return Err((value.span(), wrong_type("variables", value, "true or false"))),
            },
            "path" => rule.paths = each("path", value, path)?,
            "server" => rule.servers = each("server", value, |word| Ok(word.to_owned()))?,
            "source" => rule.sources = each("source", value, |word| Ok(word.to_owned()))?,
            "mode" => rule.modes = each("mode", value, mode)?,
            "subagent" => rule.agents = agents(value)?,
            "isolation" => rule.isolations = each("isolation", value, |word| Ok(word.to_owned()))?,
            "then" => {
                outcomes += 1;
                rule.effect = then(value)?;
            }
            "deny" => {
                outcomes += 1;
                rule.effect = deny(value)?;
            }
            other => return Err((key.span(), unknown_key(other, RULE_KEYS))),
        }
        if !matches!(&**key.get_ref(), "then" | "deny" | "variables") {
            summary.push(format!("{} {}", key.get_ref(), in_words(value.get_ref())));
        }
    }
    let problem = if outcomes == 0 {
        Some(Problem::NoOutcome)
    } else if outcomes > 1 {
        Some(Problem::TwoOutcomes)
    } else if summary.is_empty() {
        Some(Problem::NoMatcher)
    } else if !rule.commands.is_empty() && !rule.paths.is_empty() {
        Some(Problem::CommandAndPath)
    } else if !rule.commands.is_empty() && !rule.meets_shell() {
        Some(Problem::CommandWithoutShell)
    } else if rule.hidden == Hidden::Allowed
        && (rule.commands.is_empty() || rule.effect != Effect::Allow)
    {
        Some(Problem::VariablesAlone)
    } else {
        None
    };
    rule.reference.summary = summary.join(", ");
    problem.map_or(Ok(rule), |problem| Err((item.span(), problem)))
}

/// A word or a list of them, each read by `read`.
fn each<T>(
    key: &'static str,
    value: &Value<'_>,
    read: impl Fn(&str) -> Result<T, Problem>,
) -> Result<Vec<T>, Mistake> {
    let one = |value: &Value<'_>| match value.get_ref() {
        DeValue::String(text) if text.trim().is_empty() => {
            Err((value.span(), Problem::Empty { key: key.to_owned() }))
        }
        DeValue::String(text) => read(text).map_err(|problem| (value.span(), problem)),
        _ => Err((value.span(), wrong_type(key, value, "a text in quotes, or a list of them"))),
    };
    match value.get_ref() {
        DeValue::Array(list) if list.is_empty() => {
            Err((value.span(), Problem::Empty { key: key.to_owned() }))
        }
        DeValue::Array(list) => list.iter().map(one).collect(),
        _ => one(value).map(|it| vec![it]),
    }
}

/// Any name can be a tool, but one that is almost a known one is a mistake, and a rule that never
/// matches is worse than none.
fn tool(word: &str) -> Result<String, Problem> {
    let known = || ToolName::ALL.iter().map(ToolName::as_str).chain(["Task", "KillShell"]);
    let open = word.contains('*') || mcp_parts(word).is_some();
    if open || known().any(|name| name == word) || canonical(word) != word {
        return Ok(word.to_owned());
    }
    let letters = |name: &str| {
        let mut letters: Vec<char> = name.to_lowercase().chars().collect();
        letters.sort_unstable();
        letters
    };
    let is_near = |name: &&str| {
        distance(&word.to_lowercase(), &name.to_lowercase()) < 2 || letters(word) == letters(name)
    };
    match known().find(is_near) {
        Some(nearest) => {
            Err(Problem::UnknownTool { word: word.to_owned(), nearest: nearest.to_owned() })
        }
        None => Ok(word.to_owned()),
    }
}

fn command(text: &str) -> Result<Pattern, Problem> {
    let bad = |advice: String| Problem::BadCommand { pattern: text.to_owned(), advice };
    Pattern::parse(text).map_err(|problem| match problem {
        BadPattern::Empty => bad("is empty; write a command, such as `git diff *`".into()),
        BadPattern::OpenQuote => bad("has a quote that is not closed; close it".into()),
        BadPattern::Sign(sign) => bad(format!(
            "holds `{sign}`; a pattern is one simple command, so give each command its own pattern, \
             or put quotes around the sign"
        )),
    })
}

pub(super) fn path(text: &str) -> Result<PathGlob, Problem> {
    PathGlob::parse(text).map_err(|problem| {
        let advice = match problem {
            BadGlob::Empty => "is empty; write a glob, such as `src/**`",
            BadGlob::Parent => "leads out of its directory; write it from `/` or `~/` instead",
            BadGlob::Braces => "holds braces; write a list of paths instead",
            BadGlob::OtherHome => "is in somebody else's home; write it from `/` instead",
            BadGlob::DoubleStar => {
                "has `**` inside a name; let it stand alone, as in `src/**/*.rs`"
            }
        };
        Problem::BadPath { pattern: text.to_owned(), advice }
    })
}

fn mode(word: &str) -> Result<PermissionMode, Problem> {
    if MODES.contains(&word) {
        return Ok(PermissionMode::from(word));
    }
    Err(unknown_word(word, "permission mode", MODES))
}

fn agents(value: &Value<'_>) -> Result<Agents, Mistake> {
    match value.get_ref() {
        DeValue::Boolean(true) => Ok(Agents::Sub),
        DeValue::Boolean(false) => Ok(Agents::Main),
        DeValue::String(_) | DeValue::Array(_) => {
            each("subagent", value, |word| Ok(word.to_owned())).map(Agents::Types)
        }
        _ => {
            let wanted = "true, false, a type such as \"Explore\", or a list of types";
            Err((value.span(), wrong_type("subagent", value, wanted)))
        }
    }
}

fn then(value: &Value<'_>) -> Result<Effect, Mistake> {
    match value.get_ref().as_str() {
        Some("allow") => Ok(Effect::Allow),
        Some("ask") => Ok(Effect::Ask),
        Some("deny") => Err((value.span(), Problem::NoReason)),
        Some(word) => Err((value.span(), unknown_word(word, "outcome", EFFECTS))),
        None => Err((value.span(), wrong_type("then", value, "\"allow\" or \"ask\""))),
    }
}

fn deny(value: &Value<'_>) -> Result<Effect, Mistake> {
    match value.get_ref() {
        DeValue::String(why) if why.trim().is_empty() => Err((value.span(), Problem::NoReason)),
        DeValue::String(why) => Ok(Effect::Deny(why.to_string())),
        _ => Err((value.span(), wrong_type("deny", value, "the reason, in quotes"))),
    }
}

fn unknown_key(key: &str, known: &'static [&'static str]) -> Problem {
    let nearest = nearest(key, known.iter().copied());
    Problem::UnknownKey { key: key.to_owned(), nearest, known }
}

fn unknown_word(word: &str, what: &'static str, known: &'static [&'static str]) -> Problem {
    let nearest = nearest(word, known.iter().copied());
    Problem::UnknownWord { word: word.to_owned(), what, nearest, known }
}

fn wrong_type(key: &str, value: &Value<'_>, wanted: &'static str) -> Problem {
    let found = match value.get_ref() {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    };
    Problem::WrongType { key: key.to_owned(), found, wanted }
}

fn in_words(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("`{text}`"),
        DeValue::Array(list) => {
            let shown = list.iter().take(MANY).map(|it| in_words(it.get_ref()));
            let more = list.len().saturating_sub(MANY);
            let more = (more > 0).then(|| format!("{more} more"));
            shown.chain(more).collect::<Vec<_>>().join(" or ")
        }
        DeValue::Boolean(it) => it.to_string(),
        _ => String::new(),
    }
}

fn line_and_column(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
    (line, column)
}
