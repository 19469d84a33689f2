//! Two turns of one conversation: the second builds on the first.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::error::Error;

use pilothouse_client::wire::{Block, Inbound};
use pilothouse_client::{Client, Messages, Options};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // The client sends, `messages` is what comes back; they can live in different tasks.
    let (client, mut messages) = Client::start(Options::default()).await?;

    client.prompt("Which files are in this directory?").await?;
    print_turn(&mut messages).await;

    // The CLI still runs and remembers.
    client.prompt("Which of them should I read first?").await?;
    print_turn(&mut messages).await;

    client.stop().await;
    Ok(())
}

/// Prints messages until the turn is over. `messages.turn()` does the same in silence, and turns
/// what went wrong into an error.
async fn print_turn(messages: &mut Messages) {
    while let Some(frame) = messages.next().await {
        match frame.message {
            Inbound::Assistant(assistant) => {
                for block in &assistant.message.content {
                    match block {
                        Block::Text(text) => println!("{}", text.text),
                        Block::ToolUse(call) => println!("[{} {}]", call.name, call.input.get()),
                        _ => {}
                    }
                }
            }
            // Exactly one ends each turn, however it went.
            Inbound::Result(result) => {
                let turns = result.num_turns.unwrap_or_default();
                println!("-- done in {turns} round(s) with the model");
                return;
            }
            _ => {}
        }
    }
}
