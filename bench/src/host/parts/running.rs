//! Sessions that speak, each with clients that listen and check.

use std::sync::Arc;
use std::time::{Duration, Instant};

use pilothouse_session::id::SessionId;
use serde_json::{Value, json};
use tokio::sync::{Barrier, Semaphore};
use tokio::task::JoinSet;

use crate::host::bed::{Bed, Daemon};
use crate::host::check::{Heard, Seen};
use crate::host::client::{Client, PATIENCE};
use crate::host::gathered::gathered;
use crate::host::process;
use crate::host::script::Plan;
use crate::host::{Outcome, now};

/// How many runs are started at once.
const STARTS: usize = 8;

/// Looking at shares is slow.
const MOST_LOOKS: usize = 16;

/// What has been heard and what it has cost.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) plan: Plan,
    pub(super) sessions: usize,
    /// Lines that did not arrive, at any client.
    pub(super) lost: u64,
    /// How often the daemon left out pieces for a client.
    pub(super) lagged: u64,
    pub(super) faults: Vec<String>,
    pub(super) lines: Vec<Seen>,
    /// Since when all have spoken.
    pub(super) since: u64,
    pub(super) took: Duration,
    /// Processor seconds.
    pub(super) daemon: f64,
    pub(super) holders: f64,
    /// In KiB, when all had spoken.
    pub(super) daemon_kib: u64,
    pub(super) holders_kib: u64,
    pub(super) guards_kib: u64,
    /// Of all these what is no file's: neither programs nor libraries.
    pub(super) own_kib: u64,
    /// With what they share divided among them.
    pub(super) holders_pss_kib: u64,
}

impl Ran {
    /// Lines per second that arrived of those written since `begun`, before the first session had
    /// said everything.
    pub(super) fn delivered(&self, begun: u64) -> f64 {
        let nanos = self.plan.lines() as f64 * 1e9 / self.plan.rate as f64;
        let ended = self.since + nanos as u64;
        let shown = self.lines.iter().filter(|line| (begun..ended).contains(&line.at)).count();
        let lines_per_shown =
            self.plan.lines() as f64 / (self.plan.pieces() + self.plan.messages()) as f64;
        shown as f64 * lines_per_shown * 1e9 / ended.saturating_sub(begun) as f64
    }

    /// Processor microseconds of daemon and holders for a line.
    pub(super) fn micros_per_line(&self) -> (f64, f64) {
        let lines = (self.plan.lines() * self.sessions as u64) as f64;
        (self.daemon * 1e6 / lines, self.holders * 1e6 / lines)
    }
}

struct Gates {
    starts: Semaphore,
    ready: Barrier,
    over: Barrier,
    end: Barrier,
}

