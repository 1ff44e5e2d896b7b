"""The doctor's Python side: versions, model, permissions, store, index."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from datetime import UTC, datetime
from os.path import isdir
from pathlib import Path

from hookclaw_py import __version__
from hookclaw_py.capturing import Capturing
from hookclaw_py.config import Config, home
from hookclaw_py.engine import Engine
from hookclaw_py.errors import HookclawError, ModelError
from hookclaw_py.errors.remedies import reinstall, unreachable
from hookclaw_py.hosts.checks import Check, fine, note, problem
from hookclaw_py.insight import fleet
from hookclaw_py.insight.captured import capture_checks
from hookclaw_py.insight.printing import documents
from hookclaw_py.insight.review import trust_checks
from hookclaw_py.observe.status import silences
from hookclaw_py.privacy import files as private
from hookclaw_py.search.models import find_model
from hookclaw_py.store import placing, upkeep
from hookclaw_py.store.agents import agent_folder
from hookclaw_py.store.ports import Counters, Facts
from hookclaw_py.store.switches import Switches


def versions() -> Check:
    """Say what runs."""
    return fine("versions", f"hookclaw {__version__}, Python {platform.python_version()}, {upkeep.ENGINE}")


def examine(config: Config, agent: str) -> Iterator[Check]:
    """Look at the model, our folder, and one agent's store and indexes."""
    yield _model(config)
    yield _permissions(home())
    try:
        folder = agent_folder(home(), agent)
    except HookclawError as error:
        yield problem("store", str(error), "hookclaw --agent main doctor")
        return
    try:
        upkeep.find(folder, config.store.url, config.store.space)
    except HookclawError as error:
        wanted = placing.Elsewhere(config.store.url, config.store.space)
        yield problem("store", str(error), error.at_shell or f"psql '{wanted.shown}'")
        return
    if not upkeep.is_there(folder):
        yield from _silences(Switches(agent, None, home()), config)
        yield problem(
            "store", f"agent {agent} has no memories yet ({folder})", "hookclaw index FOLDER, the agent's workspace"
        )
        return
    yield _soundness(folder, agent)
    if told := placing.unfinished(folder):
        yield problem("move", told, told.split("`")[1])
    yield from fleet.checks(folder)
    yield from _index(config, agent)


def _model(config: Config) -> Check:
    if not config.enable_vector:
        return note("model", "search by meaning is switched off (enableVector)")
    if config.embedder.backend != "onnx":
        return note("model", f"{config.embedder.backend}: {config.embedder.model}; the canary below tries it")
    try:
        model = find_model(config.embedder.model)
        model.verify()
    except ModelError as error:
        return problem("model", str(error), reinstall())
    return fine("model", f"{model.id}, every file as its manifest says")


def _permissions(folder: Path) -> Check:
    there = next((path for path in (folder, *folder.parents) if os.path.lexists(path)), Path("/"))
    if not isdir(there):
        return problem("permissions", f"{there} is no folder", "set HOOKCLAW_HOME to a folder of your own")
    if there != folder and not os.access(there, os.W_OK | os.X_OK):
        told = f"{folder} is not there, and cannot be made: {there} is not yours to write to"
        return problem("permissions", told, "set HOOKCLAW_HOME to a folder of your own")
    if there != folder:
        return note("permissions", f"{folder} is not there yet")
    found = folder.stat()
    if hasattr(os, "getuid") and found.st_uid != os.getuid():
        return problem(
            "permissions", f"{folder} belongs to another user (uid {found.st_uid})", f"sudo chown -R $(id -u) {folder}"
        )
    if found.st_mode & 0o077:
        return problem(
            "permissions", f"others can look into {folder} (mode {found.st_mode & 0o777:o})", f"chmod 700 {folder}"
        )
    if mended := private.mend(
        folder, (*private.HOME, *(f"agents/*/{name}" for name in (*private.BESIDE, *upkeep.FILES)))
    ):
        return note("permissions", f"{len(mended)} files in {folder} were open to others; now they are ours alone")
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        return problem("permissions", f"{folder} cannot be written", f"chmod 700 {folder}")
    return fine("permissions", f"{folder} is ours alone")


def _soundness(folder: Path, agent: str) -> Check:
    place = None
    try:
        place = placing.elsewhere(folder)
        found = upkeep.damage(folder)
    except HookclawError as error:
        return problem("store", str(error), f"psql '{place.shown}'" if place else f"hookclaw --agent {agent} status")
    if found and place:
        return problem("store", found, f"hookclaw --agent {agent} fleet status")
    if found:
        return problem(
            "store", f"the store in {folder} is damaged: {found}", f"hookclaw --agent {agent} index --rebuild"
        )
    return fine("store", f"the store in {upkeep.where(folder)} is sound")


