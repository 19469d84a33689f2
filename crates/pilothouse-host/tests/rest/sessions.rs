//! Sessions as a whole.

use pilothouse_session::event::Status;
use pilothouse_session::id::SessionId;
use serde_json::{Value, json};

use super::bed::Watcher;
use super::client::Served;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_is_made_once_seen_changed_and_deleted() {
    let served = Served::new().await;
    let client = &served.client;
    let id = uuid::Uuid::now_v7().to_string();
    let body = json!({
        "id": id, "cwd": served.cwd(), "title": "First", "tags": ["b", "a"],
        "policy": "supervised", "profile": {"model": "sonnet", "mode": "act"},
    });
    let made = client.post("/api/v1/sessions", &body).await;
    assert_eq!(made.status, 201, "{made:?}");
    let path = format!("/api/v1/sessions/{id}");
    assert_eq!(made.header("location"), path);
    let row = made.json();
    assert_eq!((&row["title"], &row["tags"]), (&json!("First"), &json!(["a", "b"])));
    assert_eq!((&row["status"], &row["mode"]), (&json!("dormant"), &json!("acceptEdits")));
    // The same again changes nothing.
    let again = client.post("/api/v1/sessions", &body).await;
    assert_eq!((again.status, again.json()), (200, row));

    let seen = client.get(&path).await;
    assert_eq!(seen.status, 200);
    for list in ["approvals", "open_items", "tasks"] {
        assert_eq!(seen.json()[list], json!([]), "{list}");
    }
    let change = json!({
        "title": "Second", "tags": ["c"], "archived": true, "policy": "", "read_to": 0
    });
    let changed = client.patch(&path, &change).await;
    assert_eq!(changed.status, 200);
    let row = changed.json();
    assert_eq!((&row["title"], &row["tags"]), (&json!("Second"), &json!(["c"])));
    assert_eq!((&row["archived"], &row["policy"]), (&json!(true), &Value::Null));
    // What is not said stays.
    let changed = client.patch(&path, &json!({"archived": false})).await.json();
    assert_eq!((&changed["title"], &changed["archived"]), (&json!("Second"), &json!(false)));

    let gone = client.delete(&path).await;
    assert_eq!((gone.status, gone.bytes.len()), (204, 0));
    client.get(&path).await.is_problem(404, "not-found");
    client.delete(&path).await.is_problem(404, "not-found");
    let audit = client.get(&format!("/api/v1/audit?session={id}")).await.json();
    let actions: Vec<_> = audit["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| (line["action"].as_str().unwrap(), line["actor"].as_str().unwrap()))
        .collect();
    let wanted =
        [("session.deleted", "Ada"), ("session.policy_changed", "Ada"), ("session.created", "Ada")];
    assert_eq!(actions, wanted);
    served.host.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lists_come_in_pages_and_through_filters() {
    let served = Served::new().await;
    let client = &served.client;
    let mut made = Vec::new();
    for number in 0..7 {
        let tag = if number % 2 == 0 { "even" } else { "odd" };
        let title = format!("Session {number}");
        made.push(served.session(json!({ "title": title, "tags": [tag] })).await.to_string());
    }
    let mut found = Vec::new();
    let mut path = "/api/v1/sessions?limit=3".to_owned();
    let mut sizes = Vec::new();
    loop {
        let page = client.get(&path).await.json();
        let items = page["items"].as_array().unwrap();
        sizes.push(items.len());
        found.extend(items.iter().map(|row| row["id"].as_str().unwrap().to_owned()));
        match page["next"].as_str() {
            Some(next) => path = format!("/api/v1/sessions?limit=3&after={next}"),
            None => break,
        }
    }
    made.reverse();
    assert_eq!((found, sizes), (made, vec![3, 3, 1]));
    let count = async |query: &str| {
        let page = client.get(&format!("/api/v1/sessions?{query}")).await.json();
        page["items"].as_array().unwrap_or_else(|| panic!("{page}")).len()
    };
    assert_eq!(count("tag=even").await, 4);
    assert_eq!(count("named=session%203").await, 1);
    assert_eq!(count("status=dormant&status=idle").await, 7);
    assert_eq!(count("status=running").await, 0);
    assert_eq!(count("archived=true").await, 0);
    assert_eq!(count("needs_you=true").await, 0);
    assert_eq!(count("cwd=%2Fnowhere").await, 0);
    for query in ["limit=0", "limit=501", "limit=-1", "limit=x", "status=asleep", "nonsense=1"] {
        let answer = client.get(&format!("/api/v1/sessions?{query}")).await;
        let problem = answer.is_problem(422, "invalid-input");
        let name = query.split('=').next().unwrap();
        assert_eq!(problem["errors"][0]["name"], name, "{problem}");
    }
    client.get("/api/v1/sessions?after=yesterday").await.is_problem(400, "bad-cursor");
    served.host.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_said_is_found_read_and_copied() {
    let served = Served::new().await;
    let client = &served.client;
    let session = served.session(json!({"tags": ["kept"]})).await;
    let path = format!("/api/v1/sessions/{session}");
    // There is nothing to copy yet.
    client.post(&format!("{path}/fork"), &json!({})).await.is_problem(409, "conflict");
    let mut watcher = Watcher::new(&served.host, session, 0).await;
    served.say(session, "say the zebra crosses").await;
    watcher.until_status(Status::Idle).await;

    let hits = client.get("/api/v1/sessions/search?q=zebra&voice=said").await.json();
    assert_eq!(hits["items"].as_array().unwrap().len(), 1, "{hits}");
    assert_eq!(hits["items"][0]["session"], session.to_string());
    let none = client.get("/api/v1/sessions/search?q=giraffe").await.json();
    assert_eq!(none["items"], json!([]));
    client.get("/api/v1/sessions/search").await.is_problem(422, "invalid-input");

    // All events, in parts of three, are those that were stored.
    let (mut events, mut after) = (Vec::new(), 0);
    loop {
        let page = client.get(&format!("{path}/events?after={after}&limit=3")).await.json();
        let items = page["items"].as_array().unwrap();
        assert!(items.len() <= 3);
        events.extend(items.clone());
        match page["next"].as_u64() {
            Some(next) => after = next,
            None => break,
        }
    }
    let whole = client.get(&format!("{path}/events")).await.json();
    assert_eq!((&json!(events), &Value::Null), (&whole["items"], &whole["next"]));
    let stored = served.host.store().read_after(session, 0, 10_000).unwrap();
    assert_eq!(events.len(), stored.len());
    for (event, stored) in events.iter().zip(stored) {
        assert_eq!(*event, serde_json::from_slice::<Value>(&stored.json).unwrap());
    }
    let beyond = client.get(&format!("{path}/events?after=99999999999")).await.json();
    assert_eq!(beyond, json!({"items": [], "next": null}));

    let copy = client.post(&format!("{path}/fork"), &json!({"title": "Copy"})).await;
    assert_eq!(copy.status, 201, "{copy:?}");
    let copy = copy.json();
    assert_eq!((&copy["title"], &copy["tags"]), (&json!("Copy"), &json!(["kept"])));
    let copied: SessionId = serde_json::from_value(copy["id"].clone()).unwrap();
    let mut other = Watcher::new(&served.host, copied, 0).await;
    served.say(copied, "say copied").await;
    other.until_status(Status::Idle).await;
    let (one, two) = (client.get(&path).await.json(), &client.get(copy_path(copied)).await.json());
    assert_ne!(one["cli_session"], two["cli_session"]);
    let id = json!({"id": copied});
    assert_eq!(client.post(&format!("{path}/fork"), &id).await.status, 200, "once");
    served.host.close().await;
}

fn copy_path(session: SessionId) -> &'static str {
    Box::leak(format!("/api/v1/sessions/{session}").into_boxed_str())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn settings_of_a_session_without_a_run_are_kept_for_the_next() {
    let served = Served::new().await;
    let client = &served.client;
    let session = served.session(json!({})).await;
    let path = format!("/api/v1/sessions/{session}");
    let mode = client.put(&format!("{path}/mode"), &json!({"mode": "plan"})).await;
    assert_eq!((mode.status, &mode.json()["mode"]), (200, &json!("plan")));
    let model = client.put(&format!("{path}/model"), &json!({"model": "haiku"})).await;
    assert_eq!((model.status, &model.json()["model"]), (200, &json!("haiku")));
    for (what, body) in
        [("thinking", json!({"max_tokens": 0})), ("effort", json!({"effort": "low"}))]
    {
        assert_eq!(client.put(&format!("{path}/{what}"), &body).await.status, 204, "{what}");
    }
    // A run has them too.
    let mut watcher = Watcher::new(&served.host, session, 0).await;
    served.say(session, "say hm").await;
    watcher.until_status(Status::Idle).await;
    assert_eq!(client.get(&path).await.json()["mode"], "plan");
    let mode = client.put(&format!("{path}/mode"), &json!({"mode": "act"})).await;
    assert_eq!((mode.status, &mode.json()["mode"]), (200, &json!("acceptEdits")));
    let bypass = json!({"mode": "bypassPermissions"});
    client.put(&format!("{path}/mode"), &bypass).await.is_problem(409, "conflict");
    assert_eq!(client.get(&path).await.json()["mode"], "acceptEdits");
    served.host.close().await;
}
