//! Which options have no command line, and why.

use serde_json::json;

use crate::invocation::*;

fn new() -> Invocation {
    Invocation::new()
}

fn empty(what: &str) -> InvocationError {
    InvocationError::Empty { what: what.into() }
}

fn nul(what: &str) -> InvocationError {
    InvocationError::Nul { what: what.into() }
}

#[test]
fn of_options() {
    use InvocationError::*;

    let not_uuid = |flag| NotUuid { flag, value: "x".into() };
    let divided = |flag, entry: &str| Divided { flag, entry: entry.into() };
    let typed = |name: &str, flag| ExtraTyped { name: name.into(), flag };
    let id = "550e8400-e29b-41d4-a716-446655440000";
    let rows = vec![
        (new().model(""), empty("--model")),
        (new().model("a\0b"), nul("--model")),
        (new().system_prompt("\0"), nul("--system-prompt")),
        (new().extra_arg("x", "\0"), nul("--x")),
        (new().add_dirs([""]), empty("--add-dir")),
        (new().debug_file(""), empty("--debug-file")),
        (new().start(Resume::session("")), empty("--resume")),
        (
            new().permission_prompts(PermissionPrompts::Tool(String::new())),
            empty("--permission-prompt-tool"),
        ),
        (new().settings(Settings::File("".into())), empty("--settings")),
        (
            new().model("opus").fallback_models(["haiku", "opus"]),
            FallbackIsModel { model: "opus".into() },
        ),
        (new().fallback_models(["a,b"]), divided(Flag::FallbackModel, "a,b")),
        (new().fallback_models([""]), empty("an entry of --fallback-model")),
        (new().betas(["a,b"]), divided(Flag::Betas, "a,b")),
        (new().tools(BaseTools::Only(vec!["Bash(ls)".into()])), divided(Flag::Tools, "Bash(ls)")),
        (
            new().setting_sources(["user,project".into()]),
            divided(Flag::SettingSources, "user,project"),
        ),
        (
            new().allowed_tools(["Read", "Bash(echo $(date) now)"]),
            TornRule { flag: Flag::AllowedTools, rule: "Bash(echo $(date) now)".into() },
        ),
        (
            new().disallowed_tools(["Bash, Edit"]),
            TornRule { flag: Flag::DisallowedTools, rule: "Bash, Edit".into() },
        ),
        (new().max_turns(0u32), NotPositive { flag: Flag::MaxTurns }),
        (new().task_budget(0u64), NotPositive { flag: Flag::TaskBudget }),
        (new().max_budget_usd(0.0), NotPositive { flag: Flag::MaxBudgetUsd }),
        (new().max_budget_usd(-1.0), NotPositive { flag: Flag::MaxBudgetUsd }),
        (new().max_budget_usd(f64::NAN), NotPositive { flag: Flag::MaxBudgetUsd }),
        (new().max_budget_usd(f64::INFINITY), NotPositive { flag: Flag::MaxBudgetUsd }),
        (new().permission_mode(PermissionMode::BypassPermissions), BypassNotAllowed),
        (
            new().permission_mode(PermissionMode::Other("bypassPermissions".into())),
            BypassNotAllowed,
        ),
        (new().permission_mode(""), empty("--permission-mode")),
        (new().json_schema(json!([])), NotAnObject { what: "the JSON schema".into() }),
        (
            new().settings(Settings::File("{a}/s.json".into())),
            PathLooksInline { flag: Flag::Settings, path: "{a}/s.json".into() },
        ),
        (
            new().mcp_config_files([" {a}.json"]),
            PathLooksInline { flag: Flag::McpConfig, path: " {a}.json".into() },
        ),
        (
            new().settings(Settings::File("s.json".into())).sandbox(Sandbox::on()),
            SandboxWithSettingsFile,
        ),
        (
            new()
                .settings(Settings::inline(json!({"sandbox": {}})).unwrap())
                .sandbox(Sandbox::on()),
            SandboxTwice,
        ),
        (new().start(Start::new("x")), not_uuid(Flag::SessionId)),
        (new().start(Resume::session(id).forked_as("x")), not_uuid(Flag::SessionId)),
        (new().start(Resume::session(id).cut_at("x")), not_uuid(Flag::ResumeSessionAt)),
        (new().start(Resume::session(id).cut_before("x", id)), not_uuid(Flag::ResumeDropsTurn)),
        (new().extra_flag("--dashes"), ExtraName { name: "--dashes".into() }),
        (new().extra_flag("a=b"), ExtraName { name: "a=b".into() }),
        (new().extra_flag(""), ExtraName { name: "".into() }),
        (new().extra_flag("a b"), ExtraName { name: "a b".into() }),
        (new().extra_arg("model", "x"), typed("model", Flag::Model)),
        (new().extra_arg("output-format", "text"), typed("output-format", Flag::OutputFormat)),
        (new().extra_arg("allowed-tools", "x"), typed("allowed-tools", Flag::AllowedTools)),
        (
            new().extra_flag("dangerously-skip-permissions"),
            typed("dangerously-skip-permissions", Flag::PermissionMode),
        ),
        (new().extra_flag("help"), ExtraLeavesPipe { name: "help".into() }),
        (new().mcp_server("", McpServer::sdk()), empty("the name of an MCP server")),
    ];
    for (invocation, expected) in rows {
        assert_eq!(invocation.argv(), Err(expected));
    }
}