/// Lets all sessions speak, each to so many clients, and does something meanwhile.
pub(super) async fn run(
    bed: &Bed,
    daemon: &Daemon,
    sessions: &[SessionId],
    (clients, plan): (usize, Plan),
    meanwhile: impl Future<Output = Outcome<()>>,
) -> Outcome<Ran> {
    let all = sessions.len() * clients + 1;
    let gates = Arc::new(Gates {
        starts: Semaphore::new(STARTS),
        ready: Barrier::new(all),
        over: Barrier::new(all),
        end: Barrier::new(all),
    });
    let mut tasks = JoinSet::new();
    for (number, session) in sessions.iter().enumerate() {
        for client in 0..clients {
            // Spread over the time of a turn, as nothing keeps sessions in step.
            let offset = plan.turn() * u32::try_from(number)?;
            let listener = Listener {
                address: daemon.address.clone(),
                token: daemon.token.clone(),
                session: *session,
                plan,
                speaks: client == 0,
                offset: offset / u32::try_from(sessions.len())?,
                gates: Arc::clone(&gates),
            };
            tasks.spawn(async move { listener.run().await.map_err(|error| error.to_string()) });
        }
    }
    let measured = async {
        gates.ready.wait().await;
        let runs = process::runs(&bed.data());
        let holders: Vec<u32> = runs.iter().map(|(holder, _)| *holder).collect();
        let seconds = || {
            let held = holders.iter().filter_map(|pid| process::exact_seconds(*pid)).sum::<f64>();
            (process::seconds(daemon.pid()).unwrap_or_default(), held)
        };
        let (before, started, since) = (seconds(), Instant::now(), now());
        meanwhile.await?;
        gates.over.wait().await;
        let (after, took) = (seconds(), started.elapsed());
        let guards = process::guards(&runs);
        let memory = |pids: &[u32], field| -> u64 {
            pids.iter().filter_map(|pid| process::memory_kib(*pid, field)).sum()
        };
        let own = |pids: &[u32]| memory(pids, "RssAnon");
        let share = |pids: &[u32]| -> u64 {
            pids.iter().take(MOST_LOOKS).filter_map(|pid| process::proportional_kib(*pid)).sum()
        };
        let ran = Ran {
            plan,
            sessions: sessions.len(),
            lost: 0,
            lagged: 0,
            faults: Vec::new(),
            lines: Vec::new(),
            since,
            took,
            daemon: after.0 - before.0,
            holders: after.1 - before.1,
            daemon_kib: memory(&[daemon.pid()], "VmRSS"),
            holders_kib: memory(&holders, "VmRSS"),
            guards_kib: memory(&guards, "VmRSS"),
            own_kib: own(&[daemon.pid()]) + own(&holders) + own(&guards),
            holders_pss_kib: share(&holders),
        };
        gates.end.wait().await;
        Outcome::Ok(ran)
    };
    let seconds = (plan.lines()).checked_div(plan.rate).unwrap_or(60);
    let patience = PATIENCE + Duration::from_secs(seconds) * 2;
    let failed = first_failure(&mut tasks);
    let mut heard_all = Vec::new();
    let mut ran = tokio::select! {
        ran = tokio::time::timeout(patience, measured) => {
            ran.map_err(|_| "the clients did not hear everything in time")??
        }
        why = failed => return Err(why.into()),
    };
    while let Some(heard) = tasks.join_next().await {
        heard_all.push(heard??);
    }
    let in_pipes = gathered(&bed.data())?;
    for mut heard in heard_all {
        for line in &mut heard.lines {
            line.gathered += in_pipes.get(&line.at).copied().unwrap_or_default();
        }
        ran.lost += heard.lost(plan);
        ran.lagged += heard.lagged;
        ran.faults.extend(heard.faults);
        ran.lines.extend(heard.lines);
    }
    Ok(ran)
}

/// None of them ends well before all do; waits for one that does not.
async fn first_failure(tasks: &mut JoinSet<Result<Heard, String>>) -> String {
    std::future::poll_fn(|context| match tasks.poll_join_next(context) {
        std::task::Poll::Ready(Some(Ok(Err(why)))) => std::task::Poll::Ready(why),
        std::task::Poll::Ready(Some(Err(why))) => std::task::Poll::Ready(why.to_string()),
        _ => std::task::Poll::Pending,
    })
    .await
}

struct Listener {
    address: String,
    token: String,
    session: SessionId,
    plan: Plan,
    speaks: bool,
    offset: Duration,
    gates: Arc<Gates>,
}

impl Listener {
    async fn run(self) -> Outcome<Heard> {
        let mut client = Client::open(&self.address, "/api/v1/ws", Some(&self.token)).await?;
        let mut heard = Heard::default();
        let subscribe = json!({"op": "subscribe", "session": self.session, "after": 0});
        client.say(&subscribe).await?;
        until(&mut client, &mut heard, |heard| heard.is_live).await?;
        if self.speaks {
            let _turn = self.gates.starts.acquire().await?;
            client.say(&self.command(1, json!({"do": "start"}))).await?;
            until(&mut client, &mut heard, |heard| heard.is_ready).await?;
        }
        self.gates.ready.wait().await;
        if self.speaks {
            tokio::time::sleep(self.offset).await;
            let prompt = json!({"do": "prompt", "content": self.plan.prompt()});
            client.say(&self.command(2, prompt)).await?;
        }
        until(&mut client, &mut heard, |heard| heard.is_over(self.plan)).await?;
        self.gates.over.wait().await;
        self.gates.end.wait().await;
        if self.speaks {
            let _turn = self.gates.starts.acquire().await?;
            client.say(&self.command(3, json!({"do": "stop"}))).await?;
            until(&mut client, &mut heard, |heard| heard.is_ended).await?;
        }
        Ok(heard)
    }

    fn command(&self, id: u64, command: Value) -> Value {
        json!({"op": "command", "id": id, "session": self.session, "command": command})
    }
}

/// Listens until something is the case.
pub(super) async fn until(
    client: &mut Client,
    heard: &mut Heard,
    is_so: impl Fn(&Heard) -> bool,
) -> Outcome<()> {
    while !is_so(heard) {
        let message = client.hear().await?;
        heard.hear(message.text, message.came_at)?;
    }
    Ok(())
}
