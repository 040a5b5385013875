"""The second bundled graph, which is served only after the user has loaded it."""

from pathlib import Path

import pytest

from graphground.graphs.engines.embedded.launcher import end_engine
from graphground.graphs.opening.stored import load_bundled, offered, open_stored
from graphground.graphs.storage.home import Home

pytestmark = pytest.mark.engine


def test_the_second_bundled_graph_is_served_only_after_it_is_loaded_by_name(tmp_path: Path) -> None:
    home = Home(tmp_path).make()
    assert [graph.name for graph in offered(home)] == ["nba"]
    assert load_bundled("world", home) is None
    entry = load_bundled("world", home, asked=True)
    assert entry is not None
    assert [graph.name for graph in offered(home)] == ["nba", "world"]
    graph = open_stored("world", home)
    try:
        found = graph.run(
            "MATCH (:Territory {name: 'Germany'})-[u:USES_CURRENCY]->(c) RETURN c.name ORDER BY u.since"
        ).rows
        assert found == [["German Mark"], ["Euro"]]
        assert [candidate.name for candidate in graph.entities.find("Deutschland")][:1] == ["Germany"]
    finally:
        graph.close()
        end_engine(home)
