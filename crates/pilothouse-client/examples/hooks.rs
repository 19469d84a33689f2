//! Hooks: one keeps the model away from a file, one notes which commands ran.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::error::Error;

use pilothouse_client::wire::hook::{HookEvent, HookInput, HookOutput};
use pilothouse_client::wire::invocation::Invocation;
use pilothouse_client::wire::tool::{ToolInput, ToolOutput};
use pilothouse_client::{Hook, HookCall, Options, query};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::new(Invocation::new().allowed_tools(["Read", "Bash"]))
        // The matcher is a pattern of tool names. Hooks come before rules: this file is safe even
        // though `Read` is allowed.
        .hook(Hook::on(HookEvent::PreToolUse, guard).matching("Read|Edit|Write"))
        .hook(Hook::on(HookEvent::PostToolUse, log).matching("Bash").timeout_seconds(10));
    let turn = query("Read .env, then print the date with a command.", options).await?;
    println!("{}", turn.turn().await?.text);
    Ok(())
}

async fn guard(call: HookCall) -> Result<HookOutput, String> {
    let HookInput::PreToolUse(event) = call.input else { return Ok(HookOutput::none()) };
    let path = match event.input() {
        ToolInput::Read(read) => read.file_path,
        ToolInput::Edit(edit) => edit.file_path,
        ToolInput::Write(write) => write.file_path,
        _ => return Ok(HookOutput::none()),
    };
    if path.ends_with(".env") {
        println!("kept from {path}");
        return Ok(HookOutput::deny("Secrets are kept in that file; ask the user instead."));
    }
    // No opinion: rules and permissions decide as they would without the hook.
    Ok(HookOutput::none())
}

async fn log(call: HookCall) -> Result<HookOutput, String> {
    let HookInput::PostToolUse(event) = call.input else { return Ok(HookOutput::none()) };
    if let (ToolInput::Bash(bash), ToolOutput::Bash(output)) = (event.input(), event.output()) {
        println!("ran `{}`: {}", bash.command, output.stdout.trim_end());
    }
    Ok(HookOutput::none())
}
