//! The same scenario gives the same events from all versions, but for what is listed here. What
//! exactly is different is in the snapshot of the scenario.

use std::collections::BTreeSet;

use similar::{ChangeTag, TextDiff};

use crate::recording::scenarios;
use crate::text;

/// What versions do not agree on in any scenario: events, or fields of them where some are named.
pub(crate) const EVERYWHERE: [(&str, &[&str], &str); 7] = [
    ("context_window", &[], "each version has another default model, with another window"),
    ("task_updated", &[], "older CLIs do not tell how tasks go on"),
    ("task_ended", &["last_tool", "summary", "tool_uses"], "older CLIs do not tell what tasks did"),
    ("run_ready", &["account", "models", "version"], "versions offer other models"),
    (
        "complete",
        &["num_turns", "reason"],
        "older CLIs give no reason, and count turns that no model was asked for",
    ),
    (
        "tool_update",
        &["agent_type", "model", "output_file", "reason"],
        "older CLIs do not tell why a tool did not run, nor which agent and model has answered",
    ),
    (
        "approval_requested",
        &["blocked_path", "reason", "requires_user_interaction", "suggestions"],
        "newer CLIs say more about a request, and suggest other rules",
    ),
];

/// What is told once at the beginning, but not at the same time: the newest CLI has it in its
/// introduction, older ones begin the first turn with it.
pub(crate) const AT_THE_BEGINNING: [&str; 2] = ["mode_changed", "model_changed"];

const OLDER: &[&str] = &["2.1.62", "2.1.7"];
const MIDDLE: &[&str] = &["2.1.62"];
const OLDEST: &[&str] = &["2.1.7"];

/// Scenarios in which versions differ truly, and how.
const TRULY: [(&[&str], &[&str], &str); 27] = [
    (&["api-cut", "api-errors", "api-retry"], OLDER, "retries are not told"),
    (&["api-errors"], OLDER, "fewer kinds of errors are told apart"),
    (
        &["api-cut"],
        OLDER,
        "the answer is not continued, but asked for again: its half is taken back",
    ),
    (&["dont-ask"], MIDDLE, "it is not told that a tool was refused unasked"),
    (&["nobody-to-ask", "updated-permissions"], OLDER, "likewise"),
    (&["hooks-command", "hooks-session", "hooks-tools"], OLDER, "what hooks say is not told"),
    (&["hooks-tools"], OLDER, "what a hook has refused is not listed with the result"),
    (
        &["permission-deny-interrupt", "plan-refused", "mcp-tool", "hooks-tools"],
        OLDER,
        "the model reads the plain reason of a refusal or failure, with nothing around it",
    ),
    (&["background-bash"], MIDDLE, "it is not told that a task ends with its run"),
    (
        &[
            "background-bash",
            "hooks-session",
            "tools-timeout",
            "subagent",
            "subagent-custom",
            "subagent-retry",
        ],
        OLDEST,
        "there are no frames about tasks",
    ),
    (&["subagent", "subagent-custom"], OLDER, "a subagent's call without output says nothing"),
    (
        &["subagent-background"],
        MIDDLE,
        "the turn goes on until the task in the background has ended",
    ),
    (
        &["tools-timeout"],
        OLDER,
        "what was printed before the command went to the background is not told",
    ),
    (
        &["clear", "hooks-session"],
        OLDER,
        "`/clear` is not known without a terminal; the result says so",
    ),
    (&["compact", "hooks-session"], OLDER, "the size after summarising is not told"),
    (
        &["control-changing"],
        OLDER,
        "modes are not checked; titles and queued prompts cannot be changed",
    ),
    (&["control-mcp"], MIDDLE, "a server that is not known is no error"),
    (
        &["control-model", "hooks-session"],
        OLDER,
        "the alias of a model is resolved with the next turn",
    ),
    (&["memory"], MIDDLE, "`/model` is not known without a terminal"),
    (&["control-reading", "control-unknown"], OLDEST, "other requests are known; one ends the CLI"),
    (&["environment"], MIDDLE, "variables that are set later reach the shell"),
    (&["mcp-elicitation"], OLDER, "servers cannot ask"),
    (&["mcp-tool"], OLDER, "resources of servers in the host cannot be read"),
    (&["permission-parallel"], OLDER, "calls are only asked for when the answer is whole"),
    (
        &["plan", "plan-refused"],
        OLDER,
        "the plan is what the model says, not what is in the plan file",
    ),
    (&["queued"], OLDER, "each prompt has its own turn"),
    (&["resume-unknown"], OLDEST, "nothing is said but on stderr"),
];

/// More of the same; these are about single tools and commands.
const OF_TOOLS: [(&[&str], &[&str], &str); 8] = [
    (&["slash-commands"], OLDER, "an unknown command is not given to the model"),
    (&["stop-reasons"], OLDER, "a cut answer is not continued, a refused one fails"),
    (&["structured"], OLDER, "the model goes on after it has given its output"),
    (&["suggest-directories", "suggest-rules"], OLDER, "other rules are suggested"),
    (&["tools-large"], OLDER, "`seq` is asked for; long output is not put into a file"),
    (&["tools-search"], OLDER, "found files have absolute paths"),
    (&["tools-skill"], OLDEST, "skills are asked for"),
    (&["without-query"], MIDDLE, "every prompt is answered"),
];

#[test]
fn versions_agree() {
    let mut listed = BTreeSet::new();
    for (scenarios, versions, _) in TRULY.iter().chain(&OF_TOOLS) {
        for scenario in *scenarios {
            listed.extend(versions.iter().map(|version| format!("{scenario} {version}")));
        }
    }
    let mut different = BTreeSet::new();
    for (scenario, versions) in scenarios() {
        let mut versions = versions.iter().rev();
        let newest = versions.next().map(|(_, recording)| text::bare(&recording.play()));
        for (version, recording) in versions {
            if newest.as_ref() != Some(&text::bare(&recording.play())) {
                different.insert(format!("{scenario} {version}"));
            }
        }
    }
    let missing: Vec<_> = different.difference(&listed).collect();
    assert!(missing.is_empty(), "these differ, and are not listed: {missing:?}");
    let settled: Vec<_> = listed.difference(&different).collect();
    assert!(settled.is_empty(), "these are listed, and do not differ: {settled:?}");
}

/// The lines that differ, or that none does.
pub(crate) fn diff(newest: &[String], older: &[String]) -> String {
    let (newest, older) = (lines(newest), lines(older));
    if newest == older {
        return ": the same".to_owned();
    }
    let diff = TextDiff::from_slices(&newest, &older);
    let changes = diff.iter_all_changes().filter_map(|change| match change.tag() {
        ChangeTag::Equal => None,
        ChangeTag::Delete => Some(format!("\n- {}", change.value())),
        ChangeTag::Insert => Some(format!("\n+ {}", change.value())),
    });
    changes.collect()
}

fn lines(lines: &[String]) -> Vec<&str> {
    lines.iter().map(String::as_str).collect()
}
