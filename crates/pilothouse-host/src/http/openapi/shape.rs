//! What an operation takes and gives, told by the types of its handler.

use axum::Json;
use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::schemas::Schemas;
use crate::http::extract::{ApiBytes, ApiJson};

/// What an operation takes and gives.
#[derive(Clone, Debug, Default)]
pub struct Shape {
    /// The parameters of the path, as the schema of an object.
    pub path: Value,
    /// Those behind the question mark.
    pub query: Value,
    /// What is sent.
    pub body: Option<Content>,
    /// What comes back when all is well.
    pub replies: Vec<ReplyShape>,
}

/// A body.
#[derive(Clone, Debug)]
pub struct Content {
    /// Its type.
    pub media_type: &'static str,
    /// What it holds.
    pub schema: Value,
}

/// One answer.
#[derive(Clone, Debug)]
pub struct ReplyShape {
    /// Its status.
    pub status: StatusCode,
    /// What it means.
    pub meaning: &'static str,
    /// What it holds.
    pub content: Option<Content>,
    /// Headers that it has, with what they hold.
    pub headers: &'static [(&'static str, &'static str)],
}

/// A body that can be described.
pub trait TakesBody {
    /// What it is; none for no body.
    fn content(schemas: &mut Schemas) -> Option<Content>;
}

/// An answer that can be described.
pub trait Reply: IntoResponse {
    /// All that it can be.
    fn shapes(schemas: &mut Schemas) -> Vec<ReplyShape>;
}

impl Shape {
    /// The shape of a handler.
    pub fn of<P: JsonSchema, Q: JsonSchema, B: TakesBody, R: Reply>(schemas: &mut Schemas) -> Self {
        Self {
            path: schemas.members::<P>(),
            query: schemas.members::<Q>(),
            body: B::content(schemas),
            replies: R::shapes(schemas),
        }
    }
}

/// No parameters.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

/// No body.
#[derive(Clone, Copy, Debug)]
pub struct NoBody;

impl TakesBody for NoBody {
    fn content(_: &mut Schemas) -> Option<Content> {
        None
    }
}

impl<T: JsonSchema> TakesBody for ApiJson<T> {
    fn content(schemas: &mut Schemas) -> Option<Content> {
        Some(Content { media_type: JSON, schema: schemas.input::<T>() })
    }
}

impl TakesBody for ApiBytes {
    fn content(_: &mut Schemas) -> Option<Content> {
        Some(Content { media_type: "*/*", schema: octets() })
    }
}

const JSON: &str = "application/json";

/// Bytes: not JSON, hence without a type.
fn octets() -> Value {
    serde_json::json!({})
}

/// 200 with JSON.
#[derive(Clone, Debug)]
pub struct Got<T>(pub T);

/// 201 with JSON, and where it is now; 200 where it was there already.
#[derive(Clone, Debug)]
pub struct Made<T> {
    /// It was not there before.
    pub is_new: bool,
    /// Its path.
    pub location: String,
    /// What was made.
    pub it: T,
}

/// 201 with JSON that has no place of its own.
#[derive(Clone, Debug)]
pub struct New<T>(pub T);

/// 202 with JSON: it will be done.
#[derive(Clone, Debug)]
pub struct Accepted<T>(pub T);

/// 204: it is done, and nothing is to be said about it.
#[derive(Clone, Copy, Debug)]
pub struct Done;

/// 200 with JSON that is there as text already.
#[derive(Debug)]
pub struct Told<T> {
    body: Body,
    what: std::marker::PhantomData<fn() -> T>,
}

impl<T> Told<T> {
    /// JSON that reads as a `T`.
    pub fn new(json: impl Into<Body>) -> Self {
        Self { body: json.into(), what: std::marker::PhantomData }
    }
}

/// 200 or 206 with bytes.
#[derive(Debug)]
pub struct Octets(pub Response);

/// 200 with text, or a document to be taken away.
#[derive(Debug)]
pub struct Plain(pub Response);

/// 101: another protocol from here on.
#[derive(Clone, Copy, Debug)]
pub enum Switched {}

/// 200 with server-sent events.
#[derive(Clone, Copy, Debug)]
pub enum EventStream {}

fn json<T: JsonSchema>(schemas: &mut Schemas) -> Option<Content> {
    Some(Content { media_type: JSON, schema: schemas.output::<T>() })
}

fn plain(status: StatusCode, meaning: &'static str, content: Option<Content>) -> ReplyShape {
    ReplyShape { status, meaning, content, headers: &[] }
}

