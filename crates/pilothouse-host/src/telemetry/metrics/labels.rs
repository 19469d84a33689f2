//! The words that metrics are told apart by.

use super::label::labels;

labels! {
    /// The state of a session.
    StatusWord as "status" {
        /// No process.
        Dormant = "dormant",
        /// A process is being started.
        Starting = "starting",
        /// Waits for the first prompt.
        Ready = "ready",
        /// A turn goes on.
        Running = "running",
        /// Waits for an answer.
        AwaitingApproval = "awaiting_approval",
        /// Something goes on in the background.
        Settled = "settled",
        /// Nothing goes on.
        Idle = "idle",
        /// Its process ended in mid-turn.
        Interrupted = "interrupted",
        /// Its process has ended.
        Ended = "ended",
    }
    /// How a run came to be.
    OriginKind as "origin" {
        /// A new conversation.
        New = "new",
        /// One that goes on.
        Resumed = "resumed",
        /// A copy.
        Forked = "forked",
    }
    /// How a process ended.
    ExitKind as "exit" {
        /// With 0.
        Clean = "clean",
        /// With another code.
        Error = "error",
        /// By a signal.
        Signal = "signal",
        /// Nobody knows.
        Unknown = "unknown",
    }
    /// Which way a line goes.
    Direction as "direction" {
        /// From the CLI.
        FromCli = "from_cli",
        /// To the CLI.
        ToCli = "to_cli",
    }
    /// What is asked.
    SubjectKind as "subject" {
        /// A tool call.
        Tool = "tool",
        /// To enter plan mode.
        EnterPlan = "enter_plan",
        /// A plan.
        Plan = "plan",
        /// A question.
        Question = "question",
        /// A question of an MCP server.
        Elicitation = "elicitation",
        /// A dialog.
        Dialog = "dialog",
    }
    /// What was decided.
    DecisionWord as "decision" {
        /// Yes.
        Allow = "allow",
        /// No.
        Deny = "deny",
        /// About a plan.
        Plan = "plan",
        /// Answers.
        Answers = "answers",
        /// A form.
        Form = "form",
        /// A choice in a dialog.
        Choose = "choose",
    }
    /// Who decided.
    DeciderWord as "decider" {
        /// A client.
        Client = "client",
        /// A policy.
        Policy = "policy",
    }
    /// What has become of a prompt.
    PromptWord as "state" {
        /// It waits.
        Queued = "queued",
        /// It was written.
        Sent = "sent",
        /// A turn works on it.
        TakenUp = "taken_up",
        /// The turn has settled.
        Answered = "answered",
        /// It was taken back.
        Cancelled = "cancelled",
        /// Nothing will come of it.
        Failed = "failed",
    }
    /// How a turn ended.
    TurnOutcome as "outcome" {
        /// It came to its end.
        Done = "done",
        /// It was stopped.
        Interrupted = "interrupted",
        /// It failed.
        Failed = "failed",
        /// A limit was reached.
        LimitReached = "limit_reached",
        /// Its run ended first.
        Lost = "lost",
    }
    /// What tokens were.
    TokenKind as "kind" {
        /// Read, not from the cache.
        Input = "input",
        /// Written.
        Output = "output",
        /// Put into the cache.
        CacheCreation = "cache_creation",
        /// Read from the cache.
        CacheRead = "cache_read",
    }
    /// The class of a status of HTTP.
    StatusClass as "status" {
        /// 1xx.
        Informational = "1xx",
        /// 2xx.
        Success = "2xx",
        /// 3xx.
        Redirect = "3xx",
        /// 4xx.
        ClientError = "4xx",
        /// 5xx.
        ServerError = "5xx",
    }
    /// Why a request was not let in.
    AuthFailure as "reason" {
        /// It has no token.
        NoToken = "no_token",
        /// Its token is wrong.
        BadToken = "bad_token",
        /// It names another host.
        BadHost = "bad_host",
        /// It comes from another page.
        BadOrigin = "bad_origin",
        /// Too many have failed.
        RateLimited = "rate_limited",
    }
    /// Whose request was refused.
    Side as "by" {
        /// The CLI refused ours.
        Cli = "cli",
        /// We refused the CLI's.
        Host = "host",
    }
}

impl StatusClass {
    /// The class of a status.
    pub fn of(status: u16) -> Self {
        match status {
            0..=199 => Self::Informational,
            200..=299 => Self::Success,
            300..=399 => Self::Redirect,
            400..=499 => Self::ClientError,
            _ => Self::ServerError,
        }
    }
}
