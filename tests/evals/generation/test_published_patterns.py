"""A domain's schema allows exactly the graph patterns of the domain's published tasks, with a few listed exceptions."""

import json
import random

import pytest

from benchmarks.engines.graphs_for_queries import GRAPHS, gold_queries, schema_of
from graphground.evals.generation.candidates import GraphFacts, LinkFacts, choose_shape, needless_inverse
from graphground.evals.generation.generate import read_data
from graphground.evals.tasks.classify import BASIC, SPECIAL, classify
from tests.support.shared_data import SHARED

pytestmark = pytest.mark.skipif(not SHARED.exists(), reason="needs ../shared/data")

NEVER_THERE = {"biology": {"basic_(n)-(m0),(n)-(m0)"}, "terrorist_attack": {"basic_(n)-(m0)"}}
"""Patterns that a schema allows and no published task has: no taxon feeds on its parent taxon, for example."""


def facts_of(graph: str) -> GraphFacts:
    """Return facts that rule out no pattern: nodes have names, and several relationships of each pattern."""
    schema = schema_of(graph)
    links = tuple(LinkFacts(pattern, 10, 5, 5, False, False) for pattern in schema.patterns)
    labels = dict.fromkeys(schema.labels, ("a", "b"))
    return GraphFacts(schema, links, dict.fromkeys(labels, 9), labels, {})


def possible(graph: str) -> set[str]:
    facts, rng = facts_of(graph), random.Random(1)
    return {
        pattern["id"]
        for pattern in read_data("patterns")
        if choose_shape(
            pattern["match"], facts, rng, lambda shape: not needless_inverse(shape), timed=pattern["kind"] == "time"
        )
    }


@pytest.mark.parametrize("graph", GRAPHS)
def test_the_patterns_of_a_domain_are_those_of_its_published_tasks(graph: str) -> None:
    published = {classify(query)[0] for query in gold_queries(graph)}
    if published:
        assert possible(graph) == published | NEVER_THERE.get(graph, set())
    listed = json.loads((SHARED / "cypherbench_tasks" / "graph_info.json").read_text("utf-8"))[graph]["relations"]
    timed = any(relation["is_time_sensitive"] for relation in listed)
    assert ("special_time_sensitive" in possible(graph)) is timed


def test_the_schema_of_company_allows_all_patterns() -> None:
    assert possible("company") == {*BASIC, *SPECIAL}
