//! Events and deltas of each session as JSON lines in a file, for looking into them afterwards. What
//! the CLI itself said is in the wire log.
//!
//! A line is `{"ts":…,"session":…,"kind":…,…}`; for an event, what follows is the event. Writing is
//! done by a thread of its own: a slow disk costs lines (which are counted, here and in the file), not
//! time. Each session's file is bounded: what is older is in one file more, and then gone.

use std::collections::{BTreeSet, HashMap};
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use jiff::Timestamp;
use pilothouse_session::id::SessionId;
use pilothouse_session::{Delta, Event};
use serde::Serialize;

use super::log::Secrets;
use super::metrics::Metrics;
use super::words;

/// How many lines wait at most.
const QUEUED: usize = 4_096;
/// How many files are open at once.
const OPEN: usize = 64;

/// Where debug files are written, and how large they may become.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DebugOptions {
    /// The directory; made if it is not there, for its owner only.
    pub dir: PathBuf,
    /// Bytes of a file before it is put aside. A session takes up to twice as much.
    pub max_bytes: u64,
}

impl DebugOptions {
    /// In this directory, 32 MiB for each file.
    pub fn in_dir(dir: impl Into<PathBuf>) -> Self {
        Self { dir: dir.into(), max_bytes: 32 << 20 }
    }
}

enum Entry {
    Line(SessionId, String),
    Flush(SyncSender<()>),
    Closed(SessionId),
    Forgotten(SessionId),
}

/// The debug files. Clones are the same ones.
#[derive(Clone, Debug)]
pub struct DebugLog {
    /// None when it is closed.
    entries: Arc<RwLock<Option<SyncSender<Entry>>>>,
    metrics: Arc<Metrics>,
    dropped: Arc<AtomicU64>,
    secrets: Secrets,
}

#[derive(Serialize)]
struct EventLine<'e> {
    ts: Timestamp,
    session: SessionId,
    kind: &'static str,
    event: &'e Event,
}

#[derive(Serialize)]
struct DeltaLine<'d> {
    ts: Timestamp,
    session: SessionId,
    kind: &'static str,
    delta: &'d Delta,
}

impl DebugLog {
    pub(super) fn start(
        options: &DebugOptions,
        metrics: Arc<Metrics>,
        secrets: Secrets,
    ) -> io::Result<Self> {
        make_private(&options.dir)?;
        let (entries, inbox) = mpsc::sync_channel(QUEUED);
        let dropped = Arc::new(AtomicU64::new(0));
        let scribe = Scribe {
            options: options.clone(),
            files: HashMap::new(),
            metrics: Arc::clone(&metrics),
            dropped: Arc::clone(&dropped),
        };
        std::thread::Builder::new()
            .name("pilothouse-debug".to_owned())
            .spawn(move || scribe.write(&inbox))?;
        Ok(Self { entries: Arc::new(RwLock::new(Some(entries))), metrics, dropped, secrets })
    }

    /// Notes an event.
    pub fn event(&self, event: &Event) {
        let kind = words::event(&event.body);
        let line = EventLine { ts: event.at, session: event.session, kind, event };
        self.line(event.session, &line);
    }

    /// Notes a delta.
    pub fn delta(&self, session: SessionId, delta: &Delta, at: Timestamp) {
        let line = DeltaLine { ts: at, session, kind: words::delta(delta.kind), delta };
        self.line(session, &line);
    }

    /// Nothing more will come of this session; its file can be closed.
    pub fn closed(&self, session: SessionId) {
        self.send(Entry::Closed(session));
    }

    /// The session was deleted, and so are its files.
    pub fn forget(&self, session: SessionId) {
        self.send(Entry::Forgotten(session));
    }

    /// Waits until what was noted is written, but not for longer than this. Says whether it is.
    pub fn flush(&self, patience: Duration) -> bool {
        let (done, told) = mpsc::sync_channel(1);
        self.send(Entry::Flush(done)) && told.recv_timeout(patience).is_ok()
    }

