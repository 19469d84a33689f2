//! The processes of a session, and what they said.

use pilothouse_host::http::rest::Patience;
use pilothouse_session::event::Status;
use serde_json::{Value, json};

use super::bed::Watcher;
use super::client::Served;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_is_stopped_and_goes_on_and_its_logs_are_read_in_parts() {
    let served = Served::new().await;
    let client = &served.client;
    let session = served.session(json!({})).await;
    let path = format!("/api/v1/sessions/{session}");
    let mut watcher = Watcher::new(&served.host, session, 0).await;
    served.say(session, "say one").await;
    watcher.until_status(Status::Idle).await;
    let start = json!({"from": {"kind": "end"}});
    client.post(&format!("{path}/start"), &start).await.is_problem(409, "conflict");
    let stopped = client.poke(&format!("{path}/stop")).await;
    assert_eq!(stopped.status, 202, "{stopped:?}");
    watcher.until_status(Status::Ended).await;
    let bad = json!({"from": {"kind": "middle"}});
    client.post(&format!("{path}/start"), &bad).await.is_problem(422, "invalid-input");
    let started = client.post(&format!("{path}/start"), &json!({})).await;
    assert_eq!(started.status, 202, "{started:?}");
    watcher.until_status(Status::Ready).await;
    let runs = client.get(&format!("{path}/runs")).await.json();
    let lives: Vec<_> =
        runs["items"].as_array().unwrap().iter().map(|run| &run["is_live"]).collect();
    assert_eq!(lives, [&Value::Bool(false), &Value::Bool(true)]);

    let run = &runs["items"][0];
    let wire = format!("{path}/runs/{}/wire", run["run"].as_str().unwrap());
    let whole = client.get(&wire).await;
    assert_eq!(whole.status, 200);
    assert_eq!(whole.bytes.len() as u64, run["bytes"].as_u64().unwrap());
    assert_eq!(whole.header("content-type"), "application/octet-stream");
    let part = client.send("GET", &wire, &[("range", "bytes=10-19")], None).await;
    assert_eq!((part.status, &*part.bytes), (206, &whole.bytes[10..20]));
    let range = format!("bytes 10-19/{}", whole.bytes.len());
    assert_eq!(part.header("content-range"), range);
    let end = client.send("GET", &wire, &[("range", "bytes=-5")], None).await;
    assert_eq!((end.status, &*end.bytes), (206, &whole.bytes[whole.bytes.len() - 5..]));
    let part = client.get(&format!("{wire}?offset=3&length=4")).await;
    assert_eq!((part.status, &*part.bytes), (200, &whole.bytes[3..7]));
    let beyond = client.send("GET", &wire, &[("range", "bytes=99999999-")], None).await;
    beyond.is_problem(416, "range-not-satisfiable");
    client.get(&format!("{wire}?offset=99999999")).await.is_problem(416, "range-not-satisfiable");
    let nobody = format!("{path}/runs/{}/wire", uuid::Uuid::new_v4());
    client.get(&nobody).await.is_problem(404, "not-found");
    client.get(&format!("{path}/runs/..%2F..%2Fx/wire")).await.is_problem(422, "invalid-input");
    served.host.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_tell_which_record_they_came_of() {
    let served = Served::with("unknown-types", Patience::default()).await;
    let client = &served.client;
    let session = served.session(json!({})).await;
    let path = format!("/api/v1/sessions/{session}");
    let mut watcher = Watcher::new(&served.host, session, 0).await;
    served.say(session, "say one").await;
    watcher.until_status(Status::Idle).await;
    client.poke(&format!("{path}/stop")).await;
    watcher.until_status(Status::Ended).await;
    let runs = client.get(&format!("{path}/runs")).await.json();
    let run = runs["items"][0]["run"].as_str().unwrap();
    let log = client.get(&format!("{path}/runs/{run}/wire")).await.bytes;
    let events = client.get(&format!("{path}/events?limit=10000")).await.json();
    let record = |event: &Value| {
        let at = usize::try_from(event["wire"].as_u64()?).unwrap();
        assert!(at == 0 || log[at - 1] == b'\n', "a record begins there: {event}");
        let text = std::str::from_utf8(&log[at..]).unwrap();
        Some(text.lines().next().unwrap().to_owned())
    };
    let of = |kind: &str| -> Vec<Option<String>> {
        let events = events["items"].as_array().unwrap().iter();
        events.filter(|event| event["type"] == kind).map(record).collect()
    };
    for kind in ["user_message", "run_started"] {
        assert_eq!(of(kind), [None], "{kind}");
    }
    for (kind, begins, has) in [
        ("message", "o ", r#""type":"assistant""#),
        ("complete", "o ", r#""type":"result""#),
        ("run_ended", "x ", ""),
    ] {
        let found = of(kind);
        let [Some(line)] = &*found else { panic!("{kind}: {found:?}") };
        assert!(line.starts_with(begins) && line.contains(has), "{kind}: {line}");
    }
    let unknown: Vec<_> = of("unknown").into_iter().flatten().collect();
    assert!(!unknown.is_empty());
    let types = events["items"].as_array().unwrap().iter().filter(|one| one["type"] == "unknown");
    for (line, event) in unknown.iter().zip(types) {
        let what = event["what"].as_str().unwrap().split('/').next().unwrap();
        assert!(line.contains(&format!(r#""type":"{what}""#)), "{line} is not {event}");
    }
    served.host.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_has_no_log_yet_is_no_trouble() {
    let served = Served::new().await;
    let client = &served.client;
    let session = served.session(json!({})).await;
    let path = format!("/api/v1/sessions/{session}");
    let mut watcher = Watcher::new(&served.host, session, 0).await;
    served.say(session, "say one").await;
    watcher.until_status(Status::Idle).await;
    // As a daemon leaves it that dies while it starts one.
    let run = uuid::Uuid::new_v4();
    let dir = served.bed.path("data/runs").join(session.to_string()).join(run.to_string());
    std::fs::create_dir(&dir).unwrap();
    std::fs::write(dir.join("pid"), "").unwrap();
    let runs = client.get(&format!("{path}/runs")).await;
    assert_eq!(runs.status, 200, "{runs:?}");
    assert_eq!(runs.json()["items"].as_array().unwrap().len(), 1, "{:?}", runs.json());
    client.get(&format!("{path}/runs/{run}/wire")).await.is_problem(404, "not-found");
    let replay = json!({"policy": "supervised", "session": session});
    assert_eq!(client.post("/api/v1/policies/replay", &replay).await.status, 200);
    served.host.close().await;
}
