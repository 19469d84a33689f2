-- What turns took, by model, in quarters of an hour since 1970: days begin at one, wherever people
-- are. The project is the session's.
CREATE TABLE usage (
    quarter INTEGER NOT NULL,
    session INTEGER NOT NULL REFERENCES sessions,
    model TEXT NOT NULL,
    cost REAL NOT NULL,
    input INTEGER NOT NULL,
    output INTEGER NOT NULL,
    cache_creation INTEGER NOT NULL,
    cache_read INTEGER NOT NULL,
    PRIMARY KEY (quarter, session, model)
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_session ON usage (session);

-- What the CLI has counted in a session's run so far: it counts from the run's start, so a turn took
-- what this has grown by. The model '' is all of them together.
CREATE TABLE counts (
    session INTEGER NOT NULL REFERENCES sessions,
    model TEXT NOT NULL,
    cost REAL NOT NULL,
    input INTEGER NOT NULL,
    output INTEGER NOT NULL,
    cache_creation INTEGER NOT NULL,
    cache_read INTEGER NOT NULL,
    PRIMARY KEY (session, model)
) STRICT, WITHOUT ROWID;
