//! Renaming, tagging, archiving and deleting.
//!
//! Titles and tags are appended to the transcript, where a running CLI picks them up. The file is
//! opened for appending and never created, and an empty one is not touched: the session is
//! elsewhere.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use jiff::Timestamp;

use super::files::open_regular;
use super::json::quoted;
use super::places::{Transcript, not_found};
use super::text::clean_tag;
use super::{History, HistoryError, Scope, SessionId};

impl History {
    /// Gives a session a title. The last one given counts.
    ///
    /// # Errors
    /// [`HistoryError::EmptyTitle`], [`HistoryError::SessionNotFound`],
    /// [`HistoryError::OutsideProjects`], [`HistoryError::Io`].
    pub fn rename(
        &self,
        session: &SessionId,
        title: &str,
        scope: &Scope,
    ) -> Result<(), HistoryError> {
        let title = title.trim();
        if title.is_empty() {
            return Err(HistoryError::EmptyTitle);
        }
        let line = format!(
            r#"{{"type":"custom-title","customTitle":{},"sessionId":"{session}"}}"#,
            quoted(title)
        );
        self.append(session, &line, scope)
    }

    /// Gives a session a tag, or takes it away with `None`.
    ///
    /// Compatibility characters are folded and invisible ones removed, so that equal-looking tags
    /// are equal.
    ///
    /// # Errors
    /// [`HistoryError::EmptyTag`], [`HistoryError::SessionNotFound`],
    /// [`HistoryError::OutsideProjects`], [`HistoryError::Io`].
    pub fn tag(
        &self,
        session: &SessionId,
        tag: Option<&str>,
        scope: &Scope,
    ) -> Result<(), HistoryError> {
        let tag = tag.map(clean_tag);
        if tag.as_deref() == Some("") {
            return Err(HistoryError::EmptyTag);
        }
        let line = format!(
            r#"{{"type":"tag","tag":{},"sessionId":"{session}"}}"#,
            quoted(&tag.unwrap_or_default())
        );
        self.append(session, &line, scope)
    }

    /// Marks a session as archived. It stays where it is and is still listed, marked so, until
    /// somebody prompts it again.
    ///
    /// # Errors
    /// [`HistoryError::SessionNotFound`], [`HistoryError::OutsideProjects`],
    /// [`HistoryError::Io`].
    pub fn archive(&self, session: &SessionId, scope: &Scope) -> Result<(), HistoryError> {
        self.mark(session, "true", scope)
    }

    /// Takes a session out of the archive.
    ///
    /// # Errors
    /// As for [`History::archive`].
    pub fn unarchive(&self, session: &SessionId, scope: &Scope) -> Result<(), HistoryError> {
        self.mark(session, "false", scope)
    }

    /// Deletes a session for good: its transcript, and the directory of its subagents.
    ///
    /// Of several copies, the one that a listing shows is deleted.
    ///
    /// # Errors
    /// [`HistoryError::SessionNotFound`], [`HistoryError::OutsideProjects`],
    /// [`HistoryError::Io`].
    pub fn delete(&self, session: &SessionId, scope: &Scope) -> Result<(), HistoryError> {
        let transcript = self.find(session, scope)?;
        self.check_inside(&transcript)?;
        let path = &transcript.path;
        match fs::remove_file(path) {
            Err(gone) if gone.kind() == io::ErrorKind::NotFound => {
                return Err(not_found(session, scope));
            }
            removed => removed.map_err(HistoryError::io("delete", path))?,
        }
        let side = transcript.side_dir();
        // Does not follow links, neither below nor when the directory itself is one.
        match fs::remove_dir_all(&side) {
            Err(gone) if gone.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed.map_err(HistoryError::io("delete", &side)),
        }
    }

    fn append(&self, session: &SessionId, line: &str, scope: &Scope) -> Result<(), HistoryError> {
        let transcript = self.find(session, scope)?;
        self.check_inside(&transcript)?;
        let path = &transcript.path;
        match append_line(path, line) {
            Ok(()) => Ok(()),
            Err(gone) if gone.kind() == io::ErrorKind::NotFound => Err(not_found(session, scope)),
            Err(refused) => Err(HistoryError::io("append to", path)(refused)),
        }
    }

    /// Every copy is marked, or an unmarked one would take its place in a listing.
    fn mark(&self, session: &SessionId, archived: &str, scope: &Scope) -> Result<(), HistoryError> {
        let copies = self.copies(session, scope);
        if copies.is_empty() {
            return Err(not_found(session, scope));
        }
        for copy in &copies {
            self.check_inside(copy)?;
        }
        let at = now();
        let mark = format!(r#"{{"archived":{archived},"at":"{at}","by":"sdk"}}"#);
        copies.iter().try_for_each(|copy| write_mark(copy, &mark))
    }
}

/// The present time as the CLI writes it: UTC with milliseconds.
pub(super) fn now() -> String {
    format!("{:.3}", Timestamp::now())
}

fn append_line(path: &Path, line: &str) -> io::Result<()> {
    let mut file = open_regular(path, OpenOptions::new().read(true).append(true))?;
    if file.metadata()?.len() == 0 {
        return Err(io::ErrorKind::NotFound.into());
    }
    // A CLI that was killed may have left half a line, which would swallow ours.
    let start = if ends_with_newline(&mut file)? { "" } else { "\n" };
    // In one write, so that lines of a running CLI do not come between.
    file.write_all(format!("{start}{line}\n").as_bytes())
}

fn ends_with_newline(file: &mut File) -> io::Result<bool> {
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

fn write_mark(transcript: &Transcript, mark: &str) -> Result<(), HistoryError> {
    let dir = transcript.side_dir();
    match make_private_dir(&dir) {
        Err(there) if there.kind() == io::ErrorKind::AlreadyExists => {}
        made => made.map_err(HistoryError::io("create", &dir))?,
    }
    if !dir.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return Err(HistoryError::OutsideProjects { path: dir });
    }
    let path = dir.join("archived.json");
    // Readers see the old mark or the new one, never half of it.
    let new = dir.join(format!(".archived-{}", uuid::Uuid::new_v4()));
    let written = create_private(&new)
        .and_then(|mut file| file.write_all(mark.as_bytes()))
        .and_then(|()| fs::rename(&new, &path));
    if written.is_err() {
        // Nothing else can be done about it than reporting the first error.
        let _ = fs::remove_file(&new);
    }
    written.map_err(HistoryError::io("write", &path))
}

fn make_private_dir(path: &Path) -> io::Result<()> {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "there are no modes"))]
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(path)
}

/// Creates a file that only its owner may read, and that does not exist yet.
pub(super) fn create_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)
}
