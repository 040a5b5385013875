"""Questions with several answers, or none: of a graph of painters that has a pair of readings for each kind."""

from collections.abc import Iterator

import pytest

from graphground.evals.tasks.harden import KINDS, harden
from graphground.evals.tasks.task import Task
from graphground.graphs.graph import Graph
from tests.support.documents import make_entity, make_relation, schema_document
from tests.support.small_graph import opened_graph

LINKS = [
    ("taughtBy", "Painter", "p2", "Painter", "p1"), ("taughtBy", "Painter", "p1", "Painter", "p3"),
    ("painted", "Painter", "p1", "Picture", "w1"), ("restored", "Painter", "p1", "Picture", "w2"),
    ("hangsIn", "Picture", "w1", "Museum", "m1"), ("painted", "Painter", "p2", "Picture", "w2"),
]  # fmt: skip
PAINTERS = {
    "schema": schema_document(
        "painters",
        {
            "Painter": {"date_of_birth": "date", "date_of_death": "date", "code": "str"},
            "Picture": {"code": "str", "material": "str"},
            "Museum": {},
        },
        dict.fromkeys(f"{start} {type_} {end}" for type_, start, _, end, _ in LINKS),
    ),
    "entities": [
        make_entity("p1", "Painter", "Anna Holm", date_of_birth="1850-01-01", date_of_death="1900-01-01", code="AH"),
        make_entity("p2", "Painter", "Berta Holm", date_of_birth="1860-01-01", code="BH"),
        make_entity("p3", "Painter", "Harbour", code="H"),
        make_entity("w1", "Picture", "Harbour", code="w-1", material="oil"),
        make_entity("w2", "Picture", "Boats", code="w-2"),
        make_entity("m1", "Museum", "City Museum"),
    ],
    "relations": [make_relation(number, type_, start, end) for number, (type_, _, start, _, end) in enumerate(LINKS)],
}
TASK = Task(
    "t",
    "painters",
    "Which pictures did Anna Holm paint?",
    "MATCH (n:Picture)<-[:painted]-(m:Painter {name: 'Anna Holm'}) RETURN n.name",
)


@pytest.fixture(scope="module")
def painters(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Graph]:
    with opened_graph(tmp_path_factory.mktemp("painters"), PAINTERS, "painters") as graph:
        yield graph


@pytest.mark.parametrize(
    ("kind", "question"),
    [
        ("ambiguous_relation", "Which pictures is Anna Holm connected with?"),
        ("ambiguous_property", "What is the date of Anna Holm?"),
        ("ambiguous_type", "What is the code of Harbour?"),
        ("ambiguous_value", "Which pictures did Holm paint?"),
        ("ambiguous_direction", "Between Anna Holm and which other painters is there a “taught by” relation?"),
        ("absent_property", "Tell me the material of Anna Holm."),
        ("absent_relation", "Which museums does Anna Holm have as “hangs in”?"),
        ("absent_type", "Which rivers are connected with Anna Holm?"),
        ("absent_filter", "Which pictures did Anna Holm paint, considering only pictures with a known date of birth?"),
    ],
)
def test_each_kind_makes_a_question_with_two_readings_or_none(painters: Graph, kind: str, question: str) -> None:
    (variant,) = harden([TASK], painters, 1, [kind], ["River", "Picture"])
    assert variant.question.replace("date of death", "date of birth") == question
    assert variant.expected == ("ask" if kind.startswith("ambiguous") else "not_in_graph")
    assert (variant.variant, variant.answer, variant.gold) == (kind, None, TASK.gold)


def test_a_year_is_only_asked_where_the_query_meets_no_time(painters: Graph) -> None:
    gold = "MATCH (n:Picture {name: 'Harbour'})-[:hangsIn]->(m:Museum) RETURN m.name"
    (variant,) = harden([Task("t", "painters", "Where is Harbour?", gold)], painters, 1, ["absent_time"])
    assert variant.question[:-5] == "Where is Harbour in "
    assert harden([TASK], painters, 1, ["absent_time"]) == []  # painters have dates


def test_without_a_second_reading_nothing_is_made(painters: Graph) -> None:
    gold = "MATCH (n:Museum {name: 'City Museum'}) RETURN n.name"
    task = Task("t", "painters", "What is the City Museum, and where?", gold)
    assert {variant.variant for variant in harden([task], painters, 1, [kind for kind in KINDS if "_" in kind])} == {
        "absent_property",
        "absent_relation",
    }
