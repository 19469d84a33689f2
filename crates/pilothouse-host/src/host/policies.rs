//! Policies: those that come along, those that people put there, and those of projects.
//!
//! The data directory is off limits in every session. Then a session is decided by the host's own
//! policy files, then by the policy it has, and beside them by the one of the project it works in,
//! which can only make things stricter.

use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pilothouse_session::policy::{Level, PROTECTED, Place, Policy, PolicySet, Preset, check_path};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::house::blocking;
use super::links::real_path;
use super::{Host, HostError, Options};
use crate::private;
use crate::runner::{Ask, Mailbox};
use crate::store::{SessionRow, StoreError};

/// Where a project keeps its policy.
const PROJECT: &str = ".pilothouse/policy.toml";

/// The largest policy of a project.
const LARGEST_PROJECT: u64 = 256 * 1024;

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
    /// Those that every session has.
    files: Vec<PathBuf>,
    /// The data directory, as written and resolved.
    data_dirs: Vec<String>,
    /// More paths that presets deny.
    protected: Vec<String>,
    /// Whoever changes what sessions obey: of two changes the later one holds, for all.
    pub(super) changing: tokio::sync::Mutex<()>,
}

impl Policies {
    /// Opens the policies of a data directory and those of files, which have to be readable.
    pub(super) fn open(options: &Options) -> Result<Self, HostError> {
        for path in &options.policy_files {
            read_general(path)?;
        }
        let data_dir = &options.data_dir;
        let absolute = std::path::absolute(data_dir).map_err(HostError::file(data_dir))?;
        let written = absolute.to_string_lossy().into_owned();
        let mut data_dirs = vec![written];
        data_dirs.extend(real_path(&absolute).filter(|real| !data_dirs.contains(real)));
        Policy::off_limits(data_dirs.iter().map(String::as_str))?;
        let protected = options.protected_paths.clone();
        Policy::protecting(protected.iter().map(String::as_str))?;
        Ok(Self {
            dir: data_dir.join(crate::data_dir::POLICIES),
            files: options.policy_files.clone(),
            data_dirs,
            protected,
            changing: tokio::sync::Mutex::default(),
        })
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
        self.named_protecting(name, &[])
    }

    /// The policy of a name; a preset also denies `more` paths.
    fn named_protecting(&self, name: &str, more: &[String]) -> Result<Policy, HostError> {
        match Preset::named(name) {
            Some(preset) => {
                let more = self.protected.iter().chain(more).map(String::as_str);
                Ok(preset.protecting(more)?)
            }
            None => Ok(Policy::parse(name, &self.text(name)?.text, Level::User)?),
        }
    }

    /// The rules of a session with this policy. Where one cannot be read, nothing is let through:
    /// people are asked. `config_dir` is where the CLI keeps its own files.
    pub(super) fn set(
        &self,
        name: Option<&str>,
        place: &Place,
        config_dir: Option<&Path>,
    ) -> PolicySet {
        let more = self.more_protected(place, config_dir);
        let off_limits =
            Policy::off_limits(self.data_dirs.iter().map(String::as_str)).map_err(HostError::from);
        let named =
            name.filter(|name| !name.is_empty()).map(|name| self.named_protecting(name, &more));
        let files = self.files.iter().map(|path| read_general(path));
        let own = std::iter::once(off_limits).chain(files).chain(named);
        let mut policies: Vec<_> = own.map(|policy| or_ask(policy, Level::User)).collect();
        policies.extend(of_project(Path::new(&place.cwd)));
        PolicySet::new(policies)
    }

    /// Where the protected paths lead, if they are links themselves, and the CLI's credentials if
    /// they are elsewhere.
    fn more_protected(&self, place: &Place, config_dir: Option<&Path>) -> Vec<String> {
        let all = PROTECTED.iter().copied().chain(self.protected.iter().map(String::as_str));
        let mut more: Vec<String> =
            all.filter_map(|pattern| real_pattern(pattern, place)).collect();
        let credentials = config_dir.map(|dir| dir.join(".credentials.json"));
        let credentials = credentials.filter(|path| path.is_absolute());
        more.extend(credentials.iter().filter_map(|path| real_path(path)));
        more.extend(credentials.map(|path| path.to_string_lossy().into_owned()));
        more.retain(|pattern| check_path(pattern).is_ok());
        more
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
        private::dir(&self.dir).map_err(HostError::file(&self.dir))?;
        // Whole or not at all, and not into a file that somebody else is putting there.
        let new = path.with_extension(format!("{}.new", Uuid::new_v4()));
        let put = std::fs::write(&new, text).and_then(|()| std::fs::rename(&new, &path));
        if put.is_err() {
            let _ = std::fs::remove_file(&new);
        }
        put.map_err(HostError::file(&path))
    }
}

