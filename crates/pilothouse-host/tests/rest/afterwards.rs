//! What was done is told as done, and what goes on is told as going on.

use std::time::Duration;

use pilothouse_host::http::rest::Patience;
use pilothouse_session::event::Status;
use serde_json::json;

use super::bed::Watcher;
use super::client::Served;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_done_is_not_told_as_failed_when_the_audit_cannot_be_written() {
    let served = Served::new().await;
    let client = &served.client;
    let session = served.session(json!({})).await;
    let database = served.bed.path("data/pilothouse.db");
    let conn = rusqlite::Connection::open(database).unwrap();
    conn.busy_timeout(Duration::from_secs(30)).unwrap();
    conn.execute_batch(
        "CREATE TRIGGER no_audit BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'no room'); END",
    )
    .unwrap();
    let made = client.post("/api/v1/sessions", &json!({"cwd": served.cwd()})).await;
    assert_eq!(made.status, 201, "{made:?}");
    let path = format!("/api/v1/sessions/{session}");
    let changed = client.patch(&path, &json!({"policy": "supervised"})).await;
    assert_eq!((changed.status, &changed.json()["policy"]), (200, &json!("supervised")));
    let mode = client.put(&format!("{path}/mode"), &json!({"mode": "plan"})).await;
    assert_eq!((mode.status, &mode.json()["mode"]), (200, &json!("plan")));
    let put = json!({"text": "[[rule]]\ntool = \"Bash\"\nthen = \"ask\"\n"});
    assert_eq!(client.put("/api/v1/policies/mine", &put).await.status, 200);
    // Deleting without a trace is not done.
    client.delete(&path).await.is_problem(500, "store-failed");
    assert_eq!(client.get(&path).await.status, 200);
    served.host.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deletion_that_is_not_waited_for_goes_on() {
    let patience = Patience { end: Duration::ZERO, ..Patience::default() };
    let served = Served::with("", patience).await;
    let client = &served.client;
    let session = served.session(json!({})).await;
    let path = format!("/api/v1/sessions/{session}");
    let mut watcher = Watcher::new(&served.host, session, 0).await;
    served.say(session, "say hm").await;
    watcher.until_status(Status::Idle).await;
    let problem = client.delete(&path).await.is_problem(504, "timed-out");
    assert!(problem["detail"].as_str().unwrap().contains("will be deleted"), "{problem}");
    client.until(&path, |answer| answer["status"] == 404).await;
    assert_eq!(client.delete(&path).await.status, 404, "there is nothing to wait for");
    served.host.close().await;
}
