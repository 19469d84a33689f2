//! A conversation of a scenario: remembers every message, and knows what every message must fulfil.

use std::fmt::Debug;

use pilothouse_client::wire::message::{ResultFrame, System};
use pilothouse_client::wire::{Block, Frame, Inbound};
use pilothouse_client::{Client, Exit, Messages, Prompt, RequestError, Turn, TurnError};

use crate::bed::Bed;
use crate::expected::Support;

/// A running CLI and what it has said so far.
pub(crate) struct Session<'a> {
    pub(crate) client: Client,
    messages: Messages,
    bed: &'a Bed,
    /// Every message that was read.
    pub(crate) seen: Vec<Inbound>,
}

impl<'a> Session<'a> {
    pub(crate) fn new(bed: &'a Bed, client: Client, messages: Messages) -> Self {
        Self { client, messages, bed, seen: Vec::new() }
    }

    /// Sends a prompt with a script for the model.
    pub(crate) async fn say(&self, script: &str) -> String {
        self.prompt(format!("#script\n{script}\n#end")).await
    }

    /// Sends a prompt.
    pub(crate) async fn prompt(&self, prompt: impl Into<Prompt>) -> String {
        self.client.prompt(prompt).await.unwrap()
    }

    /// The next message; `None` at the end.
    pub(crate) async fn next(&mut self) -> Option<&Inbound> {
        let Frame { raw, message } = self.messages.next().await?;
        let text = String::from_utf8_lossy(&raw);
        self.bed.log.note(text.clone());
        assert!(message.is_known(), "a message nobody knows: {text}");
        self.seen.push(message);
        self.seen.last()
    }

    /// Reads until `found` finds what it looks for.
    pub(crate) async fn until<T>(
        &mut self,
        what: &str,
        mut found: impl FnMut(&Inbound) -> Option<T>,
    ) -> T {
        loop {
            match self.next().await {
                Some(message) => {
                    if let Some(value) = found(message) {
                        return value;
                    }
                }
                None => {
                    let exit = self.client.wait().await;
                    panic!("no {what}, but {exit}");
                }
            }
        }
    }

    /// Reads to the end of the turn.
    pub(crate) async fn result(&mut self) -> ResultFrame {
        self.until("result", |message| match message {
            Inbound::Result(result) => Some((**result).clone()),
            _ => None,
        })
        .await
    }

    /// Reads to the end of the turn, which must be the text `expected`.
    pub(crate) async fn answer(&mut self, expected: &str) -> ResultFrame {
        let result = self.result().await;
        assert!(result.is_success(), "{result:?}");
        assert_eq!(result.text(), expected);
        result
    }

    /// Returns when the CLI has read everything that was sent: it answers in order.
    pub(crate) async fn settle(&self) {
        self.client.mcp_status().await.unwrap();
    }

    /// Makes a request and checks that it fares as `support` says; gives the answer, if any.
    pub(crate) async fn request<T: Debug>(
        &self,
        support: Support,
        request: impl Future<Output = Result<T, RequestError>>,
    ) -> Option<T> {
        match support {
            Support::Answered => Some(request.await.unwrap()),
            Support::Refused => {
                let error = request.await.unwrap_err();
                let RequestError::Refused { message, .. } = &error else { panic!("{error:?}") };
                assert!(message.starts_with("Unsupported control request subtype"), "{message}");
                None
            }
            Support::Ignored => tokio::select! {
                biased;
                answer = request => panic!("{answer:?}"),
                // What came later has been answered: there will be no answer.
                () = self.settle() => None,
            },
        }
    }

    /// Reads to the end of the turn the way a program does that only wants the answer.
    pub(crate) async fn turn(&mut self) -> Result<Turn, TurnError> {
        self.messages.turn().await
    }

    /// Closes stdin, reads to the end and waits for the exit.
    pub(crate) async fn end(mut self) -> Exit {
        self.client.close().await;
        while self.next().await.is_some() {}
        self.client.wait().await
    }

    /// All blocks of the main thread's assistant messages.
    pub(crate) fn blocks(&self) -> Vec<Block> {
        let assistant = self.seen.iter().filter_map(|message| match message {
            Inbound::Assistant(frame) if frame.parent_tool_use_id.get().is_none() => Some(frame),
            _ => None,
        });
        assistant.flat_map(|frame| frame.message.content.clone()).collect()
    }

    /// All system messages.
    pub(crate) fn system(&self) -> impl Iterator<Item = &System> {
        self.seen.iter().filter_map(|message| match message {
            Inbound::System(system) => Some(system),
            _ => None,
        })
    }
}
