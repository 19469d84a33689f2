//! The last net: what the framework or a handler refuses in another form becomes a problem.

use axum::body::{HttpBody, to_bytes};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};

use super::{Kind, MEDIA_TYPE, Problem};

/// The most of somebody else's sentence that is taken over.
const SENTENCE: usize = 1024;

/// Makes a problem of an error that is none.
pub(crate) async fn no_plain_text(response: Response) -> Response {
    let status = response.status();
    if !(status.is_client_error() || status.is_server_error()) || is_json(response.headers()) {
        return response;
    }
    let kind = Kind::of_status(status);
    let (mut parts, body) = response.into_parts();
    // A stream without an end is no sentence.
    let short = body.size_hint().upper().is_some_and(|most| most <= SENTENCE as u64);
    let said = match short {
        true => to_bytes(body, SENTENCE).await.unwrap_or_default(),
        false => bytes::Bytes::new(),
    };
    let said = String::from_utf8_lossy(&said);
    let detail = match said.trim() {
        // What broke inside is for the log.
        _ if status.is_server_error() => sentence(kind).to_owned(),
        "" => sentence(kind).to_owned(),
        said => said.to_owned(),
    };
    let mut problem = Problem::new(kind, detail);
    problem.document.status = status.as_u16();
    let mut response = problem.into_response();
    *response.status_mut() = status;
    // What the framework had to say beside it: `Allow`, `Connection`, `Sec-WebSocket-Version`.
    for name in [header::CONTENT_TYPE, header::CONTENT_LENGTH, header::TRANSFER_ENCODING] {
        parts.headers.remove(name);
    }
    response.headers_mut().extend(parts.headers);
    response
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with(MEDIA_TYPE) || kind.starts_with("application/json"))
}

fn sentence(kind: Kind) -> &'static str {
    match kind {
        Kind::NotFound => "nothing is served here: compare the path with /api/openapi.json",
        Kind::MethodNotAllowed => {
            "the path is right, the method is not: the `Allow` header lists those that work"
        }
        Kind::Internal => "the daemon failed at this: try again, and look into its log if it stays",
        _ => "the request was refused: compare it with /api/openapi.json",
    }
}
