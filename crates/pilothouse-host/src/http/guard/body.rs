//! Bodies that are neither too large nor too slow, whoever reads them.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, HttpBody};
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};
use tokio::time::Sleep;

/// What a body may cost. Comes with the request; a route that takes uploads raises it before it
/// reads. A body without them is held to [`BodyTerms::default`].
#[derive(Clone, Debug)]
pub struct BodyTerms(Arc<Terms>);

#[derive(Debug)]
struct Terms {
    bytes: AtomicU64,
    millis: AtomicU64,
}

/// Why a body was not read to its end.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BodyError {
    #[error("the body has more than the {limit} bytes that are taken here: send less")]
    TooLarge { limit: u64 },
    #[error("the body did not arrive within {0:?}: send it faster, or in smaller parts")]
    TooSlow(Duration),
    #[error("the body broke off: send the request again")]
    Broken(#[source] axum::Error),
}

impl BodyTerms {
    pub(crate) fn new(bytes: u64, patience: Duration) -> Self {
        let terms = Self(Arc::new(Terms { bytes: 0.into(), millis: 0.into() }));
        terms.set(bytes, patience);
        terms
    }

    /// Replaces them; too late for a body that is being read.
    pub(crate) fn set(&self, bytes: u64, patience: Duration) {
        let millis = u64::try_from(patience.as_millis()).unwrap_or(u64::MAX);
        self.0.bytes.store(bytes, Ordering::Relaxed);
        self.0.millis.store(millis, Ordering::Relaxed);
    }

    /// The most bytes.
    pub fn bytes(&self) -> u64 {
        self.0.bytes.load(Ordering::Relaxed)
    }

    /// The longest time from the first to the last byte.
    pub fn patience(&self) -> Duration {
        Duration::from_millis(self.0.millis.load(Ordering::Relaxed))
    }
}

impl Default for BodyTerms {
    fn default() -> Self {
        Self::new(1 << 20, Duration::from_secs(30))
    }
}

/// A body that is held to its terms.
pub(crate) struct Bounded {
    inner: Body,
    terms: BodyTerms,
    seen: u64,
    until: Option<Pin<Box<Sleep>>>,
}

impl Bounded {
    pub(crate) fn new(inner: Body, terms: BodyTerms) -> Self {
        Self { inner, terms, seen: 0, until: None }
    }
}

impl HttpBody for Bounded {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let limit = self.terms.bytes();
        // What says that it is too large is not read at all.
        if self.seen.saturating_add(self.inner.size_hint().lower()) > limit {
            return Poll::Ready(Some(Err(BodyError::TooLarge { limit })));
        }
        let patience = self.terms.patience();
        let until = self.until.get_or_insert_with(|| Box::pin(tokio::time::sleep(patience)));
        // The time counts even while bytes come: one each second is an old trick.
        if until.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Some(Err(BodyError::TooSlow(patience))));
        }
        let frame = match ready!(Pin::new(&mut self.inner).poll_frame(cx)) {
            None => return Poll::Ready(None),
            Some(Err(error)) => return Poll::Ready(Some(Err(BodyError::Broken(error)))),
            Some(Ok(frame)) => frame,
        };
        self.seen += frame.data_ref().map_or(0, |data| data.len() as u64);
        if self.seen > limit {
            return Poll::Ready(Some(Err(BodyError::TooLarge { limit })));
        }
        Poll::Ready(Some(Ok(frame)))
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
