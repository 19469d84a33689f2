//! Problems out of what the host refuses.

use crate::HostError;
use crate::http::problem::{Kind, Problem};

impl From<HostError> for Problem {
    fn from(error: HostError) -> Self {
        let kind = match error {
            HostError::Store(error) => return error.into(),
            HostError::Refused(refusal) => return refusal.into(),
            HostError::NoDirectory(_)
            | HostError::Profile(_)
            | HostError::BadPolicyName(_)
            | HostError::Policy(_) => Kind::Unprocessable,
            HostError::NoPolicy(_) | HostError::NoRun { .. } => Kind::NotFound,
            HostError::ConversationInUse { .. } | HostError::NoConversation(_) => Kind::Conflict,
            HostError::Closed(_) | HostError::InUse(_) => Kind::Unavailable,
            HostError::File { .. } | HostError::WireLog(_) => Kind::Internal,
        };
        Self::new(kind, error.to_string())
    }
}
