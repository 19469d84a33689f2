//! A CLI that prints every secret it can get hold of, and where none of them may appear.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::{Arc, Mutex};

use pilothouse_host::config::{Config, Hidden};
use pilothouse_host::daemon::DaemonOptions;
use pilothouse_host::host::{NewSession, Profile};
use pilothouse_host::telemetry::Secrets;
use pilothouse_host::telemetry::log::{LogFormat, init};
use pilothouse_session::Command;
use pilothouse_session::approval::{Decision, Subject};
use pilothouse_session::event::{Body, Status};
use pilothouse_session::id::SessionId;
use serde_json::{Value, json};

use super::bed::{Bed, Watcher, decide, prompt, sim};
use super::collector::Collector;
use super::place::{Place, ask, bearer, unchunked};

/// Where each secret stands, and the text that must not appear.
const SECRETS: [(&str, &str); 10] = [
    ("configuration", "cfg-Zq81-config"),
    ("session variable", "ses-Zq82-session"),
    ("session variable with quotes", "ses \"Zq83\" \\ quoted ü"),
    ("MCP variable", "mcp-Zq84-variable"),
    ("MCP header", "hdr-Zq85-header"),
    ("MCP argument", "arg-Zq86-argument"),
    ("MCP password", "url-Zq87-password"),
    ("MCP query", "url-Zq88-query"),
    ("settings variable", "set-Zq89-variable"),
    ("settings field", "set-Zq80-field"),
];

fn secret(place: &str) -> &'static str {
    SECRETS.iter().find(|(name, _)| *name == place).unwrap().1
}

/// The end of every secret that an excerpt could show.
fn leaks(text: &str) -> Vec<&'static str> {
    let inner =
        |secret: &'static str| secret.split(['-', ' ', '"']).find(|it| it.starts_with("Zq8"));
    let is_there = |(place, secret): &(&'static str, &'static str)| {
        text.contains(inner(secret).unwrap()).then_some(*place)
    };
    SECRETS.iter().filter_map(is_there).collect()
}

fn profile(claude: &Path) -> Profile {
    let (password, query) = (secret("MCP password"), secret("MCP query"));
    let value = json!({
        "claude": claude,
        "env": {
            "MY_API_KEY": secret("session variable"),
            "MY_TOKEN": secret("session variable with quotes"),
            "LANG": "en_US.UTF-8",
        },
        "mcp_servers": {
            "near": {
                "type": "stdio", "command": "serve",
                "args": ["--token", secret("MCP argument")],
                "env": {"DB_PASSWORD": secret("MCP variable")},
            },
            "far": {
                "type": "http",
                "url": format!("http://me:{password}@127.0.0.1:9/?key={query}"),
                "headers": {"Authorization": format!("Bearer {}", secret("MCP header"))},
            },
        },
        "settings": {
            "env": {"A_SECRET": secret("settings variable")},
            "deep": {"authToken": secret("settings field")},
        },
    });
    serde_json::from_value(value).unwrap()
}

/// The simulated CLI, which prints the secrets to stderr when it ends.
fn talkative(bed: &Bed) -> std::path::PathBuf {
    let (exe, said) = (bed.path("claude"), bed.path("said"));
    let all: Vec<_> = SECRETS.iter().map(|(place, secret)| format!("{place}: {secret}")).collect();
    let as_json = json!({"all": SECRETS.map(|(_, secret)| secret)});
    std::fs::write(&said, format!("{}\n{as_json}\nlocale en_US.UTF-8\n", all.join("\n"))).unwrap();
    let text = format!(
        "#!/bin/sh\n'{}' \"$@\"\ncode=$?\ncat '{}' >&2\nexit $code\n",
        sim().display(),
        said.display()
    );
    std::fs::write(&exe, text).unwrap();
    std::fs::set_permissions(&exe, std::fs::Permissions::from_mode(0o755)).unwrap();
    exe
}

#[derive(Clone, Default)]
struct Paper(Arc<Mutex<Vec<u8>>>);

