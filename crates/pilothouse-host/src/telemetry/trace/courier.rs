//! Takes finished spans to where they are collected, on a thread of its own.
//!
//! Handing a span in never waits: when the queue is full, or the collector is slow or gone, spans are
//! dropped and counted.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TrySendError};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use super::span::Span;
use crate::telemetry::metrics::Metrics;

/// How many spans wait at most.
const QUEUED: usize = 8_192;
/// How much memory those may take, roughly.
const QUEUED_BYTES: usize = 16 << 20;
/// How many are taken at once.
const BATCH: usize = 512;
/// For how long spans wait for company.
const DELAY: Duration = Duration::from_secs(1);

/// Where spans go. Runs on a thread of its own and may block; a time limit is its own business.
pub trait Export: Send {
    /// Hands spans over. They are gone when it fails.
    fn export(&mut self, spans: Vec<Span>) -> Result<(), String>;
}

enum Post {
    Span(Box<Span>),
    Flush(SyncSender<()>),
}

/// The way to the thread. Clones are the same way.
#[derive(Clone)]
pub(crate) struct Courier(Arc<Inner>);

struct Inner {
    /// None when it is closed.
    posts: RwLock<Option<SyncSender<Post>>>,
    waiting_bytes: Arc<AtomicUsize>,
    metrics: Arc<Metrics>,
}

impl std::fmt::Debug for Courier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Courier").finish_non_exhaustive()
    }
}

impl Courier {
    /// Starts the thread. It ends with the last clone.
    pub(crate) fn start(export: Box<dyn Export>, metrics: Arc<Metrics>) -> std::io::Result<Self> {
        let (sender, posts) = mpsc::sync_channel(QUEUED);
        let waiting_bytes = Arc::new(AtomicUsize::new(0));
        let round = Round {
            export,
            waiting_bytes: Arc::clone(&waiting_bytes),
            metrics: Arc::clone(&metrics),
            has_failed: AtomicBool::new(false),
        };
        std::thread::Builder::new()
            .name("pilothouse-spans".to_owned())
            .spawn(move || round.go(&posts))?;
        Ok(Self(Arc::new(Inner { posts: RwLock::new(Some(sender)), waiting_bytes, metrics })))
    }

    /// Takes a span along, or drops it.
    pub(crate) fn send(&self, span: Span) {
        let weight = span.weight();
        let inner = &*self.0;
        let before = inner.waiting_bytes.fetch_add(weight, Ordering::Relaxed);
        let posts = inner.posts.read().unwrap_or_else(PoisonError::into_inner);
        let is_taken = before + weight <= QUEUED_BYTES
            && posts
                .as_ref()
                .is_some_and(|posts| posts.try_send(Post::Span(Box::new(span))).is_ok());
        if !is_taken {
            inner.waiting_bytes.fetch_sub(weight, Ordering::Relaxed);
            inner.metrics.spans_dropped.add(1);
        }
    }

    /// Waits until what was handed in before is handed over, but not for longer than this. Says
    /// whether it is.
    pub(crate) fn flush(&self, patience: Duration) -> bool {
        let until = Instant::now() + patience;
        let posts = self.0.posts.read().unwrap_or_else(PoisonError::into_inner).clone();
        let Some(posts) = posts else { return true };
        let (done, told) = mpsc::sync_channel(1);
        // A full queue has no room for the question. Nobody knows when it will have.
        match posts.try_send(Post::Flush(done)) {
            Ok(()) => {}
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => return false,
        }
        drop(posts);
        told.recv_timeout(until.saturating_duration_since(Instant::now())).is_ok()
    }

    /// Takes nothing more. What is still waiting is handed over as long as the process lives.
    pub(crate) fn close(&self) {
        self.0.posts.write().unwrap_or_else(PoisonError::into_inner).take();
    }
}

struct Round {
    export: Box<dyn Export>,
    waiting_bytes: Arc<AtomicUsize>,
    metrics: Arc<Metrics>,
    has_failed: AtomicBool,
}

impl Round {
    fn go(mut self, posts: &Receiver<Post>) {
        while let Ok(first) = posts.recv() {
            let mut batch = Vec::new();
            let mut asked = Vec::new();
            let until = Instant::now() + DELAY;
            let mut next = Ok(first);
            loop {
                match next {
                    Ok(Post::Span(span)) => batch.push(*span),
                    Ok(Post::Flush(done)) => {
                        asked.push(done);
                        break;
                    }
                    Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
                }
                if batch.len() >= BATCH {
                    break;
                }
                next = posts.recv_timeout(until.saturating_duration_since(Instant::now()));
            }
            self.hand_over(batch);
            for done in asked {
                let _nobody_waits_any_more = done.try_send(());
            }
        }
    }

    fn hand_over(&mut self, batch: Vec<Span>) {
        if batch.is_empty() {
            return;
        }
        let count = batch.len() as u64;
        let weight: usize = batch.iter().map(Span::weight).sum();
        match self.export.export(batch) {
            Ok(()) => {
                self.metrics.spans_exported.add(count);
                if self.has_failed.swap(false, Ordering::Relaxed) {
                    tracing::info!("the trace collector takes spans again");
                }
            }
            Err(reason) => {
                self.metrics.spans_dropped.add(count);
                // Once for each time it goes away, not for each batch.
                if !self.has_failed.swap(true, Ordering::Relaxed) {
                    tracing::warn!(%reason, "the trace collector takes no spans; they are dropped");
                }
            }
        }
        self.waiting_bytes.fetch_sub(weight, Ordering::Relaxed);
    }
}
