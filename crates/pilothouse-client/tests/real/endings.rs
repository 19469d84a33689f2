//! How a run ends: let finish, stopped, dropped; and nothing stays behind.

use serde_json::json;
use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;

use crate::bed::Bed;

on_every_version!(closed_in_mid_turn, stopped_in_mid_turn, dropped_in_mid_turn, nothing_stays);

async fn closed_in_mid_turn(bed: &Bed) {
    let mut session = bed.start(bed.options(bed.invocation())).await;
    session.say("say Let me\nhold middle\nmore  finish.").await;
    bed.model.wait_held("middle").await.unwrap();
    session.client.close().await;
    bed.model.release("middle");
    session.answer("Let mefinish.").await;
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
    let started = std::time::Instant::now();
    drop(session);
    bed.model.wait_abandoned("middle").await.unwrap();
    panic!("{:?}", started.elapsed());
}

async fn nothing_stays(bed: &Bed) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut session = bed.start(bed.options(bed.invocation().allowed_tools(["Bash"]))).await;
    // It holds the connection for as long as it lives.
    let command = format!("exec 3<>/dev/tcp/127.0.0.1/{port}; exec tail -f /dev/null");
    let input = json!({"command": command, "run_in_background": true});
    session.say(&format!("tool Bash {input}\n---\nsay It runs.")).await;
    let (mut connection, _) = listener.accept().await.unwrap();
    session.answer("It runs.").await;
    let started = std::time::Instant::now();
    let exit = session.client.stop().await;
    let e1 = started.elapsed();
    connection.read_to_end(&mut Vec::new()).await.unwrap();
    panic!("{exit:?} {e1:?} {:?}", started.elapsed());
}
