//! Who asks.

use std::convert::Infallible;
use std::fmt;

use axum::extract::{FromRequestParts, OptionalFromRequestParts};
use axum::http::request::Parts;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::access::nobody;
use super::logins::Login;
use crate::http::problem::Problem;

/// Who asks: for the audit, and for handlers, which get it as an argument.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Identity {
    /// A program that has the token.
    Token,
    /// A browser that has logged in.
    Login {
        /// Names the login, not the person; the same until it ends.
        id: String,
        /// What its owner calls it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
}

impl Identity {
    /// What people are shown: the name, where there is one.
    pub fn display_name(&self) -> &str {
        match self {
            Self::Token => "token",
            Self::Login { name: Some(name), .. } => name,
            Self::Login { name: None, .. } => "browser",
        }
    }

    pub(super) fn of(login: &Login) -> Self {
        let name = Some(login.name.clone()).filter(|name| !name.is_empty());
        Self::Login { id: login.id.to_string(), name }
    }
}

/// For the audit: `token`, or `login:`, its id, and its name where it has one. It is told from others
/// by what stands before the name, which is nobody's choice.
impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Token => f.write_str("token"),
            Self::Login { id, name: Some(name) } => write!(f, "login:{id} ({name})"),
            Self::Login { id, name: None } => write!(f, "login:{id}"),
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Identity {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        parts.extensions.get().cloned().ok_or_else(nobody)
    }
}

impl<S: Send + Sync> OptionalFromRequestParts<S> for Identity {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Option<Self>, Infallible> {
        Ok(parts.extensions.get().cloned())
    }
}
