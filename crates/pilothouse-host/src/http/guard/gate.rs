//! Counts connections: all of them, and those of one address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::limits::Limits;

#[derive(Clone, Debug)]
pub(super) struct Gate(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    most: usize,
    most_of_one: usize,
    inside: Mutex<Inside>,
    turned_away: AtomicU64,
}

#[derive(Debug, Default)]
struct Inside {
    all: usize,
    of: HashMap<IpAddr, usize>,
}

/// A place inside; given back when it is dropped.
#[derive(Debug)]
pub(super) struct Pass {
    gate: Gate,
    address: IpAddr,
}

impl Gate {
    pub(super) fn new(limits: &Limits) -> Self {
        Self(Arc::new(Inner {
            most: limits.connections,
            most_of_one: limits.connections_per_address,
            inside: Mutex::default(),
            turned_away: AtomicU64::new(0),
        }))
    }

    /// Counts one that was turned away, and tells the how many-th it was.
    pub(super) fn turned_away(&self) -> u64 {
        self.0.turned_away.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub(super) fn enter(&self, address: IpAddr) -> Option<Pass> {
        let mut inside = self.0.inside.lock().unwrap_or_else(PoisonError::into_inner);
        let of_one = inside.of.get(&address).copied().unwrap_or_default();
        if inside.all >= self.0.most || of_one >= self.0.most_of_one {
            return None;
        }
        inside.all += 1;
        inside.of.insert(address, of_one + 1);
        Some(Pass { gate: self.clone(), address })
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        let mut inside = self.gate.0.inside.lock().unwrap_or_else(PoisonError::into_inner);
        inside.all = inside.all.saturating_sub(1);
        if let Some(count) = inside.of.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                inside.of.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_and_given_back() {
        let limits = Limits { connections: 3, connections_per_address: 2, ..Limits::default() };
        let gate = Gate::new(&limits);
        let (a, b) = (IpAddr::from([10, 0, 0, 1]), IpAddr::from([10, 0, 0, 2]));
        let first = gate.enter(a).unwrap();
        let _second = gate.enter(a).unwrap();
        assert!(gate.enter(a).is_none(), "one address has two");
        let third = gate.enter(b).unwrap();
        assert!(gate.enter(b).is_none(), "all have three");
        drop(third);
        drop(first);
        assert!(gate.enter(a).is_some());
        assert_eq!(gate.0.inside.lock().unwrap().of.len(), 1, "who has left is forgotten");
    }
}
