"""Every route of the HTTP door, called over HTTP by a client that knows nothing of us, with good and with bad input."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from typing import Any, NamedTuple, cast

import httpx
import pytest
from starlette.requests import Request

from hookclaw_py.config import Config
from hookclaw_py.config.sections import HttpConfig
from hookclaw_py.doors.service import Service
from hookclaw_py.engine import Engine
from hookclaw_py.model.kind import RECORDS
from hookclaw_py.model.record import RecordStatus
from hookclaw_py.web.app import Doorway
from hookclaw_py.web.asked import FindPassages
from hookclaw_py.web.desk import Desk
from hookclaw_py.web.reading import search
from hookclaw_py.web.routes import ROUTES
from hookclaw_py.web.server import Address, DoorError, bound
from hookclaw_py.web.tokens import token_of
from tests.conftest import write_notes
from tests.e2e.sidecar import ASKED, Sidecar, workspace
from tests.e2e.web import PATIENCE, Door, Stream, door, remembered, run
from tests.waiting import wait_until

CAPTURED = "We decided that Lantern stays on Postgres 16."


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    folder = tmp_path_factory.mktemp("http")
    remembered(folder / "home", folder / "notes")
    with door(folder / "home") as opened:
        yield opened


@pytest.fixture(scope="module")
def ids(served: Door) -> dict[str, str]:
    """The ids that the routes are asked about."""
    with served.client() as client:
        records = client.get("/api/records", params={"limit": 200}).json()["records"]
        prompts = client.get("/api/prompts").json()["prompts"]
        (note,) = client.get("/api/search", params={"query": "where is the office", "limit": 1}).json()["results"]
    of = {record["kind"]: record["id"] for record in records}
    spare = next(r["id"] for r in records if r["kind"] in ("summary", "episode", "skill", "working", "observation"))
    injected = next(prompt["id"] for prompt in prompts if prompt["outcome"] == "injected")
    return {"fact": of["fact"], "decision": of["decision"], "spare": spare, "prompt": injected, "note": note["memory"]}


class Asked(NamedTuple):
    """One call: what is given, and the status that it gets; ``says`` is in the answer."""

    path: str
    status: int
    says: str = ""
    given: Any = None


def get(path: str, good: str, bad: str, status: int, says: str) -> list[Asked]:
    return [Asked(path, 200, good), Asked(bad, status, says)]


TABLE: dict[tuple[str, str], list[Asked]] = {
    ("GET", "/api/prompts"): [
        *get("/api/prompts?limit=1", '"hasMore":true', "/api/prompts?limit=0", 400, "1 to 200"),
        *get(
            "/api/prompts?outcome=injected", '"total":', "/api/prompts?outcome=told", 400, "choose of injected, skipped"
        ),
    ],
    ("GET", "/api/prompt/{id}"): get("/api/prompt/{prompt}", '"used":"used"', "/api/prompt/0000", 404, "no decision"),
    ("POST", "/api/prompt/{id}/verdict"): [
        Asked("/api/prompt/{prompt}/verdict", 200, '"success":true', {"good": True}),
        Asked("/api/prompt/{prompt}/verdict", 400, "good is missing", {}),
    ],
    ("POST", "/api/explain"): [
        Asked("/api/explain", 200, "one JSON object a line", {"prompt": ASKED}),
        Asked("/api/explain", 200, '"superseded":""', {"prompt": ASKED}),
        Asked("/api/explain", 400, "unknown field 'promt'; did you mean prompt?", {"promt": ASKED}),
    ],
    ("GET", "/api/observations"): get(
        "/api/observations", '"observations":[', "/api/observations?limit=many", 400, "limit must be"
    ),
    ("POST", "/api/observations/batch"): [
        Asked("/api/observations/batch", 200, "Mondo Gate", {"ids": ["{fact}"]}),
        Asked("/api/observations/batch", 400, "ids must be", {"ids": [7]}),
    ],
    ("GET", "/api/observation/{id}"): get(
        "/api/observation/{fact}", '"history":[', "/api/observation/0000", 404, "no record '0000'"
    ),
    ("DELETE", "/api/observation/{id}"): [
        Asked("/api/observation/{spare}", 200, '"forgotten":["{spare}"]'),
        Asked("/api/observation/{spare}", 404, "forgotten already"),
    ],
    ("GET", "/api/summaries"): get(
        "/api/summaries", '"summaries":[', "/api/summaries?ofset=1", 400, "did you mean offset"
    ),
    ("GET", "/api/records"): get(
        "/api/records?kinds=fact&kinds=decision", '"total":2', "/api/records?statuses=odd", 400, "choose of active"
    ),
    ("GET", "/api/record/{id}"): get("/api/record/{fact}", '"links":[', "/api/record/nothex", 404, "is no id"),
    ("POST", "/api/record/{id}/correct"): [
        Asked("/api/record/{fact}/correct", 200, "1,200", {"words": "Mondo Gate has 1,200 customers."}),
        Asked("/api/record/{fact}/correct", 400, "words is empty", {"words": " "}),
    ],
    ("POST", "/api/record/{id}/retract"): [
        Asked("/api/record/{decision}/retract", 200, '"retracted"', {"why": "no more"}),
        Asked("/api/record/{decision}/retract", 409, "is retracted already", {}),
    ],
    ("GET", "/api/memory/{id}"): get("/api/memory/{note}", "Gdynia", "/api/memory/0000", 404, "no memory '0000'"),
    ("POST", "/api/memory/{id}/mark"): [
        Asked("/api/memory/{note}/mark", 200, '"before":""', {"mark": "pin"}),
        Asked("/api/memory/{note}/mark", 400, "pin, block or empty", {"mark": "love"}),
    ],
    ("DELETE", "/api/memory/{id}"): [
        Asked("/api/memory/{note}", 200, '"stillInNote":"MEMORY.md:3"'),
        Asked("/api/memory/ffffffffffffffff", 404, "no memory"),
    ],
    ("GET", "/api/marks"): get("/api/marks", '"forgotten":', "/api/marks?all=1", 400, "unknown field 'all'"),
    ("GET", "/api/review"): get("/api/review", '"held":[', "/api/review?all=1", 400, "unknown field 'all'"),
    ("POST", "/api/review"): [
        Asked("/api/review", 200, '"trusted":true', {"memory": "{note}"}),
        Asked("/api/review", 404, "there is nothing from", {"source": "nowhere"}),
        Asked("/api/review", 400, "either memory or source", {}),
    ],
    ("GET", "/api/session/{session:path}"): get(
        "/api/session/agent%3Amain%3Amain", '"prompt_count":', "/api/session/nobody", 404, "nothing is known of session"
    ),
    ("GET", "/api/search"): get(
        "/api/search?query=logging&date_end=2026-02-10",
        "serilog",
        "/api/search?query=x&dateStart=soon",
        400,
        "a day as",
    ),
    ("GET", "/api/timeline"): get(
        "/api/timeline?anchor={fact}", '"anchor":"{fact}"', "/api/timeline", 400, "either anchor"
    ),
    ("GET", "/api/stats"): get("/api/stats?days=30", '"byProject":', "/api/stats?days=-1", 400, "days must be"),
    ("GET", "/api/projects"): get("/api/projects", "/notes", "/api/projects?x=1", 400, "unknown field 'x'"),
    ("GET", "/api/context/inject"): get(
        "/api/context/inject?project=main", "", "/api/context/inject", 400, "project is missing"
    ),
    ("GET", "/api/settings"): get("/api/settings", '"theme":', "/api/settings?theme=dark", 400, "unknown field"),
    ("POST", "/api/settings"): [
        Asked("/api/settings", 200, '"success":true', {"theme": "dark", "sidebar_open": False}),
        Asked("/api/settings", 400, "unknown field 'colour'", {"colour": "red"}),
    ],
    ("GET", "/api/checks"): get("/api/checks", '"verdict":"ok"', "/api/checks?deep=1", 400, "unknown field"),
    ("GET", "/api/pending-queue"): get(
        "/api/pending-queue", '"pending":', "/api/pending-queue?x=1", 400, "unknown field"
    ),
    ("POST", "/api/pending-queue/process"): [
        Asked("/api/pending-queue/process", 200, '"recovered":0', {}),
        Asked("/api/pending-queue/process", 400, "sessionLimit must be 1 to 200, not 0", {"sessionLimit": 0}),
    ],
    ("POST", "/sessions/{session:path}/init"): [
        Asked("/sessions/agent%3Amain%3Aweb/init", 200, '"prompt_number":1', {"userPrompt": CAPTURED}),
        Asked("/sessions/agent%3Amain%3Aweb/init", 400, "userPrompt is missing", {}),
    ],
    ("POST", "/sessions/{session:path}/observations"): [
        Asked(
            "/sessions/agent%3Amain%3Aweb/observations",
            202,
            '"queued":true',
            {"tool_name": "exec", "tool_input": {"command": "pytest"}, "tool_result": "1 failed", "error": "exit 1"},
        ),
        Asked(
            "/sessions/agent%3Amain%3Aweb/observations",
            200,
            '"skipped_reason":"read"',
            {"tool_name": "Read", "tool_input": {"file_path": "a.py"}, "tool_response": "x = 1"},
        ),
        Asked("/sessions/nobody/observations", 404, "nothing is known", {"tool_name": "exec"}),
    ],
    ("POST", "/sessions/{session:path}/summarize"): [
        Asked(
            "/sessions/agent%3Amain%3Aweb/summarize", 202, '"summary_queued":true', {"last_assistant_message": "It is."}
        ),
        Asked("/sessions/nobody/summarize", 404, "nothing is known", {"last_assistant_message": "It is."}),
    ],
    ("GET", "/sessions/{session:path}/status"): get(
        "/sessions/agent%3Amain%3Aweb/status", '"status":"active"', "/sessions/nobody/status", 404, "nothing is known"
    ),
    ("POST", "/sessions/{session:path}/complete"): [
        Asked("/sessions/agent%3Amain%3Aweb/complete", 200, '"completed":true', {"reason": "clear"}),
        Asked("/sessions/nobody/complete", 404, "nothing is known", {}),
    ],
}
"""What is asked of each route, the good first; in the order in which it makes sense."""


def test_every_route_is_asked():
    assert set(TABLE) == {(route.method, route.path) for route in ROUTES}


def test_every_route_answers_what_is_good_and_says_what_is_wrong_with_what_is_bad(served: Door, ids: dict[str, str]):
    """C16, and the table of routes."""

    def named(text: str) -> str:
        for name, value in ids.items():
            text = text.replace(f"{{{name}}}", value)
        return text

    forgets_last = sorted(TABLE.items(), key=lambda item: item[0][0] == "DELETE")
    with served.client() as client:
        for (method, _), calls in forgets_last:
            for call in calls:
                given = json.loads(named(json.dumps(call.given))) if call.given is not None else None
                path = named(call.path)
                reply = client.request(method, path, json=given) if given is not None else client.request(method, path)
                assert reply.status_code == call.status, (method, path, reply.text)
                assert named(call.says) in reply.text, (method, path, reply.text)
                if reply.status_code >= 400:
                    told = reply.json()
                    assert told.keys() == {"error", "code", "where", "todo"}, told
                    assert told["where"].startswith(method)


def test_a_call_that_is_told_twice_is_kept_once_and_the_next_prompt_has_the_next_number(served: Door):
    """C18, vector 11."""
    told = {"tool_name": "exec", "tool_input": {"command": "make"}, "tool_result": "Error 2", "error": "exit 2"}
    with served.client() as client:
        first = client.post("/sessions/twice/init", json={"userPrompt": "Build it again, please."}).json()
        again = [
            client.post("/sessions/twice/observations", json={**told, "correlation_id": "c1"}).json() for _ in "ab"
        ]
        second = client.post("/sessions/twice/init", json={"userPrompt": "And now run the tests."}).json()
    assert (first["prompt_number"], second["prompt_number"]) == (1, 2)
    assert again[0]["queue_id"] == again[1]["queue_id"]
    assert [reply.get("duplicate", False) for reply in again] == [False, True]


def test_prompts_that_are_told_at_the_same_time_are_all_kept(served: Door):
    def told(number: int) -> dict[str, Any]:
        with served.client() as client:
            reply = client.post("/sessions/crowd/init", json={"userPrompt": f"Rename module {number}, please."})
            return dict(reply.json())

    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(told, range(8)))
    assert sorted(reply["prompt_number"] for reply in replies) == list(range(1, 9))
    assert not any(reply.get("duplicate") for reply in replies)
    with served.client() as client:
        again = [
            client.post("/sessions/crowd/init", json={"userPrompt": "And the tests.", "promptNumber": 20}).json()
            for _ in "ab"
        ]
        assert [reply.get("duplicate", False) for reply in again] == [False, True]
        assert client.post("/sessions/crowd/init", json={"userPrompt": "And now?"}).json()["prompt_number"] == 10


def test_private_words_do_not_come_in_over_http(served: Door):
    """Vector 7."""
    with served.client() as client:
        told = client.post("/sessions/private/init", json={"userPrompt": "<PRIVATE>pw hunter2</PRIVATE>"}).json()
        call = client.post(
            "/sessions/private/observations", json={"tool_name": "exec", "tool_input": {"command": "ls"}}
        )
    assert told["skipped"] is True
    assert call.json() == {"queued": False, "skipped_reason": "private"}


def test_the_openapi_document_has_every_route_and_says_what_each_takes(served: Door):
    with served.client() as client:
        told = client.get("/openapi.json").json()
    for route in ROUTES:
        operation = told["paths"][route.path.replace(":path}", "}")][route.method.lower()]
        assert operation["summary"], route
        assert {p["name"] for p in operation["parameters"] if p["in"] == "path"} == set(route.in_path)
    found = told["paths"]["/api/search"]["get"]["parameters"]
    assert {p["name"]: p["required"] for p in found}["query"] is True
    assert "/stream" in told["paths"]


def test_the_pages_filters_offer_every_kind_and_status_that_a_memory_can_have(served: Door):
    statuses = sorted(set(RecordStatus) - {RecordStatus.ACTIVE})  # it is among those that stand
    with served.client() as client:
        script = client.get("/page/memories.js").text
        assert [kind.name for kind in RECORDS if f'"{kind.name}"' not in script] == []
        assert [status for status in statuses if f'["{status}", ' not in script] == []
        for key, values in (("kinds", [kind.name for kind in RECORDS]), ("statuses", statuses)):
            assert client.get("/api/records", params={key: values}).status_code == 200


@pytest.mark.slow
def test_what_happens_is_told_live_whichever_process_wrote_it_and_what_was_missed_is_told_later(served: Door):
    """SSE; the commands write from processes of their own."""
    live = Stream(served)
    live.next("hello")
    with served.client() as client:
        client.post("/sessions/live/init", json={"userPrompt": "We decided to call the new service Beacon."})
        client.post("/sessions/live/summarize", json={"last_assistant_message": "Beacon it is."})
        last, told = live.next("capture")
        assert "Beacon" in told["text"]
        _, learned = live.next("learned")
        assert learned["action"] == "begun"
        live.close()
        run(served.home, "recall", ASKED)  # shown to nobody: no decision of a host, but in the history all the same
        memory = client.get("/api/search", params={"query": "build server", "limit": 1}).json()["results"][0]["memory"]
        run(served.home, "feedback", "pin", memory)
        run(served.home, "feedback", "forget", memory, "--yes")
        later = Stream(served, **{"last-event-id": str(last)})
        assert later.next("learned")[0] > last
        live = Stream(served)
        live.next("hello")
        client.post("/sessions/live/init", json={"userPrompt": "Which port does Beacon use?"})
        assert "Which port" in live.next("capture")[1]["text"]
        record = client.get("/api/records", params={"kinds": "decision"}).json()["records"][0]["id"]
        client.delete(f"/api/memory/{record}")
        number = live.next("forgotten")[0]
        again = Stream(served, **{"last-event-id": "1"})
        told = []
        while not told or told[-1][0] < number:
            told.append(again.events.get(timeout=PATIENCE))
        assert "recall" in [name for _, name, _ in told]
        assert "new service Beacon" not in json.dumps(told), "what was forgotten is told no more"
    for stream in (live, later, again):
        stream.close()


class Asked:
    """A service that notes how many ask its one engine at a time."""

    def __init__(self, engine: Engine) -> None:
        self._engine, self._counting = engine, threading.Lock()
        self.now = self.most = 0

    def ask(self, _: str, question: Callable[[Engine], object]) -> object:
        with self._counting:
            self.now += 1
            self.most = max(self.most, self.now)
        threading.Event().wait(0.02)  # so that those who come together meet
        try:
            return question(self._engine)
        finally:
            with self._counting:
                self.now -= 1


def test_streams_that_begin_at_once_share_one_look_at_the_store(tmp_path):
    """Each tab looked for itself, at the same time: six had the work of six, and told of one thing more than once."""
    with Engine.open(Config(enable_vector=False), folder=tmp_path / "store") as engine:
        service = Asked(engine)
        doorway = Doorway(cast(Service, service), port=0)

        async def begin() -> None:
            request = Request({"type": "http", "headers": [(b"authorization", f"Bearer {token_of('main')}".encode())]})
            begun = [asyncio.create_task(doorway.stream(request)) for _ in range(6)]
            await asyncio.gather(*begun)
            await asyncio.sleep(0)
            doorway.ending = True
            for task in asyncio.all_tasks() - {asyncio.current_task()}:
                await task

        asyncio.run(begin())
        assert service.most == 1


def test_a_stream_with_a_wrong_last_event_id_is_refused(served: Door):
    with served.client() as client:
        assert client.get("/stream", headers={"last-event-id": "yesterday"}).status_code == 400


@pytest.mark.slow
def test_the_worker_is_started_looked_at_and_ended_from_the_command_line(tmp_path, monkeypatch):
    """C17: one process, found by its lock; SIGTERM ends it, and a second start finds the first."""
    monkeypatch.setenv("HOOKCLAW_HTTP__PORT", "0")
    home = tmp_path / "home"
    remembered(home, tmp_path / "notes")
    try:
        assert run(home, "worker", "start").startswith("listening: http://127.0.0.1:")
        assert run(home, "worker", "start").startswith("listening already: ")
        address = run(home, "viewer", "--url")
        assert "#token=main." in address
        assert "?" not in address
        assert json.loads(run(home, "worker", "status", "--json"))["running"] is True
        assert "HTTP at" in run(home, "worker", "logs")
        before = json.loads(run(home, "worker", "status", "--json"))["pid"]
        secret = run(home, "viewer", "--token")
        with httpx.Client(headers={"authorization": f"Bearer {secret}"}, timeout=PATIENCE) as client:
            where = address.partition("#")[0]
            assert "Gdynia" in client.get(f"{where}api/search", params={"query": "office"}).text
            client.get(f"{where}api/search", params={"query": "office", "token": secret})
        run(home, "worker", "restart")
        assert json.loads(run(home, "worker", "status", "--json"))["pid"] != before
    finally:
        assert run(home, "worker", "stop") == "ended"
    assert run(home, "worker", "stop") == "nothing listens"
    assert not (home / "run" / "http.json").exists()
    token = home / "agents" / "main" / "http.token"
    assert token.stat().st_mode & 0o777 == 0o600
    log = (home / "logs" / "worker.log").read_text(encoding="utf-8")
    for told in (token.read_text(encoding="utf-8").strip(), "office", "Gdynia"):
        assert told not in log


@pytest.mark.slow
def test_the_process_that_serves_a_host_listens_too_where_that_is_wanted(tmp_path):
    home = tmp_path / "home"
    file = home / "run" / "http.json"
    with Sidecar(HOOKCLAW_HOME=str(home)) as sidecar:
        sidecar.ask("health")
        assert not file.exists(), "off until asked for"
    with Sidecar(HOOKCLAW_HOME=str(home), HOOKCLAW_HTTP__ENABLED="true", HOOKCLAW_HTTP__PORT="0") as sidecar:
        sidecar.open(workspace(tmp_path / "notes"))
        wait_until(file.exists, "the door beside the gateway's is open")
        opened = Door(
            sidecar.process,
            home,
            f"http://127.0.0.1:{json.loads(file.read_text())['port']}",
            run(home, "viewer", "--token"),
        )
        live = Stream(opened)
        live.next("hello")
        sidecar.prompt(ASKED)
        assert live.next("recall")[1]["outcome"] == "injected"
        live.close()
        assert sidecar.end() == 0


def test_a_door_that_cannot_be_opened_is_one_line_of_the_log_and_the_host_is_served(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        told = {"HOOKCLAW_HTTP__ENABLED": "true", "HOOKCLAW_HTTP__PORT": str(port)}
        with Sidecar(HOOKCLAW_HOME=str(tmp_path / "home"), **told) as sidecar:
            assert sidecar.logged(f"no HTTP: cannot listen at 127.0.0.1:{port}")
            sidecar.open(workspace(tmp_path / "notes"))
            assert sidecar.prompt(ASKED)["outcome"] == "injected"
            assert sidecar.end() == 0
            assert "Traceback" not in sidecar.stderr


def test_a_search_finds_what_was_noted_in_these_days_however_much_else_is_nearer_and_has_one_total_on_every_page(
    tmp_path,
):
    days = [date(2026, 1, 1) + timedelta(days=n) for n in range(130)]
    long_ago = "The boiler was mentioned among many other things of that day, which was a long one. " * 3
    notes = {f"{day}.md": f"{'Boiler: boiler ran.' if n >= 10 else long_ago}\n" for n, day in enumerate(days)}
    with Engine.open(Config(enable_vector=False, reader="off"), folder=tmp_path / "store") as engine:
        engine.index(write_notes(tmp_path / "notes", notes))
        desk = Desk("main", engine, Service(config_file=None, emit=print, watching=False), tmp_path, datetime.now(UTC))
        found = search(desk, FindPassages(query="boiler", date_start="2026-01-01", date_end="2026-01-10", limit=4))
        assert (len(found["results"]), found["total"], found["hasMore"]) == (4, 10, True)
        pages = [search(desk, FindPassages(query="boiler", limit=20, offset=offset)) for offset in range(0, 140, 20)]
        assert [page["total"] for page in pages] == [130] * 7
        assert len({one["id"] for page in pages for one in page["results"]}) == 130
        desk.service.close(1.0)


def test_what_lies_where_a_socket_is_to_be_stays_unless_it_is_one(tmp_path):
    """Whoever writes the path of a note into `http.socket` still has the note."""
    note = tmp_path / "note.md"
    note.write_text("precious\n")
    with pytest.raises(DoorError, match=r"Address already in use; set http\.socket to a path of its own"):
        bound(HttpConfig(socket=str(note)))
    assert note.read_text() == "precious\n"
    left = tmp_path / "s"
    for _ in range(2):  # the second finds what the first has left
        bound(HttpConfig(socket=str(left))).close()
    for path, why in (
        (tmp_path / "nowhere" / "s", "No such file or directory"),
        (tmp_path / ("x" * 120), "AF_UNIX path too long"),
    ):
        with pytest.raises(DoorError, match=f"{why}; set http.socket"):
            bound(HttpConfig(socket=str(path)))


def test_the_address_of_the_other_loopback_is_one_that_a_browser_opens():
    assert Address(1, "::1", 37888, "").url == "http://[::1]:37888/"
    assert Address(1, "127.0.0.1", 37888, "").url == "http://127.0.0.1:37888/"


def test_to_read_a_long_log_takes_nothing_away(tmp_path):
    log = tmp_path / "home" / "logs" / "worker.log"
    log.parent.mkdir(parents=True)
    log.write_text("a line\n" * 200_000 + "the last\n")
    for _ in range(2):
        assert run(tmp_path / "home", "worker", "logs", "--lines", "2") == "a line\nthe last"


@pytest.mark.slow
def test_two_shells_that_start_the_worker_at_once_both_find_the_one_that_listens(tmp_path, monkeypatch):
    monkeypatch.setenv("HOOKCLAW_HTTP__PORT", "0")
    home = tmp_path / "home"
    try:
        with ThreadPoolExecutor(4) as shells:
            told = list(shells.map(lambda _: run(home, "worker", "start"), range(4)))
        assert len({line.partition(": ")[2] for line in told}) == 1, told
        assert sum(line.startswith("listening: ") for line in told) == 1
    finally:
        run(home, "worker", "stop")


async def sends_at_once(listener: socket.socket) -> bool:
    """Say whether what a connection to the listener is answered goes out without waiting for what went out before."""
    accepted: asyncio.Future[asyncio.StreamWriter] = asyncio.get_running_loop().create_future()
    listener.listen()
    server = await asyncio.start_server(lambda _, writer: accepted.set_result(writer), sock=listener)
    async with server:
        _, asking = await asyncio.open_connection(*listener.getsockname()[:2])
        answering = await accepted
        told = answering.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        asking.close()
        answering.close()
    return bool(told)


def test_the_second_answer_on_a_connection_does_not_wait_for_the_first_to_be_acknowledged():
    assert asyncio.run(sends_at_once(bound(HttpConfig(port=0)))), "40 ms a request otherwise"
