//! Work in the background: told of, stopped, sent there.

use pilothouse_client::wire::Inbound;
use pilothouse_client::wire::message::System;
use tokio::net::TcpListener;

use crate::bed::Bed;

on_every_version!(stopped, sent_to_the_background);

async fn stopped(bed: &Bed) {
    let mut session = bed.start(bed.options(bed.invocation().allowed_tools(["Bash"]))).await;
    session.say("tool Bash {\"command\":\"tail -f /dev/null\",\"run_in_background\":true}\n---\nsay It runs.").await;
    session.answer("It runs.").await;
    let task = session.system().find_map(|message| match message {
        System::TaskStarted(task) => Some(task.task_id.clone()),
        _ => None,
    });
    let results = bed.model.requests().pop().unwrap().tool_results();
    let r = session.client.stop_task(task.as_deref().unwrap_or("none")).await;
    let bad = session.client.stop_task("none").await;
    panic!("{task:?} {results:?} {r:?} {bad:?}");
}

async fn sent_to_the_background(bed: &Bed) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut session = bed.start(bed.options(bed.invocation().allowed_tools(["Bash"]))).await;
    session.say(&format!("tool Bash {{\"command\":\"echo > /dev/tcp/127.0.0.1/{port}; tail -f /dev/null\"}}\n---\nsay It runs.")).await;
    listener.accept().await.unwrap();
    let r = session.client.background(None).await;
    if r.is_ok() {
        session.answer("It runs.").await;
    }
    let results = bed.model.requests().pop().unwrap().tool_results();
    let r2 = session.client.background(None).await;
    panic!("{results:?} {r:?} {r2:?}");
}
