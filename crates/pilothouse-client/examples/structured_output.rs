//! Gets an answer as a Rust value.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::error::Error;

use pilothouse_client::mcp::schemars;
use pilothouse_client::{Options, query};

/// What the model is asked to fill in. Comments become descriptions that it reads.
#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
#[schemars(crate = "pilothouse_client::mcp::schemars")]
struct Dependency {
    /// The crate.
    name: String,
    /// What it is used for, in a few words.
    purpose: String,
}

#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
#[schemars(crate = "pilothouse_client::mcp::schemars")]
struct Dependencies {
    dependencies: Vec<Dependency>,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::default().answer_as::<Dependencies>();
    let prompt = "What does this project depend on, and why?";
    let turn = query(prompt, options).await?.turn().await?;

    // An error where the model did not comply; `turn.text` then says something else.
    for dependency in turn.answer::<Dependencies>()?.dependencies {
        println!("{}: {}", dependency.name, dependency.purpose);
    }
    Ok(())
}
