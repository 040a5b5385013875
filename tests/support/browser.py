"""A headless Chromium for tests: opens a page, runs a script in the page and returns the result.

Chromium is driven over the DevTools protocol on a pipe (file descriptors 3 and 4), which needs no port, no driver
program and no package.
"""

from __future__ import annotations

import base64
import json
import os
import re
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
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--disable-extensions",
    "--remote-debugging-pipe", "--window-size=1280,1500", "--hide-scrollbars",
)  # fmt: skip
SECONDS = 60.0
KEYS = {
    "Backspace": 8, "Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "End": 35, "Home": 36, "ArrowLeft": 37,
    "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "PageDown": 34, "PageUp": 33,
}  # fmt: skip
"""The codes of keys other than letters."""


class Page:
    """An opened page: `page.evaluate("document.title")`."""

    def __init__(self, write: int, read: int) -> None:
        self._write, self._read, self._number, self._rest = write, read, 0, b""
        self._session = self._context = self._target = ""
        self.requests: list[str] = []
        """The addresses that the page requested."""
        self.errors: list[str] = []
        """The exceptions of the page's scripts, and the errors on its console."""

    def open(self, address: Path | str) -> None:
        """Open a file from disk, or an address, and wait until it is loaded."""
        self.fresh()
        self.visit(address if isinstance(address, str) else address.as_uri())

    def fresh(self, width: int = 1280, height: int = 900, dark: bool = False) -> None:
        """Replace the tab by a new tab, which has no cookies, permissions or data of its session, and clear the cache
        and the lists of requests and errors.
        """
        # A tab takes a third of the processor time of a context with a window of its own.
        old, self._session = self._target, ""
        if not self._context:
            self._context = self.call("Target.createBrowserContext")["browserContextId"]
        self._target = self.call("Target.createTarget", url="about:blank", browserContextId=self._context)["targetId"]
        if old:
            self.call("Target.closeTarget", targetId=old)
        self.call("Browser.resetPermissions", browserContextId=self._context)
        self.requests, self.errors = [], []
        self._session = self.call("Target.attachToTarget", targetId=self._target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        for kind in ("Cookies", "Cache"):
            self.call(f"Network.clearBrowser{kind}")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def visit(self, address: str) -> None:
        """Go to an address in the same tab, and wait until it is loaded."""
        self.call("Page.navigate", url=address)
        self.wait("document.readyState === 'complete'")

    def type(self, text: str) -> None:
        """Type into the element that has the focus; a line break is the Enter key."""
        for part in re.split("(\n)", text):
            if part == "\n":
                self.press("Enter")
            elif part:
                self.call("Input.insertText", text=part)

    def press(self, key: str, modifiers: int = 0) -> None:
        """Press a key such as `Enter`, `ArrowDown` or `a`; `modifiers` is a sum of 1 (Alt), 2 (Control)
        and 8 (Shift)."""
        code = KEYS.get(key, 0)
        text = {"Enter": "\r", "Tab": "\t"}.get(key) or (key if len(key) == 1 and not modifiers & 3 else None)
        pressed: dict[str, Any] = {"key": key, "code": key, "windowsVirtualKeyCode": code, "modifiers": modifiers}
        if text is not None and not modifiers & 3:
            pressed["text"] = text
        self.call("Input.dispatchKeyEvent", type="keyDown" if "text" in pressed else "rawKeyDown", **pressed)
        pressed.pop("text", None)
        self.call("Input.dispatchKeyEvent", type="keyUp", **pressed)

    def evaluate(self, script: str) -> Any:
        """Return the JSON value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def click(self, selector: str) -> None:
        """Click the first element of a CSS selector."""
        self.evaluate(f"document.querySelector({json.dumps(selector)}).click()")

    def wait(self, condition: str) -> None:
        """Wait until an expression is true in the page."""
        self.call(
            "Runtime.evaluate",
            awaitPromise=True,
            expression=(
                "new Promise((done, fail) => { const end = Date.now() + 50000; const look = () => { "
                f"if ({condition}) done(true); else if (Date.now() > end) fail(new Error('waited in vain')); "
                "else requestAnimationFrame(look); }; look(); })"
            ),
        )
        if not self.evaluate(f"Boolean({condition})"):
            raise AssertionError(f"{condition} on the page {self.evaluate('document.body.innerText.slice(0, 2000)')!r}")

    def screenshot(self, path: Path) -> None:
        """Write a screenshot of the window as PNG."""
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def browser(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send one command to the browser, in the context of this tab; return its result."""
        session, self._session = self._session, ""
        try:
            return self.call(method, browserContextId=self._context, **parameters)
        finally:
            self._session = session

    def saved(self, path: Path) -> bytes:
        """Wait until a file that the page downloads is not empty, and return its content.

        Chromium first creates an empty file.
        """
        deadline = time.monotonic() + SECONDS
        while not path.exists() or not path.stat().st_size:
            assert time.monotonic() < deadline, f"{path} was not saved"
            self.evaluate("1")
        return path.read_bytes()

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send one command of the protocol and return its result; record the events that arrive in the meantime."""
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
            elif answer.get("method") == "Log.entryAdded" and answer["params"]["entry"]["level"] == "error":
                self.errors.append(str(answer["params"]["entry"]))
            elif answer.get("method") == "Runtime.consoleAPICalled" and answer["params"]["type"] in ("error", "assert"):
                self.errors.append(str(answer["params"]["args"]))

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
def browser_page(address: Path | str | None = None) -> Iterator[Page]:
    """Start a separate browser for the `with` block; without an address, `page.fresh()` opens a tab."""
    assert CHROMIUM is not None
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        to_browser, from_browser = os.pipe(), os.pipe()
        for place in (to_browser[0], from_browser[1]):
            os.set_inheritable(place, True)
        # The protocol's pipe uses the descriptors 3 and 4, but Python cannot give a child process descriptors
        # by number.
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
            if address is not None:
                page.open(address)
            yield page
        finally:
            process.kill()
            process.wait(timeout=30)
            os.close(to_browser[1])
            os.close(from_browser[0])
