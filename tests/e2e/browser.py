"""A real Chromium for tests, driven by its own driver over the WebDriver protocol (plain HTTP and JSON)."""

from __future__ import annotations

import base64
import json
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.waiting import wait_until

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
PATIENCE = 60
NAMES = ("chromium", "chromium-browser", "google-chrome")


class Page:
    """One window."""

    def __init__(self, client: httpx.Client, session: str) -> None:
        self._client, self._at = client, f"/session/{session}"

    def _ask(self, method: str, path: str, **body: Any) -> Any:
        reply = self._client.request(method, self._at + path, json=body if method == "POST" else None)
        value = reply.json()["value"]
        assert reply.status_code == 200, value
        return value

    def open(self, address: str) -> None:
        """Go to an address."""
        self._ask("POST", "/url", url=address)

    def run(self, script: str, *arguments: Any) -> Any:
        """Run a function's body in the page; return what it returns."""
        return self._ask("POST", "/execute/sync", script=script, args=list(arguments))

    def later(self, script: str, *arguments: Any) -> Any:
        """Run a function's body whose last argument is called with the result."""
        return self._ask("POST", "/execute/async", script=script, args=list(arguments))

    def text(self, selector: str = "body") -> str:
        """Return the words that are seen."""
        found: str = self.run("return document.querySelector(arguments[0])?.innerText ?? ''", selector)
        return found

    def waits_for(self, words: str, selector: str = "body") -> None:
        """Wait until the words are seen."""
        wait_until(lambda: words in self.text(selector), f"{words!r} in the page", PATIENCE)

    def click(self, words: str, selector: str = "button, a, summary") -> None:
        """Click what says these words, as the mouse does."""
        script = (
            "return [...document.querySelectorAll(arguments[0])]"
            ".find((one) => one.innerText.trim().startsWith(arguments[1]) && one.checkVisibility())"
        )

        def clicked() -> bool:
            found = self.run(script, selector, words)
            try:
                return bool(found) and self._ask("POST", f"/element/{found[ELEMENT]}/click") is None
            except AssertionError as error:
                if "stale element" not in str(error):
                    raise
                return False  # it was just drawn anew

        wait_until(clicked, f"{words!r} to click", PATIENCE)

    def type(self, selector: str, words: str) -> None:
        """Put words into a field, in the place of what is there."""
        found = self._ask("POST", "/element", using="css selector", value=selector)[ELEMENT]
        self._ask("POST", f"/element/{found}/clear")
        self._ask("POST", f"/element/{found}/value", text=words)

    def press(self, key: str) -> None:
        """Press a key."""
        keys = [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        self._ask("POST", "/actions", actions=[{"type": "key", "id": "keys", "actions": keys}])

    def size(self, width: int, height: int) -> None:
        """Show the page as on a screen of this size."""
        self._devtools(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )

    def scheme(self, name: str) -> None:
        """Prefer light or dark, as the system does."""
        self._devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def picture(self, file: Path) -> None:
        """Keep a screenshot."""
        file.write_bytes(base64.b64decode(self._ask("GET", "/screenshot")))

    def complaints(self) -> list[str]:
        """Return what the browser complained of in its console."""
        entries = self._ask("POST", "/se/log", type="browser")
        return [entry["message"] for entry in entries if entry["level"] == "SEVERE"]

    def _devtools(self, command: str, **given: Any) -> Any:
        return self._ask("POST", "/goog/cdp/execute", cmd=command, params=given)


@contextmanager
def chromium() -> Iterator[Page]:
    """Start a browser without a window, and end it."""
    browser = next(filter(None, map(shutil.which, NAMES)), None)
    driver = shutil.which("chromedriver")
    if browser is None or driver is None:
        pytest.skip("needs Chromium and its driver: apt-get install chromium chromium-driver")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    given = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--no-first-run"]
    wanted = {
        "browserName": "chrome",
        "goog:chromeOptions": {"binary": browser, "args": given},
        "goog:loggingPrefs": {"browser": "ALL"},
        "timeouts": {"script": PATIENCE * 1000},
    }
    command = [driver, f"--port={port}", "--log-level=OFF"]
    with (
        subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process,
        httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=3 * PATIENCE) as client,
    ):
        try:
            wait_until(lambda: _is_ready(client), "the driver answers", PATIENCE)
            reply = client.post("/session", json={"capabilities": {"alwaysMatch": wanted}}).json()["value"]
            assert "sessionId" in reply, json.dumps(reply)[:500]
            yield Page(client, reply["sessionId"])
            client.delete(f"/session/{reply['sessionId']}")
        finally:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(PATIENCE)


def _is_ready(client: httpx.Client) -> bool:
    try:
        return bool(client.get("/status").json()["value"]["ready"])
    except httpx.HTTPError:
        return False
