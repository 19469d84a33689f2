//! Paths with links resolved, as the host has found them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::place::{Located, Place};

/// The real paths of the paths that a call names.
///
/// The host resolves [`paths`](super::paths) of a call and passes the result in with it. A path that
/// could not be resolved has no real path, and then no rule about paths allows the call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RealPaths(BTreeMap<String, Vec<String>>);

impl RealPaths {
    /// Records what `path` leads to: empty where that is not known, several where it depends on who
    /// reads it (`link/../x` is resolved by the kernel link first, by programs often `..` first).
    pub fn insert(&mut self, path: impl Into<String>, real: Vec<String>) {
        self.0.insert(path.into(), real);
    }

    /// How many paths were resolved.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no path was resolved.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Resolution state of a path.
pub(crate) enum Real {
    /// Nobody has looked: the written path stands for itself.
    NotAsked,
    /// To these.
    To(Vec<Located>),
    /// It could not be resolved.
    Unknown,
}

impl Real {
    /// Looks `path` up in what the host has resolved.
    pub(crate) fn of(path: &Located, known: Option<&RealPaths>, place: &Place) -> Self {
        let Some(RealPaths(known)) = known else { return Self::NotAsked };
        let found = known.get(path.written()).map(|real| {
            real.iter().map(|real| place.locate_real(real)).collect::<Option<Vec<_>>>()
        });
        match found.flatten() {
            Some(real) if !real.is_empty() => Self::To(real),
            _ => Self::Unknown,
        }
    }
}
