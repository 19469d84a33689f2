//! What every refusal looks like: a problem document (RFC 9457), never plain text.
//!
//! `type` is one of a closed list, as a reference relative to the daemon: `/problems/not-found`.
//! The name after `/problems/` is stable; programs may match on it. `title` is the same for all
//! problems of a type, `detail` is about this one and says what to do. Members beyond the RFC's:
//! `errors` (what in the input is wrong, and where), `refusal` (why a session said no) and
//! `retry_after` (seconds, the same as in the header).

mod convert;
mod kind;
mod plain;

use std::time::Duration;

use axum::Json;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use pilothouse_session::Refusal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use kind::Kind;
pub(crate) use plain::no_plain_text;

/// The media type of a problem.
pub const MEDIA_TYPE: &str = "application/problem+json";

/// A refusal, on its way to the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    kind: Kind,
    // Boxed: it is the error of many results, and seldom made.
    document: Box<Document>,
    headers: Vec<(HeaderName, HeaderValue)>,
}

/// A problem as it is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "Problem")]
pub struct Document {
    /// Which problem: a stable reference, relative to the daemon.
    #[serde(rename = "type")]
    pub kind: String,
    /// What all problems of this type have in common.
    pub title: String,
    /// The status of the answer.
    pub status: u16,
    /// What happened this time, and what to do about it.
    pub detail: String,
    /// What it happened to: a path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance: Option<String>,
    /// What in the input is wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<Fault>,
    /// Why the session said no.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<Refusal>,
    /// After how many seconds the same may work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
}

/// One thing that is wrong with the input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fault {
    /// Where it stands.
    #[serde(flatten)]
    pub place: Place,
    /// What is wrong with it.
    pub detail: String,
}

/// Where in a request something stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "in", rename_all = "snake_case")]
pub enum Place {
    /// In the body.
    Body {
        /// A JSON pointer; empty for the whole.
        pointer: String,
        /// The line, from 1; none where it is not known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        line: Option<u64>,
        /// The column, from 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        column: Option<u64>,
    },
    /// Behind the question mark.
    Query {
        /// The parameter; empty for the whole.
        name: String,
    },
    /// In the path.
    Path {
        /// The parameter; empty for the whole.
        name: String,
    },
    /// In a header.
    Header {
        /// The header.
        name: String,
    },
}

impl Problem {
    /// A problem with a sentence that helps.
    pub fn new(kind: Kind, detail: impl Into<String>) -> Self {
        let document = Document {
            kind: kind.uri(),
            title: kind.title().to_owned(),
            status: kind.status().as_u16(),
            detail: detail.into(),
            instance: None,
            errors: Vec::new(),
            refusal: None,
            retry_after: None,
        };
        Self { kind, document: Box::new(document), headers: Vec::new() }
    }

    /// There is no such thing.
    pub fn not_found(detail: impl Into<String>) -> Self {
        Self::new(Kind::NotFound, detail)
    }

    /// It took too long.
    pub fn timed_out() -> Self {
        let detail = "this took too long and was given up; what it has changed stays changed: \
                      look before trying again";
        Self::new(Kind::TimedOut, detail)
    }

    /// The input does not fit.
    pub fn invalid(fault: Fault) -> Self {
        let detail = format!("{}: correct the request and send it again", fault.detail);
        Self::new(Kind::InvalidInput, detail).fault(fault)
    }

    /// About this path.
    pub fn instance(mut self, path: impl Into<String>) -> Self {
        self.document.instance = Some(path.into());
        self
    }

    /// With one more thing that is wrong.
    pub fn fault(mut self, fault: Fault) -> Self {
        self.document.errors.push(fault);
        self
    }

    /// With a time after which the same may work. Parts of a second count as one.
    pub fn retry_after(mut self, time: Duration) -> Self {
        let seconds = time.as_secs() + u64::from(time.subsec_nanos() > 0);
        self.document.retry_after = Some(seconds.max(1));
        self
    }

    /// With a header.
    pub(crate) fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    /// Which problem.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The status of the answer.
    pub fn status(&self) -> StatusCode {
        self.kind.status()
    }

    /// As it is sent.
    pub fn document(&self) -> &Document {
        &self.document
    }
}

impl Fault {
    /// In the body, at a JSON pointer.
    pub fn body(pointer: impl Into<String>, detail: impl Into<String>) -> Self {
        let place = Place::Body { pointer: pointer.into(), line: None, column: None };
        Self { place, detail: detail.into() }
    }

    /// In a parameter behind the question mark.
    pub fn query(name: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { place: Place::Query { name: name.into() }, detail: detail.into() }
    }

    /// In a parameter of the path.
    pub fn path(name: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { place: Place::Path { name: name.into() }, detail: detail.into() }
    }

    /// In a header.
    pub fn header(name: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { place: Place::Header { name: name.into() }, detail: detail.into() }
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.document.title, self.document.detail)
    }
}

impl std::error::Error for Problem {}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = (self.status(), Json(&*self.document)).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
        if let Some(seconds) = self.document.retry_after {
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
        if self.status() == StatusCode::UNAUTHORIZED {
            let scheme = HeaderValue::from_static("Bearer realm=\"pilothouse\"");
            headers.insert(header::WWW_AUTHENTICATE, scheme);
        }
        if self.kind.ends_connection() {
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        headers.extend(self.headers);
        response
    }
}
