//! Messages in recorded sessions that this version does not know.

use std::collections::BTreeMap;

use pilothouse_host::config::Config;
use pilothouse_host::doctor::{Check, State};
use serde::Deserialize;
use serde_json::Value;

use super::{advised, check};
use crate::commands::sessions::{SessionRow, path};
use crate::reach::Reach;
use crate::view::one_line;

/// How many of the latest sessions are looked through, and how much of each.
const SESSIONS: usize = 30;
const EVENTS: u64 = 20_000;

pub(super) async fn unknown(config: &Config) -> Check {
    let (id, title) = ("unknown_messages", "Unknown messages");
    let kinds = match Reach::open(config).await {
        Ok(mut reach) => {
            let kinds = kinds(&mut reach).await;
            reach.close().await;
            kinds
        }
        Err(error) => Err(error),
    };
    match kinds {
        Ok(kinds) if kinds.is_empty() => check(id, title, State::Ok, "none in recorded sessions"),
        Ok(kinds) => {
            let kinds: Vec<_> =
                kinds.iter().map(|(kind, count)| format!("{} ({count})", one_line(kind))).collect();
            advised(
                id,
                title,
                State::Warn,
                kinds.join(", "),
                "Nothing is lost: they are in the raw view. Update Pilothouse to have them \
                 understood.",
            )
        }
        Err(error) => advised(
            id,
            title,
            State::Warn,
            format!("recorded sessions cannot be read: {error:#}"),
            "See what the other lines say about the data directory.",
        ),
    }
}

#[derive(Deserialize)]
struct Events {
    items: Vec<Value>,
}

async fn kinds(reach: &mut Reach) -> anyhow::Result<BTreeMap<String, usize>> {
    let mut kinds = BTreeMap::new();
    let rows: Vec<SessionRow> = reach.list("/api/v1/sessions?", SESSIONS).await?;
    for row in rows {
        // The latest are of the version that is in use.
        let after = row.last_seq.saturating_sub(EVENTS);
        let page = format!("{}/events?after={after}&limit={EVENTS}", path(row.id));
        let events: Events = reach.get(&page).await?;
        for event in events.items.iter().filter(|event| event["type"] == "unknown") {
            let what = event["what"].as_str().unwrap_or("without a type").to_owned();
            *kinds.entry(what).or_default() += 1;
        }
    }
    Ok(kinds)
}
