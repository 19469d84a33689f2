//! Finds the files of a repository that its commands name.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use serde_json::Value;

use super::super::names::names;
use super::{ContentError, Reader};

/// The most paths that commands can name.
pub(super) const MOST_NAMES: usize = 100_000;
/// The most directories of one command that its other words may be relative to.
const MOST_BASES: usize = 16;

/// Endings that programs add to the name of a script or a module.
const ENDINGS: [&str; 8] =
    [".js", ".mjs", ".cjs", ".ts", ".py", ".sh", "/index.js", "/__main__.py"];

impl Reader<'_> {
    /// Every text of a settings file may be a command, or an argument of one. Rules of permissions
    /// name files too, and run none.
    pub(super) fn named_in_json(
        &mut self,
        label: &str,
        value: &Value,
        is_market: bool,
    ) -> Result<(), ContentError> {
        match value {
            Value::String(text) if is_market => self.named_market(label, text),
            Value::String(text) => self.named(text),
            Value::Array(values) => {
                values.iter().try_for_each(|value| self.named_in_json(label, value, is_market))
            }
            Value::Object(map) => {
                let used = map.iter().filter(|(key, _)| *key != "permissions");
                let mut used =
                    used.map(|(key, value)| (is_market || key == "extraKnownMarketplaces", value));
                used.try_for_each(|(is_market, value)| self.named_in_json(label, value, is_market))
            }
            _ => Ok(()),
        }
    }

    /// The files that a command names. After `cd tools`, names can be relative to that directory.
    pub(super) fn named(&mut self, command: &str) -> Result<(), ContentError> {
        let names = names(command);
        let mut bases = vec![self.place.cwd.clone(), self.place.top.clone()];
        for name in &names {
            let dirs = self.candidates(name, &bases[..2]).into_iter().filter(|path| path.is_dir());
            bases.extend(dirs.take(MOST_BASES - bases.len().min(MOST_BASES)));
        }
        for name in &names {
            match name.find(['*', '?', '[']) {
                Some(at) => self.named_by_pattern(&name[..at], &bases)?,
                None => self.named_by_word(name, &bases)?,
            }
        }
        Ok(())
    }

    fn named_by_word(&mut self, name: &str, bases: &[PathBuf]) -> Result<(), ContentError> {
        self.look(name, bases)?;
        for ending in ENDINGS {
            self.look(&format!("{name}{ending}"), bases)?;
        }
        // A module: `python -m tools.hook`.
        if name.contains('.') && !name.contains('/') {
            let module = name.replace('.', "/");
            for ending in [".py", "/__main__.py"] {
                self.look(&format!("{module}{ending}"), bases)?;
            }
        }
        Ok(())
    }

    /// A pattern stands for all files of its directory. One without a directory may match names of
    /// tools, and is left out.
    fn named_by_pattern(&mut self, before: &str, bases: &[PathBuf]) -> Result<(), ContentError> {
        let Some((dir, _)) = before.rsplit_once('/') else { return Ok(()) };
        let mut dirs = self.candidates(dir, bases);
        if dir == "." {
            dirs.extend(bases.iter().cloned());
        }
        dirs.into_iter().filter(|dir| dir.is_dir()).try_for_each(|dir| self.direct_files(&dir))
    }

    fn look(&mut self, name: &str, bases: &[PathBuf]) -> Result<(), ContentError> {
        for path in self.candidates(name, bases) {
            if !self.looked.insert(path.clone()) {
                continue;
            }
            if self.looked.len() > MOST_NAMES {
                return Err(ContentError::TooManyNames);
            }
            self.note_link(&path);
            match fs::metadata(&path) {
                // A directory that is named stands for the program in it, not for all below it.
                Ok(meta) if meta.is_dir() && !self.place.cwd.starts_with(&path) => {
                    self.direct_files(&path)?;
                }
                Ok(meta) if meta.is_dir() => {}
                Ok(_) => self.named_file(&path)?,
                // A file that is added later changes the digest.
                Err(_) => {}
            }
        }
        Ok(())
    }

    fn named_file(&mut self, path: &Path) -> Result<(), ContentError> {
        let label = self.label(path);
        if !self.content.files.contains_key(&label)
            && let Some(hashed) = self.hash(path)?
        {
            self.content.files.insert(label, hashed.digest);
        }
        Ok(())
    }

    fn direct_files(&mut self, dir: &Path) -> Result<(), ContentError> {
        let mut files = self.entries(dir)?.into_iter().filter(|path| path.is_file());
        files.try_for_each(|path| self.named_file(&path))
    }

    /// A marketplace of plugins in the repository, by its directory or by a file in its
    /// `.claude-plugin`: all of it can be loaded.
    fn named_market(&mut self, label: &str, name: &str) -> Result<(), ContentError> {
        let bases = [self.place.cwd.clone(), self.place.top.clone()];
        let mut whole = bases.iter().map(|base| normal(&base.join(name)));
        if !name.is_empty() && whole.any(|path| self.holds(&path)) {
            return Err(ContentError::Marketplace(label.to_owned()));
        }
        for path in self.candidates(name, &bases) {
            let dir = match path.is_file() {
                true => path.ancestors().nth(2).map(Path::to_owned).unwrap_or_default(),
                false => path,
            };
            if !dir.is_dir() {
                continue;
            }
            if self.holds(&dir) {
                return Err(ContentError::Marketplace(label.to_owned()));
            }
            self.tree(&dir, 1)?;
        }
        Ok(())
    }

    /// Whether a directory holds the repository or the working directory, and so more than itself.
    fn holds(&self, dir: &Path) -> bool {
        self.place.top.starts_with(dir) || self.place.cwd.starts_with(dir)
    }

    /// The paths of the repository that a name can mean.
    fn candidates(&self, name: &str, bases: &[PathBuf]) -> BTreeSet<PathBuf> {
        let top = &self.place.top;
        let inside = name.trim_start_matches('/');
        let paths = bases.iter().flat_map(|base| [base.join(name), base.join(inside)]);
        let normal = paths.map(|path| normal(&path));
        normal.filter(|path| path.starts_with(top) && path != top).collect()
    }
}

/// Without `.` and `..`, by the letter.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}
