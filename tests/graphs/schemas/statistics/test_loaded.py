"""Statistics of a loaded graph are queried at the end of the load, and are available immediately."""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from graphground.graphs.engines.engine import Table
from graphground.graphs.graph import Graph
from graphground.graphs.schemas.statistics import (
    LiveStatistics,
    PropertyStatistics,
    query_statistics,
    read_statistics,
    write_statistics,
)
from graphground.graphs.storage.home import Home
from tests.support.films import FILMS
from tests.support.recorder import Recorder


def without_ties(values: PropertyStatistics) -> list[Any]:
    """Return a property's figures in comparable form: without the most common values, but with their counts.

    If several values are equally common, it varies which of them are kept.
    """
    return [
        values.count,
        values.of,
        values.distinct,
        values.repeated,
        values.least,
        values.greatest,
        [times for _, times in values.common],
    ]


def test_the_statistics_of_a_load_equal_the_databases_counts(film_graph: Graph) -> None:
    loaded = film_graph.statistics()
    assert loaded is not None
    assert film_graph.engine is not None
    queried = query_statistics(film_graph.engine, film_graph.schema)
    assert queried.complete
    assert loaded.patterns == queried.patterns
    assert [(label.nodes, label.naming) for label in loaded.labels.values()] == [
        (label.nodes, label.naming) for label in queried.labels.values()
    ]
    for owner, known in (*loaded.labels.items(), *loaded.types.items()):
        for key, values in known.properties.items():
            counted = queried.property(owner, key)
            assert counted is not None
            assert without_ties(values) == without_ties(counted), (owner, key)


def test_a_graph_loaded_before_there_were_statistics_gets_them_in_the_background_and_keeps_them(
    films_home: Home, tmp_path: Path, film_graph: Graph
) -> None:
    loaded = film_graph.statistics()
    assert film_graph.engine is not None
    assert loaded is not None
    path = tmp_path / "statistics.json"
    live = LiveStatistics("films", film_graph.engine, lambda: (film_graph.schema, None), path)
    assert live.now() is None
    found = live.wait(60)
    assert found is not None
    assert found.patterns == loaded.patterns
    stored = read_statistics(path)
    assert stored is not None
    assert stored.labels == found.labels
    live.stop()


def test_a_check_waits_for_the_first_statistics_of_a_graph_once(film_graph: Graph, tmp_path: Path) -> None:
    assert film_graph.engine is not None
    live = LiveStatistics("films", film_graph.engine, lambda: (film_graph.schema, None), tmp_path / "statistics.json")
    starting = replace(film_graph, statistics_reader=live)
    assert starting.await_statistics(60)
    assert starting.statistics() is not None
    assert not starting.await_statistics(60)
    assert not Graph("empty", film_graph.schema).await_statistics(60)
    live.stop()


def test_written_statistics_can_be_read_and_unreadable_files_give_none(film_graph: Graph, tmp_path: Path) -> None:
    facts = film_graph.statistics()
    assert facts is not None
    path = tmp_path / "statistics.json"
    write_statistics(path, facts)
    assert read_statistics(path) == facts
    path.write_text(json.dumps({"version": 0}))
    assert read_statistics(path) is None
    path.write_bytes(path.read_bytes()[:9])
    assert read_statistics(path) is None
    assert read_statistics(tmp_path / "missing.json") is None


class OneColumn(Recorder):
    """An engine that answers every query with a single number, regardless of the query's columns."""

    def run(self, *_: Any, **__: Any) -> Table:
        return Table(["x"], [[1]], False, 0.1)


def test_an_answer_of_another_shape_leaves_a_graph_without_statistics_and_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    live = LiveStatistics("films", OneColumn(), lambda: (FILMS, None), tmp_path / "statistics.json")
    with caplog.at_level(logging.WARNING):
        assert live.wait(30) is None
    assert "the statistics of films could not be read" in caplog.text
    live.stop()