impl<T: Serialize + JsonSchema> Reply for Got<T> {
    fn shapes(schemas: &mut Schemas) -> Vec<ReplyShape> {
        vec![plain(StatusCode::OK, "Here it is.", json::<T>(schemas))]
    }
}

impl<T: Serialize> IntoResponse for Got<T> {
    fn into_response(self) -> Response {
        Json(self.0).into_response()
    }
}

impl<T: Serialize + JsonSchema> Reply for Made<T> {
    fn shapes(schemas: &mut Schemas) -> Vec<ReplyShape> {
        let headers = &[("Location", "Where it is.")];
        let content = json::<T>(schemas);
        let old = plain(StatusCode::OK, "It was there already.", content.clone());
        let new = plain(StatusCode::CREATED, "It was made.", content);
        [old, new].map(|shape| ReplyShape { headers, ..shape }).into()
    }
}

impl<T: Serialize> IntoResponse for Made<T> {
    fn into_response(self) -> Response {
        let status = if self.is_new { StatusCode::CREATED } else { StatusCode::OK };
        let mut response = (status, Json(self.it)).into_response();
        if let Ok(location) = HeaderValue::try_from(self.location) {
            response.headers_mut().insert(header::LOCATION, location);
        }
        response
    }
}

impl<T: Serialize + JsonSchema> Reply for New<T> {
    fn shapes(schemas: &mut Schemas) -> Vec<ReplyShape> {
        vec![plain(StatusCode::CREATED, "It was made.", json::<T>(schemas))]
    }
}

impl<T: Serialize> IntoResponse for New<T> {
    fn into_response(self) -> Response {
        (StatusCode::CREATED, Json(self.0)).into_response()
    }
}

impl<T: Serialize + JsonSchema> Reply for Accepted<T> {
    fn shapes(schemas: &mut Schemas) -> Vec<ReplyShape> {
        let meaning = "It is taken in; what comes of it is told by events.";
        vec![plain(StatusCode::ACCEPTED, meaning, json::<T>(schemas))]
    }
}

impl<T: Serialize> IntoResponse for Accepted<T> {
    fn into_response(self) -> Response {
        (StatusCode::ACCEPTED, Json(self.0)).into_response()
    }
}

impl Reply for Done {
    fn shapes(_: &mut Schemas) -> Vec<ReplyShape> {
        vec![plain(StatusCode::NO_CONTENT, "It is done.", None)]
    }
}

impl IntoResponse for Done {
    fn into_response(self) -> Response {
        StatusCode::NO_CONTENT.into_response()
    }
}

impl<T: JsonSchema> Reply for Told<T> {
    fn shapes(schemas: &mut Schemas) -> Vec<ReplyShape> {
        vec![plain(StatusCode::OK, "Here it is.", json::<T>(schemas))]
    }
}

impl<T> IntoResponse for Told<T> {
    fn into_response(self) -> Response {
        let kind = (header::CONTENT_TYPE, HeaderValue::from_static(JSON));
        ([kind], self.body).into_response()
    }
}

impl Reply for Switched {
    fn shapes(_: &mut Schemas) -> Vec<ReplyShape> {
        vec![plain(StatusCode::SWITCHING_PROTOCOLS, "A WebSocket from here on.", None)]
    }
}

impl IntoResponse for Switched {
    fn into_response(self) -> Response {
        match self {}
    }
}

impl Reply for EventStream {
    fn shapes(_: &mut Schemas) -> Vec<ReplyShape> {
        let schema = serde_json::json!({ "type": "string" });
        let content = Some(Content { media_type: "text/event-stream", schema });
        vec![plain(StatusCode::OK, "A stream that does not end by itself.", content)]
    }
}

impl IntoResponse for EventStream {
    fn into_response(self) -> Response {
        match self {}
    }
}

impl Reply for Plain {
    fn shapes(_: &mut Schemas) -> Vec<ReplyShape> {
        let content = Some(Content { media_type: "*/*", schema: octets() });
        vec![plain(StatusCode::OK, "Here it is.", content)]
    }
}

impl IntoResponse for Plain {
    fn into_response(self) -> Response {
        self.0
    }
}

impl Reply for Octets {
    fn shapes(_: &mut Schemas) -> Vec<ReplyShape> {
        let bytes = || Some(Content { media_type: "*/*", schema: octets() });
        let part = ReplyShape {
            headers: &[("Content-Range", "Which part.")],
            ..plain(StatusCode::PARTIAL_CONTENT, "The part that was asked for.", bytes())
        };
        vec![plain(StatusCode::OK, "The bytes.", bytes()), part]
    }
}

impl IntoResponse for Octets {
    fn into_response(self) -> Response {
        self.0
    }
}
