//! Every way to ask for the mode that asks nothing, in sessions that may not have it.

use pilothouse_host::HostError;
use pilothouse_host::host::{ImportSession, ModeError, Profile};
use pilothouse_session::Command;
use pilothouse_session::approval::{Decision, Suggestion};
use pilothouse_session::event::Status;
use pilothouse_session::id::SessionId;
use pilothouse_wire::control::settings::SetPermissionMode;
use pilothouse_wire::{PermissionMode, PermissionUpdate};
use serde_json::{Value, json};

use super::bed::{Watcher, decide, prompt};
use super::raw::{Replies, Target};

/// The mode as the CLI spells it, and as somebody might spell it to get around a check.
const MODES: [&str; 34] = [
    "bypassPermissions",
    "BypassPermissions",
    "bypasspermissions",
    "BYPASSPERMISSIONS",
    "ByPaSsPeRmIsSiOnS",
    "bypass",
    "Bypass",
    "bypass-permissions",
    "bypass_permissions",
    "bypassPermission",
    "bypassEverything",
    "autoBypass",
    "default-bypass",
    "bypassPermissions ",
    " bypassPermissions",
    "\tbypassPermissions",
    "bypassPermissions\n",
    "bypassPermissions\r\n",
    "bypassPermissions\0",
    "bypass Permissions",
    "bypass\u{200b}Permissions",
    "bypass\u{ad}Permissions",
    "\u{feff}bypassPermissions",
    "bуpassPermissions",
    "ｂｙｐａｓｓＰｅｒｍｉｓｓｉｏｎｓ",
    "bypassPermıssions",
    "default,bypassPermissions",
    "default bypassPermissions",
    "default=bypassPermissions",
    "{\"mode\":\"bypassPermissions\"}",
    "--dangerously-skip-permissions",
    "-bypassPermissions",
    "../bypassPermissions",
    "",
];

