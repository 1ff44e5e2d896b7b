PRAGMA application_id = 1215262571;
PRAGMA user_version = 20;
BEGIN TRANSACTION;
CREATE TABLE chunks (
        key INTEGER PRIMARY KEY, path TEXT NOT NULL REFERENCES files (path), position INTEGER NOT NULL,
        first_line INTEGER NOT NULL, last_line INTEGER NOT NULL, heading TEXT NOT NULL, text TEXT NOT NULL,
        kind TEXT NOT NULL, created_at TEXT, terms TEXT NOT NULL, digest BLOB NOT NULL,
        generation INTEGER NOT NULL, context_generation INTEGER NOT NULL DEFAULT 0
    , memory INTEGER NOT NULL DEFAULT 0, revision INTEGER NOT NULL DEFAULT 1, origin TEXT NOT NULL DEFAULT '');
INSERT INTO "chunks" VALUES(1,'memory/2026-02-09.md',0,1,1,'Harbour > Ferry','The ferry leaves at nine','memory','2026-02-09T00:00:00+00:00',X'00C3250E00',X'C8BAB2C9E2CEB507FD895FDCC9A5D6DE',1795393853707,1795393853711,1,1,'note');
INSERT INTO "chunks" VALUES(2,'memory/2026-02-09.md',1,2,2,'Harbour > Ferry','The pier is closed in winter','memory','2026-02-09T00:00:00+00:00',X'00C3270700',X'F9681CFFCD2D91A9B104207BE56D11F3',1795393853707,1795393853711,2,1,'note');
CREATE TABLE counter (generation INTEGER NOT NULL, first INTEGER NOT NULL, pruned INTEGER NOT NULL);
INSERT INTO "counter" VALUES(1795393853714,1795393853706,1795393853711);
CREATE TABLE counts (
        name TEXT NOT NULL, labels TEXT NOT NULL, amount REAL NOT NULL, PRIMARY KEY (name, labels)
    ) WITHOUT ROWID;
INSERT INTO "counts" VALUES('hookclaw_faults','["vector", "late"]',1.0);
INSERT INTO "counts" VALUES('hookclaw_recalls','["injected"]',2.0);
INSERT INTO "counts" VALUES('hookclaw_starts','[]',1.0);
CREATE TABLE decisions (
        number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, at TEXT NOT NULL, session TEXT NOT NULL, run TEXT NOT NULL,
        outcome TEXT NOT NULL, reason TEXT NOT NULL, cached TEXT NOT NULL, relevance REAL NOT NULL, ms REAL NOT NULL,
        bytes INTEGER NOT NULL, shown TEXT NOT NULL, faults TEXT NOT NULL, prompt TEXT NOT NULL, story BLOB NOT NULL
    );
INSERT INTO "decisions" VALUES(1,'00000000000000a1','2026-02-10T09:00:00+00:00','s','','injected','','',0.9,3.0,7,'["0000000000000001", "0000000000000002"]','["catch-up", "vector"]','when does the ferry leave?',X'28B52FFD60990185090046143C2240895607D88C6A8442EC82C564F685DCFA15944A9DA042BDDBE762602FE5300CF70630003200330009D77F3FA1EB463303DD7265F9D6B25FA242C247FC9E1964D79C259DEF9B19C6F5BC2A8AD25FDFDCCC78B57F9AC72101EFFAC6382090212183404229E0E9C860C6F7CD5C8DEB13F47D7387A8BDE4B99A6B70B1EB1303DF23B0F816D7F71CB87F9A9D714AD77464F28A38A0E5E0C77D4DF6303AE91CDC7A8045C860291ACFC5FD743341215168272E7A157CCF40D716375725D104BA1145ED25031DC39DE77AD7379C42C3E66257AA1C3E62BBBEE364ECB89ACF59CB15ED1B8C0F2FAE8D27E30325254D49238A0A1700C423F2846F04B809B8552005E76D300D802ED89404ACA05F745AEC151053B60D89298DE92295D81032E3CB61AE43685F38398845EC364771AFF904');
CREATE TABLE embeddings (
        digest BLOB NOT NULL, model INTEGER NOT NULL REFERENCES models (id), vector BLOB NOT NULL,
        generation INTEGER NOT NULL, tokens BLOB, PRIMARY KEY (model, digest)
    );
INSERT INTO "embeddings" VALUES(X'C8BAB2C9E2CEB507FD895FDCC9A5D6DE',1,X'0402013C7F000000',1795393853714,X'01A028B52FFD20807D0000300000001000F0020035C2292E012D');
INSERT INTO "embeddings" VALUES(X'F9681CFFCD2D91A9B104207BE56D11F3',1,X'0402013C007F0000',1795393853714,NULL);
CREATE TABLE event_memories (
        memory INTEGER NOT NULL, event INTEGER NOT NULL, PRIMARY KEY (memory, event)
    ) WITHOUT ROWID;
