"""The graphs of a server, and its messages on stderr about graphs that cannot be opened."""

import logging
from pathlib import Path

import pytest

from graphground.graphs.engines.engine import EngineUnavailable
from graphground.server.settings import Settings
from graphground.server.sources import graph_sources


def test_a_graph_that_is_not_there_is_warned_of_at_once_and_says_so_when_asked(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        graphs = graph_sources(Settings(home=str(tmp_path), graph=("nba", "soccer")))
    assert graphs.names() == ["nba", "soccer"]
    assert [record.getMessage()[:31] for record in caplog.records] == ["there is no graph 'soccer'; the"]
    with pytest.raises(EngineUnavailable, match="there is no graph 'soccer'; there are: nba"):
        graphs.get("soccer")


@pytest.mark.parametrize("uri", ["ftp://reader:hidden@example.org", "bolt://reader:hidden@[::1", "reader:hidden@host"])
def test_an_address_that_no_driver_could_use_is_warned_of_at_once_without_its_password(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, uri: str
) -> None:
    with caplog.at_level(logging.WARNING):
        graphs = graph_sources(Settings(home=str(tmp_path), uri=uri, name="films"))
    (said,) = caplog.messages
    assert said.startswith("graph 'films': ")
    assert "hidden" not in said
    assert "films" in graphs.names()
