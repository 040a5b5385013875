"""Fixtures: a server that every kind of client calls wrongly, Node.js for the TypeScript clients, and a browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.browser import CHROMIUM, Page, browser_page
from tests.support.node_packages import FOLDER, NotInstalled, install, node_binary
from tests.support.serving import http_server
from tests.support.wrong_use import SETTINGS, VARIABLES


@pytest.fixture(scope="session")
def wrong_variables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the environment variables of a server with the bundled graph and an unreachable database."""
    file = tmp_path_factory.mktemp("wrong") / "settings.toml"
    file.write_text(SETTINGS, encoding="utf-8")
    return {**VARIABLES, "GRAPHGROUND_SETTINGS": str(file)}


@pytest.fixture(scope="session")
def wrong_address(data_folder: Path, wrong_variables: dict[str, str]) -> Iterator[str]:
    """Yield the address of an HTTP server with these variables."""
    with http_server(data_folder, more=wrong_variables) as address:
        yield address


@pytest.fixture(scope="session")
def packages() -> Path:
    """Install the npm packages, and return their folder; skip the test if they cannot be installed."""
    try:
        install()
    except NotInstalled as error:
        pytest.skip(f"packages of npm: {error}")
    return FOLDER / "node_modules"


@pytest.fixture(scope="session")
def node(packages: Path) -> Path:
    """Return the path of Node.js, which is one of the npm packages."""
    return node_binary()


@pytest.fixture(scope="session")
def axe(packages: Path) -> str:
    """Return the script of axe-core, which checks the accessibility of a page."""
    return (packages / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Page]:
    """Yield a browser for all tests; each test opens its own tab."""
    if CHROMIUM is None:
        pytest.skip("pages in a browser: needs Chromium (Debian's package chromium)")
    with browser_page() as page:
        yield page