#[test]
fn of_settings_that_are_no_object() {
    let what = |what: &str| InvocationError::NotAnObject { what: what.into() };
    assert_eq!(Settings::inline(json!("x")), Err(what("settings")));
    assert_eq!(ManagedSettings::inline(json!(null)), Err(what("managed settings")));
}

#[cfg(any(target_os = "linux", windows))]
#[test]
fn of_long_values() {
    let long = "x".repeat(131_072);
    assert!(new().append_system_prompt(&long).argv().is_err());
    assert!(new().append_system_prompt(PromptText::File("p".into())).argv().is_ok());
}

#[test]
fn of_batch_files() {
    for path in [
        "claude.cmd",
        "claude.CMD",
        r"C:\npm\claude.bat",
        "claude.BaT",
        // Windows takes these for the same file.
        "claude.cmd.",
        "claude.bat. .",
    ] {
        assert_eq!(Program::new(path), Err(InvocationError::BatchFile { path: path.into() }));
        assert_eq!(
            Program::with_runtime("cli.js", path),
            Err(InvocationError::BatchFile { path: path.into() })
        );
    }
    assert_eq!(Program::new(""), Err(empty("the path of the CLI")));
    assert_eq!(Program::new("a\0b"), Err(nul("the path of the CLI")));
}

#[test]
fn of_names() {
    for taken in [
        "cli",
        "mcp",
        "bench",
        "sdk-ts",
        "sdk-py",
        "sdk-cli",
        "SDK-TS",
        "claude-vscode",
        "claude-desktop",
        "claude_in_slack",
        "claude-code-github-action",
        "local-agent",
        "remote",
        "remote_mobile",
        "ssh-remote",
    ] {
        let value = taken.to_owned();
        assert_eq!(Entrypoint::new(taken), Err(InvocationError::EntrypointTaken { value }));
    }
    for malformed in ["", "a b", "1st", "-a", "Editor", "a\r\nx: y", &"x".repeat(33)] {
        let value = malformed.to_owned();
        assert_eq!(Entrypoint::new(malformed), Err(InvocationError::EntrypointMalformed { value }));
    }
    for malformed in ["", "a b", "a/b", "a_b", "a,b", "ä", &"x".repeat(49)] {
        let error = Err(InvocationError::ClientAppMalformed { value: malformed.to_owned() });
        assert_eq!(ClientApp::hosted_by(malformed, "1"), error);
        assert_eq!(ClientApp::hosted_by("a", malformed), error);
    }
}

#[test]
fn messages_say_what_to_do() {
    let error = new().allowed_tools(["Bash(f(a) b)"]).argv().unwrap_err().to_string();
    assert!(error.contains("permissions.allow"), "{error}");
    let error = Program::new("claude.cmd").unwrap_err().to_string();
    assert!(error.contains("claude.exe"), "{error}");
}
