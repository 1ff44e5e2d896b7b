PRAGMA application_id = 1215262571;
PRAGMA user_version = 8;
BEGIN TRANSACTION;
CREATE TABLE chunks (
        key INTEGER PRIMARY KEY, path TEXT NOT NULL REFERENCES files (path), position INTEGER NOT NULL,
        first_line INTEGER NOT NULL, last_line INTEGER NOT NULL, heading TEXT NOT NULL, text TEXT NOT NULL,
        kind TEXT NOT NULL, created_at TEXT, terms TEXT NOT NULL, digest BLOB NOT NULL,
        generation INTEGER NOT NULL
    , context_generation INTEGER NOT NULL DEFAULT 0);
INSERT INTO "chunks" VALUES(1,'memory/2026-02-09.md',0,1,1,'Harbour > Ferry','The ferry leaves at nine','memory','2026-02-09T00:00:00+00:00','the ferry leaves at nine',X'C8BAB2C9E2CEB507FD895FDCC9A5D6DE',1795370130272,1795370130276);
INSERT INTO "chunks" VALUES(2,'memory/2026-02-09.md',1,2,2,'Harbour > Ferry','The pier is closed in winter','memory','2026-02-09T00:00:00+00:00','the pier is closed in winter',X'F9681CFFCD2D91A9B104207BE56D11F3',1795370130272,1795370130276);
CREATE TABLE counter (generation INTEGER NOT NULL, first INTEGER NOT NULL, pruned INTEGER NOT NULL);
INSERT INTO "counter" VALUES(1795370130276,1795370130271,1795370130276);
CREATE TABLE counts (
        name TEXT NOT NULL, labels TEXT NOT NULL, amount REAL NOT NULL, PRIMARY KEY (name, labels)
    ) WITHOUT ROWID;
INSERT INTO "counts" VALUES('hookclaw_recalls','injected',2.0);
CREATE TABLE decisions (
        number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, at TEXT NOT NULL, session TEXT NOT NULL, run TEXT NOT NULL,
        outcome TEXT NOT NULL, reason TEXT NOT NULL, cached TEXT NOT NULL, relevance REAL NOT NULL, ms REAL NOT NULL,
        bytes INTEGER NOT NULL, shown TEXT NOT NULL, faults TEXT NOT NULL, prompt TEXT NOT NULL, story BLOB NOT NULL
    );
INSERT INTO "decisions" VALUES(1,'00000000000000a1','2026-02-10T09:00:00+00:00','s','','injected','','',0.9,3.0,7,'0000000000000001','','when does the ferry leave?',X'28B52FFD605B00B50700C690332240895607D8BC2A59196A3182ABFF85DCFA0191C495A15ABDD3A7D9C05ECA6118EE0D270029002A001B119E67AE87CC1AD2DB30639EFB5A62F48C633C5670FCE055BC6CC5F47CEF8BD7F7360D6BF84807010442043CED9C75AE77C004795E41D72FF6C842FF16A6C51627F5BC62E0FA8772ADF16C2DB2FEE9DBCF0328420689B116A66DF5FCD3BD040685A1A36B742AB8BE61B6D23A9E8B920AB3F6FC7292043A20500BCB42FF1A660E830FB6989827D22F76CF369E6BA1DA8365615938F898E3891245BFEDD47B26129412B6050E00754E9819D06964588B06377729EDEA829458309159E9105A124EE262918D33E0154C3C');
CREATE TABLE embeddings (
        digest BLOB NOT NULL, model INTEGER NOT NULL REFERENCES models (id), vector BLOB NOT NULL,
        generation INTEGER NOT NULL, tokens BLOB, PRIMARY KEY (model, digest)
    );
INSERT INTO "embeddings" VALUES(X'C8BAB2C9E2CEB507FD895FDCC9A5D6DE',1,X'0000803F000000000000000000000000',1795370130273,NULL);
INSERT INTO "embeddings" VALUES(X'F9681CFFCD2D91A9B104207BE56D11F3',1,X'000000000000803F0000000000000000',1795370130273,NULL);
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
    , warnings TEXT NOT NULL DEFAULT '', names TEXT NOT NULL DEFAULT '', shared INTEGER) WITHOUT ROWID;
INSERT INTO "files" VALUES('memory/2026-02-09.md','d1',10,20,'chunker-1','','',NULL);
CREATE TABLE forgotten (digest BLOB PRIMARY KEY, at TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO "forgotten" VALUES(X'795814C939E8001248C6F38EE5890F29','2026-02-10T09:00:00+00:00');
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO "meta" VALUES('agent','"main"');
INSERT INTO "meta" VALUES('folders','[{"root": "/notes", "layout": "workspace"}]');
INSERT INTO "meta" VALUES('uses','2');
CREATE TABLE models (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, dimension INTEGER NOT NULL);
INSERT INTO "models" VALUES(1,'hash-4',4);
CREATE TABLE tombstones (key INTEGER PRIMARY KEY, generation INTEGER NOT NULL);
INSERT INTO "tombstones" VALUES(3,1795370130276);
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
