//! Ends a conversation, takes it up again, and tries another way on a copy.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::error::Error;

use pilothouse_client::wire::invocation::{Invocation, Resume, Start};
use pilothouse_client::{Options, query};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let session = ask("Suggest a name for a sailing boat.", Start::default()).await?;

    // Another process, perhaps days later, goes on where it ended.
    ask("Another one, please.", Resume::session(&session)).await?;

    // A copy has an id of its own; the original does not learn what was said in it.
    let fork = ask("The same for a rowing boat.", Resume::session(&session).forked()).await?;

    // `Start::latest()` would take up the latest conversation of this directory, and
    // `Resume::cut_at` one only up to a certain message.
    println!("to go on by hand: claude --resume {session}, or --resume {fork}");
    Ok(())
}

/// Asks, prints the answer, and gives the session's id.
async fn ask(prompt: &str, start: impl Into<Start>) -> Result<String, Box<dyn Error>> {
    let options = Options::new(Invocation::new().start(start));
    let turn = query(prompt, options).await?.turn().await?;
    let session = turn.result.session_id.ok_or("the CLI did not name the session")?;
    println!("{session}: {}", turn.text);
    Ok(session)
}
