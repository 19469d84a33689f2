//! Where the sessions of a directory are: project directories, transcripts, sidecars.
//!
//! Reading follows a project directory that is a symbolic link, because people move their
//! history to another disk that way. Changing anything does not follow it out of the projects
//! directory. Transcripts themselves are never followed.

use std::fs;
use std::path::{Path, PathBuf};

use super::files::{Ends, modified_ms};
use super::key::{LONGEST_KEY, Spellings, resolve};
use super::summary::Glimpse;
use super::worktrees::worktrees;
use super::{History, HistoryError, SessionId};

/// Which projects to look into.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// Every project there is.
    #[default]
    AllProjects,
    /// The project of a directory and of all git worktrees of its repository.
    Directory(PathBuf),
    /// The project of a directory, and no other.
    DirectoryAlone(PathBuf),
}

impl Scope {
    /// The project of a directory and of all git worktrees of its repository.
    pub fn directory(path: impl Into<PathBuf>) -> Self {
        Self::Directory(path.into())
    }

    /// The project of a directory, and no other.
    pub fn directory_alone(path: impl Into<PathBuf>) -> Self {
        Self::DirectoryAlone(path.into())
    }

    fn describe(&self) -> String {
        match self {
            Self::AllProjects => "any project".to_owned(),
            Self::Directory(path) | Self::DirectoryAlone(path) => {
                format!("the project of {}", path.display())
            }
        }
    }
}

/// A directory under `projects/`, and the working directory it was found for.
#[derive(Clone, Debug)]
pub(super) struct ProjectDir {
    pub(super) path: PathBuf,
    pub(super) project: Option<PathBuf>,
}

/// The project directories of a scope, and the working directories it stands for.
pub(super) struct Places {
    pub(super) dirs: Vec<ProjectDir>,
    /// The directory asked for and its worktrees; empty when there is only one.
    pub(super) own: Vec<PathBuf>,
}

/// A transcript that exists and is not empty.
#[derive(Clone, Debug)]
pub(super) struct Transcript {
    pub(super) path: PathBuf,
    pub(super) project: Option<PathBuf>,
    pub(super) modified_ms: i64,
}

impl Transcript {
    /// `None` for what is missing, empty, or not a regular file: the session is not here.
    fn at(path: PathBuf, project: Option<PathBuf>) -> Option<Self> {
        let metadata = path.symlink_metadata().ok()?;
        let here = metadata.is_file() && metadata.len() > 0;
        here.then(|| Self { path, project, modified_ms: modified_ms(&metadata) })
    }

    /// The directory of the session's subagents and sidecars.
    pub(super) fn side_dir(&self) -> PathBuf {
        self.path.with_extension("")
    }
}

impl History {
    /// The directories, of those which exist, that hold the sessions of one working directory.
    ///
    /// Usually one. There are more when CLI releases that name them differently were used.
    #[must_use]
    pub fn project_dirs(&self, directory: &Path) -> Vec<PathBuf> {
        self.dirs_of(&resolve(directory))
    }

    fn dirs_of(&self, resolved: &Path) -> Vec<PathBuf> {
        let projects = self.projects_dir();
        let spellings = Spellings::of(resolved);
        let mut dirs: Vec<PathBuf> = Vec::new();
        for name in self.project_dir_name.iter().cloned().chain(spellings.keys()) {
            let path = projects.join(name);
            if path.is_dir() && !dirs.contains(&path) {
                dirs.push(path);
            }
        }
        let long = spellings.uncut_long_keys();
        if !long.is_empty() {
            let prefixes: Vec<String> =
                long.iter().map(|uncut| format!("{}-", &uncut[..LONGEST_KEY])).collect();
            for path in subdirectories(&projects) {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                if prefixes.iter().any(|prefix| name.starts_with(prefix))
                    && !dirs.contains(&path)
                    && is_used_by(&path, &spellings)
                {
                    dirs.push(path);
                }
            }
        }
        dirs
    }

    /// The places a listing looks into.
    ///
    /// A repository without further worktrees adds nothing: listing one of its subdirectories
    /// does not show what ran at its root.
    pub(super) fn listed_places(&self, scope: &Scope) -> Places {
        self.places(scope, |worktrees| if worktrees.len() > 1 { worktrees } else { Vec::new() })
    }

