//! Closes long-lived connections when their login ends.
//!
//! A WebSocket or a stream outlives the request that opened it. It ends when its login does: when
//! that is logged out or ended, expires, or when the token is replaced. While it is open, its login
//! counts as used.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Extension;
use jiff::Timestamp;
use tokio_util::sync::CancellationToken;

use super::Guard;
use super::access::Known;
use super::logins::LoginId;

/// An open connection counts as use of its login at least this often.
const TOUCH: Duration = Duration::from_secs(60 * 60);

/// All who may stay.
#[derive(Debug, Default)]
pub(super) struct Stays(Mutex<Inside>);

#[derive(Debug, Default)]
struct Inside {
    /// Of everybody who has come with this token, and with logins made under it.
    all: CancellationToken,
    logins: HashMap<LoginId, CancellationToken>,
}

/// How long who asks may stay; handlers get it as an extension of the request.
#[derive(Clone, Debug)]
pub struct Stay {
    ended: CancellationToken,
    login: Option<OfLogin>,
}

#[derive(Clone, Debug)]
struct OfLogin {
    guard: Guard,
    id: LoginId,
    expires: Timestamp,
}

impl Stays {
    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The end of everybody who is known by now. To be asked for before somebody is let in, so that
    /// a token which is replaced meanwhile ends that too.
    pub(super) fn end_of_all(&self) -> CancellationToken {
        self.inside().all.clone()
    }

    /// How long one may stay who was let in before `all` ends.
    pub(super) fn of(&self, known: &Known, all: &CancellationToken, guard: &Guard) -> Stay {
        match known {
            Known::ByToken => Stay { ended: all.clone(), login: None },
            Known::ByLogin(login) => {
                let mut inside = self.inside();
                if !inside.logins.contains_key(&login.id) {
                    inside.forget_ended(guard);
                }
                let ended = inside.logins.entry(login.id).or_insert_with(|| all.child_token());
                let (guard, id, expires) = (guard.clone(), login.id, login.expires_at);
                Stay { ended: ended.clone(), login: Some(OfLogin { guard, id, expires }) }
            }
        }
    }

    /// This login has ended.
    pub(super) fn end(&self, login: LoginId) {
        if let Some(ended) = self.inside().logins.remove(&login) {
            ended.cancel();
        }
    }

    /// Everything has ended: the token is another one.
    pub(super) fn end_all(&self) {
        std::mem::take(&mut *self.inside()).all.cancel();
    }
}

impl Inside {
    /// Drops the logins that have ended without anybody ending them, as those that have expired.
    fn forget_ended(&mut self, guard: &Guard) {
        self.logins.retain(|id, ended| {
            let is_known = guard.logins().has(*id);
            if !is_known {
                ended.cancel();
            }
            is_known
        });
    }
}

impl Stay {
    /// Waits until it is over.
    pub async fn is_over(self) {
        let Self { ended, login } = self;
        tokio::select! {
            () = ended.cancelled() => {}
            () = expired(login) => {}
        }
    }
}

/// Waits until a login expires, and records meanwhile that it is in use.
async fn expired(login: Option<OfLogin>) {
    let Some(OfLogin { guard, id, expires }) = login else { return std::future::pending().await };
    let touch = TOUCH.min(guard.login_terms().login_idle / 2);
    loop {
        let left = expires.duration_since(Timestamp::now()).try_into().unwrap_or_default();
        if left == Duration::ZERO {
            return;
        }
        tokio::time::sleep(touch.min(left)).await;
        guard.used(id);
    }
}

/// Waits until who asks may not stay any longer; for ever where there is no guard.
pub(crate) async fn is_over(stay: Option<Extension<Stay>>) {
    match stay {
        Some(Extension(stay)) => stay.is_over().await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::super::logins::Login;
    use super::super::{GuardOptions, LoginTerms};
    use super::*;

    #[test]
    fn forgets_logins_that_have_ended() {
        let dir = tempfile::tempdir().unwrap();
        let login = LoginTerms { logins: 2, ..LoginTerms::default() };
        let data_dir = dir.path().to_owned();
        let guard = Guard::open(GuardOptions { data_dir, login, ..GuardOptions::default() });
        let guard = guard.unwrap();
        let (stays, logins) = (guard.stays(), guard.logins());
        let stay = |number: i64| {
            let now = Timestamp::from_second(number).unwrap();
            let life = guard.login_terms().login_life;
            let login = Login::begin(String::new(), String::new(), life, now).unwrap().login;
            logins.add(login.clone(), None, logins.generation(), now).unwrap();
            stays.of(&Known::ByLogin(login), &stays.end_of_all(), &guard)
        };
        let all: Vec<_> = (0..8).map(stay).collect();
        assert_eq!(stays.inside().logins.len(), 2);
        let ended: Vec<_> = all.iter().map(|stay| stay.ended.is_cancelled()).collect();
        assert_eq!(ended, [true, true, true, true, true, true, false, false]);
    }
}
