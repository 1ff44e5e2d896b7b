PRAGMA application_id = 1215262571;
PRAGMA user_version = 2;
BEGIN TRANSACTION;
CREATE TABLE chunks (
        key INTEGER PRIMARY KEY, path TEXT NOT NULL REFERENCES files (path), position INTEGER NOT NULL,
        first_line INTEGER NOT NULL, last_line INTEGER NOT NULL, heading TEXT NOT NULL, text TEXT NOT NULL,
        source TEXT NOT NULL, origin TEXT NOT NULL, created_at TEXT, terms TEXT NOT NULL, digest BLOB NOT NULL,
        generation INTEGER NOT NULL
    );
INSERT INTO "chunks" VALUES(1,'memory/2026-02-09.md',0,1,1,'Harbour > Ferry','The ferry leaves at nine','memory','note','2026-02-09T00:00:00+00:00','the ferry leaves at nine',X'C8BAB2C9E2CEB507FD895FDCC9A5D6DE',1795370129059);
INSERT INTO "chunks" VALUES(2,'memory/2026-02-09.md',1,2,2,'Harbour > Ferry','The pier is closed in winter','memory','note','2026-02-09T00:00:00+00:00','the pier is closed in winter',X'F9681CFFCD2D91A9B104207BE56D11F3',1795370129059);
INSERT INTO "chunks" VALUES(3,'memory/2026-02-09.md',2,3,3,'Harbour > Ferry','The old harbour master drinks','memory','note','2026-02-09T00:00:00+00:00','the old harbour master drinks',X'448D6DAD8F33095D202B54E37060DAB6',1795370129059);
CREATE TABLE counter (generation INTEGER NOT NULL, first INTEGER NOT NULL, pruned INTEGER NOT NULL);
INSERT INTO "counter" VALUES(1795370129060,1795370129058,1795370129058);
CREATE TABLE embeddings (
        digest BLOB NOT NULL, model INTEGER NOT NULL REFERENCES models (id), vector BLOB NOT NULL,
        generation INTEGER NOT NULL, PRIMARY KEY (model, digest)
    );
INSERT INTO "embeddings" VALUES(X'C8BAB2C9E2CEB507FD895FDCC9A5D6DE',1,X'0000803F000000000000000000000000',1795370129060);
INSERT INTO "embeddings" VALUES(X'F9681CFFCD2D91A9B104207BE56D11F3',1,X'000000000000803F0000000000000000',1795370129060);
CREATE TABLE events (
        id INTEGER PRIMARY KEY, at TEXT NOT NULL, kind TEXT NOT NULL, session TEXT NOT NULL, injection TEXT NOT NULL,
        data TEXT NOT NULL
    );
INSERT INTO "events" VALUES(1,'2026-02-10T09:00:00+00:00','injection','s','i1','{"prompt": "when does the ferry leave?", "chunks": ["0000000000000001", "0000000000000002"]}');
INSERT INTO "events" VALUES(2,'2026-02-10T09:00:00+00:00','turn','s','i1','{"used": ["0000000000000001"]}');
INSERT INTO "events" VALUES(3,'2026-02-10T09:00:00+00:00','injection','s','i2','{"prompt": "and the pier?", "chunks": ["0000000000000002"]}');
CREATE TABLE files (
        path TEXT PRIMARY KEY, digest TEXT NOT NULL, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
        recipe TEXT NOT NULL
    ) WITHOUT ROWID;
INSERT INTO "files" VALUES('memory/2026-02-09.md','d1',10,20,'chunker-1');
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO "meta" VALUES('agent','"main"');
INSERT INTO "meta" VALUES('folders','[{"root": "/notes", "layout": "workspace"}]');
CREATE TABLE models (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, dimension INTEGER NOT NULL);
INSERT INTO "models" VALUES(1,'hash-4',4);
CREATE TABLE tombstones (key INTEGER PRIMARY KEY, generation INTEGER NOT NULL);
CREATE TABLE uses (key INTEGER PRIMARY KEY, retrievals INTEGER NOT NULL, citations INTEGER NOT NULL);
INSERT INTO "uses" VALUES(1,1,1);
INSERT INTO "uses" VALUES(2,1,0);
CREATE INDEX chunks_by_path ON chunks (path, position);
CREATE INDEX chunks_by_generation ON chunks (generation);
CREATE INDEX chunks_by_digest ON chunks (digest);
CREATE INDEX tombstones_by_generation ON tombstones (generation);
CREATE INDEX embeddings_by_generation ON embeddings (model, generation);
CREATE VIEW notes AS
        SELECT printf('%016x', key) AS id, path, first_line || '-' || last_line AS lines, heading, text, created_at,
               (SELECT count(*) FROM embeddings e WHERE e.digest = c.digest) AS embeddings
        FROM chunks c ORDER BY path, position;
CREATE VIEW note_files AS
        SELECT path, size, datetime(mtime_ns / 1000000000, 'unixepoch') AS modified, recipe,
               (SELECT count(*) FROM chunks c WHERE c.path = f.path) AS chunks
        FROM files f ORDER BY path;
CREATE INDEX events_by_session ON events (session, id);
CREATE INDEX chunks_by_date ON chunks (created_at);
COMMIT;
