"""Graphs are opened at first use."""

import threading
from dataclasses import replace

import pytest

from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.engines.engine import EngineUnavailable
from graphground.graphs.graph import Graph
from graphground.graphs.opening.open_graphs import GraphSource, GraphSummary, OpenGraphs, UnknownGraph


def source(name: str, opened: list[str] | None = None) -> GraphSource:
    def open_graph() -> Graph:
        if opened is not None:
            opened.append(name)
        return Graph(name, PropertyGraphSchema(name, {}, ()))

    return GraphSource(name, f"about {name}", "none", open_graph, lambda: (1, 2))


def broken(name: str) -> GraphSource:
    def open_graph() -> Graph:
        raise EngineUnavailable("No Bolt server answers at bolt://127.0.0.1:1.")

    return GraphSource(name, "elsewhere", "bolt", open_graph)


def test_a_graph_is_opened_once_at_its_first_use() -> None:
    opened: list[str] = []
    graphs = OpenGraphs([source("films", opened), source("nba", opened)])
    assert graphs.names() == ["films", "nba"]
    assert opened == []
    assert graphs.get("nba") is graphs.get("nba")
    assert opened == ["nba"]


def test_a_graph_must_be_named_only_if_several_are_available() -> None:
    assert OpenGraphs([source("films")]).get(None).name == "films"
    with pytest.raises(UnknownGraph, match="films, nba") as caught:
        OpenGraphs([source("films"), source("nba")]).get(None)
    assert caught.value.nearest == ["films", "nba"]
    with pytest.raises(UnknownGraph, match="graphs load"):
        OpenGraphs([]).get(None)


def test_an_unknown_name_is_reported_with_the_nearest() -> None:
    with pytest.raises(UnknownGraph) as caught:
        OpenGraphs([source("films"), source("nba"), source("movie")]).get("film")
    assert caught.value.nearest[0] == "films"


def test_a_graph_that_cannot_be_opened_is_reported_and_the_others_work() -> None:
    graphs = OpenGraphs([broken("own"), source("films")])
    with pytest.raises(EngineUnavailable, match="No Bolt server answers"):
        graphs.get("own")
    assert graphs.get("films").name == "films"
    own, films = graphs.summaries()
    assert own.problem == "No Bolt server answers at bolt://127.0.0.1:1."
    assert "cannot be opened" in own.description
    assert films == GraphSummary("films", "about films", "none", 1, 2)


def test_concurrent_threads_get_the_same_graph() -> None:
    opened: list[str] = []
    graphs = OpenGraphs([source("films", opened)])
    threads = [threading.Thread(target=graphs.get, args=("films",)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert opened == ["films"]


def test_a_closed_server_opens_no_graph() -> None:
    graphs = OpenGraphs([source("films")])
    graphs.close()
    graphs.close()
    with pytest.raises(EngineUnavailable, match="shutting down"):
        graphs.get("films")


class Closings:
    """A record of closed graphs: each graph has fake background work that notes when it is stopped."""

    def __init__(self) -> None:
        self.seen: list[int] = []

    def opening(self, version: list[int]) -> GraphSource:
        """Return a source of a graph whose current version is `version[0]`."""
        return GraphSource("films", "", "none", lambda: self._open(version[0]), version=lambda: version[0])

    def _open(self, version: int) -> Graph:
        return Graph("films", PropertyGraphSchema("films", {}, ()), background=[_Noted(version, self.seen)])


class _Noted:
    def __init__(self, version: int, seen: list[int]) -> None:
        self._version, self._seen = version, seen

    def check_for_changes(self) -> None:
        """Do nothing: the graph has a fixed schema."""

    def stop(self) -> None:
        self._seen.append(self._version)


def test_a_replaced_graph_is_closed_only_when_no_thread_uses_it() -> None:
    closings, version = Closings(), [1]
    graphs = OpenGraphs([closings.opening(version)])
    has_it, may_go = threading.Event(), threading.Event()

    def hold() -> None:
        graph = graphs.get("films")
        has_it.set()
        assert may_go.wait(30)
        assert graph.name == "films"

    holder = threading.Thread(target=hold)
    holder.start()
    assert has_it.wait(30)
    version[0] = 2
    graphs.get("films")
    graphs.get("films")
    assert closings.seen == []
    may_go.set()
    holder.join(30)
    graphs.get("films")
    assert closings.seen == [1]
    graphs.close()
    assert closings.seen == [1, 2]


def test_a_removed_graph_in_use_is_closed_with_the_server_at_the_latest() -> None:
    closings, stamp = Closings(), [1]
    graphs = OpenGraphs([closings.opening([1])], list, lambda: stamp[0])
    graph = graphs.get("films")
    stamp[0] = 2
    assert graphs.names() == []
    assert closings.seen == []
    graphs.close()
    graphs.close()
    assert closings.seen == [1]
    assert graph.name == "films"


def test_calls_in_quick_succession_read_the_version_of_a_graph_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphground.graphs.opening.open_graphs.CHECK_SECONDS", 3600.0)
    versions, stamps = list[int](), list[int]()
    films = replace(source("films"), version=lambda: versions.append(1))
    graphs = OpenGraphs([films], lambda: [films], lambda: stamps.append(1))
    first = graphs.get("films")
    for _ in range(10):
        assert graphs.get("films") is first
    assert len(versions) == 1
    assert len(stamps) <= 2
