//! What every route refuses: sessions that are not there, bodies that do not fit, methods that
//! there are not. Read off the description, so that no route is left out.

use pilothouse_host::http::rest;
use serde_json::{Value, json};

use super::client::Served;

/// The routes that serve here: method, path with every parameter filled in, whether there is a body.
fn routes(session: &str) -> Vec<(String, String, Value)> {
    let document = rest::document();
    let id = uuid::Uuid::new_v4().to_string();
    let mut found = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let elsewhere = ["/login", "/logout", "/health", "/challenge", "/ws", "/stream"];
            if elsewhere.iter().any(|part| path.contains(part)) {
                continue;
            }
            let filled = path
                .replace("{session}", session)
                .replace("{prompt}", &id)
                .replace("{run}", &id)
                .replace("{approval}", "1")
                .replace("{task}", "t")
                .replace("{server}", "s")
                .replace("{digest}", &"0".repeat(64))
                .replace("{policy}", "nobody")
                .replace("{cli_session}", &id);
            assert!(!filled.contains('{'), "{filled}");
            let needed = operation["parameters"].as_array().into_iter().flatten();
            let needed = needed.filter(|it| it["in"] == "query" && it["required"] == true);
            let query: Vec<_> =
                needed.map(|it| format!("{}=x", it["name"].as_str().unwrap())).collect();
            let filled = match query.is_empty() {
                true => filled,
                false => format!("{filled}?{}", query.join("&")),
            };
            found.push((method.to_uppercase(), filled, operation.clone()));
        }
    }
    found
}

