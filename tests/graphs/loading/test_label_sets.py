"""Nodes with several labels: imported, loaded, checked, queried and exported with all of them."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from graphground.cypher import validate
from graphground.cypher.schema import PropertyGraphSchema, SchemaError
from graphground.graphs.loading.load import export_graph, load_file
from graphground.graphs.loading.simplekg import RecordChecks, SimpleKGError, SimpleKGFile, check_namespace
from graphground.graphs.opening.stored import open_stored
from graphground.graphs.storage.home import Home
from tests.support.simplekg_files import imported, link, node
from tests.support.small_graph import records_in

pytestmark = pytest.mark.timeout(240)


LINES = [
    node("m1", "Movie", title="Heat", minutes=170),
    node("m2", "Movie Short", title="Stalk", minutes=7.5, part="first"),
    node("p1", "Person Director", name="Michael Mann", born=1943, awards=2),
    node("p2", "Person Actor Director", name="Clint Eastwood", born=1930, awards=4, height=1.93),
    node("p3", "Person", name="Dante Spinotti", born=1943),
    *(node(f"t{i}", "Term", name=f"T{i}", left="N/A" if i < 6 else "" if i < 9 else f"2024-03-{i}") for i in range(20)),
    link("DIRECTED", "p1", "m1", year=1995),
    link("DIRECTED", "p2", "m2", year=2000.5),
    link("ACTED_IN", "p2", "m1"),
    link("KNOWS", "p1", "p2"),
    link("KNOWS", "p2", "p1"),
    link("KNOWS", "p3", "p3"),
]


@pytest.mark.engine
def test_a_node_is_found_by_each_of_its_labels(empty_home: Home, tmp_path: Path) -> None:
    path = imported(tmp_path, LINES)
    load_file(path, empty_home, name="films")
    with closing(open_stored("films", empty_home)) as graph:
        assert graph.schema.label_combinations == {
            frozenset({"Movie", "Short"}),
            frozenset({"Person", "Director"}),
            frozenset({"Person", "Actor", "Director"}),
        }
        for query, rows in (
            ("MATCH (n:Person) RETURN count(n)", [[3]]),
            ("MATCH (n:Director) RETURN n.name ORDER BY n.name", [["Clint Eastwood"], ["Michael Mann"]]),
            ("MATCH (n:Person:Actor) RETURN n.name, n.height", [["Clint Eastwood", 1.93]]),
            ("MATCH (n:Person {name: 'Clint Eastwood'}) RETURN labels(n)", [[["Actor", "Director", "Person"]]]),
            ("MATCH (n:Person) WHERE NOT n:Director RETURN n.name", [["Dante Spinotti"]]),
            ("MATCH (a:Actor)-[:KNOWS]->(d:Director)-[r:DIRECTED]->(m) RETURN m.name, r.year", [["Heat", 1995.0]]),
            ("MATCH (:Person)-[r]->() RETURN count(r)", [[6]]),
        ):
            assert validate(query, graph.schema).valid, query
            assert graph.run(query).rows == rows, query
        facts = graph.statistics()
        assert facts is not None
        assert [facts.nodes(label) for label in ("Person", "Director", "Actor", "Movie", "Short")] == [3, 2, 1, 2, 1]
        assert facts.relationships("KNOWS") == 3
        assert facts.relationships("KNOWS", "Person", "Person") == 3
        assert facts.relationships("KNOWS", "Actor", "Director") == 1
        assert facts.relationships("DIRECTED", "Director", "Movie") == 2
        left = facts.property("Term", "left")
        assert left is not None
        assert dict(left.placeholders) == {"N/A": 6, "": 3}
        assert graph.entities is not None
        for label in ("Person", "Director", "Actor"):
            (found,) = graph.entities.find("Clint Eastwood", label=label, limit=1)
            assert (found.label, found.key) == (label, "p2")
        exported = tmp_path / "exported.json"
        assert export_graph("films", exported, empty_home) == (25, 6)
        before, after = records_in(path), records_in(exported)
        assert before[1] == after[1]
        assert before[0].keys() == after[0].keys()
        assert {entity["eid"]: entity.get("labels") for entity in json.loads(exported.read_bytes())["entities"]} == {
            line["id"]: sorted(line["labels"]) if len(line["labels"]) > 1 else None
            for line in LINES
            if line["type"] == "node"
        }


def test_a_property_has_one_type_in_labels_that_occur_together(tmp_path: Path) -> None:
    schema = SimpleKGFile(imported(tmp_path, LINES)).schema
    assert schema.labels["Movie"].properties["minutes"] == schema.labels["Short"].properties["minutes"] == "float"
    assert {str(pattern): dict(pattern.properties) for pattern in schema.relationship_types["DIRECTED"]} == {
        f"(:{start})-[:DIRECTED]->(:{end})": {"year": "float"}
        for start, end in (
            ("Director", "Movie"),
            ("Person", "Movie"),
            ("Actor", "Short"),
            ("Actor", "Movie"),
            ("Director", "Short"),
            ("Person", "Short"),
        )
    }
    assert PropertyGraphSchema.from_cypherbench(schema.to_cypherbench()) == schema


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["Person", "Movie"], "the schema has no label combination :Movie:Person"),
        (["Director"], "'labels' must be a list of texts that contains 'label'"),
        ("Person", "'labels' must be a list of texts that contains 'label'"),
        (["Person", 7], "'labels' must be a list of texts that contains 'label'"),
    ],
)
def test_labels_that_the_schema_does_not_combine_are_refused(tmp_path: Path, labels: Any, message: str) -> None:
    checks = RecordChecks(SimpleKGFile(imported(tmp_path, LINES)).schema)
    with pytest.raises(SimpleKGError, match=message):
        checks.entity(0, {"eid": "x", "label": "Person", "labels": labels, "name": "X"})


def test_a_relationship_or_name_that_the_combined_labels_do_not_allow_is_refused(tmp_path: Path) -> None:
    schema = SimpleKGFile(imported(tmp_path, LINES)).schema
    relation = {"rid": "0", "label": "KNOWS", "subj_id": "p", "obj_id": "m", "properties": {}}
    with pytest.raises(SimpleKGError, match=r"no \(:Director:Person\)-\[:KNOWS\]->\(:Movie:Short\); it has"):
        RecordChecks(schema).relation(0, relation, {"p": "Director~Person", "m": "Movie~Short"}.get)
    entity = {
        "eid": "p",
        "label": "Actor",
        "labels": ["Actor", "Director", "Person"],
        "name": "P",
        "properties": {"heigth": 1},
    }
    with pytest.raises(SimpleKGError, match=":Actor:Director:Person has no property 'heigth'"):
        RecordChecks(schema).entity(0, entity)
    lines = [node("1", "A~B C", name="x"), node("2", "C", name="y")]
    with pytest.raises(SimpleKGError, match="the label 'A~B' contains '~'"):
        check_namespace(SimpleKGFile(imported(tmp_path, lines)).schema)
    document = schema.to_cypherbench()
    for wrong in ("A", [["Person"]], [["Person", 1]], [["Person", "Nobody"]]):
        with pytest.raises(SchemaError, match="label_combinations"):
            PropertyGraphSchema.from_cypherbench({**document, "label_combinations": wrong})
