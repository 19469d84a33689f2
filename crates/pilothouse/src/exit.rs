//! What the process ends with: a documented number, and on the way there a sentence that helps.

use std::io;
use std::process::ExitCode;

use crate::reach::ApiError;

/// What `pilothouse help` says about it.
pub(crate) const HELP: &str = "\
Exit codes:
    0  done; of `run`: the turn has settled
    1  it did not work; of `run`: the turn failed
    2  the command line cannot be understood
    3  the `claude` CLI is missing, cannot be used or is not logged in
    4  of `run`: something was refused, by the policy or because nobody could be asked
  130  interrupted";

/// How the process ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// It is done.
    Done,
    /// It did not work.
    Failed,
    /// The command line cannot be understood.
    Usage,
    /// The CLI is missing or cannot be used.
    NoCli,
    /// Something was refused, by the policy or because nobody could be asked.
    Refused,
    /// Somebody interrupted it.
    Interrupted,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::NoCli => 3,
            Exit::Refused => 4,
            Exit::Interrupted => 130,
        })
    }
}

/// An error that ends the process with a number of its own.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Trouble {
    /// The command line asks for something that cannot be.
    #[error("{0}")]
    Usage(String),
    /// The CLI is missing or cannot be used.
    #[error("{0}")]
    NoCli(String),
}

/// What an error means for the process; nothing to say where somebody only stopped reading.
pub(crate) fn of(error: &anyhow::Error) -> (Exit, Option<String>) {
    if error.chain().any(is_broken_pipe) {
        return (Exit::Done, None);
    }
    let exit = match error.downcast_ref::<Trouble>() {
        Some(Trouble::Usage(_)) => Exit::Usage,
        Some(Trouble::NoCli(_)) => Exit::NoCli,
        None => Exit::Failed,
    };
    (exit, Some(format!("{error:#}")))
}

fn is_broken_pipe(error: &(dyn std::error::Error + 'static)) -> bool {
    // That the daemon is gone is another matter.
    if error.is::<ApiError>() {
        return false;
    }
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_that_has_left_is_no_error() {
        let broken = anyhow::Error::new(io::Error::from(io::ErrorKind::BrokenPipe)).context("ls");
        assert_eq!(of(&broken), (Exit::Done, None));
        let denied = anyhow::Error::new(io::Error::from(io::ErrorKind::PermissionDenied));
        assert_eq!(of(&denied).0, Exit::Failed);
    }

    #[test]
    fn errors_have_their_numbers() {
        assert_eq!(of(&Trouble::Usage("x".into()).into()), (Exit::Usage, Some("x".into())));
        assert_eq!(of(&Trouble::NoCli("y".into()).into()).0, Exit::NoCli);
        assert_eq!(of(&anyhow::anyhow!("z")).0, Exit::Failed);
    }
}
