//! Work that goes on beside the conversation: subagents, and commands in the background.

use pilothouse_client::wire::Inbound;
use pilothouse_client::wire::control::initialize::AgentDefinition;
use pilothouse_client::wire::message::System;
use serde_json::json;

use crate::bed::Bed;
use crate::expected::Support;
use crate::lasting::Lasting;

on_every_version!(subagent, stopped, sent_to_the_background);

async fn subagent(bed: &Bed) {
    let counter = AgentDefinition {
        description: "Counts things".to_owned(),
        prompt: "You are a counter and nothing else.".to_owned(),
        ..AgentDefinition::default()
    };
    let mut session = bed.start(bed.options(bed.invocation()).agent("counter", counter)).await;
    let input = json!({
        "description": "count",
        "prompt": "#script\ntool Bash {\"command\":\"echo counting\"}\n---\nsay Seven.\n#end",
        "subagent_type": "counter",
        "run_in_background": false,
    });
    session.say(&format!("tool Agent {input}\n---\nsay All counted.")).await;
    session.answer("All counted.").await;
    let outcomes = bed.last_asked().tool_results();
    assert!(outcomes[0].text.contains("Seven."), "{outcomes:?}");
    let call = &outcomes[0].tool_use_id;
    let inside = session.seen.iter().filter(|message| match message {
        Inbound::Assistant(frame) => frame.parent_tool_use_id.as_deref() == Some(call),
        _ => false,
    });
    assert!(inside.count() > 0, "what the subagent does is told");
    let prompted = |text| bed.asked().iter().any(|request| request.contains(text));
    assert!(prompted("You are a counter and nothing else."));
    assert!(session.end().await.success());
}

async fn stopped(bed: &Bed) {
    let lasting = Lasting::new().await;
    let mut session = bed.start(bed.options(bed.invocation().allowed_tools(["Bash"]))).await;
    let input = json!({"command": lasting.command(), "run_in_background": true});
    session.say(&format!("tool Bash {input}\n---\nsay It runs.")).await;
    let running = lasting.started().await;
    session.answer("It runs.").await;
    let task = session.system().find_map(|message| match message {
        System::TaskStarted(task) => Some(task.task_id.clone()),
        _ => None,
    });
    let support = bed.expected.stop_task;
    assert_eq!(task.is_some(), support == Support::Answered, "tasks are told of");
    let task = task.unwrap_or_default();
    session.request(support, session.client.stop_task(&task)).await;
    if support == Support::Answered {
        running.ended().await;
    }
    if bed.expected.stopped_task_announced {
        session
            .until("task_notification", |message| match message {
                Inbound::System(System::TaskNotification(end)) if end.task_id == task => Some(()),
                _ => None,
            })
            .await;
    }
    session.client.stop().await;
}

async fn sent_to_the_background(bed: &Bed) {
    let lasting = Lasting::new().await;
    let mut session = bed.start(bed.options(bed.invocation().allowed_tools(["Bash"]))).await;
    let input = json!({"command": lasting.command()});
    session.say(&format!("tool Bash {input}\n---\nsay It runs.")).await;
    let running = lasting.started().await;
    let support = bed.expected.background;
    if support != Support::Answered {
        session.request(support, session.client.background("some-call")).await;
        session.client.stop().await;
        running.ended().await;
        return;
    }
    // A command becomes a task when it takes longer; before that there is nothing to send away.
    let call = session
        .until("task_started", |message| match message {
            Inbound::System(System::TaskStarted(task)) => task.tool_use_id.clone(),
            _ => None,
        })
        .await;
    assert!(session.client.background(&call).await.unwrap());
    session.answer("It runs.").await;
    assert!(!session.client.background("no-such-call").await.unwrap());
    session.client.stop().await;
    running.ended().await;
}
