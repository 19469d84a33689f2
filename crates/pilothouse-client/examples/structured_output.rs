//! Gets an answer as a Rust value.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::error::Error;

use pilothouse_client::mcp::schemars::{self, generate::SchemaSettings};
use pilothouse_client::wire::invocation::Invocation;
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
    // The CLI reads this draft; it refuses the newer one that `schema_for!` makes.
    let generator = SchemaSettings::draft07().into_generator();
    let schema = generator.into_root_schema_for::<Dependencies>();
    let invocation = Invocation::new().json_schema(schema);
    let prompt = "What does this project depend on, and why?";
    let turn = query(prompt, Options::new(invocation)).await?.turn().await?;

    // Absent where the model did not comply; `turn.text` then says something else.
    let output = turn.result.structured_output.ok_or("no structured answer")?;
    for dependency in output.parse::<Dependencies>()?.dependencies {
        println!("{}: {}", dependency.name, dependency.purpose);
    }
    Ok(())
}
