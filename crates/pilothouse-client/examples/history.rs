//! Lists the conversations of this directory, prints the latest, and gives it a title.
//!
//! `cargo run --example history -- "A better title"`. No CLI is run: it is all on disk.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::error::Error;

use pilothouse_client::history::{History, MessageQuery, Scope, SessionQuery};
use pilothouse_client::wire::{Content, Raw};

// In async code, wrap calls in `tokio::task::spawn_blocking`: they read files.
fn main() -> Result<(), Box<dyn Error>> {
    let history = History::new()?;
    let here = Scope::directory(std::env::current_dir()?);

    let sessions = history.sessions(&SessionQuery::new().scope(here.clone()).limit(10));
    for session in &sessions {
        println!("{}  {}", session.session_id, session.summary);
    }
    let Some(latest) = sessions.first() else {
        println!("no conversations here yet");
        return Ok(());
    };

    for message in history.messages(&latest.session_id, &MessageQuery::new().limit(20))? {
        // The message is kept as it was stored; of its content we want the text.
        let stored = message.message.as_deref().map(Raw::from);
        let content = stored.and_then(|stored| stored.member("content"));
        let text = content.and_then(|content| content.read::<Content>()).map(|it| it.text());
        println!("{:?}: {}", message.kind, text.unwrap_or_default());
    }

    if let Some(title) = std::env::args().nth(1) {
        history.rename(&latest.session_id, &title, &here)?;
        println!("now called {title}");
    }
    Ok(())
}
