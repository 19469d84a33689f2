//! Prints a long answer; Enter cuts it short, and the conversation goes on.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::error::Error;
use std::io::{self, Write};

use pilothouse_client::wire::Inbound;
use pilothouse_client::wire::invocation::Invocation;
use pilothouse_client::wire::message::{Delta, StreamEvent};
use pilothouse_client::{Client, Options, Queued};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::new(Invocation::new().partial_messages());
    let (client, mut messages) = Client::start(options).await?;
    client.prompt("Tell me a very long story. (Enter to stop it.)").await?;

    // A thread and not a task: it must not keep the program from ending.
    let (pressed, mut enter) = tokio::sync::oneshot::channel();
    std::thread::spawn(move || {
        let _ = io::stdin().read_line(&mut String::new());
        let _ = pressed.send(());
    });

    let mut stopped = false;
    loop {
        tokio::select! {
            _ = &mut enter, if !stopped => {
                stopped = true;
                // Prompts that wait in the queue would still run; `Cancel` takes them back.
                client.interrupt(Queued::Keep).await?;
            }
            frame = messages.next() => match frame.ok_or("the CLI has ended")?.message {
                Inbound::StreamEvent(piece) => {
                    if let StreamEvent::ContentBlockDelta(piece) = piece.event
                        && let Delta::Text(text) = piece.delta
                    {
                        print!("{}", text.text);
                        io::stdout().flush()?;
                    }
                }
                // An interrupted turn has a result like any other.
                Inbound::Result(_) => break,
                _ => {}
            },
        }
    }
    println!("\n-- {}", if stopped { "interrupted" } else { "the end" });

    client.prompt("How would it have ended, in one sentence?").await?;
    println!("{}", messages.turn().await?.text);
    client.stop().await;
    Ok(())
}
