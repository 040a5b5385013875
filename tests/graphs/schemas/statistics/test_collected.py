"""Statistics collected while loading equal the database's counts, and are available immediately."""

import json
from pathlib import Path
from typing import Any

import pytest

from graphground.graphs.graph import Graph
from graphground.graphs.opening.stored import open_stored
from graphground.graphs.schemas.statistics.live import LiveStatistics
from graphground.graphs.schemas.statistics.model import PropertyStatistics, Statistics
from graphground.graphs.schemas.statistics.queried import query_statistics
from graphground.graphs.schemas.statistics.stored import read_statistics, write_statistics
from graphground.graphs.schemas.statistics.values import Values
from graphground.graphs.storage.catalog import Catalog
from graphground.graphs.storage.home import Home


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
    collected = film_graph.statistics()
    assert collected is not None
    assert film_graph.engine is not None
    queried = query_statistics(film_graph.engine, film_graph.schema)
    assert queried.complete
    assert collected.patterns == queried.patterns
    assert [(label.nodes, label.naming) for label in collected.labels.values()] == [
        (label.nodes, label.naming) for label in queried.labels.values()
    ]
    for owner, known in (*collected.labels.items(), *collected.types.items()):
        for key, values in known.properties.items():
            counted = queried.property(owner, key)
            assert counted is not None
            assert without_ties(values) == without_ties(counted), (owner, key)


def test_a_value_counts_as_the_same_in_blocks_with_and_without_unhashable_values() -> None:
    values = Values("unknown")
    values.add(["Heat", "Heat", ["Heat"]])
    values.add(["Heat", "Ronin"])
    found = values.statistics(of=5)
    assert (found.count, found.distinct, found.repeated) == (5, 3, 3)
    assert found.common[0] == ("Heat", 3)


def test_a_graph_loaded_before_there_were_statistics_gets_them_in_the_background_and_keeps_them(
    films_home: Home, tmp_path: Path, film_graph: Graph
) -> None:
    collected = film_graph.statistics()
    assert film_graph.engine is not None
    assert collected is not None
    path = tmp_path / "statistics.json"
    live = LiveStatistics("films", film_graph.engine, lambda: (film_graph.schema, None), path)
    assert live.now() is None
    found = live.wait(60)
    assert found is not None
    assert found.patterns == collected.patterns
    stored = read_statistics(path)
    assert stored is not None
    assert stored.labels == found.labels
    live.stop()


def test_statistics_are_available_at_the_first_call_after_a_load(films_home: Home) -> None:
    graph = open_stored("films", films_home)
    facts = graph.statistics(fresh=True)
    assert facts is not None
    assert facts.nodes("Film") == Catalog(films_home).get("films").nodes - sum(
        facts.nodes(label) or 0 for label in ("Person", "Genre")
    )
    graph.close()


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


def test_an_unknown_count_is_none_and_never_zero() -> None:
    facts = Statistics()
    assert facts.nodes("Film") is None
    assert facts.relationships("directedBy") is None
    assert facts.fill("Film", "name") is None
    assert facts.namesakes("Film") is None
    assert facts.both_ways("hasSpouse", "Person") is None
    assert not facts.symmetric("hasSpouse", "Person")


@pytest.mark.parametrize(
    ("type_", "blocks", "least", "greatest", "distinct", "repeated"),
    [
        ("int", [[3, 1], [2, 3]], 1, 3, 3, 2),
        ("date", [["1943-02-05"], ["-0044-03-15", "-0100-01-01"]], "-0100-01-01", "1943-02-05", 3, 0),
        ("str", [["b", "a", ""], ["a"]], "", "b", 3, 2),
        ("int|str", [[1, "a"]], None, None, 2, 0),
        ("list[str]", [[["a"], ["a", "b"], ["a"], []]], None, None, 3, 2),
        ("unknown", [[{"a": 1}, {"a": 1}]], None, None, 1, 2),
    ],
)
def test_values_are_counted_exactly_whatever_their_type(
    type_: str, blocks: list[list[Any]], least: Any, greatest: Any, distinct: int, repeated: int
) -> None:
    values = Values(type_)
    for block in blocks:
        values.add(block)
    found = values.statistics(of=10)
    assert (found.least, found.greatest, found.distinct, found.repeated) == (least, greatest, distinct, repeated)
    assert found.count == sum(map(len, blocks))
    assert found.of == 10


def test_the_most_common_values_have_exact_counts_however_many_blocks_there_are() -> None:
    values = Values("str")
    for number in range(50):
        values.add(["male"] * 300 + ["female"] * 200 + [f"v{number}-{place}" for place in range(100)])
    assert values.statistics(of=50 * 600).common == (("male", 15_000), ("female", 10_000))
