"""An entity index built in the background from a database that returns unexpected answers."""

import logging
import threading
from pathlib import Path

import pytest

from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.engines.bolt import bolt_engine
from graphground.graphs.entities.own_index import OwnIndex
from graphground.graphs.graph import Graph
from tests.support.documents import schema
from tests.support.fake_bolt_server import Answer, Call, Refusal, Rows, Waits, stand_in

SCHEMA = schema("films", {"Movie": {"title": "str"}})


def test_an_unreadable_answer_stops_the_build_with_a_reason_and_no_traceback(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def answer(call: Call) -> Answer:
        return Rows(["c"], [[3]]) if "count(" in call.query else Rows(["a", "b"], [["too", "short"]])

    with stand_in("Neo4j/5.26.0", answer) as server:
        engine = bolt_engine(BoltAddress(server.uri, "neo4j", "secret"))
        index = OwnIndex("films", engine, lambda: SCHEMA, lambda: None, tmp_path / "films")
        index.start()
        assert index.thread is not None
        index.thread.join(30)
        assert index.info is None
        assert "there is no entity index (the database returned an unreadable answer" in str(index.state)
        index.stop()
        engine.close()
    assert "Traceback" not in caplog.text


def test_closing_a_graph_ends_the_build_of_its_index_without_a_message(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    reading, released = threading.Event(), threading.Event()

    def answer(call: Call) -> Answer:
        if "count(" in call.query or "(n:Movie)" not in call.query:
            return Rows(["c"], [[3]])
        reading.set()
        return Waits(released, Refusal("Neo.TransientError.General.DatabaseUnavailable", "stopping"))

    with caplog.at_level(logging.DEBUG, "graphground"), stand_in("Neo4j/5.26.0", answer) as server:
        engine = bolt_engine(BoltAddress(server.uri, "neo4j", "secret"))
        index = OwnIndex("films", engine, lambda: SCHEMA, lambda: None, tmp_path / "films")
        graph = Graph("films", SCHEMA, "", engine, index, background=(index,))
        index.start()
        assert reading.wait(30)
        graph.close()
        assert index.thread is not None
        assert not index.thread.is_alive()
        assert not index._problem
        released.set()
    assert [record.getMessage() for record in caplog.records if record.name.startswith("graphground")] == []
