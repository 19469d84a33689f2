//! Begins where the loop before has ended, however it ended.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use jiff::Timestamp;
use pilothouse_session::Session;
use pilothouse_session::event::Exit;
use pilothouse_session::id::SessionId;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::asking::Ask;
use super::batch::Batch;
use super::feed::{Fed, Feed, FeedError};
use super::observer::Observer;
use super::stderr::StderrTail;
use super::{Runner, RunnerError};
use crate::host::profile::Profile;
use crate::host::{House, blocking};
use crate::hub::Tail;
use crate::store::StoreError;

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
                    let why = Some(error.to_string());
                    let now = (Timestamp::now(), Instant::now());
                    self.exited(Exit::default(), why, now.0, now.1, &mut batch);
                }
                Err(error) => return Err(error.into()),
            }
        }
        outstanding.into_iter().for_each(|act| self.act(act));
        self.finish(batch, asks).await?;
        self.catch_up(asks).await
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