/// Flags that would bring the mode about, or loosen what protects from it, as `extra_args`.
fn flags() -> Vec<(&'static str, Value)> {
    let mode = json!("bypassPermissions");
    let settings = json!(r#"{"permissions":{"defaultMode":"bypassPermissions"}}"#);
    vec![
        ("dangerously-skip-permissions", Value::Null),
        ("dangerously-skip-permissions", json!("true")),
        ("dangerously-skip-permissions", json!("")),
        ("allow-dangerously-skip-permissions", Value::Null),
        ("allow-dangerously-skip-permissions", json!("true")),
        ("permission-mode", mode.clone()),
        ("permission-mode", json!("default")),
        ("permission-mode=bypassPermissions", Value::Null),
        ("dangerously-skip-permissions=true", Value::Null),
        ("--dangerously-skip-permissions", Value::Null),
        ("-dangerously-skip-permissions", Value::Null),
        (" dangerously-skip-permissions", Value::Null),
        ("dangerously-skip-permissions ", Value::Null),
        ("x --dangerously-skip-permissions", Value::Null),
        ("x\n--dangerously-skip-permissions", Value::Null),
        ("x\0--dangerously-skip-permissions", Value::Null),
        ("", json!("--dangerously-skip-permissions")),
        ("-", json!("--dangerously-skip-permissions")),
        ("--", json!("--dangerously-skip-permissions")),
        ("permission-prompt-tool", json!("mcp__evil__yes")),
        ("permission-prompts", json!("none")),
        ("settings", settings.clone()),
        ("managed-settings", settings),
        ("setting-sources", json!("user,project,local")),
        ("allowedTools", json!("*")),
        ("allowed-tools", json!("*")),
        ("tools", json!("default")),
        ("mcp-config", json!("{}")),
        ("plugin-dir", json!("/tmp")),
        ("agent", json!("evil")),
        ("output-format", json!("text")),
        ("input-format", json!("text")),
        ("version", Value::Null),
        ("help", Value::Null),
        ("background", Value::Null),
        ("sdk-url", json!("ws://127.0.0.1:1")),
    ]
}

struct Attacker {
    target: Target,
    host: String,
}

impl Attacker {
    async fn open() -> Self {
        let target = Target::open().await;
        let host = format!("Host: {}", target.place.address);
        Self { target, host }
    }

    async fn ask(&self, start: &str, body: &Value) -> Replies {
        let json = "Content-Type: application/json".to_owned();
        let lines = [self.host.clone(), self.target.bearer(), json];
        self.target.ask(start, &lines, &body.to_string()).await
    }

    async fn create(&self, profile: Value) -> Replies {
        let cwd = self.target.bed.path("work");
        self.ask("POST /api/v1/sessions", &json!({"cwd": cwd, "profile": profile})).await
    }

    /// The mode that a session has, as everybody is told.
    async fn mode(&self, session: SessionId) -> Option<String> {
        self.target.place.host.session(session).await.unwrap().mode
    }
}

fn refused(reply: &Replies, row: &str) {
    let problem = (reply.status(), reply.problem());
    let fits = [(409, "conflict"), (422, "invalid-input")].contains(&problem);
    assert!(fits, "{row}: {reply:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_session_is_created_in_bypass_mode() {
    let attacker = Attacker::open().await;
    let before = attacker.target.stored();
    for mode in MODES {
        let reply = attacker.create(json!({ "mode": mode })).await;
        refused(&reply, &format!("created in {mode:?}"));
        let wish = ImportSession {
            profile: Profile { mode: Some(mode.to_owned()), ..Profile::default() },
            ..ImportSession::default()
        };
        let past = uuid::Uuid::nil().to_string();
        assert!(attacker.target.place.host.import(&past, wish).await.is_err(), "{mode:?}");
        let start = format!("POST /api/v1/history/{past}/import");
        let reply = attacker.ask(&start, &json!({"profile": {"mode": mode}})).await;
        assert!((400..500).contains(&reply.status()), "imported in {mode:?}: {reply:?}");
    }
    for (name, value) in flags() {
        let reply = attacker.create(json!({"extra_args": {name: value}})).await;
        refused(&reply, &format!("extra_args {name:?} {value}"));
    }
    // Words of the profile that are not of the type or name that could allow it.
    for profile in [
        json!({"mode": "bypassPermissions", "allow_bypass": "true"}),
        json!({"mode": "bypassPermissions", "allow_bypass": 1}),
        json!({"mode": "bypassPermissions", "allow_bypass": null}),
        json!({"mode": "bypassPermissions", "allow_bypass": [true]}),
        json!({"mode": "bypassPermissions", "allowBypass": true}),
        json!({"mode": "bypassPermissions", "Allow_Bypass": true}),
        json!({"mode": "bypassPermissions", "dangerously_skip_permissions": true}),
        json!({"permission_mode": "bypassPermissions"}),
        json!({"permissionMode": "bypassPermissions"}),
        json!({"mode": ["bypassPermissions"]}),
        json!({"mode": {"name": "bypassPermissions"}}),
    ] {
        refused(&attacker.create(profile.clone()).await, &profile.to_string());
    }
    assert_eq!(attacker.target.stored(), before);
    attacker.target.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_session_is_switched_to_bypass_mode() {
    let attacker = Attacker::open().await;
    let host = attacker.target.place.host.clone();
    let session = attacker.target.session().await;
    let mut watcher = Watcher::new(&host, session, 0).await;
    let mut socket = attacker.target.place.socket().await;
    for round in ["without a run", "with a run"] {
        for mode in MODES {
            let row = format!("{mode:?} {round}");
            let start = format!("PUT /api/v1/sessions/{session}/mode");
            refused(&attacker.ask(&start, &json!({ "mode": mode })).await, &row);
            let order = json!({"do": "set_mode", "mode": mode});
            let reply = socket.ask(&session.to_string(), order).await.unwrap();
            let status = reply["problem"]["status"].as_u64();
            assert!(matches!(status, Some(409 | 422)), "{row}: {reply}");
            let mode = PermissionMode::from(mode);
            let request = SetPermissionMode { mode: mode.clone(), extra: Default::default() };
            for command in [Command::SetMode { mode }, Command::Request(Box::new(request.into()))] {
                let refused = host.command(session, command).await;
                assert!(matches!(refused, Err(HostError::Mode(_))), "{row}: {refused:?}");
            }
            assert!(
                !attacker.mode(session).await.unwrap_or_default().to_lowercase().contains("bypass"),
                "{row}"
            );
        }
        prompt(&host, session, "say hm").await;
        watcher.until_status(Status::Idle).await;
    }
    attacker.target.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_answer_switches_to_bypass_mode() {
    let attacker = Attacker::open().await;
    let host = attacker.target.place.host.clone();
    let session = attacker.target.session().await;
    let mut watcher = Watcher::new(&host, session, 0).await;
    let mut socket = attacker.target.place.socket().await;
    prompt(&host, session, "tool Bash {\"command\":\"touch made\"}\n---\nsay done").await;
    let approval = watcher.until_asked().await;
    let start = format!("POST /api/v1/sessions/{session}/approvals/{approval}/decision");
    for mode in MODES {
        let set =
            |mode: &str, to: &str| json!({"type": "setMode", "mode": mode, "destination": to});
        let rules = json!({
            "type": "addRules", "behavior": "allow", "destination": "session",
            "rules": [{"toolName": "Bash"}],
        });
        let updates = [
            json!([set(mode, "session")]),
            json!([set(mode, "localSettings")]),
            json!([set(mode, "userSettings")]),
            json!([set("default", "session"), set(mode, "session")]),
            json!([set(mode, "session"), set("default", "session")]),
            json!([rules, set(mode, "session")]),
        ];
        for updates in updates {
            let row = format!("answered with {updates}");
            let decision = json!({"kind": "allow", "updates": updates});
            refused(&attacker.ask(&start, &decision).await, &row);
            let order = json!({"do": "decide", "approval": approval, "decision": decision});
            let reply = socket.ask(&session.to_string(), order).await.unwrap();
            assert!(!reply["problem"].is_null(), "{row}: {reply}");
        }
        let update = PermissionUpdate::set_mode(PermissionMode::from(mode));
        let allow = Decision::Allow { input: None, updates: vec![Suggestion(update)] };
        let refused = decide(&host, session, approval, allow).await;
        assert!(matches!(refused, Err(HostError::Mode(_))), "{mode:?}: {refused:?}");
    }
    assert_eq!(host.detail(session).await.unwrap().approvals.len(), 1, "it is still open");
    assert!(!attacker.target.bed.path("work/made").exists());
    attacker.target.close().await;
}

/// A copy or a continuation of a conversation that was led in the mode does not have it, unless its
/// own profile allows it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn conversations_of_bypass_mode_go_on_without_it() {
    let attacker = Attacker::open().await;
    let host = attacker.target.place.host.clone();
    let made = attacker.create(json!({"allow_bypass": true})).await;
    assert_eq!(made.status(), 201, "{made:?}");
    let (_, body) = made.0.split_once("\r\n\r\n").unwrap();
    let made: Value = serde_json::from_str(body).unwrap();
    let session: SessionId = serde_json::from_value(made["id"].clone()).unwrap();
    let mut watcher = Watcher::new(&host, session, 0).await;
    prompt(&host, session, "say hm").await;
    watcher.until_status(Status::Idle).await;
    // Without a run: a CLI that root starts does not take the mode.
    host.command(session, Command::Stop).await.unwrap();
    watcher.until_status(Status::Ended).await;
    let mode = PermissionMode::BypassPermissions;
    host.command(session, Command::SetMode { mode }).await.unwrap();
    assert_eq!(attacker.mode(session).await.as_deref(), Some("bypassPermissions"));
    let conversation = host.session(session).await.unwrap().cli_session.unwrap();
    let cwd = attacker.target.bed.path("work");
    let beginnings = [
        json!({"kind": "fork", "session": session}),
        json!({"kind": "copy", "cli_session": conversation}),
    ];
    for begin in beginnings {
        let with = |profile: Value| json!({"cwd": cwd, "begin": begin, "profile": profile});
        let reply = attacker
            .ask("POST /api/v1/sessions", &with(json!({"mode": "bypassPermissions"})))
            .await;
        refused(&reply, &format!("{begin} in the mode"));
        let reply = attacker.ask("POST /api/v1/sessions", &with(json!({}))).await;
        assert_eq!(reply.status(), 201, "{begin}: {reply:?}");
        let (_, body) = reply.0.split_once("\r\n\r\n").unwrap();
        let copy: Value = serde_json::from_str(body).unwrap();
        assert!(copy["mode"].is_null() || copy["mode"] == "default", "{begin}: {copy}");
        let copy: SessionId = serde_json::from_value(copy["id"].clone()).unwrap();
        let mode = PermissionMode::BypassPermissions;
        let refused = host.command(copy, Command::SetMode { mode }).await;
        assert!(matches!(refused, Err(HostError::Mode(ModeError::Bypass))), "{refused:?}");
        let mut watcher = Watcher::new(&host, copy, 0).await;
        prompt(&host, copy, "tool Bash {\"command\":\"touch made\"}\n---\nsay done").await;
        watcher.until_asked().await;
        assert!(!attacker.target.bed.path("work/made").exists(), "{begin}");
    }
    attacker.target.close().await;
}
