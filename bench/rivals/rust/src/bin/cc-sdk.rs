//! The crate `cc-sdk` reading the corpus through `query()`.
//!
//! usage: cc-sdk RESULTS, with the printer on PATH under the name `claude`: the
//! crate offers no other way to choose it. Its stream never ends by itself (a
//! task that waits for the reader to go keeps a sender alive), so reading stops
//! after the given number of `result` messages.

use bench_rivals::Tally;
use cc_sdk::{Message, query};
use futures::StreamExt;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let expected: u64 = std::env::args()
        .nth(1)
        .ok_or("usage: cc-sdk RESULTS")?
        .parse()?;
    let mut tally = Tally::start();
    let mut results = 0;
    let mut messages = std::pin::pin!(query("go", None).await?);
    while results < expected {
        match messages.next().await {
            Some(Ok(Message::Result { .. })) => {
                results += 1;
                tally.result();
            }
            Some(Ok(_)) => tally.message(),
            Some(Err(error)) => tally.error(&error),
            None => break,
        }
    }
    tally.print();
    Ok(())
}
