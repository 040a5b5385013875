"""Names found through the full-text indexes of a real Neo4j, before our own index is built."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from graphground.cypher.schema import Index, Label, PropertyGraphSchema
from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.engines.bolt import BoltEngine, bolt_engine
from graphground.graphs.entities import full_text
from graphground.graphs.entities.full_text import FullTextNames, usable_indexes
from graphground.graphs.entities.names_in_database import Names, NamesInDatabase
from graphground.graphs.schemas.extraction.extract import extract
from tests.support.neo4j_server import Neo4jServer, seeded

INDEXED = Index("fulltext", "Film", ("title", "tagline"), "films")
FILM = Label("Film", {"title": "str", "tagline": "str"}, naming="title")


def schema_of(label: Label, *indexes: Index) -> PropertyGraphSchema:
    return PropertyGraphSchema("films", {label.name: label}, (), indexes=indexes)


def test_an_index_is_used_only_if_it_covers_the_naming_property_of_a_label() -> None:
    assert [index.labels for index in usable_indexes(schema_of(FILM, INDEXED))] == [{"Film": "title"}]
    assert not usable_indexes(schema_of(FILM, replace(INDEXED, properties=("tagline",))))
    assert not usable_indexes(schema_of(FILM, replace(INDEXED, kind="range")))
    assert not usable_indexes(schema_of(FILM, replace(INDEXED, relationship=True)))


def test_a_label_whose_aliases_are_not_indexed_is_excluded() -> None:
    aliased = replace(FILM, properties={**FILM.properties, "aliases": "list[str]"})
    assert not usable_indexes(schema_of(aliased, INDEXED))
    assert usable_indexes(schema_of(aliased, replace(INDEXED, properties=("title", "aliases"))))


class CountingNames(NamesInDatabase):
    """A lookup of names in a database that counts how often it reads all names."""

    reads = 0

    def names(self) -> Names:
        self.reads += 1
        return super().names()


@pytest.fixture(scope="module", params=["neo4j_5", "neo4j_newest"])
def server(request: pytest.FixtureRequest) -> Neo4jServer:
    server: Neo4jServer = request.getfixturevalue(request.param)
    seeded(
        server,
        "UNWIND ['The Matrix', 'The Matrix Reloaded', 'Amélie', 'Heat', 'Heat', 'Ronin (1998)'] AS title "
        "CREATE (:Film {title: title, tagline: 'Neo and Trinity'})",
        "UNWIND range(1, 300) AS i CREATE (:Film {title: 'Chronicle of the year ' + i})",
        "CREATE (:Studio {name: 'Gaumont'})",
        "CREATE FULLTEXT INDEX films FOR (n:Film) ON EACH [n.title, n.tagline]",
        "CALL db.awaitIndexes(60)",
    )
    return server


@pytest.fixture(scope="module")
def engine(server: Neo4jServer) -> Iterator[BoltEngine]:
    engine = bolt_engine(BoltAddress(server.uri, server.user, server.password))
    yield engine
    engine.close()


@pytest.fixture(scope="module")
def schema(engine: BoltEngine) -> PropertyGraphSchema:
    return extract(engine, "films").schema


@pytest.fixture
def names(engine: BoltEngine, schema: PropertyGraphSchema, monkeypatch: pytest.MonkeyPatch) -> FullTextNames:
    # On a busy machine, the first search on a server that has just started takes longer than a user would wait.
    monkeypatch.setattr(full_text, "SECONDS", 60.0)
    return FullTextNames("films", engine, lambda: schema, CountingNames("films", engine, lambda: schema))


@pytest.mark.neo4j
@pytest.mark.parametrize(
    ("mention", "name", "label"),
    [
        ("the matrix", "The Matrix", "Film"),
        ("The Matirx Reloded", "The Matrix Reloaded", "Film"),
        ("Amelie", "Amélie", "Film"),
        ("Gaumnt", "Gaumont", "Studio"),
        ("Ronin (1998) AND title:*", "Ronin (1998)", "Film"),
    ],
)
def test_a_mention_is_found_without_reading_the_names(
    names: FullTextNames, mention: str, name: str, label: str
) -> None:
    found = names.find(mention)
    assert (found[0].name, found[0].label) == (name, label)
    assert reads_of(names) == 0


@pytest.mark.neo4j
def test_names_are_judged_found_in_questions_and_counted_without_reading_all_names(names: FullTextNames) -> None:
    assert names.judge("The Matirx").verdict == "found"
    assert names.judge("Vanilla Sky").verdict == "not_found"
    assert [span.text for span in names.spans("Which films resemble The Matrix Reloaded and are by Gaumont?")] == [
        "The Matrix Reloaded",
        "Gaumont",
    ]
    assert names.same_name("heat") == 2
    assert names.texts == 307
    assert names.word_counts(["matrix", "gaumont", "absent"]) == [2, 1, 0]
    assert names.holds("Heat", label="Film")
    assert not names.holds("Haet", label="Film")
    assert not names.find("")
    assert reads_of(names) == 0


@pytest.mark.neo4j
def test_if_the_database_refuses_an_index_the_names_are_read(
    engine: BoltEngine, schema: PropertyGraphSchema, caplog: pytest.LogCaptureFixture
) -> None:
    dropped = replace(schema, indexes=(replace(INDEXED, name="dropped"),))
    without = FullTextNames("films", engine, lambda: dropped, CountingNames("films", engine, lambda: dropped))
    assert without.usable
    assert without.find("The Matirx")[0].name == "The Matrix"
    assert reads_of(without) == 1
    assert not without.usable
    assert "full-text indexes are not used" in caplog.text


def reads_of(names: FullTextNames) -> int:
    assert isinstance(names._whole, CountingNames)
    return names._whole.reads
