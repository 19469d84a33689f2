//! What sessions ask, and who answers.

use pilothouse_session::event::Body;
use serde_json::json;

use super::bed::Watcher;
use super::client::Served;

const TOUCH: &str = "tool Bash {\"command\":\"touch made\"}\n---\nsay done";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_who_answer_one_is_told_that_it_was_late() {
    let served = Served::new().await;
    let client = &served.client;
    let session = served.session(json!({})).await;
    let path = format!("/api/v1/sessions/{session}/approvals");
    let mut watcher = Watcher::new(&served.host, session, 0).await;
    served.say(session, TOUCH).await;
    let approval = watcher.until_asked().await;

    let open = client.get("/api/v1/approvals").await.json();
    assert_eq!(open["items"][0]["session"], session.to_string(), "{open}");
    assert_eq!(open["items"][0]["request"]["subject"]["tool_name"], "Bash");
    let listed = client.get(&format!("{path}?state=open")).await.json();
    assert_eq!(listed["items"], open["items"]);

    let decision = format!("{path}/{approval}/decision");
    for (body, place) in [
        (json!({}), "/kind"),
        (json!({"kind": "perhaps"}), "/kind"),
        (json!({"kind": "deny", "stop": "now"}), "/stop"),
    ] {
        let problem = client.post(&decision, &body).await.is_problem(422, "invalid-input");
        assert!(problem["errors"][0]["pointer"].is_string(), "{place}: {problem}");
    }
    let plan = json!({"kind": "plan", "choice": "accept_edits"});
    client.post(&decision, &plan).await.is_problem(422, "unprocessable");
    let nobody = client.post(&format!("{path}/99/decision"), &json!({"kind": "allow"})).await;
    nobody.is_problem(404, "not-found");
    client.post(&format!("{path}/x/decision"), &plan).await.is_problem(422, "invalid-input");
    assert!(!served.bed.path("work/made").exists());

    let (yes, no) = (json!({"kind": "allow"}), json!({"kind": "deny", "message": "no"}));
    let headers = [("content-type", "application/json"), ("x-name", "Grace")];
    let grace = client.send("POST", &decision, &headers, Some(no.to_string().into_bytes()));
    let (one, two) = tokio::join!(client.post(&decision, &yes), grace);
    let (won, lost) = if one.status == 204 { (one, two) } else { (two, one) };
    assert_eq!(won.status, 204);
    let problem = lost.is_problem(409, "conflict");
    assert_eq!(problem["refusal"]["kind"], "already_answered");
    watcher.until(|body| matches!(body, Body::Complete { .. })).await;
    let rows = client.get(&format!("{path}?state=decided")).await.json();
    let by = rows["items"][0]["by"]["name"].as_str().unwrap().to_owned();
    assert_eq!(served.bed.path("work/made").exists(), by == "Ada", "{rows}");
    assert_eq!(client.get("/api/v1/approvals").await.json()["items"], json!([]));
    served.host.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_of_all_sessions_come_in_pages() {
    let served = Served::new().await;
    let client = &served.client;
    let mut asked = Vec::new();
    for _ in 0..3 {
        let session = served.session(json!({})).await;
        let mut watcher = Watcher::new(&served.host, session, 0).await;
        served.say(session, TOUCH).await;
        asked.push((session, watcher.until_asked().await));
    }
    let first = client.get("/api/v1/approvals?limit=2").await.json();
    assert_eq!(first["items"].as_array().unwrap().len(), 2);
    let next = first["next"].as_str().unwrap();
    // The one that the mark names is answered meanwhile.
    let (session, approval) = asked[1];
    let decision = format!("/api/v1/sessions/{session}/approvals/{approval}/decision");
    assert_eq!(client.post(&decision, &json!({"kind": "deny"})).await.status, 204);
    let gone = |page: &serde_json::Value| page["items"].as_array().unwrap().len() == 2;
    client.until("/api/v1/approvals", gone).await;
    let second = client.get(&format!("/api/v1/approvals?limit=2&after={next}")).await.json();
    assert_eq!(second["items"].as_array().unwrap().len(), 1);
    assert_eq!(second["items"][0]["session"], asked[2].0.to_string());
    assert!(second["next"].is_null());
    client.get("/api/v1/approvals?after=x").await.is_problem(400, "bad-cursor");
    served.host.close().await;
}
