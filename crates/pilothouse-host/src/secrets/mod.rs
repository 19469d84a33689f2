//! Keeps secrets out of everything that is stored, shown, exported and logged.
//!
//! One [`Secrets`] is shared by the whole host. It knows values: those of the configuration, of the
//! daemon's environment, of every session's profile, and the daemon's own token. Applied to:
//!
//! - events, just before they are stored, and so to what subscribers, searches and exports get;
//! - deltas and open items ([`pieces`]), approvals and replies that clients read;
//! - the tail of a run's stderr, logs, traces and debug files, where text that looks like a key
//!   ([`marks`]) goes as well.
//!
//! What is sent to the CLI is never redacted. Neither is the wire log, which is the truth about a
//! run and its owner's alone; clients that read it get it with registered values blotted out.

mod forms;
mod json;
pub(crate) mod kept;
pub(crate) mod known;
mod marks;
mod names;
mod pieces;
mod places;
mod restore;
mod urls;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, PoisonError, RwLock};

use pilothouse_session::id::SessionId;
use serde::Serialize;
use serde::de::DeserializeOwned;

use names::SHORTEST;

pub(crate) use json::{redact_json, reread, string_end};
pub(crate) use known::Known;
pub(crate) use pieces::Pieces;
pub(crate) use places::{MOST_SECRETS, of_environment, of_profile, of_request};
pub(crate) use restore::restore;

pub(crate) mod mask {
    //! What clients are shown of a profile.
    pub(crate) use super::places::masked;
}

/// The most values of sessions. Beyond, the sessions that were opened longest ago lose theirs, until
/// they are opened again.
const MOST_VALUES: usize = 10_000;

/// The secrets of this process. Clones are the same ones.
#[derive(Clone, Default)]
pub struct Secrets(Arc<RwLock<Register>>);

/// A secret that would be found everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a secret of {0} bytes cannot be kept out of logs: use one of at least {SHORTEST}")]
pub struct TooShort(usize);

#[derive(Default)]
struct Register {
    /// Kept as long as the process lives.
    lasting: BTreeSet<Arc<str>>,
    sessions: BTreeMap<SessionId, OfSession>,
    /// Counts openings of sessions.
    openings: u64,
    /// None when something was registered since it was built.
    known: Option<Arc<Known>>,
}

#[derive(Default)]
struct OfSession {
    values: BTreeSet<Arc<str>>,
    /// When the session was last opened, as a number of `openings`.
    opened: u64,
}

/// Prints the number of values, not the values.
impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let register = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let of_sessions: usize = register.sessions.values().map(|of| of.values.len()).sum();
        f.debug_struct("Secrets").field("count", &(register.lasting.len() + of_sessions)).finish()
    }
}

impl Secrets {
    /// Registers a value for as long as the process lives, in every form that text gives it.
    pub fn register(&self, secret: &str) -> Result<(), TooShort> {
        if !names::is_long_enough(secret) {
            return Err(TooShort(secret.len()));
        }
        let mut register = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if !register.lasting.contains(secret) {
            register.lasting.insert(secret.into());
            register.known = None;
        }
        Ok(())
    }

    /// Registers values that are long enough; see [`Secrets::register`].
    pub(crate) fn register_all(&self, values: impl IntoIterator<Item = String>) {
        for value in values {
            let _too_short_to_be_one = self.register(&value);
        }
    }

    /// Registers the values of a session until [`Secrets::release`]. Those that it had stay.
    pub(crate) fn hold(&self, session: SessionId, values: impl IntoIterator<Item = String>) {
        let mut values = values.into_iter().filter(|value| names::is_long_enough(value)).peekable();
        let mut guard = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let register = &mut *guard;
        if values.peek().is_none() && !register.sessions.contains_key(&session) {
            return;
        }
        register.openings += 1;
        let of = register.sessions.entry(session).or_default();
        of.opened = register.openings;
        for value in values {
            if !of.values.contains(&*value) {
                of.values.insert(value.into());
                register.known = None;
            }
        }
        let evicted = register.make_room(session);
        // The log redacts its lines with these values: it waits for the lock.
        drop(guard);
        for session in evicted {
            tracing::warn!(
                %session,
                "too many secrets: this session's are not redacted until it is opened again"
            );
        }
    }

    /// Forgets the values of a session that was deleted.
    pub(crate) fn release(&self, session: SessionId) {
        let mut register = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if register.sessions.remove(&session).is_some() {
            register.known = None;
        }
    }

