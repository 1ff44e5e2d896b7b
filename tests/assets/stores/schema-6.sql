PRAGMA application_id = 1215262571;
PRAGMA user_version = 6;
BEGIN TRANSACTION;
CREATE TABLE chunks (
        key INTEGER PRIMARY KEY, path TEXT NOT NULL REFERENCES files (path), position INTEGER NOT NULL,
        first_line INTEGER NOT NULL, last_line INTEGER NOT NULL, heading TEXT NOT NULL, text TEXT NOT NULL,
        source TEXT NOT NULL, origin TEXT NOT NULL, created_at TEXT, terms TEXT NOT NULL, digest BLOB NOT NULL,
        generation INTEGER NOT NULL
    , context_generation INTEGER NOT NULL DEFAULT 0);
INSERT INTO "chunks" VALUES(1,'memory/2026-02-09.md',0,1,1,'Harbour > Ferry','The ferry leaves at nine','memory','note','2026-02-09T00:00:00+00:00','the ferry leaves at nine',X'C8BAB2C9E2CEB507FD895FDCC9A5D6DE',1795370129949,1795370129953);
INSERT INTO "chunks" VALUES(2,'memory/2026-02-09.md',1,2,2,'Harbour > Ferry','The pier is closed in winter','memory','note','2026-02-09T00:00:00+00:00','the pier is closed in winter',X'F9681CFFCD2D91A9B104207BE56D11F3',1795370129949,1795370129953);
CREATE TABLE counter (generation INTEGER NOT NULL, first INTEGER NOT NULL, pruned INTEGER NOT NULL);
INSERT INTO "counter" VALUES(1795370129953,1795370129948,1795370129953);
CREATE TABLE counts (
        name TEXT NOT NULL, labels TEXT NOT NULL, amount REAL NOT NULL, PRIMARY KEY (name, labels)
    ) WITHOUT ROWID;
INSERT INTO "counts" VALUES('hookclaw_recalls','injected',2.0);
CREATE TABLE decisions (
        number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, at TEXT NOT NULL, session TEXT NOT NULL, run TEXT NOT NULL,
        outcome TEXT NOT NULL, reason TEXT NOT NULL, cached TEXT NOT NULL, relevance REAL NOT NULL, ms REAL NOT NULL,
        bytes INTEGER NOT NULL, shown TEXT NOT NULL, faults TEXT NOT NULL, prompt TEXT NOT NULL, story BLOB NOT NULL
    );
INSERT INTO "decisions" VALUES(1,'00000000000000a1','2026-02-10T09:00:00+00:00','s','','injected','','',0.9,3.0,7,'0000000000000001','','when does the ferry leave?',X'28B52FFD6046005507004650322250699C0350A3BD291C5CDB19C2BEEC2EB12F2663E530C62BB0AEB680471233332604260029002800CCB335C8E9A36628E1F9E6FAE858339A1DC79A27C3B68DBE790AB8CF3743E8FA66C7611DDF085FCF814887241D0492940444FD1E7EAE5FC4653C8FA4EB177B43D1438EBBD872AB9E4F0C5C8FA05E0BACDC2A70E37E1E40533258C5E2B8DCEAF9A89B090C0943438FE92DB8DE716C2D2F9E0B928863ED190B8BA2878E630F8B3036689B67D22FF722669E8BA3E2836561515E846CF14C07A2E77E0A3E1147D2070B00754E9819D06964624D7CCA5DBD9112002632563A0481849338A150A2');
CREATE TABLE embeddings (
        digest BLOB NOT NULL, model INTEGER NOT NULL REFERENCES models (id), vector BLOB NOT NULL,
        generation INTEGER NOT NULL, tokens BLOB, PRIMARY KEY (model, digest)
    );