impl Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn options(bed: &Bed, secrets: &Secrets, change: impl FnOnce(&mut Config)) -> DaemonOptions {
    let host = bed.options("");
    let mut config = Config::default();
    config.data_dir = host.data_dir.clone();
    config.claude.path = Some(sim());
    config.server.listen = vec![([127, 0, 0, 1], 0).into()];
    let value = Hidden(secret("configuration").to_owned());
    config.session.env.insert("CONFIGURED_KEY".to_owned(), value);
    change(&mut config);
    let mut options = DaemonOptions::of(&config, host.holder.clone(), secrets).unwrap();
    options.host.env = host.env;
    options.host.clear_env = true;
    options.host.times = host.times;
    options
}

async fn get(place: &Place, path: &str) -> String {
    let lines = [bearer(&place.token)];
    let answer = ask(&place.address, &format!("GET {path}"), &lines, "").await;
    assert_eq!(answer.status, 200, "{answer:?}");
    match answer.header("transfer-encoding") {
        Some(_) => String::from_utf8(unchunked(answer.body.as_bytes())).unwrap(),
        None => answer.body,
    }
}

/// A turn in which the model and a tool say every secret, and the end of the run.
async fn talk(place: &Place, session: SessionId, watcher: &mut Watcher) {
    let all: Vec<_> = SECRETS.iter().map(|(_, secret)| *secret).collect();
    let said = json!(format!("Here they are: {} in en_US.UTF-8.", all.join(", ")));
    let command = json!({"command": format!("touch said; echo '{}'", all.join("' '"))});
    prompt(
        &place.host,
        session,
        &format!("chunk 5\nsay {said}\ntool Bash {command}\n---\nsay {said}"),
    )
    .await;
    let approval = watcher.until_asked().await;
    let detail = get(place, &format!("/api/v1/sessions/{session}")).await;
    assert_eq!(leaks(&detail), [""; 0], "{detail}");
    assert!(detail.contains("[redacted]"), "{detail}");
    decide(&place.host, session, approval, Decision::Allow { input: None, updates: Vec::new() })
        .await
        .unwrap();
    watcher.until_status(Status::Idle).await;
    place.host.command(session, Command::Stop).await.unwrap();
    watcher.until_status(Status::Ended).await;
}

/// Everything in the database but the profile, which the runs are started with.
fn stored(bed: &Bed) -> String {
    let conn = rusqlite::Connection::open(bed.path("data/pilothouse.db")).unwrap();
    let names = "SELECT name FROM sqlite_master WHERE type = 'table'";
    let mut names = conn.prepare(names).unwrap();
    let tables = names.query_map([], |row| row.get::<_, String>(0)).unwrap();
    let mut all = String::new();
    for table in tables.map(Result::unwrap) {
        let mut rows = conn.prepare(&format!("SELECT * FROM \"{table}\"")).unwrap();
        let columns: Vec<String> = rows.column_names().map(str::to_owned).collect();
        let mut rows = rows.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            for (index, column) in columns.iter().enumerate() {
                if table == "sessions" && column == "settings" {
                    continue;
                }
                let value = row.get_ref(index).unwrap();
                if let Ok(bytes) = value.as_bytes() {
                    all.push_str(&format!(
                        "{table}.{column}: {}\n",
                        String::from_utf8_lossy(bytes)
                    ));
                }
            }
        }
    }
    all
}

/// The streamed texts of a wire log, put together.
fn streamed(wire: &str) -> String {
    let text = |line: &str| {
        let line: Value = serde_json::from_str(&line[line.find('{')?..]).ok()?;
        let delta = &line["event"]["delta"];
        ["text", "partial_json"].iter().find_map(|name| delta[name].as_str().map(str::to_owned))
    };
    wire.lines().filter_map(text).collect()
}

