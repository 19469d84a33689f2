//! Who asks.

use axum::http::request::Parts;

use crate::http::guard::Identity;

/// Who asks. Names are given freely, so two clients may have the same one, or one that the daemon
/// uses for itself: people are shown the name, the audit has the identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    /// What other clients are shown.
    pub name: String,
    /// What is in the audit.
    pub identity: String,
}

impl Actor {
    /// One that is known by its name alone: put into a request's extensions where there is neither a
    /// login nor a token.
    pub fn named(name: impl Into<String>) -> Self {
        let name = name.into();
        Self { identity: name.clone(), name }
    }

    /// Whoever sent this.
    pub(super) fn of(parts: &Parts) -> Self {
        match parts.extensions.get::<Self>() {
            Some(actor) => actor.clone(),
            None => Self::known(parts.extensions.get::<Identity>()),
        }
    }

    /// One that the guard has let in.
    pub(crate) fn known(identity: Option<&Identity>) -> Self {
        match identity {
            Some(identity) => {
                Self { name: identity.display_name().to_owned(), identity: identity.to_string() }
            }
            None => Self::named("a client"),
        }
    }
}
