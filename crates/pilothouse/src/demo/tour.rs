//! The sessions that are there from the start. Some come to an end, some wait for an answer.

use pilothouse_host::host::{Host, HostError, NewSession, PromptRequest};
use pilothouse_session::command::Urgency;

use super::place::{POLICY, Place};

/// A session of the tour: its title, what is said to it, and what is tagged with.
const STOPS: &[(&str, &str, &str)] = &[
    ("Survey with two helpers", "Use helpers to survey this project.", "subagents"),
    ("Which harbours?", "Ask me something before you begin.", "questions"),
    ("The moon, too", "Make a plan for printing the moon's phase.", "plan"),
    ("The tests fail", "The tests fail. Find out why, and fix it.", "permissions"),
    ("Welcome aboard", "Show me around.", "start here"),
];

/// Creates the sessions and says the first words to each.
pub(crate) async fn begin(
    host: &Host,
    place: &Place,
    mut tell: impl FnMut(usize, usize),
) -> Result<(), HostError> {
    let (policy, text) = POLICY;
    // Writing a plan down is part of planning.
    let plans = place.home().join("plans/**");
    let plans = format!(
        "{text}\n[[rule]]\ntool = \"Write\"\npath = {:?}\nthen = \"allow\"\n",
        plans.to_string_lossy()
    );
    host.put_policy(policy, &plans).await?;
    for (number, (title, prompt, tag)) in STOPS.iter().enumerate() {
        tell(number + 1, STOPS.len());
        let session = NewSession {
            cwd: place.project().to_string_lossy().into_owned(),
            title: Some((*title).to_owned()),
            tags: vec![(*tag).to_owned()],
            policy: Some(policy.to_owned()),
            ..NewSession::default()
        };
        let row = host.create(session).await?;
        let content = (*prompt).into();
        let (files, urgency) = (Vec::new(), Urgency::Next);
        let request = PromptRequest { key: None, prompt: None, content, files, urgency };
        host.prompt(row.id, request).await?;
    }
    Ok(())
}
