//! The policies that come along, written as any other.

use super::error::PolicyError;
use super::verdict::Level;
use super::{Policy, parse};

/// A policy that comes along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// Everything is allowed but questions, which are for people.
    Autonomous,
    /// Looking below the session's directories is allowed, everything else is asked.
    Supervised,
    /// The same, and Claude Code may keep its plan file while it plans. Subagents that are set apart
    /// are asked about.
    Plan,
}

impl Preset {
    /// All of them.
    pub const ALL: &'static [Self] = &[Self::Autonomous, Self::Supervised, Self::Plan];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Autonomous => "autonomous",
            Self::Supervised => "supervised",
            Self::Plan => "plan",
        }
    }

    /// The preset of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|preset| preset.name() == name)
    }

    /// Its text, as a file could hold it.
    pub fn text(self) -> &'static str {
        match self {
            Self::Autonomous => include_str!("presets/autonomous.toml"),
            Self::Supervised => include_str!("presets/supervised.toml"),
            Self::Plan => include_str!("presets/plan.toml"),
        }
    }

    /// The policy: first [`PROTECTED`](super::PROTECTED) is denied, then come its own rules.
    /// Without rules, which asks everything, should the text be broken; a test checks that it is
    /// not.
    pub fn policy(self) -> Policy {
        self.protecting([]).unwrap_or_else(|_| Policy {
            name: self.name().to_owned(),
            level: Level::Builtin,
            rules: Vec::new(),
        })
    }

    /// The same, with more paths that it denies.
    pub fn protecting<'a>(
        self,
        more: impl IntoIterator<Item = &'a str>,
    ) -> Result<Policy, PolicyError> {
        Ok(Policy::protecting(more)?.before(self.read()?))
    }

    fn read(self) -> Result<Policy, PolicyError> {
        parse::policy(self.name(), self.text(), Level::Builtin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_presets_can_be_read() {
        for preset in Preset::ALL {
            assert!(preset.read().is_ok_and(|policy| !policy.is_empty()), "{preset:?}");
            assert_eq!(Preset::named(preset.name()), Some(*preset));
        }
    }
}
