"""The documentation as a site, in a real browser: it builds, fits, is accessible, and requests nothing elsewhere."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import uvicorn
import yaml
from starlette.middleware.gzip import GZipMiddleware
from starlette.staticfiles import StaticFiles

from tests.server.conftest import axe, chromium, packages
from tests.server.ui.conftest import Violations, violations
from tests.support.browser import Page

ROOT = Path(__file__).resolve().parents[2]
__all__ = ["axe", "chromium", "packages", "violations"]

pytestmark = [pytest.mark.timeout(300), pytest.mark.slow]


@contextmanager
def serve_site(folder: Path) -> Iterator[str]:
    """Build the site into `folder`, serve it compressed, as hosts of static sites do, and yield its address."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    subprocess.run(command, cwd=ROOT, check=True, timeout=200, env=environment)
    application = GZipMiddleware(StaticFiles(directory=folder, html=True))
    server = uvicorn.Server(uvicorn.Config(application, log_level="error", lifespan="off"))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
        server.should_exit = True
        thread.join(30)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the address of the site."""
    with serve_site(tmp_path_factory.mktemp("site")) as address:
        yield address


def test_the_site_is_built_without_a_warning(site: str) -> None:
    with urllib.request.urlopen(site, timeout=30) as answer:
        assert b"<h1" in answer.read()


def test_there_are_at_most_22_pages_and_all_are_in_the_navigation() -> None:
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    named = re.findall(r"[\w-]+\.md", str(yaml.safe_load(text)["nav"]))
    pages = sorted(path.name for path in (ROOT / "docs").glob("*.md"))
    assert sorted(named) == pages
    assert len(pages) <= 22


@pytest.mark.parametrize(("name", "width"), [("", 1280), ("tutorial/", 400), ("figures/", 400)])
def test_a_page_fits_without_an_error_and_without_a_request_to_another_site(
    chromium: Page, site: str, violations: Violations, name: str, width: int, tmp_path: Path
) -> None:
    chromium.fresh(width=width, dark=width == 400)
    chromium.visit(site + name)
    chromium.wait("document.querySelector('article h1')")
    assert chromium.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert chromium.evaluate("document.querySelectorAll('article img').length > 0") == (name == "")
    chromium.evaluate("dispatchEvent(new Event('pointermove'))")  # a reader is there: the theme's script starts
    chromium.wait("document.querySelector('article .md-code__nav') || !document.querySelector('article pre > code')")
    assert [request for request in chromium.requests if not request.startswith((site, "data:"))] == []
    assert chromium.errors == []
    assert violations(chromium) == []
    chromium.screenshot(tmp_path / "page.png")
    assert (tmp_path / "page.png").stat().st_size > 10_000


def test_the_script_of_the_theme_waits_for_a_reader(chromium: Page, site: str) -> None:
    chromium.fresh(dark=True)
    chromium.visit(site)
    chromium.evaluate("localStorage.clear()")  # of the tests before this one
    chromium.visit(site)
    assert chromium.evaluate("document.body.dataset.mdColorScheme") == "slate"
    assert not any("bundle" in request for request in chromium.requests)
    chromium.evaluate("dispatchEvent(new Event('pointerdown'))")
    chromium.wait("!document.querySelector('label[for=__palette_0]').hidden")
    chromium.evaluate("document.querySelector('label[for=__palette_0]').click()")
    chromium.wait("document.body.dataset.mdColorScheme === 'default'")
    assert chromium.errors == []


def test_the_search_finds_a_page(chromium: Page, site: str) -> None:
    chromium.fresh()
    chromium.visit(site)
    chromium.wait("document.querySelector('.md-search__input')")
    chromium.evaluate("document.querySelector('.md-search__input').focus()")
    chromium.type("find_entities")
    chromium.press("End")  # typing by the browser is without keys, and the search listens to keys
    chromium.wait("document.querySelector('.md-search-result__item a')")
    assert chromium.errors == []
