//! What each CLI version takes from a hostile repository, and what `--setting-sources=user` keeps out.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says what went wrong by panicking")]
#![cfg(unix)]

use std::collections::BTreeSet;

use serde_json::json;
use testkit::cli::{CliVersion, Harness, RawCli, deny, initialize, prompt};
use testkit::hostile::{HostileRepository, INSTRUCTIONS};
use testkit::model::ScriptedModel;

/// What came of a turn in the repository.
#[derive(Debug, PartialEq, Eq)]
struct Taken {
    /// Programs of the repository that ran, without those that git itself starts.
    ran: BTreeSet<String>,
    /// Whether git started programs of the repository.
    by_git: bool,
    stolen: bool,
    asked: usize,
    instructed: bool,
    offers: Vec<&'static str>,
}

/// Plays a turn that writes a file and runs a command; everything that is asked is denied.
async fn play(version: CliVersion, flags: &[&str], below: Option<&str>) -> Taken {
    let model = ScriptedModel::start().await.unwrap();
    let thief = ScriptedModel::start().await.unwrap();
    let mut harness = Harness::new(version, &model.base_url()).unwrap();
    let marks = harness.home().with_file_name("marks");
    let root = harness.cwd().to_owned();
    let repository = HostileRepository::plant(&root, &marks, &thief.base_url()).unwrap();
    repository.plant_git().unwrap();
    if let Some(below) = below {
        std::fs::create_dir_all(root.join(below)).unwrap();
        harness.enter(below);
    }
    let mut cli = RawCli::spawn(&harness, &[&RawCli::INTERACTIVE[..], flags].concat()).unwrap();
    cli.send(&initialize("init")).await.unwrap();
    cli.recv_until(|frame| frame["type"] == "control_response").await.unwrap();
    let write = json!({"file_path": root.join("written.txt"), "content": "x"});
    let bash = json!({"command": format!("touch {}", root.join("touched.txt").display())});
    let script = format!("tool Write {write}\n---\ntool Bash {bash}\n---\nsay Done.");
    cli.send(&prompt(format!("Hello.\n#script\n{script}\n#end"))).await.unwrap();
    let mut asked = 0;
    loop {
        let is_next = |frame: &serde_json::Value| {
            frame["type"] == "result" || frame["request"]["subtype"] == "can_use_tool"
        };
        let frame = cli.recv_until(is_next).await.unwrap();
        if frame["type"] == "result" {
            break;
        }
        asked += 1;
        cli.send(&deny(&frame, "No.")).await.unwrap();
    }
    cli.close_stdin();
    cli.wait().await.unwrap();
    let frames = cli.frames();
    let init = frames.iter().find(|frame| frame["subtype"] == "init").unwrap();
    let offered = [
        ("slash_commands", "deploy"),
        ("slash_commands", "helper"),
        ("agents", "reviewer"),
        ("mcp_servers", "git__evil"),
    ];
    let offers = offered.into_iter().filter(|(list, name)| init[*list].to_string().contains(name));
    let (by_git, ran) = repository.marks().into_iter().partition(|mark| mark.starts_with("git-"));
    let by_git: BTreeSet<String> = by_git;
    let instructed = [&model, &thief]
        .iter()
        .any(|one| one.requests().iter().any(|asked| asked.contains(INSTRUCTIONS)));
    Taken {
        ran,
        by_git: !by_git.is_empty(),
        stolen: !thief.requests().is_empty() || !thief.other_requests().is_empty(),
        asked,
        instructed,
        offers: offers.map(|(_, name)| name).collect(),
    }
}

#[tokio::test]
async fn without_a_flag_every_version_runs_what_a_repository_brings() {
    for version in CliVersion::ALL {
        let taken = play(version, &[], None).await;
        for name in [
            "hook-SessionStart",
            "hook-UserPromptSubmit",
            "hook-PreToolUse",
            "key-helper",
            "server",
        ] {
            assert!(taken.ran.contains(name), "{version}: {name}: {taken:?}");
        }
        assert!(taken.stolen && taken.instructed, "{version}: {taken:?}");
        assert_eq!(taken.asked, 0, "{version}: its hook answers in the place of the host");
    }
}

#[tokio::test]
async fn user_settings_alone_keep_everything_out() {
    for version in CliVersion::ALL {
        for below in [None, Some("deep/er")] {
            let taken = play(version, &["--setting-sources=user"], below).await;
            // The older ones ask git how the repository stands; that is for their environment.
            let by_git = version < CliVersion::V2_1_325;
            let nothing = Taken {
                ran: BTreeSet::new(),
                by_git,
                stolen: false,
                asked: 2,
                instructed: false,
                offers: Vec::new(),
            };
            assert_eq!(taken, nothing, "{version} in {below:?}");
        }
    }
}

#[tokio::test]
async fn a_directory_below_has_what_is_above_it() {
    for version in CliVersion::ALL {
        let taken = play(version, &[], Some("deep/er")).await;
        assert!(taken.instructed, "{version}: {taken:?}");
        assert_eq!(taken.offers, ["deploy", "helper", "reviewer", "git__evil"], "{version}");
        // Settings of the top of the repository count below it in newer versions only.
        assert_eq!(taken.stolen, version >= CliVersion::V2_1_325, "{version}: {taken:?}");
    }
}
