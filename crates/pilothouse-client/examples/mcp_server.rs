//! Gives the model a tool that is a function of this program.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::collections::BTreeMap;
use std::error::Error;

use pilothouse_client::mcp::{McpServer, ToolReply, schemars};
use pilothouse_client::wire::invocation::Invocation;
use pilothouse_client::{Options, query};

/// What the model passes. The schema it is shown is made of this type and its comments.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[schemars(crate = "pilothouse_client::mcp::schemars")]
struct Lookup {
    /// The article's number, such as `A-17`.
    article: String,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let stock = BTreeMap::from([("A-17", 3), ("B-4", 0)]);
    let server = McpServer::builder("shop")
        .tool("stock", "How many of an article are in stock", move |lookup: Lookup| {
            println!("looking up {}", lookup.article);
            let reply = match stock.get(&*lookup.article) {
                Some(count) => ToolReply::text(format!("{count} in stock")),
                // Told to the model, which may correct itself and call again.
                None => ToolReply::error("no such article; numbers look like `A-17`"),
            };
            async { Ok(reply) }
        })
        .build()?;

    // The model sees the tool as `mcp__shop__stock`, and rules name it like that.
    let invocation = Invocation::new().allowed_tools(["mcp__shop__stock"]);
    let options = Options::new(invocation).mcp_server(server);
    let turn = query("Do we have A-17 and B-4?", options).await?.turn().await?;
    println!("{}", turn.text);
    Ok(())
}
