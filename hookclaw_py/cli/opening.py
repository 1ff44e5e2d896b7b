"""What a command works with: the agent that is meant, its configuration and folder, its store or its engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from hookclaw_py.config import Config
    from hookclaw_py.engine import Engine
    from hookclaw_py.errors import StoreError
    from hookclaw_py.store.ports import AgentStore, Changeable, Facts

T = TypeVar("T")
MOST_LISTED = 5
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def _kinds(_: click.Context, option: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    """Take the kinds that somebody named, each one that there is."""
    from hookclaw_py.model.kind import KINDS

    if wrong := [name for name in given if name not in KINDS]:
        raise click.BadParameter(f"{', '.join(wrong)}; choose of {', '.join(KINDS)}", param=option)
    return given


kind_option = click.option(
    "--kind",
    "kinds",
    multiple=True,
    metavar="KIND",
    callback=_kinds,
    help="Only this kind (memory, sessions, fact, decision, …); more than one may be given.",
)


def agent_of(ctx: click.Context) -> str:
    """Return whose memory is meant."""
    agent: str = (ctx.obj or {}).get("agent", "main")
    return agent


def named_agent(ctx: click.Context) -> str:
    """Return the agent that was named, "" where all are meant."""
    return agent_of(ctx) if (ctx.obj or {}).get("named") else ""


def config_file_of(ctx: click.Context) -> Path | None:
    """Return the file of settings that was named."""
    file: Path | None = (ctx.obj or {}).get("config_file")
    return file


def config_of(ctx: click.Context) -> Config:
    """Return the configuration that the commands work with."""
    from hookclaw_py.config import Config

    return Config.load(config_file_of(ctx), **{"store.url": (ctx.obj or {}).get("store")})


def folder_of(ctx: click.Context, *, to_move: bool = False) -> Path:
    """Return the agent's folder; what is kept in it, or where it says, has to be where it is wanted unless it is ``to_move``.

    Raises:
        StoreError: if it is kept somewhere else.
    """
    from hookclaw_py.config import home
    from hookclaw_py.store import upkeep
    from hookclaw_py.store.agents import agent_folder

    folder, wanted = agent_folder(home(), agent_of(ctx)), config_of(ctx).store
    upkeep.find(folder, wanted.url, wanted.space, to_move=to_move)
    return folder


def open_store(ctx: click.Context) -> AgentStore:
    """Open the agent's store, which has to be there.

    Raises:
        StoreError: if it is not.
    """
    from hookclaw_py import build
    from hookclaw_py.store.upkeep import is_there

    folder = folder_of(ctx)
    if not is_there(folder):
        raise no_memory_of(agent_of(ctx))
    return build.store(folder)


def known_here() -> list[str]:
    """Return the agents that have a memory here."""
    from hookclaw_py.config import home
    from hookclaw_py.store.agents import known_agents

    return known_agents(home())


def no_memory_of(agent: str) -> StoreError:
    """Return the error that says that ``agent`` has no store, who has one, and how to make it."""
    from hookclaw_py.errors import StoreError

    known = known_here()
    whose = "" if agent == "main" else f" --agent {agent}"
    look = f", or `hookclaw --agent {known[0]} …` for what that one knows" if known and not whose else ""
    return StoreError(
        f"no memory of agent {agent!r} here; known: {', '.join(known) or 'none'}; run `hookclaw{whose} index FOLDER`{look}"
    )


def others_than(ctx: click.Context, store: AgentStore) -> str:
    """Say who else has a memory, where the one that was opened is empty; "" where it is not, or nobody else has."""
    others = [agent for agent in known_here() if agent != agent_of(ctx)]
    if not others or store.count() or store.happened():
        return ""
    return f"agent {agent_of(ctx)} knows nothing; others are {_listed(others)}: `hookclaw --agent {others[0]} …`"


def open_engine(ctx: click.Context, *, answers: bool = True) -> Engine:
    """Open the agent's store, made if it is not there; where it ``answers`` no prompt the model that reads what is found is not loaded."""
    from hookclaw_py.engine import Engine

    return Engine.open(_config_to(ctx, answers=answers), agent=agent_of(ctx))


def known_engine(ctx: click.Context, *, answers: bool = True) -> Engine:
    """Open a store that is there, as ``open_engine``, and make none; the main agent without one gets an empty memory."""
    from hookclaw_py.config import home
    from hookclaw_py.engine import Engine

    config, agent = _config_to(ctx, answers=answers), agent_of(ctx)
    if _has_store(folder_of(ctx)):
        return Engine.open(config, agent=agent)
    if agent == "main":
        return Engine.in_memory(config, strict=False, home=home())
    raise no_memory_of(agent)


def _config_to(ctx: click.Context, *, answers: bool) -> Config:
    config = config_of(ctx)
    return config if answers else config.model_copy(update={"reader": "off"})


