//! Who serves a session.
//!
//! On one machine a claim keeps a second daemon away; on several it says which one to ask. Whoever
//! claims gets a token that is larger than every one before; an [append](super::Store::append_as) with
//! an older one is refused, so that an owner that was thought dead cannot write any more.

use std::time::Duration;

use jiff::Timestamp;
use pilothouse_session::id::SessionId;

use super::Store;
use super::ack::Ack;
use super::sqlite::{Durability, claims};

/// A session that is somebody's for a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The session.
    pub session: SessionId,
    /// Whose.
    pub owner: String,
    /// Grows with every claim.
    pub token: u64,
    /// Until when, unless it is renewed.
    pub until: Timestamp,
}

impl Store {
    /// Claims a session for `lease`: one that nobody has, whose lease is over, or that is the
    /// owner's already. A renewal is the same; it keeps the token while the owner stays.
    pub fn claim(&self, session: SessionId, owner: &str, lease: Duration) -> Ack<Claim> {
        let owner = owner.to_owned();
        self.write(Durability::PowerLoss, owner.len(), move |tx| {
            claims::claim(tx, session, &owner, lease, Timestamp::now())
        })
    }

    /// Gives a session back. Does nothing if it is somebody else's by now.
    pub fn release(&self, claim: &Claim) -> Ack<()> {
        let claim = claim.clone();
        self.write(Durability::PowerLoss, 0, move |tx| claims::release(tx, &claim))
    }
}
