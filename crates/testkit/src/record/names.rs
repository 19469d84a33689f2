//! Gives everything that is different each time a name that is always the same.
//!
//! * Ids become placeholders of the same shape, numbered in the order in which they turn up; the
//!   same id has the same placeholder wherever it stands, in the middle of a path too.
//! * Paths of the throw-away directories become `/home/user`, `/project` and `/tmp`.
//! * Times, durations and costs become fixed values.

use std::collections::{BTreeMap, HashSet};

use serde_json::Number;

use super::json::{Json, Leaf};

/// Ids that can be told by how they begin.
const PREFIXES: [&str; 6] = ["msg_", "toolu_", "srvtoolu_", "req_", "wrkf_", "cse_"];

/// Members that hold ids of tasks; the first letter of such an id tells what kind of task it is.
const TASK_MEMBERS: [&str; 8] = [
    "agent_id",
    "agentId",
    "task_id",
    "taskId",
    "parent_task_id",
    "backgroundTaskId",
    "shell_id",
    "senderTaskId",
];

/// Members that hold other ids which cannot be told by their look.
const ID_MEMBERS: [&str; 6] = ["run_id", "runId", "slug", "backupFileName", "cell_id", "cronId"];

/// Members with a time of day, a duration or a cost, besides those that [`TIME_ENDINGS`] and
/// [`TIME_PARTS`] tell.
const TIMES: [&str; 12] = [
    "cost",
    "elapsed_time_seconds",
    "end_time",
    "mtime",
    "pid",
    "seconds_since_last_response",
    "startTime",
    "start_time",
    "timestamp",
    "utilization",
    "worker_epoch",
    "port",
];

const TIME_ENDINGS: [&str; 6] = ["_ms", "Ms", "_at", "At", "_usd", "USD"];

const TIME_PARTS: [&str; 2] = ["duration", "Duration"];

const MOMENT: &str = "2026-01-01T00:00:00.000Z";

/// The names given so far.
#[derive(Debug, Default)]
pub struct Names {
    /// What to write instead of what, the longest first.
    known: Vec<(String, String)>,
    ids: HashSet<String>,
    counts: BTreeMap<String, usize>,
}

impl Names {
    /// With texts that are known beforehand.
    pub fn new(places: Vec<(String, String)>) -> Self {
        let mut names = Self { known: places, ..Self::default() };
        names.order();
        names
    }

    /// Notes the ids in a line. All lines come here before the first one goes to [`Self::apply`]:
    /// an id may stand in a path before it stands by itself.
    pub fn learn(&mut self, line: &Json) {
        line.each_text("", &mut |under, text| {
            for id in uuids(text) {
                self.id(id, |n| format!("00000000-0000-4000-8000-{n:012}"), "uuid");
            }
            for prefix in PREFIXES {
                for id in prefixed(text, prefix) {
                    self.id(id, |n| format!("{prefix}{n:024}"), prefix);
                }
            }
            if let Some(slug) = between(text, "/plans/", ".md") {
                self.id(slug, |n| format!("slug-{n}"), "slug");
            }
            if let Some(name) = between(text, "/tool-results/", ".txt") {
                self.id(name, |n| format!("result-{n}"), "result");
            }
            let initial = match under {
                _ if !is_opaque(text) => None,
                "slug" => return self.id(text, |n| format!("slug-{n}"), "slug"),
                "id" if is_short_hex(text) => Some('0'),
                _ if ID_MEMBERS.contains(&under) => Some('0'),
                _ if TASK_MEMBERS.contains(&under) => text.chars().next(),
                _ => None,
            };
            if let Some(initial) = initial {
                let width = text.chars().count().saturating_sub(1);
                self.id(text, |n| format!("{initial}{n:0width$}"), &format!("{initial}{width}"));
            }
        });
    }

    fn id(&mut self, id: &str, name: impl Fn(usize) -> String, kind: &str) {
        if self.ids.insert(id.to_owned()) {
            let count = self.counts.entry(kind.to_owned()).or_default();
            *count += 1;
            self.known.push((id.to_owned(), name(*count)));
            self.order();
        }
    }

    fn order(&mut self) {
        self.known.sort_by_key(|(text, _)| std::cmp::Reverse(text.len()));
    }

    /// Writes the names into a line.
    pub fn apply(&self, line: &mut Json) {
        line.each_mut("", &mut |under, leaf| match leaf {
            Leaf::Text(text) => *text = self.rename(text),
            Leaf::Number(number) => {
                if is_time(under, number) {
                    *number = fixed(under, number);
                }
            }
        });
    }

    /// One text with the names written into it.
    pub fn rename(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (known, name) in &self.known {
            if text.contains(known.as_str()) {
                text = text.replace(known.as_str(), name);
            }
        }
        sockets(&moments(&text))
    }
}

/// A member that holds a time by its name, or a number that can be nothing but one.
fn is_time(under: &str, number: &Number) -> bool {
    let told = TIME_ENDINGS.iter().any(|ending| under.ends_with(ending))
        || TIME_PARTS.iter().any(|part| under.contains(part));
    // A limit is not a measurement: it is part of what was asked for.
    let limit = under.starts_with("timeout") || under.starts_with("timed");
    let epoch = number
        .as_f64()
        .is_some_and(|n| (1.6e9..2.2e9).contains(&n) || (1.6e12..2.2e12).contains(&n));
    epoch || TIMES.contains(&under) || (told && !limit)
}

