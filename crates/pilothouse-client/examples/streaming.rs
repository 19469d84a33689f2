//! Prints the answer while it is written, thinking included.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::error::Error;
use std::io::{self, Write};

use pilothouse_client::wire::Inbound;
use pilothouse_client::wire::invocation::{Invocation, Thinking, ThinkingDisplay};
use pilothouse_client::wire::message::{Delta, StreamEvent};
use pilothouse_client::{Options, query};

const DIM: &str = "\x1b[2m";
const PLAIN: &str = "\x1b[0m";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let invocation = Invocation::new()
        // Without this only finished blocks come.
        .partial_messages()
        .thinking(Thinking::Adaptive)
        // Newer models keep their thinking to themselves unless asked for a summary.
        .thinking_display(ThinkingDisplay::Summarized);
    let mut query = query("Why is the sky blue?", Options::new(invocation)).await?;

    let mut out = io::stdout();
    while let Some(frame) = query.next().await {
        match frame.message {
            // Pieces with a parent belong to a subagent; several may speak at once.
            Inbound::StreamEvent(piece) if piece.parent_tool_use_id.get().is_none() => {
                match piece.event {
                    StreamEvent::ContentBlockDelta(piece) => match piece.delta {
                        Delta::Text(delta) => write!(out, "{}", delta.text)?,
                        Delta::Thinking(delta) => write!(out, "{DIM}{}{PLAIN}", delta.thinking)?,
                        _ => {}
                    },
                    StreamEvent::ContentBlockStop(_) => writeln!(out)?,
                    _ => {}
                }
                out.flush()?;
            }
            // The whole blocks come too, as `Inbound::Assistant`: do not print both.
            Inbound::Result(result) if !result.is_success() => eprintln!("{}", result.text()),
            _ => {}
        }
    }
    Ok(())
}
