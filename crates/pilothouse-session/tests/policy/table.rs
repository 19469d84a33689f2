//! The table of commands.

use pilothouse_session::policy::{Decision, Ground, PolicySet, Verdict};

use super::{decide_command, policies};

const TABLE: &str = include_str!("commands.txt");

pub(crate) struct Row {
    pub(crate) policy: &'static str,
    expected: String,
    pub(crate) command: String,
}

impl Row {
    pub(crate) fn is_allowed(&self) -> bool {
        self.expected.starts_with("allow")
    }
}

pub(crate) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    let mut policy = "";
    for line in TABLE.lines() {
        if let Some(name) = line.strip_prefix("== ") {
            policy = name;
        } else if !line.is_empty() && !line.starts_with('#') {
            let (expected, command) = line.split_at_checked(10).unwrap_or((line, ""));
            rows.push(Row { policy, expected: squeeze(expected), command: unescape(command) });
        }
    }
    rows
}

fn squeeze(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn unescape(text: &str) -> String {
    let mut text = text.to_owned();
    for (sign, meaning) in [("⏎", "\n"), ("␍", "\r"), ("␀", "\0"), ("→", "\t"), ("·", "\u{a0}")]
    {
        text = text.replace(sign, meaning);
    }
    text
}

fn in_short(decision: &Decision) -> String {
    let verdict = match decision.verdict {
        Verdict::Allow => "allow",
        Verdict::Deny { .. } => "deny",
        Verdict::Ask => "ask",
    };
    let ground = match &decision.because.ground {
        Ground::Rule { rule } => rule.number.to_string(),
        Ground::Uncertain { rule } => format!("?{}", rule.number),
        Ground::Default => "-".to_owned(),
        Ground::ForPeople { rule } => format!("!{}", rule.number),
    };
    format!("{verdict} {ground}")
}

#[test]
fn every_command_is_decided_as_the_table_says() {
    let mut wrong = Vec::new();
    let mut current: Option<(&str, PolicySet)> = None;
    let rows = rows();
    for row in &rows {
        if current.as_ref().is_none_or(|(name, _)| *name != row.policy) {
            current = Some((row.policy, policies(row.policy)));
        }
        let (_, set) = current.as_ref().unwrap();
        let decision = decide_command(set, &row.command);
        let found = in_short(&decision);
        if found != row.expected {
            let (policy, command) = (row.policy, &row.command);
            let why = &decision.because;
            wrong.push(format!(
                "{policy}: {command:?}\n  {} expected, {found}: {why}",
                row.expected
            ));
        }
    }
    assert!(rows.len() >= 200, "only {} commands", rows.len());
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}
