//! A thousand sessions and a thousand sockets, and nothing happens.

use serde_json::json;
use tokio::task::JoinSet;

use super::Terms;
use super::running::until;
use crate::host::bed::Bed;
use crate::host::check::Heard;
use crate::host::client::Client;
use crate::host::report::Row;
use crate::host::{Outcome, process};

const SESSIONS: usize = 1000;

pub(super) async fn measure(terms: &Terms) -> Outcome<Vec<Row>> {
    let bed = Bed::new(&terms.programs)?;
    let ids = bed.sessions(SESSIONS).await?;
    let daemon = bed.daemon()?;
    let before = process::memory_kib(daemon.pid(), "VmRSS").unwrap_or_default();
    let mut tasks = JoinSet::new();
    for session in ids {
        let (address, token) = (daemon.address.clone(), daemon.token.clone());
        tasks.spawn(async move {
            let open = async {
                let mut client = Client::open(&address, "/api/v1/ws", Some(&token)).await?;
                let subscribe = json!({"op": "subscribe", "session": session, "after": 0});
                client.say(&subscribe).await?;
                let mut heard = Heard::default();
                until(&mut client, &mut heard, |heard| heard.is_live).await?;
                Outcome::Ok(client)
            };
            open.await.map_err(|error| error.to_string())
        });
    }
    let mut clients = Vec::new();
    while let Some(client) = tasks.join_next().await {
        clients.push(client??);
    }
    let kib = process::memory_kib(daemon.pid(), "VmRSS").ok_or("the daemon has ended")?;
    Ok(vec![
        Row::at_most(
            format!("{SESSIONS} idle sessions, {} idle sockets: daemon resident", clients.len()),
            kib as f64 / 1024.0,
            64.0,
            " MiB",
        ),
        Row::told("the daemon without them", format!("{:.1} MiB", before as f64 / 1024.0)),
    ])
}
