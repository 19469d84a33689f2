//! What the loops of all sessions share, and which of them there are.

use std::collections::HashMap;
use std::fs::{File, TryLockError};
use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use pilothouse_session::event::Status;
use pilothouse_session::id::SessionId;
use pilothouse_session::policy::Place;
use pilothouse_session::session::Setup;
use tokio::sync::{Semaphore, mpsc};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::links::real_path;
use super::policies::Policies;
use super::profile::Profile;
use super::watch::Overview;
use super::{HostError, Options};
use crate::data_dir::{self, BEACON_FILE};
use crate::hub::{Cursor, Tail};
use crate::inside;
use crate::private::Private;
use crate::runner::{Ask, Bustle, CommandError, Mailbox, Runner, RunnerError, mailbox};
use crate::secrets::{Secrets, of_environment, of_profile};
use crate::store::{SessionFilter, Store};

/// How long a loop that has failed waits before it begins again: what failed may need time.
const RESTARTS: &[Duration] =
    &[Duration::from_millis(100), Duration::from_secs(1), Duration::from_secs(10)];

/// The same, after these.
const LONG_WAIT: Duration = Duration::from_secs(30);

/// What a loop did before it had run for so long has nothing to do with what fails now.
const GOOD_TIME: Duration = Duration::from_secs(60);

/// How many read from the store at once. More would not be faster, and each costs a thread: a
/// hundred clients that come back at the same moment had a hundred of them, and kept their memory.
const MOST_READERS: usize = 16;

/// How many sessions are listed at a time.
const PAGE: usize = 500;

/// What all sessions share.
#[derive(Debug)]
pub(crate) struct House {
    pub(crate) options: Options,
    pub(crate) store: Store,
    pub(crate) overview: Overview,
    pub(crate) bustle: Bustle,
    /// The runs that this daemon holds itself.
    pub(crate) inside: inside::Runs,
    pub(super) policies: Policies,
    open: Mutex<HashMap<SessionId, Open>>,
    /// Loops, and what they leave to be done. The host closes when all of it is.
    pub(crate) tasks: TaskTracker,
    pub(crate) closing: CancellationToken,
    readers: Semaphore,
    /// One log is packed at a time: sessions need the processor more.
    pub(super) packing: Semaphore,
    /// Locked as long as this host is open.
    lock: Mutex<Option<File>>,
}

/// A session that somebody watches, or that has a loop.
#[derive(Debug)]
struct Open {
    tail: Arc<Tail>,
    mailbox: Option<Mailbox>,
    /// It is being deleted: no loop is started.
    is_shut: bool,
}

/// As long as this is there, nobody can open the session.
pub(super) struct Shut<'a> {
    house: &'a House,
    session: SessionId,
}

impl House {
    pub(super) async fn open(options: Options) -> Result<Arc<Self>, HostError> {
        let house = blocking(move || Self::open_files(options)).await?;
        house.take_up_runs().await?;
        Ok(house)
    }

    fn open_files(options: Options) -> Result<Arc<Self>, HostError> {
        let dir = options.data_dir.clone();
        data_dir::open(&dir)?;
        let lock = lock(&dir)?;
        let metrics = Arc::clone(options.telemetry.metrics());
        let policies = Policies::open(&options)?;
        let secrets = options.telemetry.secrets().clone();
        secrets.register_all(of_environment(options.env.iter().cloned()));
        secrets.register_all(of_profile(&options.defaults.profile, &|name| options.variable(name)));
        let store = crate::store::Options { metrics, secrets, ..options.store.clone() };
        let store = Store::open_with(dir.join("pilothouse.db"), store)?;
        for (status, count) in store.count()? {
            options.telemetry.metrics().session_listed(status, count);
        }
        Ok(Arc::new(Self {
            options,
            store,
            overview: Overview::default(),
            bustle: Bustle::of_this_machine(),
            inside: inside::Runs::default(),
            policies,
            open: Mutex::default(),
            tasks: TaskTracker::new(),
            closing: CancellationToken::new(),
            readers: Semaphore::new(MOST_READERS),
            packing: Semaphore::new(1),
            lock: Mutex::new(Some(lock)),
        }))
    }

