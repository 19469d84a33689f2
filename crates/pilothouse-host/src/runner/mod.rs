//! One loop per session: records and commands in, effects carried out.
//!
//! The loop joins the machine ([`Session`]), the holder of its run and the store. Of every few
//! inputs it first stores the events, with the machine's state where the machine wants that, then
//! shows them, and then does what follows from them. It may wait for the store: what the CLI writes
//! meanwhile is in the run's log. It never waits for a person, nor for one who watches.
//!
//! A loop can be started from the store at any moment, whatever had become of the one before
//! (`recovery`); a session with neither a run nor anything to do has none.

mod asking;
mod batch;
mod bustle;
mod feed;
#[cfg(unix)]
mod held;
mod launching;
mod observer;
mod recovery;
mod silence;
mod stderr;
mod trust;
mod work;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use pilothouse_client::mark::end_marked;
use pilothouse_session::effect::Launch;
use pilothouse_session::event::{Exit, Status};
use pilothouse_session::id::{CommandId, RunId};
use pilothouse_session::{Effect, Input, Session};
use pilothouse_wire::Frame;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::holder::is_of_this_boot;
use crate::holder::protocol::Command as ToHolder;
use crate::host::profile::Profile;
use crate::host::{House, at, blocking, links};
use crate::hub::Tail;
use crate::secrets::Pieces;
use crate::store::{Checkpoint, StoreError};
use crate::wirelog::{Located, Record};

pub(crate) use asking::{Ask, CommandError, Mailbox, View, mailbox};
pub(crate) use bustle::Bustle;

use asking::Reply;
use batch::Batch;
use feed::{Fed, Feed, FeedError};
use observer::Observer;
use silence::Silence;
use stderr::StderrTail;
use work::Done;

/// How many records are taken in at once, if they are there.
const MOST_RECORDS: usize = 256;

/// After so many lines the state is stored even if nothing else asks for it, so that there are never
/// more to be read again.
const LINES_PER_CHECKPOINT: u64 = 2000;

/// How long a session without a run keeps its loop. Longer than a person takes between two clicks.
const REST: Duration = Duration::from_secs(20);

/// While the store fails, writing is tried again after this time, then after twice as long, up to
/// the longest.
const SHORTEST_WAIT: Duration = Duration::from_millis(50);
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// The loop of one session.
pub(crate) struct Runner {
    house: Arc<House>,
    session: Session,
    profile: Arc<Profile>,
    cwd: Arc<str>,
    tail: Arc<Tail>,
    feed: Option<Feed>,
    /// Where the next record begins in the run's log.
    offset: u64,
    stderr: StderrTail,
    /// The items that are being written, as they are shown.
    pieces: Pieces,
    lines_since_checkpoint: u64,
    bustle: Bustle,
    replies: HashMap<CommandId, Reply>,
    jobs: JoinSet<Done>,
    trust_check: trust::TrustCheck,
    observer: Observer,
    silence: Silence,
}

/// Why a loop cannot go on. The session can be opened again.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RunnerError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Feed(#[from] FeedError),
    #[error("the state of the session cannot be read: {0}")]
    State(#[from] serde_json::Error),
    #[error("the file of the session's secrets cannot be read: {0}")]
    Secrets(std::io::Error),
    /// What could not be stored was not acknowledged to anybody, and lines are in the run's log.
    #[error("the host closes while the store cannot be written")]
    Leaving,
}

impl RunnerError {
    /// Beginning again would not help.
    pub(crate) fn is_final(&self) -> bool {
        matches!(
            self,
            Self::State(_)
                | Self::Store(StoreError::UnknownSession(_) | StoreError::Unconfirmed(_))
        )
    }

    /// What those are told who still wait for an answer; nothing where the session is only closed.
    pub(crate) fn told(&self) -> Option<CommandError> {
        match self {
            Self::Leaving => None,
            Self::Store(error) => Some(error.clone().into()),
            Self::Feed(_) | Self::State(_) | Self::Secrets(_) => {
                Some(CommandError::Broken(self.to_string()))
            }
        }
    }
}

/// What a loop has waited for.
enum Step {
    Ask(Ask),
    Fed(Fed),
    Done(Done),
    /// The CLI works and has said nothing for a while.
    Silent,
    /// Nobody has asked for a while, and there is nothing to do.
    Rest,
}

