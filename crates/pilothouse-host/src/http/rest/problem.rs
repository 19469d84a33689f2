//! Problems out of what the host refuses.

use std::time::Duration;

use pilothouse_client::history::HistoryError;

use crate::files::FileError;
use crate::host::{HostError, ImportError, ModeError, ProfileError};
use crate::http::problem::{Fault, Kind, Place, Problem};
use crate::past::PastError;

impl From<HostError> for Problem {
    fn from(error: HostError) -> Self {
        let said = error.to_string();
        match error {
            HostError::Store(error) => error.into(),
            HostError::Refused(refusal) => refusal.into(),
            HostError::Profile(error) => profile(&error, said),
            HostError::Mode(error) => mode(&error, "/mode"),
            HostError::NoDirectory(_) => Self::invalid(Fault::body("/cwd", said)),
            HostError::NoPolicy(_) | HostError::BadPolicyName(_) => {
                Self::invalid(Fault::body("/policy", said))
            }
            HostError::Policy(error) => {
                let place = Place::Body {
                    pointer: "/text".to_owned(),
                    line: Some(error.line as u64),
                    column: Some(error.column as u64),
                };
                Self::invalid(Fault { place, detail: said })
            }
            HostError::NoRun { .. } => Self::not_found(said),
            HostError::Unfit(unfit) => {
                Self::invalid(Fault::body(format!("/{}", unfit.field), unfit.reason))
            }
            HostError::NoUploads(_) | HostError::PolicyInUse { .. } => {
                Self::new(Kind::Conflict, said)
            }
            HostError::BadPrompt => Self::new(Kind::Unprocessable, said),
            HostError::Broken { .. } => Self::new(Kind::StoreFailed, said),
            HostError::ConversationInUse { .. } | HostError::NoConversation(_) => {
                Self::new(Kind::Conflict, said)
            }
            HostError::Closed(_) => {
                Self::new(Kind::Unavailable, said).retry_after(Duration::from_secs(1))
            }
            HostError::InUse(_) | HostError::File { .. } | HostError::WireLog(_) => {
                tracing::error!(error = %said, "a file of the host's cannot be used");
                Self::new(Kind::Internal, said)
            }
        }
    }
}

impl From<FileError> for Problem {
    fn from(error: FileError) -> Self {
        let said = error.to_string();
        let kind = match error {
            FileError::NotFound(_) => Kind::NotFound,
            FileError::Outside(_) | FileError::Unreadable { .. } => Kind::Forbidden,
            FileError::NoDirectory(_) => Kind::Conflict,
            FileError::GitTimeout(_) => Kind::TimedOut,
            _ => Kind::Unprocessable,
        };
        Self::new(kind, said)
    }
}

impl From<PastError> for Problem {
    fn from(error: PastError) -> Self {
        let said = error.to_string();
        match error {
            PastError::History(HistoryError::NotASessionId { .. }) => {
                Self::invalid(Fault::path("cli_session", said))
            }
            PastError::History(HistoryError::SessionNotFound { .. }) => Self::not_found(said),
            PastError::NoQuery => Self::invalid(Fault::query("q", said)),
            PastError::Empty(_) => Self::not_found(said),
            PastError::TooLarge { .. } => Self::new(Kind::Unprocessable, said),
            PastError::History(_) => Self::new(Kind::Unprocessable, said),
        }
    }
}

impl From<ImportError> for Problem {
    fn from(error: ImportError) -> Self {
        match error {
            ImportError::Host(error) => error.into(),
            ImportError::Past(error) => error.into(),
        }
    }
}

fn profile(error: &ProfileError, said: String) -> Problem {
    match error {
        // What is asked for is right; this machine has no such program.
        ProfileError::Cli(_) => Problem::new(Kind::Unprocessable, said),
        ProfileError::Mode(error) => mode(error, "/profile/mode"),
        ProfileError::Value(_) => Problem::invalid(Fault::body("/profile", said)),
        ProfileError::Field { field, .. } => {
            Problem::invalid(Fault::body(format!("/profile/{field}"), said))
        }
    }
}

fn mode(error: &ModeError, pointer: &str) -> Problem {
    match error {
        ModeError::Unknown(_) => Problem::invalid(Fault::body(pointer, error.to_string())),
        ModeError::Bypass => Problem::new(Kind::Conflict, error.to_string()),
    }
}
