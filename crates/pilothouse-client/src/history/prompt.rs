//! Which lines are prompts, and what they read like in a listing.
//!
//! Much of what is stored as a user line was not typed by anybody: tool results, reminders,
//! records of slash commands, summaries. They are told apart by flags, and by the tag their text
//! starts with.

use jiff::Timestamp;

use super::json::Value;
use super::line::{Line, Sight, block_is};

/// A prompt in a listing is cut after this many UTF-16 units.
const LONGEST: usize = 200;

/// The first prompt of a transcript, from the lines of its head.
#[derive(Debug, Default)]
pub(super) struct FirstPrompt {
    prompt: Option<String>,
    /// The first slash command, for sessions that hold nothing else.
    command: Option<String>,
    /// What stands for a prompt without text.
    attachment: Option<&'static str>,
    /// From a line the window does not show whole, whose flags may therefore be missing.
    cut: Option<String>,
}

impl FirstPrompt {
    pub(super) fn among(lines: &[(Line<'_>, Sight)]) -> Self {
        let mut found = Self::default();
        for (line, sight) in lines {
            if *sight == Sight::Appended || found.prompt.is_some() {
                continue;
            }
            let (text, command) = match prompt(line) {
                Some(Prompt::Text(text)) => (Some(text), None),
                Some(Prompt::Command(name)) => (None, Some(name)),
                None => (None, None),
            };
            if *sight == Sight::Cut {
                found.cut = text;
            } else {
                found.prompt = text;
                found.command = found.command.or(command);
            }
            found.attachment = found.attachment.or_else(|| attachment(line));
        }
        found
    }

    /// The prompt, else the first slash command.
    pub(super) fn text(&self) -> Option<&str> {
        self.prompt.as_deref().or(self.command.as_deref()).filter(|text| !text.is_empty())
    }

    /// What to show when there is neither title nor prompt.
    pub(super) fn stand_in(&self) -> Option<&str> {
        self.attachment.or(self.cut.as_deref())
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Prompt {
    Text(String),
    Command(String),
}

/// What somebody typed on this line, if anything.
fn prompt(line: &Line<'_>) -> Option<Prompt> {
    if !line.is_type("user") || line.is_true("isMeta") || line.is_true("isCompactSummary") {
        return None;
    }
    prompt_in(line.content()?)
}

fn prompt_in(content: Value<'_>) -> Option<Prompt> {
    let mut texts = Vec::new();
    if let Some(text) = content.text() {
        texts.push(text);
    }
    for block in content.items() {
        if block_is(block, "tool_result") {
            return None;
        }
        if block_is(block, "text") {
            texts.extend(block.get("text").and_then(Value::text));
        }
    }
    let mut command = None;
    for text in texts {
        let text = without_paste_marks(&text).replace('\n', " ");
        let text = text.trim();
        if text.is_empty() {
            continue;
        }
        if let Some(name) = between(text, "<command-name>", "</command-name>") {
            command.get_or_insert_with(|| name.to_owned());
        } else if let Some(shell) = between(text, "<bash-input>", "</bash-input>") {
            return Some(Prompt::Text(format!("! {}", shell.trim())));
        } else if !is_generated(text) {
            return Some(Prompt::Text(shortened(text)));
        }
    }
    command.map(Prompt::Command)
}

/// Whether a user line was typed, rather than generated.
pub(super) fn is_typed(line: &Line<'_>) -> bool {
    matches!(prompt(line), Some(Prompt::Text(_)))
}

fn attachment(line: &Line<'_>) -> Option<&'static str> {
    if !line.is_type("user") || line.is_true("isMeta") {
        return None;
    }
    let content = line.content()?;
    if content.items().any(|block| block_is(block, "tool_result")) {
        return None;
    }
    let has = |name| content.items().any(|block| block_is(block, name));
    if has("image") {
        Some("Image")
    } else if has("document") {
        Some("Document")
    } else {
        None
    }
}

/// Text that starts with a tag (`<ide_selection>`, `<local-command-stdout>` …) or the note left
/// by an interruption.
fn is_generated(text: &str) -> bool {
    if let Some(rest) = text.strip_prefix("[Request interrupted by user") {
        return rest.contains(']');
    }
    let Some(rest) = text.strip_prefix('<') else {
        return false;
    };
    if !rest.starts_with(|first: char| first.is_ascii_lowercase()) {
        return false;
    }
    let after =
        rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    after.starts_with(|end: char| end == '>' || end.is_whitespace())
}

fn between<'a>(text: &'a str, open: &str, close: &str) -> Option<&'a str> {
    let (_, after) = text.split_once(open)?;
    after.split_once(close).map(|(inside, _)| inside)
}

fn shortened(text: &str) -> String {
    let mut units = 0;
    for (at, character) in text.char_indices() {
        units += character.len_utf16();
        if units > LONGEST {
            return format!("{}…", text[..at].trim());
        }
    }
    text.to_owned()
}

/// Pasted text stands between `<pasted_content id="12ab">` lines; only what was pasted is kept.
fn without_paste_marks(text: &str) -> String {
    const OPEN: &str = "<pasted_content id=\"";
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut from = 0;
    while let Some(at) = rest[from..].find(OPEN).map(|found| from + found) {
        let id_start = at + OPEN.len();
        let id = rest.get(id_start..id_start + 4).filter(|id| is_paste_id(id));
        let body_start = id_start + 4 + "\">\n".len();
        let opened = id.filter(|_| rest[id_start + 4..].starts_with("\">\n"));
        let Some(id) = opened else {
            from = id_start;
            continue;
        };
        let close = format!("\n</pasted_content id=\"{id}\">");
        // An empty paste closes with the line end of its opening mark.
        let Some(end) = rest[body_start - 1..].find(&close).map(|found| body_start - 1 + found)
        else {
            break;
        };
        out.push_str(strip_line_ends(&rest[..at]));
        out.push_str(&rest[body_start.min(end)..end]);
        let after = &rest[end + close.len()..];
        let after = after.strip_prefix('\n').unwrap_or(after);
        rest = after.strip_prefix('\n').unwrap_or(after);
        from = 0;
    }
    out.push_str(rest);
    out
}

fn is_paste_id(id: &str) -> bool {
    id.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

fn strip_line_ends(text: &str) -> &str {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.strip_suffix('\n').unwrap_or(text)
}

/// Flags which say that a user line was not typed by a person at that moment.
const NOT_TYPED: [&str; 8] = [
    "isCompactSummary",
    "isSidechain",
    "isVirtual",
    "isVisibleInTranscriptOnly",
    "isMeta",
    "textNotTyped",
    "handedOff",
    "queueSkipAttachments",
];

/// Fields which a line typed by a person does not have.
const ONLY_ON_GENERATED: [&str; 4] =
    ["persist", "wakeupSource", "scheduledTaskId", "toolUseResult"];

/// When a person prompted, in milliseconds since 1970, if this line is such a prompt.
///
/// Stricter than what counts as a prompt in a listing: a scheduled or forwarded prompt must not
/// bring a session back out of the archive.
pub(super) fn human_prompt_ms(line: &Line<'_>) -> Option<i64> {
    let unset = |value: Option<Value<'_>>| value.is_none_or(|value| value.raw() == "false");
    let (content, origin) = if line.is_type("user") {
        let generated = ONLY_ON_GENERATED.iter().any(|key| line.get(key).is_some())
            || NOT_TYPED.iter().any(|key| !unset(line.get(key)))
            || line.get("turnOrigin").is_some_and(|origin| {
                origin.text().is_none_or(|own| !matches!(&*own, "human" | "sdk" | "unknown"))
            });
        if generated {
            return None;
        }
        (line.content()?, line.get("origin"))
    } else if line.is_type("attachment") {
        let queued = line.get("attachment").filter(|own| block_is(*own, "queued_command"))?;
        let mode = queued.get("commandMode").map(|mode| mode.text());
        let typed =
            matches!(mode.as_ref().map(Option::as_deref), None | Some(Some("prompt" | "bash")));
        if !typed || !unset(line.get("isSidechain")) || !unset(queued.get("isMeta")) {
            return None;
        }
        (queued.get("prompt")?, queued.get("origin"))
    } else {
        return None;
    };
    if origin.is_some_and(|origin| {
        origin.get("kind").and_then(Value::text).is_none_or(|kind| kind != "human")
    }) {
        return None;
    }
    if content.items().any(|block| block_is(block, "tool_result")) {
        return None;
    }
    let starts: Vec<String> = content
        .text()
        .into_iter()
        .chain(content.items().filter_map(|block| block.get("text").and_then(Value::text)))
        .map(|text| text.trim_start().to_owned())
        .collect();
    let typed = if origin.is_some() {
        starts.iter().any(|text| !text.is_empty())
            && !starts.iter().any(|text| text.starts_with("<command-name>"))
    } else {
        matches!(prompt_in(content), Some(Prompt::Text(_)))
            || starts.iter().any(|text| text.starts_with("<command-message>"))
    };
    let shown =
        content.items().any(|block| block_is(block, "image") || block_is(block, "document"));
    if typed || shown { time_ms(&line.text("timestamp")?) } else { None }
}

/// An ISO timestamp in milliseconds since 1970.
pub(super) fn time_ms(text: &str) -> Option<i64> {
    text.parse::<Timestamp>().ok().map(Timestamp::as_millisecond)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::json::quoted;

    fn first(content: &str) -> Option<String> {
        let text = format!(r#"{{"type":"user","message":{{"content":{content}}}}}"#);
        let lines = [(Line::parse(&text).unwrap(), Sight::Whole)];
        FirstPrompt::among(&lines).text().map(ToOwned::to_owned)
    }

    #[test]
    fn prompts_are_told_from_generated_text() {
        let cases: [(&str, Option<&str>); 17] = [
            ("hello", Some("hello")),
            ("  two\nlines ", Some("two lines")),
            ("", None),
            ("<ide_selection>x</ide_selection> fix it", None),
            ("<tick>", None),
            ("<my-tag a=\"1\"> text", None),
            ("<Component> is broken", Some("<Component> is broken")),
            ("<3 this", Some("<3 this")),
            ("<a", Some("<a")),
            ("<a.b> c", Some("<a.b> c")),
            ("[Request interrupted by user]", None),
            ("[Request interrupted by user for tool use] and more", None),
            ("[Request interrupted by user", Some("[Request interrupted by user")),
            ("<command-name>/clear</command-name> rest", Some("/clear")),
            ("<bash-input> ls -l </bash-input>", Some("! ls -l")),
            (
                "<pasted_content id=\"00ff\">\nbody\n</pasted_content id=\"00ff\">\n\nfix",
                Some("bodyfix"),
            ),
            ("see\n\n<pasted_content id=\"00ff\">\n</pasted_content id=\"00ff\">", Some("see")),
        ];
        for (typed, shown) in cases {
            assert_eq!(first(&quoted(typed)).as_deref(), shown, "{typed}");
        }
    }

    #[test]
    fn blocks_are_looked_through() {
        let blocks = r#"[{"type":"text","text":"<ide_opened_file>a</ide_opened_file>"},{"type":"text","text":"real"}]"#;
        assert_eq!(first(blocks).as_deref(), Some("real"));
        let result = r#"[{"type":"text","text":"real"},{"type":"tool_result","tool_use_id":"t"}]"#;
        assert_eq!(first(result), None);
    }

    #[test]
    fn long_prompts_are_cut_by_utf16_units() {
        assert_eq!(shortened(&"a".repeat(200)), "a".repeat(200));
        assert_eq!(shortened(&"a".repeat(201)), format!("{}…", "a".repeat(200)));
        let text = format!("{}😀b", "a".repeat(199));
        assert_eq!(shortened(&text), format!("{}…", "a".repeat(199)));
    }

    #[test]
    fn attachments_stand_in_for_a_prompt() {
        let of = |content: &str| {
            let text = format!(r#"{{"type":"user","message":{{"content":{content}}}}}"#);
            let lines = [(Line::parse(&text).unwrap(), Sight::Whole)];
            FirstPrompt::among(&lines).stand_in().map(ToOwned::to_owned)
        };
        assert_eq!(of(r#"[{"type":"image"}]"#).as_deref(), Some("Image"));
        assert_eq!(of(r#"[{"type":"document"}]"#).as_deref(), Some("Document"));
        assert_eq!(of(r#"[{"type":"tool_result","content":[{"type":"image"}]}]"#), None);
    }

    #[test]
    fn humans_are_told_from_machines() {
        let at = |line: &str| human_prompt_ms(&Line::parse(line).unwrap());
        let user = |more: &str, text: &str| {
            at(&format!(
                r#"{{"type":"user","timestamp":"1970-01-01T00:00:01.500Z"{more},"message":{{"content":{}}}}}"#,
                quoted(text)
            ))
        };
        assert_eq!(user("", "hi"), Some(1500));
        assert_eq!(user(r#","origin":{"kind":"human"}"#, "<tag> typed"), Some(1500));
        assert_eq!(user(r#","origin":{"kind":"peer"}"#, "hi"), None);
        assert_eq!(user(r#","isMeta":true"#, "hi"), None);
        assert_eq!(user(r#","isMeta":false"#, "hi"), Some(1500));
        assert_eq!(user(r#","scheduledTaskId":"x""#, "hi"), None);
        assert_eq!(user(r#","turnOrigin":"hook""#, "hi"), None);
        assert_eq!(user(r#","turnOrigin":"sdk""#, "hi"), Some(1500));
        assert_eq!(user("", "<local-command-stdout>x</local-command-stdout>"), None);
        assert_eq!(user("", "<command-message>x</command-message>"), Some(1500));
        let queued = r#"{"type":"attachment","timestamp":"1970-01-01T00:00:02Z","attachment":{"type":"queued_command","prompt":"more"}}"#;
        assert_eq!(at(queued), Some(2000));
        assert_eq!(
            at(&queued.replace(r#""prompt":"#, r#""commandMode":"task-notification","prompt":"#)),
            None
        );
    }
}
