//! Names of things.
//!
//! What the machine names itself it numbers, so that the same inputs give the same names. What must
//! be unique everywhere is a UUID that comes from outside.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

macro_rules! ids {
    ($($(#[$meta:meta])* $name:ident($inner:ty)),* $(,)?) => {$(
        $(#[$meta])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
        )]
        #[serde(transparent)]
        pub struct $name(pub $inner);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

ids! {
    /// A session of ours; the CLI's own id of the conversation is another thing, and may change.
    SessionId(Uuid),
    /// One CLI process serving a session.
    RunId(Uuid),
    /// A prompt. Chosen by who sends it: sending it again under the same id does nothing.
    PromptId(Uuid),
    /// A command of a client, to which its reply belongs.
    CommandId(Uuid),
    /// A turn: 1, 2, 3 …
    TurnId(u64),
    /// A thing in the transcript: 1, 2, 3 …
    ItemId(u64),
    /// A request that a person or a policy must answer: 1, 2, 3 …
    ApprovalId(u64),
}

impl PromptId {
    /// The id in the text of a message, if it is one.
    pub fn parse(text: &str) -> Option<Self> {
        Uuid::parse_str(text).ok().map(Self)
    }
}
