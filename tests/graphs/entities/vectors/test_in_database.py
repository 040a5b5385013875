"""The vector indexes of real databases, queried through the read-only connection."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import neo4j
import pytest

from graphground.graphs.engines.bolt import BoltEngine, bolt_engine
from graphground.graphs.engines.dialects import MEMGRAPH
from graphground.graphs.entities.vectors.building import STATIC, encoder
from graphground.graphs.entities.vectors.in_database import DatabaseVectors, IndexUnfit, VectorIndex
from graphground.graphs.opening.connected import open_database
from graphground.graphs.opening.open_graphs import GraphSource, OpenGraphs
from graphground.graphs.opening.stored import open_stored
from graphground.graphs.storage.home import Catalog, Home, write_manifest
from graphground.server.settings import SettingsError, read_settings
from graphground.tools.find_entities import FindEntitiesRequest, find_entities
from tests.support.neo4j_server import Neo4jServer, seeded
from tests.support.recorder import Recorder

NAMES = ["car", "train", "dog", "horse", "bread", "wine"]
INDEX = (
    "CREATE VECTOR INDEX {name} FOR (n:{label}) ON (n.{property}) OPTIONS {{indexConfig: "
    "{{`vector.dimensions`: {dimensions}, `vector.similarity_function`: '{metric}'}}}}"
)


@pytest.fixture(scope="module")
def things(neo4j_5: Neo4jServer) -> Iterator[BoltEngine]:
    """Replace the data on a server by a few nodes with vectors, and create three vector indexes.

    Two are over our encoder's vectors, cosine and Euclidean; one is over vectors with another number of dimensions.

    Yield an engine connected to the server.
    """
    vectors = encoder(STATIC).encode(NAMES).tolist()
    with neo4j.GraphDatabase.driver(neo4j_5.uri, auth=(neo4j_5.user, neo4j_5.password)) as driver:
        driver.execute_query("MATCH (n) DETACH DELETE n")
        driver.execute_query(
            "UNWIND $rows AS row CREATE (n:Thing {name: row[0], description: 'a ' + row[0]}) "
            "SET n.vector = row[1], n.again = row[1]",
            rows=list(zip(NAMES, vectors, strict=True)),
        )
        driver.execute_query("CREATE (:Other {name: 'car', short: [1.0, 0.0, 0.0, 0.5]})")
        for values in (
            {"name": "things", "label": "Thing", "property": "vector", "dimensions": 256, "metric": "cosine"},
            {"name": "far_things", "label": "Thing", "property": "again", "dimensions": 256, "metric": "euclidean"},
            {"name": "others", "label": "Other", "property": "short", "dimensions": 4, "metric": "cosine"},
        ):
            driver.execute_query(INDEX.format(**values))
        driver.execute_query("CALL db.awaitIndexes(60)")
    engine = bolt_engine(neo4j_5.address)
    yield engine
    engine.close()
    seeded(neo4j_5, *(f"DROP INDEX {name}" for name in ("things", "far_things", "others")))


@pytest.mark.neo4j
def test_a_vector_index_of_neo4j_finds_by_meaning_with_the_cosine_as_score(things: BoltEngine) -> None:
    found = DatabaseVectors(things, STATIC, "things").nearest_of_all(["automobile"], limit=2)[0]
    model = encoder(STATIC)
    expected = float((model.encode(["automobile"]) @ model.encode(["car"]).T)[0, 0])
    assert (found[0].name, found[0].label, found[0].property, found[0].match) == ("car", "Thing", "name", "vector")
    assert found[0].score == pytest.approx(expected, abs=0.01)
    assert found[0].description == "a car"
    assert len(found) == 2


@pytest.mark.neo4j
def test_a_euclidean_index_gives_the_same_scores(things: BoltEngine) -> None:
    first = DatabaseVectors(things, STATIC, "things").nearest_of_all(["automobile"], limit=3)[0]
    second = DatabaseVectors(things, STATIC, "far_things").nearest_of_all(["automobile"], limit=3)[0]
    assert [candidate.name for candidate in first] == [candidate.name for candidate in second]
    assert [candidate.score for candidate in first] == pytest.approx(
        [candidate.score for candidate in second], abs=0.01
    )


@pytest.mark.neo4j
def test_the_only_vector_index_of_a_label_is_used_and_several_are_refused_with_their_names(things: BoltEngine) -> None:
    vectors = DatabaseVectors(things, STATIC)
    assert vectors.chosen("Other").name == "others"
    with pytest.raises(IndexUnfit, match=r"several vector indexes \(.*things \(Thing\).*vector_index"):
        vectors.chosen("Thing")
    with pytest.raises(IndexUnfit, match=r"no vector index 'nosuch' over nodes; it has: .*others"):
        DatabaseVectors(things, STATIC, "nosuch").nearest_of_all(["automobile"])[0]


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ((), "the database has no vector index over nodes; create one"),
        (
            ("Movie", "Person"),
            "no vector index over nodes is online yet: wait until movies (Movie) or persons (Person) is built, or create "
            "another",
        ),
    ],
)
def test_a_database_without_an_index_that_is_online_is_refused_with_the_indexes_that_are_not(
    monkeypatch: pytest.MonkeyPatch, labels: tuple[str, ...], message: str
) -> None:
    known = [VectorIndex(f"{label.lower()}s", (label,), 256, "cosine", online=False) for label in labels]
    monkeypatch.setattr(DatabaseVectors, "_indexes", lambda self: known)
    with pytest.raises(IndexUnfit) as refused:
        DatabaseVectors(Recorder(), STATIC).chosen("Movie")
    assert str(refused.value) == message


@pytest.mark.neo4j
def test_an_index_with_other_dimensions_is_refused_before_the_database_is_queried(things: BoltEngine) -> None:
    with pytest.raises(
        IndexUnfit,
        match=r"'others' holds vectors of 4 dimensions, but static-minilm-256 "
        r"makes vectors of 256; .*vector_model",
    ):
        DatabaseVectors(things, STATIC, "others").nearest_of_all(["automobile"])[0]


@pytest.mark.neo4j
def test_results_are_filtered_by_label_and_a_label_without_vectors_has_none(things: BoltEngine) -> None:
    vectors = DatabaseVectors(things, STATIC, "things")
    assert [candidate.name for candidate in vectors.nearest_of_all(["automobile"], label="Thing", limit=1)[0]] == [
        "car"
    ]
    assert vectors.nearest_of_all(["automobile"], label="Other")[0] == []


@pytest.mark.neo4j
def test_the_settings_of_a_graph_select_a_vector_index_of_the_database(
    things: BoltEngine, neo4j_5: Neo4jServer, tmp_path: Path
) -> None:
    (tmp_path / "settings.toml").write_text(
        f'[graphs.things]\nuri = "{neo4j_5.uri}"\nusername = "{neo4j_5.user}"\npassword = "{neo4j_5.password}"\n'
        f'vector_index = "things"\nvector_model = "{STATIC}"\n'
    )
    database = read_settings({"home": str(tmp_path)}, {}).databases[0]
    graph = open_database(database, Home(tmp_path).make())
    assert graph.engine is not None
    graphs = OpenGraphs([GraphSource("things", "", "bolt", lambda: graph)])
    with closing(graph):
        for mode in ("vector", "auto"):
            (answer,) = find_entities(graphs, FindEntitiesRequest(mentions=["automobile"], mode=mode, limit=2)).mentions
            assert (answer.candidates[0].name, answer.candidates[0].match) == ("car", "vector")
            assert answer.candidates[0].cypher == "(n:Thing {name: 'car'})"


ARCADEDB = """
import json, os, sys
import arcadedb_embedded
with arcadedb_embedded.open_database(sys.argv[1]) as db:
    with db.transaction():
        db.command("sql", "CREATE PROPERTY Person.vector ARRAY_OF_FLOATS")
        db.command("sql", "CREATE INDEX ON Person (vector) LSM_VECTOR METADATA {dimensions: 256, similarity: 'COSINE'}")
    with db.transaction():
        for name, vector in json.loads(sys.stdin.read()):
            db.command("sql", "UPDATE Person SET vector = ? WHERE name = ?", vector, name)
