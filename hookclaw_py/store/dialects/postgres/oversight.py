"""Looking at a server: what it is, whether it keeps agents apart, what it holds of whom."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from hookclaw_py.errors import StoreError
from hookclaw_py.model.memory import MemoryStatus
from hookclaw_py.store.dialects.postgres import schema
from hookclaw_py.store.dialects.postgres.servers import server
from hookclaw_py.store.fleet import Held, Served, TableSize
from hookclaw_py.store.freshness import INDEXED
from hookclaw_py.store.placing import Elsewhere
from hookclaw_py.store.sql.handing_over import MOVED

_PATIENCE = 10.0  # seconds for a server that is far away: no prompt waits for what is asked here
_A_ROW = 36  # bytes of its header, its pointer and its agent
_WHOSE = f"""
    SELECT current_setting('server_version'), current_user,
        r.rolsuper OR r.rolbypassrls OR pg_has_role(s.nspowner, 'USAGE'), pg_get_userbyid(s.nspowner),
        current_setting('transaction_read_only') = 'on', pg_is_in_recovery(),
        CASE WHEN pg_last_wal_receive_lsn() IS DISTINCT FROM pg_last_wal_replay_lsn()
            THEN extract(epoch FROM now() - pg_last_xact_replay_timestamp())::float ELSE 0 END
    FROM pg_roles r, pg_namespace s WHERE r.rolname = current_user AND s.nspname = '{schema.SCHEMA}'"""
_INDEXES = """
    SELECT c.relname, array_agg(a.attname::text ORDER BY k.n) FROM pg_index i
    JOIN pg_class c ON c.oid = i.indrelid
    CROSS JOIN unnest(i.indkey::int2[]) WITH ORDINALITY AS k (number, n)
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number
    WHERE c.relnamespace = to_regnamespace(%s) AND i.indisvalid GROUP BY c.relname, i.indexrelid"""
_TABLES = """
    SELECT relname, n_live_tup, n_dead_tup, pg_total_relation_size(relid), GREATEST(last_vacuum, last_autovacuum)
    FROM pg_stat_user_tables WHERE schemaname = %s ORDER BY relname"""


def unguarded(connection: Any) -> list[str]:
    """Return the tables in which the role that works here could see or change rows of any agent."""
    found = connection.execute(
        "SELECT relname FROM pg_class WHERE relnamespace = to_regnamespace(%s) AND relname = ANY(%s)"
        " AND NOT (relrowsecurity AND relforcerowsecurity AND row_security_active(oid)) ORDER BY 1",
        (schema.SCHEMA, schema.names()),
    )
    return [table for (table,) in found.fetchall()]


def served(place: Elsewhere) -> Served:
    """Look at a server.

    Raises:
        StoreError: if it does not answer, or refuses.
    """
    one = server(place)
    with one.connection(waiting=_PATIENCE) as connection, connection.transaction():
        version, user, administers, owner, read_only, standby, behind = connection.execute(_WHOSE).fetchone()
        indexes = {(table, tuple(columns)) for table, columns in connection.execute(_INDEXES, (schema.SCHEMA,))}
        tables = connection.execute(_TABLES, (schema.SCHEMA,)).fetchall()
        connection.execute(one.beginning(""))
        return Served(
            place=place.shown,
            schema=schema.SCHEMA,
            version=version,
            user=user,
            works_as=one.role or user,
            administers=administers,
            owner=owner,
            read_only=read_only,
            behind=behind if standby else None,
            unguarded=tuple(unguarded(connection)),
            lacking=tuple(f"{table} ({', '.join(on)})" for table, on in schema.indexes() if (table, on) not in indexes),
            tables=tuple(TableSize(*row) for row in tables),
        )


def ask(place: Elsewhere) -> None:
    """See that a server is there, and has our tables or lets them be made.

    Raises:
        StoreError: if it does not answer, or refuses.
    """
    with server(place).connection(waiting=_PATIENCE):
        pass


def held(place: Elsewhere, *, all_spaces: bool) -> Iterator[Held]:
    """Say what a server holds of each agent of the place's space, or of ``all_spaces``, each in a transaction of its own.

    Raises:
        StoreError: if it does not answer, or refuses.
    """
    one = server(place)
    with one.connection(waiting=_PATIENCE) as connection:
        agents = connection.execute(
            f"SELECT id, space, name FROM {schema.SCHEMA}.agent WHERE %s OR space = %s ORDER BY space, name",
            (all_spaces, place.space or one.user),
        ).fetchall()
        for key, space, name in agents:
            with connection.transaction():
                connection.execute(one.beginning(str(key)))
                if found := connection.execute(_HELD, (MemoryStatus.ENDED, INDEXED)).fetchone():
                    chunks, memories, size, generation, indexed = found
                    at = datetime.fromisoformat(json.loads(indexed)["at"]) if indexed else None
                    yield Held(space, name, chunks, memories, size, generation, at)


def holds(place: Elsewhere, agent: str) -> bool:
    """Say whether a server keeps the memory of an agent.

    Raises:
        StoreError: if it does not answer.
    """
    return _of_an_agent(place, agent, "SELECT generation FROM counter", ()) is not None


def moved_to(place: Elsewhere, agent: str) -> Elsewhere | None:
    """Return where the memory of an agent went that was on a server (url "": into a file); None where it did not.

    Raises:
        StoreError: if it does not answer.
    """
    found = _of_an_agent(place, agent, "SELECT value FROM meta WHERE key = %s", (MOVED,))
    if found is None:
        return None
    note = json.loads(found)
    return Elsewhere(note["to"], note["space"])


def remove(place: Elsewhere, agent: str) -> bool:
    """Delete all that a server holds of an agent, and that there is one; False where there is none.

    Raises:
        StoreError: if it does not answer, or refuses, or row security is off: each agent's rows would go.
    """
    with _as_agent(place, agent) as (connection, key):
        if key is None:
            return False
        if bare := unguarded(connection):
            raise StoreError(open_to_others(place.shown, bare), at_shell="hookclaw fleet status")
        connection.execute("SELECT generation FROM counter FOR UPDATE")  # who writes is waited for
        for table in reversed(schema.names()):
            connection.execute(f"DELETE FROM {table}")
        connection.execute("DELETE FROM agent WHERE id = %s", (key,))
        return True


def open_to_others(place: str, tables: Collection[str]) -> str:
    """Say that row security is off for these tables of a place."""
    return f"{place}: row security is off for {', '.join(tables)}: agents would see and change each other's rows, so none is opened"


def _of_an_agent(place: Elsewhere, agent: str, statement: str, values: Sequence[str]) -> Any:
    """Return the one value that a statement finds among an agent's rows; None where there is none, or no such agent."""
    with _as_agent(place, agent) as (connection, key):
        found = connection.execute(statement, values).fetchone() if key is not None else None
        return found[0] if found else None


@contextmanager
def _as_agent(place: Elsewhere, agent: str) -> Iterator[tuple[Any, int | None]]:
    """Give a connection on which a transaction is that agent's, and its number; None, and nobody's, where there is no such agent."""
    one = server(place)
    with one.connection(waiting=_PATIENCE) as connection, connection.transaction():
        whose = place.space or one.user, agent
        known = f"SELECT id FROM {schema.SCHEMA}.agent WHERE space = %s AND name = %s"
        found = connection.execute(known, whose).fetchone()
        key = found[0] if found else None
        connection.execute(one.beginning("" if key is None else str(key)))
        yield connection, key


def _bytes_of(table: str, columns: list[str]) -> str:
    each = " + ".join(f"COALESCE(pg_column_size({column}), 0)" for column in columns)
    return f"(SELECT COALESCE(sum({each} + {_A_ROW}), 0) FROM {table})"


_HELD = f"""
    SELECT (SELECT count(*) FROM chunks), (SELECT count(*) FROM memories WHERE status <> %s),
        ({" + ".join(_bytes_of(table, columns) for table, columns in schema.columns().items())})::bigint,
        generation, (SELECT value FROM meta WHERE key = %s)
    FROM counter"""