impl Runner {
    /// Runs until there is nothing to do, or the host closes.
    pub(crate) async fn run(mut self, asks: &mut mpsc::Receiver<Ask>) -> Result<(), RunnerError> {
        let house = Arc::clone(&self.house);
        tokio::select! {
            taken_up = self.take_up(asks) => taken_up?,
            // A holder that does not answer holds up its own session, not the host.
            () = house.closing.cancelled() => {
                self.leave().await;
                return Err(RunnerError::Leaving);
            }
        }
        loop {
            let step = self.wait(asks).await?;
            let read_at = Instant::now();
            let mut batch = Batch::default();
            match step {
                Step::Ask(Ask::Leave) => break,
                Step::Ask(ask) => self.hear(ask, read_at, &mut batch).await,
                Step::Fed(Fed::Record(first)) => self.take_in(first, read_at, &mut batch).await,
                Step::Fed(Fed::Over) => self.feed_is_over(read_at, &mut batch).await?,
                Step::Done(done) => self.job_done(done, read_at, &mut batch).await?,
                Step::Silent => self.is_silent(read_at, &mut batch),
                Step::Rest if self.house.may_rest(self.session.id(), asks) => break,
                // Somebody was faster.
                Step::Rest => {}
            }
            self.finish(batch, asks).await?;
        }
        self.leave().await;
        Ok(())
    }

    async fn wait(&mut self, asks: &mut mpsc::Receiver<Ask>) -> Result<Step, RunnerError> {
        let is_resting = self.session.run().is_none() && self.jobs.is_empty();
        let rest = tokio::time::sleep(REST);
        let stall = self.stalls_at();
        let fed = async {
            match &mut self.feed {
                Some(feed) => feed.next().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            ask = asks.recv() => Ok(ask.map_or(Step::Rest, Step::Ask)),
            Some(done) = self.jobs.join_next() => Ok(Step::Done(done.unwrap_or(Done::Nothing))),
            fed = fed => Ok(Step::Fed(fed?)),
            () = at(stall) => Ok(Step::Silent),
            () = rest, if is_resting => Ok(Step::Rest),
        }
    }

    /// Hands an input to the machine.
    fn handle(&mut self, input: Input, now: Timestamp, read_at: Instant, batch: &mut Batch) {
        let effects = self.session.handle(input, now);
        self.take_effects(effects, now, read_at, batch);
    }

    /// Hands an input to the machine, with the links resolved in the paths that its policy looks at.
    /// Only a line that asks, or a prompt that mentions files, has any.
    async fn handle_resolved(
        &mut self,
        input: Input,
        now: Timestamp,
        read_at: Instant,
        batch: &mut Batch,
    ) {
        let real = links::resolve(self.session.paths_named(&input)).await;
        let effects = self.session.handle_resolved(input, real, now);
        self.take_effects(effects, now, read_at, batch);
    }

    /// Adds effects to a batch, with secrets redacted in deltas.
    fn take_effects(
        &mut self,
        effects: Vec<Effect>,
        now: Timestamp,
        read_at: Instant,
        batch: &mut Batch,
    ) {
        let effects = effects.into_iter().filter_map(|effect| {
            let Effect::Stream(delta) = effect else { return Some(effect) };
            let delta = self.pieces.delta(delta, self.house.secrets())?;
            self.observer.delta(&self.session, &delta, now);
            Some(Effect::Stream(delta))
        });
        batch.add(effects.collect(), read_at);
    }

    /// When to report that the CLI is silent. While a person is asked it may be.
    fn stalls_at(&self) -> Option<Instant> {
        let is_working = self.session.status() == Status::Running;
        self.house.options.stall.filter(|_| is_working).and_then(|limit| self.silence.due(limit))
    }

    fn is_silent(&mut self, read_at: Instant, batch: &mut Batch) {
        let seconds = self.silence.report(Instant::now());
        self.handle(Input::Silent { seconds }, Timestamp::now(), read_at, batch);
    }

    /// Hands in a record, and those that came with it.
    async fn take_in(&mut self, first: Located, read_at: Instant, batch: &mut Batch) {
        self.silence.end(read_at);
        let mut next = Some(first);
        let mut room = MOST_RECORDS;
        let before = self.lines_since_checkpoint;
        while let Some(located) = next {
            self.offset = located.end;
            let known = batch.events.len();
            self.record(located.record, located.offset, read_at, batch).await;
            for event in batch.events.iter_mut().skip(known) {
                event.wire = Some(located.offset);
            }
            room -= 1;
            next = match &mut self.feed {
                Some(feed) if room > 0 => feed.ready(),
                _ => None,
            };
        }
        let lines = self.lines_since_checkpoint - before;
        let gather = self.house.bustle.took(lines, read_at).max(self.bustle.took(lines, read_at));
        if let Some(feed) = &mut self.feed {
            feed.gather(gather);
        }
    }

    async fn record(&mut self, record: Record, place: u64, read_at: Instant, batch: &mut Batch) {
        let now = record.at().map_or_else(Timestamp::now, from_millis);
        match record {
            Record::Out { line, .. } => {
                self.lines_since_checkpoint += 1;
                let frame = Box::new(Frame::decode(line));
                self.observer.line_in(place, &frame, now);
                self.handle_resolved(Input::Line(frame), now, read_at, batch).await;
            }
            Record::In { number, .. } => {
                self.handle(Input::Written { number }, now, read_at, batch);
            }
            Record::Err { line, .. } => self.stderr.push(&line, self.house.secrets()),
            Record::Exited { exit, .. } => {
                let exit = Exit { code: exit.code, signal: exit.signal };
                self.exited(exit, None, now, read_at, batch);
            }
            Record::Started { .. }
            | Record::InClosed { .. }
            | Record::Note { .. }
            | Record::Unknown { .. } => {}
        }
    }

    /// Why a run has no holder any more, though nobody knows how its CLI ended.
    fn note_death(&mut self, run: RunId, read_at: Instant, batch: &mut Batch) -> &'static str {
        if is_of_this_boot(&self.run_dir(run)) {
            return "the run's holder was killed";
        }
        self.handle(Input::MachineStopped, Timestamp::now(), read_at, batch);
        "the machine has stopped"
    }

