//! Which environment changes come of which options.

use std::time::Duration;

use crate::invocation::*;

fn new() -> Invocation {
    Invocation::new()
}

/// What every plan holds.
fn usual() -> Vec<(&'static str, &'static str)> {
    vec![
        ("CLAUDE_CODE_ENTRYPOINT", "pilothouse"),
        ("CLAUDE_AGENT_SDK_CLIENT_APP", concat!("pilothouse/", env!("CARGO_PKG_VERSION"))),
        ("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS", "1"),
        ("CLAUDE_CODE_STARTUP_FAILURE_RESULTS", "1"),
    ]
}

fn set(invocation: &Invocation) -> Vec<(String, String)> {
    let text = |os: std::ffi::OsString| os.into_string().unwrap();
    invocation.env().unwrap().set.into_iter().map(|(k, v)| (text(k), text(v))).collect()
}

#[test]
fn what_is_added() {
    let trace = TraceContext { parent: "00-a-b-01".into(), state: Some("k=v".into()) };
    for (invocation, more) in [
        (new(), vec![]),
        (new().file_checkpointing(), vec![("CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING", "true")]),
        (
            new().startup_marks().oauth_refresh().host_auth_refresh(),
            vec![
                ("CLAUDE_CODE_SDK_READS_STARTUP_MARKS", "1"),
                ("CLAUDE_CODE_SDK_HAS_OAUTH_REFRESH", "1"),
                ("CLAUDE_CODE_SDK_HAS_HOST_AUTH_REFRESH", "1"),
            ],
        ),
        (
            new().question_preview(PreviewFormat::Html),
            vec![("CLAUDE_CODE_QUESTION_PREVIEW_FORMAT", "html")],
        ),
        (
            new().background_wait(Duration::from_secs(2)),
            vec![("CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS", "2000")],
        ),
        (new().config_dir("/c"), vec![("CLAUDE_CONFIG_DIR", "/c")]),
        (new().trace(trace), vec![("TRACEPARENT", "00-a-b-01"), ("TRACESTATE", "k=v")]),
        (new().env_var("B", "2").env_var("A", "1"), vec![("A", "1"), ("B", "2")]),
    ] {
        let mut expected = usual();
        expected.extend(more);
        let expected: Vec<_> =
            expected.into_iter().map(|(k, v)| (k.to_owned(), v.to_owned())).collect();
        assert_eq!(set(&invocation), expected);
    }
}

#[test]
fn what_replaces_the_usual() {
    let mut silent = new().state_events(StateEvents::Off);
    silent.startup_failure_results = false;
    assert_eq!(set(&silent).len(), 2);

    let marked = new().state_events(StateEvents::HostOnly).env().unwrap();
    assert_eq!(marked.get("CLAUDE_CODE_SDK_READS_SESSION_STATE").unwrap(), "1");
    assert_eq!(marked.get("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS"), None);

    let named = new()
        .entrypoint(Entrypoint::new("my-editor").unwrap())
        .client_app(ClientApp::hosted_by("My.Editor", "2.3-rc1").unwrap())
        .env()
        .unwrap();
    assert_eq!(named.get("CLAUDE_CODE_ENTRYPOINT").unwrap(), "my-editor");
    assert_eq!(
        named.get("CLAUDE_AGENT_SDK_CLIENT_APP").unwrap(),
        concat!("pilothouse/", env!("CARGO_PKG_VERSION"), "_My.Editor_2.3-rc1")
    );
}

#[test]
fn what_is_removed() {
    let plan = new().env().unwrap();
    for name in ["NODE_OPTIONS", "DEBUG", "CLAUDECODE", "CLAUDE_AGENT_SDK_VERSION"] {
        assert!(plan.remove.contains(&name.into()), "{name}");
    }
    // The host's wish is stronger than the habit.
    let kept = new().env_var("NODE_OPTIONS", "--max-old-space-size=8192").env().unwrap();
    assert!(!kept.remove.contains(&"NODE_OPTIONS".into()));
    assert!(kept.get("NODE_OPTIONS").is_some());

    let removed = new().env_remove(["CLAUDE_CODE_STARTUP_FAILURE_RESULTS", "X"]).env().unwrap();
    assert_eq!(removed.get("CLAUDE_CODE_STARTUP_FAILURE_RESULTS"), None);
    assert!(removed.remove.contains(&"X".into()));

    let trace = TraceContext { parent: "p".into(), state: None };
    assert!(new().trace(trace).env().unwrap().remove.contains(&"TRACESTATE".into()));
}

#[cfg(unix)]
#[test]
fn the_working_directory() {
    assert_eq!(new().env().unwrap().get("PWD"), None);
    assert_eq!(new().cwd("/w").env().unwrap().get("PWD").unwrap(), "/w");
    let relative = new().cwd("w").env().unwrap();
    assert_eq!(relative.get("PWD"), None);
    assert!(relative.remove.contains(&"PWD".into()));
}

#[test]
fn what_cannot_be_set() {
    use InvocationError::{Empty, EnvIdentity, EnvName, Nul};
    for (invocation, expected) in [
        (new().env_var("", "x"), EnvName { name: "".into() }),
        (new().env_var("a=b", "x"), EnvName { name: "a=b".into() }),
        (new().env_remove(["a\0"]), EnvName { name: "a\0".into() }),
        (new().env_var("A", "\0"), Nul { what: "A".into() }),
        (new().cwd("/\0"), Nul { what: "PWD".into() }),
        (new().config_dir(""), Empty { what: "the configuration directory".into() }),
        (
            new().env_var("CLAUDE_CODE_ENTRYPOINT", "sdk-ts"),
            EnvIdentity { name: "CLAUDE_CODE_ENTRYPOINT".into() },
        ),
        (
            new().env_var("claude_agent_sdk_version", "1"),
            EnvIdentity { name: "claude_agent_sdk_version".into() },
        ),
        (
            new().env_remove(["CLAUDE_AGENT_SDK_CLIENT_APP"]),
            EnvIdentity { name: "CLAUDE_AGENT_SDK_CLIENT_APP".into() },
        ),
    ] {
        assert_eq!(invocation.env(), Err(expected));
    }
}

#[test]
fn debug_output_hides_values() {
    let mut server = McpServer::http("https://example.com");
    if let McpServer::Http(remote) = &mut server {
        remote.headers.insert("Authorization", "hush");
    }
    let invocation = new()
        .env_var("ANTHROPIC_API_KEY", "hush")
        .mcp_server("remote", server)
        .settings(Settings::inline(serde_json::json!({"env": {"KEY": "hush"}})).unwrap());
    let shown = format!("{invocation:?} {:?}", invocation.env().unwrap());
    assert!(!shown.contains("hush"), "{shown}");
    assert!(shown.contains("ANTHROPIC_API_KEY") && shown.contains("Authorization"), "{shown}");
}
