//! Defines a subagent, and tells its messages from those of the main conversation.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::error::Error;

use pilothouse_client::wire::Inbound;
use pilothouse_client::wire::control::initialize::AgentDefinition;
use pilothouse_client::{Options, query};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let critic = AgentDefinition {
        // The model reads this when it decides whom to give a task to.
        description: "Reviews prose. Use it for every text.".to_owned(),
        // This is the subagent's system prompt.
        prompt: "You are a strict but kind editor. Name the weakest sentence.".to_owned(),
        tools: Some(vec!["Read".to_owned(), "Grep".to_owned()]),
        ..AgentDefinition::default()
    };
    let mut options = Options::default().agent("critic", critic);
    // Otherwise only its tool calls are told, and its last words come as a tool result.
    options.initialize.forward_subagent_text = Some(true);

    let mut query = query("Have the critic review README.md.", options).await?;
    while let Some(frame) = query.next().await {
        match frame.message {
            Inbound::Assistant(said) => {
                // A subagent's messages name the call that started it.
                let subagent = said.parent_tool_use_id.get().is_some();
                let who = if subagent { "  critic" } else { "main" };
                for text in said.message.content.iter().filter_map(|block| block.as_text()) {
                    println!("{who}: {text}");
                }
            }
            Inbound::Result(result) => println!("done: {}", result.text()),
            _ => {}
        }
    }
    Ok(())
}
