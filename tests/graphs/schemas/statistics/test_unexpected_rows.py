"""Statistics read in the background: an unexpected answer of the database leads to a readable message."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from graphground.cypher.tree import Query
from graphground.graphs.engines.engine import Table
from graphground.graphs.schemas.statistics.live import LiveStatistics
from tests.support.films import FILMS
from tests.support.recorder import Recorder


class OneColumn(Recorder):
    """An engine that answers every query with a single number, regardless of the query's columns."""

    def run(
        self,
        query: str | Query,
        parameters: Mapping[str, Any] | None = None,
        *,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Table:
        return Table(["x"], [[1]], False, 0.1)


def test_an_answer_of_another_shape_leaves_a_graph_without_statistics_and_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    live = LiveStatistics("films", OneColumn(), lambda: (FILMS, None), tmp_path / "statistics.json")
    with caplog.at_level(logging.WARNING):
        assert live.wait(30) is None
    assert "the statistics of films could not be read" in caplog.text
    live.stop()