INSERT INTO "embeddings" VALUES(X'C8BAB2C9E2CEB507FD895FDCC9A5D6DE',1,X'0000803F000000000000000000000000',1795370129950,NULL);
INSERT INTO "embeddings" VALUES(X'F9681CFFCD2D91A9B104207BE56D11F3',1,X'000000000000803F0000000000000000',1795370129950,NULL);
CREATE TABLE events (
        id INTEGER PRIMARY KEY, at TEXT NOT NULL, kind TEXT NOT NULL, session TEXT NOT NULL, injection TEXT NOT NULL,
        data TEXT NOT NULL
    , run TEXT NOT NULL DEFAULT '');
INSERT INTO "events" VALUES(1,'2026-02-10T09:00:00+00:00','injection','s','i1','{"prompt": "when does the ferry leave?", "chunks": [{"id": "0000000000000001", "source": "memory", "relevance": 0.0, "score": 0.0, "propensity": 1.0}, {"id": "0000000000000002", "source": "memory", "relevance": 0.0, "score": 0.0, "propensity": 1.0}]}','');
INSERT INTO "events" VALUES(2,'2026-02-10T09:00:00+00:00','turn','s','i1','{"success": true, "error": "", "ms": 0, "kinds": {"0000000000000001": "used", "0000000000000002": "ignored"}, "about": "ferri leav"}','');
INSERT INTO "events" VALUES(3,'2026-02-10T09:00:00+00:00','injection','s','i2','{"prompt": "and the pier?", "chunks": [{"id": "0000000000000002", "source": "memory", "relevance": 0.0, "score": 0.0, "propensity": 1.0}]}','');
INSERT INTO "events" VALUES(4,'2026-02-10T09:00:00+00:00','mark','','','{"chunk": "0000000000000002", "mark": "pin"}','');
INSERT INTO "events" VALUES(5,'2026-02-10T09:00:00+00:00','verdict','','i1','{"good": true, "by": "person", "chunks": ["0000000000000001"], "withdrawn": {}}','');
CREATE TABLE files (
        path TEXT PRIMARY KEY, digest TEXT NOT NULL, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
        recipe TEXT NOT NULL
    , warnings TEXT NOT NULL DEFAULT '', names TEXT NOT NULL DEFAULT '') WITHOUT ROWID;
INSERT INTO "files" VALUES('memory/2026-02-09.md','d1',10,20,'chunker-1','','');
CREATE TABLE forgotten (digest BLOB PRIMARY KEY, at TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO "forgotten" VALUES(X'795814C939E8001248C6F38EE5890F29','2026-02-10T09:00:00+00:00');
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO "meta" VALUES('agent','"main"');
INSERT INTO "meta" VALUES('folders','[{"root": "/notes", "layout": "workspace"}]');
INSERT INTO "meta" VALUES('uses','2');
CREATE TABLE models (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, dimension INTEGER NOT NULL);
INSERT INTO "models" VALUES(1,'hash-4',4);
CREATE TABLE tombstones (key INTEGER PRIMARY KEY, generation INTEGER NOT NULL);
INSERT INTO "tombstones" VALUES(3,1795370129953);
CREATE TABLE uses (
        key INTEGER PRIMARY KEY, shown INTEGER NOT NULL, used INTEGER NOT NULL, relevant INTEGER NOT NULL,
        contradicted INTEGER NOT NULL, ignored INTEGER NOT NULL, good INTEGER NOT NULL, bad INTEGER NOT NULL,
        hits REAL NOT NULL, misses REAL NOT NULL, as_of REAL NOT NULL, mark TEXT NOT NULL, occasions TEXT NOT NULL
    );
INSERT INTO "uses" VALUES(1,1,1,0,0,0,1,0,3.0,0.0,1770714000.0,'','[[1770714000.0, "used", "ferri leav"]]');
INSERT INTO "uses" VALUES(2,1,0,0,0,1,0,0,0.0,0.0,0.0,'pin','[[1770714000.0, "ignored", "ferri leav"]]');
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
CREATE INDEX decisions_by_session ON decisions (session, number);
CREATE INDEX events_by_injection ON events (injection);
CREATE INDEX chunks_by_context_generation ON chunks (context_generation);
COMMIT;
