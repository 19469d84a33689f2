//! Many sessions at work while the daemon is killed again and again, then holders and CLIs too.
//!
//! What must hold afterwards: every line of the wire logs is accounted for, events have no gap and
//! no duplicate, every approval was answered at most once, no prompt ran twice, no process is left.
//!
//! 20 sessions and 50 deaths of the daemon; `PILOTHOUSE_FAULTS=long` plays 500.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test says what went wrong by panicking"
)]
#![allow(dead_code, reason = "the bed is shared")]
#![cfg(unix)]

#[path = "host/bed.rs"]
mod bed;
#[path = "fault/books.rs"]
mod books;
#[path = "socket/client.rs"]
mod client;
#[path = "fault/worker.rs"]
mod worker;

use std::sync::Arc;
use std::time::Duration;

use bed::{Bed, kill};
use client::Daemon;
use pilothouse_host::Host;
use pilothouse_host::holder::find;
use pilothouse_session::id::SessionId;
use tokio::sync::watch;
use tokio::task::JoinSet;
use worker::{Door, Worker};

/// How much is played.
struct Play {
    sessions: usize,
    deaths: usize,
    /// Whether holders and CLIs die as well.
    is_wide: bool,
}

impl Play {
    fn of(is_wide: bool) -> Self {
        match std::env::var("PILOTHOUSE_FAULTS").as_deref() {
            Ok("long") => Self { sessions: 20, deaths: 500, is_wide },
            _ => Self { sessions: 20, deaths: 50, is_wide },
        }
    }
}

/// The same numbers in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % below
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_or_doubled_when_the_daemon_is_killed() {
    play(Play::of(false)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_or_doubled_when_anything_is_killed() {
    play(Play::of(true)).await;
}

async fn play(play: Play) {
    let bed = Arc::new(Bed::new());
    let sessions = create(&bed, play.sessions).await;
    let daemon = Daemon::start(&bed).await;
    let (door, doors) = watch::channel(Door::to(&daemon));
    let (stop, stopped) = watch::channel(false);
    let mut workers = JoinSet::new();
    for (number, session) in sessions.iter().enumerate() {
        let worker = Worker::new(number, *session, doors.clone(), stopped.clone());
        workers.spawn(worker.run());
    }

    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut daemon = daemon;
    for _ in 0..play.deaths {
        tokio::time::sleep(Duration::from_millis(20 + dice.roll(400))).await;
        if play.is_wide {
            kill_some_run(&bed, &sessions, &mut dice);
        }
        tokio::time::sleep(Duration::from_millis(dice.roll(100))).await;
        daemon.kill().await;
        daemon = Daemon::start(&bed).await;
        door.send_replace(Door::to(&daemon));
    }
    stop.send_replace(true);
    let mut asked = Vec::new();
    while let Some(done) = workers.join_next().await {
        asked.push(done.unwrap());
    }
    daemon.kill().await;
    books::check(&bed, &asked, play.is_wide).await;
}

async fn create(bed: &Bed, count: usize) -> Vec<SessionId> {
    let host = Host::open(bed.options("")).await.unwrap();
    let mut sessions = Vec::new();
    for _ in 0..count {
        sessions.push(bed.session(&host).await);
    }
    host.close().await;
    sessions
}

/// Kills the holder or the CLI of a session, if it has any.
fn kill_some_run(bed: &Bed, sessions: &[SessionId], dice: &mut Dice) {
    let session = sessions[usize::try_from(dice.roll(sessions.len() as u64)).unwrap()];
    let runs = find(&bed.path("data/runs").join(session.to_string())).unwrap();
    for run in runs {
        if let Some((holder, cli)) = bed::pid_file(&run.dir) {
            kill(if dice.roll(2) == 0 { holder } else { cli });
        }
    }
}
