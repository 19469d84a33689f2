//! Who has failed to authenticate lately, by address.
//!
//! A table of our own rather than a crate: it must be bounded by a number of addresses, whatever
//! is thrown at it, and needs one lock that is taken for failures only.
//!
//! What it is for: secrets here have 256 bits and cannot be guessed at any speed; the limit keeps
//! guessing out of the log and off the processor. It never stands in the way of who is right: a
//! right token, code or cookie is let through whatever its address has done before. That matters
//! on loopback, where everybody has the same address and a broken program would otherwise lock
//! everyone out.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::limits::FailureTerms;

#[derive(Debug)]
pub(super) struct Failures {
    terms: FailureTerms,
    /// Until when the failures of an address count.
    until: Mutex<HashMap<IpAddr, Instant>>,
}

impl Failures {
    pub(super) fn new(terms: FailureTerms) -> Self {
        Self { terms, until: Mutex::default() }
    }

    /// Counts a failure. When there have been too many, tells for how long none is looked at.
    pub(super) fn count(&self, address: IpAddr, now: Instant) -> Result<(), Duration> {
        let mut until = self.until.lock().unwrap_or_else(PoisonError::into_inner);
        let counts = until.get(&address).copied().unwrap_or(now).max(now);
        let room = self.terms.each * self.terms.burst.max(1);
        let full = (counts - now + self.terms.each).saturating_sub(room);
        // Those beyond do not count again, or a program that keeps on failing would never be
        // told anything else.
        if !full.is_zero() {
            return Err(full);
        }
        if !until.contains_key(&address) && until.len() >= self.terms.addresses.max(1) {
            make_room(&mut until, now);
        }
        until.insert(address, counts + self.terms.each);
        Ok(())
    }
}

/// Forgets what counts no more, or else what counts the shortest.
fn make_room(until: &mut HashMap<IpAddr, Instant>, now: Instant) {
    let before = until.len();
    until.retain(|_, until| *until > now);
    if until.len() == before {
        let soonest = until.iter().min_by_key(|(_, until)| **until).map(|(address, _)| *address);
        soonest.and_then(|address| until.remove(&address));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> IpAddr {
        IpAddr::from([10, 0, 0, last])
    }

    #[test]
    fn the_burst_is_free_then_one_at_a_time() {
        let each = Duration::from_secs(6);
        let failures = Failures::new(FailureTerms { burst: 3, each, addresses: 8 });
        let now = Instant::now();
        for _ in 0..3 {
            assert_eq!(failures.count(address(1), now), Ok(()));
        }
        assert_eq!(failures.count(address(1), now), Err(each));
        assert_eq!(failures.count(address(1), now + each / 2), Err(each / 2));
        assert_eq!(failures.count(address(2), now), Ok(()), "another address");
        assert_eq!(failures.count(address(1), now + each), Ok(()));
        assert_eq!(failures.count(address(1), now + each), Err(each));
    }

    #[test]
    fn the_table_does_not_grow() {
        let each = Duration::from_secs(6);
        let failures = Failures::new(FailureTerms { burst: 2, each, addresses: 4 });
        let now = Instant::now();
        failures.count(address(0), now).unwrap();
        failures.count(address(0), now).unwrap();
        for last in 1..200 {
            failures.count(address(last), now).unwrap();
            assert!(failures.until.lock().unwrap().len() <= 4);
        }
        assert!(failures.count(address(0), now).is_err(), "who has failed more is kept longer");
    }
}