INSERT INTO "event_memories" VALUES(1,1);
INSERT INTO "event_memories" VALUES(1,2);
INSERT INTO "event_memories" VALUES(1,5);
INSERT INTO "event_memories" VALUES(2,1);
INSERT INTO "event_memories" VALUES(2,2);
INSERT INTO "event_memories" VALUES(2,3);
INSERT INTO "event_memories" VALUES(2,4);
CREATE TABLE events (
        id INTEGER PRIMARY KEY, at TEXT NOT NULL, kind TEXT NOT NULL, session TEXT NOT NULL, injection TEXT NOT NULL,
        data TEXT NOT NULL, run TEXT NOT NULL DEFAULT ''
    );
INSERT INTO "events" VALUES(1,'2026-02-10T09:00:00+00:00','injection','s','i1','{"prompt": "when does the ferry leave?", "memories": [{"id": "0000000000000001", "source": "memory", "relevance": 0.0, "score": 0.0, "propensity": 1.0}, {"id": "0000000000000002", "source": "memory", "relevance": 0.0, "score": 0.0, "propensity": 1.0}]}','');
INSERT INTO "events" VALUES(2,'2026-02-10T09:00:00+00:00','turn','s','i1','{"success": true, "error": "", "ms": 0, "kinds": {"0000000000000001": "used", "0000000000000002": "ignored"}, "about": ["ferri", "leav"]}','');
INSERT INTO "events" VALUES(3,'2026-02-10T09:00:00+00:00','injection','s','i2','{"prompt": "and the pier?", "memories": [{"id": "0000000000000002", "source": "memory", "relevance": 0.0, "score": 0.0, "propensity": 1.0}]}','');
INSERT INTO "events" VALUES(4,'2026-02-10T09:00:00+00:00','mark','','','{"memory": "0000000000000002", "mark": "pin"}','');
INSERT INTO "events" VALUES(5,'2026-02-10T09:00:00+00:00','verdict','','i1','{"good": true, "by": "person", "memories": ["0000000000000001"], "withdrawn": {}}','');
CREATE TABLE files (
        path TEXT PRIMARY KEY, digest TEXT NOT NULL, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
        recipe TEXT NOT NULL, warnings TEXT NOT NULL DEFAULT '', names TEXT NOT NULL DEFAULT '', shared INTEGER
    ) WITHOUT ROWID;
