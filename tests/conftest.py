"""Fixtures that tests of several parts use."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

from graphground.graphs.engines.embedded.launcher import end_engine
from graphground.graphs.storage.home import Home

# A busy machine is no reason to fail: how fast things are is measured by benchmarks/, and pytest bounds every test.
hypothesis.settings.register_profile("any-machine", deadline=None,
                                     suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("any-machine")


@pytest.fixture
def anyio_backend() -> str:
    """Asynchronous tests run on asyncio, as the server does."""
    return "asyncio"


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data folder for the whole run, with the bundled graph; its engine is ended at the end."""
    folder = tmp_path_factory.mktemp("home")
    yield folder
    end_engine(Home(folder))
