"""Fixtures: a server that every kind of client calls wrongly, Node.js for the TypeScript clients, and a browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from graphground.graphs.engines.embedded.launcher import end_engine
from graphground.graphs.storage.home import Home
from tests.support.browser import CHROMIUM, Page, browser_page
from tests.support.data_folders import copied
from tests.support.node_packages import FOLDER, NotInstalled, install, node_binary
from tests.support.serving import http_server
from tests.support.wrong_use import SETTINGS, VARIABLES


@pytest.fixture(scope="session")
def wrong_home(bundled_home: Home, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield a data folder with the bundled graph, and with an unreachable database in its settings."""
    home = copied(bundled_home, tmp_path_factory.mktemp("wrong") / "home")
    (home.folder / "settings.toml").write_text(SETTINGS, encoding="utf-8")
    yield home.folder
    end_engine(home)


@pytest.fixture(scope="session")
def wrong_address(wrong_home: Path) -> Iterator[str]:
    """Yield the address of an HTTP server with the data folder `wrong_home`."""
    with http_server(wrong_home, more=VARIABLES) as address:
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
