//! For how long who was let in may stay.
//!
//! A WebSocket or a stream outlives the request that opened it. It ends when its login does: when
//! that is logged out, expires, or when the token is replaced.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use axum::Extension;
use jiff::Timestamp;
use tokio_util::sync::CancellationToken;

use super::access::Known;
use super::seal::LoginId;

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
    expires: Option<Timestamp>,
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
    pub(super) fn of(&self, known: &Known, all: &CancellationToken) -> Stay {
        match known {
            Known::ByToken => Stay { ended: all.clone(), expires: None },
            Known::ByCookie(login) => {
                let mut inside = self.inside();
                let ended = inside.logins.entry(login.id).or_insert_with(|| all.child_token());
                Stay { ended: ended.clone(), expires: Some(login.expires) }
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

impl Stay {
    pub(super) fn end(&self) {
        self.ended.cancel();
    }

    /// Waits until it is over.
    pub async fn is_over(self) {
        let left = self.expires.map(|at| at.duration_since(Timestamp::now()));
        let expired = async {
            match left {
                Some(left) => tokio::time::sleep(left.try_into().unwrap_or_default()).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = self.ended.cancelled() => {}
            () = expired => {}
        }
    }
}

/// Waits until who asks may not stay any longer; for ever where there is no guard.
pub(crate) async fn is_over(stay: Option<Extension<Stay>>) {
    match stay {
        Some(Extension(stay)) => stay.is_over().await,
        None => std::future::pending().await,
    }
}
