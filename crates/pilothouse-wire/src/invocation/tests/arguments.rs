//! Which arguments come of which options.

use std::ffi::OsString;

use serde_json::json;

use crate::invocation::*;

const ID: &str = "550e8400-e29b-41d4-a716-446655440000";
const OTHER_ID: &str = "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11";
const THIRD_ID: &str = "00000000-0000-0000-0000-000000000001";

fn check(rows: Vec<(Invocation, &[&str])>) {
    for (invocation, expected) in rows {
        let argv = invocation.argv().unwrap_or_else(|error| panic!("{expected:?}: {error}"));
        assert_eq!(
            argv[..3],
            ["--output-format=stream-json", "--verbose", "--input-format=stream-json"]
        );
        assert_eq!(argv[3..], *expected);
    }
}

fn new() -> Invocation {
    Invocation::new()
}

#[test]
fn model_and_limits() {
    check(vec![
        (new(), &[]),
        (new().model("opus"), &["--model=opus"]),
        (new().model("--verbose"), &["--model=--verbose"]),
        (
            new().model("opus").fallback_models(["sonnet", "haiku"]),
            &["--model=opus", "--fallback-model=sonnet,haiku"],
        ),
        (new().agent("reviewer"), &["--agent=reviewer"]),
        (new().thinking(Thinking::Adaptive), &["--thinking=adaptive"]),
        (new().thinking(Thinking::Disabled), &["--thinking=disabled"]),
        (new().thinking(Thinking::Budget(2048)), &["--max-thinking-tokens=2048"]),
        (new().thinking_display(ThinkingDisplay::Omitted), &["--thinking-display=omitted"]),
        (
            new().thinking(Thinking::Budget(1)).thinking_display(ThinkingDisplay::Summarized),
            &["--max-thinking-tokens=1", "--thinking-display=summarized"],
        ),
        (
            new().thinking(Thinking::Disabled).thinking_display(ThinkingDisplay::Summarized),
            &["--thinking=disabled"],
        ),
        (
            new().thinking(Thinking::Budget(0)).thinking_display(ThinkingDisplay::Summarized),
            &["--max-thinking-tokens=0"],
        ),
        (new().effort(Effort::XHigh), &["--effort=xhigh"]),
        (new().effort("ultra"), &["--effort=ultra"]),
        (new().betas(["context-1m", "other"]), &["--betas=context-1m", "--betas=other"]),
        (new().json_schema(json!({"type": "object"})), &[r#"--json-schema={"type":"object"}"#]),
        (
            new().max_turns(3u32).max_budget_usd(0.5).task_budget(50_000u64),
            &["--max-turns=3", "--max-budget-usd=0.5", "--task-budget=50000"],
        ),
        // Small amounts are written out, without an exponent.
        (new().max_budget_usd(1e-7), &["--max-budget-usd=0.0000001"]),
    ]);
}

#[test]
fn prompts() {
    check(vec![
        (new().system_prompt("-- be\n--brief"), &["--system-prompt=-- be\n--brief"]),
        (new().system_prompt(""), &["--system-prompt="]),
        (new().system_prompt(PromptText::File("p.txt".into())), &["--system-prompt-file=p.txt"]),
        (new().append_system_prompt("--x"), &["--append-system-prompt=--x"]),
        (
            new().system_prompt("a").append_system_prompt(PromptText::File("p q.txt".into())),
            &["--system-prompt=a", "--append-system-prompt-file=p q.txt"],
        ),
    ]);
}

#[test]
fn permissions_and_tools() {
    use PermissionPrompts::{Host, Nobody, Tool, Unset};
    check(vec![
        (new().permission_mode(PermissionMode::Default), &["--permission-mode=default"]),
        (new().permission_mode("manual"), &["--permission-mode=manual"]),
        (
            new().permission_mode(PermissionMode::BypassPermissions).allow_bypass(),
            &["--permission-mode=bypassPermissions", "--allow-dangerously-skip-permissions"],
        ),
        (new().allow_bypass(), &["--allow-dangerously-skip-permissions"]),
        (new().permission_prompts(Unset), &[]),
        (new().permission_prompts(Host), &["--permission-prompt-tool=stdio"]),
        (
            new().permission_prompts(Tool("mcp__a__b".into())),
            &["--permission-prompt-tool=mcp__a__b"],
        ),
        (new().permission_prompts(Nobody), &["--permission-prompts=none"]),
        (
            new().allowed_tools(["Read", "Bash(git log *)"]).disallowed_tools(["WebFetch"]),
            &["--allowedTools=Read,Bash(git log *)", "--disallowedTools=WebFetch"],
        ),
        (new().tools(BaseTools::Standard), &["--tools=default"]),
        (new().tools(BaseTools::None), &["--tools="]),
        (new().tools(BaseTools::Only(vec![])), &["--tools="]),
        (new().tools(BaseTools::Only(vec!["Bash".into(), "Read".into()])), &["--tools=Bash,Read"]),
    ]);
}

#[test]
fn settings_and_servers() {
    let inline = Settings::inline(json!({"model": "opus", "env": {"A": "b"}})).unwrap();
    let managed = ManagedSettings::inline(json!({"a": 1})).unwrap();
    check(vec![
        (
            new().mcp_server("db", McpServer::stdio("db-mcp", ["--ro"])).strict_mcp(),
            &[
                concat!(
                    r#"--mcp-config={"mcpServers":{"db":{"args":["--ro"],"command":"db-mcp","#,
                    r#""type":"stdio"}}}"#
                ),
                "--strict-mcp-config",
            ],
        ),
        (
            new().mcp_config_files(["a b.json", "-c.json"]),
            &["--mcp-config=a b.json", "--mcp-config=-c.json"],
        ),
        (new().setting_sources([]), &["--setting-sources="]),
        (
            new().setting_sources([SettingSource::User, SettingSource::Local]),
            &["--setting-sources=user,local"],
        ),
        (new().settings(Settings::File("s.json".into())), &["--settings=s.json"]),
        (new().settings(inline.clone()), &[r#"--settings={"env":{"A":"b"},"model":"opus"}"#]),
        (
            new().settings(inline).sandbox(Sandbox::on()),
            &[concat!(
                r#"--settings={"env":{"A":"b"},"model":"opus","#,
                r#""sandbox":{"enabled":true,"failIfUnavailable":true}}"#
            )],
        ),
        (
            new().sandbox(Sandbox { enabled: Some(false), ..Sandbox::default() }),
            &[r#"--settings={"sandbox":{"enabled":false}}"#],
        ),
        (
            new().sandbox(Sandbox { fail_if_unavailable: Some(false), ..Sandbox::on() }),
            &[r#"--settings={"sandbox":{"enabled":true,"failIfUnavailable":false}}"#],
        ),
        (new().managed_settings(managed), &[r#"--managed-settings={"a":1}"#]),
        (
            new().managed_settings(ManagedSettings::InInitialize),
            &["--managed-settings-in-initialize", "--await-initialize"],
        ),
        (new().startup(Startup::AwaitInitialize), &["--await-initialize"]),
        (new().startup(Startup::AwaitClaim), &["--await-claim"]),
    ]);
}

#[test]
fn sandbox_words_are_those_of_the_settings() {
    let sandbox = Sandbox {
        auto_allow_bash_if_sandboxed: Some(true),
        excluded_commands: vec!["docker".into()],
        network: Some(SandboxNetwork {
            allowed_domains: vec!["example.com".into()],
            allow_local_binding: Some(true),
            http_proxy_port: Some(8080),
            ..SandboxNetwork::default()
        }),
        filesystem: Some(SandboxFilesystem {
            deny_read: vec!["~/.ssh".into()],
            ..SandboxFilesystem::default()
        }),
        extra: json!({"bwrapPath": "/opt/bwrap"}).as_object().cloned().unwrap(),
        ..Sandbox::on()
    };
    let words = json!({
        "enabled": true,
        "autoAllowBashIfSandboxed": true,
        "excludedCommands": ["docker"],
        "network": {
            "allowedDomains": ["example.com"],
            "allowLocalBinding": true,
            "httpProxyPort": 8080,
        },
        "filesystem": {"denyRead": ["~/.ssh"]},
        "bwrapPath": "/opt/bwrap",
    });
    assert_eq!(serde_json::to_value(&sandbox).unwrap(), words);
    assert_eq!(serde_json::from_value::<Sandbox>(words).unwrap(), sandbox);
}

#[test]
fn conversations() {
    let session = format!("--session-id={ID}");
    let resume = format!("--resume={ID}");
    let copy = format!("--session-id={OTHER_ID}");
    let at = format!("--resume-session-at={OTHER_ID}");
    let drops = format!("--resume-drops-turn={THIRD_ID}");
    check(vec![
        (new().start(Start::default()), &[]),
        (new().start(Start::new(ID)), &[&session]),
        (new().start(Start::latest()), &["--continue"]),
        (
            new().start(Start::Continue { fork: Some(Fork::default()) }),
            &["--continue", "--fork-session"],
        ),
        (
            new().start(Start::Continue { fork: Some(Fork { session_id: Some(OTHER_ID.into()) }) }),
            &["--continue", "--fork-session", &copy],
        ),
        (new().start(Resume::session(ID)), &[&resume]),
        (new().start(Resume::session("--a title")), &["--resume=--a title"]),
        (new().start(Resume::session(ID).forked()), &[&resume, "--fork-session"]),
        (new().start(Resume::session(ID).forked_as(OTHER_ID)), &[&resume, "--fork-session", &copy]),
        (new().start(Resume::session(ID).cut_at(OTHER_ID)), &[&resume, &at]),
        (new().start(Resume::session(ID).cut_before(THIRD_ID, OTHER_ID)), &[&resume, &at, &drops]),
        (new().ephemeral().session_mirror(), &["--no-session-persistence", "--session-mirror"]),
    ]);
}

#[test]
fn places_output_and_extras() {
    let quiet = Plugin { path: "b".into(), mcp: PluginMcp::Skipped };
    check(vec![
        (new().add_dirs(["a b,c", "-d"]), &["--add-dir=a b,c", "--add-dir=-d"]),
        (new().project_config_root("/src"), &["--project-config-root=/src"]),
        (new().plugins([Plugin::from("a"), quiet]), &["--plugin-dir=a", "--plugin-dir-no-mcp=b"]),
        (
            new().partial_messages().hook_events().replay_user_messages(),
            &["--include-partial-messages", "--include-hook-events", "--replay-user-messages"],
        ),
        (new().debug(Debug::All), &["--debug"]),
        (new().debug(Debug::Only("!api".into())), &["--debug=!api"]),
        (new().debug_file("/tmp/log"), &["--debug-file=/tmp/log"]),
        (
            new().extra_arg("name", "--x y").extra_flag("bare").extra_arg("empty", ""),
            &["--name=--x y", "--bare", "--empty="],
        ),
        // What only goes into the environment leaves no trace here.
        (new().cwd("/w").file_checkpointing().env_var("A", "b"), &[]),
    ]);
}

#[cfg(unix)]
#[test]
fn paths_need_not_be_unicode() {
    use std::os::unix::ffi::OsStringExt;

    let path = OsString::from_vec(b"/caf\xe9".to_vec());
    let argv = new().add_dirs([path]).argv().unwrap();
    assert_eq!(argv[3], OsString::from_vec(b"--add-dir=/caf\xe9".to_vec()));
}

#[test]
fn programs() {
    for (path, exe, before) in [
        ("/usr/bin/claude", "/usr/bin/claude", None),
        ("claude", "claude", None),
        (r"C:\bin\claude.exe", r"C:\bin\claude.exe", None),
        ("/lib/cli.js", "node", Some("/lib/cli.js")),
        ("/lib/cli.MJS", "node", Some("/lib/cli.MJS")),
        ("cli.cjs", "node", Some("cli.cjs")),
        ("cli.ts", "node", Some("cli.ts")),
        ("-e.js", "node", Some("./-e.js")),
        // A version is not an extension of a script.
        ("/versions/2.1.325", "/versions/2.1.325", None),
    ] {
        let program = Program::new(path).unwrap();
        assert_eq!(program.exe, std::path::Path::new(exe), "{path}");
        let before: Vec<OsString> = before.map(OsString::from).into_iter().collect();
        assert_eq!(program.prefix_args, before, "{path}");
    }
    assert_eq!(Program::with_runtime("cli.js", "/opt/bun").unwrap().exe.to_str(), Some("/opt/bun"));
}
