//! One-time links with which a browser logs in.
//!
//! The code stands behind `#`, so it is in no log and no `Referer`. It works once, for a few
//! minutes; here only its hash is kept.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::limits::LoginTerms;
use super::logins::Generation;
use super::token::random_text;

/// A link that logs a browser in, once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LoginLink {
    /// To be put behind the daemon's address: `/login#…`. Secret until it is used.
    pub path: String,
    /// Until when it works.
    pub expires_at: Timestamp,
}

/// A link that was redeemed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Admission(Link);

impl Admission {
    /// What to call the browser; may be empty.
    pub(super) fn name(&self) -> &str {
        &self.0.name
    }

    pub(super) fn generation(&self) -> Generation {
        self.0.generation
    }
}

#[derive(Debug)]
pub(super) struct Links {
    terms: LoginTerms,
    open: Mutex<VecDeque<Link>>,
}

#[derive(Debug, PartialEq, Eq)]
struct Link {
    code: [u8; 32],
    until: Instant,
    name: String,
    generation: Generation,
}

impl Links {
    pub(super) fn new(terms: LoginTerms) -> Self {
        Self { terms, open: Mutex::default() }
    }

    /// Makes a link. `generation` is the one in which whoever asks for it was authenticated.
    pub(super) fn mint(
        &self,
        name: String,
        generation: Generation,
        now: Instant,
    ) -> Result<LoginLink, getrandom::Error> {
        let code = random_text::<32>()?;
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|link| link.until > now);
        while open.len() >= self.terms.links.max(1) {
            open.pop_front();
        }
        open.push_back(Link {
            code: hash(&code),
            until: now + self.terms.link_life,
            name,
            generation,
        });
        let life = SignedDuration::try_from(self.terms.link_life).unwrap_or(SignedDuration::MAX);
        let expires_at = Timestamp::now().saturating_add(life).unwrap_or(Timestamp::MAX);
        Ok(LoginLink { path: format!("/login#{code}"), expires_at })
    }

    /// Takes a code back: it works no second time.
    pub(super) fn redeem(&self, code: &str, now: Instant) -> Option<Admission> {
        let code = hash(code);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|link| link.until > now);
        let mut found = None;
        // All are looked at, whether or not one fits.
        for (at, link) in open.iter().enumerate() {
            if bool::from(link.code.ct_eq(&code)) {
                found = Some(at);
            }
        }
        open.remove(found?).map(Admission)
    }

    /// Lets a link be redeemed again, because no login came of it.
    pub(super) fn give_back(&self, admission: Admission) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        // As the oldest: new ones may have taken its place.
        if open.len() < self.terms.links.max(1) {
            open.push_front(admission.0);
        }
    }

    pub(super) fn clear(&self) {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

fn hash(code: &str) -> [u8; 32] {
    Sha256::digest(code.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn code(link: &LoginLink) -> &str {
        link.path.strip_prefix("/login#").unwrap()
    }

    #[test]
    fn a_link_works_once_and_for_its_time() {
        let links = Links::new(LoginTerms::default());
        let start = Instant::now();
        let mint = |name: &str| links.mint(name.into(), Generation::default(), start).unwrap();
        let (first, second) = (mint("a"), mint("b"));
        let later = start + LoginTerms::default().link_life;
        let nearly = later - Duration::from_millis(1);
        assert_eq!(links.redeem(code(&first), nearly).unwrap().name(), "a");
        assert_eq!(links.redeem(code(&first), nearly), None);
        assert_eq!(links.redeem("", nearly), None);
        let unused = links.redeem(code(&second), nearly).unwrap();
        links.give_back(unused);
        assert_eq!(links.redeem(code(&second), later), None, "no longer than before");
    }

    #[test]
    fn a_new_link_replaces_the_oldest() {
        let links = Links::new(LoginTerms { links: 2, ..LoginTerms::default() });
        let now = Instant::now();
        let mint = |_| links.mint(String::new(), Generation::default(), now).unwrap();
        let minted: Vec<_> = (0..3).map(mint).collect();
        let work = |link| links.redeem(code(link), now).is_some();
        assert_eq!(minted.iter().map(work).collect::<Vec<_>>(), [false, true, true]);
    }
}
