//! The JSON-RPC envelope.
//!
//! Only the envelope is read here, the rest is left to `rmcp`. The id stays JSON text: whatever the
//! client chose, its answer carries the same. Reading is total: a message that is no JSON-RPC gives
//! [`Incoming::Invalid`], which has an answer too.

use pilothouse_wire::Raw;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorData, ServerResult,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A message from the client, sorted by what must be done with it.
#[derive(Debug)]
pub(super) enum Incoming {
    /// Wants an answer.
    Request { id: Raw, request: Box<ClientRequest> },
    /// The client no longer wants the answer to its request `id`.
    Cancelled { id: Raw },
    /// Any other notification.
    Notification(Box<ClientNotification>),
    /// The answer to a request of the server's.
    Answer(Box<ClientJsonRpcMessage>),
    /// Not JSON-RPC, or not MCP.
    Invalid { id: Raw, error: ErrorData },
}

impl Incoming {
    pub(super) fn read(message: &Raw) -> Self {
        let id = message.member("id");
        let invalid = |reason: String| Self::Invalid {
            id: id.clone().unwrap_or_default(),
            error: ErrorData::invalid_request(reason, None),
        };
        let Some(method) = message.member("method") else {
            return match parse(message) {
                Ok(answer) => Self::Answer(Box::new(answer)),
                Err(error) => invalid(format!("not a JSON-RPC message: {error}")),
            };
        };
        if let Some(id) = id {
            return match parse(message) {
                // What `rmcp` cannot read as the request it is called, it takes for one of the
                // server's own methods: the client would hear that there is no such method.
                Ok(ClientRequest::CustomRequest(request))
                    if matches!(&*request.method, "initialize" | "tools/call") =>
                {
                    let reason = format!("the parameters of `{}` are malformed", request.method);
                    Self::Invalid { id, error: ErrorData::invalid_params(reason, None) }
                }
                Ok(request) => Self::Request { id, request: Box::new(request) },
                Err(error) => Self::Invalid {
                    id,
                    error: ErrorData::invalid_request(format!("not a request: {error}"), None),
                },
            };
        }
        if method.get() == "\"notifications/cancelled\"" {
            let request = message.member("params").and_then(|params| params.member("requestId"));
            if let Some(id) = request {
                return Self::Cancelled { id };
            }
        }
        match parse(message) {
            Ok(notification) => Self::Notification(Box::new(notification)),
            Err(error) => invalid(format!("not a notification: {error}")),
        }
    }
}

/// Parses also where a string holds half a surrogate pair, as truncated text does.
fn parse<T: DeserializeOwned>(message: &Raw) -> Result<T, serde_json::Error> {
    message.parse().or_else(|_| serde_json::from_value(message.to_value()))
}

#[derive(Serialize)]
struct Reply<'a> {
    jsonrpc: &'static str,
    id: &'a Raw,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a ServerResult>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a ErrorData>,
}

/// The answer to the client's request `id`.
pub(super) fn reply(id: &Raw, outcome: Result<&ServerResult, &ErrorData>) -> Raw {
    let (result, error) = (outcome.ok(), outcome.err());
    Raw::of(&Reply { jsonrpc: "2.0", id, result, error }).unwrap_or_else(|error| {
        let error = ErrorData::internal_error(format!("the result is not JSON: {error}"), None);
        let reply = Reply { jsonrpc: "2.0", id, result: None, error: Some(&error) };
        Raw::of(&reply).unwrap_or_default()
    })
}

/// The answer to what wants none: the CLI waits for a control response all the same.
pub(super) fn received() -> Raw {
    #[derive(Serialize)]
    struct Received {
        jsonrpc: &'static str,
        result: Nothing,
        id: u8,
    }
    #[derive(Serialize)]
    struct Nothing {}
    Raw::of(&Received { jsonrpc: "2.0", result: Nothing {}, id: 0 }).unwrap_or_default()
}