    /// The run is over; with `why` where that is not in what it wrote.
    fn exited(
        &mut self,
        exit: Exit,
        why: Option<String>,
        now: Timestamp,
        read_at: Instant,
        batch: &mut Batch,
    ) {
        let said = self.stderr.take(self.house.secrets());
        let stderr_tail = match why {
            Some(why) if said.is_empty() => why,
            Some(why) => format!("{said}\n{why}"),
            None => said,
        };
        if let Some(run) = self.session.run() {
            self.put_away(run);
        }
        self.handle(Input::Exited { exit, stderr_tail }, now, read_at, batch);
        self.offset = 0;
    }

    /// The holder has closed the connection, or its log ends.
    async fn feed_is_over(
        &mut self,
        read_at: Instant,
        batch: &mut Batch,
    ) -> Result<(), RunnerError> {
        match (self.feed.take(), self.session.run()) {
            (Some(feed), Some(run)) if feed.is_live() => {
                // Whatever has become of it: the log has the rest.
                self.feed = Some(self.open_feed(run).await?);
                batch.acts.extend(self.session.outstanding());
            }
            (Some(_), Some(run)) => {
                end_without_holder(run).await;
                let why = self.note_death(run, read_at, batch).to_owned();
                self.exited(Exit::default(), Some(why), Timestamp::now(), read_at, batch);
            }
            _ => {}
        }
        Ok(())
    }

    /// Stores, shows, acts.
    async fn finish(
        &mut self,
        mut batch: Batch,
        asks: &mut mpsc::Receiver<Ask>,
    ) -> Result<(), RunnerError> {
        let is_due = self.lines_since_checkpoint >= LINES_PER_CHECKPOINT;
        batch.has_checkpoint |= is_due;
        let stored = match batch.must_be_stored() {
            true => self.store(&batch, asks).await?,
            false => Vec::new(),
        };
        let is_news = !stored.is_empty();
        let stored_moment = is_news && batch.events.iter().any(trust::is_moment);
        let first = stored.first().map_or(u64::MAX, |first| first.seq);
        for event in &batch.events {
            match event.seq >= first {
                true => self.observer.event(event),
                false => self.observer.read_again(event),
            }
        }
        self.tail.publish(batch.take_shown(stored));
        if is_news {
            self.house.overview.changed(self.session.id());
        }
        if stored_moment {
            self.check_trust();
        }
        for act in std::mem::take(&mut batch.acts) {
            self.act(act);
        }
        Ok(())
    }

    /// Stores the events, and the state if that is wanted. While the store is full or locked this
    /// tries again, and refuses everything that is asked; the CLI's lines wait in its log.
    async fn store(
        &mut self,
        batch: &Batch,
        asks: &mut mpsc::Receiver<Ask>,
    ) -> Result<Vec<crate::store::StoredEvent>, RunnerError> {
        let checkpoint = match batch.has_checkpoint {
            true => Some(self.checkpoint()?),
            false => None,
        };
        let mut wait = SHORTEST_WAIT;
        loop {
            let id = self.session.id();
            let error = match self.house.store.append(id, &batch.events, checkpoint.clone()).await {
                Ok(appended) => {
                    if batch.has_checkpoint {
                        self.lines_since_checkpoint = 0;
                    }
                    return Ok(appended.events);
                }
                Err(error) if error.is_passing() => error,
                Err(error) => return Err(error.into()),
            };
            tracing::warn!(session = %id, %error, "events cannot be stored; trying again");
            let pause = tokio::time::sleep(wait);
            tokio::pin!(pause);
            loop {
                tokio::select! {
                    () = &mut pause => break,
                    Some(ask) = asks.recv() => match ask {
                        Ask::Leave => return Err(RunnerError::Leaving),
                        Ask::Within(setup) => self.session.surround(*setup),
                        Ask::Look { reply } => {
                            let stored = batch.events.first().map(|event| event.seq - 1);
                            let seq = stored.unwrap_or_else(|| self.session.seq());
                            let _ = reply.send(View { seq, ..self.view() });
                        }
                        ask => ask.refuse(&CommandError::Store(error.clone())),
                    },
                }
            }
            wait = (wait * 2).min(LONGEST_WAIT);
        }
    }

