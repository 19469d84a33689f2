//! Numbers that many threads change at once: an atomic addition each.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

/// A number that only grows.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// Adds to it.
    pub fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    /// How much it is.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A number that goes up and down.
#[derive(Debug, Default)]
pub struct Gauge(AtomicI64);

impl Gauge {
    /// Adds to it, or takes away from it.
    pub fn add(&self, more: i64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    /// It is this now.
    pub fn set(&self, number: i64) {
        self.0.store(number, Ordering::Relaxed);
    }

    /// How much it is.
    pub fn get(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Counts one for as long as what is returned lives.
    pub fn hold(self: &std::sync::Arc<Self>) -> Held {
        self.add(1);
        Held(std::sync::Arc::clone(self))
    }
}

/// One that is counted by a [`Gauge`].
#[derive(Debug)]
pub struct Held(std::sync::Arc<Gauge>);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.add(-1);
    }
}

/// In what a histogram's limits and sum are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// Nanoseconds, shown as seconds.
    Time,
    /// Things.
    Count,
}

/// How often something was how large.
#[derive(Debug)]
pub struct Histogram {
    /// Upper limits, ascending; what is above the last one has a bucket too.
    limits: &'static [u64],
    buckets: Box<[AtomicU64]>,
    sum: AtomicU64,
    pub(super) unit: Unit,
}

/// A histogram at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    /// Limits, with how many are not above each.
    pub(super) buckets: Vec<(u64, u64)>,
    pub(super) count: u64,
    pub(super) sum: u64,
}

impl Histogram {
    pub(super) fn new(unit: Unit, limits: &'static [u64]) -> Self {
        let buckets = limits.iter().map(|_| AtomicU64::new(0)).chain([AtomicU64::new(0)]).collect();
        Self { limits, buckets, sum: AtomicU64::new(0), unit }
    }

    /// Notes a time.
    pub fn took(&self, time: Duration) {
        self.note(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
    }

    /// Notes a number.
    pub fn note(&self, number: u64) {
        let index = self.limits.partition_point(|limit| *limit < number);
        if let Some(bucket) = self.buckets.get(index) {
            bucket.fetch_add(1, Ordering::Relaxed);
            self.sum.fetch_add(number, Ordering::Relaxed);
        }
    }

    /// How many were noted.
    pub fn count(&self) -> u64 {
        self.buckets.iter().map(|bucket| bucket.load(Ordering::Relaxed)).sum()
    }

    /// The count is the sum of what was just read, so that the buckets never exceed it.
    pub(super) fn read(&self) -> Reading {
        let mut count = 0;
        let mut up_to = |bucket: &AtomicU64| {
            count += bucket.load(Ordering::Relaxed);
            count
        };
        let all: Vec<u64> = self.buckets.iter().map(&mut up_to).collect();
        let buckets = self.limits.iter().copied().zip(all).collect();
        Reading { buckets, count, sum: self.sum.load(Ordering::Relaxed) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_belongs_to_its_bucket() {
        let histogram = Histogram::new(Unit::Count, &[1, 10]);
        for number in [0, 1, 2, 10, 11, 4_000] {
            histogram.note(number);
        }
        let reading = histogram.read();
        assert_eq!(reading, Reading { buckets: vec![(1, 2), (10, 4)], count: 6, sum: 4_024 });
        assert_eq!(histogram.count(), 6);
    }

    #[test]
    fn what_is_held_is_counted() {
        let gauge = std::sync::Arc::new(Gauge::default());
        let (one, two) = (gauge.hold(), gauge.hold());
        assert_eq!(gauge.get(), 2);
        drop((one, two));
        assert_eq!(gauge.get(), 0);
    }
}
