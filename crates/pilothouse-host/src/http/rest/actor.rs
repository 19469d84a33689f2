//! Who asks.

use axum::http::request::Parts;

use crate::http::guard::Identity;

/// Who asks, as the audit and other clients see it: put into a request's extensions where it is not
/// known by a login or a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor(pub String);

impl Actor {
    /// Whoever sent this.
    pub(super) fn of(parts: &Parts) -> Self {
        if let Some(actor) = parts.extensions.get::<Self>() {
            return actor.clone();
        }
        match parts.extensions.get::<Identity>() {
            Some(identity) => Self(identity.display_name().to_owned()),
            None => Self("a client".to_owned()),
        }
    }
}