/// A number of the same kind. What cost nothing still does.
fn fixed(under: &str, number: &Number) -> Number {
    let cost = under.ends_with("usd") || under.ends_with("USD");
    match number.as_f64() {
        Some(n) if n >= 1.6e12 => 1_767_225_600_000_u64.into(),
        Some(n) if n >= 1.6e9 => 1_767_225_600_u64.into(),
        Some(0.0) if cost => number.clone(),
        _ => 1_u64.into(),
    }
}

/// A word that nobody would say: long, and with a digit or a dash in it.
fn is_opaque(text: &str) -> bool {
    text.len() >= 7
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_@.".contains(&b))
        && text.bytes().any(|b| b.is_ascii_alphanumeric())
}

/// As the CLI numbers what it schedules.
fn is_short_hex(text: &str) -> bool {
    text.len() == 8 && text.bytes().all(|b| b.is_ascii_hexdigit())
}

pub(super) fn uuids(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(window) = bytes.get(at..at + 36) {
        let fits = window.iter().enumerate().all(|(i, b)| match i {
            8 | 13 | 18 | 23 => *b == b'-',
            _ => b.is_ascii_hexdigit(),
        });
        if fits {
            found.push(&text[at..at + 36]);
            at += 36;
        } else {
            at += 1;
        }
    }
    found
}

fn prefixed<'a>(text: &'a str, prefix: &str) -> Vec<&'a str> {
    text.match_indices(prefix)
        .filter(|(at, _)| !text[..*at].ends_with(|c: char| c.is_ascii_alphanumeric()))
        .map(|(at, _)| {
            let rest = &text[at + prefix.len()..];
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
            &text[at..at + prefix.len() + end]
        })
        .filter(|id| id.len() >= prefix.len() + 16)
        .collect()
}

/// The made-up name of a file: what stands between its directory and its ending.
fn between<'a>(text: &'a str, directory: &str, ending: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(directory)?;
    let (name, _) = rest.split_once(ending)?;
    is_opaque(name).then_some(name)
}

/// Every ISO time becomes the same one, and so does the time in the name of an exported file.
fn moments(text: &str) -> String {
    let text = replace_shape(text, b"dddd-dd-ddTdd:dd:dd.dddZ", MOMENT);
    let text = replace_shape(&text, b"dddd-dd-ddTdd:dd:ddZ", MOMENT);
    replace_shape(&text, b"dddd-dd-dd-dddddd", "2026-01-01-000000")
}

/// Sockets are named by the process.
fn sockets(text: &str) -> String {
    match text.split_once("/cc-socks/") {
        Some((before, after)) => {
            let name = after.trim_start_matches(|c: char| c.is_ascii_digit());
            format!("{before}/cc-socks/1{name}")
        }
        None => text.to_owned(),
    }
}

/// Replaces what has the shape: `d` stands for any digit.
fn replace_shape(text: &str, shape: &[u8], name: &str) -> String {
    let fits = |bytes: &[u8]| {
        shape.iter().zip(bytes).all(|(shape, byte)| match shape {
            b'd' => byte.is_ascii_digit(),
            other => other == byte,
        })
    };
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.as_bytes().windows(shape.len()).position(fits) {
        out.push_str(&rest[..at]);
        out.push_str(name);
        rest = &rest[at + shape.len()..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn renamed(lines: &[&str]) -> Vec<String> {
        let mut names = Names::new(vec![
            ("/tmp/x1/project".to_owned(), "/project".to_owned()),
            ("-tmp-x1-project".to_owned(), "-project".to_owned()),
        ]);
        let mut lines: Vec<Json> =
            lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        lines.iter().for_each(|line| names.learn(line));
        lines.iter_mut().for_each(|line| names.apply(line));
        lines.iter().map(|line| serde_json::to_string(line).unwrap()).collect()
    }

    #[test]
    fn an_id_has_one_name_everywhere() {
        let lines = renamed(&[
            r#"{"path":"/tmp/x1/project/a1b2c3d4e/01234567-89ab-cdef-0123-456789abcdef.jsonl"}"#,
            r#"{"agent_id":"a1b2c3d4e","toolu_0123456789abcdef0":"ok","session_id":"01234567-89ab-cdef-0123-456789abcdef"}"#,
        ]);
        assert_eq!(
            lines,
            [
                r#"{"path":"/project/a00000001/00000000-0000-4000-8000-000000000001.jsonl"}"#,
                r#"{"agent_id":"a00000001","toolu_000000000000000000000001":"ok","session_id":"00000000-0000-4000-8000-000000000001"}"#,
            ]
        );
    }

    #[test]
    fn times_and_costs_are_fixed_and_limits_are_not() {
        let lines = renamed(&[
            r#"{"duration_ms":431,"ttft_ms":0,"timeout_ms":5000,"resetsAt":1763244000,"at":"x 2026-11-15T20:25:01.123Z y","total_cost_usd":0.0123,"costUSD":0,"n":17}"#,
        ]);
        assert_eq!(
            lines,
            [
                r#"{"duration_ms":1,"ttft_ms":1,"timeout_ms":5000,"resetsAt":1767225600,"at":"x 2026-01-01T00:00:00.000Z y","total_cost_usd":1,"costUSD":0,"n":17}"#
            ]
        );
    }

    #[test]
    fn short_ids_of_the_to_do_list_stay() {
        let line = r#"{"taskId":"1","task_id":"2"}"#;
        assert_eq!(renamed(&[line]), [line]);
    }

    #[test]
    fn keys_of_projects_are_places_too() {
        let lines = renamed(&[r#"{"p":"/home/user/.claude/projects/-tmp-x1-project/a"}"#]);
        assert_eq!(lines, [r#"{"p":"/home/user/.claude/projects/-project/a"}"#]);
    }
}
