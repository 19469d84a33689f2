//! What is in a session's directories, and the session as a document.

use base64::Engine;
use pilothouse_host::http::rest::Patience;
use pilothouse_session::event::{Body, Status};
use serde_json::{Value, json};

use super::bed::Watcher;
use super::client::Served;
use super::prompts::PIXEL;

fn git(dir: &str, args: &[&str]) {
    let mut git = std::process::Command::new("git");
    git.current_dir(dir).args(["-c", "user.name=A", "-c", "user.email=a@example.org"]).args(args);
    assert!(git.output().unwrap().status.success(), "{args:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_are_found_read_listed_and_compared_inside_the_directories_only() {
    let served = Served::new().await;
    let client = &served.client;
    let work = served.bed.path("work");
    std::fs::create_dir(work.join("src")).unwrap();
    std::fs::write(work.join("src/parser.rs"), "one\ntwo\nthree\n").unwrap();
    let pixel = base64::engine::general_purpose::STANDARD.decode(PIXEL).unwrap();
    std::fs::write(work.join("dot.png"), &pixel).unwrap();
    std::fs::write(served.bed.path("secret"), "secret").unwrap();
    std::os::unix::fs::symlink(served.bed.path("secret"), work.join("link")).unwrap();
    let cwd = served.cwd();
    let session = served.session(json!({})).await;
    let path = format!("/api/v1/sessions/{session}/files");
    let none = client.get(&format!("{path}/diff")).await;
    assert_eq!(none.status, 200, "{none:?}");
    git(&cwd, &["init", "-q", "-b", "trunk"]);
    git(&cwd, &["add", "src"]);
    git(&cwd, &["commit", "-q", "-m", "x"]);
    std::fs::write(work.join("src/parser.rs"), "one\n2\nthree\n").unwrap();

    let done = |found: &Value| found["pending"] == false;
    let found = client.until(&format!("{path}/complete?q=prs"), done).await;
    assert_eq!(found["items"][0]["path"], "src/parser.rs", "{found}");
    let read = client.get(&format!("{path}/read?path=src/parser.rs&first_line=2&lines=1")).await;
    assert_eq!(read.status, 200, "{read:?}");
    assert_eq!(read.json()["content"]["text"].as_str().unwrap().trim(), "2");
    let image = client.get(&format!("{path}/image?path=dot.png")).await;
    assert_eq!((image.status, &image.bytes), (200, &pixel));
    assert_eq!(image.header("content-type"), "image/png");
    let list = client.get(&format!("{path}/list")).await.json();
    assert!(list["entries"].as_array().unwrap().iter().any(|entry| entry["name"] == "src"));
    let diff = client.get(&format!("{path}/diff")).await.json();
    assert_eq!(diff["branch"], "trunk", "{diff}");
    let changed = diff["files"].as_array().unwrap().iter();
    let changed: Vec<_> = changed.filter(|file| file["path"] == "src/parser.rs").collect();
    assert_eq!((&changed[0]["lines_added"], changed.len()), (&json!(1), 1), "{diff}");

    let table = [
        ("read?path=nowhere", 404, "not-found"),
        ("read?path=..%2Fsecret", 403, "forbidden"),
        ("read?path=%2Fetc%2Fpasswd", 403, "forbidden"),
        ("read?path=link", 403, "forbidden"),
        ("image?path=link", 403, "forbidden"),
        ("list?path=..", 403, "forbidden"),
        ("read?path=src", 422, "unprocessable"),
        ("list?path=dot.png", 422, "unprocessable"),
        ("image?path=src%2Fparser.rs", 422, "unprocessable"),
        ("read", 422, "invalid-input"),
        ("read?path=src%2Fparser.rs&first_line=0", 422, "invalid-input"),
        ("complete?limit=0", 422, "invalid-input"),
        ("list?limit=5001", 422, "invalid-input"),
    ];
    for (what, status, kind) in table {
        let answer = client.get(&format!("{path}/{what}")).await;
        assert_eq!(answer.status, status, "{what}: {answer:?}");
        answer.is_problem(status, kind);
    }
    served.host.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_is_taken_away_as_json_and_as_text() {
    let served = Served::new().await;
    let client = &served.client;
    let session = served.session(json!({"title": "Taken away"})).await;
    let mut watcher = Watcher::new(&served.host, session, 0).await;
    served.say(session, "say <script>alert(1)</script> and more").await;
    watcher.until_status(Status::Idle).await;
    let path = format!("/api/v1/sessions/{session}");
    let whole = client.get(&format!("{path}/export")).await;
    assert_eq!((whole.status, whole.header("content-type")), (200, "application/json"));
    let whole = whole.json();
    assert_eq!(whole["session"]["title"], "Taken away", "{whole}");
    let events = client.get(&format!("{path}/events")).await.json();
    assert_eq!(whole["events"], events["items"]);
    let text = client.get(&format!("{path}/export?format=markdown")).await;
    assert_eq!(text.header("content-type"), "text/markdown; charset=utf-8");
    assert!(text.header("content-disposition").ends_with(".md\""));
    let text = String::from_utf8(text.bytes).unwrap();
    assert!(text.contains("Taken away") && text.contains("and more"), "{text}");
    client.get(&format!("{path}/export?format=pdf")).await.is_problem(422, "invalid-input");
    served.host.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_past_conversation_is_listed_found_and_gone_on_with() {
    let served = Served::new().await;
    let client = &served.client;
    assert_eq!(client.get("/api/v1/history").await.json()["items"], json!([]));
    let session = served.session(json!({})).await;
    let mut watcher = Watcher::new(&served.host, session, 0).await;
    served.say(session, "say the walrus sleeps").await;
    watcher.until_status(Status::Idle).await;
    let path = format!("/api/v1/sessions/{session}");
    let cli = client.get(&path).await.json()["cli_session"].as_str().unwrap().to_owned();
    let import = format!("/api/v1/history/{cli}/import");
    // It is a session already.
    let same = client.post(&import, &json!({})).await;
    assert_eq!((same.status, &same.json()["id"]), (200, &json!(session)));
    assert_eq!(client.delete(&path).await.status, 204);

    let list = client.get("/api/v1/history?limit=1").await.json();
    assert_eq!(list["items"][0]["cli_session"], cli, "{list}");
    let found = client.get("/api/v1/history/search?q=walrus").await.json();
    assert_eq!(found["hits"][0]["session"]["cli_session"], cli, "{found}");
    let none = client.get("/api/v1/history/search?q=giraffe").await.json();
    assert_eq!(none["hits"], json!([]));
    let made = client.post(&import, &json!({"title": "Again", "tags": ["old"]})).await;
    assert_eq!(made.status, 201, "{made:?}");
    let row = made.json();
    assert_eq!((&row["title"], &row["cli_session"]), (&json!("Again"), &json!(cli)));
    let again = serde_json::from_value(row["id"].clone()).unwrap();
    let events = client.get(&format!("{}/events", made.header("location"))).await.json();
    assert!(events.to_string().contains("the walrus sleeps"), "{events}");
    let mut watcher = Watcher::new(&served.host, again, row["last_seq"].as_u64().unwrap()).await;
    served.say(again, "say awake").await;
    watcher.until_status(Status::Idle).await;
    assert_eq!(watcher.texts(), ["awake"]);
    assert_eq!(client.get(made.header("location")).await.json()["cli_session"], cli);

    let nobody = format!("/api/v1/history/{}/import", uuid::Uuid::new_v4());
    client.post(&nobody, &json!({})).await.is_problem(404, "not-found");
    client.post("/api/v1/history/x/import", &json!({})).await.is_problem(422, "invalid-input");
    for query in ["", "?q=", "?q=a&limit=0", "?q=a&cwd=relative"] {
        let answer = client.get(&format!("/api/v1/history/search{query}")).await;
        answer.is_problem(422, "invalid-input");
    }
    let count = client.get("/api/v1/sessions").await.json();
    assert_eq!(count["items"].as_array().unwrap().len(), 1, "nothing was left behind");
    served.host.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_daemon_tells_how_it_is() {
    let served = Served::new().await;
    let report = served.client.get("/api/v1/doctor").await;
    assert_eq!(report.status, 200, "{report:?}");
    assert!(report.json()["checks"].as_array().unwrap().len() > 2, "{:?}", report.json());
    let numbers = served.client.get("/metrics").await;
    assert_eq!(numbers.status, 200, "{numbers:?}");
    assert!(numbers.header("content-type").starts_with("text/plain; version=0.0.4"));
    assert!(String::from_utf8_lossy(&numbers.bytes).contains("# TYPE pilothouse_"));
    served.host.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_that_nobody_understood_are_counted_for_the_doctor() {
    let served = Served::with("unknown-types", Patience::default()).await;
    let unknown = async || {
        let report = served.client.get("/api/v1/doctor").await.json();
        let checks = report["checks"].as_array().unwrap().clone();
        checks.into_iter().find(|check| check["id"] == "unknown_messages").unwrap()
    };
    assert_eq!(unknown().await["state"], "ok");
    let session = served.session(json!({})).await;
    let mut watcher = Watcher::new(&served.host, session, 0).await;
    served.say(session, "say hm").await;
    watcher.until_status(Status::Idle).await;
    let count = watcher.count(|body| matches!(body, Body::Unknown { .. }));
    assert!(count > 0);
    let check = unknown().await;
    assert_eq!(check["state"], "warn", "{check}");
    assert_eq!(check["detail"], format!("{count} since the start"), "{check}");
    served.host.close().await;
}

/// A list looks at the two ends of a transcript only. Both may be pictures.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_search_finds_can_be_gone_on_with_though_no_list_describes_it() {
    let served = Served::new().await;
    let client = &served.client;
    let cli = uuid::Uuid::new_v4().to_string();
    let long = "x".repeat(200 << 10);
    let picture = json!({"type": "image", "source": {"type": "base64", "data": long}});
    let line = |number: u32, kind: &str, content: serde_json::Value| {
        let uuid = |number| uuid::Uuid::from_u128(u128::from(number)).to_string();
        let parent = (number > 1).then(|| uuid(number - 1));
        json!({
            "parentUuid": parent, "isSidechain": false, "cwd": served.cwd(), "sessionId": cli,
            "uuid": uuid(number), "timestamp": "2026-09-01T10:00:00.000Z", "type": kind,
            "message": {"role": kind, "id": "m", "model": "claude", "content": content},
        })
    };
    let asks = json!([picture, {"type": "text", "text": "what is this walrus?"}]);
    let lines = [
        line(1, "user", asks),
        line(2, "assistant", json!([{"type": "text", "text": "it sleeps"}])),
        line(3, "user", json!([picture])),
    ];
    let project = served.bed.path("home/.claude/projects/-work");
    std::fs::create_dir_all(&project).unwrap();
    let text: Vec<_> = lines.iter().map(ToString::to_string).collect();
    std::fs::write(project.join(format!("{cli}.jsonl")), text.join("\n") + "\n").unwrap();
    let found = client.get("/api/v1/history/search?q=walrus").await.json();
    assert_eq!(found["hits"][0]["session"]["cli_session"], cli, "{found}");
    let list = client.get("/api/v1/history").await.json();
    assert_eq!(list["items"], json!([]), "the list cannot describe it");
    let made = client.post(&format!("/api/v1/history/{cli}/import"), &json!({})).await;
    assert_eq!(made.status, 201, "{made:?}");
    assert_eq!(made.json()["cwd"], served.cwd());
    served.host.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_conversation_that_is_imported_twice_at_once_is_one_session() {
    let served = Served::new().await;
    let client = &served.client;
    let session = served.session(json!({})).await;
    let mut watcher = Watcher::new(&served.host, session, 0).await;
    served.say(session, "say the walrus sleeps").await;
    watcher.until_status(Status::Idle).await;
    let path = format!("/api/v1/sessions/{session}");
    let cli = client.get(&path).await.json()["cli_session"].as_str().unwrap().to_owned();
    assert_eq!(client.delete(&path).await.status, 204);
    let import = || {
        let (client, path) = (client.clone(), format!("/api/v1/history/{cli}/import"));
        tokio::spawn(async move { client.post(&path, &json!({})).await })
    };
    let all: Vec<_> = (0..8).map(|_| import()).collect();
    let mut ids = std::collections::BTreeSet::new();
    let mut new = 0;
    for one in all {
        let answer = one.await.unwrap();
        assert!([200, 201].contains(&answer.status), "{answer:?}");
        new += usize::from(answer.status == 201);
        ids.insert(answer.json()["id"].to_string());
    }
    assert_eq!((ids.len(), new), (1, 1));
    served.host.close().await;
}
