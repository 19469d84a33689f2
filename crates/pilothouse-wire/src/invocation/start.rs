//! Which conversation a run starts with.
//!
//! The CLI refuses half of the combinations of its flags for this. The shapes here allow only those
//! that work: a chosen id only for a conversation that is new, a cut only in one that is resumed by
//! id, a guard only on a cut.

/// Which conversation the run starts with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// A new one.
    New {
        /// Its id, a UUID that is not in use. Left out, the CLI picks one.
        session_id: Option<String>,
    },
    /// The latest one of the working directory.
    Continue {
        /// As a copy with an id of its own.
        fork: Option<Fork>,
    },
    /// A known one.
    Resume(Resume),
}

/// A conversation that is taken up again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resume {
    /// Its id. CLIs of late 2026 take a title too.
    pub session: String,
    /// As a copy with an id of its own.
    pub fork: Option<Fork>,
    /// Only up to an entry.
    pub cut: Option<Cut>,
}

/// A copy of a conversation; the original stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fork {
    /// The id of the copy, a UUID that is not in use. Left out, the CLI picks one.
    pub session_id: Option<String>,
}

/// Where a resumed conversation ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The uuid of the last entry that is kept.
    pub at: String,
    /// The uuid of the prompt that the cut is meant to drop. If the cut would drop something else,
    /// the run fails with a text that begins `Resume rejected by --resume-drops-turn:`. Trying
    /// again does not help then.
    pub drops_turn: Option<String>,
}

impl Default for Start {
    fn default() -> Self {
        Self::New { session_id: None }
    }
}

impl Start {
    /// A new conversation with an id chosen by the host.
    pub fn new(session_id: impl Into<String>) -> Self {
        Self::New { session_id: Some(session_id.into()) }
    }

    /// The latest conversation of the working directory.
    pub fn latest() -> Self {
        Self::Continue { fork: None }
    }
}

impl From<Resume> for Start {
    fn from(resume: Resume) -> Self {
        Self::Resume(resume)
    }
}

impl Resume {
    /// The conversation with this id.
    ///
    /// ```
    /// use pilothouse_wire::invocation::{Invocation, Resume};
    ///
    /// let session = "b3f7c1de-5d42-4a51-9f4e-0c6a3f1f2a10";
    /// let entry = "0d0c6f0a-43a4-4d0e-8a51-6a1f0b7d8e11";
    /// let argv = Invocation::new().start(Resume::session(session).forked().cut_at(entry)).argv()?;
    /// assert_eq!(argv.last().unwrap(), "--resume-session-at=0d0c6f0a-43a4-4d0e-8a51-6a1f0b7d8e11");
    /// # Ok::<(), pilothouse_wire::invocation::InvocationError>(())
    /// ```
    pub fn session(id: impl Into<String>) -> Self {
        Self { session: id.into(), fork: None, cut: None }
    }

    /// As a copy.
    pub fn forked(mut self) -> Self {
        self.fork = Some(Fork::default());
        self
    }

    /// As a copy with an id chosen by the host.
    pub fn forked_as(mut self, session_id: impl Into<String>) -> Self {
        self.fork = Some(Fork { session_id: Some(session_id.into()) });
        self
    }

    /// Only up to and including the entry `uuid`.
    pub fn cut_at(mut self, uuid: impl Into<String>) -> Self {
        self.cut = Some(Cut { at: uuid.into(), drops_turn: None });
        self
    }

    /// Only up to and including the entry `uuid`, and only if that drops the turn of the prompt
    /// `turn`. CLIs before 2.1.325 may not know this guard.
    pub fn cut_before(mut self, turn: impl Into<String>, uuid: impl Into<String>) -> Self {
        self.cut = Some(Cut { at: uuid.into(), drops_turn: Some(turn.into()) });
        self
    }
}
