from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any, cast

import pytest

from graphground.cypher.schema import Label, PropertyGraphSchema
from graphground.evals.tasks.harden import KINDS, harden, names_in
from graphground.evals.tasks.task import Task
from graphground.graphs.engines.engine import Table
from graphground.graphs.graph import Graph

ROOT = Path(__file__).resolve().parents[3]
HEAT = Task(
    "t1", "films", "Who directed Heat?", "MATCH (m:Movie {name: 'Heat'})-[:directedBy]->(p:Person) RETURN p.name"
)
DE_NIRO = Task(
    "t2",
    "films",
    "Which films have Robert De Niro in them?",
    "MATCH (m:Movie)-[:`has cast`]->(p:Person {name: 'Robert De Niro'}) RETURN m.name",
)


def test_each_kind_of_variant_changes_the_name_and_keeps_the_gold_query(small: Graph) -> None:
    variants = {task.variant: task for task in harden([DE_NIRO], small, seed=1)}
    assert set(variants) >= {"alias", "misspelt", "shortened"}
    assert variants["alias"].question == 'Which films have Bobby "Milk" in them?'
    assert variants["shortened"].question in ("Which films have Robert in them?", "Which films have Robert De in them?")
    assert "Robert De Niro" not in variants["misspelt"].question
    for task in variants.values():
        assert task.gold == DE_NIRO.gold
        assert task.qid == f"t2-{task.variant}"
        assert task.expected == {"absent": "not_in_graph", "ambiguous": "ask"}.get(task.variant.split("_")[0], "answer")


def test_the_same_seed_gives_the_same_variants_and_their_kinds_can_be_chosen(small: Graph) -> None:
    assert harden([HEAT, DE_NIRO], small, seed=3) == harden([HEAT, DE_NIRO], small, seed=3)
    assert {task.variant for task in harden([HEAT, DE_NIRO], small, kinds=["misspelt"])} <= {"misspelt"}


def test_a_question_that_does_not_contain_the_name_exactly_once_is_unchanged(small: Graph) -> None:
    for question in ("Who directed heat?", "Heat or Heat?", "Who directed Heatwave?"):
        assert harden([Task("t", "films", question, HEAT.gold)], small) == []
    assert harden([Task("t", "elsewhere", HEAT.question, HEAT.gold)], small) == []


def test_the_label_alone_is_ambiguous_if_two_nodes_have_it(small: Graph) -> None:
    assert small.run("MATCH (m:Movie) RETURN count(m)").rows == [[2]]
    (variant,) = harden([HEAT], small, kinds=["ambiguous"])
    assert (variant.question, variant.expected) == ("Who directed the movie?", "ask")


@pytest.mark.parametrize(
    ("question", "ambiguous"),
    [
        ("the movie Heat", "the movie"),
        ("movies by the director of Heat", "movies by the director of the movie"),
        ("Who directed the movie called 'Heat'?", "Who directed the movie?"),
        ("Who directed the Heat movie?", "Who directed the movie?"),
        ("Heat's director?", "The movie's director?"),
        ("Heat: who directed it?", "The movie: who directed it?"),
    ],
)
def test_the_label_replaces_a_name_with_the_words_that_already_say_it(
    small: Graph, question: str, ambiguous: str
) -> None:
    (variant,) = harden([Task("t", "films", question, HEAT.gold)], small, kinds=["ambiguous"])
    assert variant.question == ambiguous


class Names:
    """A graph of players and teams, of which only the names are asked."""

    name, schema = (
        "nba",
        PropertyGraphSchema("nba", {label: Label(label, {"name": "str"}) for label in ("Player", "Team")}, ()),
    )
    players = ("Michael Jordan", "Stephen Curry", "Larry Bird", "Kareem Abdul-Jabbar", "Nene", "Scottie of Oslo")

    def run(self, query: str, parameters: Mapping[str, Any], timeout: float) -> Table:
        if "DISTINCT n.name AS name" in query:
            return Table(["name"], [[name] for name in self.players], False, 0.1)
        if "DISTINCT n.name" in query:
            return Table(["name"], [[name] for name in self.players if name == parameters["name"]], False, 0.1)
        return Table(["x"], [["Bulls"]] if "UNION" in query else [[0]], False, 0.1)


def test_an_absent_name_is_made_of_names_of_its_kind() -> None:
    gold = "MATCH (n:Player {name: 'Larry Bird'}) RETURN count(n)"
    for seed in range(10):
        tasks = [Task("t", "nba", "Who is Larry Bird?", gold)]
        (variant,) = harden(tasks, cast("Graph", Names()), seed, ["absent"])
        first, last = variant.question.removeprefix("Who is ").removesuffix("?").split(" ")
        assert (first, last) in product(("Michael", "Stephen", "Larry"), ("Jordan", "Curry", "Bird"))
        assert f"{first} {last}" not in Names.players
        assert variant.expected == "not_in_graph"


def test_an_absent_name_beside_another_that_has_an_answer_makes_no_variant() -> None:
    half = "MATCH (n:Player {name: 'Larry Bird'}) RETURN n.name AS x UNION MATCH (n:Team) RETURN n.name AS x"
    assert harden([Task("t", "nba", "Larry Bird and the teams?", half)], cast("Graph", Names()), 1, ["absent"]) == []


@pytest.mark.parametrize(
    ("query", "names"),
    [
        (HEAT.gold, [("Movie", "Heat")]),
        ("MATCH (n:A {name: 'x'}), (m:B {age: 3}) RETURN n", [("A", "x")]),
        ("MATCH (n", []),
        ("MATCH (n {name: 'x'}) RETURN n", []),
    ],
)
def test_the_names_of_a_query_are_found_in_its_tree(query: str, names: list[tuple[str, str]]) -> None:
    assert names_in(query) == names


def test_every_kind_of_variant_is_documented() -> None:
    from graphground.evals.tasks import harden as module

    texts = str(module.__doc__), (ROOT / "docs/evaluation.md").read_text("utf-8")
    assert [kind for kind in KINDS for text in texts if f"`{kind}`" not in text] == []
