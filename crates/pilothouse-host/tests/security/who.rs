//! Who did what: names are given freely, the audit is not taken in by them.

use pilothouse_host::http::ws::SocketTerms;
use serde_json::{Value, json};

use super::bed::{Bed, script};
use super::client::Socket;
use super::page::Page;
use super::place::{JSON, Place, ask, bearer, log_in, socket_lines};

/// One who may do everything, and what the audit is to call it.
struct Client {
    page: Option<Page>,
    identity: String,
}

impl Client {
    async fn with_token(_: &Place) -> Self {
        Self { page: None, identity: "token".to_owned() }
    }

    /// The lines of a request.
    fn lines(&self, place: &Place, start: &str) -> Vec<String> {
        let mut lines = match &self.page {
            Some(page) => page.lines(start),
            None => vec![bearer(&place.token)],
        };
        lines.extend([format!("Origin: http://{}", place.address), JSON.to_owned()]);
        lines
    }

    async fn with_link(place: &Place, name: Option<&str>) -> Self {
        let page = log_in(&place.address, &place.token, name).await;
        let client = Self { page: Some(page), identity: String::new() };
        let start = "GET /api/v1/login";
        let who = ask(&place.address, start, &client.lines(place, start), "").await;
        let who: Value = serde_json::from_str(&who.body).unwrap();
        assert_eq!(who["name"], name.unwrap_or("browser"), "{who}");
        let id = who["identity"]["id"].as_str().unwrap();
        let name = name.map(|name| format!(" ({name})")).unwrap_or_default();
        Self { identity: format!("login:{id}{name}"), ..client }
    }

    async fn create(&self, bed: &Bed, place: &Place) -> String {
        let body = json!({ "cwd": bed.path("work") }).to_string();
        let start = "POST /api/v1/sessions";
        let made = ask(&place.address, start, &self.lines(place, start), &body).await;
        assert_eq!(made.status, 201, "{made:?}");
        let made: Value = serde_json::from_str(&made.body).unwrap();
        made["id"].as_str().unwrap().to_owned()
    }

    async fn socket(&self, place: &Place) -> Socket {
        let lines = match &self.page {
            Some(page) => socket_lines(page, &place.address),
            None => vec![bearer(&place.token)],
        };
        Socket::open_with(&place.address, &lines).await.unwrap()
    }

    /// Decides the first request of a session, over HTTP.
    async fn decide(&self, place: &Place, session: &str, decision: &Value) {
        let start = format!("POST /api/v1/sessions/{session}/approvals/1/decision");
        let lines = self.lines(place, &start);
        let decided = ask(&place.address, &start, &lines, &decision.to_string()).await;
        assert_eq!(decided.status, 204, "{decided:?}");
    }
}

/// The next event of this type.
async fn event(socket: &mut Socket, kind: &str) -> Value {
    loop {
        let message = socket.next().await.unwrap();
        let mut events = message["events"].as_array().into_iter().flatten();
        if let Some(event) = events.find(|event| event["type"] == kind) {
            return event.clone();
        }
    }
}

/// What the audit says of a session, oldest first: who, and what.
async fn audit(place: &Place, session: &str) -> Vec<(String, String)> {
    let start = format!("GET /api/v1/audit?session={session}");
    let told = ask(&place.address, &start, &[bearer(&place.token)], "").await;
    let told: Value = serde_json::from_str(&told.body).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let lines = told["items"].as_array().unwrap().iter();
    let mut lines: Vec<_> =
        lines.map(|line| (text(&line["actor"]), text(&line["action"]))).collect();
    lines.sort_by_key(|(_, action)| !action.contains("created"));
    lines
}

#[tokio::test]
async fn the_audit_tells_clients_apart_whatever_they_are_called() {
    let bed = Bed::new();
    let place = Place::open(&bed, SocketTerms::default()).await;
    let clients = [
        Client::with_token(&place).await,
        Client::with_link(&place, None).await,
        Client::with_link(&place, None).await,
        // Names that the daemon has for itself, and for those who have the token.
        Client::with_link(&place, Some("policy")).await,
        Client::with_link(&place, Some("retention")).await,
        Client::with_link(&place, Some("token")).await,
    ];
    for (number, client) in clients.iter().enumerate() {
        let session = client.create(&bed, &place).await;
        let mut socket = client.socket(&place).await;
        let mode = json!({"do": "set_mode", "mode": "acceptEdits"});
        let reply = socket.ask(&session, mode).await.unwrap();
        assert!(reply["problem"].is_null(), "{reply}");
        let who = client.identity.clone();
        let expected = ["session.created", "session.mode_changed"];
        let expected = expected.map(|action| (who.clone(), action.to_owned()));
        assert_eq!(audit(&place, &session).await, expected, "{number}");
    }
    place.close().await;
}

#[tokio::test]
async fn a_decision_shows_a_name_and_the_audit_has_who_it_was() {
    let bed = Bed::new();
    let place = Place::open(&bed, SocketTerms::default()).await;
    let phone = Client::with_link(&place, Some("policy")).await;
    let program = Client::with_token(&place).await;
    let deny = json!({"kind": "deny"});
    for (client, name, over_socket) in
        [(&phone, "policy", true), (&phone, "policy", false), (&program, "token", true)]
    {
        let session = client.create(&bed, &place).await;
        let mut socket = client.socket(&place).await;
        socket.subscribe(&session, 0).await.unwrap();
        let lines = "tool Bash {\"command\":\"touch made\"}\n---\nsay done";
        let prompt = json!({"do": "prompt", "content": script(lines)});
        socket.command(&session, prompt).await.unwrap();
        let asked = event(&mut socket, "approval_requested").await;
        if over_socket {
            let decide = json!({"do": "decide", "approval": asked["approval"], "decision": deny});
            socket.command(&session, decide).await.unwrap();
        } else {
            client.decide(&place, &session, &deny).await;
        }
        let resolved = event(&mut socket, "approval_resolved").await;
        assert_eq!(resolved["by"]["name"], name, "{resolved}");
        assert_eq!(resolved["by"]["identity"], client.identity, "{resolved}");
        let expected = ["session.created", "approval.denied"];
        let expected = expected.map(|action| (client.identity.clone(), action.to_owned()));
        assert_eq!(audit(&place, &session).await, expected);
    }
    place.close().await;
}
