//! Decides whether runs take the Claude Code configuration of the repository they start in.
//!
//! See [`crate::trust`] for what counts as configuration. The decision is made before every start
//! of a CLI, from the content at that moment.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use pilothouse_session::id::SessionId;
use schemars::JsonSchema;
use serde::Deserialize;

use super::house::blocking;
use super::profile::Profile;
use super::{Host, HostError, House};
use crate::store::{StoreError, TrustKind, TrustRow};
use crate::trust::{Content, Place, Standing, TrustAnswer, TrustReport, is_recorded};

/// Who trusts a directory because Claude Code had recorded it as trusted.
const CLAUDE_CODE: &str = "claude-code";

/// A person's decision about a repository.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrustDecision {
    /// A directory in the repository; absolute.
    pub directory: String,
    /// The digest from the report that the decision is about.
    pub digest: String,
    /// Whether, and for how long, the repository is trusted.
    pub answer: TrustAnswer,
    /// The session that the report was made for, if it was one.
    #[serde(default)]
    pub session: Option<SessionId>,
    /// Let the repository's hooks answer approvals in the place of a person. Needed to trust a
    /// repository that has hooks which can.
    #[serde(default)]
    pub hooks_may_answer: bool,
}

/// Why a decision about a repository was not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TrustError {
    /// The content is not what the person saw.
    #[error(
        "the configuration in {0} has changed since it was shown: look at it again, then decide"
    )]
    Changed(String),
    /// The content cannot be trusted.
    #[error("{0}")]
    Unfit(String),
    /// Hooks could answer approvals, and nobody has allowed that.
    #[error(
        "the repository has hooks that can answer approvals for you: allow that too \
         (`hooks_may_answer`), or do not trust it"
    )]
    Hooks,
    /// An answer for one session names none, or the session is elsewhere.
    #[error("name the session that the answer is for: one that works in {0}")]
    Session(String),
    /// There is nothing to forget.
    #[error("nothing was decided about {0}: `pilothouse trust ls` lists what was")]
    Unknown(String),
}

/// The configuration of a directory, and whether it is used.
#[derive(Debug)]
pub(crate) struct Checked {
    place: Place,
    content: Content,
    digest: String,
    standing: Standing,
    /// The files of the content that was trusted last.
    before: Option<BTreeMap<String, String>>,
}

impl Checked {
    pub(crate) fn is_trusted(&self) -> bool {
        self.standing.is_trusted()
    }

    pub(crate) fn digest(&self) -> &str {
        &self.digest
    }

    /// Variables for a run that is not trusted, after `count` git settings that it has already.
    pub(crate) fn quarantine(&self, count: usize) -> Vec<(OsString, OsString)> {
        match self.is_trusted() {
            true => Vec::new(),
            false => self.content.quarantine.environment(count),
        }
    }

    /// The directory whose content was looked at.
    pub(crate) fn cwd(&self) -> &Path {
        &self.place.cwd
    }

    /// A few of the files that differ from what was trusted last.
    pub(crate) fn changed_files(&self) -> String {
        list(&self.changed())
    }

    /// One line about what a run was not given, if there was something to give.
    pub(crate) fn left_out(&self) -> Option<String> {
        let (brings, cwd) = (self.content.brings.summary(), self.place.cwd.display());
        let left_out = format!(
            "Started with your own settings only; the repository's were left out: {brings}"
        );
        let changed = self.changed();
        let why = match (self.standing, &self.content.problem) {
            (Standing::Never, _) => {
                return Some(format!(
                    "{left_out}. You chose never to use them; `pilothouse trust rm {cwd}` removes \
                     that decision."
                ));
            }
            (Standing::Undecided, Some(problem)) => {
                return Some(format!("{left_out}. They cannot be trusted: {problem}."));
            }
            (Standing::Undecided, None) if changed.is_empty() => String::new(),
            (Standing::Undecided, None) => {
                format!(" (changed since it was trusted: {})", list(&changed))
            }
            _ => return None,
        };
        Some(format!(
            "{left_out}{why}. Review and trust them with `pilothouse trust add {cwd}` or in the web \
             client, then restart the session."
        ))
    }

