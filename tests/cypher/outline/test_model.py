"""The pairs of labels that a path of several relationships connects."""

import random
from itertools import count

import pytest

from graphground.cypher.outline.model import SchemaIndex
from graphground.cypher.schema import PropertyGraphSchema
from tests.support.checked_graphs import codes
from tests.support.documents import schema

LABELS = 9


def chain(length: int) -> PropertyGraphSchema:
    labels: dict[str, dict[str, str]] = {f"L{number}": {} for number in range(length)}
    return schema("chain", labels, [f"L{number} R L{number + 1}" for number in range(length - 1)])


@pytest.mark.parametrize(
    ("minimum", "maximum"), [(0, None), (1, None), (3, None), (2, 2), (1, 4), (0, 1), (3, 2), (20, 30)]
)
def test_the_pairs_of_a_path_are_those_that_walks_of_its_lengths_connect(minimum: int, maximum: int | None) -> None:
    for seed in range(20):
        rng = random.Random(seed)
        edges = {(rng.randrange(LABELS), rng.randrange(LABELS)) for _ in range(11)}
        graph = schema("x", {f"L{number}": {} for number in range(LABELS)}, [f"L{a} R L{b}" for a, b in sorted(edges)])
        index = SchemaIndex(graph)
        connected = {
            (index.labels_of(start)[0], label)
            for start, ends in index.pairs(("R",), minimum, maximum)
            for label in index.labels_of(ends)
        }
        assert connected == {
            (f"L{start}", f"L{end}") for start in range(LABELS) for end in walked(edges, start, minimum, maximum)
        }


def walked(edges: set[tuple[int, int]], start: int, minimum: int, maximum: int | None) -> set[int]:
    """Return the ends of all walks from `start`; a walk of more than 100 steps reaches nothing new among them."""
    now, found = {start}, set()
    for steps in count():
        if steps > (100 if maximum is None else maximum):
            return found
        if steps >= minimum:
            found |= now
        now = {end for place in now for begin, end in edges if begin == place}
    raise AssertionError


@pytest.mark.parametrize("length", [20, 300])
def test_a_long_chain_of_labels_is_connected_by_an_unbounded_path(length: int) -> None:
    graph = chain(length)
    found = [code for code, _ in codes(f"MATCH (a:L0)-[:R*]->(b:L{length - 2}) RETURN count(b)", graph)]
    assert found == ["unbounded_path"]
    assert codes("MATCH (a:L0)-[:R*..16]->(b:L16) RETURN count(b)", graph) == []
    (code, _) = codes("MATCH (a:L0)-[:R*..15]->(b:L16) RETURN count(b)", graph)[0]
    assert code == "impossible_pattern"


def test_in_a_schema_with_thousands_of_labels_a_path_that_takes_too_long_to_follow_may_connect_all_of_them() -> None:
    index = SchemaIndex(chain(3000))
    assert index.pairs(("R",), 1, None) == ((index.everything, index.everything),)
