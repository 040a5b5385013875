"""The graphs of a server, and its messages on stderr about graphs that cannot be opened."""

import logging
from pathlib import Path

import pytest

from graphground.graphs.engines.engine import EngineUnavailable
from graphground.server.settings import Settings
from graphground.server.sources import graph_sources


def test_a_missing_graph_causes_a_warning_at_start_and_an_error_when_used(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        graphs = graph_sources(Settings(home=str(tmp_path), graph=("nba", "soccer")))
    assert graphs.names() == ["nba", "soccer"]
    assert [record.getMessage()[:31] for record in caplog.records] == ["there is no graph 'soccer'; the"]
    with pytest.raises(EngineUnavailable, match="there is no graph 'soccer'; there are: nba"):
        graphs.get("soccer")


@pytest.mark.parametrize("uri", ["ftp://reader:hidden@example.org", "bolt://reader:hidden@[::1", "reader:hidden@host"])
def test_an_unusable_address_causes_a_warning_at_start_without_its_password(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, uri: str
) -> None:
    with caplog.at_level(logging.WARNING):
        graphs = graph_sources(Settings(home=str(tmp_path), uri=uri, name="films"))
    (message,) = caplog.messages
    assert message.startswith("graph 'films': ")
    assert "hidden" not in message
    assert "films" in graphs.names()
