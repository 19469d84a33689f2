//! Problems out of what the host refuses.

use std::io;
use std::time::Duration;

use pilothouse_client::git::GitError;
use pilothouse_client::history::HistoryError;

use crate::files::FileError;
use crate::host::{HostError, ImportError, ModeError, ProfileError, TrustError};
use crate::http::problem::{Fault, Kind, Place, Problem};
use crate::open_files::is_exhausted;
use crate::past::PastError;

/// How long is left alone what waits for a person's help.
const NEEDS_HELP: Duration = Duration::from_secs(30);

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
            HostError::NoRun { .. } | HostError::Trust(TrustError::Unknown(_)) => {
                Self::not_found(said)
            }
            HostError::Trust(TrustError::Session(_)) => {
                Self::invalid(Fault::body("/session", said))
            }
            HostError::Trust(TrustError::Changed(_)) => Self::new(Kind::Conflict, said),
            HostError::Trust(TrustError::Hooks | TrustError::Unfit(_)) => {
                Self::new(Kind::Unprocessable, said)
            }
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
            HostError::File { path, reason } | HostError::Upload { path, reason }
                if is_full(&reason) =>
            {
                let path = path.display();
                let detail = format!("there is no room for {path} ({reason}): make some");
                Self::new(Kind::DiskFull, detail).retry_after(NEEDS_HELP)
            }
            HostError::File { reason, .. } | HostError::Upload { reason, .. }
                if is_exhausted(&reason) =>
            {
                let detail = format!(
                    "the daemon has too many files open ({reason}): try again, or raise its limit \
                     (`ulimit -n`, or LimitNOFILE= in the service)"
                );
                Self::new(Kind::Unavailable, detail).retry_after(Duration::from_secs(1))
            }
            HostError::Upload { reason, .. } if is_theirs(&reason) => {
                Self::new(Kind::Conflict, said)
            }
            HostError::InUse(_)
            | HostError::DataDir(_)
            | HostError::File { .. }
            | HostError::Upload { .. }
            | HostError::WireLog(_) => {
                tracing::error!(error = %said, "a file of the host's cannot be used");
                Self::new(Kind::Internal, said)
            }
        }
    }
}

/// No room is left, whoever's that was.
fn is_full(reason: &io::Error) -> bool {
    matches!(reason.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

/// It is for the owner of a session's directory to do something about it: it is gone, or is not to be
/// written.
fn is_theirs(reason: &io::Error) -> bool {
    use io::ErrorKind::{NotADirectory, NotFound, PermissionDenied, ReadOnlyFilesystem};
    matches!(reason.kind(), NotFound | NotADirectory | PermissionDenied | ReadOnlyFilesystem)
}

impl From<FileError> for Problem {
    fn from(error: FileError) -> Self {
        let said = error.to_string();
        let kind = match error {
            FileError::NotFound(_) => Kind::NotFound,
            FileError::Outside(_) | FileError::Unreadable { .. } => Kind::Forbidden,
            FileError::NoDirectory(_) => Kind::Conflict,
            FileError::Git(GitError::Timeout(_)) => Kind::TimedOut,
            FileError::Exhausted { .. } => Kind::Unavailable,
            FileError::Git(GitError::NotRun(reason)) if is_exhausted(&reason) => Kind::Unavailable,
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
        ProfileError::Value(_) | ProfileError::TooManySecrets { .. } => {
            Problem::invalid(Fault::body("/profile", said))
        }
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

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use super::*;

    #[test]
    fn what_a_file_was_refused_for_says_whose_it_is() {
        let file = |kind: ErrorKind| HostError::File {
            path: "data".into(),
            reason: io::Error::from(kind),
        };
        let upload = |kind: ErrorKind| HostError::Upload {
            path: "work".into(),
            reason: io::Error::from(kind),
        };
        let table = [
            (file(ErrorKind::StorageFull), 507),
            (file(ErrorKind::QuotaExceeded), 507),
            // What is the host's own is not for its clients to put right.
            (file(ErrorKind::NotFound), 500),
            (file(ErrorKind::PermissionDenied), 500),
            (upload(ErrorKind::StorageFull), 507),
            (upload(ErrorKind::QuotaExceeded), 507),
            (upload(ErrorKind::NotFound), 409),
            (upload(ErrorKind::NotADirectory), 409),
            (upload(ErrorKind::PermissionDenied), 409),
            (upload(ErrorKind::ReadOnlyFilesystem), 409),
            (upload(ErrorKind::InvalidData), 500),
        ];
        for (error, status) in table {
            let said = error.to_string();
            assert_eq!(Problem::from(error).document().status, status, "{said}");
        }
    }
    #[cfg(unix)]
    #[test]
    fn a_lack_of_open_files_is_not_a_lack_of_rights() {
        use rustix::io::Errno;
        let unreadable = |errno| FileError::unreadable("a.txt".as_ref(), errno);
        for errno in [Errno::MFILE, Errno::NFILE] {
            let problem = Problem::from(unreadable(errno));
            assert_eq!(problem.document().status, 503, "{problem:?}");
            assert!(problem.document().detail.contains("too many files open"), "{problem:?}");
            let own = HostError::File { path: "policies".into(), reason: errno.into() };
            assert_eq!(Problem::from(own).document().status, 503);
        }
        assert_eq!(Problem::from(unreadable(Errno::ACCESS)).document().status, 403);
    }
}
