//! What the CLI is given in files, at every version.

use std::os::unix::fs::PermissionsExt;

use pilothouse_host::host::Profile;
use pilothouse_session::event::{Outcome, Status};
use serde_json::json;
use testkit::cli::CliVersion;

use super::bed::prompt;
use super::stage::{Stage, settled};

/// Every user of the machine can read a command line.
#[tokio::test]
async fn the_system_prompt_and_mcp_urls_reach_every_version_without_the_command_line() {
    const PROMPT: &str = "Prefix every answer with zebra-4711.\nUse \"quotes\" and --flags.";
    const SECRET: &str = "s3cret-of-a-profile";
    for version in CliVersion::ALL {
        let stage = Stage::of(version).await;
        let host = stage.host().await;
        let profile: Profile = serde_json::from_value(json!({
            "append_system_prompt": PROMPT,
            "mcp_servers": {
                "far": {
                    "type": "http",
                    "url": format!("http://me:{SECRET}@127.0.0.1:9/mcp?key={SECRET}"),
                    "headers": {"X-Key": SECRET},
                },
            },
            "settings": {"env": {"MY_KEY": SECRET}},
            "env": {"MY_TOKEN": SECRET},
        }))
        .unwrap();
        let (session, mut watcher) = stage.session_with(&host, profile).await;
        prompt(&host, session, "say Hello.").await;
        assert_eq!(settled(&mut watcher).await, Outcome::Done, "{version:?}");
        watcher.until_status(Status::Idle).await;
        let asked = stage.last_asked();
        assert!(asked.contains("Prefix every answer with zebra-4711."), "{version:?}");
        assert!(asked.contains("--flags."), "{version:?}");
        let (holder, cli) = stage.bed.pids(session);
        for pid in [holder, cli] {
            let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap();
            let line = String::from_utf8_lossy(&line);
            for text in [SECRET, "zebra-4711"] {
                assert!(!line.contains(text), "{version:?}: {line}");
            }
        }
        // Some versions overwrite their command line with a title, so the flag is not looked for.
        let file = stage.bed.path("data/runs").join(session.to_string()).join("system-prompt.txt");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), PROMPT);
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        host.close().await;
    }
}
