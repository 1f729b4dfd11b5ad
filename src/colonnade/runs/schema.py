"""The store's tables. `docs/runs.md` shows how to read them with pandas, DuckDB and Polars.

A run is one experiment with one seed. Its `identity` is a digest of `spec`, which says it in full; `setting`
is the same without the seed. A session is one driver, as long as it lives; a run that is running belongs to
one, and only that one may write of it.
"""

APPLICATION = 0x436F6C6F  # "Colo": SQLite files say what program they belong to
VERSION = 1

TABLES = """
CREATE TABLE sweeps (
    id      INTEGER PRIMARY KEY,
    name    TEXT NOT NULL UNIQUE,
    about   TEXT NOT NULL,              -- JSON: what it asks, its axes, what is best
    created REAL NOT NULL               -- seconds since 1970, as all times here
);
CREATE TABLE sessions (
    id       INTEGER PRIMARY KEY,
    host     TEXT NOT NULL,
    process  INTEGER NOT NULL,
    started  REAL NOT NULL,
    seen     REAL NOT NULL,             -- when it last said that it lives
    ended    REAL,
    code     TEXT NOT NULL,             -- the commit, or the release
    versions TEXT NOT NULL              -- JSON: of Python and the packages
);
CREATE TABLE runs (
    id          INTEGER PRIMARY KEY,
    identity    TEXT NOT NULL UNIQUE,
    setting     TEXT NOT NULL,
    seed        INTEGER NOT NULL,
    spec        TEXT NOT NULL,          -- JSON
    status      TEXT NOT NULL DEFAULT 'waiting'
                CHECK (status IN ('waiting', 'running', 'finished', 'failed')),
    session     INTEGER REFERENCES sessions (id),
    steps       INTEGER NOT NULL,       -- how many there will be
    step        INTEGER NOT NULL DEFAULT 0,
    started     REAL,
    finished    REAL,
    seconds     REAL NOT NULL DEFAULT 0,    -- of work, restarts included
    attempts    INTEGER NOT NULL DEFAULT 0,
    peak_memory INTEGER,                -- bytes, of the process that it ran in
    failure     TEXT
);
CREATE INDEX runs_by_setting ON runs (setting);
CREATE INDEX runs_by_status ON runs (status);
CREATE TABLE members (
    sweep INTEGER NOT NULL REFERENCES sweeps (id),
    run   INTEGER NOT NULL REFERENCES runs (id),
    label TEXT NOT NULL,                -- JSON: the run's place on each axis of the sweep
    PRIMARY KEY (sweep, run)
) WITHOUT ROWID;
CREATE TABLE metrics (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);
CREATE TABLE points (
    run    INTEGER NOT NULL REFERENCES runs (id),
    metric INTEGER NOT NULL REFERENCES metrics (id),
    step   INTEGER NOT NULL,
    value  REAL,                        -- NULL is not a number
    PRIMARY KEY (run, metric, step)
) WITHOUT ROWID;
CREATE TABLE checkpoints (
    task  TEXT PRIMARY KEY,             -- the identities of the runs that run side by side, digested
    step  INTEGER NOT NULL,
    saved BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE artifacts (
    run     INTEGER NOT NULL REFERENCES runs (id),
    name    TEXT NOT NULL,
    content BLOB NOT NULL,
    PRIMARY KEY (run, name)
) WITHOUT ROWID;
CREATE VIEW series AS
    SELECT sweeps.name AS sweep, runs.identity AS run, runs.setting, runs.seed, members.label,
           metrics.name AS metric, points.step, points.value
    FROM points JOIN runs ON runs.id = points.run JOIN metrics ON metrics.id = points.metric
    JOIN members ON members.run = runs.id JOIN sweeps ON sweeps.id = members.sweep;
"""
