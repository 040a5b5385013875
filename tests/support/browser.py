"""A headless Chromium for tests: it opens a page from disk, runs a script in it and says what it found.

Driven over the DevTools protocol on a pipe (file descriptors 3 and 4): no port, no driver program, no package.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (Debian's package chromium)")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-extensions",
    "--remote-debugging-pipe",
    "--window-size=1280,1500",
    "--hide-scrollbars",
)
SECONDS = 60.0


class Page:
    """An opened page: `page.evaluate("document.title")`."""

    def __init__(self, write: int, read: int) -> None:
        self._write, self._read, self._number, self._rest = write, read, 0, b""
        self._session = ""
        self.requests: list[str] = []
        """Addresses that the page asked for."""
        self.errors: list[str] = []
        """Exceptions of its scripts."""

    def open(self, path: Path) -> None:
        """Open a file from disk and wait until it is loaded."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime"):
            self.call(f"{domain}.enable")
        self.call("Page.navigate", url=path.as_uri())
        self.wait("document.readyState === 'complete'")

    def evaluate(self, script: str) -> Any:
        """The JSON value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def click(self, selector: str) -> None:
        """Click the first element of a CSS selector."""
        self.evaluate(f"document.querySelector({json.dumps(selector)}).click()")

    def wait(self, condition: str) -> None:
        """Wait until an expression is true."""
        self.call(
            "Runtime.evaluate",
            awaitPromise=True,
            expression=(
                "new Promise((done, fail) => { const end = Date.now() + 20000; const look = () => { "
                f"if ({condition}) done(true); else if (Date.now() > end) fail(new Error('waited in vain')); "
                "else requestAnimationFrame(look); }; look(); })"
            ),
        )
        assert self.evaluate(f"Boolean({condition})"), condition

    def screenshot(self, path: Path) -> None:
        """Write what the window shows as PNG."""
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """One command of the protocol; what happens meanwhile is noted."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + SECONDS
        while True:
            answer = self._next(deadline)
            if answer.get("id") == self._number:
                assert "error" not in answer, answer["error"]
                return dict(answer["result"])
            if answer.get("method") == "Network.requestWillBeSent":
                self.requests.append(answer["params"]["request"]["url"])
            elif answer.get("method") == "Runtime.exceptionThrown":
                self.errors.append(str(answer["params"]["exceptionDetails"]))

    def _next(self, deadline: float) -> dict[str, Any]:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._read], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, "the browser does not answer"
            data = os.read(self._read, 1 << 20)
            assert data, "the browser ended"
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\0")
        return dict(json.loads(line))


@contextmanager
def browser_page(path: Path) -> Iterator[Page]:
    """A page opened from disk in a browser of its own, which ends with the block."""
    assert CHROMIUM is not None
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        to_browser, from_browser = os.pipe(), os.pipe()
        for place in (to_browser[0], from_browser[1]):
            os.set_inheritable(place, True)
        # The protocol's pipe is on the descriptors 3 and 4, which Python does not let a child be given by number.
        command = f'exec "$@" 3<&{to_browser[0]} 4>&{from_browser[1]}'
        process = subprocess.Popen(
            ["bash", "-c", command, "chromium", CHROMIUM, *FLAGS, f"--user-data-dir={profile}"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(to_browser[0], from_browser[1]),
        )
        os.close(to_browser[0])
        os.close(from_browser[1])
        try:
            page = Page(to_browser[1], from_browser[0])
            page.open(path)
            yield page
        finally:
            process.kill()
            process.wait(timeout=30)
            os.close(to_browser[1])
            os.close(from_browser[0])
