//! The description of the API (OpenAPI 3.1) and the types of a client (TypeScript), made from the
//! table of routes and the types of their handlers.
//!
//! A route that serves is described by the same entry; neither can be without the other. Schemas
//! are those of `schemars` (JSON Schema 2020-12, which OpenAPI 3.1 takes as it is).

mod document;
mod schemas;
mod shape;
mod typescript;

use axum::http::Method;
use schemars::JsonSchema;

pub use document::document;
pub use schemas::Schemas;
pub use shape::{
    Accepted, Content, Done, EventStream, Got, Made, New, NoBody, Nothing, Octets, Plain, Reply,
    ReplyShape, Shape, Switched, TakesBody, Told,
};
pub use typescript::types;

use crate::http::problem::Kind;

/// What operations are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag {
    /// Sessions as a whole.
    Sessions,
    /// What is said to them.
    Prompts,
    /// What they ask.
    Approvals,
    /// What happened in them.
    Events,
    /// Their processes.
    Runs,
    /// What their CLI can be asked.
    Cli,
    /// Images and files that were uploaded.
    Attachments,
    /// What is in their directories.
    Files,
    /// Conversations that the CLI has kept.
    History,
    /// Rules that answer approvals.
    Policies,
    /// The daemon itself.
    Host,
    /// Who asks.
    Access,
}

impl Tag {
    const ALL: [Self; 12] = [
        Self::Sessions,
        Self::Prompts,
        Self::Approvals,
        Self::Events,
        Self::Runs,
        Self::Cli,
        Self::Attachments,
        Self::Files,
        Self::History,
        Self::Policies,
        Self::Host,
        Self::Access,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Sessions => "sessions",
            Self::Prompts => "prompts",
            Self::Approvals => "approvals",
            Self::Events => "events",
            Self::Runs => "runs",
            Self::Cli => "cli",
            Self::Attachments => "attachments",
            Self::Files => "files",
            Self::History => "history",
            Self::Policies => "policies",
            Self::Host => "host",
            Self::Access => "access",
        }
    }

    fn meaning(self) -> &'static str {
        match self {
            Self::Sessions => "Conversations with Claude Code that go on in this daemon.",
            Self::Prompts => "What is said to a session, and stopping what came of it.",
            Self::Approvals => "What sessions ask people, plans and questions included.",
            Self::Events => "What happened in a session, numbered without gaps.",
            Self::Runs => "The processes that serve a session, and every line they said.",
            Self::Cli => "What can be asked of a session's running CLI.",
            Self::Attachments => "Images and files that were uploaded to a session.",
            Self::Files => "What is in a session's directories.",
            Self::History => "Conversations that the CLI has kept on this machine.",
            Self::Policies => "Rules that answer approvals.",
            Self::Host => "The daemon itself.",
            Self::Access => "Who asks, and logging in and out.",
        }
    }
}

/// A header that an operation heeds.
#[derive(Clone, Copy, Debug)]
pub struct HeaderParameter {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub meaning: &'static str,
}

/// One method of one path.
#[derive(Clone, Debug)]
pub struct Operation {
    /// The method.
    pub method: Method,
    /// The path, with `{parameters}`.
    pub path: &'static str,
    /// Its name, for generated clients.
    pub id: &'static str,
    /// What it is about.
    pub tag: Tag,
    /// What it does, in a line.
    pub summary: &'static str,
    /// More about it.
    pub description: Option<&'static str>,
    /// Headers it heeds.
    pub headers: &'static [HeaderParameter],
    /// What it may refuse with, beside what every operation may.
    pub problems: &'static [Kind],
    /// Whether it needs no token.
    pub is_public: bool,
    /// An example of its body, as JSON.
    pub example: Option<&'static str>,
    /// What it takes and gives.
    pub shape: fn(&mut Schemas) -> Shape,
}

/// Types that clients need beside those of operations.
pub(crate) type More = fn(&mut Schemas);

/// A type that clients write.
pub(crate) fn also_written<T: JsonSchema>(schemas: &mut Schemas) {
    schemas.input::<T>();
}

/// A type that clients read.
pub(crate) fn also<T: JsonSchema>(schemas: &mut Schemas) {
    schemas.output::<T>();
}
