"""A SimpleKG file loaded into your own database: a real Neo4j, a real ArcadeDB, and a fake Memgraph."""

import os
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.engines.bolt import bolt_engine
from graphground.graphs.engines.embedded.launcher import ensure_engine
from graphground.graphs.engines.engine import EngineError, EngineUnavailable
from graphground.graphs.loading.into_database import BoltLoader, load_into
from graphground.graphs.loading.simplekg import SimpleKGError
from graphground.graphs.storage.home import Home
from graphground.server.commands.command_line import run
from tests.support.commands import Ended, RunCommand
from tests.support.fake_memgraph import memgraph_stand_in
from tests.support.neo4j_server import Neo4jServer, seeded
from tests.support.small_graph import SMALL, small, written

pytestmark = pytest.mark.timeout(300)
FACTS = {
    "MATCH (m:Movie {name: 'Heat'}) RETURN m.released, m.runtime_minute, m.filming_location, m.seen, m.aliases": [
        ["1995-12-15", 170.0, ["Los Angeles"], True, ["Heat (1995)"]]
    ],
    "MATCH (p:Person {eid: 'P2'}) RETURN p.born, p.name": [["-0044-03-15", "Robert De Niro"]],
    "MATCH (m:Movie) WHERE m.released > date('1990-01-01') RETURN m.name": [["Heat"]],
    "MATCH (:Movie {name: 'Heat'})-[c:`has cast`]->(p) RETURN c.role, c.signed, c.year, p.name": [
        ["Neil", "1994-11-02", 1994, "Robert De Niro"]
    ],
    "MATCH ()-[r]->() RETURN count(r)": [[3]],
    "MATCH (n) RETURN count(n)": [[4]],
}


@pytest.fixture
def own_neo4j(neo4j_5: Neo4jServer) -> Iterator[BoltAddress]:
    seeded(neo4j_5, "MATCH (n) DETACH DELETE n")
    yield neo4j_5.address
    seeded(neo4j_5, "MATCH (n) DETACH DELETE n")


@pytest.mark.parametrize("database", [pytest.param("own_neo4j", marks=pytest.mark.neo4j), "own_arcadedb"])
def test_the_loaded_graph_equals_the_file(database: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    address: BoltAddress = request.getfixturevalue(database)
    assert load_into(written(tmp_path, SMALL), address) == (4, 3)
    engine = bolt_engine(address)
    for query, rows in FACTS.items():
        assert engine.run(query).rows == rows, query
    engine.close()
    with pytest.raises(EngineUnavailable, match="holds 4 nodes; a graph can only be loaded into an empty database"):
        load_into(written(tmp_path, SMALL), address)
    with closing(BoltLoader(address)) as loader:
        loader.create_indexes(["Movie", "Person"], ["name"])  # they exist already


def broken(change: Callable[[dict], None]) -> dict:
    document = small()
    change(document)
    return document


SMUGGLED = "Movie\\u0060) CREATE (:Attacked) //"
REFUSED = "cannot be written in a query"


@pytest.mark.neo4j
@pytest.mark.parametrize(
    ("document", "message"),
    [
        (broken(lambda document: document["relations"][2].update(obj_id="P9")), "'P9' is not the id of any entity"),
        (
            broken(
                lambda document: (
                    document["schema"]["entities"][0].update(label=SMUGGLED),
                    document["schema"].update(relations=[]),
                )
            ),
            REFUSED,
        ),
        (broken(lambda document: document["schema"]["relations"][0].update(label=SMUGGLED)), REFUSED),
        (broken(lambda document: document["schema"]["entities"][1]["properties"].update({SMUGGLED: "date"})), REFUSED),
        (broken(lambda document: document["schema"]["relations"][1]["properties"].update({SMUGGLED: "date"})), REFUSED),
    ],
)
def test_a_file_with_an_error_or_with_names_that_the_database_would_parse_as_cypher_changes_nothing(
    own_neo4j: BoltAddress, tmp_path: Path, document: dict, message: str
) -> None:
    with pytest.raises(SimpleKGError, match=message):
        load_into(written(tmp_path, document), own_neo4j)
    engine = bolt_engine(own_neo4j)
    assert engine.run("MATCH (n) RETURN count(n)").rows == [[0]]
    engine.close()


@pytest.mark.neo4j
def test_a_load_that_the_database_aborts_reports_what_was_written_and_how_to_delete_it(
    own_neo4j: BoltAddress, neo4j_5: Neo4jServer, tmp_path: Path
) -> None:
    same_day = broken(lambda document: document["entities"][3]["properties"].update(born="1943-02-05"))
    seeded(neo4j_5, "CREATE CONSTRAINT one_a_day FOR (p:Person) REQUIRE p.born IS UNIQUE")
    try:
        with pytest.raises(
            EngineError,
            match=r"1943-02-05.*incomplete: 2 nodes and 0 relationships were written "
            r"before the failure\. `MATCH \(n\) DETACH DELETE n` empties",
        ):
            load_into(written(tmp_path, same_day), own_neo4j)
    finally:
        seeded(neo4j_5, "DROP CONSTRAINT one_a_day")


def test_the_steps_of_a_load_are_reported_with_the_bytes_read(own_arcadedb: BoltAddress, tmp_path: Path) -> None:
    file, steps = written(tmp_path, SMALL), []
    load_into(file, own_arcadedb, lambda step, read, size: steps.append((step, read <= size == file.stat().st_size)))
    assert list(dict.fromkeys(step for step, _ in steps)) == ["checking", "nodes", "relationships"]
    assert all(fits for _, fits in steps)


def test_a_user_that_can_only_read_cannot_load(own_arcadedb: BoltAddress, arcadedb_home: Home, tmp_path: Path) -> None:
    reader = BoltAddress(own_arcadedb.uri, "reader", ensure_engine(arcadedb_home).reader, own_arcadedb.database)
    with pytest.raises(EngineError, match="not allowed"):
        load_into(written(tmp_path, SMALL), reader)


@pytest.mark.neo4j
def test_the_command_loads_with_the_password_of_an_administrator(
    run_command: RunCommand, own_neo4j: BoltAddress, tmp_path: Path
) -> None:
    file = written(tmp_path, SMALL)

    def load(password: str) -> Ended:
        words = ("graphs", "load", str(file), "--into", own_neo4j.uri, "--user", own_neo4j.user)
        return run_command(*words, more={"GRAPHGROUND_ADMIN_PASSWORD": password})

    refused = load("wrong")
    assert refused.returncode == 1
    assert "refused the user" in refused.stderr
    result = load(own_neo4j.password)
    assert result.stdout == f"Loaded into {own_neo4j.uri}: 4 nodes, 3 relationships.{os.linesep}", result.stderr


def test_indexes_are_created_in_memgraphs_syntax() -> None:
    with memgraph_stand_in() as (server, memgraph), closing(BoltLoader(BoltAddress(server.uri))) as loader:
        loader.create_indexes(["Movie", "Box Office"], ["name"])
    assert memgraph.indexes == ["CREATE INDEX ON :`Movie`(`name`)", "CREATE INDEX ON :`Box Office`(`name`)"]


def test_the_options_name_and_into_together_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path, SMALL)
    with pytest.raises(SystemExit, match="2"):
        run("graphs", ["load", str(file), "--into", "bolt://127.0.0.1:1", "--name", "films"])
    assert "not to --into" in capsys.readouterr().err
