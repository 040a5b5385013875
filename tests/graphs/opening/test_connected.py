"""The report about a database's own refusal of writes, on fake servers with answers that real ones rarely give."""

import logging
from collections.abc import Callable
from contextlib import closing

import pytest

from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.engines.bolt import BoltEngine
from graphground.graphs.opening.connected import is_unlimited, memory_limit, write_protected
from graphground.server.commands.doctor import writes
from tests.support.fake_bolt_server import Answer, Call, Refusal, Rows, stand_in
from tests.support.neo4j_server import Neo4jServer

NEO4J = "Neo4j/5.26.30"
ARCADEDB = "Neo4j/5.26.0 compatible (ArcadeDB 26.10.2)"


def that_is_full(call: Call) -> Answer:
    if "CREATE" in call.query:
        return Refusal("Neo.TransientError.General.OutOfMemoryError", "There is not enough memory.")
    return Rows(["x"], [])


@pytest.mark.parametrize(
    ("agent", "answer", "expected"),
    [
        (
            ARCADEDB,
            lambda call: Rows(["label"], []),
            "it is not known whether its ArcadeDB refuses writes: a trial write needs a label, and no label could be "
            "read.",
        ),
        (
            NEO4J,
            that_is_full,
            "it is not known whether its Neo4j refuses writes: a trial write failed for a reason other than missing "
            "permissions.",
        ),
    ],
    ids=["no label", "no memory"],
)
def test_a_trial_write_without_a_clear_outcome_is_reported_as_such(
    agent: str, answer: Callable[[Call], Answer], expected: str, caplog: pytest.LogCaptureFixture
) -> None:
    with stand_in(agent, answer) as server, caplog.at_level(logging.WARNING):
        engine = BoltEngine(BoltAddress(server.uri))
        assert write_protected("films", engine) is None
        _, advice = writes(engine)
        engine.close()
        trials = [call.query for call in server.calls if "CREATE" in call.query]
    (message,) = caplog.messages
    assert message.startswith(f"graph 'films': {expected}")
    assert "did not refuse" not in message
    assert (" Neo4j itself refuses writes in the READ sessions" in message) == (agent == NEO4J)
    assert message.endswith(("for a proxy between graphground and Neo4j.", '["readRecord"] alone).'))
    assert advice.startswith(expected)
    assert len(trials) == (0 if "label" in expected else 1), "the outcome is kept"


def test_the_memory_limit_of_a_neo4j_is_read(neo4j_5: Neo4jServer) -> None:
    with closing(BoltEngine(neo4j_5.address)) as engine:
        assert memory_limit(engine) == "256.00MiB"


@pytest.mark.parametrize(
    ("limit", "expected"), [("0B", True), ("0", True), ("256.00MiB", False), ("100.00KiB", False), ("1.00GiB", False)]
)
def test_a_limit_of_zero_means_no_limit(limit: str, expected: bool) -> None:
    assert is_unlimited(limit) == expected