    fn places(&self, scope: &Scope, further: fn(Vec<PathBuf>) -> Vec<PathBuf>) -> Places {
        let (directory, with_worktrees) = match scope {
            Scope::AllProjects => {
                let dirs = subdirectories(&self.projects_dir());
                let dirs = dirs.into_iter().map(|path| ProjectDir { path, project: None });
                return Places { dirs: dirs.collect(), own: Vec::new() };
            }
            Scope::Directory(directory) => (directory, true),
            Scope::DirectoryAlone(directory) => (directory, false),
        };
        let mut own = vec![resolve(directory)];
        if with_worktrees {
            for worktree in further(worktrees(&own[0])) {
                let worktree = resolve(&worktree);
                if !own.contains(&worktree) {
                    own.push(worktree);
                }
            }
        }
        let mut dirs: Vec<ProjectDir> = Vec::new();
        for project in &own {
            for path in self.dirs_of(project) {
                if !dirs.iter().any(|known| known.path == path) {
                    dirs.push(ProjectDir { path, project: Some(project.clone()) });
                }
            }
        }
        Places { dirs, own: if own.len() > 1 { own } else { Vec::new() } }
    }

    /// Every copy of a session's transcript, the one to prefer first.
    ///
    /// With a directory that is the one of the directory itself; among all projects it is the
    /// one written last, as in a listing.
    pub(super) fn copies(&self, session: &SessionId, scope: &Scope) -> Vec<Transcript> {
        let places = self.places(scope, |worktrees| worktrees);
        let mut found: Vec<Transcript> = places
            .dirs
            .into_iter()
            .filter_map(|dir| Transcript::at(dir.path.join(session.file_name()), dir.project))
            .collect();
        if *scope == Scope::AllProjects {
            found.sort_by(|a, b| {
                b.modified_ms.cmp(&a.modified_ms).then_with(|| a.path.cmp(&b.path))
            });
        }
        found
    }

    /// Where the transcript of a session is.
    ///
    /// # Errors
    /// [`HistoryError::SessionNotFound`].
    pub fn transcript(&self, session: &SessionId, scope: &Scope) -> Result<PathBuf, HistoryError> {
        self.find(session, scope).map(|transcript| transcript.path)
    }

    pub(super) fn find(
        &self,
        session: &SessionId,
        scope: &Scope,
    ) -> Result<Transcript, HistoryError> {
        // The directory itself goes first anyway, and asking git takes longer than looking.
        if let Scope::Directory(directory) = scope {
            let alone = Scope::DirectoryAlone(directory.clone());
            if let Some(here) = self.copies(session, &alone).into_iter().next() {
                return Ok(here);
            }
        }
        self.copies(session, scope).into_iter().next().ok_or_else(|| not_found(session, scope))
    }

    /// Refuses a transcript whose directory a symbolic link leads out of the projects directory.
    pub(super) fn check_inside(&self, transcript: &Transcript) -> Result<(), HistoryError> {
        let projects = self.projects_dir();
        let root =
            dunce::canonicalize(&projects).map_err(HistoryError::io("resolve", &projects))?;
        let dir = transcript.path.parent().unwrap_or(&transcript.path);
        let real = dunce::canonicalize(dir).map_err(HistoryError::io("resolve", dir))?;
        if real != root && real.starts_with(&root) {
            Ok(())
        } else {
            Err(HistoryError::OutsideProjects { path: dir.to_owned() })
        }
    }
}

pub(super) fn not_found(session: &SessionId, scope: &Scope) -> HistoryError {
    HistoryError::SessionNotFound { session: session.to_string(), searched: scope.describe() }
}

/// The directories in `dir`, by name; none when it cannot be read.
fn subdirectories(dir: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(dir) else {
        return Vec::new();
    };
    let mut dirs: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    dirs.sort();
    dirs
}

/// The transcripts in a project directory.
pub(super) fn transcripts(dir: &ProjectDir) -> Vec<(SessionId, Transcript)> {
    let Ok(entries) = fs::read_dir(&dir.path) else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter_map(|entry| {
            let session = SessionId::from_file_name(entry.file_name().to_str()?)?;
            Some((session, Transcript::at(entry.path(), dir.project.clone())?))
        })
        .collect()
}

/// Whether a session in a project directory says it ran in this working directory.
fn is_used_by(dir: &Path, spellings: &Spellings) -> bool {
    let dir = ProjectDir { path: dir.to_owned(), project: None };
    transcripts(&dir).into_iter().any(|(session, transcript)| {
        let Some(ends) = Ends::read(&transcript.path) else {
            return false;
        };
        let cwd = Glimpse::new(&transcript.path, &session, &ends).recorded_cwd();
        cwd.is_some_and(|cwd| spellings.same_dashes(&cwd))
    })
}
