//! Limits the number of connections, in all and of one address.
//!
//! A connection is known once a request on it was authenticated, and until one is refused; a page
//! that answers an old challenge is not refused. When all places are taken, the oldest connection
//! that is not known loses its place to the new one: a client that fills the daemon with idle
//! connections displaces only connections of that kind, and the owner's next one gets in. It is known
//! only after its first request: until then it can be displaced like any other. A new connection is
//! turned away only when all others are known.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

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
    /// By number: the oldest first.
    all: BTreeMap<u64, Held>,
    of: HashMap<IpAddr, usize>,
    entered: u64,
}

/// A place that is taken.
#[derive(Debug)]
struct Held {
    address: IpAddr,
    place: Place,
    leave: CancellationToken,
}

/// The place of a connection, as its requests see it.
#[derive(Clone, Debug, Default)]
pub(super) struct Place(Arc<AtomicBool>);

impl Place {
    /// Records whether a request of this connection was authenticated.
    pub(super) fn set_known(&self, known: bool) {
        self.0.store(known, Ordering::Relaxed);
    }

    fn is_known(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Holds a place until it is dropped.
#[derive(Debug)]
pub(super) struct Pass {
    gate: Gate,
    number: u64,
    place: Place,
    leave: CancellationToken,
}

impl Pass {
    pub(super) fn place(&self) -> &Place {
        &self.place
    }

    /// Cancelled when the place was given to another connection.
    pub(super) fn leave(&self) -> &CancellationToken {
        &self.leave
    }
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

    /// Counts a connection that was turned away. Returns how many there were, with this one.
    pub(super) fn turned_away(&self) -> u64 {
        self.0.turned_away.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Takes a place, from the oldest connection that is not known if there is no other.
    pub(super) fn enter(&self, address: IpAddr) -> Option<Pass> {
        let mut inside = self.inside();
        let of_one = inside.of.get(&address).copied().unwrap_or_default();
        let is_free = if of_one >= self.0.most_of_one {
            inside.displace(|held| held.address == address)
        } else {
            inside.all.len() < self.0.most || inside.displace(|_| true)
        };
        is_free.then(|| {
            let number = inside.entered;
            let (place, leave) = (Place::default(), CancellationToken::new());
            let held = Held { address, place: place.clone(), leave: leave.clone() };
            inside.entered += 1;
            inside.all.insert(number, held);
            *inside.of.entry(address).or_default() += 1;
            Pass { gate: self.clone(), number, place, leave }
        })
    }

    /// Closes the oldest connection that is not known, to free what it holds besides its place.
    pub(super) fn make_room(&self) {
        self.inside().displace(|_| true);
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.0.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inside {
    /// Takes the place of the oldest connection that is not known. Returns whether there was one.
    fn displace(&mut self, fits: impl Fn(&Held) -> bool) -> bool {
        let mut all = self.all.iter();
        let oldest = all.find(|(_, held)| !held.place.is_known() && fits(held));
        let Some(number) = oldest.map(|(number, _)| *number) else { return false };
        if let Some(held) = self.remove(number) {
            held.leave.cancel();
        }
        true
    }

    fn remove(&mut self, number: u64) -> Option<Held> {
        let held = self.all.remove(&number)?;
        if let Some(count) = self.of.get_mut(&held.address) {
            *count -= 1;
            if *count == 0 {
                self.of.remove(&held.address);
            }
        }
        Some(held)
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        self.gate.inside().remove(self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(connections: usize, connections_per_address: usize) -> Gate {
        Gate::new(&Limits { connections, connections_per_address, ..Limits::default() })
    }

    fn known(gate: &Gate, address: IpAddr) -> Pass {
        let pass = gate.enter(address).unwrap();
        pass.place().set_known(true);
        pass
    }

    const A: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 1));
    const B: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 2));

    #[test]
    fn places_are_counted_and_given_back() {
        let gate = gate(3, 2);
        let first = known(&gate, A);
        let _second = known(&gate, A);
        assert!(gate.enter(A).is_none(), "one address has two");
        let third = known(&gate, B);
        assert!(gate.enter(B).is_none(), "all have three");
        drop(third);
        drop(first);
        assert!(gate.enter(A).is_some());
        assert_eq!(gate.inside().of.len(), 1, "addresses without connections are forgotten");
    }

    #[test]
    fn displaces_the_oldest_that_is_not_known() {
        let gate = gate(4, 3);
        let owner = known(&gate, A);
        let [old, young] = [(); 2].map(|()| gate.enter(A).unwrap());
        let other = gate.enter(B).unwrap();
        // The address has all its places: one of its own goes.
        let newest = gate.enter(A).unwrap();
        assert!(old.leave().is_cancelled() && !young.leave().is_cancelled());
        drop(old);
        assert_eq!(gate.inside().all.len(), 4, "a place that was taken is not given back twice");
        // All places are taken: the oldest of any address goes.
        let last = gate.enter(B).unwrap();
        assert!(young.leave().is_cancelled());
        assert!(![&owner, &other, &newest, &last].iter().any(|pass| pass.leave().is_cancelled()));
    }

    #[test]
    fn never_displaces_a_known_connection() {
        let gate = gate(3, 3);
        let owner = [known(&gate, A), known(&gate, A)];
        let mut strangers = Vec::new();
        for _ in 0..100 {
            strangers.push(gate.enter(A).unwrap());
        }
        gate.make_room();
        assert!(strangers.iter().all(|pass| pass.leave().is_cancelled()));
        assert!(owner.iter().all(|pass| !pass.leave().is_cancelled()));
        // A connection whose login has ended is like any other.
        owner[0].place().set_known(false);
        gate.make_room();
        assert!(owner[0].leave().is_cancelled());
    }
}
