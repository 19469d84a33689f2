//! What a conversation costs, and what fills its context.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::error::Error;

use pilothouse_client::{Client, Detail, Options};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let (client, mut messages) = Client::start(Options::default()).await?;
    client.prompt("Say hello.").await?;
    let result = messages.turn().await?.result;

    // These are totals since the CLI was started: the last result counts, adding them up does not.
    if let Some(cost) = &result.total_cost_usd {
        println!("cost so far: ${cost}");
    }
    for (model, used) in result.model_usage.iter().flatten() {
        let (input, output) = (used.input_tokens, used.output_tokens);
        println!("{model}: {} in, {} out", input.unwrap_or(0), output.unwrap_or(0));
    }

    // `Full` counts exactly, and takes many seconds for it.
    let context = client.context_usage(Detail::Summary).await?;
    let (used, room) = (context.total_tokens.unwrap_or(0), context.raw_max_tokens.unwrap_or(0));
    println!("context: {used} of {room} tokens");
    for part in &context.categories {
        println!("  {}: {}", part.name.as_deref().unwrap_or("?"), part.tokens.unwrap_or(0));
    }

    // Plan limits are known for subscriptions only.
    let report = client.usage().await?;
    println!("plan limits known: {}", report.rate_limits_available == Some(true));
    client.stop().await;
    Ok(())
}
