import pytest

from graphground.evals.tasks.task import Task
from graphground.evals.variants.harden import KINDS, harden, names_in
from graphground.graphs.graph import Graph

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
    assert set(variants) >= {"alias", "misspelt", "shortened", "absent"}
    assert variants["alias"].question == 'Which films have Bobby "Milk" in them?'
    assert variants["shortened"].question in ("Which films have Robert in them?", "Which films have Robert De in them?")
    assert "Robert De Niro" not in variants["misspelt"].question
    for task in variants.values():
        assert task.gold == DE_NIRO.gold
        assert task.qid == f"t2-{task.variant}"
        assert task.expected == {"absent": "not_in_graph", "ambiguous": "ask"}.get(task.variant, "answer")
    absent = variants["absent"].question.removeprefix("Which films have ").removesuffix(" in them?")
    assert small.run("MATCH (n) WHERE n.name = $name RETURN count(n)", {"name": absent}).rows == [[0]]


def test_the_same_seed_gives_the_same_variants_and_their_kinds_can_be_chosen(small: Graph) -> None:
    assert harden([HEAT, DE_NIRO], small, seed=3) == harden([HEAT, DE_NIRO], small, seed=3)
    assert {task.variant for task in harden([HEAT, DE_NIRO], small, kinds=["misspelt"])} <= {"misspelt"}


def test_a_question_that_does_not_contain_the_name_exactly_once_is_unchanged(small: Graph) -> None:
    for question in ("Who directed heat?", "Heat or Heat?", "Who directed Heatwave?"):
        assert harden([Task("t", "films", question, HEAT.gold)], small) == []
    assert harden([Task("t", "elsewhere", HEAT.question, HEAT.gold)], small) == []


def test_a_name_of_a_label_that_the_graph_does_not_have_is_unchanged(small: Graph) -> None:
    gold = HEAT.gold.replace("Movie", "Film")
    assert harden([Task("t", "films", HEAT.question, gold)], small) == []


def test_the_label_alone_is_ambiguous_if_two_nodes_have_it(small: Graph) -> None:
    assert small.run("MATCH (m:Movie) RETURN count(m)").rows == [[2]]
    (variant,) = harden([HEAT], small, kinds=["ambiguous"])
    assert (variant.question, variant.expected) == ("Who directed the movie?", "ask")


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
    from graphground.evals.variants import harden as module

    assert [kind for kind in KINDS if f"`{kind}`" not in str(module.__doc__)] == []
