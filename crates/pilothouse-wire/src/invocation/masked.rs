//! Named values that may be secret.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// Values by name. Debug output shows the names only: headers and environments hold keys.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Masked<V>(BTreeMap<String, V>);

impl<V> Masked<V> {
    /// Sets a value, in place of an older one of that name.
    pub fn insert(&mut self, name: impl Into<String>, value: impl Into<V>) {
        self.0.insert(name.into(), value.into());
    }

    /// The value of that name.
    pub fn get(&self, name: &str) -> Option<&V> {
        self.0.get(name)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All names and values, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &V)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }
}

impl<V> Default for Masked<V> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<V> fmt::Debug for Masked<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl<K: Into<String>, W: Into<V>, V> Extend<(K, W)> for Masked<V> {
    fn extend<I: IntoIterator<Item = (K, W)>>(&mut self, entries: I) {
        self.0.extend(entries.into_iter().map(|(name, value)| (name.into(), value.into())));
    }
}

impl<K: Into<String>, W: Into<V>, V> FromIterator<(K, W)> for Masked<V> {
    fn from_iter<I: IntoIterator<Item = (K, W)>>(entries: I) -> Self {
        let mut map = Self::default();
        map.extend(entries);
        map
    }
}

impl<K: Into<String>, W: Into<V>, V, const N: usize> From<[(K, W); N]> for Masked<V> {
    fn from(entries: [(K, W); N]) -> Self {
        entries.into_iter().collect()
    }
}
