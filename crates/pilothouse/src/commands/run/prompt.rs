//! What is said: the words on the command line, and what is piped in.

use std::io::{IsTerminal, Read};
use std::time::Duration;

use crate::commands::usage;
use crate::view::warn;

/// After this long it is told what is waited for.
const TELL: Duration = Duration::from_secs(3);

/// The prompt: words, then what is piped in.
pub(in crate::commands) async fn text(words: &[String]) -> anyhow::Result<String> {
    let words = words.join(" ");
    let piped = piped().await?.unwrap_or_default();
    let text = match (words.trim().is_empty(), piped.trim().is_empty()) {
        (false, true) => words,
        (true, false) => piped,
        (false, false) => format!("{words}\n\n{piped}"),
        (true, true) => {
            return Err(usage(
                "there is nothing to say: write it behind the command, or pipe it in",
            ));
        }
    };
    Ok(text)
}

/// What is piped in; none in a terminal.
async fn piped() -> anyhow::Result<Option<String>> {
    let mut stdin = std::io::stdin();
    if stdin.is_terminal() {
        return Ok(None);
    }
    let mut reading = tokio::task::spawn_blocking(move || {
        let mut bytes = Vec::new();
        stdin.read_to_end(&mut bytes).map(|_| String::from_utf8_lossy(&bytes).into_owned())
    });
    // A pipe that nobody closes would otherwise look like nothing at all.
    let read = tokio::time::timeout(TELL, &mut reading).await;
    let read = match read {
        Ok(read) => read,
        Err(_) => {
            let told = "reading from stdin until it ends (`< /dev/null` if nothing should be read)";
            let _ = warn(told);
            reading.await
        }
    };
    Ok(Some(read??))
}
