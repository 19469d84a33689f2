//! What is asked of the host before there is a session, and of all sessions together.

use pilothouse_session::event::{Body, Status};
use serde_json::{Value, json};

use super::bed::Watcher;
use super::client::Served;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn directories_are_looked_through_below_those_that_may_be() {
    let served = Served::new().await;
    let client = &served.client;
    let work = served.bed.path("work");
    for name in ["boat/mast", "bell", ".hidden"] {
        std::fs::create_dir_all(work.join(name)).unwrap();
    }
    std::fs::write(work.join("file"), "").unwrap();
    let list = async |query: &str| client.get(&format!("/api/v1/directories{query}")).await;
    let all = list("").await;
    assert_eq!(all.status, 200, "{all:?}");
    let all = all.json();
    assert_eq!((&all["names"], &all["parent"]), (&json!(["bell", "boat"]), &Value::Null));
    assert_eq!(all["roots"], json!([all["path"]]));
    let below = format!("?path={}/boat", all["path"].as_str().unwrap());
    let below = list(&below).await.json();
    assert_eq!((&below["names"], &below["parent"]), (&json!(["mast"]), &all["path"]));
    assert_eq!(list("?starts=BO").await.json()["names"], json!(["boat"]));
    assert_eq!(list("?hidden=last").await.json()["names"], json!(["bell", "boat", ".hidden"]));
    let first = list("?limit=1").await.json();
    assert_eq!((&first["names"], &first["truncated"]), (&json!(["bell"]), &json!(true)));

    let problem = list("?path=/").await.is_problem(403, "forbidden");
    assert!(problem["detail"].as_str().unwrap().contains("files.browse"), "{problem}");
    list("?path=missing").await.is_problem(404, "not-found");
    list("?path=file").await.is_problem(422, "unprocessable");
    list("?hidden=first").await.is_problem(422, "invalid-input");
    list("?limit=0").await.is_problem(422, "invalid-input");
    served.host.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_sessions_took_is_told_by_day_project_and_model() {
    let served = Served::new().await;
    let client = &served.client;
    let usage = async |query: &str| client.get(&format!("/api/v1/usage{query}")).await;
    let nothing = usage("").await.json();
    assert_eq!((&nothing["sessions"], &nothing["days"]), (&json!(0), &json!([])));
    assert_eq!(nothing["zone"], "UTC");

    let session = served.session(json!({})).await;
    let mut watcher = Watcher::new(&served.host, session, 0).await;
    let mut costs = Vec::new();
    for text in ["say one", "say two"] {
        served.say(session, text).await;
        let done = watcher.until(|body| matches!(body, Body::Complete { .. })).await;
        let Body::Complete { completion } = done.body else { panic!("no end") };
        costs.push(completion.total_cost_usd.unwrap());
        watcher.until_status(Status::Idle).await;
    }
    assert!(costs[1] > costs[0], "the CLI counts from the start of its run: {costs:?}");
    let told = usage("?zone=Pacific/Auckland").await.json();
    assert_eq!(told["sessions"], 1);
    assert_eq!(told["projects"][0]["name"], served.cwd());
    for part in [&told["total"], &told["projects"][0], &told["models"][0]] {
        let cost = part["cost_usd"].as_f64().unwrap();
        assert!((cost - costs[1]).abs() < 1e-9, "{cost} is not {costs:?}: {told}");
    }
    assert_eq!(told["days"][0]["models"], told["models"], "{told}");
    assert_eq!(usage("?from=2020-01-01&to=2020-12-31").await.json()["sessions"], 0);

    for (query, name) in [
        ("?zone=Middle-earth/Shire", "zone"),
        ("?from=2026-03-02&to=2026-03-01", "from"),
        ("?from=2020-01-01&to=2026-01-01", "from"),
        ("?from=-009999-01-01", "from"),
        ("?to=tomorrow", "to"),
        ("?day=1", "day"),
    ] {
        let problem = usage(query).await.is_problem(422, "invalid-input");
        assert_eq!(problem["errors"][0]["name"], name, "{query}: {problem}");
    }
    served.host.close().await;
}
