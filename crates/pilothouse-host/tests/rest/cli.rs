//! What is asked of a session's CLI.

use std::time::Duration;

use pilothouse_host::http::rest::Patience;
use pilothouse_session::event::{Body, Status};
use serde_json::json;

use super::bed::Watcher;
use super::client::Served;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_only_a_running_cli_knows_is_refused_without_one() {
    let served = Served::new().await;
    let session = served.session(json!({})).await;
    let path = format!("/api/v1/sessions/{session}");
    let prompt = uuid::Uuid::new_v4();
    for what in ["mcp", "context"] {
        let problem =
            served.client.get(&format!("{path}/{what}")).await.is_problem(409, "conflict");
        assert_eq!(problem["refusal"]["kind"], "not_running");
    }
    let rewind = json!({"user_message_id": prompt, "dry_run": true});
    served.client.post(&format!("{path}/rewind"), &rewind).await.is_problem(409, "conflict");
    served.client.poke(&format!("{path}/stop")).await.is_problem(409, "conflict");
    for what in ["tasks", "commands", "runs", "approvals", "attachments"] {
        let empty = served.client.get(&format!("{path}/{what}")).await.json();
        assert_eq!(empty, json!({"items": [], "next": null}), "{what}");
    }
    served.host.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_running_cli_tells_of_its_servers_commands_and_context() {
    let served = Served::new().await;
    let client = &served.client;
    let session = served.session(json!({})).await;
    let path = format!("/api/v1/sessions/{session}");
    let mut watcher = Watcher::new(&served.host, session, 0).await;
    served.say(session, "say hm").await;
    watcher.until_status(Status::Idle).await;
    let servers = client.get(&format!("{path}/mcp")).await;
    assert_eq!(servers.status, 200);
    assert!(servers.json()["mcpServers"].is_array(), "{:?}", servers.json());
    let context = client.get(&format!("{path}/context")).await;
    assert_eq!(context.status, 200);
    assert!(context.json()["totalTokens"].is_u64(), "{:?}", context.json());
    let commands = client.get(&format!("{path}/commands")).await.json();
    assert!(commands["items"].as_array().unwrap().len() > 1, "{commands}");
    assert!(commands["items"][0]["name"].is_string());
    let off = client.put(&format!("{path}/mcp/nobody"), &json!({"enabled": false})).await;
    off.is_problem(422, "unprocessable");
    let again = client.poke(&format!("{path}/mcp/nobody/reconnect")).await;
    again.is_problem(422, "unprocessable");
    served.host.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_are_put_back_as_they_were_after_a_look_at_what_that_would_do() {
    let served = Served::new().await;
    let client = &served.client;
    let session = served.session(json!({"policy": "autonomous"})).await;
    let path = format!("/api/v1/sessions/{session}");
    let file = served.bed.path("work/note.txt");
    let mut watcher = Watcher::new(&served.host, session, 0).await;
    let write = json!({"file_path": file, "content": "new\n"});
    let prompt = served.say(session, &format!("tool Write {write}\n---\nsay done")).await;
    watcher.until_status(Status::Idle).await;
    assert!(file.exists());
    let rewind = |dry_run| json!({"user_message_id": prompt, "dry_run": dry_run});
    let would = client.post(&format!("{path}/rewind"), &rewind(true)).await;
    assert_eq!(would.status, 200, "{would:?}");
    assert_eq!(would.json()["can_rewind"], true);
    assert_eq!(would.json()["files_changed"], json!([file]), "{:?}", would.json());
    assert!(file.exists(), "only looked");
    let done = client.post(&format!("{path}/rewind"), &rewind(false)).await;
    assert_eq!(done.status, 200, "{done:?}");
    assert!(!file.exists());

    let nobody = json!({"user_message_id": uuid::Uuid::new_v4()});
    client.post(&format!("{path}/rewind"), &nobody).await.is_problem(422, "unprocessable");
    let bad = json!({"user_message_id": "the last one"});
    client.post(&format!("{path}/rewind"), &bad).await.is_problem(422, "invalid-input");
    served.host.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_task_is_sent_back_listed_and_stopped() {
    let served = Served::new().await;
    let client = &served.client;
    let session = served.session(json!({"policy": "autonomous"})).await;
    let path = format!("/api/v1/sessions/{session}");
    let mut watcher = Watcher::new(&served.host, session, 0).await;
    let shell = json!({"command": "sleep 1000", "run_in_background": true});
    served.say(session, &format!("tool Bash {shell}\n---\nsay started")).await;
    watcher.until(|body| matches!(body, Body::TaskStarted { .. })).await;
    watcher.until(|body| matches!(body, Body::Complete { .. })).await;
    let tasks = client.get(&format!("{path}/tasks")).await.json();
    let task = tasks["items"][0]["task_id"].as_str().unwrap_or_else(|| panic!("{tasks}"));
    let back = client.post(&format!("{path}/tasks/background"), &json!({})).await;
    assert_eq!(back.status, 204, "{back:?}");
    let nobody = client.poke(&format!("{path}/tasks/nobody/stop")).await;
    nobody.is_problem(404, "not-found");
    let stopped = client.poke(&format!("{path}/tasks/{task}/stop")).await;
    assert_eq!(stopped.status, 204, "{stopped:?}");
    client.until(&format!("{path}/tasks"), |tasks| tasks["items"] == json!([])).await;
    served.host.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cli_that_does_not_answer_is_given_up() {
    let answer = Duration::from_millis(400);
    let patience = Patience { answer, ..Patience::default() };
    let served = Served::with("deaf=get_context_usage+set_model", patience).await;
    let client = &served.client;
    let session = served.session(json!({})).await;
    let path = format!("/api/v1/sessions/{session}");
    let mut watcher = Watcher::new(&served.host, session, 0).await;
    served.say(session, "say hm").await;
    watcher.until_status(Status::Idle).await;
    client.get(&format!("{path}/context")).await.is_problem(504, "timed-out");
    let model = json!({"model": "haiku"});
    client.put(&format!("{path}/model"), &model).await.is_problem(504, "timed-out");
    // The session itself is well.
    assert_eq!(client.get(&format!("{path}/mcp")).await.status, 200);
    served.host.close().await;
}
