//! Asks one thing, prints the answer, ends the CLI.
//!
//! `cargo run --example one_shot -- "What does this project do?"`

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::error::Error;

use pilothouse_client::{Options, query};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let prompt = std::env::args().nth(1);
    let prompt = prompt.unwrap_or_else(|| "What is in this directory?".to_owned());

    // The default options run the CLI as a terminal would: in this directory, with the user's
    // settings. There is nobody to ask, so tools that need a permission are denied.
    let turn = query(prompt, Options::default()).await?.turn().await?;
    println!("{}", turn.text);
    Ok(())
}