    /// The text without registered values, and without what looks like a secret. For logs and the
    /// like: of events only registered values are taken out, since code has much that looks so.
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.known().redact(text) {
            Cow::Borrowed(text) => marks::redact(text),
            Cow::Owned(text) => Cow::Owned(marks::redact(&text).into_owned()),
        }
    }

    /// A value without registered values in its strings.
    pub(crate) fn redact_value<T: Serialize + DeserializeOwned>(&self, value: T) -> T {
        json::redact_value(&self.known(), &value).unwrap_or(value)
    }

    /// The registered values as of now.
    pub(crate) fn known(&self) -> Arc<Known> {
        let register = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &register.known {
            return Arc::clone(known);
        }
        drop(register);
        let mut register = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let register = &mut *register;
        Arc::clone(register.known.get_or_insert_with(|| {
            // Sessions of one profile have the same values.
            let of_sessions = register.sessions.values().flat_map(|of| &of.values);
            let values: BTreeSet<&Arc<str>> = register.lasting.iter().chain(of_sessions).collect();
            let mut forms = BTreeSet::new();
            values.into_iter().for_each(|value| forms::add(value, &mut forms));
            Arc::new(Known::new(forms))
        }))
    }
}

impl Register {
    /// Evicts other sessions while there are too many values. Returns those sessions.
    fn make_room(&mut self, opened: SessionId) -> Vec<SessionId> {
        let mut count: usize = self.sessions.values().map(|of| of.values.len()).sum();
        let mut evicted = Vec::new();
        while count > MOST_VALUES {
            let others = self.sessions.iter().filter(|(id, _)| **id != opened);
            let Some(oldest) = others.min_by_key(|(_, of)| of.opened).map(|(id, _)| *id) else {
                break;
            };
            count -= self.sessions.remove(&oldest).map_or(0, |of| of.values.len());
            self.known = None;
            evicted.push(oldest);
        }
        evicted
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use uuid::Uuid;

    use super::*;
    use crate::telemetry::log;

    #[test]
    fn redacts_registered_values_in_every_form() {
        let secrets = Secrets::default();
        secrets.register("hunter2hunter2").unwrap();
        secrets.register("with \"quotes\" in it").unwrap();
        secrets.register("hunter2hunter2-longer").unwrap();
        let text = "ahunter2hunter2b hunter2hunter2-longer with \"quotes\" in it \
                    {\"x\":\"with \\\"quotes\\\" in it\"}";
        let redacted = secrets.redact(text);
        assert_eq!(redacted, "a[redacted]b [redacted] [redacted] {\"x\":\"[redacted]\"}");
        assert_eq!(secrets.register("short").unwrap_err(), TooShort(5));
        assert_eq!(format!("{secrets:?}"), "Secrets { count: 3 }");
    }

    #[test]
    fn redacting_again_changes_nothing() {
        let secrets = Secrets::default();
        secrets.register("redacted").unwrap();
        let once = secrets.redact("Bearer abcdef, Cookie: a=b redacted").into_owned();
        assert_eq!(secrets.redact(&once), once);
    }

    #[test]
    fn values_of_a_session_go_with_it() {
        let secrets = Secrets::default();
        let (one, two) = (SessionId(Uuid::from_u128(1)), SessionId(Uuid::from_u128(2)));
        secrets.hold(one, ["first-value".to_owned(), "shared-value".to_owned()]);
        secrets.hold(two, ["shared-value".to_owned(), "short".to_owned()]);
        secrets.hold(one, ["second-value".to_owned()]);
        let text = "first-value second-value shared-value short";
        assert_eq!(secrets.redact(text), "[redacted] [redacted] [redacted] short");
        secrets.release(one);
        assert_eq!(secrets.redact(text), "first-value second-value [redacted] short");
        secrets.release(two);
        assert_eq!(secrets.redact(text), text);
    }

    #[test]
    fn the_sessions_opened_longest_ago_make_room() {
        let secrets = Secrets::default();
        let id = |number: u128| SessionId(Uuid::from_u128(number));
        let values = |of: u128| (0..MOST_VALUES / 2).map(move |n| format!("value-{of}-{n}-"));
        secrets.hold(id(1), values(1));
        secrets.hold(id(2), values(2));
        secrets.hold(id(1), []);
        secrets.hold(id(3), values(3));
        assert_eq!(
            secrets.redact("value-1-7- value-2-7- value-3-7-"),
            "[redacted] value-2-7- [redacted]"
        );
    }

    #[test]
    fn logs_an_eviction_through_a_log_that_redacts() {
        let (done, ended) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let secrets = Secrets::default();
            let log =
                log::subscriber("warn", log::LogFormat::Text, std::io::sink(), &secrets).unwrap();
            let _log = tracing::subscriber::set_default(log);
            for session in 1..=2 {
                let values = (0..MOST_VALUES).map(|n| format!("value-{session}-{n}-"));
                secrets.hold(SessionId(Uuid::from_u128(session)), values);
            }
            done.send(secrets.redact("value-1-7- value-2-7-").into_owned()).unwrap();
        });
        let redacted = ended.recv_timeout(Duration::from_secs(30));
        assert_eq!(redacted.as_deref(), Ok("value-1-7- [redacted]"), "no deadlock");
    }
}