    pub(super) fn close(&self) {
        self.entries.write().unwrap_or_else(PoisonError::into_inner).take();
    }

    fn line(&self, session: SessionId, line: &impl Serialize) {
        let Ok(mut text) = serde_json::to_string(line) else { return };
        if let std::borrow::Cow::Owned(redacted) = self.secrets.redact(&text) {
            text = redacted;
        }
        text.push('\n');
        if !self.send(Entry::Line(session, text)) {
            self.metrics.debug_lines_dropped.add(1);
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn send(&self, entry: Entry) -> bool {
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        entries.as_ref().is_some_and(|entries| entries.try_send(entry).is_ok())
    }
}

struct Scribe {
    options: DebugOptions,
    files: HashMap<SessionId, Page>,
    metrics: Arc<Metrics>,
    dropped: Arc<AtomicU64>,
}

struct Page {
    out: BufWriter<File>,
    size: u64,
}

impl Scribe {
    fn write(mut self, inbox: &Receiver<Entry>) {
        while let Ok(first) = inbox.recv() {
            let mut touched = BTreeSet::new();
            // As much as there is, then to the disk: quiet times leave nothing in buffers.
            for entry in std::iter::once(first).chain(inbox.try_iter()) {
                match entry {
                    Entry::Line(session, line) => {
                        if self.put(session, &line).is_err() {
                            self.metrics.debug_lines_dropped.add(1);
                            self.files.remove(&session);
                        }
                        touched.insert(session);
                    }
                    Entry::Closed(session) => drop(self.files.remove(&session)),
                    Entry::Forgotten(session) => {
                        drop(self.files.remove(&session));
                        let path = self.path(session);
                        let _there_may_be_none = std::fs::remove_file(older(&path));
                        let _there_may_be_none = std::fs::remove_file(path);
                    }
                    Entry::Flush(done) => {
                        self.flush(&mut touched);
                        let _nobody_waits_any_more = done.try_send(());
                    }
                }
            }
            self.flush(&mut touched);
        }
    }

    fn flush(&mut self, touched: &mut BTreeSet<SessionId>) {
        for session in std::mem::take(touched) {
            let failed = self.files.get_mut(&session).is_some_and(|page| page.out.flush().is_err());
            if failed {
                self.files.remove(&session);
            }
        }
    }

    fn put(&mut self, session: SessionId, line: &str) -> io::Result<()> {
        let lost = self.dropped.swap(0, Ordering::Relaxed);
        let max_bytes = self.options.max_bytes;
        let is_full = self.page(session)?.size.saturating_add(line.len() as u64) > max_bytes;
        if is_full && self.page(session)?.size > 0 {
            self.files.remove(&session);
            let path = self.path(session);
            std::fs::rename(&path, older(&path))?;
        }
        let page = self.page(session)?;
        if lost > 0 {
            let ts = Timestamp::now();
            let note = format!("{{\"ts\":\"{ts}\",\"kind\":\"dropped\",\"lines\":{lost}}}\n");
            page.out.write_all(note.as_bytes())?;
            page.size += note.len() as u64;
        }
        page.out.write_all(line.as_bytes())?;
        page.size += line.len() as u64;
        Ok(())
    }

    fn page(&mut self, session: SessionId) -> io::Result<&mut Page> {
        if !self.files.contains_key(&session) {
            if self.files.len() >= OPEN {
                // All are flushed after each round; whoever writes again opens its own again.
                self.files.clear();
            }
            let file = open_private(&self.path(session))?;
            let size = file.metadata()?.len();
            self.files.insert(session, Page { out: BufWriter::new(file), size });
        }
        self.files.get_mut(&session).ok_or_else(|| io::Error::other("a file has vanished"))
    }

    fn path(&self, session: SessionId) -> PathBuf {
        self.options.dir.join(format!("normalized-{session}.jsonl"))
    }
}

fn older(path: &Path) -> PathBuf {
    path.with_extension("1.jsonl")
}

fn make_private(dir: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}

fn open_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
