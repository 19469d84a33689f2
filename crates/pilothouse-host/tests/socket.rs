//! The WebSocket of a daemon that is a process of its own.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test says what went wrong by panicking"
)]
#![allow(dead_code, reason = "the bed is shared")]
#![cfg(unix)]

#[path = "host/bed.rs"]
mod bed;
#[path = "socket/client.rs"]
mod client;
#[path = "socket/deaf.rs"]
mod deaf;
#[path = "socket/gathered.rs"]
mod gathered;
#[path = "guard/page.rs"]
mod page;
#[path = "security/place.rs"]
mod place;

use bed::{Bed, script};
use client::{Daemon, Socket};
use pilothouse_host::Host;
use serde_json::{Value, json};

/// A session that is in the store before the daemon starts.
async fn session(bed: &Bed) -> String {
    let host = Host::open(bed.options("")).await.unwrap();
    let session = bed.session(&host).await;
    host.close().await;
    session.to_string()
}

fn prompt(lines: &str) -> Value {
    json!({"do": "prompt", "content": script(lines)})
}

/// Everything that happens up to an event of this type.
async fn until_event(socket: &mut Socket, kind: &str) -> Vec<Value> {
    let mut all = Vec::new();
    loop {
        let message = socket.next().await.unwrap();
        let is_end = message["events"]
            .as_array()
            .is_some_and(|events| events.iter().any(|event| event["type"] == kind));
        all.push(message);
        if is_end {
            return all;
        }
    }
}

fn events(messages: &[Value]) -> Vec<&Value> {
    messages.iter().filter_map(|message| message["events"].as_array()).flatten().collect()
}

#[tokio::test]
async fn two_clients_see_the_same_and_one_of_them_decides() {
    let bed = Bed::new();
    let session = session(&bed).await;
    let daemon = Daemon::start(&bed).await;
    let (mut one, mut two) = (daemon.socket().await, daemon.socket().await);
    for socket in [&mut one, &mut two] {
        socket.subscribe(&session, 0).await.unwrap();
        socket.until("live").await.unwrap();
    }
    let lines = "tool Bash {\"command\":\"touch made\"}\n---\nsay done";
    one.command(&session, prompt(lines)).await.unwrap();
    let mut seen = Vec::new();
    for socket in [&mut one, &mut two] {
        seen.push(until_event(socket, "approval_requested").await);
    }
    let asked = events(&seen[0]);
    let asked = asked.iter().find(|event| event["type"] == "approval_requested").unwrap();
    let approval = &asked["approval"];
    let decide = json!({"do": "decide", "approval": approval, "decision": {"kind": "allow"}});
    let first = two.ask(&session, decide.clone()).await.unwrap();
    assert!(first["problem"].is_null(), "{first}");
    let second = one.ask(&session, decide).await.unwrap();
    assert_eq!(second["problem"]["type"], "/problems/conflict", "{second}");
    let done = until_event(&mut two, "complete").await;
    assert!(done.iter().any(|message| message["type"] == "deltas"), "{done:?}");
    assert!(bed.path("work/made").exists());
}

#[tokio::test]
async fn who_comes_back_goes_on_after_the_last_event_it_has() {
    let bed = Bed::new();
    let session = session(&bed).await;
    let daemon = Daemon::start(&bed).await;
    let mut socket = daemon.socket().await;
    socket.subscribe(&session, 0).await.unwrap();
    socket.command(&session, prompt("say one")).await.unwrap();
    let before = until_event(&mut socket, "complete").await;
    let last = events(&before).last().unwrap()["seq"].as_u64().unwrap();
    drop(socket);
    daemon.kill().await;

    let daemon = Daemon::start(&bed).await;
    let mut socket = daemon.socket().await;
    socket.subscribe(&session, last).await.unwrap();
    socket.command(&session, prompt("say two")).await.unwrap();
    let after = until_event(&mut socket, "complete").await;
    let numbers: Vec<_> =
        events(&after).iter().map(|event| event["seq"].as_u64().unwrap()).collect();
    let expected: Vec<_> = (last + 1..=last + numbers.len() as u64).collect();
    assert_eq!(numbers, expected);
}

#[tokio::test]
async fn the_list_tells_of_what_changes() {
    let bed = Bed::new();
    let session = session(&bed).await;
    let daemon = Daemon::start(&bed).await;
    let mut socket = daemon.socket().await;
    socket.say(json!({"op": "watch_list"})).await.unwrap();
    // Before anything else: what is read after this misses nothing.
    assert_eq!(socket.next().await.unwrap()["type"], "list_lagged");
    socket.command(&session, prompt("say one")).await.unwrap();
    loop {
        let told = socket.until("sessions").await.unwrap();
        if told["sessions"][&session]["status"] == "idle" {
            break;
        }
    }
}

#[tokio::test]
async fn what_makes_no_sense_is_refused_and_changes_nothing() {
    let bed = Bed::new();
    let session = session(&bed).await;
    let daemon = Daemon::start(&bed).await;
    assert!(Socket::open(&daemon.address, None).await.is_err());
    assert!(Socket::open(&daemon.address, Some("wrong")).await.is_err());
    let mut socket = daemon.socket().await;
    let nowhere = "00000000-0000-7000-8000-000000000000";
    socket.subscribe(nowhere, 0).await.unwrap();
    let refused = socket.until("unsubscribed").await.unwrap();
    assert_eq!(refused["problem"]["status"], 404);
    let refused = socket.ask(nowhere, json!({"do": "stop"})).await.unwrap();
    assert_eq!(refused["problem"]["status"], 404);
    let refused = socket.ask(&session, json!({"do": "interrupt"})).await.unwrap();
    assert_eq!(refused["problem"]["status"], 409);
    for nonsense in [json!(1), json!({}), json!({"op": "dance"}), json!({"op": "ping"})] {
        socket.say(nonsense).await.unwrap();
        let reply = socket.until("reply").await.unwrap();
        assert_eq!(reply["problem"]["type"], "/problems/invalid-input", "{reply}");
    }
    socket.say(json!({"op": "ping", "id": 7})).await.unwrap();
    assert_eq!(socket.until("reply").await.unwrap()["id"], 7);
}

