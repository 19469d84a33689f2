//! Policies: read, put, and tried.

use pilothouse_session::event::Status;
use serde_json::json;

use super::bed::Watcher;
use super::client::Served;

const MINE: &str = "[[rule]]\ntool = \"Bash\"\ncommand = \"touch *\"\nthen = \"allow\"\n\n\
                    [[rule]]\ntool = \"Write\"\ndeny = \"not here\"\n";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn policies_are_put_read_and_refused_with_the_place_of_the_mistake() {
    let served = Served::new().await;
    let client = &served.client;
    let names = client.get("/api/v1/policies").await.json();
    assert_eq!(names["items"].as_array().unwrap().len(), 3, "{names}");
    let put = client.put("/api/v1/policies/mine", &json!({"text": MINE})).await;
    assert_eq!(put.status, 200, "{put:?}");
    let got = client.get("/api/v1/policies/mine").await.json();
    assert_eq!(got, json!({"name": "mine", "builtin": false, "text": MINE}));
    let names = client.get("/api/v1/policies").await.json();
    assert_eq!(names["items"][3], json!({"name": "mine", "builtin": false}));
    let audit = client.get("/api/v1/audit?limit=1").await.json();
    assert_eq!(audit["items"][0]["action"], "policy.put");

    let wrong = json!({"text": "[[rule]]\ntool = \"Bash\"\nthen = \"allwo\"\n"});
    let answer = client.put("/api/v1/policies/mine", &wrong).await;
    let problem = answer.is_problem(422, "invalid-input");
    let error = &problem["errors"][0];
    assert_eq!((&error["pointer"], &error["line"]), (&json!("/text"), &json!(3)), "{problem}");
    let got = client.get("/api/v1/policies/mine").await.json();
    assert_eq!(got["text"], MINE, "it is still the old one");
    let preset = client.put("/api/v1/policies/autonomous", &json!({"text": MINE})).await;
    preset.is_problem(409, "conflict");
    let odd = client.put("/api/v1/policies/a%2Fb", &json!({"text": MINE})).await;
    odd.is_problem(422, "invalid-input");
    client.get("/api/v1/policies/nobody").await.is_problem(404, "not-found");
    client.get("/api/v1/policies/..%2F..%2Fx").await.is_problem(404, "not-found");
    served.host.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_policy_is_tried_on_a_call_and_on_what_a_session_did() {
    let served = Served::new().await;
    let client = &served.client;
    let cwd = served.cwd();
    let test = |policy: serde_json::Value, command: &str| {
        let call = json!({"tool_name": "Bash", "input": {"command": command}});
        let mut body = json!({"call": call, "cwd": cwd});
        body.as_object_mut().unwrap().extend(policy.as_object().unwrap().clone());
        body
    };
    let path = "/api/v1/policies/test";
    let yes = client.post(path, &test(json!({"text": MINE}), "touch a && touch b")).await.json();
    assert_eq!((&yes["verdict"], &yes["because"]["ground"]), (&json!("allow"), &json!("rule")));
    assert!(yes["sentence"].as_str().unwrap().contains("rule 1"), "{yes}");
    let ask = client.post(path, &test(json!({"text": MINE}), "rm -rf /")).await.json();
    assert_eq!(ask["verdict"], "ask");
    let preset = client.post(path, &test(json!({"policy": "autonomous"}), "ls")).await.json();
    assert_eq!(preset["verdict"], "allow");
    let both = test(json!({"policy": "autonomous", "text": MINE}), "ls");
    client.post(path, &both).await.is_problem(422, "invalid-input");
    client.post(path, &test(json!({}), "ls")).await.is_problem(422, "invalid-input");
    client.post(path, &test(json!({"policy": "no"}), "ls")).await.is_problem(422, "invalid-input");

    let session = served.session(json!({"policy": "autonomous"})).await;
    let mut watcher = Watcher::new(&served.host, session, 0).await;
    let write = json!({"file_path": served.bed.path("work/w"), "content": "x"});
    let lines = format!(
        "tool Bash {{\"command\":\"touch a\"}}\n---\ntool Write {write}\n---\n\
         tool Bash {{\"command\":\"ls\"}}\n---\nsay done"
    );
    served.say(session, &lines).await;
    watcher.until_status(Status::Idle).await;
    let body = json!({"text": MINE, "session": session});
    let replay = client.post("/api/v1/policies/replay", &body).await.json();
    let counts = (&replay["allowed"], &replay["denied"], &replay["asked"]);
    assert_eq!(counts, (&json!(1), &json!(1), &json!(1)), "{replay}");
    assert_eq!(replay["is_cut"], false);
    let calls: Vec<_> = replay["calls"]
        .as_array()
        .unwrap()
        .iter()
        .map(|call| (call["tool_name"].as_str().unwrap(), call["verdict"].as_str().unwrap()))
        .collect();
    assert_eq!(calls, [("Bash", "allow"), ("Write", "deny"), ("Bash", "ask")]);
    let body = json!({"text": MINE, "session": session, "limit": 2});
    let replay = client.post("/api/v1/policies/replay", &body).await.json();
    assert_eq!((replay["is_cut"] == true, replay["calls"].as_array().unwrap().len()), (true, 2));
    let body = json!({"text": MINE, "session": uuid::Uuid::new_v4()});
    client.post("/api/v1/policies/replay", &body).await.is_problem(404, "not-found");
    served.host.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_policy_that_many_put_at_once_is_one_of_theirs() {
    let served = Served::new().await;
    let text = |number: usize| format!("# {number}\n{MINE}");
    // Something that lies where a half-written one could be.
    std::fs::create_dir_all(served.bed.path("data/policies/mine.new")).unwrap();
    let put = |number| {
        let (client, body) = (served.client.clone(), json!({ "text": text(number) }));
        tokio::spawn(async move { client.put("/api/v1/policies/mine", &body).await.status })
    };
    let all: Vec<_> = (0..16).map(put).collect();
    for one in all {
        assert_eq!(one.await.unwrap(), 200);
    }
    let got = served.client.get("/api/v1/policies/mine").await.json();
    assert!((0..16).any(|number| got["text"] == text(number)), "{got}");
    let names = served.client.get("/api/v1/policies").await.json();
    assert_eq!(names["items"].as_array().unwrap().len(), 4, "{names}");
    served.host.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_policy_that_nobody_needs_is_removed() {
    let usual = |options: &mut pilothouse_host::host::Options| {
        options.defaults.policy = Some("usual".to_owned());
    };
    let served = Served::changed("", Default::default(), usual).await;
    let client = &served.client;
    for name in ["mine", "usual"] {
        let path = format!("/api/v1/policies/{name}");
        assert_eq!(client.put(&path, &json!({"text": MINE})).await.status, 200);
    }
    let session = served.session(json!({"policy": "mine"})).await;
    let problem = client.delete("/api/v1/policies/mine").await.is_problem(409, "conflict");
    assert!(problem["detail"].as_str().unwrap().contains(&session.to_string()), "{problem}");
    client.delete("/api/v1/policies/usual").await.is_problem(409, "conflict");
    client.delete("/api/v1/policies/plan").await.is_problem(409, "conflict");
    let path = format!("/api/v1/sessions/{session}");
    assert_eq!(client.patch(&path, &json!({"policy": ""})).await.status, 200);
    assert_eq!(client.delete("/api/v1/policies/mine").await.status, 204);
    let audit = client.get("/api/v1/audit?limit=1").await.json();
    assert_eq!(audit["items"][0]["action"], "policy.deleted");
    for name in ["mine", "..%2Fmine", "nobody"] {
        let answer = client.delete(&format!("/api/v1/policies/{name}")).await;
        answer.is_problem(404, "not-found");
    }
    served.host.close().await;
}
