//! One entry of the table: what serves a route and what describes it, from one handler.

use axum::http::Method;
use axum::routing::{MethodFilter, MethodRouter, on};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use tracing::Instrument;

use super::Api;
use super::call::{Body, Call};
use crate::http::openapi::{HeaderParameter, Operation, Reply, Shape, Tag, TakesBody};
use crate::http::problem::{Kind, Problem};

/// A route.
#[derive(Clone, Debug)]
pub(super) struct Route {
    pub(super) operation: Operation,
    /// What serves it; none where that is done elsewhere.
    pub(super) endpoint: Option<MethodRouter<Api>>,
    pub(super) is_upload: bool,
}

/// What a route is called.
pub(super) type Name = (&'static str, Tag, &'static str);

impl Route {
    /// Something that is only read.
    pub(super) fn get<P, Q, B, R, F, Fut>(path: &'static str, name: Name, handler: F) -> Self
    where
        P: DeserializeOwned + JsonSchema + Send + 'static,
        Q: DeserializeOwned + JsonSchema + Send + 'static,
        B: Body + 'static,
        R: Reply + Send + 'static,
        F: Fn(Call<P, Q, B>) -> Fut + Clone + Send + Sync + 'static,
        Fut: Future<Output = Result<R, Problem>> + Send + 'static,
    {
        let mut route = Self::described::<P, Q, B, R>(Method::GET, path, name);
        route.endpoint = Some(on(MethodFilter::GET, handler));
        route
    }

    /// Something that changes something: done to its end, whether or not anybody waits for it.
    pub(super) fn doing<P, Q, B, R, F, Fut>(
        method: Method,
        path: &'static str,
        name: Name,
        handler: F,
    ) -> Self
    where
        P: DeserializeOwned + JsonSchema + Send + 'static,
        Q: DeserializeOwned + JsonSchema + Send + 'static,
        B: Body + 'static,
        R: Reply + Send + 'static,
        F: Fn(Call<P, Q, B>) -> Fut + Clone + Send + Sync + 'static,
        Fut: Future<Output = Result<R, Problem>> + Send + 'static,
    {
        let to_its_end = move |call: Call<P, Q, B>| {
            let work = tokio::spawn(handler(call).in_current_span());
            async move {
                work.await.unwrap_or_else(|error| {
                    tracing::error!(%error, "a handler has failed");
                    let detail = "the daemon failed at this: look into its log, and report it";
                    Err(Problem::new(Kind::Internal, detail))
                })
            }
        };
        let filter = match method {
            Method::POST => MethodFilter::POST,
            Method::PUT => MethodFilter::PUT,
            Method::PATCH => MethodFilter::PATCH,
            _ => MethodFilter::DELETE,
        };
        let mut route = Self::described::<P, Q, B, R>(method, path, name);
        route.endpoint = Some(on(filter, to_its_end));
        route
    }

    /// Something that is served elsewhere.
    pub(super) fn described<P: JsonSchema, Q: JsonSchema, B: TakesBody, R: Reply>(
        method: Method,
        path: &'static str,
        (id, tag, summary): Name,
    ) -> Self {
        let operation = Operation {
            method,
            path,
            id,
            tag,
            summary,
            description: None,
            headers: &[],
            problems: &[],
            is_public: false,
            example: None,
            shape: Shape::of::<P, Q, B, R>,
        };
        Self { operation, endpoint: None, is_upload: false }
    }

    /// More about it.
    pub(super) fn about(mut self, description: &'static str) -> Self {
        self.operation.description = Some(description);
        self
    }

    pub(super) fn refuses(mut self, problems: &'static [Kind]) -> Self {
        self.operation.problems = problems;
        self
    }

    pub(super) fn heeds(mut self, headers: &'static [HeaderParameter]) -> Self {
        self.operation.headers = headers;
        self
    }

    pub(super) fn example(mut self, json: &'static str) -> Self {
        self.operation.example = Some(json);
        self
    }

    pub(super) fn public(mut self) -> Self {
        self.operation.is_public = true;
        self
    }

    pub(super) fn upload(mut self) -> Self {
        self.is_upload = true;
        self
    }
}
