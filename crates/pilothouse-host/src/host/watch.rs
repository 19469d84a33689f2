//! Watching: one session from a number on, or the list of all.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use pilothouse_session::Delta;
use pilothouse_session::event::OpenItem;
use pilothouse_session::id::SessionId;
use tokio::sync::broadcast;

use super::house::House;
use super::{Host, HostError};
use crate::hub::{Cursor, What};
use crate::store::{StoreError, StoredEvent};

/// How many stored events are read at once.
const PAGE: usize = 512;

/// How much is taken from a tail at once.
const MOST: usize = 512;

/// How much room a watcher keeps.
const FEW: usize = 16;

/// How many changes of the list a watcher may be behind.
const CHANGES: usize = 1024;

/// What a watcher of a session is given.
#[derive(Clone, Debug)]
pub enum Update {
    /// An event, as it is stored.
    Event(StoredEvent),
    /// A piece of an open item.
    Delta(Arc<Delta>),
    /// All that was stored before has been given; these items are half-written. What follows is
    /// live.
    Live {
        /// The number of the last event that was stored.
        seq: u64,
        /// The half-written items.
        open_items: Vec<OpenItem>,
    },
    /// The watcher was too slow: pieces are missing. What is missing of the events follows, then
    /// `Live` again.
    Lagged,
}

/// A session that is being watched.
#[derive(Debug)]
pub struct Subscription {
    host: Host,
    session: SessionId,
    cursor: Cursor,
    /// The last event that was given.
    seq: u64,
    state: State,
    ready: VecDeque<(Instant, Update)>,
}

#[derive(Debug)]
enum State {
    /// Find out where the stored ends and the live begins.
    Beginning,
    /// Read what is stored, up to here.
    CatchingUp {
        to: u64,
        open_items: Vec<OpenItem>,
    },
    Live,
}

impl Host {
    /// Watches a session: first everything after the event number `after`, then what happens.
    pub async fn watch(&self, session: SessionId, after: u64) -> Result<Subscription, HostError> {
        self.session(session).await?;
        let cursor = self.0.watch(session);
        Ok(Subscription {
            host: self.clone(),
            session,
            cursor,
            seq: after,
            state: State::Beginning,
            ready: VecDeque::new(),
        })
    }

    /// Watches the list of sessions.
    pub fn changes(&self) -> Changes {
        Changes(self.0.overview.0.subscribe())
    }
}

impl Subscription {
    /// The session.
    pub fn session(&self) -> SessionId {
        self.session
    }

    /// The number of the last event that was given.
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// Waits for what comes next, with when the host was told of it. Nothing is lost when the waiting
    /// is given up.
    pub async fn next(&mut self) -> Result<(Instant, Update), HostError> {
        loop {
            if let Some(update) = self.ready() {
                return Ok(update);
            }
            match &self.state {
                State::Beginning => self.begin().await?,
                State::CatchingUp { to, .. } => {
                    let to = *to;
                    self.catch_up(to).await?;
                }
                State::Live if self.cursor.wait().await => self.take(),
                State::Live => return Err(StoreError::UnknownSession(self.session).into()),
            }
        }
    }

    /// What comes next, if it is there already.
    pub fn ready(&mut self) -> Option<(Instant, Update)> {
        if self.ready.is_empty() && matches!(self.state, State::Live) {
            self.take();
        }
        let (read_at, update) = self.ready.pop_front()?;
        // There may be many who watch: what a burst has taken is given back.
        if self.ready.is_empty() {
            self.ready.shrink_to(FEW);
        }
        if let Update::Event(event) = &update {
            self.seq = event.seq;
        }
        Some((read_at, update))
    }

    /// Waits until there is more than pieces of open items. Returns at once while what is stored is
    /// still being read.
    pub async fn event_comes(&mut self) {
        if matches!(self.state, State::Live) && self.ready.is_empty() {
            self.cursor.wait_for_event().await;
        }
    }

    async fn begin(&mut self) -> Result<(), HostError> {
        let view = self.host.look(self.session).await;
        self.state = match view {
            Some(view) => {
                self.cursor.move_to(view.position);
                State::CatchingUp { to: view.seq, open_items: view.open_items }
            }
            // Without a loop nothing is being written.
            None => {
                let id = self.session;
                // What was missed in the tail is in the store.
                self.cursor.move_to_end();
                // It may have been deleted since it was last looked at.
                self.host.session(id).await?;
                let to = self.host.read(move |store| store.last_seq(id)).await?;
                State::CatchingUp { to, open_items: Vec::new() }
            }
        };
        Ok(())
    }

    async fn catch_up(&mut self, to: u64) -> Result<(), HostError> {
        let (store, session, seq) = (self.host.0.store.clone(), self.session, self.seq);
        let mut events = match seq < to {
            true => {
                let read = move || store.read_after(session, seq, PAGE);
                self.host.0.reading(read).await?
            }
            false => Vec::new(),
        };
        // What was stored since comes with the rest, in its order: after the pieces that it ends.
        events.retain(|event| event.seq <= to);
        let now = Instant::now();
        if events.is_empty() {
            let state = std::mem::replace(&mut self.state, State::Live);
            if let State::CatchingUp { to, open_items } = state {
                self.ready.push_back((now, Update::Live { seq: to, open_items }));
            }
        }
        self.ready.extend(events.into_iter().map(|event| (now, Update::Event(event))));
        Ok(())
    }

    fn take(&mut self) {
        let Ok(shown) = self.cursor.take(MOST) else {
            self.state = State::Beginning;
            self.ready.push_back((Instant::now(), Update::Lagged));
            return;
        };
        let seq = self.seq;
        self.ready.extend(shown.into_iter().filter_map(|shown| match shown.what {
            // Read from the store before it was shown.
            What::Event(event) if event.seq <= seq => None,
            What::Event(event) => Some((shown.read_at, Update::Event(event))),
            What::Delta(delta) => Some((shown.read_at, Update::Delta(delta))),
        }));
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        // The cursor itself goes only after this: looked at later.
        let (house, session) = (Arc::downgrade(&self.host.0), self.session);
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                if let Some(house) = house.upgrade() {
                    House::unwatch(&house, session);
                }
            });
        }
    }
}

/// Tells which sessions have changed in the list.
#[derive(Debug)]
pub(crate) struct Overview(broadcast::Sender<SessionId>);

impl Default for Overview {
    fn default() -> Self {
        Self(broadcast::Sender::new(CHANGES))
    }
}

impl Overview {
    /// Something about the session is another thing now, or it is gone.
    pub(crate) fn changed(&self, session: SessionId) {
        // Nobody may be listening.
        let _ = self.0.send(session);
    }
}

/// Watches the list of sessions.
#[derive(Debug)]
pub struct Changes(broadcast::Receiver<SessionId>);

/// What has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// This session.
    Session(SessionId),
    /// More than the watcher could follow: read the list again.
    Everything,
}

impl Changes {
    /// Waits for a change. Nothing is lost when the waiting is given up.
    pub async fn next(&mut self) -> Change {
        match self.0.recv().await {
            Ok(session) => Change::Session(session),
            Err(broadcast::error::RecvError::Lagged(_)) => Change::Everything,
            // The host is gone: nothing changes any more.
            Err(broadcast::error::RecvError::Closed) => std::future::pending().await,
        }
    }
}