os._exit(0)  # its JVM may never finish a normal exit
"""


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_a_vector_index_of_arcadedb_is_queried_by_its_read_only_user(own_small_home: Home) -> None:
    entry = Catalog(own_small_home).get("films")
    vectors = dict(
        zip(("Michael Mann", "Robert De Niro"), encoder(STATIC).encode(["car", "dog"]).tolist(), strict=True)
    )
    subprocess.run(
        [sys.executable, "-c", ARCADEDB, str(own_small_home.databases / entry.id)],
        check=True,
        timeout=200,
        input=json.dumps(list(vectors.items())),
        text=True,
        cwd=own_small_home.folder.parent,
        stdout=subprocess.DEVNULL,
    )
    write_manifest(own_small_home.databases / entry.id, own_small_home.graphs / entry.id)  # changed on purpose
    graph = open_stored("films", own_small_home)
    assert graph.engine is not None
    found = DatabaseVectors(graph.engine, STATIC).nearest_of_all(["automobile"], label="Person", limit=2)[0]
    graph.engine.close()
    assert (found[0].name, found[0].key) == ("Michael Mann", "P1")
    assert found[0].score == pytest.approx(0.75, abs=0.25)


class OneIndex:
    """A fake Memgraph with one vector index, which answers as Memgraph's documentation shows; no Memgraph runs here."""

    def run(self, query: str, parameters: Any = None, **_: Any) -> Any:
        from graphground.graphs.engines.engine import Table

        if "show_index_info" in query:
            columns = [
                "capacity",
                "dimension",
                "index_name",
                "index_type",
                "label",
                "metric",
                "property",
                "scalar_kind",
                "size",
            ]
            row = [100, 256, "m", "label+property_vector", "Thing", "cos", "vector", "f32", 6]
            return Table(columns, [row], False, 0.0)
        assert query.startswith("CALL vector_search.search($index, $count, $vector) YIELD node, distance AS near ")
        row = [0.25, ["Thing"], 7, None, ["car", *[None] * 7]]
        return Table(["near", "labels", "id", "description", "names"], [row], False, 0.0)

    def explain(self, query: str) -> None: ...

    def capabilities(self) -> Any:
        from graphground.graphs.engines.engine import Capabilities

        return Capabilities("3", MEMGRAPH, "refused")

    def close(self) -> None: ...


def test_memgraphs_distances_become_cosines() -> None:
    found = DatabaseVectors(OneIndex(), STATIC).nearest_of_all(["automobile"])[0]
    assert [(candidate.name, candidate.score, candidate.key) for candidate in found] == [("car", 0.75, "7")]
    assert VectorIndex("m", ("Thing",), 2, "l2sq").cosine(0.5) == 0.75


def test_a_single_vector_setting_without_its_counterpart_is_refused(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text('[graphs.a]\nuri = "bolt://localhost"\nvector_index = "auto"\n')
    with pytest.raises(SettingsError, match=r"vector_index .* and vector_model .* must be set together"):
        read_settings({"home": str(tmp_path)}, {})
