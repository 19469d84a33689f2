//! The control protocol: requests and answers, the same envelope both ways.

pub mod cli;
pub mod dialog;
pub mod host;
pub mod initialize;
pub mod mcp;
pub mod session;
pub mod settings;
pub mod workspace;

pub use cli::CliRequest;
pub use host::{HostRequest, Request};

use std::borrow::Cow;

use crate::field::Wire;
use crate::raw::Raw;

object! {
    /// A request of the CLI.
    pub struct ControlRequest {
        /// Chosen by the sender; the answer names it.
        request_id: String,
        /// What is asked.
        request: CliRequest,
    }
}

object! {
    /// A request of the host.
    pub struct HostControlRequest {
        /// Chosen by the sender; the answer names it.
        request_id: String,
        /// What is asked.
        request: HostRequest,
    }
}

object! {
    /// The sender withdraws a request. There is no answer, neither to this nor to the request.
    #[derive(Default)]
    pub struct ControlCancel {
        /// The request.
        request_id: String,
    }
}

object! {
    /// An answer.
    pub struct ControlResponse {
        /// The answer proper.
        response: Answer,
    }
}

tagged! {
    /// An answer.
    pub enum Answer by "subtype" {
        /// It worked.
        Success(Success) = "success",
        /// It did not.
        Error(Failure) = "error",
    }
}

object! {
    /// It worked.
    #[derive(Default)]
    pub struct Success {
        /// The request.
        request_id: String,
        /// What it gave; may be missing.
        response: Option<Raw>,
        /// On `initialize`: permission requests that are still open.
        pending_permission_requests: Option<Vec<ControlRequest>>,
        /// On `initialize`: dialogs that are still open.
        pending_user_dialog_requests: Option<Vec<ControlRequest>>,
        /// On `initialize`: elicitations that are still open.
        pending_elicitation_requests: Option<Vec<ControlRequest>>,
    }
}

object! {
    /// It did not work.
    #[derive(Default)]
    pub struct Failure {
        /// The request.
        request_id: String,
        /// Why, in words.
        error: String,
        /// Why, as a word.
        error_code: Option<String>,
    }
}

impl Answer {
    /// The request that is answered. An answer of an unknown kind has one too, as a rule.
    pub fn request_id(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Success(success) => Some(Cow::Borrowed(&success.request_id)),
            Self::Error(failure) => Some(Cow::Borrowed(&failure.request_id)),
            Self::Unknown(unknown) => unknown.raw.member("request_id")?.read().map(Cow::Owned),
        }
    }
}

impl ControlResponse {
    /// It worked and gave `payload`.
    pub fn success(request_id: impl Into<String>, payload: Raw) -> Self {
        let response = Some(payload);
        let success = Success { request_id: request_id.into(), response, ..Success::default() };
        Self { response: success.into(), extra: Default::default() }
    }

    /// It did not work.
    pub fn error(request_id: impl Into<String>, error: impl Into<String>) -> Self {
        let (request_id, error) = (request_id.into(), error.into());
        let failure = Failure { request_id, error, ..Failure::default() };
        Self { response: failure.into(), extra: Default::default() }
    }

    /// The host does not know such requests.
    pub fn unsupported(request_id: impl Into<String>, subtype: &str) -> Self {
        let failure = Failure {
            request_id: request_id.into(),
            error: format!("Unsupported control request subtype: {subtype}"),
            error_code: Some("unsupported_request".to_owned()),
            ..Failure::default()
        };
        Self { response: failure.into(), extra: Default::default() }
    }
}

/// Reads the payload of a reply; a missing one counts as `{}`.
pub fn read_reply<T: Wire>(payload: Option<&Raw>) -> Option<T> {
    match payload {
        Some(raw) => raw.read(),
        None => Raw::empty_object().read(),
    }
}