/// A body that is right as far as the description tells.
fn example(operation: &Value) -> Option<Value> {
    let content = operation["requestBody"]["content"].as_object()?;
    Some(content.get("application/json").map_or(json!("x"), |json| json["example"].clone()))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_that_is_not_there_is_not_found_by_any_route() {
    let served = Served::new().await;
    let nobody = uuid::Uuid::new_v4().to_string();
    let mut seen = 0;
    for (method, path, operation) in routes(&nobody) {
        if !path.contains(&nobody) {
            continue;
        }
        let body = example(&operation).map(|body| body.to_string().into_bytes());
        let body = body.or((method == "POST").then(Vec::new));
        let headers: &[_] = match operation.get("requestBody") {
            Some(_) => &[("content-type", "application/json")],
            None => &[],
        };
        let answer = served.client.send(&method, &path, headers, body).await;
        assert_eq!(answer.status, 404, "{method} {path}: {answer:?}");
        answer.is_problem(404, "not-found");
        // What is no id at all is named.
        let odd = path.replace(&nobody, "not-an-id");
        let body = example(&operation).map(|body| body.to_string().into_bytes());
        let body = body.or((method == "POST").then(Vec::new));
        let answer = served.client.send(&method, &odd, headers, body).await;
        let problem = answer.is_problem(422, "invalid-input");
        assert_eq!(problem["errors"][0]["in"], "path", "{method} {odd}: {problem}");
        seen += 1;
    }
    assert!(seen > 30, "{seen}");
    assert_eq!(served.host.served(), 0, "no loop was started for it");
    served.host.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bodies_that_do_not_fit_are_refused_and_change_nothing() {
    let served = Served::new().await;
    let session = served.session(json!({"title": "as it was"})).await.to_string();
    let path = format!("/api/v1/sessions/{session}");
    let before = served.client.get(&path).await.json();
    let mut seen = 0;
    for (method, path, operation) in routes(&session) {
        let content = &operation["requestBody"]["content"];
        if content.get("application/json").is_none() {
            continue;
        }
        seen += 1;
        let send = async |kind: &str, body: &[u8]| {
            let headers = [("content-type", kind)];
            served.client.send(&method, &path, &headers, Some(body.to_vec())).await
        };
        let json = "application/json";
        send(json, b"{").await.is_problem(400, "malformed-json");
        send(json, b"").await.is_problem(400, "malformed-json");
        send(json, b"[1]").await.is_problem(422, "invalid-input");
        send(json, b"null").await.is_problem(422, "invalid-input");
        send(json, b"{\"nonsense\":1}").await.is_problem(422, "invalid-input");
        let deep = [b"[".repeat(5000), b"]".repeat(5000)].concat();
        assert!([400, 422].contains(&send(json, &deep).await.status), "{path}");
        send("text/plain", b"{}").await.is_problem(415, "unsupported-media-type");
        let odd = send(json, b"{\"\xff\":1}").await.status;
        assert!([400, 422].contains(&odd), "{path}: {odd}");
    }
    assert!(seen > 12, "{seen}");
    assert_eq!(served.client.get(&path).await.json(), before);
    assert_eq!(
        served
            .host
            .store()
            .last_seq(session.parse().map(pilothouse_session::id::SessionId).unwrap())
            .unwrap(),
        0
    );
    served.host.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_is_refused_with_its_place() {
    let served = Served::new().await;
    let client = &served.client;
    let cwd = served.cwd();
    let with = |more: Value| {
        let mut body = json!({ "cwd": cwd });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    let table = [
        (json!({}), "/cwd"),
        (json!({"cwd": "relative"}), "/cwd"),
        (json!({"cwd": "/nowhere/at/all"}), "/cwd"),
        (json!({"cwd": "/tmp\u{0}/x"}), "/cwd"),
        (with(json!({"policy": "nobody"})), "/policy"),
        (with(json!({"policy": "../../etc/passwd"})), "/policy"),
        (with(json!({"id": "mine"})), "/id"),
        (with(json!({"title": "x".repeat(501)})), "/title"),
        (with(json!({"tags": vec!["x"; 51]})), "/tags"),
        (with(json!({"tags": [" "]})), "/tags/0"),
        (with(json!({"profile": {"mode": "no mode"}})), "/profile/mode"),
        (with(json!({"profile": {"add_dirs": ["relative"]}})), "/profile/add_dirs"),
        (with(json!({"profile": {"max_turns": -1}})), "/profile/max_turns"),
        (with(json!({"profile": {"mcp_servers": {"x": "a carrier pigeon"}}})), "/profile"),
        (with(json!({"profile": {"nonsense": 1}})), "/profile/nonsense"),
        (with(json!({"begin": {"kind": "nowhere"}})), "/begin"),
    ];
    for (body, place) in table {
        let answer = client.post("/api/v1/sessions", &body).await;
        assert!(answer.status == 422, "{body}: {}", String::from_utf8_lossy(&answer.bytes));
        let problem = answer.is_problem(422, "invalid-input");
        let pointer = problem["errors"][0]["pointer"].as_str().unwrap_or_default();
        assert!(pointer.starts_with(place), "{body}: {problem}");
    }
    let bypass = with(json!({"profile": {"mode": "bypassPermissions"}}));
    client.post("/api/v1/sessions", &bypass).await.is_problem(409, "conflict");
    assert_eq!(client.get("/api/v1/sessions").await.json()["items"], json!([]));

    let session = served.session(json!({})).await;
    let path = format!("/api/v1/sessions/{session}");
    let table = [
        ("mode", json!({"mode": "no mode"}), "/mode"),
        ("model", json!({"model": "--dangerous"}), "/model"),
        ("model", json!({"model": ""}), "/model"),
        ("thinking", json!({"max_tokens": -1}), "/max_tokens"),
        ("effort", json!({"effort": "a\nb"}), "/effort"),
        ("effort", json!({"effort": 3}), "/effort"),
    ];
    for (what, body, place) in table {
        let answer = client.put(&format!("{path}/{what}"), &body).await;
        let problem = answer.is_problem(422, "invalid-input");
        assert_eq!(problem["errors"][0]["pointer"], place, "{problem}");
    }
    let table = [
        (json!({"policy": "nobody", "title": "x"}), "/policy"),
        (json!({"read_to": 99, "title": "x"}), "/read_to"),
        (json!({"tags": [""], "title": "x"}), "/tags/0"),
    ];
    for (body, place) in table {
        let problem = client.patch(&path, &body).await.is_problem(422, "invalid-input");
        assert_eq!(problem["errors"][0]["pointer"], place, "{problem}");
        assert!(client.get(&path).await.json()["title"].is_null(), "nothing of it was done");
    }
    served.host.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_description_lists_every_route_and_no_other() {
    let served = Served::new().await;
    let session = served.session(json!({})).await.to_string();
    let all = routes(&session);
    for (_, path, _) in &all {
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
            let without_query = |path: &str| path.split('?').next().map(str::to_owned);
            let is_same = |at: &str| without_query(at) == without_query(path);
            let described = all.iter().any(|(other, at, _)| other == method && is_same(at));
            let body = ["POST", "PUT", "PATCH"].contains(&method).then(Vec::new);
            // The session stays: it is asked for last.
            let path = path.replace(&session, "00000000-0000-0000-0000-000000000000");
            let answer = served.client.send(method, &path, &[], body).await;
            assert_eq!(answer.status != 405, described, "{method} {path}: {answer:?}");
        }
    }
    let document = served.client.get("/api/openapi.json").await;
    assert_eq!((document.status, document.json()), (200, rest::document()));
    let version = served.client.get("/api/v1/version").await.json();
    assert_eq!((&version["name"], &version["api"]), (&json!("pilothouse"), &json!("v1")));
    served.host.close().await;
}