#[tokio::test]
async fn a_flood_of_nonsense_ends_the_socket_and_a_flood_of_commands_is_refused() {
    let bed = Bed::new();
    let session = session(&bed).await;
    let daemon = Daemon::start(&bed).await;
    let mut socket = daemon.socket().await;
    for _ in 0..100 {
        if socket.say(json!("nonsense")).await.is_err() {
            break;
        }
    }
    while socket.next().await.is_ok() {}

    let mut socket = daemon.socket().await;
    let started = prompt("say one\nhold never");
    socket.ask(&session, started).await.unwrap();
    let mut refused = 0;
    for _ in 0..200 {
        // Interrupting takes a word from the CLI, so they pile up.
        socket.command(&session, json!({"do": "set_model", "model": "sonnet"})).await.unwrap();
    }
    for _ in 0..200 {
        let reply = socket.until("reply").await.unwrap();
        refused += usize::from(reply["problem"]["type"] == "/problems/rate-limited");
    }
    assert!(refused > 0);
}

#[tokio::test]
async fn a_mode_that_the_session_may_not_have_is_refused() {
    let bed = Bed::new();
    let session = session(&bed).await;
    let daemon = Daemon::start(&bed).await;
    let mut socket = daemon.socket().await;
    let table =
        [("bypassPermissions", "/problems/conflict"), ("no mode", "/problems/invalid-input")];
    for (mode, problem) in table {
        let reply = socket.ask(&session, json!({"do": "set_mode", "mode": mode})).await.unwrap();
        assert_eq!(reply["problem"]["type"], problem, "{reply}");
    }
    let reply = socket.ask(&session, json!({"do": "set_mode", "mode": "plan"})).await.unwrap();
    assert!(reply["problem"].is_null(), "{reply}");
}

#[tokio::test]
async fn what_is_refused_over_http_is_refused_over_the_socket() {
    let bed = Bed::new();
    let session = session(&bed).await;
    let daemon = Daemon::start(&bed).await;
    let mut socket = daemon.socket().await;
    let pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJ\
                 RU5ErkJggg==";
    let image = |kind: &str, data: &str| {
        let source = json!({"type": "base64", "media_type": kind, "data": data});
        json!({"type": "image", "source": source})
    };
    let say = |content: Value| json!({"do": "prompt", "content": content});
    let keyed = |key: &str| json!({"do": "prompt", "content": "hm", "key": key});
    let address = json!({"type": "image", "source": {"type": "url", "url": "http://127.0.0.1/x"}});
    let large = image("image/png", &"A".repeat((5 << 20) + 4));
    let table = [
        (say(json!([image("image/png", "no base64!")])), "content/0/source/data"),
        (say(json!([image("image/png", "aGVsbG8=")])), "content/0/source/data"),
        (say(json!([image("image/jpeg", pixel)])), "content/0/source/media_type"),
        (say(json!([{"type": "text", "text": "see"}, large])), "content/1/source/data"),
        (say(json!([address])), "content/0/source"),
        (say(json!([{"type": "text", "text": " "}])), "content/0/text"),
        (say(json!(vec![image("image/png", pixel); 21])), "content"),
        (keyed(""), "key"),
        (keyed(&"k".repeat(256)), "key"),
        (json!({"do": "set_model", "model": ""}), "model"),
        (json!({"do": "set_model", "model": "a\0b"}), "model"),
        (json!({"do": "set_model", "model": "--version"}), "model"),
        (json!({"do": "set_model", "model": "x".repeat(1 << 20)}), "model"),
        (json!({"do": "set_effort", "effort": "\n"}), "effort"),
        (json!({"do": "start", "from": {"kind": "message", "uuid": "u-1"}}), "from/uuid"),
    ];
    for (order, place) in table {
        let reply = socket.ask(&session, order).await.unwrap();
        let problem = &reply["problem"];
        assert_eq!(problem["type"], "/problems/invalid-input", "{place}: {reply}");
        assert_eq!(problem["errors"][0]["pointer"], format!("/command/{place}"), "{reply}");
    }
    for order in [say(json!(" ")), say(json!([])), say(json!([{"type": "tool_result"}]))] {
        let reply = socket.ask(&session, order).await.unwrap();
        assert_eq!(reply["problem"]["status"], 422, "{reply}");
    }
    let most = json!({"do": "set_thinking", "max_tokens": 1_u64 << 32});
    let id = socket.command(&session, most).await.unwrap();
    let reply = socket.until("reply").await.unwrap();
    assert_eq!((&reply["id"], &reply["problem"]["status"]), (&json!(id), &json!(422)), "{reply}");

    // Who has changed a mode is noted whichever way it was changed.
    let reply = socket.ask(&session, json!({"do": "set_mode", "mode": "plan"})).await.unwrap();
    assert!(reply["problem"].is_null(), "{reply}");
    daemon.kill().await;
    let host = Host::open(bed.options("")).await.unwrap();
    let session = session.parse().map(pilothouse_session::id::SessionId).unwrap();
    assert_eq!(host.store().last_seq(session).unwrap(), 1, "only the mode has changed");
    let audit = host.store().audit(Some(session), None, 10).unwrap().items;
    let [line] = &*audit else { panic!("{audit:?}") };
    assert_eq!(line.action, "session.mode_changed");
    assert_eq!(line.detail["after"], "plan");
    host.close().await;
}
