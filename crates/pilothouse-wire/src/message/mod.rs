//! What the CLI writes.
//!
//! Fields stand in the order in which the CLI writes them, because that is the order in which they
//! are read fastest. What the model API made (messages, blocks, usage) has the API's order.

pub mod assistant;
pub mod catalog;
pub mod hooks;
pub mod notice;
pub mod other;
pub mod result;
pub mod stream;
pub mod system;
pub mod task;
pub mod user;

pub use assistant::{ApiMessage, AssistantError, AssistantFrame, ModelUsage, ModelUsages, Usage};
pub use catalog::{AccountInfo, AgentInfo, ModelInfo, Plugin, SlashCommand};
pub use other::*;
pub use result::{PermissionDenial, ResultFrame, ResultKind};
pub use stream::{Delta, StreamEvent, StreamFrame};
pub use system::{Init, SessionState, System};
pub use user::{Origin, Priority, UserFrame, UserMessage};
