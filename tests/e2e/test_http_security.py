"""Who may not come in by HTTP does not, learns nothing by trying, and costs the others nothing."""

from __future__ import annotations

import http.client
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from hookclaw_py.web.app import MOST_STREAMS
from hookclaw_py.web.body import MAX_BODY
from hookclaw_py.web.routes import ROUTES
from hookclaw_py.web.server import HEADER_SECONDS
from tests.e2e.web import PATIENCE, Door, door, remembered, run
from tests.waiting import wait_until

SECRET = "Gdynia"
"""A word of the memory, which nobody without its token is to read."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    folder = tmp_path_factory.mktemp("secure")
    remembered(folder / "home", folder / "notes")
    remembered(folder / "home", folder / "bobs", agent="bob")
    with door(folder / "home") as opened:
        yield opened


def refused(reply: httpx.Response, status: int) -> None:
    assert reply.status_code == status, reply.text
    assert reply.json().keys() == {"error", "code", "where", "todo"}
    assert SECRET not in reply.text


@pytest.mark.parametrize(
    "token", ["", "main.", "main.wrong", "wrong", "../main.x", ".", "nobody.abc", "main.%00", "Bearer x"]
)
def test_without_the_right_token_there_is_nothing(served: Door, token: str):
    """Vector 23."""
    with httpx.Client(base_url=served.url, timeout=PATIENCE) as client:
        headers = {"authorization": f"Bearer {token}"} if token else {}
        for path in ("/api/search?query=office", "/api/prompts", "/stream", "/sessions/s/status"):
            refused(client.get(path, headers=headers), 401)
        refused(client.get(f"/api/search?query=office&token={served.token}"), 401)
        refused(client.get("/api/search?query=office", headers={"cookie": f"hookclaw={served.token}"}), 401)


def test_every_route_asks_for_the_token(served: Door):
    with httpx.Client(base_url=served.url, timeout=PATIENCE) as client:
        for route in ROUTES:
            path = route.path.replace("{id}", "0000").replace("{session:path}", "s")
            refused(client.request(route.method, path, json={} if route.method == "POST" else None), 401)
        told = client.get("/health").json()
    assert told.keys() == {"status", "version", "uptime", "port", "pid"}


def test_another_agents_token_opens_that_agents_memory_alone(served: Door):
    token = run(served.home, "--agent", "bob", "viewer", "--token")
    with served.client() as mine, served.client(authorization=f"Bearer {token}") as bobs:
        record = mine.get("/api/records", params={"kinds": "fact"}).json()["records"][0]["id"]
        mine.post(f"/api/record/{record}/correct", json={"words": "Mondo Gate has 7,777 customers."})
        assert "7,777" in mine.get(f"/api/record/{record}").text
        assert "7,777" not in bobs.get("/api/records", params={"kinds": "fact"}).text
        swapped = "bob." + served.token.partition(".")[2]
        refused(mine.get("/api/records", headers={"authorization": f"Bearer {swapped}"}), 401)


def test_a_token_that_others_could_read_counts_no_more(served: Door, tmp_path: Path):
    remembered(served.home, tmp_path / "notes", agent="carol")
    token = run(served.home, "--agent", "carol", "viewer", "--token")
    file = served.home / "agents" / "carol" / "http.token"
    with served.client(authorization=f"Bearer {token}") as client:
        assert client.get("/api/projects").status_code == 200
        file.chmod(0o644)
        refused(client.get("/api/projects"), 401)
        again = run(served.home, "--agent", "carol", "viewer", "--token")
        assert again != token
        assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1", "localhost:1", "127.0.0.1.nip.io", ""]
)
def test_a_foreign_host_is_turned_away(served: Door, host: str):
    """DNS rebinding: a name of somebody else's that leads here."""
    with served.client(host=host) as client:
        reply = client.get("/api/search", params={"query": "office"})
    assert reply.status_code in (400, 403)
    assert SECRET not in reply.text


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:1"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
    ids=str,
)
def test_another_pages_request_is_turned_away_even_with_the_token(served: Door, headers: dict[str, str]):
    with served.client(**headers) as client:
        refused(client.get("/api/search", params={"query": "office"}), 403)
        refused(client.post("/api/settings", json={"theme": "dark"}), 403)


