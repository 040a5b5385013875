"""A graph stays available while its replacement is loaded; afterwards the replacement answers."""

import threading
import time
import weakref
from contextlib import closing
from pathlib import Path

import pytest

from graphground.graphs.engines.embedded.launcher import end_engine
from graphground.graphs.engines.embedded.process import TICK
from graphground.graphs.loading.load import load_file
from graphground.graphs.opening.open_graphs import OpenGraphs
from graphground.graphs.opening.stored import stored_sources
from graphground.graphs.storage.home import Home
from tests.support.small_graph import loaded, small, written

pytestmark = [pytest.mark.engine, pytest.mark.timeout(240)]
PAUSE = 0.02
"""Seconds between two queries of a thread, which leaves processor time for the load."""


def test_no_query_fails_while_a_graph_is_replaced(own_small_home: Home, tmp_path: Path) -> None:
    failures: list[str] = []
    answers: list[list[int]] = [[], []]
    is_done = threading.Event()
    with closing(OpenGraphs(stored_sources(own_small_home))) as graphs:

        def ask(seen: list[int]) -> None:
            while not is_done.wait(PAUSE):
                try:
                    seen.append(graphs.get("films").run("MATCH (n) RETURN count(n)").rows[0][0])
                except Exception as error:
                    failures.append(f"{type(error).__name__}: {error}")

        threads = [threading.Thread(target=ask, args=(seen,)) for seen in answers]
        for thread in threads:
            thread.start()
        try:
            document = small()
            document["entities"].append({**document["entities"][2], "eid": "P3"})
            load_file(written(tmp_path, document), own_small_home)
        finally:
            is_done.set()
            for thread in threads:
                thread.join(timeout=60)
        assert graphs.get("films").run("MATCH (n) RETURN count(n)").rows == [[5]]
    assert end_engine(own_small_home)
    assert failures == []
    for seen in answers:
        assert seen[0] == 4
        assert seen == sorted(seen)


def test_a_call_that_began_before_a_replacement_can_finish_after_it(own_small_home: Home, tmp_path: Path) -> None:
    count = "MATCH (n) RETURN count(n)"
    with closing(OpenGraphs(stored_sources(own_small_home))) as graphs:
        old_graph = graphs.get("films")
        assert old_graph.run(count).rows == [[4]]
        document = small()
        document["entities"].append({**document["entities"][2], "eid": "P3"})
        loaded(own_small_home, tmp_path, document)
        until = time.monotonic() + 3 * TICK  # the engine reads the catalog once in each tick
        while time.monotonic() < until:
            assert old_graph.run(count).rows == [[4]]
        assert graphs.get("films").run(count).rows == [[5]]
        assert old_graph.run(count).rows == [[4]]
        reference = weakref.ref(old_graph)
        del old_graph
        assert reference() is None, "something keeps a replaced graph alive, which would never be closed"
    assert end_engine(own_small_home)