/// All files of a directory.
fn files(dir: &Path) -> String {
    let read =
        |entry: std::io::Result<std::fs::DirEntry>| std::fs::read(entry.unwrap().path()).unwrap();
    let all = std::fs::read_dir(dir).unwrap().map(read);
    all.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_secret_reaches_events_exports_debug_files_traces_or_logs() {
    let (bed, collector) = (Bed::new(), Collector::start());
    let (secrets, log) = (Secrets::default(), Paper::default());
    init("trace", LogFormat::Text, log.clone(), &secrets).unwrap();
    let options = options(&bed, &secrets, |config| {
        config.telemetry.debug_jsonl = Some(bed.path("debug"));
        config.telemetry.capture_content = true;
        config.telemetry.otlp_endpoint = Some(Hidden(collector.base.clone()));
    });
    let place = Place::with(options).await;
    let profile = profile(&talkative(&bed));
    let new = NewSession { profile, ..bed.new_session() };
    let session = place.host.create(new).await.unwrap().id;
    let mut watcher = Watcher::new(&place.host, session, 0).await;
    watcher.until_live().await;
    talk(&place, session, &mut watcher).await;

    let ended = watcher.events.iter().find_map(|event| match &event.body {
        Body::RunEnded { stderr_tail, .. } => Some(stderr_tail.clone()),
        _ => None,
    });
    let ended = ended.expect("the run has ended");
    assert!(ended.contains("configuration: [redacted]"), "{ended}");
    assert!(ended.contains("locale en_US.UTF-8"), "locales are no secrets: {ended}");
    let events = serde_json::to_string(&watcher.events).unwrap();
    assert!(events.contains("Here they are: [redacted], [redacted]"), "{events}");
    let whole = watcher.texts().concat();
    assert!(whole.contains("in en_US.UTF-8."), "{whole}");

    let path = format!("/api/v1/sessions/{session}");
    let runs: Value = serde_json::from_str(&get(&place, &format!("{path}/runs")).await).unwrap();
    let run = runs["items"][0]["run"].as_str().unwrap().to_owned();
    let wire = get(&place, &format!("{path}/runs/{run}/wire")).await;
    assert!(wire.contains("configuration: ***************\n"), "{wire}");
    let raw =
        place.host.wire_length(session, run.parse().map(pilothouse_session::id::RunId).unwrap());
    assert_eq!(raw.await.unwrap(), wire.len() as u64, "offsets are those of the log");
    let id = run.parse().map(pilothouse_session::id::RunId).unwrap();
    for offset in (0..wire.len()).step_by(997) {
        let part = place.host.wire_log(session, id, offset as u64, 100).await.unwrap();
        let end = wire.len().min(offset + 100);
        assert_eq!(part, &wire.as_bytes()[offset..end], "a part is that of the whole");
    }
    let streamed = streamed(&wire);
    let shown = [
        ("events", events),
        ("deltas", watcher.pieces.clone()),
        ("JSON export", get(&place, &format!("{path}/export?format=json")).await),
        ("Markdown export", get(&place, &format!("{path}/export?format=markdown")).await),
        ("wire log", wire),
        ("streamed texts of the wire log", streamed),
        ("session", get(&place, &path).await),
    ];
    drop(watcher);
    // Telemetry goes out before the daemon ends.
    place.close().await;
    let kept = [
        ("database", stored(&bed)),
        ("debug files", files(&bed.path("debug"))),
        ("traces", format!("{:?}", collector.posts())),
    ];
    for (place, text) in shown.iter().chain(&kept) {
        assert_eq!(leaks(text), [""; 0], "{place}: {text}");
        let is_masked = text.contains("[redacted]") || text.contains("***");
        assert!(is_masked, "{place} shows that something was there: {text}");
    }
    SECRETS.iter().for_each(|(place, secret)| tracing::warn!("{place}: {secret}"));
    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(log.contains("configuration: [redacted]"), "{log}");
    assert_eq!(leaks(&log), [""; 0], "{log}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn secrets_are_known_again_after_a_restart() {
    let bed = Bed::new();
    let place = Place::with(options(&bed, &Secrets::default(), |_| {})).await;
    let new = NewSession { profile: profile(&sim()), ..bed.new_session() };
    let session = place.host.create(new).await.unwrap().id;
    place.close().await;
    let place = Place::with(options(&bed, &Secrets::default(), |_| {})).await;
    let mut watcher = Watcher::new(&place.host, session, 0).await;
    watcher.until_live().await;
    let said = secret("session variable");
    prompt(
        &place.host,
        session,
        &format!("chunk 3\nsay It is {said}.\nhold half\nmore \" And {said}.\""),
    )
    .await;
    bed.held("half").await;
    // A client that comes late gets the half-written item, and what follows fits it.
    while !watcher.pieces.contains("[redacted].") {
        watcher.next().await;
    }
    let mut late = Watcher::new(&place.host, session, 0).await;
    let open = late.until_live().await;
    assert_eq!(open[0].text, "It is [redacted].");
    bed.release("half");
    watcher.until_status(Status::Idle).await;
    late.until_status(Status::Idle).await;
    assert_eq!(late.pieces, " And [redacted].");
    assert_eq!(watcher.pieces, "It is [redacted]. And [redacted].");
    assert_eq!(watcher.texts(), ["It is [redacted]. And [redacted]."]);
    // With the session its secrets go.
    place.host.delete(session, "Ada").await.unwrap();
    assert_eq!(place.host.telemetry().secrets().redact(said), said);
    drop((watcher, late));
    place.close().await;
}

/// The holder keeps the run, and the run keeps what it was sent.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn secrets_of_requests_are_known_again_after_a_restart() {
    let bed = Bed::new();
    let place = Place::with(options(&bed, &Secrets::default(), |_| {})).await;
    let session = place.host.create(bed.new_session()).await.unwrap().id;
    let mut watcher = Watcher::new(&place.host, session, 0).await;
    prompt(&place.host, session, "say hello").await;
    watcher.until_status(Status::Idle).await;
    let settings = json!({"env": {"LATE_TOKEN": "req-Zq91-late"}});
    let request = json!({"subtype": "apply_flag_settings", "settings": settings});
    let request = serde_json::from_value(request).unwrap();
    place.host.command(session, Command::Request(Box::new(request))).await.unwrap();
    drop(watcher);
    place.close().await;
    let place = Place::with(options(&bed, &Secrets::default(), |_| {})).await;
    let mut watcher = Watcher::new(&place.host, session, 0).await;
    watcher.until_live().await;
    prompt(&place.host, session, "say It is req-Zq91-late.").await;
    watcher.until_status(Status::Idle).await;
    assert_eq!(watcher.texts(), ["hello", "It is [redacted]."]);
    assert!(!watcher.pieces.contains("Zq91"), "{}", watcher.pieces);
    // With the session they go.
    let runs = bed.path("data/runs").join(session.to_string());
    assert!(runs.join("secrets.jsonl").exists());
    place.host.delete(session, "Ada").await.unwrap();
    assert!(!runs.exists());
    drop(watcher);
    place.close().await;
}

/// Clients are shown the input of a call without secrets; what they send back must have them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_edited_input_reaches_the_cli_with_its_secret() {
    let bed = Bed::new();
    let place = Place::with(options(&bed, &Secrets::default(), |_| {})).await;
    let new = NewSession { profile: profile(&sim()), ..bed.new_session() };
    let session = place.host.create(new).await.unwrap().id;
    let mut watcher = Watcher::new(&place.host, session, 0).await;
    let value = secret("session variable");
    let file = bed.path("work/.env");
    let input = json!({"file_path": file, "content": format!("KEY={value}\n")});
    prompt(&place.host, session, &format!("tool Write {input}\n---\nsay done")).await;
    let asked = watcher.until(|body| matches!(body, Body::ApprovalRequested { .. })).await;
    let Body::ApprovalRequested { approval } = asked.body else { panic!("{asked:?}") };
    let Subject::Tool { mut input, .. } = approval.subject else { panic!("{approval:?}") };
    assert_eq!(input["content"], "KEY=[redacted]\n");
    input["content"] = "# edited\nKEY=[redacted]\n".into();
    let edited = Decision::Allow { input: Some(input), updates: Vec::new() };
    decide(&place.host, session, approval.approval, edited).await.unwrap();
    watcher.until_status(Status::Idle).await;
    assert_eq!(std::fs::read_to_string(&file).unwrap(), format!("# edited\nKEY={value}\n"));
    let events = serde_json::to_string(&watcher.events).unwrap();
    assert_eq!(leaks(&events), [""; 0], "{events}");
    drop(watcher);
    place.close().await;
}
