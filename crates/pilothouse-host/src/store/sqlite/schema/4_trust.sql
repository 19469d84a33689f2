-- Decisions about the Claude Code configuration of repositories. `digest` names the content that a
-- decision is about, and is empty where it is about every content; `session` is the id of the one
-- session that it holds for, and empty where it holds for all.
CREATE TABLE trust (
    root TEXT NOT NULL,
    digest TEXT NOT NULL,
    session TEXT NOT NULL,
    kind TEXT NOT NULL,
    hooks_may_answer INTEGER NOT NULL,
    files TEXT NOT NULL,
    actor TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (root, kind, digest, session)
) STRICT, WITHOUT ROWID;
