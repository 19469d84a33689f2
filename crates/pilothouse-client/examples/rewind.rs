//! Lets the model change a file, then puts it back as it was.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::error::Error;

use pilothouse_client::wire::invocation::Invocation;
use pilothouse_client::wire::permission::PermissionMode;
use pilothouse_client::{Client, Options, Rewind};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let invocation = Invocation::new()
        // Files are saved before they are changed. Commands that change files are not noticed.
        .file_checkpointing()
        .permission_mode(PermissionMode::AcceptEdits);
    let (client, mut messages) = Client::start(Options::new(invocation)).await?;

    // Every prompt has a uuid: the name of the moment just before it.
    let before = client.prompt("Write a haiku to haiku.txt.").await?;
    println!("{}", messages.turn().await?.text);

    let plan = client.rewind_files(&before, Rewind::DryRun).await?;
    if plan.can_rewind != Some(true) {
        return Err(plan.error.unwrap_or_default().into());
    }
    println!("would change {:?}", plan.files_changed.unwrap_or_default());

    client.rewind_files(&before, Rewind::Files).await?;
    println!("haiku.txt is there: {}", std::path::Path::new("haiku.txt").exists());

    // Only files are rewound. The conversation still knows of the haiku: to forget it, resume with
    // `Resume::cut_at`.
    client.stop().await;
    Ok(())
}
