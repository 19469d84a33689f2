//! Labels. Those that we choose are closed enums, with a number for each word; those that come from
//! outside (routes, models) are taken as long as there are few.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::sync::{Arc, PoisonError, RwLock};

/// How many values a label from outside may have. Later ones are `other`.
const NAMED: usize = 128;

/// A closed set of words.
pub trait Label: Copy + 'static {
    /// The label's name.
    const NAME: &'static str;
    /// All words, in the order of their numbers.
    const WORDS: &'static [&'static str];
    /// The number of this one.
    fn number(self) -> usize;

    /// The word of this one.
    fn word(self) -> &'static str {
        Self::WORDS.get(self.number()).copied().unwrap_or("other")
    }
}

macro_rules! labels {
    ($($(#[$meta:meta])* $name:ident as $label:literal {
        $($(#[$vmeta:meta])* $variant:ident = $word:literal),* $(,)?
    })*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$vmeta])* $variant),* }

        impl $crate::telemetry::metrics::label::Label for $name {
            const NAME: &'static str = $label;
            const WORDS: &'static [&'static str] = &[$($word),*];
            fn number(self) -> usize {
                self as usize
            }
        }
    )*};
}
pub(super) use labels;

/// One number for each word.
#[derive(Debug)]
pub struct Family<L, N> {
    numbers: Box<[N]>,
    label: PhantomData<fn(L)>,
}

impl<L: Label, N: Default> Default for Family<L, N> {
    fn default() -> Self {
        let numbers = L::WORDS.iter().map(|_| N::default()).collect();
        Self { numbers, label: PhantomData }
    }
}

impl<L: Label, N> Family<L, N> {
    /// The number of this word.
    #[expect(clippy::indexing_slicing, reason = "there is one for every word")]
    pub fn of(&self, label: L) -> &N {
        &self.numbers[label.number()]
    }

    pub(super) fn all(&self) -> impl Iterator<Item = (&'static str, &N)> {
        L::WORDS.iter().copied().zip(&self.numbers)
    }
}

/// Numbers by names that come from outside; few of them, whatever comes.
#[derive(Debug)]
pub struct Named<N>(RwLock<BTreeMap<String, Arc<N>>>);

impl<N> Default for Named<N> {
    fn default() -> Self {
        Self(RwLock::new(BTreeMap::new()))
    }
}

impl<N: Default> Named<N> {
    /// The numbers under this name. Whoever needs them often keeps them.
    pub fn of(&self, name: &str) -> Arc<N> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned();
        known.unwrap_or_else(|| {
            let mut names = self.0.write().unwrap_or_else(PoisonError::into_inner);
            let has_room = names.len() < NAMED || names.contains_key(name);
            let name = if has_room { name } else { "other" };
            Arc::clone(names.entry(name.to_owned()).or_default())
        })
    }

    pub(super) fn all(&self) -> Vec<(String, Arc<N>)> {
        let names = self.0.read().unwrap_or_else(PoisonError::into_inner);
        names.iter().map(|(name, numbers)| (name.clone(), Arc::clone(numbers))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::number::Counter;
    use super::*;

    #[test]
    fn names_from_outside_are_few() {
        let named = Named::<Counter>::default();
        for number in 0..1_000 {
            named.of(&format!("/{number}")).add(1);
        }
        named.of("/3").add(1);
        let all = named.all();
        assert_eq!(all.len(), NAMED + 1);
        let count = |name: &str| all.iter().find(|(of, _)| of == name).unwrap().1.get();
        assert_eq!(count("/3"), 2);
        assert_eq!(count("other"), 1_000 - NAMED as u64);
    }
}
