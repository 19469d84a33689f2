//! What can be asked of a running CLI.

use pilothouse_client::wire::permission::PermissionMode;
use pilothouse_client::{Detail, RequestError};
use serde_json::json;

use crate::bed::{Bed, Told};

on_every_version!(model_and_thinking, modes, reports);

async fn model_and_thinking(bed: &Bed) {
    let mut session = bed.start(bed.options(bed.invocation().model("sonnet"))).await;
    let mut out = Vec::new();
    session.say("say One.").await;
    session.answer("One.").await;
    let r = bed.model.requests().pop().unwrap();
    out.push(format!("{} {} {}", r.model(), r.body["thinking"], r.body["output_config"]));
    out.push(format!("{:?}", session.client.set_model(Some("opus")).await));
    session.say("say Two.").await;
    session.answer("Two.").await;
    let r = bed.model.requests().pop().unwrap();
    out.push(format!("{} {} {}", r.model(), r.body["thinking"], r.body["output_config"]));
    out.push(format!("{:?}", session.client.set_model(None).await));
    out.push(format!("{:?}", session.client.set_max_thinking_tokens(Some(0)).await));
    session.say("say Three.").await;
    session.answer("Three.").await;
    let r = bed.model.requests().pop().unwrap();
    out.push(format!("{} {} {}", r.model(), r.body["thinking"], r.body["output_config"]));
    out.push(format!("{:?}", session.client.set_max_thinking_tokens(Some(4321)).await));
    session.say("say Three.").await;
    session.answer("Three.").await;
    let r = bed.model.requests().pop().unwrap();
    out.push(format!("{} {} {}", r.model(), r.body["thinking"], r.body["output_config"]));
    out.push(format!("{:?}", session.client.set_max_thinking_tokens(None).await));
    out.push(format!("{:?}", session.client.set_effort(Some("low")).await));
    session.say("say Three.").await;
    session.answer("Three.").await;
    let r = bed.model.requests().pop().unwrap();
    out.push(format!("{} {} {}", r.model(), r.body["thinking"], r.body["output_config"]));
    panic!("{out:#?}");
}

async fn modes(bed: &Bed) {
    let asked = Told::new();
    let asks = asked.clone();
    let options = bed.options(bed.invocation()).on_permission(move |ask| {
        asks.add(ask.tool_name.clone());
        async move { ask.allow() }
    });
    let mut session = bed.start(options).await;
    session.client.set_permission_mode(PermissionMode::AcceptEdits).await.unwrap();
    let note = json!({"file_path": bed.path("note.txt"), "content": "written\n"});
    session.say(&format!("tool Write {note}\n---\nsay Done.")).await;
    session.answer("Done.").await;
    assert_eq!(asked.take().len(), 0);
    assert_eq!(bed.read("note.txt").as_deref(), Some("written\n"));
    let mut out = Vec::new();
    for mode in ["bypassPermissions", "nonsense", "plan", "default", "dontAsk"] {
        out.push((mode, session.client.set_permission_mode(PermissionMode::from(mode)).await));
    }
    panic!("{out:#?}");
}

async fn reports(bed: &Bed) {
    let session = bed.start(bed.options(bed.invocation())).await;
    let mut out = Vec::new();
    out.push(format!("{:?}", session.client.context_usage(Detail::Summary).await));
    out.push(format!("{:?}", session.client.usage().await));
    out.push(format!("{:?}", session.client.rename("A title").await));
    out.push(format!("{:?}", session.client.apply_settings(json!({"model": "haiku"})).await));
    out.push(format!("{:?}", session.client.plan().await));
    out.push(format!("{:?}", session.client.mcp_status().await));
    for o in &mut out {
        o.truncate(600);
    }
    panic!("{out:#?}");
}
