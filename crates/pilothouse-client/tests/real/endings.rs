//! How a run ends: let finish, stopped, dropped; and nothing stays behind.

use std::os::fd::OwnedFd;

use pilothouse_client::wire::Inbound;
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use tokio::io::AsyncReadExt;
use tokio::io::unix::AsyncFd;
use tokio::net::TcpListener;

use crate::bed::Bed;

on_every_version!(closed_in_mid_turn, stopped_in_mid_turn, dropped_in_mid_turn, nothing_stays);

async fn closed_in_mid_turn(bed: &Bed) {
    let mut session = bed.start(bed.options(bed.invocation())).await;
    session.say("say Let me\nhold middle\nmore  finish.").await;
    bed.model.wait_held("middle").await.unwrap();
    session.client.close().await;
    bed.model.release("middle");
    session.answer("Let me finish.").await;
    assert!(session.end().await.success());
}

async fn stopped_in_mid_turn(bed: &Bed) {
    let session = bed.start(bed.options(bed.invocation())).await;
    session.say("say Let me\nhold middle\nmore  finish.").await;
    bed.model.wait_held("middle").await.unwrap();
    let started = std::time::Instant::now();
    let exit = session.client.stop().await;
    panic!("{exit:?} {:?}", started.elapsed());
}

async fn dropped_in_mid_turn(bed: &Bed) {
    let session = bed.start(bed.options(bed.invocation())).await;
    session.say("say Let me\nhold middle\nmore  finish.").await;
    bed.model.wait_held("middle").await.unwrap();
    let process = watch(session.client.pid().unwrap());
    let started = std::time::Instant::now();
    drop(session);
    ended(process).await;
    panic!("{:?}", started.elapsed());
}

async fn nothing_stays(bed: &Bed) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut session = bed.start(bed.options(bed.invocation().allowed_tools(["Bash"]))).await;
    let command = format!("echo $$ > /dev/tcp/127.0.0.1/{port}; exec tail -f /dev/null");
    let input = serde_json::json!({"command": command, "run_in_background": true});
    session.say(&format!("tool Bash {input}\n---\nsay It runs.")).await;
    let (mut connection, _) = listener.accept().await.unwrap();
    let mut pid = String::new();
    connection.read_to_string(&mut pid).await.unwrap();
    let process = watch(pid.trim().parse().unwrap());
    session.answer("It runs.").await;
    let exit = session.client.stop().await;
    ended(process).await;
    panic!("{exit:?}");
}

/// A process, by a handle that cannot come to mean another.
fn watch(pid: u32) -> AsyncFd<OwnedFd> {
    let pid = Pid::from_raw(pid.try_into().unwrap()).unwrap();
    AsyncFd::register(pidfd_open(pid, PidfdFlags::empty()).unwrap()).unwrap()
}

async fn ended(process: AsyncFd<OwnedFd>) {
    process.readable().await.unwrap().retain_ready();
}
