//! MCP servers: by the name that the CLI gives, by where they are configured, by what is configured.

use pilothouse_session::policy::{Call, PolicySet, Verdict};
use pilothouse_wire::Raw;
use pilothouse_wire::permission::{McpServerRef, PermissionMode};
use serde_json::{Value, json};

use super::{place, policies, written};

fn server(name: &str, source: Option<&str>) -> McpServerRef {
    McpServerRef {
        name: Some(name.to_owned()),
        source: source.map(str::to_owned),
        ..McpServerRef::default()
    }
}

/// Decides a call for which the CLI names the server.
fn named(policies: &PolicySet, tool: &str, name: &str, source: &str) -> Verdict {
    let (input, mode) = (Raw::empty_object(), PermissionMode::Default);
    let server = server(name, Some(source));
    let call = Call { server: Some(&server), ..Call::new(tool, &input, &mode) };
    policies.decide(&call, &place()).verdict
}

/// Decides a call of an older CLI, which has these servers.
fn unnamed(policies: &PolicySet, tool: &str, input: Value, configured: &[&str]) -> Verdict {
    let (input, mode) = (Raw::from(input), PermissionMode::Default);
    let servers: Vec<_> = configured.iter().map(|name| server(name, None)).collect();
    let call = Call { servers: Some(&servers), ..Call::new(tool, &input, &mode) };
    policies.decide(&call, &place()).verdict
}

fn allowing() -> PolicySet {
    written("[[rule]]\nserver = 'git'\nthen = 'allow'")
}

#[test]
fn a_server_is_known_by_its_name_not_by_the_start_of_its_tools() {
    for rules in [allowing(), written("[[rule]]\ntool = 'mcp__git__*'\nthen = 'allow'")] {
        assert_eq!(named(&rules, "mcp__git__log", "git", "user"), Verdict::Allow);
        assert_eq!(named(&rules, "mcp__git__evil__run", "git__evil", "user"), Verdict::Ask);
        assert_eq!(named(&rules, "mcp__git__evil__run", "git", "user"), Verdict::Allow);
    }
    let spaced = written("[[rule]]\nserver = 'my server'\nthen = 'allow'");
    assert_eq!(named(&spaced, "mcp__my_server__run", "my server", "user"), Verdict::Allow);
    assert_eq!(named(&spaced, "mcp__my_server__run", "my_server", "user"), Verdict::Ask);
    let denying = written("[[rule]]\nserver = 'my server'\ndeny = 'no'");
    let denied = Verdict::Deny { message: "no".into() };
    assert_eq!(named(&denying, "mcp__my_server__run", "my_server", "user"), denied);
}

#[test]
fn servers_of_a_project_are_allowed_only_where_a_rule_says_so() {
    let tool = "mcp__git__log";
    for source in ["user", "local", "dynamic"] {
        assert_eq!(named(&allowing(), tool, "git", source), Verdict::Allow, "{source}");
    }
    for source in ["project", "plugin", "something new"] {
        assert_eq!(named(&allowing(), tool, "git", source), Verdict::Ask, "{source}");
    }
    let project = written("[[rule]]\nserver = 'git'\nsource = 'project'\nthen = 'allow'");
    assert_eq!(named(&project, tool, "git", "project"), Verdict::Allow);
    assert_eq!(named(&project, tool, "git", "user"), Verdict::Ask);
    let denying = written("[[rule]]\nsource = 'project'\ndeny = 'no'");
    assert!(matches!(named(&denying, tool, "git", "project"), Verdict::Deny { .. }));
    assert_eq!(named(&denying, tool, "git", "user"), Verdict::Ask);
    assert_eq!(named(&policies("autonomous"), tool, "git", "project"), Verdict::Allow);
}

#[test]
fn without_a_name_exactly_one_configured_server_must_fit() {
    let run = |tool: &str, configured: &[&str]| unnamed(&allowing(), tool, json!({}), configured);
    assert_eq!(run("mcp__git__log", &["git", "other"]), Verdict::Allow);
    assert_eq!(run("mcp__git__evil__run", &["git__evil"]), Verdict::Ask);
    assert_eq!(run("mcp__git__evil__run", &["git", "git__evil"]), Verdict::Ask);
    assert_eq!(run("mcp__git__evil__run", &["git"]), Verdict::Allow);
    assert_eq!(run("mcp__git__log", &[]), Verdict::Ask, "nobody can have made it");
    let sourced = written("[[rule]]\nserver = 'git'\nsource = 'user'\nthen = 'allow'");
    assert_eq!(unnamed(&sourced, "mcp__git__log", json!({}), &["git"]), Verdict::Ask);
    let denying =
        written("[[rule]]\nserver = 'git'\ndeny = 'no'\n[[rule]]\ntool = '*'\nthen = 'allow'");
    let run = |tool: &str, configured: &[&str]| unnamed(&denying, tool, json!({}), configured);
    assert!(matches!(run("mcp__git__log", &["git"]), Verdict::Deny { .. }));
    assert_eq!(run("mcp__git__evil__run", &["git", "git__evil"]), Verdict::Ask, "it may be git");
    assert_eq!(run("mcp__other__run", &["git", "other"]), Verdict::Allow);
}

#[test]
fn resources_belong_to_their_server_and_files_to_rules_about_reading() {
    let read = |rules: &PolicySet, server: &str, uri: &str| {
        let input = json!({ "server": server, "uri": uri });
        unnamed(rules, "ReadMcpResourceTool", input, &["git", "shop"])
    };
    let denying = written(
        "[[rule]]\nserver = 'shop'\ndeny = 'no'\n\
         [[rule]]\ntool = 'Read'\npath = '**/.env'\ndeny = 'no'\n\
         [[rule]]\ntool = '*'\nthen = 'allow'",
    );
    let denied = Verdict::Deny { message: "no".into() };
    assert_eq!(read(&denying, "shop", "shop://cart"), denied);
    assert_eq!(read(&denying, "git", "git://log"), Verdict::Allow);
    assert_eq!(read(&denying, "git", "file:///srv/app/.env"), denied);
    assert_eq!(read(&denying, "git", "FILE:///srv/app/%2Eenv"), denied);
    assert_eq!(read(&denying, "git", "file://localhost/srv/app/.env?x"), denied);
    assert_eq!(read(&denying, "git", "file:///srv/app/other"), Verdict::Allow);
    let list = unnamed(&denying, "ListMcpResourcesTool", json!({}), &["git", "shop"]);
    assert_eq!(list, Verdict::Ask, "the list has what the denied server offers");
    assert_eq!(read(&allowing(), "git", "git://log"), Verdict::Allow);
    assert_eq!(read(&allowing(), "shop", "git://log"), Verdict::Ask);
}
