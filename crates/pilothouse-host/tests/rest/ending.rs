//! The end of the daemon, asked for by a client.

use serde_json::json;

use super::client::Served;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_the_daemon_that_is_meant_ends_and_that_is_noted() {
    let served = Served::new().await;
    let ask = |pid: u32| json!({ "pid": pid });
    let other = served.client.post("/api/v1/shutdown", &ask(std::process::id() + 1)).await;
    other.is_problem(409, "conflict");
    served.client.post("/api/v1/shutdown", &json!({})).await.is_problem(422, "invalid-input");
    let noted = || async { served.client.get("/api/v1/audit").await.json()["items"].clone() };
    assert_eq!(noted().await, json!([]));
    let own = served.client.post("/api/v1/shutdown", &ask(std::process::id())).await;
    assert_eq!(own.status, 204, "{own:?}");
    let noted = noted().await;
    assert_eq!(noted[0]["action"], "daemon.stopped", "{noted}");
    assert_eq!(noted[0]["actor"], "Ada", "{noted}");
    served.host.close().await;
}
