"""Graphs for the tests of evaluations: a small graph with results worked out by hand, loaded once for this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from graphground.graphs.engines.embedded.launcher import end_engine
from graphground.graphs.graph import Graph
from graphground.graphs.opening.stored import open_stored
from graphground.graphs.storage.home import Home
from tests.support.data_folders import copied


@pytest.fixture(scope="package")
def eval_home(loaded_small_home: Home, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """Yield a data folder with the small graph as `films`; its engine ends with the last test of the folder."""
    home = copied(loaded_small_home, tmp_path_factory.mktemp("evals") / "home")
    yield home
    end_engine(home, kill=True)


@pytest.fixture(scope="package")
def small(eval_home: Home) -> Iterator[Graph]:
    """Yield the opened small graph: Heat (by Michael Mann, with Robert De Niro) and Ronin (with Robert De Niro)."""
    graph = open_stored("films", eval_home)
    yield graph
    graph.close()
