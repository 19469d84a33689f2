//! What can be wrong from the start, each with an error that says what to do.

use std::process::Command;

use pilothouse_client::wire::invocation::{
    Effort, InvocationError, McpServer, McpStdio, Rejection,
};
use pilothouse_client::wire::permission::PermissionMode;
use pilothouse_client::{Cli, StartError, TurnError};

use crate::bed::Bed;

on_every_version!(
    wrong_path,
    not_a_program,
    ends_at_once,
    no_such_directory,
    too_old,
    wrong_mode,
    wrong_mcp_file,
    wrong_mcp_server,
    not_logged_in
);

async fn wrong_path(bed: &Bed) {
    let path = bed.harness.cwd().join("no-claude-here");
    let options = bed.options(bed.invocation()).cli(Cli::At(path.clone()));
    let error = bed.start_fails(options).await;
    assert!(matches!(&error, StartError::NoSuchProgram { path: at } if *at == path), "{error:?}");
    let text = error.to_string();
    assert!(text.contains("no-claude-here") && text.contains("correct the path"), "{text}");
}

async fn not_a_program(bed: &Bed) {
    bed.write("claude", "not a program");
    let path = bed.harness.cwd().join("claude");
    let options = bed.options(bed.invocation()).cli(Cli::At(path.clone()));
    let error = bed.start_fails(options).await;
    assert!(matches!(&error, StartError::NotExecutable { path: at } if *at == path), "{error:?}");
    assert!(error.to_string().contains("chmod +x"), "{error}");
}

async fn ends_at_once(bed: &Bed) {
    // Something else in the place of the CLI: fails without a word, or with one.
    let options = bed.options(bed.invocation()).cli(Cli::At("/bin/false".into()));
    let error = bed.start_fails(options).await;
    let StartError::Exited(exit) = &error else { panic!("{error:?}") };
    assert_eq!(exit.code, Some(1));
    let text = error.to_string();
    assert!(text.contains("exit code 1") && text.contains("--version"), "{text}");

    let wrapper = bed.path("wrapper");
    let script = r#"printf '#!/bin/sh\necho "no space left on device" >&2\nexit 3\n' > "$1" && chmod 755 "$1""#;
    // Written by another process: one that this process has open could not be started.
    let status = Command::new("sh").args(["-c", script, "sh", &wrapper]).status().unwrap();
    assert!(status.success());
    let options = bed.options(bed.invocation()).cli(Cli::At(wrapper.into()));
    let error = bed.start_fails(options).await;
    let StartError::Exited(exit) = &error else { panic!("{error:?}") };
    assert_eq!(exit.code, Some(3));
    assert!(error.to_string().contains("no space left on device"), "{error}");
}

async fn no_such_directory(bed: &Bed) {
    let cwd = bed.harness.cwd().join("gone");
    let error = bed.start_fails(bed.options(bed.invocation().cwd(cwd.clone()))).await;
    assert!(matches!(&error, StartError::NoSuchDirectory { path } if *path == cwd), "{error:?}");
    assert!(error.to_string().contains("create it or choose another"), "{error}");
}

async fn too_old(bed: &Bed) {
    let options = [
        ("--effort", bed.options(bed.invocation().effort(Effort::High))),
        ("--include-hook-events", bed.options(bed.invocation().hook_events())),
    ];
    for (flag, options) in options {
        if !bed.expected.unknown_flags.contains(&flag) {
            assert!(bed.start(options).await.end().await.success(), "{flag}");
            continue;
        }
        let error = bed.start_fails(options).await;
        let StartError::Rejected(Rejection::UnknownFlag { flag: unknown }) = &error else {
            panic!("{error:?}")
        };
        assert_eq!(unknown, flag);
        let text = error.to_string();
        assert!(text.contains("update it") && text.contains("leave the option out"), "{text}");
    }
}

async fn wrong_mode(bed: &Bed) {
    let mode = PermissionMode::from("no-such-mode");
    let error = bed.start_fails(bed.options(bed.invocation().permission_mode(mode))).await;
    let StartError::Rejected(Rejection::InvalidValue { flag, .. }) = &error else {
        panic!("{error:?}")
    };
    assert_eq!(flag, "--permission-mode");
    assert!(error.to_string().contains("Allowed choices are acceptEdits,"), "{error}");
}

async fn wrong_mcp_file(bed: &Bed) {
    bed.write("torn.json", "{\"mcpServers\": {");
    bed.write("entry.json", "{\"mcpServers\": {\"broken\": {\"command\": 7}}}");
    for name in ["missing.json", "torn.json", "entry.json"] {
        let invocation = bed.invocation().mcp_config_files([bed.path(name)]);
        let error = bed.start_fails(bed.options(invocation)).await;
        assert!(!matches!(error, StartError::Exited(_)), "{name}: {error:?}");
        let text = error.to_string();
        assert!(text.contains("MCP") && text.contains("correct"), "{name}: {text}");
    }
}

async fn wrong_mcp_server(bed: &Bed) {
    let server = McpServer::Stdio(McpStdio::default());
    let error = bed.start_fails(bed.options(bed.invocation().mcp_server("broken", server))).await;
    let StartError::Options(InvocationError::McpIncomplete { server, field }) = &error else {
        panic!("{error:?}")
    };
    assert_eq!((server.as_str(), *field), ("broken", "command"));
    assert!(error.to_string().contains("add it or leave the server out"), "{error}");
}

async fn not_logged_in(bed: &Bed) {
    let mut invocation = bed.invocation();
    let env = bed.harness.env().into_iter().filter(|(name, _)| name != "ANTHROPIC_API_KEY");
    invocation.extra_env = env.collect();
    let mut session = bed.start(bed.options(invocation)).await;
    session.say("say Never said.").await;
    let error = session.turn().await.unwrap_err();
    assert!(matches!(error, TurnError::NotLoggedIn { .. }), "{error:?}");
    let text = error.to_string();
    assert!(text.contains("log in") && text.contains("ANTHROPIC_API_KEY"), "{text}");
    assert_eq!(bed.asked().len(), 0);
    session.end().await;
}
