//! Why: in words, and in JSON for the record.

use pilothouse_session::policy::{Decision, Explanation, Verdict};
use serde_json::json;

use super::{decide, decide_command, policies, written};

fn why(command: &str) -> String {
    let set = written(
        "[[rule]]\ntool = 'Bash'\ncommand = 'rm *'\ndeny = 'no'\n\n\
         [[rule]]\ntool = 'Bash'\ncommand = ['ls *', 'git status']\nthen = 'allow'\n\n\
         [[rule]]\ntool = 'Bash'\ncommand = 'curl *'\nthen = 'ask'\n",
    );
    decide_command(&set, command).because.to_string()
}

#[test]
fn an_explanation_names_the_rule_its_line_and_the_command() {
    assert_eq!(
        why("git status && ls"),
        "allowed by rule 2 (user policy.toml:6): tool `Bash`, command `ls *` or `git status`; \
         decided by `git status`",
    );
    assert_eq!(
        why("ls; echo $(rm -rf x)"),
        "denied by rule 1 (user policy.toml:1): tool `Bash`, command `rm *`; \
         decided by `rm -rf x`",
    );
    assert_eq!(
        why("ls | curl x"),
        "asked by rule 3 (user policy.toml:11): tool `Bash`, command `curl *`; \
         decided by `curl x`",
    );
    assert_eq!(why("ls; make all"), "asked, since no rule matches; decided by `make all`");
    assert_eq!(why("ls > x"), "asked, since no rule matches; decided by `> x`");
    assert_eq!(
        why("$X y"),
        "asked, since it may be denied by rule 1 (user policy.toml:1): tool `Bash`, \
         command `rm *`; decided by `$X y`",
    );
    assert_eq!(
        why("ls; f() { ls; }"),
        "asked, since it may be denied by rule 1 (user policy.toml:1): tool `Bash`, \
         command `rm *`; decided by `f() { ls; }`, which defines a function",
    );
    let set = policies("autonomous");
    assert_eq!(
        decide(&set, "AskUserQuestion", json!({})).because.to_string(),
        "asked, since it is a question to a person, despite rule 1 (built-in autonomous:5): \
         tool `*` or `ExitPlanMode`",
    );
    assert_eq!(
        decide(&policies("dev"), "WebFetch", json!({})).because.to_string(),
        "asked, since no rule matches",
    );
}

#[test]
fn long_commands_are_cut_in_words_but_kept_in_the_record() {
    let command = format!("make {}", "x".repeat(500));
    let decision = decide_command(&policies("open"), &command);
    assert!(decision.because.to_string().len() < 250);
    assert_eq!(decision.because.command.as_deref(), Some(command.as_str()));
}

#[test]
fn decisions_are_json_and_come_back() {
    let decision = decide_command(&policies("open"), "ls; rm x");
    let json = serde_json::to_value(&decision).unwrap();
    assert_eq!(
        json,
        json!({
            "verdict": "deny",
            "message": "Nothing is removed.",
            "because": {
                "outcome": "denied",
                "ground": "rule",
                "rule": {
                    "file": "policy.toml",
                    "level": "user",
                    "number": 1,
                    "line": 2,
                    "summary": "tool `Bash`, command `rm *`",
                },
                "command": "rm x",
            },
        }),
    );
    assert_eq!(serde_json::from_value::<Decision>(json).unwrap(), decision);
    let default = decide_command(&policies("dev"), "nothing").because;
    let json = serde_json::to_value(&default).unwrap();
    assert_eq!(json, json!({ "outcome": "asked", "ground": "default", "command": "nothing" }));
    assert_eq!(serde_json::from_value::<Explanation>(json).unwrap(), default);
    assert_eq!(serde_json::to_value(Verdict::Ask).unwrap(), json!({ "verdict": "ask" }));
}

#[test]
fn decisions_have_a_schema() {
    let schema = serde_json::to_value(schemars::schema_for!(Decision)).unwrap();
    assert!(schema["properties"]["because"].is_object(), "{schema}");
}
