"""A server of many agents, as its operator sees it: what it is, what it holds of whom, how far behind this machine is."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from hookclaw_py import build
from hookclaw_py.errors import HookclawError
from hookclaw_py.hosts.checks import Check, fine, note, problem
from hookclaw_py.insight.printing import ago, counted
from hookclaw_py.store import placing, upkeep
from hookclaw_py.store.agents import agent_folder
from hookclaw_py.store.fleet import Held, Served
from hookclaw_py.store.placing import Elsewhere


@dataclass(frozen=True, slots=True)
class Fleet:
    """A server and its agents; ``lag`` is by how many changes the keyword index on this machine is behind, by agent, where there is one."""

    server: Served
    agents: tuple[Held, ...]
    lag: dict[str, int]


def fleet(place: Elsewhere, home: Path) -> Fleet:
    """Look at a server: at all agents for who administers it, else at those of one's own space.

    Raises:
        StoreError: if it does not answer, or refuses.
    """
    server = upkeep.served(place)
    agents = tuple(upkeep.held(place, all_spaces=server.administers))
    own = (one for one in agents if one.space == (place.space or server.user))
    lags = ((one.agent, _lag(agent_folder(home, one.agent), place, one.generation)) for one in own)
    return Fleet(server, agents, {agent: lag for agent, lag in lags if lag is not None})


def _lag(folder: Path, place: Elsewhere, generation: int) -> int | None:
    with suppress(HookclawError):  # what cannot be read is made anew by the next recall
        if placing.elsewhere(folder) == place and (index := build.kept_keywords(folder)):
            lag = generation - index.generation
            index.close()
            return max(0, lag)
    return None


def lines(found: Fleet, *, now: datetime) -> Iterator[str]:
    """Tell of a server and its agents, a line each."""
    server = found.server
    yield f"{server.place}: PostgreSQL {server.version}{_standing(server)}"
    yield f"as {_role(server)}; row security {'off for ' + ', '.join(server.unguarded) if server.unguarded else 'on'}"
    yield f"{size(server.bytes)} with indexes, {_dead(server)}"
    if not server.administers:
        yield "agents of your own space only: who owns the tables sees all"
    wide = max((len(_name(one)) for one in found.agents), default=0)
    for one in found.agents:
        read = ago((now - one.indexed_at).total_seconds() if one.indexed_at else None)
        lag = found.lag.get(one.agent)
        behind = f", index here {f'{lag:,} behind' if lag else 'up to date'}" if lag is not None else ""
        yield (
            f"  {_name(one):<{wide}}  {one.chunks:>9,} chunks  {one.memories:>9,} memories  {size(one.bytes):>9}"
            f"  generation {one.generation}, read {read}{behind}"
        )
    yield f"{counted(len(found.agents), 'agent')}, {size(sum(one.bytes for one in found.agents))} of rows"


def checks(folder: Path) -> Iterator[Check]:
    """Look at the server that keeps the memory of the agent whose folder this is; of a memory in its folder nothing is said."""
    try:
        place = placing.elsewhere(folder)
        server = upkeep.served(place) if place else None
    except HookclawError:
        return  # so the store cannot be read either, which is told
    if place is None or server is None:
        return
    sql = f"psql {shlex.quote(place.shown if server.administers else place.asked_by(server.owner))} -c"
    for name in server.unguarded:
        yield problem(
            "row security",
            f"agents could see each other's {name}",
            f"{sql} 'ALTER TABLE {server.schema}.{name} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY'",
        )
    for index in server.lacking:
        yield problem("indexes", f"none on {index}", f"{sql} 'CREATE INDEX ON {server.schema}.{index}'")
    for table in (table for table in server.tables if table.bloated):
        told = f"{table.dead:,} of {table.rows + table.dead:,} rows of {table.name} are dead"
        yield note("bloat", told, f"{sql} 'VACUUM (ANALYZE) {server.schema}.{table.name}'")
    if server.read_only:
        standing = _standing(server).removeprefix(", read only")
        yield note("server", f"{server.place} is read only{standing}: recalls are answered, nothing is noted")
    if not (server.unguarded or server.lacking):
        yield fine(
            "server", f"PostgreSQL {server.version}, as {_role(server)}; row security and every index; {_dead(server)}"
        )


def _standing(server: Served) -> str:
    if server.behind is None:
        return ", read only" if server.read_only else ""
    return f", a standby{f', {server.behind:.1f} s behind' if server.behind else ''}"


def _role(server: Served) -> str:
    if server.works_as != server.user:
        return f"{server.user}, above row security, who works as {server.works_as}"
    return f"{server.user}, who owns the tables" if server.administers else server.user


def _dead(server: Served) -> str:
    rows, dead = sum(table.rows for table in server.tables), sum(table.dead for table in server.tables)
    bloated = [table.name for table in server.tables if table.bloated]
    return f"{dead:,} of {rows + dead:,} rows dead" + (f" (vacuum {', '.join(bloated)})" if bloated else "")


def _name(one: Held) -> str:
    return f"{one.space}/{one.agent}"


def size(number: float) -> str:
    """Return a number of bytes as people read it."""
    for unit in ("B", "KB", "MB", "GB"):
        if number < 1000:
            return f"{number:.0f} {unit}"
        number /= 1000
    return f"{number:,.1f} TB"