    fn checkpoint(&self) -> Result<Checkpoint, serde_json::Error> {
        Ok(Checkpoint {
            seq: self.session.seq(),
            run: self.session.run(),
            lines: self.session.lines(),
            offset: self.offset,
            state: serde_json::to_string(&self.session)?,
        })
    }

    /// Does what follows from what is stored.
    fn act(&mut self, act: Effect) {
        match act {
            Effect::Send { number, line } => {
                let line = line.strip_suffix(b"\n").unwrap_or(&line);
                self.observer.line_out(line);
                self.say(ToHolder::Send { number, line });
                self.silence.end(Instant::now());
            }
            Effect::Stop => {
                if let Some(run) = self.session.run() {
                    self.stop(run);
                }
            }
            Effect::Start(launch) => self.launch(launch),
            Effect::Work { request, work } => self.work(request, work),
            Effect::Look { cli_session, prompts } => self.look_up(cli_session, prompts),
            Effect::Reply { command, result } => {
                if let Some(reply) = self.replies.remove(&command) {
                    // Who asked may have gone.
                    let _ = reply.send(self.shown(result).map_err(CommandError::Refused));
                }
            }
            Effect::Append(_) | Effect::Stream(_) | Effect::Checkpoint => {}
        }
    }

    fn say(&mut self, command: ToHolder<'_>) {
        let Some(feed) = &mut self.feed else { return };
        if let Err(error) = feed.say(command) {
            tracing::error!(session = %self.session.id(), %error, "a line was not sent");
        }
    }

    /// The records of a run from where the last one was read.
    async fn open_feed(&self, run: RunId) -> Result<Feed, FeedError> {
        Feed::open(&self.house.inside, &self.run_dir(run), self.offset).await
    }

    fn run_dir(&self, run: RunId) -> PathBuf {
        self.house.run_dir(self.session.id(), run)
    }

    fn launch(&mut self, launch: Launch) {
        let (house, profile) = (Arc::clone(&self.house), Arc::clone(&self.profile));
        let (cwd, dir) = (Arc::clone(&self.cwd), self.run_dir(launch.run));
        let trace = self.observer.traceparent(launch.run);
        let session = self.session.id();
        let passed_over = self.session.passed_over().map(|run| self.run_dir(run)).collect();
        self.jobs.spawn_blocking(move || {
            let (house, profile, cwd, dir) = (&house, &profile, &cwd, &dir);
            let plan = launching::Plan { house, profile, cwd, dir, session, passed_over, trace };
            let started = launching::launch(&plan, &launch);
            Done::Launched { launch, started }
        });
    }

    /// The daemon goes; the run goes on, unless this daemon holds it.
    async fn leave(&mut self) {
        self.note_where_it_stands().await;
        self.say(ToHolder::Detach);
        if let Some(feed) = &mut self.feed {
            let _ = tokio::time::timeout(Duration::from_secs(1), feed.flush()).await;
        }
        // A run that is just being started cannot be called back: whoever looks next is to find it.
        while self.jobs.join_next().await.is_some() {}
    }

    /// So that the next daemon, which may be of another version, has no line to read again. Where
    /// that cannot be stored it reads them, as after a crash.
    async fn note_where_it_stands(&mut self) {
        if self.lines_since_checkpoint == 0 {
            return;
        }
        let id = self.session.id();
        let stored = match self.checkpoint() {
            Ok(checkpoint) => self.house.store.append(id, &[], Some(checkpoint)).await.map(drop),
            Err(error) => Err(error.into()),
        };
        if let Err(error) = stored {
            tracing::warn!(session = %id, %error, "where the session stands was not stored");
        }
    }
}

/// A CLI whose holder was killed is given some time by its guard. The next run must not begin before
/// it has ended: two would write to one conversation.
async fn end_without_holder(run: RunId) {
    blocking(move || end_marked(&run.to_string())).await;
}

fn from_millis(at: u64) -> Timestamp {
    let millis = i64::try_from(at).unwrap_or(i64::MAX);
    Timestamp::from_millisecond(millis).unwrap_or(Timestamp::UNIX_EPOCH)
}
