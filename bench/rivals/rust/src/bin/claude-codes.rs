//! The crate `claude-codes` reading the corpus through its async client.
//!
//! usage: claude-codes PRINTER   (BENCH_CORPUS names the corpus)

use bench_rivals::Tally;
use claude_codes::{AsyncClient, ClaudeCliBuilder, ClaudeInput, ClaudeOutput, Error};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let printer = std::env::args()
        .nth(1)
        .ok_or("usage: claude-codes PRINTER")?;
    let mut tally = Tally::start();
    let mut client = AsyncClient::from_builder(ClaudeCliBuilder::new().command(printer)).await?;
    client
        .send(&ClaudeInput::user_message("go", uuid::Uuid::new_v4()))
        .await?;
    // Not `query_stream`: that one ends at the first result, or at the first
    // line it cannot decode.
    loop {
        match client.receive().await {
            Ok(ClaudeOutput::Result(_)) => tally.result(),
            Ok(_) => tally.message(),
            Err(Error::ConnectionClosed) => break,
            Err(Error::Io(error)) => return Err(error.into()),
            Err(error) => tally.error(&error),
        }
    }
    tally.print();
    Ok(())
}