INSERT INTO "files" VALUES('memory/2026-02-09.md','d1',10,20,'chunker-1','["line 3 is not UTF-8"]','["harbour", "old pier"]',NULL);
CREATE TABLE forgotten (digest BLOB PRIMARY KEY, at TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO "forgotten" VALUES(X'280F0CE345ABF55CBE6C7FA00555283B','2026-02-10T09:00:00+00:00');
CREATE TABLE happenings (
        number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, at TEXT NOT NULL, host TEXT NOT NULL, session TEXT NOT NULL,
        run TEXT NOT NULL, kind TEXT NOT NULL, payload TEXT
    );
INSERT INTO "happenings" VALUES(1,'h0','2026-02-10T09:00:00.000000+00:00','openclaw','agent:main:main','r0','prompt','{"text": "what was the port?"}');
INSERT INTO "happenings" VALUES(2,'h1','2026-02-10T09:00:00.000000+00:00','openclaw','agent:main:main','r0','answer','{"text": "6000"}');
CREATE TABLE memories (
        key INTEGER PRIMARY KEY, kind TEXT NOT NULL, status TEXT NOT NULL, head INTEGER NOT NULL
    , origin TEXT NOT NULL DEFAULT '');
INSERT INTO "memories" VALUES(1,'memory','active',1,'');
INSERT INTO "memories" VALUES(2,'memory','active',1,'');
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO "meta" VALUES('agent','"main"');
INSERT INTO "meta" VALUES('folders','[{"root": "/notes", "layout": "workspace"}]');
INSERT INTO "meta" VALUES('uses','3');
CREATE TABLE models (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, dimension INTEGER NOT NULL);
INSERT INTO "models" VALUES(1,'hash-4',4);
CREATE TABLE queue (
        happening INTEGER NOT NULL REFERENCES happenings (number), lane TEXT NOT NULL DEFAULT 'rules', session TEXT NOT NULL,
        state TEXT NOT NULL, attempts INTEGER NOT NULL, due TEXT NOT NULL, leased TEXT, lease TEXT, error TEXT,
        PRIMARY KEY (happening, lane)
    );
INSERT INTO "queue" VALUES(1,'rules','agent:main:main','pending',0,'2026-02-10T09:00:00.000000+00:00',NULL,NULL,NULL);
INSERT INTO "queue" VALUES(2,'rules','agent:main:main','pending',0,'2026-02-10T09:00:00.000000+00:00',NULL,NULL,NULL);
CREATE TABLE record_history (
        number INTEGER PRIMARY KEY, memory INTEGER NOT NULL, at TEXT NOT NULL, actor TEXT NOT NULL,
        action TEXT NOT NULL, why TEXT NOT NULL, title TEXT NOT NULL, body TEXT NOT NULL, evidence TEXT NOT NULL
    );
CREATE TABLE record_links (
        source INTEGER NOT NULL, relation TEXT NOT NULL, target INTEGER NOT NULL, strength REAL NOT NULL DEFAULT 1, made_by TEXT NOT NULL DEFAULT '', PRIMARY KEY (source, relation, target)
    ) WITHOUT ROWID;
CREATE TABLE records (
        memory INTEGER PRIMARY KEY, kind TEXT NOT NULL, about TEXT NOT NULL, title TEXT NOT NULL, body TEXT NOT NULL,
        said_by TEXT NOT NULL, confidence REAL NOT NULL, salience REAL NOT NULL, salient_at TEXT NOT NULL,
        level TEXT NOT NULL, scope TEXT NOT NULL, status TEXT NOT NULL, first_at TEXT NOT NULL, at TEXT NOT NULL,
        session TEXT NOT NULL, fields TEXT NOT NULL
    );
CREATE TABLE revisions (
        memory INTEGER NOT NULL, number INTEGER NOT NULL, at TEXT NOT NULL, cause TEXT NOT NULL, chunk INTEGER NOT NULL,
        digest BLOB NOT NULL, PRIMARY KEY (memory, number)
    ) WITHOUT ROWID;
INSERT INTO "revisions" VALUES(1,1,'2026-11-23T00:30:53.726413+00:00','written',1,X'8A77FD956AA575D74A4E64AFF108C13D');
INSERT INTO "revisions" VALUES(2,1,'2026-11-23T00:30:53.726413+00:00','written',2,X'C070A13914FA945D5FB61F0DFF22DE99');
CREATE TABLE tombstones (key INTEGER PRIMARY KEY, generation INTEGER NOT NULL);
INSERT INTO "tombstones" VALUES(3,1795393853711);
CREATE TABLE uses (
        memory INTEGER PRIMARY KEY, shown INTEGER NOT NULL, used INTEGER NOT NULL, relevant INTEGER NOT NULL,
        contradicted INTEGER NOT NULL, ignored INTEGER NOT NULL, good INTEGER NOT NULL, bad INTEGER NOT NULL,
        hits REAL NOT NULL, misses REAL NOT NULL, as_of REAL NOT NULL, mark TEXT NOT NULL, occasions TEXT NOT NULL
    );
INSERT INTO "uses" VALUES(1,1,1,0,0,0,1,0,3.0,0.0,1770714000.0,'','[[1770714000.0, "used", ["ferri", "leav"]]]');
INSERT INTO "uses" VALUES(2,1,0,0,0,1,0,0,0.0,0.0,0.0,'pin','[[1770714000.0, "ignored", ["ferri", "leav"]]]');
CREATE INDEX chunks_by_generation ON chunks (generation);
CREATE INDEX chunks_by_context_generation ON chunks (context_generation);
CREATE INDEX chunks_by_digest ON chunks (digest);
CREATE INDEX chunks_by_date ON chunks (created_at);
CREATE INDEX tombstones_by_generation ON tombstones (generation);
CREATE INDEX embeddings_by_generation ON embeddings (model, generation);
CREATE INDEX events_by_session ON events (session, id);
CREATE INDEX events_by_injection ON events (injection);
CREATE INDEX decisions_by_session ON decisions (session, number);
CREATE VIEW note_files AS
        SELECT path, size, datetime(mtime_ns / 1000000000, 'unixepoch') AS modified, recipe,
               (SELECT count(*) FROM chunks c WHERE c.path = f.path) AS chunks
        FROM files f ORDER BY path;
CREATE INDEX memories_by_status ON memories (status) WHERE status = 'ended';
CREATE INDEX revisions_by_digest ON revisions (digest);
CREATE INDEX chunks_by_memory ON chunks (memory);
CREATE VIEW notes AS
        SELECT printf('%016x', key) AS id, path, first_line || '-' || last_line AS lines, heading, text, created_at,
               printf('%016x', memory) AS memory, revision,
               (SELECT count(*) FROM embeddings e WHERE e.digest = c.digest) AS embeddings
        FROM chunks c ORDER BY path, position;
CREATE INDEX happenings_by_session ON happenings (session, run);
CREATE INDEX happenings_by_date ON happenings (at) WHERE payload IS NOT NULL;
CREATE INDEX records_by_about ON records (kind, about);
CREATE INDEX records_by_date ON records (at);
CREATE INDEX record_history_by_memory ON record_history (memory);
CREATE INDEX record_links_by_target ON record_links (target)
;
CREATE INDEX chunks_by_kind ON chunks (kind);
CREATE INDEX queue_by_session ON queue (session, happening)
;
CREATE INDEX chunks_by_path ON chunks (path, position, heading);
COMMIT;
