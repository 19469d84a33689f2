//! Begins where the loop before has ended, however it ended.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use jiff::Timestamp;
use pilothouse_client::mark::end_marked;
use pilothouse_session::event::{Body, Exit, PromptState};
use pilothouse_session::id::{CommandId, PromptId, RunId, SessionId};
use pilothouse_session::{Command, Input, Session};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use uuid::Uuid;

use super::asking::Ask;
use super::batch::Batch;
use super::feed::{Fed, Feed, FeedError};
use super::observer::Observer;
use super::stderr::StderrTail;
use super::{Runner, RunnerError};
use crate::host::profile::Profile;
use crate::host::{House, blocking};
use crate::hub::Tail;
use crate::store::{Store, StoreError};

/// How many stored events are read at once.
const PAGE: usize = 512;

impl Runner {
    /// The loop of a session, as the store has it. Blocks.
    pub(crate) fn load(
        house: &Arc<House>,
        id: SessionId,
        tail: Arc<Tail>,
    ) -> Result<Self, RunnerError> {
        let row = house.store.session(id)?.ok_or(StoreError::UnknownSession(id))?;
        let profile: Profile = serde_json::from_value(row.settings)?;
        let setup = house.setup(&row.cwd, &profile, row.policy.as_deref());
        let stored = house.store.load(id)?;
        let (session, offset) = match stored {
            Some(stored) => {
                let session: Session = serde_json::from_str(&stored.state)?;
                (session.within(setup), stored.offset)
            }
            None => (Session::new(id, setup), 0),
        };
        let observer = Observer::new(&house.options.telemetry, &session);
        Ok(Self {
            house: Arc::clone(house),
            session,
            profile: Arc::new(profile),
            cwd: row.cwd.into(),
            tail,
            feed: None,
            offset,
            stderr: StderrTail::default(),
            lines_since_checkpoint: 0,
            replies: HashMap::new(),
            jobs: JoinSet::new(),
            postponed: None,
            observer,
            heard_at: Instant::now(),
            is_told_silent: false,
        })
    }

    /// Does what the loop before may not have done, and reads on where it has stopped.
    pub(super) async fn take_up(
        &mut self,
        asks: &mut mpsc::Receiver<Ask>,
    ) -> Result<(), RunnerError> {
        let mut batch = Batch::default();
        // As of the stored state: what the lines after it bring about comes again with them.
        let outstanding = self.session.outstanding();
        if let Some(run) = self.session.run() {
            match Feed::open(&self.run_dir(run), self.offset).await {
                Ok(feed) => self.feed = Some(feed),
                Err(error @ FeedError::Gone(_)) => {
                    self.run_is_gone(run, error.to_string(), &mut batch).await?;
                }
                Err(error) => return Err(error.into()),
            }
        }
        outstanding.into_iter().for_each(|act| self.act(act));
        self.finish(batch, asks).await?;
        self.catch_up(asks).await
    }

    /// The files of the run are gone, and with them the lines whose events are stored already.
    async fn run_is_gone(
        &mut self,
        run: RunId,
        why: String,
        batch: &mut Batch,
    ) -> Result<(), RunnerError> {
        // Whoever took them away may have left the CLI running, and two must not write to one
        // conversation.
        blocking(move || end_marked(&run.to_string())).await;
        let (store, id, seq) = (self.house.store.clone(), self.session.id(), self.session.seq());
        let (last, past) = blocking(move || past_prompts(&store, id, seq)).await?;
        self.session.number_on_from(last);
        let (now, read_at) = (Timestamp::now(), Instant::now());
        self.exited(Exit::default(), Some(why), now, read_at, batch);
        for prompt in past {
            // The machine has not heard that a turn has worked on it, and would say it again.
            let (id, command) = (CommandId(Uuid::nil()), Command::CancelPrompt { prompt });
            self.handle(Input::Command { id, command }, now, read_at, batch);
        }
        Ok(())
    }

    /// Reads the lines whose events are stored already. Nothing may come between them: these events
    /// have their numbers.
    async fn catch_up(&mut self, asks: &mut mpsc::Receiver<Ask>) -> Result<(), RunnerError> {
        let (store, id) = (self.house.store.clone(), self.session.id());
        let stored = blocking(move || store.last_seq(id)).await?;
        while self.session.seq() < stored {
            let Some(feed) = &mut self.feed else { break };
            let Fed::Record(first) = feed.next().await? else { break };
            let mut batch = Batch::default();
            self.take_in(first, Instant::now(), &mut batch);
            self.finish(batch, asks).await?;
        }
        if self.session.seq() < stored {
            tracing::warn!(session = %id, "the log of the run has lost lines whose events are stored");
            self.session.number_on_from(stored);
        }
        Ok(())
    }
}

/// The number of the last event, and the prompts that are past in those after `seq`.
fn past_prompts(
    store: &Store,
    session: SessionId,
    mut seq: u64,
) -> Result<(u64, Vec<PromptId>), StoreError> {
    let mut past = Vec::new();
    loop {
        let events = store.read_after(session, seq, PAGE)?;
        let Some(last) = events.last() else { return Ok((seq, past)) };
        seq = last.seq;
        for event in &events {
            if let Body::PromptUpdated { prompt, state } = event.read()?.body
                && !matches!(state, PromptState::Queued | PromptState::Sent)
                && !past.contains(&prompt)
            {
                past.push(prompt);
            }
        }
    }
}