    /// Opens the sessions that have a run, then looks after what others have left behind.
    async fn take_up_runs(self: &Arc<Self>) -> Result<(), HostError> {
        let house = Arc::clone(self);
        for session in blocking(move || house.sessions_with_run()).await? {
            self.mailbox(session);
        }
        let house = Arc::clone(self);
        self.tasks.spawn(async move { house.tidy_runs().await });
        self.tasks.spawn(Arc::clone(self).keep_tidy());
        Ok(())
    }

    fn sessions_with_run(&self) -> Result<Vec<SessionId>, HostError> {
        let with_run = Status::ALL.into_iter().filter(|status| status.has_run()).collect();
        let filter = SessionFilter { statuses: with_run, ..SessionFilter::default() };
        let (mut found, mut after) = (Vec::new(), None);
        loop {
            let page = self.store.sessions(&filter, after.as_deref(), PAGE)?;
            found.extend(page.items.into_iter().map(|row| row.id));
            after = page.next;
            if after.is_none() {
                return Ok(found);
            }
        }
    }

    /// What must not be shown.
    pub(crate) fn secrets(&self) -> &Secrets {
        self.options.telemetry.secrets()
    }

    /// Registers the secrets of a session's profile.
    pub(crate) fn hold_secrets(&self, session: SessionId, profile: &Profile) {
        let values = of_profile(profile, &|name| self.options.variable(name));
        self.secrets().hold(session, values);
    }

    /// The surroundings of a session.
    pub(crate) fn setup(&self, cwd: &str, profile: &Profile, policy: Option<&str>) -> Setup {
        let place = self.place(cwd, profile);
        let config_dir = self.variable("CLAUDE_CONFIG_DIR", profile).map(PathBuf::from);
        let policy = self.policies.set(policy, &place, config_dir.as_deref());
        Setup {
            // A profile was checked when the session was created.
            initialize: profile.initialize().unwrap_or_default(),
            policy: Some(Arc::new(policy)),
            place,
            see_every_call: profile.see_every_call,
            baselines: false,
            ask_before_stop: false,
            resume_attempts: self.options.resume_attempts,
        }
    }

    /// Where a session works, as policies see it. Blocks.
    pub(super) fn place(&self, cwd: &str, profile: &Profile) -> Place {
        let home = self.variable("HOME", profile).map(PathBuf::from);
        let home = home.or_else(std::env::home_dir);
        let dirs = || profile.add_dirs.iter().map(PathBuf::as_path);
        let working = std::iter::once(Path::new(cwd)).chain(dirs());
        Place {
            cwd: cwd.to_owned(),
            real_dirs: working.filter_map(real_path).collect(),
            real_home: home.as_deref().and_then(real_path),
            home: home.map(|home| home.to_string_lossy().into_owned()),
            additional_dirs: dirs().map(|dir| dir.to_string_lossy().into_owned()).collect(),
            current_dir: None,
        }
    }

    /// A variable that the runs of a session get: from its profile, from the host, or inherited.
    pub(super) fn variable(&self, wanted: &str, profile: &Profile) -> Option<String> {
        profile.env.get(wanted).cloned().or_else(|| self.options.variable(wanted))
    }

    /// Reads from the store where it holds nobody up.
    pub(crate) async fn reading<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> T {
        // It is never closed.
        let _turn = self.readers.acquire().await;
        blocking(work).await
    }

    fn registry(&self) -> MutexGuard<'_, HashMap<SessionId, Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Watches a session from now on. Under the lock of the registry: a session that nobody watches
    /// is forgotten there, and its next loop would show things to another tail.
    pub(super) fn watch(&self, session: SessionId) -> Cursor {
        let mut registry = self.registry();
        registry.entry(session).or_insert_with(Open::new).tail.watch()
    }

    /// Where the loops of all sessions are asked that have one.
    pub(super) fn all_running(&self) -> Vec<(SessionId, Mailbox)> {
        let registry = self.registry();
        let running = registry.iter().filter_map(|(id, open)| Some((*id, open.mailbox.clone()?)));
        running.collect()
    }

    /// Where the session's loop is asked, if it has one.
    pub(super) fn running(&self, session: SessionId) -> Option<Mailbox> {
        self.registry().get(&session)?.mailbox.clone()
    }