impl Policies {
    fn remove(&self, name: &str) -> Result<(), HostError> {
        let path = self.path(name)?;
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Err(HostError::NoPolicy(name.to_owned()))
            }
            removed => removed.map_err(HostError::file(&path)),
        }
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

    /// Puts a policy there. Sessions that have it use it from now on.
    pub async fn put_policy(&self, name: &str, text: &str) -> Result<(), HostError> {
        let _changing = self.0.policies.changing.lock().await;
        let (house, own, text) = (Arc::clone(&self.0), name.to_owned(), text.to_owned());
        blocking(move || house.policies.put(&own, &text)).await?;
        for (session, mailbox) in self.0.all_running() {
            match self.session(session).await {
                Ok(row) if row.policy.as_deref() == Some(name) => {
                    if let Err(error) = self.surround(&row, &mailbox).await {
                        tracing::error!(%session, %error, "a session keeps the policy it had");
                    }
                }
                // It is gone, or has another one.
                _ => {}
            }
        }
        Ok(())
    }

    /// Removes a policy that no session has, and that is not the usual one.
    pub async fn remove_policy(&self, name: &str) -> Result<(), HostError> {
        let own = name.to_owned();
        if let Some(session) = self.read(move |store| store.with_policy(&own)).await? {
            return Err(HostError::PolicyInUse { policy: name.to_owned(), session: Some(session) });
        }
        if self.0.options.defaults.policy.as_deref() == Some(name) {
            return Err(HostError::PolicyInUse { policy: name.to_owned(), session: None });
        }
        let (house, own) = (Arc::clone(&self.0), name.to_owned());
        blocking(move || house.policies.remove(&own)).await
    }

    /// Gives a session that is open the surroundings that it has by now.
    pub(super) async fn surround(
        &self,
        row: &SessionRow,
        mailbox: &Mailbox,
    ) -> Result<(), HostError> {
        let profile = serde_json::from_value(row.settings.clone()).map_err(StoreError::from)?;
        let (house, cwd, policy) = (Arc::clone(&self.0), row.cwd.clone(), row.policy.clone());
        let setup = blocking(move || house.setup(&cwd, &profile, policy.as_deref())).await;
        // One that has closed meanwhile reads it when it is opened.
        let _ = mailbox.send(Ask::Within(Box::new(setup))).await;
        Ok(())
    }
}

/// The policy of the project in `dir`, if it has one. Whoever wrote the project wrote this file, so
/// nothing in it is believed: what cannot be read asks.
fn of_project(dir: &Path) -> Option<Policy> {
    let path = dir.join(PROJECT);
    let policy = match read_project(&path) {
        Ok(None) => return None,
        Ok(Some(text)) => Policy::parse(PROJECT, &text, Level::Project).map_err(HostError::from),
        Err(reason) => Err(HostError::File { path, reason }),
    };
    Some(or_ask(policy, Level::Project))
}

/// In the place of a policy that cannot be read, one that asks people.
fn or_ask(policy: Result<Policy, HostError>, level: Level) -> Policy {
    let error = match policy {
        Ok(policy) => return policy,
        Err(error) => error,
    };
    tracing::error!(%error, "a policy cannot be read; people are asked instead");
    Policy::asking_about_everything("a policy that cannot be read", level)
}

/// A pattern below the home directory whose start is a link, with the link resolved.
fn real_pattern(pattern: &str, place: &Place) -> Option<String> {
    let (home, rest) = (place.home.as_deref()?, pattern.strip_prefix("~/")?);
    let (start, end) = match rest.find(['*', '?']) {
        Some(at) => rest.split_at(rest[..at].rfind('/').map_or(0, |slash| slash + 1)),
        None => (rest, ""),
    };
    let start = Path::new(home).join(start.trim_end_matches('/'));
    let real = real_path(&start)?;
    let is_link = Path::new(&real) != start;
    is_link.then(|| format!("{real}/{end}").trim_end_matches('/').to_owned())
}

/// A policy that every session has.
fn read_general(path: &Path) -> Result<Policy, HostError> {
    let text = std::fs::read_to_string(path).map_err(HostError::file(path))?;
    Ok(Policy::parse(&path.to_string_lossy(), &text, Level::User)?)
}

/// The text of a file that may be anything: a link, a pipe, endless.
fn read_project(path: &Path) -> io::Result<Option<String>> {
    let file = match private::open_regular(path) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        file => file?,
    };
    let mut text = String::new();
    if file.take(LARGEST_PROJECT + 1).read_to_string(&mut text)? as u64 > LARGEST_PROJECT {
        return Err(io::Error::other("it is too large"));
    }
    Ok(Some(text))
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use pilothouse_session::policy::{Call, Verdict};
    use pilothouse_wire::Raw;
    use pilothouse_wire::permission::PermissionMode;

    use super::super::house::House;
    use super::super::profile::Profile;
    use super::*;
    use crate::holder::HolderProgram;

    fn options(dir: &Path) -> Options {
        let holder = HolderProgram { exe: "none".into(), args: Vec::new() };
        Options::new(dir.join("data"), holder)
    }

    #[tokio::test]
    async fn sessions_have_the_variables_that_runs_inherit() {
        let dir = tempfile::tempdir().unwrap();
        let inherited = std::env::var("PATH").ok();
        let house = House::open(options(dir.path())).await.unwrap();
        assert_eq!(house.variable("PATH", &Profile::default()), inherited);
        std::fs::create_dir(dir.path().join("other")).unwrap();
        let cleared = Options { clear_env: true, ..options(&dir.path().join("other")) };
        let house = House::open(cleared).await.unwrap();
        assert_eq!(house.variable("PATH", &Profile::default()), None);
    }

    #[test]
    fn credentials_are_protected_where_they_really_are() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path().canonicalize().unwrap();
        let real = dir.join("vault/credentials");
        std::fs::create_dir_all(dir.join("vault")).unwrap();
        std::fs::create_dir_all(dir.join("config")).unwrap();
        std::fs::write(&real, "").unwrap();
        symlink(&real, dir.join("config/.credentials.json")).unwrap();
        let policies = Policies::open(&options(&dir)).unwrap();
        let place = Place::at(dir.to_string_lossy());
        let set = policies.set(Some("autonomous"), &place, Some(&dir.join("config")));
        for path in [&real, &dir.join("config/.credentials.json")] {
            let input = Raw::from(serde_json::json!({ "file_path": path }));
            let mode = PermissionMode::Default;
            let decision = set.decide(&Call::new("Read", &input, &mode), &place);
            assert!(matches!(decision.verdict, Verdict::Deny { .. }), "{path:?}");
        }
    }
}
