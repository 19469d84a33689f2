//! What a handler gets.

use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::{HeaderMap, HeaderName};
use serde::de::DeserializeOwned;

use super::{Actor, Api};
use crate::http::extract::{ApiBytes, ApiJson, ApiPath, ApiQuery};
use crate::http::openapi::{NoBody, TakesBody};
use crate::http::problem::{Fault, Problem};

/// A request, taken apart: parameters of the path, those behind the question mark, the body.
pub(super) struct Call<P, Q, B> {
    pub(super) api: Api,
    pub(super) actor: Actor,
    pub(super) headers: HeaderMap,
    pub(super) path: P,
    pub(super) query: Q,
    pub(super) body: B,
}

/// A body that can be taken from a request.
pub(super) trait Body: TakesBody + Send + Sized {
    fn take(request: Request) -> impl Future<Output = Result<Self, Problem>> + Send;
}

impl Body for NoBody {
    async fn take(_: Request) -> Result<Self, Problem> {
        Ok(Self)
    }
}

impl<T: DeserializeOwned + schemars::JsonSchema + Send> Body for ApiJson<T> {
    async fn take(request: Request) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        let ApiBytes(bytes) =
            ApiBytes::from_request(Request::from_parts(parts.clone(), body), &()).await?;
        // Serde would take a list for an object, its members in the order of the fields.
        if bytes.trim_ascii_start().starts_with(b"[") {
            return Err(Problem::invalid(Fault::body("", "it must be an object, not a list")));
        }
        Self::from_request(Request::from_parts(parts, bytes.into()), &()).await
    }
}

impl Body for ApiBytes {
    async fn take(request: Request) -> Result<Self, Problem> {
        Self::from_request(request, &()).await
    }
}

impl<P, Q, B> FromRequest<Api> for Call<P, Q, B>
where
    P: DeserializeOwned + Send,
    Q: DeserializeOwned + Send,
    B: Body,
{
    type Rejection = Problem;

    async fn from_request(request: Request, api: &Api) -> Result<Self, Problem> {
        let (mut parts, body) = request.into_parts();
        let ApiPath(path) = ApiPath::from_request_parts(&mut parts, api).await?;
        let ApiQuery(query) = ApiQuery::from_request_parts(&mut parts, api).await?;
        let actor = Actor::of(&parts);
        let headers = parts.headers.clone();
        let body = B::take(Request::from_parts(parts, body)).await?;
        Ok(Self { api: api.clone(), actor, headers, path, query, body })
    }
}

impl<P, Q, B> Call<P, Q, B> {
    /// The one value of a header.
    pub(super) fn header(&self, name: HeaderName) -> Result<Option<&str>, Problem> {
        let mut values = self.headers.get_all(&name).iter();
        let first = values.next();
        if values.next().is_some() {
            let fault = Fault::header(name.as_str(), "is there more than once");
            return Err(Problem::invalid(fault));
        }
        let text = first.map(|value| value.to_str()).transpose();
        text.map_err(|_| Problem::invalid(Fault::header(name.as_str(), "is no plain text")))
    }
}