def test_what_a_form_can_send_is_no_request(served: Door):
    with served.client() as client:
        refused(client.post("/api/settings", content=b'{"theme": "dark"}', headers={"content-type": "text/plain"}), 415)
        refused(client.post("/api/settings", data={"theme": "dark"}), 415)
        refused(client.post("/api/settings", content=b"{", headers={"content-type": "application/json"}), 400)
        refused(client.put("/api/settings", json={}), 405)
        refused(client.get("/page/..%2f..%2fserver.py"), 404)
        refused(client.get("/page/%2e%2e"), 404)


def test_the_page_lets_in_nothing_from_elsewhere(served: Door):
    with httpx.Client(base_url=served.url, timeout=PATIENCE) as client:
        reply = client.get("/")
        policy = reply.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        for name in (
            "index.html",
            "main.js",
            "style.css",
            "api.js",
            "views.js",
            "dom.js",
            "acts.js",
            "prompts.js",
            "memories.js",
        ):
            text = client.get(f"/page/{name}").text
            assert "innerHTML" not in text
            assert "://" not in text.replace("http://www.w3.org/2000/svg", ""), name


def memory_of(pid: int) -> int:
    """Return the bytes that a process holds."""
    pages = Path(f"/proc/{pid}/statm").read_text().split()[1]
    return int(pages) * 4096


def test_a_body_of_a_gigabyte_is_not_read(served: Door):
    port = int(served.url.rpartition(":")[2])
    before = memory_of(served.process.pid)
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    line.putrequest("POST", "/api/settings")
    for name, value in (
        ("Authorization", f"Bearer {served.token}"),
        ("Content-Type", "application/json"),
        ("Content-Length", str(10**9)),
    ):
        line.putheader(name, value)
    line.endheaders(b"{")
    assert line.getresponse().status == 413
    line.close()

    sent, piece = 0, b" " * 65536
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as raw:
        head = f"POST /api/settings HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {served.token}\r\n"
        raw.sendall(f"{head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
        try:
            while sent < 10**9:
                raw.sendall(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
                sent += len(piece)
        except OSError:
            pass  # the door was shut
    assert MAX_BODY <= sent < 64 * MAX_BODY
    assert memory_of(served.process.pid) - before < 100 * 2**20
    with served.client() as client:
        assert client.get("/api/projects").status_code == 200


@pytest.mark.slow
def test_two_hundred_streams_are_not_kept_open_and_the_others_are_answered(served: Door):
    port = int(served.url.rpartition(":")[2])
    asked = f"GET /stream HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {served.token}\r\n\r\n".encode()
    open_ones, turned_away = [], 0
    try:
        for _ in range(200):
            raw = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
            raw.sendall(asked)
            status = raw.recv(12)
            while b" 429" in status and b"RATE_LIMITED" not in status and (more := raw.recv(4096)):
                status += more
            turned_away += b"RATE_LIMITED" in status
            if b" 200" in status:
                open_ones.append(raw)
            else:
                raw.close()
            time.sleep(0.011)  # no more than a hundred a second: what is tried here is their number
        assert len(open_ones) == MOST_STREAMS
        assert turned_away == 200 - MOST_STREAMS
        with served.client() as client:
            assert SECRET in client.get("/api/search", params={"query": "office"}).text
    finally:
        for raw in open_ones:
            raw.close()

    def is_free() -> bool:
        with served.client() as client, client.stream("GET", "/stream") as reply:
            return reply.status_code == 200

    wait_until(is_free, "there is room for a stream again")


@pytest.mark.slow
def test_more_than_a_hundred_requests_in_a_second_are_too_many(served: Door):
    with served.client(patient=False) as client:
        replies = [client.get("/health") for _ in range(250)]
    assert {reply.status_code for reply in replies} <= {200, 429}
    for reply in replies:
        if reply.status_code == 429:
            assert reply.headers["retry-after"] == "1"


@pytest.mark.slow
def test_a_head_that_does_not_come_is_not_waited_for(served: Door):
    port = int(served.url.rpartition(":")[2])
    lines = [socket.create_connection(("127.0.0.1", port), timeout=4 * HEADER_SECONDS) for _ in range(50)]
    for number, raw in enumerate(lines):
        raw.sendall(b"GET /health HTTP/1.1\r\nHost: "[: number + 1])
    with served.client() as client:
        assert client.get("/api/projects").status_code == 200
    assert [raw.recv(1) for raw in lines] == [b""] * len(lines), "each was closed"
    for raw in lines:
        raw.close()
