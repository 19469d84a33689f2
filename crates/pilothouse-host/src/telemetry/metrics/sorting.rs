//! From what events say to the words that metrics are told apart by.

use pilothouse_session::approval::{Decider, Decision, Subject};
use pilothouse_session::event::{Exit, Outcome, PromptState, RunOrigin, Status};

use super::labels::{
    DeciderWord, DecisionWord, ExitKind, OriginKind, PromptWord, StatusWord, SubjectKind,
    TurnOutcome,
};

impl From<Status> for StatusWord {
    fn from(status: Status) -> Self {
        match status {
            Status::Dormant => Self::Dormant,
            Status::Starting => Self::Starting,
            Status::Ready => Self::Ready,
            Status::Running => Self::Running,
            Status::AwaitingApproval => Self::AwaitingApproval,
            Status::Settled => Self::Settled,
            Status::Idle => Self::Idle,
            Status::Interrupted => Self::Interrupted,
            Status::Ended => Self::Ended,
        }
    }
}

impl From<Exit> for ExitKind {
    fn from(exit: Exit) -> Self {
        match (exit.code, exit.signal) {
            (_, Some(_)) => Self::Signal,
            (Some(0), None) => Self::Clean,
            (Some(_), None) => Self::Error,
            (None, None) => Self::Unknown,
        }
    }
}

impl From<&PromptState> for PromptWord {
    fn from(state: &PromptState) -> Self {
        match state {
            PromptState::Queued => Self::Queued,
            PromptState::Sent => Self::Sent,
            PromptState::TakenUp { .. } => Self::TakenUp,
            PromptState::Answered { .. } => Self::Answered,
            PromptState::Cancelled => Self::Cancelled,
            PromptState::Failed { .. } => Self::Failed,
        }
    }
}

impl From<&Subject> for SubjectKind {
    fn from(subject: &Subject) -> Self {
        match subject {
            Subject::Tool { .. } => Self::Tool,
            Subject::EnterPlan => Self::EnterPlan,
            Subject::Plan { .. } => Self::Plan,
            Subject::Question { .. } => Self::Question,
            Subject::Elicitation { .. } => Self::Elicitation,
            Subject::Dialog { .. } => Self::Dialog,
        }
    }
}

impl From<&Decision> for DecisionWord {
    fn from(decision: &Decision) -> Self {
        match decision {
            Decision::Allow { .. } => Self::Allow,
            Decision::Deny { .. } => Self::Deny,
            Decision::Plan { .. } => Self::Plan,
            Decision::Answers { .. } => Self::Answers,
            Decision::Form { .. } => Self::Form,
            Decision::Choose { .. } => Self::Choose,
        }
    }
}

impl From<&Decider> for DeciderWord {
    fn from(by: &Decider) -> Self {
        match by {
            Decider::Client { .. } => Self::Client,
            Decider::Policy { .. } => Self::Policy,
        }
    }
}

impl From<Outcome> for TurnOutcome {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Done => Self::Done,
            Outcome::Interrupted => Self::Interrupted,
            Outcome::Failed => Self::Failed,
            Outcome::LimitReached => Self::LimitReached,
            Outcome::Lost => Self::Lost,
        }
    }
}

impl From<&RunOrigin> for OriginKind {
    fn from(origin: &RunOrigin) -> Self {
        match origin {
            RunOrigin::New => Self::New,
            RunOrigin::Resumed { .. } => Self::Resumed,
            RunOrigin::Forked { .. } => Self::Forked,
        }
    }
}
