//! Whether the CLI has written down what it was told.

use super::index::Index;
use super::{History, HistoryError, Scope, SessionId};

impl History {
    /// Which of these messages are in the transcript of a session, by the ids that they were sent
    /// with.
    ///
    /// The CLI writes a prompt down a moment after it has begun to work on it. One that is killed
    /// before has forgotten the prompt when it is resumed. A line that was not finished does not
    /// count: the CLI cannot read it either.
    ///
    /// # Errors
    /// [`HistoryError::SessionNotFound`], and [`HistoryError::Io`] when the transcript cannot be
    /// read.
    pub fn recorded<'a>(
        &self,
        session: &SessionId,
        scope: &Scope,
        uuids: impl IntoIterator<Item = &'a str>,
    ) -> Result<Vec<&'a str>, HistoryError> {
        let transcript = self.find(session, scope)?;
        let index =
            Index::read(&transcript.path).map_err(HistoryError::io("read", &transcript.path))?;
        Ok(uuids.into_iter().filter(|uuid| index.has(uuid)).collect())
    }
}
