//! What is said about a session when it is created reaches its CLI.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use pilothouse_session::event::Status;
use serde_json::{Value, json};

use super::bed::{Watcher, sim};
use super::client::Served;

/// A CLI that writes down how it was started: the arguments of each start in one file, each ended by
/// a NUL, and its environment in another.
pub(crate) struct Witness {
    dir: PathBuf,
    pub(crate) exe: PathBuf,
}

impl Witness {
    pub(crate) fn of(served: &Served) -> Self {
        let dir = served.bed.path("witness");
        std::fs::create_dir(&dir).unwrap();
        let exe = dir.join("claude");
        let (place, sim) = (dir.display(), sim());
        let text = format!(
            "#!/bin/sh\nprintf '%s\\0' \"$@\" > '{place}/args'\nenv > '{place}/env'\n\
             exec '{}' \"$@\"\n",
            sim.display()
        );
        std::fs::write(&exe, text).unwrap();
        std::fs::set_permissions(&exe, std::fs::Permissions::from_mode(0o755)).unwrap();
        Self { dir, exe }
    }

    /// The arguments of the last start.
    pub(crate) fn args(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.dir.join("args")).unwrap();
        text.split_terminator('\0').map(str::to_owned).collect()
    }

    fn has_variable(&self, line: &str) -> bool {
        let text = std::fs::read_to_string(self.dir.join("env")).unwrap();
        text.lines().any(|it| it == line)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_profile_is_what_the_cli_is_started_with() {
    let served = Served::new().await;
    let witness = Witness::of(&served);
    let library = served.bed.path("library");
    std::fs::create_dir(&library).unwrap();
    let server = json!({"type": "stdio", "command": "serve", "args": ["--loud"]});
    let profile = json!({
        "claude": witness.exe,
        "model": "opus",
        "mode": "acceptEdits",
        "append_system_prompt": "Be brief.\n--not-a-flag",
        "add_dirs": [library],
        "mcp_servers": {"notes": server},
        "strict_mcp": true,
        "agents": {"helper": {"description": "helps", "prompt": "Help."}},
        "settings": {"includeCoAuthoredBy": false},
        "allowed_tools": ["Bash(git status)", "Read"],
        "disallowed_tools": ["WebFetch"],
        "max_turns": 7,
        "max_budget_usd": 2.5,
        "allow_bypass": true,
        "env": {"MY_VARIABLE": "its value"},
        "extra_args": {"some-flag": "its word", "other-flag": null},
    });
    let session = served.session(json!({ "profile": profile })).await;
    let path = format!("/api/v1/sessions/{session}");
    let effort = json!({"effort": "low"});
    assert_eq!(served.client.put(&format!("{path}/effort"), &effort).await.status, 204);
    let thinking = json!({"max_tokens": 2000});
    assert_eq!(served.client.put(&format!("{path}/thinking"), &thinking).await.status, 204);
    let mut watcher = Watcher::new(&served.host, session, 0).await;
    served.say(session, "say hm").await;
    watcher.until_status(Status::Idle).await;

    let args = witness.args();
    let value = |flag: &str| {
        let begin = format!("--{flag}=");
        let found = args.iter().find_map(|arg| arg.strip_prefix(&begin));
        found.unwrap_or_else(|| panic!("no {flag}: {args:?}")).to_owned()
    };
    let json_of =
        |flag: &str| serde_json::from_slice::<Value>(&std::fs::read(value(flag)).unwrap()).unwrap();
    let addition = std::fs::read_to_string(value("append-system-prompt-file")).unwrap();
    assert_eq!(addition, "Be brief.\n--not-a-flag");
    assert_eq!(value("add-dir"), library.display().to_string());
    assert_eq!(json_of("mcp-config")["mcpServers"]["notes"]["command"], "serve");
    assert_eq!(json_of("mcp-config")["mcpServers"]["notes"]["args"], json!(["--loud"]));
    assert_eq!(json_of("settings")["includeCoAuthoredBy"], false);
    assert_eq!(value("some-flag"), "its word");
    assert_eq!(value("model"), "opus");
    assert_eq!(value("permission-mode"), "acceptEdits");
    assert_eq!(value("max-turns"), "7");
    assert_eq!(value("max-budget-usd"), "2.5");
    assert_eq!(value("effort"), "low");
    assert_eq!(value("max-thinking-tokens"), "2000");
    let bypass = "--allow-dangerously-skip-permissions";
    for flag in ["--strict-mcp-config", bypass, "--other-flag"] {
        assert!(args.iter().any(|arg| arg == flag), "no {flag}: {args:?}");
    }
    let allowed = value("allowedTools");
    assert!(allowed.contains("Bash(git status)") && allowed.contains("Read"), "{allowed}");
    assert!(value("disallowedTools").contains("WebFetch"));
    assert!(witness.has_variable("MY_VARIABLE=its value"));
    // Agents are named when the CLI is initialised.
    let runs = served.client.get(&format!("{path}/runs")).await.json();
    let run = runs["items"][0]["run"].as_str().unwrap();
    let log = served.client.get(&format!("{path}/runs/{run}/wire")).await.bytes;
    let log = String::from_utf8(log).unwrap();
    let first = log.lines().find(|line| line.contains(r#""subtype":"initialize""#)).unwrap();
    assert!(first.contains(r#""helper":{"#) && first.contains("Help."), "{first}");
    // Values of variables are not told.
    let told = served.client.get(&path).await.json()["settings"].to_string();
    assert!(told.contains("MY_VARIABLE") && !told.contains("its value"), "{told}");
    served.host.close().await;
}

/// Command lines are for everyone to read, environments are not.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_secret_of_a_profile_is_in_a_command_line() {
    const SECRET: &str = "s3cret-of-a-profile";
    let served = Served::new().await;
    let servers = json!({
        "notes": {"type": "sdk", "name": "notes"},
        "base": {"type": "stdio", "command": "serve", "env": {"KEY": SECRET}},
        "far": {
            "type": "http",
            "url": format!("http://me:{SECRET}@127.0.0.1:9/?key={SECRET}"),
            "headers": {"X-Key": SECRET},
        },
    });
    let settings = json!({"env": {"KEY": SECRET}, "permissions": {"allow": ["Bash(touch hm)"]}});
    let prompt = format!("The key is {SECRET}.");
    let profile =
        json!({"mcp_servers": servers, "settings": settings, "append_system_prompt": prompt});
    let session = served.session(json!({ "profile": profile })).await;
    let mut watcher = Watcher::new(&served.host, session, 0).await;
    served.say(session, "tool Bash {\"command\": \"touch hm\"}\n---\nsay hm").await;
    // Nobody is asked: the settings have arrived.
    watcher.until_status(Status::Idle).await;
    let path = format!("/api/v1/sessions/{session}");
    let there = served.client.get(&format!("{path}/mcp")).await.json();
    assert_eq!(there["mcpServers"][0]["name"], "notes", "the servers have arrived: {there}");
    // Nor are clients shown it: names stay, values go.
    let told = served.client.get(&path).await.json()["settings"]["mcp_servers"].clone();
    assert_eq!(told["far"]["url"], "http://me:***@127.0.0.1:9/?key=***");
    assert!(!told.to_string().contains(SECRET), "{told}");

    let (holder, cli) = served.bed.pids(session);
    let command_line = |pid: u32| std::fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap();
    for pid in [holder, cli] {
        assert!(!command_line(pid).contains(SECRET), "{}", command_line(pid));
    }
    let args = command_line(cli);
    let files = ["--mcp-config=", "--settings=", "--append-system-prompt-file="].map(|flag| {
        let found = args.split('\0').find_map(|arg| arg.strip_prefix(flag));
        PathBuf::from(found.unwrap_or_else(|| panic!("no {flag}: {args:?}")))
    });
    for file in &files {
        let mode = std::fs::metadata(file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", file.display());
        assert!(std::fs::read_to_string(file).unwrap().contains(SECRET), "{}", file.display());
    }
    assert_eq!(served.client.delete(&path).await.status, 204);
    for file in files {
        assert!(!file.exists(), "{}", file.display());
    }
    served.host.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_there_is_switched_off_and_on_and_connected_again() {
    let served = Served::new().await;
    let client = &served.client;
    let servers = json!({"notes": {"type": "sdk", "name": "notes"}});
    let session = served.session(json!({"profile": {"mcp_servers": servers}})).await;
    let path = format!("/api/v1/sessions/{session}/mcp");
    let mut watcher = Watcher::new(&served.host, session, 0).await;
    served.say(session, "say hm").await;
    watcher.until_status(Status::Idle).await;
    let status = async || {
        let all = client.get(&path).await.json();
        all["mcpServers"][0]["status"].as_str().unwrap_or_else(|| panic!("{all}")).to_owned()
    };
    for (enabled, is_off) in [(false, true), (true, false)] {
        let put = client.put(&format!("{path}/notes"), &json!({ "enabled": enabled })).await;
        assert_eq!(put.status, 204, "{put:?}");
        assert_eq!(status().await == "disabled", is_off);
    }
    let again = client.poke(&format!("{path}/notes/reconnect")).await;
    assert_eq!(again.status, 204, "{again:?}");
    served.host.close().await;
}
