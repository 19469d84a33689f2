//! Begins where the loop before has ended, however it ended.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use jiff::Timestamp;
use pilothouse_session::id::{RunId, SessionId};
use pilothouse_session::{Event, Input, Session};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::asking::Ask;
use super::batch::Batch;
use super::feed::{Fed, FeedError};
use super::observer::Observer;
use super::silence::Silence;
use super::stderr::StderrTail;
use super::trust::TrustCheck;
use super::{Bustle, Runner, RunnerError, end_without_holder};
use crate::host::House;
use crate::host::profile::Profile;
use crate::hub::Tail;
use crate::secrets::{Pieces, kept};
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
        house.hold_secrets(id, &profile);
        house
            .secrets()
            .hold(id, kept::read(&house.session_runs(id)).map_err(RunnerError::Secrets)?);
        let setup = house.setup(&row.cwd, &profile, row.policy.as_deref());
        let stored = house.store.load(id)?;
        let (session, offset) = match stored {
            Some(stored) => {
                let session: Session = serde_json::from_str(&stored.state)?;
                (session.within(setup), stored.offset)
            }
            None => (Session::new(id, setup), 0),
        };
        let pieces = Pieces::of(&session.open_items(), house.secrets());
        let observer = Observer::new(&house.options.telemetry, &session, row.status);
        Ok(Self {
            house: Arc::clone(house),
            session,
            profile: Arc::new(profile),
            cwd: row.cwd.into(),
            tail,
            feed: None,
            offset,
            stderr: StderrTail::default(),
            pieces,
            lines_since_checkpoint: 0,
            bustle: Bustle::of_one_session(),
            replies: HashMap::new(),
            jobs: JoinSet::new(),
            trust_check: TrustCheck::default(),
            observer,
            silence: Silence::new(Instant::now()),
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
            match self.open_feed(run).await {
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

    /// The files of the run are gone.
    async fn run_is_gone(
        &mut self,
        run: RunId,
        why: String,
        batch: &mut Batch,
    ) -> Result<(), RunnerError> {
        // Whoever took them away may have left the CLI running.
        end_without_holder(run).await;
        self.lines_are_gone(why, batch).await
    }

    /// Lines whose events are stored already cannot be read again: the run is over.
    async fn lines_are_gone(&mut self, why: String, batch: &mut Batch) -> Result<(), RunnerError> {
        let (store, id, seq) = (self.house.store.clone(), self.session.id(), self.session.seq());
        let events = self.house.reading(move || events_after(&store, id, seq)).await?;
        self.offset = 0;
        self.handle(Input::Lost { events, why }, Timestamp::now(), Instant::now(), batch);
        Ok(())
    }

    /// Reads the lines whose events are stored already. Nothing may come between them: these events
    /// have their numbers.
    async fn catch_up(&mut self, asks: &mut mpsc::Receiver<Ask>) -> Result<(), RunnerError> {
        let (store, id) = (self.house.store.clone(), self.session.id());
        let stored = self.house.reading(move || store.last_seq(id)).await?;
        while self.session.seq() < stored {
            let mut batch = Batch::default();
            match (&mut self.feed, self.session.run()) {
                (Some(feed), Some(run)) => match feed.next().await? {
                    Fed::Record(first) => self.take_in(first, Instant::now(), &mut batch).await,
                    Fed::Over if feed.is_live() => {
                        // Whatever has become of who held it: the log has the rest.
                        self.feed = Some(self.open_feed(run).await?);
                    }
                    Fed::Over => {
                        end_without_holder(run).await;
                        let why = self.note_death(run, Instant::now(), &mut batch);
                        self.put_away(run);
                        let why = format!("{why}, and the log of the run has lost its end");
                        self.lines_are_gone(why, &mut batch).await?;
                    }
                },
                _ => {
                    let why = "events are stored that no run has made".to_owned();
                    self.lines_are_gone(why, &mut batch).await?;
                }
            }
            self.finish(batch, asks).await?;
        }
        Ok(())
    }
}

/// All events of a session after `seq`.
fn events_after(store: &Store, session: SessionId, mut seq: u64) -> Result<Vec<Event>, StoreError> {
    let mut all = Vec::new();
    loop {
        let events = store.read_after(session, seq, PAGE)?;
        let Some(last) = events.last() else { return Ok(all) };
        seq = last.seq;
        for event in &events {
            all.push(event.read()?);
        }
    }
}