def _origin(store: Facts) -> Iterator[Check]:
    """Tell that the store was rebuilt or restored, and what was lost."""
    told = store.get_meta("origin")
    if told:
        lost = "; ".join(f"{table}: {how}" for table, how in told["lost"].items())
        yield note("history", f"the store was {told['how']} on {told['at'][:10]}{f', and lost {lost}' if lost else ''}")


def _sharing(shared: int) -> Check:
    """Say how much of the notes others than the owner may hear of."""
    if not shared:
        return fine("sharing", "no note is shared: groups, channels and other people hear of nothing")
    files = f"{shared} file{'' if shared == 1 else 's'}"
    return fine("sharing", f"groups, channels and other people hear of {files}; of the rest the owner alone")


def _secrets(config: Config, store: Counters) -> Check:
    """Say what becomes of secrets in notes, and how many were not told."""
    hidden = sum(int(amount) for (name, _), amount in store.counts().items() if name == "redacted_secrets_total")
    told = f"{hidden} of notes were [redacted] in blocks since the store began"
    if config.secrets == "owner":
        return note("secrets", f"those of notes are told in the owner's direct sessions, and nowhere else; {told}")
    return fine("secrets", f'{told}; `secrets = "owner"` tells them in the owner\'s direct sessions')


def _left_behind(store: Counters) -> Iterator[Check]:
    """Tell of work that hung at its deadline: an answer came in time, and without what hung."""
    left = {labels[0]: int(amount) for (name, labels), amount in store.counts().items() if name == "left_behind_total"}
    if left:
        kinds = ", ".join(f"{count} of {kind}" for kind, count in sorted(left.items()))
        told = f"work hung at a deadline and was left behind since the store began: {kinds}"
        yield note("left behind", told, "see to the disk or the endpoint; `hookclaw metrics` counts on")


def _silences(switches: Switches, config: Config) -> Iterator[Check]:
    """Say why nothing is told, where a person wants that."""
    return (note("pause", silence) for silence in silences(switches, config, now=datetime.now(UTC)))


def _model_lane(capturing: Capturing) -> Iterator[Check]:
    """Say where text of sessions is sent, where it is, and whether that is of any use."""
    now = datetime.now(UTC)
    for told in capturing.of_the_model(now):
        if capturing.lane is not None and capturing.lane.is_failing(now):
            yield problem("model lane", told, "see to the endpoint, then hookclaw queue retry")
        else:
            yield note("model lane", told)


def _index(config: Config, agent: str) -> Iterator[Check]:
    again = f"hookclaw --agent {agent} index"
    try:
        with Engine.open(config, agent=agent) as engine:
            engine.catch_up()
            found = engine.status()
            yield from _origin(engine.store)
            yield _sharing(found.shared)
            yield _secrets(config, engine.store)
            yield from _left_behind(engine.store)
            yield from trust_checks(engine.store, agent=agent)
            capturing = engine.capturing
            yield from capture_checks(capturing.switched, capturing.waiting(), engine.store.counts(), agent=agent)
            yield from _model_lane(capturing)
            yield from _silences(engine.switches, config)
            if unfitted := engine.pipeline.calibration.remark:
                yield note(
                    "evidence",
                    unfitted,
                    "run `python eval/fit_calibration.py` over sets of your own, or use the default model",
                )
    except HookclawError as error:
        yield problem("index", str(error), again)
        return
    if not found.chunks:
        yield problem("index", f"agent {agent}'s store is empty", f"hookclaw --agent {agent} index FOLDER")
    elif gone := [folder for folder in found.workspaces if not (isdir(folder) or unreachable(folder))]:
        yield problem("index", f"its workspace {gone[0]} is gone", f"{again} --move FOLDER")
    elif config.enable_vector and found.embedded < found.chunks:
        yield problem("index", f"{found.chunks - found.embedded} of {found.chunks} chunks have no vector yet", again)
    elif found.problems:
        yield problem("index", "; ".join(found.problems), again)
    else:
        folders = f"workspace {' and '.join(found.workspaces)}" if found.workspaces else "no folder of notes"
        yield fine("index", f"{found.chunks} chunks of {documents(found)}, all of them embedded; {folders}")
