//! Policies: those that come along, and those that people put there.

use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;

use pilothouse_session::policy::{Level, Policy, PolicySet, Preset};
use schemars::JsonSchema;
use serde::Serialize;

use super::house::{blocking, private_dir};
use super::{Host, HostError};

/// A policy's name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PolicyName {
    /// The name.
    pub name: String,
    /// It comes along and cannot be changed.
    pub builtin: bool,
}

/// A policy and its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PolicyFile {
    /// The name.
    pub name: String,
    /// It comes along and cannot be changed.
    pub builtin: bool,
    /// TOML.
    pub text: String,
}

/// The policies of the host: a directory of TOML files.
#[derive(Debug)]
pub(crate) struct Policies {
    dir: PathBuf,
}

impl Policies {
    pub(super) fn in_dir(dir: PathBuf) -> Self {
        Self { dir }
    }

    fn path(&self, name: &str) -> Result<PathBuf, HostError> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        if name.is_empty() || name.len() > 64 || !name.bytes().all(plain) {
            return Err(HostError::BadPolicyName(name.to_owned()));
        }
        Ok(self.dir.join(format!("{name}.toml")))
    }

    fn text(&self, name: &str) -> Result<PolicyFile, HostError> {
        if let Some(preset) = Preset::named(name) {
            let (name, text) = (name.to_owned(), preset.text().to_owned());
            return Ok(PolicyFile { name, builtin: true, text });
        }
        let path = self.path(name)?;
        match std::fs::read_to_string(&path) {
            Ok(text) => Ok(PolicyFile { name: name.to_owned(), builtin: false, text }),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Err(HostError::NoPolicy(name.to_owned()))
            }
            Err(reason) => Err(HostError::File { path, reason }),
        }
    }

    /// The policy of a name.
    pub(super) fn named(&self, name: &str) -> Result<Policy, HostError> {
        match Preset::named(name) {
            Some(preset) => Ok(preset.policy()),
            None => Ok(Policy::parse(name, &self.text(name)?.text, Level::User)?),
        }
    }

    /// The rules of a session with this policy. One that cannot be read lets nothing through: people
    /// are asked.
    pub(super) fn set(&self, name: Option<&str>) -> Option<Arc<PolicySet>> {
        let policy = self.named(name.filter(|name| !name.is_empty())?);
        match policy {
            Ok(policy) => Some(Arc::new(PolicySet::new([policy]))),
            Err(error) => {
                tracing::error!(%error, "a policy cannot be read; people are asked instead");
                None
            }
        }
    }

    fn names(&self) -> Result<Vec<PolicyName>, HostError> {
        let builtin = Preset::ALL.iter().map(|preset| preset.name());
        let mut names: Vec<_> =
            builtin.map(|name| PolicyName { name: name.to_owned(), builtin: true }).collect();
        let entries = match std::fs::read_dir(&self.dir) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(names),
            entries => entries.map_err(HostError::file(&self.dir))?,
        };
        let mut own: Vec<_> = entries
            .filter_map(|entry| {
                let file = entry.ok()?.file_name().into_string().ok()?;
                let name = file.strip_suffix(".toml")?.to_owned();
                Some(PolicyName { name, builtin: false })
            })
            .collect();
        own.sort_by(|one, other| one.name.cmp(&other.name));
        names.extend(own);
        Ok(names)
    }

    fn put(&self, name: &str, text: &str) -> Result<(), HostError> {
        if Preset::named(name).is_some() {
            return Err(HostError::BadPolicyName(name.to_owned()));
        }
        let path = self.path(name)?;
        Policy::parse(name, text, Level::User)?;
        private_dir(&self.dir).map_err(HostError::file(&self.dir))?;
        // Whole or not at all.
        let new = path.with_extension("new");
        std::fs::write(&new, text)
            .and_then(|()| std::fs::rename(&new, &path))
            .map_err(HostError::file(&path))
    }
}

impl Host {
    /// All policies there are.
    pub async fn policies(&self) -> Result<Vec<PolicyName>, HostError> {
        let house = Arc::clone(&self.0);
        blocking(move || house.policies.names()).await
    }

    /// A policy.
    pub async fn policy(&self, name: &str) -> Result<PolicyFile, HostError> {
        let (house, name) = (Arc::clone(&self.0), name.to_owned());
        blocking(move || house.policies.text(&name)).await
    }

    /// Puts a policy there. Sessions that have it use it when they are opened next.
    pub async fn put_policy(&self, name: &str, text: &str) -> Result<(), HostError> {
        let (house, name, text) = (Arc::clone(&self.0), name.to_owned(), text.to_owned());
        blocking(move || house.policies.put(&name, &text)).await
    }
}
