//! A server on a socket, and a client of it.

use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use pilothouse_host::Host;
use pilothouse_host::host::Options;
use pilothouse_host::http::rest::{Actor, Api, Patience};
use pilothouse_session::id::SessionId;
use serde_json::{Value, json};
use tokio::task::AbortHandle;
use ureq::http::{self, HeaderMap};

use super::bed::{Bed, PATIENCE, script};

/// A host with its API on a socket.
pub(crate) struct Served {
    pub(crate) bed: Bed,
    pub(crate) host: Host,
    pub(crate) client: Client,
    server: AbortHandle,
}

impl Drop for Served {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Served {
    pub(crate) async fn new() -> Self {
        Self::with("", Patience::default()).await
    }

    pub(crate) async fn with(fault: &str, patience: Patience) -> Self {
        Self::changed(fault, patience, |_| {}).await
    }

    /// With other options of the host.
    pub(crate) async fn changed(
        fault: &str,
        patience: Patience,
        change: impl FnOnce(&mut Options),
    ) -> Self {
        let bed = Bed::new();
        let mut options = bed.options(fault);
        change(&mut options);
        let host = Host::open(options).await.unwrap();
        let (client, server) = serve(&host, patience).await;
        Self { bed, host, client, server }
    }

    pub(crate) fn cwd(&self) -> String {
        self.bed.path("work").to_string_lossy().into_owned()
    }

    /// A new session, with these fields beside its directory.
    pub(crate) async fn session(&self, more: Value) -> SessionId {
        let mut body = more;
        body["cwd"] = self.cwd().into();
        let made = self.client.post("/api/v1/sessions", &body).await;
        assert_eq!(made.status, 201, "{made:?}");
        serde_json::from_value(made.json()["id"].clone()).unwrap()
    }

    /// Says a script.
    pub(crate) async fn say(&self, session: SessionId, lines: &str) -> String {
        let path = format!("/api/v1/sessions/{session}/prompts");
        let answer = self.client.post(&path, &json!({ "text": script(lines) })).await;
        assert_eq!(answer.status, 202, "{answer:?}");
        answer.json()["prompt"].as_str().unwrap().to_owned()
    }
}

/// Serves a host's API.
pub(crate) async fn serve(host: &Host, patience: Patience) -> (Client, AbortHandle) {
    let api = Api::new(host.clone(), patience).metrics(Default::default());
    // Who asks is told by a header, where the guard would know it.
    let name = from_fn(|mut request: Request, next: Next| {
        let name = request.headers().get("x-name").and_then(|name| name.to_str().ok());
        let actor = Actor::named(name.unwrap_or("Ada"));
        request.extensions_mut().insert(actor);
        next.run(request)
    });
    let router = api.routes().merge(api.uploads()).layer(name);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    (Client::new(format!("http://{address}")), server.abort_handle())
}

/// Who asks.
#[derive(Clone)]
pub(crate) struct Client {
    base: String,
    agent: ureq::Agent,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) bytes: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        let text = String::from_utf8_lossy(&self.bytes);
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).unwrap_or_else(|| panic!("no {name}: {self:?}")).to_str().unwrap()
    }

    /// It must be a problem of this status and type.
    pub(crate) fn is_problem(&self, status: u16, kind: &str) -> Value {
        assert_eq!(self.status, status, "{}", String::from_utf8_lossy(&self.bytes));
        assert_eq!(self.header("content-type"), "application/problem+json");
        let problem = self.json();
        assert_eq!(problem["type"], format!("/problems/{kind}"), "{problem}");
        assert_eq!(problem["status"], status);
        assert!(problem["detail"].as_str().is_some_and(|text| text.len() > 10), "{problem}");
        problem
    }
}

impl Client {
    fn new(base: String) -> Self {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(PATIENCE))
            .build();
        Self { base, agent: config.into() }
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], None).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        self.json("POST", path, body).await
    }

    /// Without a body.
    pub(crate) async fn poke(&self, path: &str) -> Answer {
        self.send("POST", path, &[], Some(Vec::new())).await
    }

    pub(crate) async fn put(&self, path: &str, body: &Value) -> Answer {
        self.json("PUT", path, body).await
    }

    pub(crate) async fn patch(&self, path: &str, body: &Value) -> Answer {
        self.json("PATCH", path, body).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Answer {
        self.send("DELETE", path, &[], None).await
    }

    async fn json(&self, method: &str, path: &str, body: &Value) -> Answer {
        let headers = [("content-type", "application/json")];
        self.send(method, path, &headers, Some(body.to_string().into_bytes())).await
    }

    pub(crate) async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<Vec<u8>>,
    ) -> Answer {
        let mut request =
            http::Request::builder().method(method).uri(format!("{}{path}", self.base));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let agent = self.agent.clone();
        let asked = tokio::task::spawn_blocking(move || {
            let response = match body {
                Some(body) => agent.run(request.body(body).unwrap()),
                None => agent.run(request.body(()).unwrap()),
            };
            let mut response = response.unwrap();
            let body = response.body_mut().with_config().limit(1 << 30);
            let bytes = body.read_to_vec().unwrap();
            let status = response.status().as_u16();
            Answer { status, headers: response.headers().clone(), bytes }
        });
        asked.await.unwrap()
    }

    /// Asks until it is so.
    pub(crate) async fn until(&self, path: &str, is_so: impl Fn(&Value) -> bool) -> Value {
        let asking = async {
            loop {
                let answer = self.get(path).await.json();
                if is_so(&answer) {
                    return answer;
                }
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(PATIENCE, asking).await.expect("it comes to be so")
    }
}
