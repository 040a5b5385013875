"""Shared by the tests of agents: invented keys, and a scripted model."""

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
    """The key of both providers for one test, and no endpoint from the environment."""
    for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, KEY)
    return KEY


@pytest.fixture(scope="module", autouse=True)
def libraries(request: pytest.FixtureRequest) -> None:
    """The libraries of models are imported before any test's own time limit runs: from a cold disk that takes long.

    The folders within this one hold tests of parts that speak to no model.
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
    """A server of the bundled graph over HTTP, with the graph loaded before any test's own limit runs."""

    async def load() -> None:
        async with connected(address, within=110) as client:
            await client.call_tool("execute_cypher", {"graph": "nba", "query": "RETURN 1 AS ready"})

    with http_server(data_folder) as address:
        anyio.run(load)
        yield address
