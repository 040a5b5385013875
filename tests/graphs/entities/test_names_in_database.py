from dataclasses import replace

import pytest

from graphground.graphs.entities.names_in_database import MENTIONS_AT_ONCE, NamesInTheDatabase
from graphground.graphs.graph import Graph

pytestmark = pytest.mark.slow

MENTIONS = ["Heat", "heat", "Michael Man", "Dvid Mamet", "heist film", "Gale Hurd", "qqqqqqqq", "", "James Cameron"]


@pytest.fixture(scope="module")
def names(film_graph: Graph) -> NamesInTheDatabase:
    return NamesInTheDatabase(replace(film_graph, entities=None))


@pytest.mark.parametrize(("mention", "name", "match"), [
    ("Heat", "Heat", "exact"), (" heat ", "Heat", "exact"), ("Michael Man", "Michael Mann", "fuzzy"),
    ("Dvid Mamet", "David Mamet", "fuzzy")])
def test_a_name_is_found_in_the_database_without_an_index(
        names: NamesInTheDatabase, mention: str, name: str, match: str) -> None:
    found = names.find(mention)[0]
    assert (found.name, found.match) == (name, match)
    assert 0.6 <= found.score <= 1


def test_several_mentions_together_are_answered_as_each_alone(names: NamesInTheDatabase) -> None:
    assert len(MENTIONS) > MENTIONS_AT_ONCE
    for label in (None, "Person"):
        assert names.find_all(MENTIONS, label=label) == [names.find(mention, label=label) for mention in MENTIONS]


def test_a_label_limits_the_candidates_and_scores_fall(names: NamesInTheDatabase) -> None:
    found = names.find("Michael Man", label="Person", limit=10)
    assert {one.label for one in found} == {"Person"}
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)


def test_meaning_is_refused_with_the_way_to_vectors(names: NamesInTheDatabase) -> None:
    with pytest.raises(LookupError, match="graphground entities build films --vectors"):
        names.find_all(["Heat"], mode="vector")
