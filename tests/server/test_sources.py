"""The graphs of a server, and its messages on stderr about graphs that cannot be opened."""

import logging
from dataclasses import replace
from pathlib import Path

import pytest

from graphground.graphs.engines.engine import EngineUnavailable
from graphground.graphs.opening.open_graphs import UnknownGraph
from graphground.graphs.opening.stored import offer
from graphground.graphs.storage.home import Home
from graphground.server.settings import Settings, read_settings
from graphground.server.sources import graph_sources, left_out


def test_a_graph_that_is_missing_while_the_server_runs_is_not_offered(tmp_path: Path) -> None:
    graphs = graph_sources(Settings(home=str(tmp_path), graph=("nba", "soccer")))
    assert graphs.names() == ["nba"]
    with pytest.raises(UnknownGraph, match="there is no graph 'soccer'"):
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


def test_a_bundled_graph_is_left_out_beside_your_own_database_unless_it_is_named_or_dropped(tmp_path: Path) -> None:
    own = Settings(home=str(tmp_path), uri="bolt://127.0.0.1:1", name="films")
    assert left_out(own) == {"nba"}
    assert graph_sources(own).names() == ["films"]
    both = replace(own, graph=("nba", "films"))
    assert left_out(both) == set()
    assert graph_sources(both).names() == ["nba", "films"]
    offer("nba", Home(tmp_path), again=False)
    assert left_out(own) == set()


@pytest.mark.parametrize("name", ["films", "books"])
def test_an_unset_password_variable_makes_only_its_own_graph_unavailable(tmp_path: Path, name: str) -> None:
    (tmp_path / "settings.toml").write_text(
        "[graphs.films]\nuri = 'bolt://127.0.0.1:1'\npassword_variable = 'FILMS_KEY'\n"
        "[graphs.books]\nuri = 'bolt://127.0.0.1:1'\npassword_variable = 'BOOKS_KEY'\n",
        encoding="utf-8",
    )
    other = {"films": "BOOKS_KEY", "books": "FILMS_KEY"}[name]
    graphs = graph_sources(read_settings({"home": str(tmp_path)}, {other: "secret"}))
    summaries = {summary.name: summary for summary in graphs.summaries()}
    expected = f"{name.upper()}_KEY, which holds the password of the graph '{name}', is not set"
    assert expected in (summaries[name].problem or "")
    assert expected in summaries[name].description
    assert "is not set" not in summaries[{"films": "books", "books": "films"}[name]].description
    with pytest.raises(EngineUnavailable, match=f"{expected}; set it and start the server again"):
        graphs.get(name)
    graphs.close()