def changed_notes(engine: Engine) -> int:
    """Count the notes that were changed since they were read; none where nothing was read yet."""
    from hookclaw_py.ingest.behind import changed_since
    from hookclaw_py.store.freshness import indexed_at

    read_at, config = indexed_at(engine.store), engine.config
    return changed_since(engine.store, read_at, globs=config.globs, exclude=config.exclude) if read_at else 0


def say_what_changed(ctx: click.Context, engine: Engine) -> None:
    """Tell on stderr that an answer is of what the notes said before, where some were changed since they were read."""
    if count := changed_notes(engine):
        from hookclaw_py.insight.printing import counted
        from hookclaw_py.insight.terminal import say

        whose = f"--agent {named} " if (named := named_agent(ctx)) else ""
        files = f"{counted(count, 'file')} {'has' if count == 1 else 'have'}"
        say(f"note: {files} changed since your notes were read; `hookclaw {whose}index` reads them", err=True)


def _has_store(folder: Path) -> bool:
    from hookclaw_py.store.upkeep import is_there

    try:
        return is_there(folder)
    except OSError:
        return True  # opening it says what is wrong


@contextmanager
def switches_of(ctx: click.Context, agent: str) -> Iterator[Changeable]:
    """Open what says what is switched off: of an agent, also before it has a store; of all where none is named."""
    from hookclaw_py import build
    from hookclaw_py.config import home
    from hookclaw_py.store.agents import agent_folder, refuse_look_alike
    from hookclaw_py.store.switches import HomeFacts

    facts = HomeFacts(home(), agent)
    if not agent:
        yield facts
        return
    folder = folder_of(ctx) if agent == agent_of(ctx) else agent_folder(home(), agent)
    if _has_store(folder):
        with build.store_of(agent, folder, config_of(ctx).store) as store:
            facts.move_to(store)
            yield store
    else:
        refuse_look_alike(folder)
        yield facts


def has_yet_to_come(ctx: click.Context) -> str:
    """Say that the agent that was named has no memory, "" where it has or none was named: it may be a slip of the pen."""
    agent = named_agent(ctx)
    if not agent or _has_store(folder_of(ctx)):
        return ""
    known = known_here()
    return f"there is no memory of agent {agent} yet (there are: {_listed(known) or 'none'}); this holds for it when there is"


def agents_of_session(ctx: click.Context, session: str) -> list[str]:
    """Return the agents that a session belongs to: the one that was named, else those that have heard of it or have it switched off.

    Raises:
        StoreError: if none has, and there is more than one agent.
    """
    from hookclaw_py.errors import StoreError
    from hookclaw_py.store.switches import SWITCH

    if agent := named_agent(ctx):
        return [agent]
    off = switched_of_every_agent(lambda facts: facts.get_meta(SWITCH, {}).get("sessions", ()))
    heard = of_every_agent(lambda store: store.happened())
    known = known_here()
    in_its_key = [one for one in known if session.startswith(f"agent:{one}:")]
    found = {name for name, sessions in (*off, *heard.items()) if session in sessions} or in_its_key
    if not found and known not in ([], ["main"]):
        raise StoreError(
            f"no agent has heard of session {session}; name the agent that it is of ({_listed(known)}):"
            f" `hookclaw --agent {known[0]} capture … --session {session}`"
        )
    return sorted(found) or ["main"]


def _listed(agents: list[str]) -> str:
    return ", ".join(agents[:MOST_LISTED]) + (" …" if len(agents) > MOST_LISTED else "")


def switched_of_every_agent(ask: Callable[[Facts], T]) -> Iterator[tuple[str, T]]:
    """Ask what says what is switched off of each agent, those included that have no store yet."""
    from hookclaw_py.config import home
    from hookclaw_py.store.switches import HomeFacts

    yield from of_every_agent(ask).items()
    for agent in HomeFacts(home()).agents():
        yield agent, ask(HomeFacts(home(), agent))


def of_every_agent(ask: Callable[[AgentStore], T]) -> dict[str, T]:
    """Ask each agent's store; one that cannot be opened says so when it is asked itself."""
    from hookclaw_py import build
    from hookclaw_py.config import home
    from hookclaw_py.errors import HookclawError
    from hookclaw_py.store.agents import agent_folder

    told = {}
    for agent in known_here():
        with suppress(HookclawError), build.store(agent_folder(home(), agent)) as store:
            told[agent] = ask(store)
    return told


def only_on_this_machine(command: str) -> str:
    """Say that other machines go on with memories that a server keeps, "" where none does."""
    from hookclaw_py.config import home
    from hookclaw_py.store.agents import agent_folder
    from hookclaw_py.store.placing import elsewhere

    away = [agent for agent in known_here() if elsewhere(agent_folder(home(), agent))]
    return f"on this machine: `hookclaw --agent {away[0]} {command}` holds on every one" if away else ""


def learned_elsewhere(ctx: click.Context) -> str:
    """Say which other agents' sessions were captured, "" if none's were."""
    happened = of_every_agent(lambda store: store.happened())
    found = [agent for agent, has in happened.items() if has and agent != agent_of(ctx)]
    return f"; sessions of {', '.join(found)} were captured: `hookclaw --agent {found[0]} …`" if found else ""
