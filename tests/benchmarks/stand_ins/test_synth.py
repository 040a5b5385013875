import itertools
import json
from collections import Counter
from pathlib import Path

from benchmarks.stand_ins.synth import synth
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.loading.simplekg import write_simplekg
from tests.support.documents import INTERVAL, schema

SCHEMA = schema(
    "films",
    {
        "Movie": {"runtime_minute": "float", "filming_location": "list[str]"},
        "Person": {"date_of_birth": "date", "gender": "str"},
        "Genre": {},
    },
    ["Movie directedBy Person", "Person hasSpouse Person", "Movie hasGenre Genre"],
    {"hasSpouse": INTERVAL},
)


def test_the_graph_has_the_requested_numbers_of_nodes_and_relationships() -> None:
    graph = synth(SCHEMA, nodes=12_345, relationships=45_678, seed=3)
    assert sum(1 for _ in graph.entities()) == 12_345
    assert sum(1 for _ in graph.relations()) == 45_678


def test_the_same_seed_gives_the_same_graph_and_another_seed_gives_another_graph() -> None:
    def first(seed: int) -> list[object]:
        graph = synth(SCHEMA, 500, 1_000, seed)
        return [*itertools.islice(graph.entities(), 50), *itertools.islice(graph.relations(), 50)]

    assert first(1) == first(1)
    assert first(1) != first(2)


def test_every_relationship_connects_nodes_of_the_labels_of_its_pattern() -> None:
    graph = synth(SCHEMA, 300, 2_000, 5)
    labels = {entity["eid"]: entity["label"] for entity in graph.entities()}
    allowed = {(pattern.type, pattern.start, pattern.end) for pattern in SCHEMA.patterns}
    for relation in graph.relations():
        assert (relation["label"], labels[relation["subj_id"]], labels[relation["obj_id"]]) in allowed
        assert relation["subj_id"] != relation["obj_id"]


def test_degrees_are_heavy_tailed_and_a_few_nodes_share_a_name() -> None:
    graph = synth(SCHEMA, 5_000, 40_000, 1)
    degrees = Counter(relation["obj_id"] for relation in graph.relations() if relation["label"] == "hasGenre")
    assert degrees.most_common(1)[0][1] > 5 * sorted(degrees.values())[len(degrees) // 2]
    names = Counter((entity["label"], entity["name"]) for entity in graph.entities())
    assert 10 < sum(count > 1 for count in names.values()) < 500


def test_the_file_is_simplekg_with_the_schema_in_front(tmp_path: Path) -> None:
    path = tmp_path / "films.json"
    graph = synth(SCHEMA, 2_500, 3_000, 9)
    assert write_simplekg(path, graph.schema, graph.entities(), graph.relations()) == (2_500, 3_000)
    document = json.loads(path.read_text())
    assert list(document) == ["schema", "entities", "relations"]
    assert PropertyGraphSchema.from_cypherbench(document["schema"]) == SCHEMA
    assert len(document["entities"]) == 2_500
    assert len(document["relations"]) == 3_000