    /// Where the session's loop is asked; it is started if there is none.
    pub(super) fn mailbox(self: &Arc<Self>, session: SessionId) -> Mailbox {
        let mut registry = self.registry();
        let open = registry.entry(session).or_insert_with(Open::new);
        // Nobody reads that of a loop that has panicked.
        if let Some(mailbox) = open.mailbox.as_ref().filter(|mailbox| !mailbox.is_closed()) {
            return mailbox.clone();
        }
        let (sender, asks) = mailbox();
        if open.is_shut || self.tasks.is_closed() {
            // Nobody will hear it.
            return sender;
        }
        open.mailbox = Some(sender.clone());
        let (house, tail) = (Arc::clone(self), Arc::clone(&open.tail));
        self.tasks.spawn(house.run_loop(session, tail, asks));
        sender
    }

    /// Runs a session's loop. One that fails is begun again from the store: a few times, and for as
    /// long as the session has a run, which somebody has to listen to.
    async fn run_loop(
        self: Arc<Self>,
        session: SessionId,
        tail: Arc<Tail>,
        mut asks: mpsc::Receiver<Ask>,
    ) {
        let mut failures = 0;
        let failure = loop {
            let began = Instant::now();
            let (house, tail) = (Arc::clone(&self), Arc::clone(&tail));
            let ended = match self.reading(move || Runner::load(&house, session, tail)).await {
                Ok(runner) => runner.run(&mut asks).await,
                Err(error) => Err(error),
            };
            let error = match ended {
                Ok(()) | Err(RunnerError::Leaving) => break None,
                Err(error) => error,
            };
            tracing::error!(%session, %error, "the loop of a session has failed");
            if began.elapsed() > GOOD_TIME {
                failures = 0;
            }
            let (wait, told) = (RESTARTS.get(failures), error.told());
            if error.is_final() || (wait.is_none() && !self.is_at_work(session).await) {
                break told;
            }
            failures += 1;
            let better_times = async {
                match wait {
                    Some(wait) => tokio::time::sleep(*wait).await,
                    None => refuse_for(LONG_WAIT, &mut asks, told.as_ref()).await?,
                }
                ControlFlow::Continue(())
            };
            let waited = tokio::select! {
                waited = better_times => waited,
                () = self.closing.cancelled() => ControlFlow::Break(()),
            };
            if waited.is_break() {
                break None;
            }
        };
        asks.close();
        while let Ok(ask) = asks.try_recv() {
            if let Some(error) = &failure {
                ask.refuse(error);
            }
        }
        drop(asks);
        self.forget_loop(session);
    }

    /// Whether the session has a run, as far as one can know.
    async fn is_at_work(self: &Arc<Self>, session: SessionId) -> bool {
        let house = Arc::clone(self);
        let row = self.reading(move || house.store.session(session)).await;
        row.map_or(true, |row| row.is_some_and(|row| row.status.has_run()))
    }

    /// Whether a loop may end: nobody asks, and nobody can any more without starting another.
    pub(crate) fn may_rest(&self, session: SessionId, asks: &mpsc::Receiver<Ask>) -> bool {
        let mut registry = self.registry();
        // One sender is the registry's own; others come from there, while it is locked.
        let is_alone = asks.sender_strong_count() <= 1 && asks.is_empty();
        if is_alone && let Some(open) = registry.get_mut(&session) {
            open.mailbox = None;
        }
        is_alone
    }

    fn forget_loop(&self, session: SessionId) {
        let mut registry = self.registry();
        if let Some(open) = registry.get_mut(&session) {
            if open.mailbox.as_ref().is_some_and(Mailbox::is_closed) {
                open.mailbox = None;
            }
            if open.is_idle() {
                registry.remove(&session);
            }
        }
    }

    /// Forgets a session that has no loop and that nobody watches any more.
    pub(super) fn unwatch(&self, session: SessionId) {
        let mut registry = self.registry();
        if registry.get(&session).is_some_and(Open::is_idle) {
            registry.remove(&session);
        }
    }

    /// Tells everyone who watches a session that it is gone.
    pub(super) fn gone(&self, session: SessionId) {
        if let Some(open) = self.registry().remove(&session) {
            open.tail.close();
        }
    }

