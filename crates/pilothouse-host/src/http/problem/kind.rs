//! The closed list of problems.

use axum::http::StatusCode;

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $slug:literal, $status:ident, $title:literal;)*) => {
        /// Which problem. Each has one name, one status and one title, for good.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Kind {
            $($(#[$doc])* $name,)*
        }

        impl Kind {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The name behind `/problems/`.
            pub fn slug(self) -> &'static str {
                match self { $(Self::$name => $slug,)* }
            }

            /// The status of the answer.
            pub fn status(self) -> StatusCode {
                match self { $(Self::$name => StatusCode::$status,)* }
            }

            /// What all problems of this kind have in common.
            pub fn title(self) -> &'static str {
                match self { $(Self::$name => $title,)* }
            }
        }
    };
}

kinds! {
    /// The request is no proper HTTP, or has a path that no page or endpoint can have.
    BadRequest = "bad-request", BAD_REQUEST, "The request is malformed";
    /// `Host` is missing, doubled or unreadable.
    BadHost = "bad-host", BAD_REQUEST, "The request does not say which host it is for";
    /// The body is not JSON.
    MalformedJson = "malformed-json", BAD_REQUEST, "The body is not valid JSON";
    /// A secret stands where it would be logged.
    TokenInQuery = "token-in-query", BAD_REQUEST, "The token must not be in the address";
    /// A mark of a page that is not one of ours.
    BadCursor = "bad-cursor", BAD_REQUEST, "The page mark is not valid";
    /// Nobody is logged in, or the token is wrong.
    NotAuthenticated = "not-authenticated", UNAUTHORIZED, "Authentication is needed";
    /// The code of a login link is wrong, used or too old.
    LoginRefused = "login-refused", FORBIDDEN, "The login link does not work";
    /// Whoever asks may not do this.
    Forbidden = "forbidden", FORBIDDEN, "This is not allowed";
    /// The request comes from a page of another site.
    ForeignOrigin = "foreign-origin", FORBIDDEN, "The request comes from another site";
    /// A browser must say which page a request comes from.
    OriginMissing = "origin-missing", FORBIDDEN, "The request does not say where it comes from";
    /// There is no such thing.
    NotFound = "not-found", NOT_FOUND, "There is no such thing";
    /// There is, but not with this method.
    MethodNotAllowed = "method-not-allowed", METHOD_NOT_ALLOWED, "The method is not allowed here";
    /// The answer is to be in a form that there is not.
    NotAcceptable = "not-acceptable", NOT_ACCEPTABLE, "There is no answer in that form";
    /// The request did not arrive in time.
    RequestTimeout = "request-timeout", REQUEST_TIMEOUT, "The request took too long to arrive";
    /// The state of things is against it.
    Conflict = "conflict", CONFLICT, "The state does not allow this";
    /// It was there, and is no more.
    Gone = "gone", GONE, "It is there no more";
    /// A precondition does not hold.
    PreconditionFailed = "precondition-failed", PRECONDITION_FAILED, "A precondition does not hold";
    /// The body is too large.
    BodyTooLarge = "body-too-large", PAYLOAD_TOO_LARGE, "The body is too large";
    /// The address is too long.
    UriTooLong = "uri-too-long", URI_TOO_LONG, "The address is too long";
    /// The body is of the wrong type.
    UnsupportedMediaType = "unsupported-media-type", UNSUPPORTED_MEDIA_TYPE,
        "The body is of a type that is not taken here";
    /// The range is not there.
    RangeNotSatisfiable = "range-not-satisfiable", RANGE_NOT_SATISFIABLE, "The range is not there";
    /// `Host` is not ours.
    WrongHost = "wrong-host", MISDIRECTED_REQUEST, "The request is for another host";
    /// The input does not fit.
    InvalidInput = "invalid-input", UNPROCESSABLE_ENTITY, "The input does not fit";
    /// What is asked for makes no sense to whom it is asked.
    Unprocessable = "unprocessable", UNPROCESSABLE_ENTITY, "This cannot be done";
    /// Only as another protocol.
    UpgradeRequired = "upgrade-required", UPGRADE_REQUIRED, "Another protocol is needed here";
    /// Too much was asked, or guessed.
    RateLimited = "rate-limited", TOO_MANY_REQUESTS, "Too many requests";
    /// Too many headers, or too large ones.
    HeadersTooLarge = "headers-too-large", REQUEST_HEADER_FIELDS_TOO_LARGE,
        "The headers are too large";
    /// Something broke that should not.
    Internal = "internal", INTERNAL_SERVER_ERROR, "Something went wrong in the daemon";
    /// The store is broken, or cannot be used.
    StoreFailed = "store-failed", INTERNAL_SERVER_ERROR, "The store failed";
    /// Not in this version, or not on this system.
    NotImplemented = "not-implemented", NOT_IMPLEMENTED, "This is not available";
    /// Not now.
    Unavailable = "unavailable", SERVICE_UNAVAILABLE, "This does not work right now";
    /// The store cannot be written right now.
    StoreBusy = "store-busy", SERVICE_UNAVAILABLE, "The store is busy";
    /// No more connections are taken.
    TooManyConnections = "too-many-connections", SERVICE_UNAVAILABLE, "Too many connections";
    /// The daemon did not answer in time.
    TimedOut = "timed-out", GATEWAY_TIMEOUT, "The answer took too long";
    /// The disk is full.
    DiskFull = "disk-full", INSUFFICIENT_STORAGE, "No room is left";
}

impl Kind {
    /// `type` of the document.
    pub fn uri(self) -> String {
        format!("/problems/{}", self.slug())
    }

    /// The kind for a status that something else has chosen.
    pub(crate) fn of_status(status: StatusCode) -> Self {
        let plain = Self::ALL.iter().find(|kind| kind.status() == status);
        let general = if status.is_server_error() { Self::Internal } else { Self::BadRequest };
        match status {
            // The first in the list is not the general one.
            StatusCode::FORBIDDEN => Self::Forbidden,
            _ => plain.copied().unwrap_or(general),
        }
    }

    /// Whether the rest of the request is not worth reading.
    pub(super) fn ends_connection(self) -> bool {
        matches!(
            self,
            Self::BodyTooLarge | Self::RequestTimeout | Self::UriTooLong | Self::HeadersTooLarge
        )
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_are_unique_and_fit_for_a_path() {
        let slugs: HashSet<_> = Kind::ALL.iter().map(|kind| kind.slug()).collect();
        assert_eq!(slugs.len(), Kind::ALL.len());
        for slug in slugs {
            assert!(slug.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'), "{slug}");
        }
    }

    #[test]
    fn a_foreign_status_gets_the_general_kind() {
        let table = [
            (400, Kind::BadRequest),
            (403, Kind::Forbidden),
            (404, Kind::NotFound),
            (418, Kind::BadRequest),
            (422, Kind::InvalidInput),
            (500, Kind::Internal),
            (502, Kind::Internal),
            (503, Kind::Unavailable),
        ];
        for (status, kind) in table {
            assert_eq!(Kind::of_status(StatusCode::from_u16(status).unwrap()), kind, "{status}");
        }
    }
}