    fn changed(&self) -> Vec<String> {
        let before = self.before.as_ref().filter(|_| !self.is_trusted());
        before.map(|before| self.content.changed_since(before)).unwrap_or_default()
    }

    fn report(self, directory: String) -> TrustReport {
        TrustReport {
            directory,
            root: self.place.root.display().to_string(),
            standing: self.standing,
            changed: self.changed(),
            digest: self.digest,
            brings: self.content.brings,
            problem: self.content.problem,
        }
    }
}

/// A few names of many.
fn list(names: &[String]) -> String {
    const SHOWN: usize = 3;
    let shown: Vec<_> = names.iter().take(SHOWN).map(String::as_str).collect();
    match names.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

impl House {
    fn home(&self, profile: &Profile) -> Option<PathBuf> {
        self.variable("HOME", profile).map(PathBuf::from).or_else(std::env::home_dir)
    }

    /// Looks at the configuration of a directory, and at the decisions about it. Blocks.
    pub(crate) fn check_trust(
        &self,
        cwd: &str,
        profile: &Profile,
        session: Option<SessionId>,
    ) -> Result<Checked, HostError> {
        let home = self.home(profile);
        let no_directory = |_| HostError::NoDirectory(cwd.to_owned());
        let place = Place::of(Path::new(cwd), home.as_deref()).map_err(no_directory)?;
        let content = Content::read(&place, &profile.add_dirs);
        let digest = content.digest();
        let root = place.root.display().to_string();
        let rows = self.store.trust_of(&root)?;
        let mut checked = Checked {
            standing: Standing::Undecided,
            before: last_files(&rows),
            place,
            content,
            digest,
        };
        checked.standing = checked.stands(&rows, session);
        let is_first = rows.is_empty() && checked.standing == Standing::Undecided;
        if is_first && self.is_trusted_by_claude(&checked, profile, home) {
            let row = checked.decision(TrustKind::ClaudeCode, CLAUDE_CODE);
            self.store.trust(row).wait()?;
            checked.standing = Standing::TrustedByClaudeCode;
        }
        Ok(checked)
    }

    /// Claude Code asks once for a directory, and does not ask about hooks that answer approvals.
    fn is_trusted_by_claude(
        &self,
        checked: &Checked,
        profile: &Profile,
        home: Option<PathBuf>,
    ) -> bool {
        let Checked { place, content, .. } = checked;
        // What another branch brings to a worktree is not what was recorded.
        let is_recorded_place = place.top == place.root && !place.is_everything();
        if !is_recorded_place || content.problem.is_some() || content.brings.can_answer() {
            return false;
        }
        let dir = self.variable("CLAUDE_CONFIG_DIR", profile).map(PathBuf::from).or(home);
        dir.is_some_and(|dir| is_recorded(&dir.join(".claude.json"), &place.root))
    }
}

impl Checked {
    fn stands(&self, rows: &[TrustRow], session: Option<SessionId>) -> Standing {
        if self.content.is_empty() {
            return Standing::Empty;
        }
        if rows.iter().any(|row| row.kind == TrustKind::Never) {
            return Standing::Never;
        }
        if self.content.problem.is_some() {
            return Standing::Undecided;
        }
        let fits = |row: &&TrustRow| {
            row.digest == self.digest && (row.hooks_may_answer || !self.content.brings.can_answer())
        };
        let fitting = || rows.iter().filter(fits);
        if fitting().any(|row| row.kind == TrustKind::Always) {
            Standing::Trusted
        } else if fitting().any(|row| row.kind == TrustKind::ClaudeCode) {
            Standing::TrustedByClaudeCode
        } else if fitting().any(|row| {
            row.kind == TrustKind::Session && row.session.is_some() && row.session == session
        }) {
            Standing::TrustedForSession
        } else {
            Standing::Undecided
        }
    }

    fn decision(&self, kind: TrustKind, actor: &str) -> TrustRow {
        TrustRow {
            root: self.place.root.display().to_string(),
            digest: self.digest.clone(),
            session: None,
            kind,
            hooks_may_answer: false,
            files: self.content.files.clone(),
            actor: actor.to_owned(),
            at: Timestamp::now(),
        }
    }
}

fn last_files(rows: &[TrustRow]) -> Option<BTreeMap<String, String>> {
    let last = rows.iter().find(|row| !matches!(row.kind, TrustKind::Never | TrustKind::Removed));
    last.map(|row| row.files.clone())
}

impl Host {
    /// Reports what the repository of a directory would bring to sessions, and whether it may.
    pub async fn trust_report(
        &self,
        directory: &str,
        session: Option<SessionId>,
    ) -> Result<TrustReport, HostError> {
        let checked = self.checked(directory, session).await?;
        Ok(checked.report(directory.to_owned()))
    }

    /// Takes a person's decision about a repository. It holds from the next start of a CLI on.
    pub async fn decide_trust(
        &self,
        decision: TrustDecision,
        actor: &str,
    ) -> Result<TrustReport, HostError> {
        let TrustDecision { directory, digest, answer, session, hooks_may_answer } = decision;
        let checked = self.checked(&directory, session).await?;
        let trusts = answer != TrustAnswer::Never;
        if trusts && checked.digest != digest {
            return Err(TrustError::Changed(directory).into());
        }
        if let Some(problem) = checked.content.problem.as_ref().filter(|_| trusts) {
            return Err(TrustError::Unfit(problem.clone()).into());
        }
        if trusts && checked.content.brings.can_answer() && !hooks_may_answer {
            return Err(TrustError::Hooks.into());
        }
        let mut row = checked.decision(kind_of(answer), actor);
        row.hooks_may_answer = hooks_may_answer && trusts;
        match answer {
            TrustAnswer::Always => {}
            TrustAnswer::Never => {
                row.digest = String::new();
                row.files = BTreeMap::new();
            }
            TrustAnswer::Session => {
                row.session = Some(self.session_in(&row.root, session).await?);
            }
        }
        self.0.store.trust(row).await?;
        self.trust_report(&directory, session).await
    }

    /// Decisions about repositories.
    pub async fn trust_list(&self) -> Result<Vec<TrustRow>, HostError> {
        self.read(crate::store::Store::trust_list).await
    }

    /// Removes all decisions about the repository of a directory, which may be gone.
    pub async fn forget_trust(&self, directory: &str, actor: &str) -> Result<(), HostError> {
        let (house, path) = (Arc::clone(&self.0), PathBuf::from(directory));
        let profile = self.0.options.defaults.profile.clone();
        let directory = directory.to_owned();
        let root = blocking(move || {
            let place = Place::of(&path, house.home(&profile).as_deref());
            Ok::<_, HostError>(place.map_or(directory, |place| place.root.display().to_string()))
        });
        let root = root.await?;
        match self.0.store.forget_trust(&root, actor).await? {
            true => Ok(()),
            false => Err(TrustError::Unknown(root).into()),
        }
    }

    async fn checked(
        &self,
        directory: &str,
        session: Option<SessionId>,
    ) -> Result<Checked, HostError> {
        let profile = match session {
            Some(session) => {
                let row = self.session(session).await?;
                serde_json::from_value(row.settings).map_err(StoreError::from)?
            }
            None => self.0.options.defaults.profile.clone(),
        };
        let (house, directory) = (Arc::clone(&self.0), directory.to_owned());
        blocking(move || {
            if !Path::new(&directory).is_absolute() {
                return Err(HostError::NoDirectory(directory));
            }
            house.check_trust(&directory, &profile, session)
        })
        .await
    }

    /// The session, if it works in this repository.
    async fn session_in(
        &self,
        root: &str,
        session: Option<SessionId>,
    ) -> Result<SessionId, HostError> {
        let Some(id) = session else { return Err(TrustError::Session(root.to_owned()).into()) };
        let cwd = self.session(id).await?.cwd;
        let checked = self.checked(&cwd, session).await?;
        match checked.place.root == Path::new(root) {
            true => Ok(id),
            false => Err(TrustError::Session(root.to_owned()).into()),
        }
    }
}

fn kind_of(answer: TrustAnswer) -> TrustKind {
    match answer {
        TrustAnswer::Session => TrustKind::Session,
        TrustAnswer::Always => TrustKind::Always,
        TrustAnswer::Never => TrustKind::Never,
    }
}
