//! What handlers take from a request. Whatever does not fit is refused with a problem that names
//! the field and its place.

mod json;
mod params;

use std::error::Error;

use axum::body::{Body, to_bytes};
use axum::extract::{FromRequest, Request};
use axum::http::HeaderMap;
use bytes::Bytes;

pub use json::ApiJson;
pub use params::{ApiPath, ApiQuery};

use super::guard::{BodyError, BodyTerms, Bounded};
use super::problem::{Kind, Problem};

/// A whole body as it came, within what the route takes.
#[derive(Clone, Debug)]
pub struct ApiBytes(pub Bytes);

impl<S: Send + Sync> FromRequest<S> for ApiBytes {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        read(request).await.map(Self)
    }
}

/// Reads a body to its end.
async fn read(request: Request) -> Result<Bytes, Problem> {
    // Bounded here as well: a router without a guard must not read without end.
    let (body, terms) = match request.extensions().get::<BodyTerms>().cloned() {
        Some(terms) => (request.into_body(), terms),
        None => {
            let terms = BodyTerms::default();
            (Body::new(Bounded::new(request.into_body(), terms.clone())), terms)
        }
    };
    let most = usize::try_from(terms.bytes()).unwrap_or(usize::MAX);
    to_bytes(body, most).await.map_err(|error| unread(&error))
}

fn unread(error: &axum::Error) -> Problem {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<BodyError>() {
            let kind = match error {
                BodyError::TooLarge { .. } => Kind::BodyTooLarge,
                BodyError::TooSlow(_) => Kind::RequestTimeout,
                BodyError::Broken(_) => Kind::BadRequest,
            };
            return Problem::new(kind, error.to_string());
        }
        cause = error.source();
    }
    Problem::new(Kind::BadRequest, "the body broke off: send the request again")
}

/// The one value of a header; none where there is none or where it is no text.
pub(super) fn one_header<'a>(
    headers: &'a HeaderMap,
    name: &axum::http::HeaderName,
) -> Result<Option<&'a str>, Problem> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        let detail = format!("the header `{name}` is there twice: send it once");
        return Err(Problem::new(Kind::BadRequest, detail));
    }
    match value.to_str() {
        Ok(text) => Ok(Some(text)),
        Err(_) => {
            let detail = format!("the header `{name}` has other than ASCII letters: correct it");
            Err(Problem::new(Kind::BadRequest, detail))
        }
    }
}
