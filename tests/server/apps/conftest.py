"""A host of MCP Apps in a browser: a page, and a sandbox on another origin, which contains the view."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.browser import Page
from tests.support.local_http import LocalHandler, LocalServer
from tests.support.node_packages import FOLDER

FILES = Path(__file__).with_name("host")
POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "media-src 'self' data:; connect-src 'none'; frame-src 'none'; object-src 'none'; base-uri 'self'"
)
"""The content security policy that the specification prescribes for a view without domains."""


class HostServer(LocalServer):
    """A server of the host's page, of the sandbox, and of the npm packages under /modules/."""

    def __init__(self) -> None:
        class Handler(LocalHandler):
            def do_GET(self) -> None:
                inside = self.path.startswith("/modules/")
                root = FOLDER / "node_modules" if inside else FILES
                path = root / (self.path.removeprefix("/modules/") if inside else self.path.lstrip("/"))
                if not path.is_file():
                    self.reply(204 if path.name == "favicon.ico" else 404, b"")
                    return
                kind = {".html": "text/html"}.get(path.suffix, "text/javascript")
                headers = {"Content-Type": f"{kind}; charset=utf-8"}
                if path.name == "sandbox.html":
                    headers["Content-Security-Policy"] = POLICY.replace("frame-src 'none'", "frame-src 'self'")
                self.reply(200, path.read_bytes(), headers)

        super().__init__(Handler)


@pytest.fixture(scope="session")
def hosts() -> Iterator[tuple[str, str]]:
    """Yield the origins of the host and of the sandbox."""
    with HostServer() as host, HostServer() as sandbox:
        yield host.address, sandbox.address


Shown = Callable[..., Page]


@pytest.fixture(params=["own", "official"])
def shown(request: pytest.FixtureRequest, chromium: Page, hosts: tuple[str, str]) -> Shown:
    """Return a function that shows a result in the view: `shown(contents, {"query": …}, result)` returns the host's
    page."""
    if request.param == "official":
        request.getfixturevalue("packages")
    return showing(chromium, hosts, request.param)


@pytest.fixture
def shown_once(chromium: Page, hosts: tuple[str, str]) -> Shown:
    """Return the function that `shown` gives for our own host; a test that uses it runs in one host instead of two."""
    return showing(chromium, hosts, "own")


def showing(page: Page, origins: tuple[str, str], kind: str) -> Shown:
    """Return a function that shows a result in a host: `own`, written for these tests, or `official`."""
    host, sandbox = origins

    def show(
        contents: Any, arguments: Any, result: Any, context: Any = None, *, dark: bool = False, width: int = 900
    ) -> Page:
        page.fresh(dark=dark, width=width)
        page.visit(f"{host}/host.html")
        settings = {
            "html": contents["text"],
            "csp": contents["_meta"]["ui"]["csp"],
            "context": context or {"theme": "dark" if dark else "light", "displayMode": "inline"},
            "args": arguments,
            "result": result,
        }
        page.evaluate(
            "void (async () => {"
            " const frame = document.createElement('iframe');"
            " frame.style.cssText = 'border: 0; width: 100%; height: 2100px';"
            " frame.setAttribute('sandbox', 'allow-scripts allow-same-origin');"
            " document.body.append(frame);"
            f" const {{ host }} = await import('/{kind}.mjs');"
            f" window.host = await host(frame, {json.dumps(settings)});"
            f" frame.src = {json.dumps(sandbox + '/sandbox.html')};"
            "})()"
        )
        page.wait("window.host && window.host.sized()")
        return page

    return show


class View:
    """The view inside the sandbox: `View(page).evaluate("document.body.innerText")`."""

    def __init__(self, page: Page) -> None:
        self._page = page
        targets = page.call("Target.getTargets", filter=[{"type": "iframe"}])["targetInfos"]
        [target] = [target["targetId"] for target in targets if target["url"].startswith("about:srcdoc")]
        attached = page.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Runtime", "Log", "Network"):
            self._call(f"{domain}.enable")

    def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command to the view, which the browser runs in a separate process from the page."""
        outer, self._page._session = self._page._session, self._session
        try:
            return self._page.call(method, **parameters)
        finally:
            self._page._session = outer

    def evaluate(self, script: str, wait: bool = False) -> Any:
        """Return the JSON value of an expression in the view."""
        answer = self._call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=wait)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait(self, condition: str) -> None:
        """Wait until an expression is true in the view."""
        self.evaluate(
            "new Promise((done, fail) => { const end = Date.now() + 50000; const look = () => { "
            f"if ({condition}) done(true); else if (Date.now() > end) fail(new Error('waited in vain')); "
            "else setTimeout(look, 20); }; look(); })",
            wait=True,
        )

    @property
    def text(self) -> str:
        """The text that the view shows."""
        return str(self.evaluate("document.body.innerText"))
