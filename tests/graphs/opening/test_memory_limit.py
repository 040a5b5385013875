import pytest

from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.engines.bolt import BoltEngine
from graphground.graphs.opening.connected import is_unlimited, memory_limit
from tests.support.neo4j_server import Neo4jServer


def test_the_memory_limit_of_a_neo4j_is_read(neo4j_5: Neo4jServer) -> None:
    engine = BoltEngine(BoltAddress(neo4j_5.uri, neo4j_5.user, neo4j_5.password))
    try:
        assert memory_limit(engine) == "256.00MiB"
    finally:
        engine.close()


@pytest.mark.parametrize(
    ("limit", "expected"), [("0B", True), ("0", True), ("256.00MiB", False), ("100.00KiB", False), ("1.00GiB", False)]
)
def test_a_limit_of_zero_means_no_limit(limit: str, expected: bool) -> None:
    assert is_unlimited(limit) == expected