    /// Lets the session's loop come to its end, and lets none begin.
    pub(super) async fn shut(&self, session: SessionId) -> Shut<'_> {
        let mailbox = {
            let mut registry = self.registry();
            let open = registry.entry(session).or_insert_with(Open::new);
            open.is_shut = true;
            open.mailbox.clone()
        };
        let shut = Shut { house: self, session };
        if let Some(mailbox) = mailbox {
            let _ = mailbox.send(Ask::Leave).await;
            mailbox.closed().await;
        }
        shut
    }

    /// How many sessions have a loop.
    pub(super) fn loops(&self) -> usize {
        self.registry().values().filter(|open| open.mailbox.is_some()).count()
    }

    pub(super) async fn close(&self) {
        // Under the lock of the registry: from here on no loop is started.
        let mailboxes: Vec<_> = {
            let registry = self.registry();
            self.tasks.close();
            self.closing.cancel();
            registry.values().filter_map(|open| open.mailbox.clone()).collect()
        };
        // All at once: one that is behind with its mail keeps no other from being told.
        join_all(mailboxes.iter().map(|mailbox| mailbox.send(Ask::Leave))).await;
        self.tasks.wait().await;
        self.inside.close().await;
        self.lock.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

impl Open {
    fn new() -> Self {
        Self { tail: Arc::new(Tail::new()), mailbox: None, is_shut: false }
    }

    fn is_idle(&self) -> bool {
        self.mailbox.is_none() && !self.is_shut && self.tail.watchers() == 0
    }
}

impl Drop for Shut<'_> {
    fn drop(&mut self) {
        if let Some(open) = self.house.registry().get_mut(&self.session) {
            open.is_shut = false;
        }
        self.house.unwatch(self.session);
    }
}

/// Waits; not on, when the loop is to end. Who asks meanwhile is told why there is no answer, and not
/// kept waiting for better times.
async fn refuse_for(
    time: Duration,
    asks: &mut mpsc::Receiver<Ask>,
    error: Option<&CommandError>,
) -> ControlFlow<()> {
    let over = tokio::time::sleep(time);
    tokio::pin!(over);
    loop {
        let ask = tokio::select! {
            () = &mut over => return ControlFlow::Continue(()),
            ask = asks.recv() => ask,
        };
        match (ask, error) {
            (None | Some(Ask::Leave), _) => return ControlFlow::Break(()),
            (Some(ask), Some(error)) => ask.refuse(error),
            (Some(_), None) => {}
        }
    }
}

/// One daemon per directory.
fn lock(dir: &Path) -> Result<File, HostError> {
    let path = dir.join("lock");
    let mut options = File::options();
    options.write(true).create(true).truncate(false).private();
    let file = options.open(&path).map_err(HostError::file(&path))?;
    match file.try_lock() {
        Ok(()) => {
            forget_beacon(dir)?;
            Ok(file)
        }
        Err(TryLockError::WouldBlock) => Err(HostError::InUse(dir.to_owned())),
        Err(TryLockError::Error(reason)) => Err(HostError::File { path, reason }),
    }
}

/// Removes what a daemon that was killed has left: commands believe a beacon as long as somebody has
/// the lock, and anybody may listen at its address by now.
fn forget_beacon(dir: &Path) -> Result<(), HostError> {
    let path = dir.join(BEACON_FILE);
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed.map_err(HostError::file(path)),
    }
}

/// Does something that blocks where it holds nobody up.
pub(crate) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => match error.try_into_panic() {
            // The work has panicked; so does who waits for it.
            Ok(panic) => std::panic::resume_unwind(panic),
            // The runtime ends, and with it who waits.
            Err(_) => std::future::pending().await,
        },
    }
}

/// Waits for a moment; for ever if there is none.
pub(crate) async fn at(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment.into()).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;

    use super::*;

    /// Who waits for a loop that has failed again and again.
    #[tokio::test]
    async fn who_asks_meanwhile_is_refused_and_who_wants_the_end_gets_it() {
        let (mailbox, mut asks) = mailbox();
        let (reply, answer) = oneshot::channel();
        let command = pilothouse_session::Command::Stop;
        mailbox.send(Ask::Command { command, reply }).await.unwrap();
        let (reply, view) = oneshot::channel();
        mailbox.send(Ask::Look { reply }).await.unwrap();
        mailbox.send(Ask::Leave).await.unwrap();
        let error = CommandError::Broken("no luck".to_owned());
        let waited = refuse_for(Duration::from_secs(600), &mut asks, Some(&error)).await;
        assert!(waited.is_break());
        assert!(matches!(answer.await, Ok(Err(CommandError::Broken(_)))));
        assert!(view.await.is_err(), "there is nothing to be seen");
        let waited = refuse_for(Duration::ZERO, &mut asks, Some(&error)).await;
        assert!(waited.is_continue());
    }
}
