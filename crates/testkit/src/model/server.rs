//! The HTTP side of the scripted model.

use std::io;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use futures_util::stream;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};

use super::board::{Board, FailureKey};
use super::position::{self, Position};
use super::recorded::Recorded;
use crate::answer::{Answer, DEFAULT_TEXT, Emission, fresh};
use crate::script::ApiError;

/// Serves until `stopped` resolves. The connections end with the runtime.
pub(super) async fn serve(
    listener: std::net::TcpListener,
    board: Arc<Board>,
    stopped: oneshot::Receiver<()>,
) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else {
        return;
    };
    let app = Router::new()
        .route("/v1/messages", post(messages))
        .route("/v1/messages/count_tokens", post(count_tokens))
        .fallback(nothing_here)
        .layer(DefaultBodyLimit::disable())
        .with_state(board);
    tokio::select! {
        _ = axum::serve(listener, app) => {}
        _ = stopped => {}
    }
}

fn record(board: &Board, uri: &Uri, headers: &HeaderMap, body: &[u8]) -> Value {
    let body: Value = serde_json::from_slice(body).unwrap_or(Value::Null);
    let headers = headers
        .iter()
        .map(|(name, value)| {
            let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
            (name.as_str().to_owned(), value)
        })
        .collect();
    board.record(Recorded { path: uri.path().to_owned(), headers, body: body.clone() });
    body
}

async fn count_tokens(
    State(board): State<Arc<Board>>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    record(&board, &uri, &headers, &body);
    axum::Json(json!({"input_tokens": body.len() / 4})).into_response()
}

async fn nothing_here(
    State(board): State<Arc<Board>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    record(&board, &uri, &headers, &body);
    refuse(&ApiError::always(404, format!("the scripted model has no {method} {}", uri.path())))
}

async fn messages(
    State(board): State<Arc<Board>>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let body = record(&board, &uri, &headers, &body);
    if !body["messages"].is_array() {
        return refuse(&ApiError::always(400, "messages: Field required"));
    }
    let exchange = Exchange::new(board, &body);
    for (index, emission) in exchange.answer.before.iter().enumerate() {
        if let Err(Ending::Failed(error)) = exchange.carry_out(index, emission).await {
            return refuse(&error);
        }
    }
    if body["stream"] == true { exchange.stream() } else { exchange.whole().await }
}

