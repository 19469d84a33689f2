-- Times are microseconds since 1970. Sessions are numbered here, and a number is never used again:
-- rows elsewhere, and the search index, name a session by it.
CREATE TABLE sessions (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    id BLOB NOT NULL UNIQUE,
    cwd TEXT NOT NULL,
    title TEXT,
    -- Whether a person chose the title: then the CLI's own do not replace it.
    is_title_chosen INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    is_archived INTEGER NOT NULL DEFAULT 0,
    status TEXT NOT NULL DEFAULT 'dormant',
    cli_session TEXT,
    model TEXT,
    mode TEXT,
    policy TEXT,
    settings TEXT NOT NULL DEFAULT '{}',
    open_approvals INTEGER NOT NULL DEFAULT 0,
    -- The last event that somebody should see, and the last one that somebody saw.
    notable_seq INTEGER NOT NULL DEFAULT 0,
    read_seq INTEGER NOT NULL DEFAULT 0,
    needs_you INTEGER NOT NULL
        GENERATED ALWAYS AS (open_approvals > 0 OR status = 'interrupted') VIRTUAL,
    is_unread INTEGER NOT NULL GENERATED ALWAYS AS (notable_seq > read_seq) VIRTUAL
) STRICT;
CREATE INDEX sessions_listed ON sessions (is_archived, needs_you, updated_at, no);
CREATE INDEX sessions_cli ON sessions (cli_session) WHERE cli_session IS NOT NULL;

CREATE TABLE tags (
    session INTEGER NOT NULL REFERENCES sessions,
    tag TEXT NOT NULL,
    PRIMARY KEY (session, tag)
) STRICT, WITHOUT ROWID;
CREATE INDEX tags_named ON tags (tag);

-- A row holds `count` events from number `first` on, one JSON text per line. Rows of few events at
-- the end of a session are merged when there are enough of them.
CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES sessions,
    first INTEGER NOT NULL,
    count INTEGER NOT NULL,
    body TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX events_numbered ON events (session, first);

-- The state of a session's machine, and how much of its run's wire log is in it.
CREATE TABLE states (
    session INTEGER PRIMARY KEY REFERENCES sessions,
    seq INTEGER NOT NULL,
    run BLOB,
    lines INTEGER NOT NULL,
    "offset" INTEGER NOT NULL,
    saved_at INTEGER NOT NULL,
    state TEXT NOT NULL
) STRICT;

CREATE TABLE approvals (
    session INTEGER NOT NULL REFERENCES sessions,
    approval INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    requested_at INTEGER NOT NULL,
    state TEXT NOT NULL,
    tool_name TEXT,
    -- The request, as long as it is open; the event has it for good.
    request TEXT,
    settled_at INTEGER,
    decision TEXT,
    decided_by TEXT,
    PRIMARY KEY (session, approval)
) STRICT;
CREATE INDEX approvals_open ON approvals (requested_at) WHERE state = 'open';

CREATE TABLE prompts (
    prompt BLOB PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES sessions,
    key TEXT,
    digest TEXT,
    state TEXT NOT NULL,
    at INTEGER NOT NULL,
    UNIQUE (session, key)
) STRICT, WITHOUT ROWID;

-- Names sessions by their ids: a line stays when its session is gone. Holds nothing that was said.
CREATE TABLE audit (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    session BLOB,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    detail TEXT NOT NULL
) STRICT;
CREATE INDEX audit_session ON audit (session, no) WHERE session IS NOT NULL;
CREATE TRIGGER audit_stays BEFORE DELETE ON audit
BEGIN SELECT raise(ABORT, 'the audit is only appended to'); END;
CREATE TRIGGER audit_is_unchanged BEFORE UPDATE ON audit
BEGIN SELECT raise(ABORT, 'the audit is only appended to'); END;

CREATE TABLE blobs (
    no INTEGER PRIMARY KEY,
    sha256 BLOB NOT NULL UNIQUE,
    size INTEGER NOT NULL,
    data BLOB NOT NULL
) STRICT;
CREATE TABLE attachments (
    session INTEGER NOT NULL REFERENCES sessions,
    blob INTEGER NOT NULL REFERENCES blobs,
    media_type TEXT NOT NULL,
    name TEXT,
    at INTEGER NOT NULL,
    PRIMARY KEY (session, blob)
) STRICT, WITHOUT ROWID;
CREATE INDEX attachments_blob ON attachments (blob);

CREATE TABLE claims (
    session INTEGER PRIMARY KEY REFERENCES sessions,
    owner TEXT,
    token INTEGER NOT NULL,
    until INTEGER NOT NULL
) STRICT;

CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
