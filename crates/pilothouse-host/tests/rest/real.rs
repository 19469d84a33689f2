//! The main scenarios with Claude Code itself and a scripted model on loopback.

use std::time::Duration;

use pilothouse_client::Cli;
use pilothouse_host::Host;
use pilothouse_host::http::rest::Patience;
use pilothouse_session::event::{Body, Status};
use pilothouse_session::id::SessionId;
use serde_json::{Value, json};
use testkit::cli::{CliVersion, Harness};
use testkit::model::ScriptedModel;

use super::bed::{Bed, Watcher, script};
use super::client::{Client, serve};
use super::prompts::PIXEL;

/// A host whose sessions are served by the real CLI.
struct Real {
    // Dropped first: it ends what still runs.
    _bed: Bed,
    host: Host,
    client: Client,
    model: ScriptedModel,
    harness: Harness,
}

impl Real {
    async fn new() -> Self {
        Self::of(CliVersion::V2_1_326).await
    }

    async fn of(version: CliVersion) -> Self {
        let model = ScriptedModel::start().await.unwrap();
        let harness = Harness::new(version, &model.base_url()).unwrap();
        let bed = Bed::new();
        let mut options = bed.options("");
        options.cli = Cli::At(harness.program().to_owned());
        options.env = harness.env();
        options.times.after_eof = Duration::from_secs(5);
        let host = Host::open(options).await.unwrap();
        let (client, _) = serve(&host, Patience::default()).await;
        Self { _bed: bed, host, client, model, harness }
    }

    async fn session(&self, more: Value) -> (SessionId, String, Watcher) {
        let mut body = more;
        body["cwd"] = json!(self.harness.cwd());
        let made = self.client.post("/api/v1/sessions", &body).await;
        assert_eq!(made.status, 201, "{made:?}");
        let session = serde_json::from_value(made.json()["id"].clone()).unwrap();
        let watcher = Watcher::new(&self.host, session, 0).await;
        (session, format!("/api/v1/sessions/{session}"), watcher)
    }

    async fn say(&self, path: &str, lines: &str) -> String {
        let body = json!({ "text": script(lines) });
        let answer = self.client.post(&format!("{path}/prompts"), &body).await;
        assert_eq!(answer.status, 202, "{answer:?}");
        answer.json()["prompt"].as_str().unwrap().to_owned()
    }

    async fn decide(&self, path: &str, watcher: &mut Watcher, decision: Value) -> Value {
        let approval = watcher.until_asked().await;
        let open = self.client.get(&format!("{path}/approvals?state=open")).await.json();
        let decided =
            self.client.post(&format!("{path}/approvals/{approval}/decision"), &decision).await;
        assert_eq!(decided.status, 204, "{decided:?}");
        open["items"][0]["request"]["subject"].clone()
    }

    /// What the tools gave, as the model was told last.
    fn results(&self) -> String {
        let asked = self.model.requests().into_iter().rfind(|request| !request.tools().is_empty());
        asked.unwrap().tool_results().into_iter().map(|result| result.text).collect()
    }