fn refuse(error: &ApiError) -> Response {
    let request_id = fresh("req");
    let status = StatusCode::from_u16(error.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = (status, axum::Json(error.body(&request_id))).into_response();
    let headers = response.headers_mut();
    if let Ok(value) = request_id.parse() {
        headers.insert("request-id", value);
    }
    if let Some(value) = error.retry_after.as_ref().and_then(|text| text.parse().ok()) {
        headers.insert(header::RETRY_AFTER, value);
    }
    response
}

/// How an answer ends before its end.
enum Ending {
    Failed(ApiError),
    Cut,
}

/// One request and the answer it gets.
struct Exchange {
    board: Arc<Board>,
    answer: Answer,
    /// Script and reply, for counting failures.
    place: Option<(String, usize)>,
}

impl Exchange {
    fn new(board: Arc<Board>, body: &Value) -> Self {
        let model = body["model"].as_str().unwrap_or("scripted");
        let position = position::locate(body).or_else(|| {
            // What the CLI asks on the side (titles, paths in a command's output) offers no tools.
            let fallback = board.fallback.as_ref().filter(|_| body["tools"][0].is_object())?;
            Some(position::from_start(body, fallback))
        });
        let due = position.and_then(|Position { script, reply }| {
            let steps = script.replies.into_iter().nth(reply)?;
            Some((steps, (script.source, reply)))
        });
        match due {
            Some((reply, place)) => Self {
                board,
                answer: Answer::new(&reply, model, |name| offered_name(body, name)),
                place: Some(place),
            },
            None => Self { board, answer: Answer::text(DEFAULT_TEXT, model), place: None },
        }
    }

    /// Does what an emission asks for beside sending. `index` is its number in the whole answer.
    async fn carry_out(&self, index: usize, emission: &Emission) -> Result<(), Ending> {
        match emission {
            Emission::Event(_) => {}
            Emission::Pause(pause) => tokio::time::sleep(*pause).await,
            Emission::Hold(name) => self.board.hold(name).await,
            Emission::Fail(error) => {
                if self.is_due(index, error.times) {
                    return Err(Ending::Failed(error.clone()));
                }
            }
            Emission::Cut { times } => {
                if self.is_due(index, *times) {
                    return Err(Ending::Cut);
                }
            }
        }
        Ok(())
    }

    fn is_due(&self, emission: usize, times: u32) -> bool {
        let Some((script, reply)) = &self.place else {
            return false;
        };
        let key = FailureKey { script: script.clone(), reply: *reply, emission };
        self.board.is_due(key, times)
    }

    /// The stream, each emission with its number in the whole answer.
    fn numbered(&self) -> impl Iterator<Item = (usize, &Emission)> {
        (self.answer.before.len()..).zip(&self.answer.stream)
    }

    async fn whole(self) -> Response {
        for (index, emission) in self.numbered() {
            match self.carry_out(index, emission).await {
                Ok(()) => {}
                Err(Ending::Failed(error)) => return refuse(&error),
                Err(Ending::Cut) => {
                    let torn = Bytes::from_static(b"{\"type\":\"message\"");
                    let parts = [Ok(torn), Err(io::Error::other("scripted cut"))];
                    return Body::from_stream(stream::iter(parts)).into_response();
                }
            }
        }
        axum::Json(self.answer.message).into_response()
    }

    fn stream(self) -> Response {
        // Room for one event: when a slot is free again, the connection has taken the event and, as
        // everything here runs on one thread, written it out. So what was sent before a cut
        // arrives.
        let (out, taken) = mpsc::channel::<Result<Bytes, io::Error>>(1);
        tokio::spawn(async move {
            tokio::select! {
                () = self.send(&out) => {}
                () = out.closed() => {}
            }
        });
        let events = stream::unfold(taken, |mut taken| async move {
            let next = taken.recv().await?;
            Some((next, taken))
        });
        let headers = [
            (header::CONTENT_TYPE, "text/event-stream; charset=utf-8".to_owned()),
            (header::CACHE_CONTROL, "no-cache".to_owned()),
            (header::HeaderName::from_static("request-id"), fresh("req")),
        ];
        (headers, Body::from_stream(events)).into_response()
    }

    async fn send(&self, out: &mpsc::Sender<Result<Bytes, io::Error>>) {
        for (index, emission) in self.numbered() {
            let (item, last) = match self.carry_out(index, emission).await {
                Ok(()) => match emission {
                    Emission::Event(event) => (Ok(frame(event)), false),
                    _ => continue,
                },
                Err(Ending::Failed(error)) => (Ok(frame(&error.body(&fresh("req")))), true),
                Err(Ending::Cut) => (Err(io::Error::other("scripted cut")), true),
            };
            if out.send(item).await.is_err() || last {
                return;
            }
        }
    }
}

/// A server-sent event; the event's name is the `type` of its data.
fn frame(event: &Value) -> Bytes {
    let name = event["type"].as_str().unwrap_or("error");
    Bytes::from(format!("event: {name}\ndata: {event}\n\n"))
}

/// The subagent tool was renamed; a script may use either name, the model calls the one it is
/// offered.
fn offered_name(body: &Value, name: &str) -> String {
    let offered = |wanted: &str| {
        let tools = body["tools"].as_array().map_or(&[][..], Vec::as_slice);
        tools.iter().any(|tool| tool["name"] == wanted)
    };
    match name {
        "Agent" if !offered("Agent") && offered("Task") => "Task".to_owned(),
        "Task" if !offered("Task") && offered("Agent") => "Agent".to_owned(),
        _ => name.to_owned(),
    }
}
