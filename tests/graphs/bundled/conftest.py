"""The bundled graph, loaded once into the data folder of the run."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from graphground.graphs.graph import Graph
from graphground.graphs.opening.stored import stored_sources
from graphground.graphs.storage.home import Home


@pytest.fixture(scope="session")
def nba(data_folder: Path) -> Iterator[Graph]:
    """Yield the bundled graph on the embedded engine, opened as a server opens it."""
    pytest.importorskip("arcadedb_embedded", reason="needs the embedded engine, which this machine has not")
    graph = next(source for source in stored_sources(Home(data_folder)) if source.name == "nba").open()
    yield graph
    assert graph.engine is not None
    graph.engine.close()