    fn file(&self, name: &str) -> std::path::PathBuf {
        self.harness.cwd().join(name)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn talking_with_an_image_stopping_resuming_and_forking() {
    let real = Real::new().await;
    let client = &real.client;
    let (_, path, mut watcher) = real.session(json!({})).await;
    let body = json!({
        "text": format!("What is this?\n{}", script("say A dot.")),
        "images": [{"media_type": "image/png", "data": PIXEL}],
    });
    assert_eq!(client.post(&format!("{path}/prompts"), &body).await.status, 202);
    watcher.until(|body| matches!(body, Body::Complete { .. })).await;
    let events = client.get(&format!("{path}/events")).await.json();
    let said = |event: &Value| event["type"] == "message" && event["text"] == "A dot.";
    assert!(events["items"].as_array().unwrap().iter().any(said), "{events}");
    let asked = real.model.requests().into_iter().rfind(|request| !request.tools().is_empty());
    assert_eq!(asked.unwrap().user_blocks("image")[0]["source"]["data"], PIXEL);
    watcher.until_status(Status::Idle).await;

    let commands = client.get(&format!("{path}/commands")).await.json();
    assert!(commands["items"].as_array().unwrap().len() > 3, "{commands}");
    let context = client.get(&format!("{path}/context")).await.json();
    assert!(context["totalTokens"].is_u64(), "{context}");
    assert_eq!(client.get(&format!("{path}/mcp")).await.status, 200);

    real.say(&path, "say Going on\nhold middle\nmore \" for ever.\"").await;
    real.model.wait_held("middle").await.unwrap();
    let stopped = client.post(&format!("{path}/interrupt"), &json!({})).await;
    assert_eq!(stopped.status, 200, "{stopped:?}");
    watcher.until_status(Status::Idle).await;

    let before = client.get(&path).await.json()["cli_session"].clone();
    assert_eq!(client.poke(&format!("{path}/stop")).await.status, 202);
    watcher.until_status(Status::Ended).await;
    real.say(&path, "say Here again.").await;
    watcher.until_status(Status::Idle).await;
    assert_eq!(watcher.texts().last().unwrap(), "Here again.");
    assert_eq!(client.get(&path).await.json()["cli_session"], before);
    let asked = real.model.requests().into_iter().rfind(|request| !request.tools().is_empty());
    assert!(asked.unwrap().body.to_string().contains("A dot."), "it knows what was said");

    let fork = client.post(&format!("{path}/fork"), &json!({})).await;
    assert_eq!(fork.status, 201, "{fork:?}");
    let copy: SessionId = serde_json::from_value(fork.json()["id"].clone()).unwrap();
    let mut other = Watcher::new(&real.host, copy, 0).await;
    let copy = format!("/api/v1/sessions/{copy}");
    real.say(&copy, "say In a copy.").await;
    other.until_status(Status::Idle).await;
    assert_ne!(client.get(&copy).await.json()["cli_session"], before);
    for path in [path, copy] {
        assert_eq!(client.delete(&path).await.status, 204);
    }
    real.host.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tools_are_allowed_and_denied_and_files_put_back() {
    let real = Real::new().await;
    let client = &real.client;
    let (_, path, mut watcher) = real.session(json!({})).await;
    let write = json!({"file_path": real.file("note.txt"), "content": "one\n"});
    let prompt = real.say(&path, &format!("tool Write {write}\n---\nsay Written.")).await;
    let asked = real.decide(&path, &mut watcher, json!({"kind": "allow"})).await;
    assert_eq!((&asked["kind"], &asked["tool_name"]), (&json!("tool"), &json!("Write")));
    watcher.until_status(Status::Idle).await;
    assert!(real.file("note.txt").exists());

    let touch = format!("touch {}", real.file("never").display());
    let bash = json!({"command": touch, "description": "Make a file"});
    real.say(&path, &format!("tool Bash {bash}\n---\nsay Then not.")).await;
    let no = json!({"kind": "deny", "message": "Not on a Monday."});
    real.decide(&path, &mut watcher, no).await;
    watcher.until_status(Status::Idle).await;
    assert!(!real.file("never").exists());
    assert!(real.results().contains("Not on a Monday."), "{}", real.results());

    let rewind = |id: &str, dry_run: bool| json!({"user_message_id": id, "dry_run": dry_run});
    let would = client.post(&format!("{path}/rewind"), &rewind(&prompt, true)).await.json();
    assert_eq!(would["can_rewind"], true, "{would}");
    assert_eq!(would["files_changed"], json!([real.file("note.txt")]), "{would}");
    assert_eq!(would["files"][0]["kind"], "deleted", "{would}");
    let diff = would["files"][0]["patch"]["diff"].as_str().unwrap();
    assert!(diff.ends_with("+++ /dev/null\n@@ -1 +0,0 @@\n-one\n"), "{diff}");
    assert!(real.file("note.txt").exists());
    let done = client.post(&format!("{path}/rewind"), &rewind(&prompt, false)).await;
    assert_eq!(done.status, 200, "{done:?}");
    assert!(!real.file("note.txt").exists());
    let nobody = uuid::Uuid::new_v4().to_string();
    let not = client.post(&format!("{path}/rewind"), &rewind(&nobody, true)).await.json();
    assert_eq!(not["can_rewind"], false, "{not}");
    let not = client.post(&format!("{path}/rewind"), &rewind(&nobody, false)).await;
    not.is_problem(422, "unprocessable");
    assert_eq!(client.delete(&path).await.status, 204);
    real.host.close().await;
}

/// They are in files, since a command line can be read by everyone.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_and_settings_arrive() {
    for version in [CliVersion::V2_1_7, CliVersion::V2_1_325] {
        let real = Real::of(version).await;
        let servers = json!({"away": {"type": "stdio", "command": "/nowhere/serve"}});
        let settings = json!({"env": {"FROM_SETTINGS": "walrus"}});
        let profile = json!({"mcp_servers": servers, "settings": settings});
        let (_, path, mut watcher) = real.session(json!({ "profile": profile })).await;
        let bash = json!({"command": "echo $FROM_SETTINGS > said", "description": "Say it"});
        real.say(&path, &format!("tool Bash {bash}\n---\nsay Said.")).await;
        real.decide(&path, &mut watcher, json!({"kind": "allow"})).await;
        watcher.until_status(Status::Idle).await;
        assert_eq!(std::fs::read_to_string(real.file("said")).unwrap(), "walrus\n", "{version:?}");
        let there = real.client.get(&format!("{path}/mcp")).await.json();
        let names = there["mcpServers"].as_array().unwrap().iter().map(|server| &server["name"]);
        assert_eq!(names.collect::<Vec<_>>(), ["away"], "{version:?} {there}");
        assert_eq!(real.client.delete(&path).await.status, 204);
        real.host.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plan_is_carried_out_and_a_question_answered() {
    let real = Real::new().await;
    let (_, path, mut watcher) = real.session(json!({"profile": {"mode": "plan"}})).await;
    let write = json!({"file_path": real.file("plan.txt"), "content": "done\n"});
    let exit = json!({"plan": "1. Write it."});
    let lines = format!("tool ExitPlanMode {exit}\n---\ntool Write {write}\n---\nsay Done.");
    real.say(&path, &lines).await;
    let choice = json!({"kind": "plan", "choice": "accept_edits"});
    let asked = real.decide(&path, &mut watcher, choice).await;
    assert_eq!(asked["kind"], "plan", "{asked}");
    watcher.until_status(Status::Idle).await;
    assert_eq!(watcher.texts().last().unwrap(), "Done.");
    assert!(real.file("plan.txt").exists(), "without another question");
    assert_eq!(real.client.get(&path).await.json()["mode"], "acceptEdits");

    let option = |label: &str| json!({"label": label, "description": "that one"});
    let questions = json!({"questions": [{
        "question": "Which colour?", "header": "Colour", "multiSelect": false,
        "options": [option("Red"), option("Green")],
    }]});
    real.say(&path, &format!("tool AskUserQuestion {questions}\n---\nsay Thank you.")).await;
    let answers = json!([{"question": "Which colour?", "answers": ["Green"]}]);
    let decision = json!({"kind": "answers", "answers": answers});
    let asked = real.decide(&path, &mut watcher, decision).await;
    assert_eq!(asked["questions"][0]["question"], "Which colour?", "{asked}");
    watcher.until_status(Status::Idle).await;
    assert!(real.results().contains("Green"), "{}", real.results());
    assert_eq!(real.client.delete(&path).await.status, 204);
    real.host.close().await;
}

/// What a dry run shows is what then is done: its patches, applied to the files as they are, give
/// the files as they will be.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_dry_run_shows_is_what_a_rewind_does() {
    let real = Real::new().await;
    let client = &real.client;
    let profile = json!({"profile": {"mode": "acceptEdits"}});
    let (_, path, mut watcher) = real.session(profile).await;
    let lines: String = (1..=40).map(|line| format!("{line}\n")).collect();
    std::fs::write(real.file("long.txt"), &lines).unwrap();
    std::fs::write(real.file("gone.txt"), "here\nno end").unwrap();
    let edit = |name: &str, old: &str, new: &str| {
        let path = real.file(name);
        let read = json!({"file_path": path});
        let edit = json!({"file_path": path, "old_string": old, "new_string": new});
        format!("tool Read {read}\n---\ntool Edit {edit}\n---\n")
    };
    let new = json!({"file_path": real.file("sub/new.txt"), "content": "new\n"});
    let odd = json!({"file_path": real.file("odd.txt"), "content": "odd\n"});
    let first = [
        edit("long.txt", "5\n6\n", "five\n6\n"),
        edit("gone.txt", "here", "there"),
        format!("tool Write {odd}\n---\ntool Write {new}\n---\nsay One."),
    ];
    let prompt = real.say(&path, &first.concat()).await;
    watcher.until_status(Status::Idle).await;
    let second = edit("long.txt", "35\n", "");
    real.say(&path, &format!("{second}say Two.")).await;
    watcher.until(|body| matches!(body, Body::TurnStarted { .. })).await;
    watcher.until_status(Status::Idle).await;
    std::fs::remove_file(real.file("gone.txt")).unwrap();
    std::fs::write(real.file("odd.txt"), b"a\0b\n").unwrap();

    let rewind = |dry_run: bool| json!({"user_message_id": prompt, "dry_run": dry_run});
    let would = client.post(&format!("{path}/rewind"), &rewind(true)).await.json();
    let files = would["files"].as_array().unwrap();
    let shown = |name: &str| files.iter().find(|file| file["path"] == json!(real.file(name)));
    let told = |name: &str, what: &str| match shown(name) {
        Some(file) => file[what].clone(),
        None => panic!("{name}: {would}"),
    };
    assert_eq!(told("long.txt", "kind"), "changed", "{would}");
    assert_eq!(told("gone.txt", "kind"), "created", "{would}");
    assert_eq!(told("sub/new.txt", "kind"), "deleted", "{would}");
    assert_eq!(told("odd.txt", "kind"), "deleted", "{would}");
    assert_eq!(told("odd.txt", "patch"), Value::Null, "{would}");
    assert_eq!(told("odd.txt", "unknown"), "it is no text", "{would}");
    let sum =
        |what: &str| -> u64 { files.iter().filter_map(|file| file["patch"][what].as_u64()).sum() };
    assert_eq!((sum("lines_added"), sum("lines_removed")), (4, 2), "{would}");

    // Another program's reading of the patches.
    let copy = tempfile::tempdir().unwrap();
    let beside = |name: &str| copy.path().join(real.file(name).strip_prefix("/").unwrap());
    let patched = ["long.txt", "gone.txt", "sub/new.txt"];
    for name in patched {
        std::fs::create_dir_all(beside(name).parent().unwrap()).unwrap();
        let _ = std::fs::copy(real.file(name), beside(name));
        std::fs::write(copy.path().join("patch"), told(name, "patch")["diff"].as_str().unwrap())
            .unwrap();
        let mut git = std::process::Command::new("git");
        let applied = git.args(["apply", "patch"]).current_dir(copy.path()).output().unwrap();
        assert!(applied.status.success(), "{name}: {applied:?}");
    }
    let done = client.post(&format!("{path}/rewind"), &rewind(false)).await;
    assert_eq!(done.status, 200, "{done:?}");
    assert_eq!(done.json()["skipped_links"], 0, "{done:?}");
    for name in patched {
        assert_eq!(std::fs::read(beside(name)).ok(), std::fs::read(real.file(name)).ok(), "{name}");
    }
    assert_eq!(std::fs::read_to_string(real.file("long.txt")).unwrap(), lines);
    assert!(!real.file("odd.txt").exists());
    assert_eq!(client.delete(&path).await.status, 204);
    real.host.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_that_cannot_be_read_is_told_of() {
    let real = Real::new().await;
    let client = &real.client;
    let profile = json!({"profile": {"mode": "acceptEdits"}});
    let (_, path, mut watcher) = real.session(profile).await;
    std::fs::write(real.file("a.txt"), "one\n").unwrap();
    let read = json!({"file_path": real.file("a.txt")});
    let write = json!({"file_path": real.file("a.txt"), "content": "two\n"});
    let lines = format!("tool Read {read}\n---\ntool Write {write}\n---\nsay Done.");
    let prompt = real.say(&path, &lines).await;
    watcher.until_status(Status::Idle).await;
    let rewind = json!({"user_message_id": prompt, "dry_run": true});
    let whole = client.post(&format!("{path}/rewind"), &rewind).await.json();
    assert_eq!(whole["files"][0]["unknown"], Value::Null, "{whole}");

    // What it holds is of no matter to the CLI's own count, so that it still names the file.
    let history = real.harness.home().join(".claude/file-history");
    let session = client.get(&path).await.json()["cli_session"].as_str().unwrap().to_owned();
    let copies: Vec<_> = std::fs::read_dir(history.join(session)).unwrap().flatten().collect();
    assert_eq!(copies.len(), 1);
    std::fs::write(copies[0].path(), vec![b'x'; 5 << 20]).unwrap();
    let cut = client.post(&format!("{path}/rewind"), &rewind).await.json();
    assert_eq!(cut["files_changed"], json!([real.file("a.txt")]), "{cut}");
    assert_eq!(cut["files"][0]["patch"], Value::Null, "{cut}");
    let why = cut["files"][0]["unknown"].as_str().unwrap();
    assert!(why.contains("larger than"), "{why}");
    assert_eq!(client.delete(&path).await.status, 204);
    real.host.close().await;
}
