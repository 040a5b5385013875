"""The facts that task generation reads from a graph if some of the queries fail."""

import random
from collections.abc import Mapping
from typing import Any

import pytest

from graphground.cypher.schema import Label, PropertyGraphSchema, RelationshipPattern
from graphground.cypher.tree import Query
from graphground.evals.generation.candidates import read_facts
from graphground.graphs.engines.engine import EngineError, EngineUnavailable, QueryTimeout, Table
from graphground.graphs.graph import Graph

SCHEMA = PropertyGraphSchema(
    "films",
    {label: Label(label, {"name": "str"}) for label in ("Film", "Person")},
    (RelationshipPattern("directedBy", "Film", "Person"),),
)
NAMES = {"Film": ["Heat", "Ali"], "Person": ["Michael Mann"]}
FILM_NAMES, PERSON_NAMES = "MATCH (n:Film) WHERE", "MATCH (n:Person) WHERE"
LINKS = "MATCH (a:Film)"


class FailingGraph(Graph):
    """A graph of two films by one person; a query that starts with a key of `failures` raises the error."""

    def __init__(self, failures: Mapping[str, EngineError]) -> None:
        super().__init__("films", SCHEMA)
        self._failures = failures

    def run(self, query: str | Query, *_: object, **__: object) -> Table:
        text = str(query)
        for start, error in self._failures.items():
            if text.startswith(start):
                raise error
        if text.startswith(LINKS):
            return Table([], [[2, 2, 1]], False, 0.0)
        names = NAMES["Film" if "(n:Film)" in text else "Person"]
        rows: list[list[Any]] = [[len(names)]] if text.endswith("count(n)") else [[name] for name in names]
        return Table([], rows, False, 0.0)


def test_a_label_whose_names_cannot_be_read_has_no_names_and_the_others_keep_theirs() -> None:
    facts = read_facts(FailingGraph({PERSON_NAMES: QueryTimeout("took too long")}), random.Random(1))
    assert facts.counts == {"Film": 2, "Person": 0}
    assert {label: sorted(names) for label, names in facts.names.items()} == {"Film": ["Ali", "Heat"], "Person": []}
    assert facts.single == {"Film": {"Ali", "Heat"}}
    assert [(link.count, link.all_starts, link.all_ends) for link in facts.links] == [(2, True, False)]


def test_if_no_names_can_be_read_the_failure_is_raised() -> None:
    failure = QueryTimeout("took too long")
    with pytest.raises(QueryTimeout, match="took too long"):
        read_facts(FailingGraph({PERSON_NAMES: failure, FILM_NAMES: failure}), random.Random(1))


@pytest.mark.parametrize("start", [PERSON_NAMES, LINKS])
def test_a_graph_that_cannot_be_queried_at_all_is_reported(start: str) -> None:
    with pytest.raises(EngineUnavailable):
        read_facts(FailingGraph({start: EngineUnavailable("no server answers")}), random.Random(1))
