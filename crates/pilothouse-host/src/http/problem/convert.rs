//! Problems out of what the session and the store refuse.

use std::time::Duration;

use pilothouse_session::Refusal;

use super::{Kind, Problem};
use crate::store::StoreError;

/// How long a store that waits for a person's help is left alone.
const STORE_NEEDS_HELP: Duration = Duration::from_secs(30);

/// How long anything else is given that passes by itself.
const PASSES_SOON: Duration = Duration::from_secs(1);

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        let kind = match &refusal {
            Refusal::UnknownApproval { .. } => Kind::NotFound,
            Refusal::ApprovalVoid { .. } => Kind::Gone,
            Refusal::UnfitDecision { .. }
            | Refusal::Cli { .. }
            | Refusal::MentionDenied { .. }
            | Refusal::TooManyMentions { .. } => Kind::Unprocessable,
            Refusal::AlreadyAnswered { .. }
            | Refusal::PromptNotWaiting { .. }
            | Refusal::TooManyPrompts
            | Refusal::ApprovalOpen
            | Refusal::NotRunning
            | Refusal::NotReady
            | Refusal::AlreadyRunning
            | Refusal::NothingToInterrupt
            | Refusal::RunEnded => Kind::Conflict,
        };
        let mut problem = Self::new(kind, refusal.to_string());
        if refusal == Refusal::NotReady {
            problem = problem.retry_after(PASSES_SOON);
        }
        problem.document.refusal = Some(refusal);
        problem
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        let kind = match &error {
            StoreError::Full(_) => Kind::DiskFull,
            StoreError::Locked | StoreError::Busy { .. } => Kind::StoreBusy,
            StoreError::Closed => Kind::Unavailable,
            StoreError::UnknownSession(_) => Kind::NotFound,
            StoreError::SessionExists(_)
            | StoreError::ConversationTaken { .. }
            | StoreError::PromptExists(_)
            | StoreError::Claimed { .. }
            | StoreError::Fenced(_) => Kind::Conflict,
            StoreError::KeyReused(_) => Kind::Unprocessable,
            StoreError::TooLarge { .. } => Kind::BodyTooLarge,
            StoreError::BadCursor(_) => Kind::BadCursor,
            StoreError::Unconfirmed(_)
            | StoreError::Corrupt(_)
            | StoreError::NewerSchema { .. }
            | StoreError::Foreign(_)
            | StoreError::Gap { .. }
            | StoreError::Misplaced { .. }
            | StoreError::File { .. }
            | StoreError::Failed(_) => Kind::StoreFailed,
        };
        let problem = Self::new(kind, error.to_string());
        match error {
            StoreError::Full(_) | StoreError::Locked => problem.retry_after(STORE_NEEDS_HELP),
            error if error.is_passing() => problem.retry_after(PASSES_SOON),
            _ => problem,
        }
    }
}

#[cfg(test)]
mod tests {
    use pilothouse_session::id::{PromptId, SessionId};

    use super::*;

    #[test]
    fn every_passing_trouble_says_when_to_come_back() {
        for error in
            [StoreError::Full("x".into()), StoreError::Locked, StoreError::Busy { waiting: 9 }]
        {
            assert!(error.is_passing());
            let problem = Problem::from(error);
            assert!(problem.status().is_server_error(), "{problem}");
            assert!(problem.document().retry_after.is_some(), "{problem}");
        }
    }

    #[test]
    fn the_store_in_statuses() {
        let session = SessionId(uuid::Uuid::nil());
        let table = [
            (StoreError::Full("x".into()), 507),
            (StoreError::Locked, 503),
            (StoreError::Busy { waiting: 9 }, 503),
            (StoreError::UnknownSession(session), 404),
            (StoreError::SessionExists(session), 409),
            (StoreError::KeyReused("k".into()), 422),
            (StoreError::PromptExists(PromptId(uuid::Uuid::nil())), 409),
            (StoreError::TooLarge { what: "it", size: 2, limit: 1 }, 413),
            (StoreError::BadCursor("x".into()), 400),
            (StoreError::Corrupt("x".into()), 500),
            (StoreError::Unconfirmed("x".into()), 500),
            (StoreError::Closed, 503),
        ];
        for (error, status) in table {
            assert_eq!(Problem::from(error.clone()).status().as_u16(), status, "{error}");
        }
    }

    #[test]
    fn a_refusal_comes_along_as_it_is() {
        let problem = Problem::from(Refusal::NotRunning);
        let json = serde_json::to_value(problem.document()).unwrap();
        assert_eq!(json["status"], 409);
        assert_eq!(json["type"], "/problems/conflict");
        assert_eq!(json["refusal"]["kind"], "not_running");
    }
}
