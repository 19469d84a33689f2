//! With which conversation a session or a run begins.

use pilothouse_host::http::rest::Patience;
use pilothouse_session::event::{Body, Status};
use serde_json::json;
use uuid::Uuid;

use super::bed::Watcher;
use super::client::Served;
use super::profile::Witness;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_conversation_belongs_to_one_session_however_many_ask_at_once() {
    let served = Served::new().await;
    let cli_session = Uuid::new_v4().to_string();
    let begin = json!({"kind": "resume", "cli_session": cli_session});
    let body = json!({"cwd": served.cwd(), "begin": begin});
    let ask = || {
        let (client, body) = (served.client.clone(), body.clone());
        tokio::spawn(async move { client.post("/api/v1/sessions", &body).await })
    };
    let asked: Vec<_> = (0..12).map(|_| ask()).collect();
    let mut made = Vec::new();
    for answer in asked {
        let answer = answer.await.unwrap();
        match answer.status {
            201 => made.push(answer.json()["id"].as_str().unwrap().to_owned()),
            _ => drop(answer.is_problem(409, "conflict")),
        }
    }
    assert_eq!(made.len(), 1, "{made:?}");
    let problem = served.client.post("/api/v1/sessions", &body).await.is_problem(409, "conflict");
    assert!(problem["detail"].as_str().unwrap().contains(&made[0]), "{problem}");
    served.host.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn conversations_and_messages_that_cannot_be_are_refused() {
    let served = Served::new().await;
    let client = &served.client;
    let session = served.session(json!({})).await;
    for name in ["", "x", "../../etc/passwd", "a\0b", "--help"] {
        for kind in ["resume", "copy"] {
            let begin = json!({"kind": kind, "cli_session": name});
            let body = json!({"cwd": served.cwd(), "begin": begin});
            let answer = client.post("/api/v1/sessions", &body).await;
            let problem = answer.is_problem(422, "invalid-input");
            assert_eq!(problem["errors"][0]["pointer"], "/begin/cli_session", "{problem}");
        }
        let fork = format!("/api/v1/sessions/{session}/fork");
        let answer = client.post(&fork, &json!({"at": name})).await;
        let problem = answer.is_problem(422, "invalid-input");
        assert_eq!(problem["errors"][0]["pointer"], "/at", "{problem}");
        let from = json!({"from": {"kind": "message", "uuid": name}});
        let start = client.post(&format!("/api/v1/sessions/{session}/start"), &from).await;
        let problem = start.is_problem(422, "invalid-input");
        assert_eq!(problem["errors"][0]["pointer"], "/from/uuid", "{problem}");
    }
    let all = client.get("/api/v1/sessions").await.json();
    assert_eq!(all["items"].as_array().unwrap().len(), 1, "nothing was left behind");
    served.host.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_and_a_run_go_on_after_the_message_that_is_named() {
    let served = Served::new().await;
    let client = &served.client;
    let witness = Witness::of(&served);
    let session = served.session(json!({"profile": {"claude": witness.exe}})).await;
    let path = format!("/api/v1/sessions/{session}");
    let mut watcher = Watcher::new(&served.host, session, 0).await;
    let mut ends = Vec::new();
    for lines in ["say one", "say two"] {
        served.say(session, lines).await;
        let done = watcher.until(|body| matches!(body, Body::Complete { .. })).await;
        let Body::Complete { completion } = done.body else { unreachable!() };
        ends.push(completion.last_message_uuid.unwrap());
        watcher.until_status(Status::Idle).await;
    }
    let cli_session = client.get(&path).await.json()["cli_session"].as_str().unwrap().to_owned();
    let resumed = |at: &str| {
        let args = witness.args();
        let has = |arg: String| assert!(args.contains(&arg), "no {arg}: {args:?}");
        has(format!("--resume={cli_session}"));
        has(format!("--resume-session-at={at}"));
        args.contains(&"--fork-session".to_owned())
    };

    let copy = client.post(&format!("{path}/fork"), &json!({"at": ends[0]})).await;
    assert_eq!(copy.status, 201, "{copy:?}");
    let copied = serde_json::from_value(copy.json()["id"].clone()).unwrap();
    let mut other = Watcher::new(&served.host, copied, 0).await;
    served.say(copied, "say copied").await;
    other.until_status(Status::Idle).await;
    assert!(resumed(&ends[0]), "it is a copy");

    assert_eq!(client.poke(&format!("{path}/stop")).await.status, 202);
    watcher.until_status(Status::Ended).await;
    let from = json!({"from": {"kind": "message", "uuid": ends[0]}});
    let started = client.post(&format!("{path}/start"), &from).await;
    assert_eq!(started.status, 202, "{started:?}");
    watcher.until_status(Status::Ready).await;
    assert!(!resumed(&ends[0]), "it is the same conversation");
    served.host.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_can_do_without_the_usual_policy() {
    let usual = |options: &mut pilothouse_host::host::Options| {
        options.defaults.policy = Some("autonomous".to_owned());
    };
    let served = Served::changed("", Patience::default(), usual).await;
    let client = &served.client;
    for (asked, has) in [
        (json!({}), json!("autonomous")),
        (json!({"policy": "supervised"}), json!("supervised")),
        (json!({"policy": ""}), json!(null)),
    ] {
        let session = served.session(asked).await;
        let row = client.get(&format!("/api/v1/sessions/{session}")).await.json();
        assert_eq!(row["policy"], has);
    }
    // A copy is as its original is, not as is usual.
    let session = served.session(json!({"policy": ""})).await;
    let mut watcher = Watcher::new(&served.host, session, 0).await;
    served.say(session, "say hm").await;
    watcher.until_status(Status::Idle).await;
    let copy = client.post(&format!("/api/v1/sessions/{session}/fork"), &json!({})).await;
    assert_eq!((copy.status, &copy.json()["policy"]), (201, &json!(null)));
    served.host.close().await;
}
