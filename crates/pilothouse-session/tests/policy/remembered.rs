//! What rules of the CLI's own would match.

use pilothouse_session::policy::{Call, rule_matches};
use pilothouse_wire::Raw;
use pilothouse_wire::permission::{PermissionMode, PermissionRule};
use serde_json::{Value, json};

use super::place;

fn matches(rule: &str, tool: &str, input: Value) -> bool {
    let (name, content) = match rule.split_once('(') {
        Some((name, content)) => (name, content.strip_suffix(')')),
        None => (rule, None),
    };
    let rule = PermissionRule {
        tool_name: name.into(),
        rule_content: content.map(str::to_owned),
        ..PermissionRule::default()
    };
    let (input, mode) = (Raw::from(input), PermissionMode::Default);
    rule_matches(&rule, &Call::new(tool, &input, &mode), &place())
}

#[test]
fn commands_match_whole_by_prefix_or_by_star() {
    let bash = |rule: &str, command: &str| matches(rule, "Bash", json!({ "command": command }));
    assert!(bash("Bash", "anything; at all"));
    assert!(bash("Bash(npm run test:*)", "npm run test"));
    assert!(bash("Bash(npm run test:*)", "npm run test -- -w"));
    assert!(!bash("Bash(npm run test:*)", "npm run tests"));
    assert!(bash("Bash(git status)", "git status"));
    assert!(!bash("Bash(git status)", "git status -s"));
    assert!(bash("Bash(git * main)", "git checkout main"));
    assert!(bash("Bash(ls *)", "ls"));
    assert!(bash("Bash(ls:*)", "ls a | ls b 2>/dev/null"));
    assert!(bash("Bash(ls:*)", "timeout 5 ls a"));
    assert!(!bash("Bash(ls:*)", "ls a && rm b"));
    assert!(!bash("Bash(ls:*)", "ls > x"));
    assert!(!bash("Bash(ls:*)", "ls $(rm x)"));
    assert!(!bash("Bash(ls:*)", "PATH=x ls"));
    assert!(!bash("Bash(ls:*)", "ls 'x"));
}

#[test]
fn files_match_as_in_a_gitignore() {
    let edit = |rule: &str, path: &str| matches(rule, "Write", json!({ "file_path": path }));
    assert!(edit("Edit(/src/**)", "/srv/app/src/a/b.rs"));
    assert!(edit("Edit(src/**)", "src/a.rs"));
    assert!(edit("Edit(./src)", "src/a.rs"));
    assert!(edit("Edit(*.md)", "a/b/c.md"));
    assert!(edit("Edit(//tmp/**)", "/tmp/x"));
    assert!(!edit("Edit(/tmp/**)", "/tmp/x"));
    assert!(edit("Edit(~/notes/**)", "/home/me/notes/x"));
    assert!(!edit("Edit(/src/**)", "/srv/app/src/../x"));
    assert!(!edit("Read(/src/**)", "/srv/app/src/x"));
    assert!(matches("Read(/src/**)", "Grep", json!({ "pattern": "x", "path": "src" })));
    assert!(!matches("Edit(/src/**)", "Read", json!({ "file_path": "src/x" })));
    assert!(!matches("Edit(/src/**)", "Edit", json!({})));
}

#[test]
fn tools_servers_and_addresses() {
    assert!(matches("mcp__github", "mcp__github__get", json!({})));
    assert!(matches("mcp__github__*", "mcp__github__get", json!({})));
    assert!(matches("mcp__github__get", "mcp__github__get", json!({})));
    assert!(!matches("mcp__github__get", "mcp__github__put", json!({})));
    assert!(!matches("mcp__git", "mcp__github__get", json!({})));
    assert!(matches("Task(Explore)", "Agent", json!({ "subagent_type": "Explore" })));
    assert!(!matches("Task(Explore)", "Agent", json!({ "subagent_type": "Plan" })));
    assert!(matches("Skill(review:*)", "Skill", json!({ "skill": "review" })));
    let fetch =
        |url: &str| matches("WebFetch(domain:example.com)", "WebFetch", json!({ "url": url }));
    assert!(fetch("https://example.com/x"));
    assert!(fetch("https://EXAMPLE.com:8080"));
    assert!(!fetch("https://example.com.evil.org/"));
    assert!(!fetch("https://example.com@evil.org/"));
    assert!(!fetch("https://evil.org/?example.com"));
    assert!(!matches("Unknown(x)", "Unknown", json!({})));
}
