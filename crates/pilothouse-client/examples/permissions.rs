//! Asks on the terminal before a tool runs: yes, always, or no.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::error::Error;
use std::io;

use pilothouse_client::wire::invocation::Invocation;
use pilothouse_client::wire::permission::{CanUseTool, PermissionMode, PermissionResult};
use pilothouse_client::wire::tool::ToolInput;
use pilothouse_client::{Options, query};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // Left to itself the CLI may let a classifier decide; this mode asks us.
    let invocation = Invocation::new().permission_mode(PermissionMode::Default);
    let options = Options::new(invocation).on_permission(decide);
    let turn = query("Write a haiku to haiku.txt, then count its words with wc.", options).await?;
    let turn = turn.turn().await?;

    println!("{}", turn.text);
    for denial in &turn.result.permission_denials {
        println!("(denied: {})", denial.tool_name.as_deref().unwrap_or("a tool"));
    }
    Ok(())
}

/// Runs in a task of its own, and may take as long as a person does.
async fn decide(ask: CanUseTool) -> PermissionResult {
    // Inputs arrive as JSON; the built-in tools have types for theirs.
    match ToolInput::of(&ask.tool_name, &ask.input) {
        ToolInput::Bash(bash) => println!("Run `{}`?", bash.command),
        ToolInput::Write(write) => println!("Write {}?", write.file_path),
        _ => println!("Use {} with {}?", ask.tool_name, ask.input.get()),
    }
    println!("[y]es, [a]lways, or why not:");

    // Reading from a terminal blocks, so it must not happen on the runtime's own threads.
    let answer = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        io::stdin().read_line(&mut line).map(|_| line)
    });
    match answer.await {
        Ok(Ok(line)) => match line.trim() {
            "y" => ask.allow(),
            // Accepts the rules that the CLI suggests, so that it need not ask again.
            "a" => ask.allow_always(),
            // The model reads the reason, and looks for another way.
            "" => ask.deny("The user does not want this."),
            reason => ask.deny(reason),
        },
        _ => ask.deny_and_stop("Nobody is at the terminal."),
    }
}
