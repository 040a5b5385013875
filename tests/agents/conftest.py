"""Fixtures of the agents' tests: invented keys, imported libraries, and a server of the bundled graph."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import anyio
import pytest

from tests.support.serving import connected, http_server

KEY = "sk-test-4711-do-not-print"


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> str:
    """Set and return an invented key of both providers, and remove their endpoints from the environment."""
    for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, KEY)
    return KEY


@pytest.fixture(scope="module", autouse=True)
def libraries(request: pytest.FixtureRequest) -> None:
    """Import the providers' libraries before any test's time limit starts, since the first import takes long.

    Tests in subfolders need no model, so they skip the import.
    """
    if request.path.parent != Path(__file__).parent:
        return
    for module in ("pydantic_ai.models.openai", "pydantic_ai.models.anthropic"):
        try:
            import_module(module)
        except ModuleNotFoundError:
            pytest.skip("needs the extra `agents`")


@pytest.fixture(scope="package")
def nba_server(data_folder: Path) -> Iterator[str]:
    """Load the bundled graph and start an HTTP server before any test's time limit starts;
    yield the server's address."""

    async def load() -> None:
        async with connected(address, within=110) as client:
            await client.call_tool("execute_cypher", {"graph": "nba", "query": "RETURN 1 AS ready"})

    with http_server(data_folder) as address:
        anyio.run(load)
        yield address
