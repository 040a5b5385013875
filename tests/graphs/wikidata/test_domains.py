"""The domains, built from local stores: their graphs satisfy their schemas, and can be loaded and queried.

Seven domains have members among the real statements of WD50K and WikiPeople. The five domains of
`DOMAINS` are built from the statements in `handwritten_domains`; nba is built from both.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from graphground.graphs.definitions.read import DOMAINS, read_definition
from graphground.graphs.engines.embedded.launcher import end_engine
from graphground.graphs.graph import Graph
from graphground.graphs.loading.load import load_file
from graphground.graphs.opening.stored import open_stored
from graphground.graphs.storage.home import Home
from graphground.graphs.wikidata.build import build
from graphground.graphs.wikidata.endpoint import Endpoint
from graphground.graphs.wikidata.plan import SourceError
from graphground.graphs.wikidata.sparql_source import SparqlSource
from tests.support import handwritten_domains
from tests.support.handwritten_domains import OUR_NUMBERS, handwritten_documents
from tests.support.shared_data import needs
from tests.support.simplekg_files import checked
from tests.support.sparql_endpoint import SparqlEndpoint
from tests.support.wikibase_rdf import all_triples
from tests.support.wikidata_documents import Document, documents_with_unlabelled_values

pytestmark = pytest.mark.timeout(240)
FILLED = ("biology", "company", "geography", "movie", "nba", "politics", "soccer")
"""The domains that have members among the real statements."""
ANSWERS = {
    "MATCH (:Painting {name: 'Guernica'})-[:createdBy]->(p:Person) RETURN p.name, p.date_of_birth": [
        ["Pablo Picasso", "1881-10-25"]
    ],
    "MATCH (s:Sculpture)-[:displayedAt]->(m:Museum)<-[:displayedAt]-(p:Painting) RETURN s.name, m.name, p.name": [
        ["Venus de Milo", "Louvre Museum", "Mona Lisa"]
    ],
    "MATCH (f:FlightAccident)-[:destinedFor]->(a:Airport) RETURN f.number_of_deaths, a.iata_code ORDER BY a.iata_code": [
        [230, "CDG"],
        [270, "JFK"],
    ],
    "MATCH (:FlightAccident)-[:involves]->(m:AircraftModel) RETURN DISTINCT m.name, m.wingspan_metre, m.length_metre": [
        ["Boeing 747", 59.6, 70.4088]
    ],
    "MATCH (a:TerroristAttack)-[:targets]->(t:Target) RETURN a.date, count(t) AS targets ORDER BY targets": [
        ["1995-04-19", 1],
        ["2001-09-11", 2],
    ],
    "MATCH (c:Character)-[:hasFather]->(f)-[:memberOf]->(o:Organization)-[:fromUniverse]->(u) "
    "RETURN c.name, o.name, u.name": [["Luke Skywalker", "Jedi", "Star Wars universe"]],
    "MATCH (p:Player)-[r:playsFor]->(t:Team)-[:partOfDivision]->()-[:partOfConference]->(c) "
    "RETURN p.name, r.start_year, r.end_year, t.name, c.name ORDER BY r.start_year": [
        ["Magic Johnson", 1979, 1991, "Los Angeles Lakers", "Western Conference"],
        ["Michael Jordan", 1984, 1993, "Chicago Bulls", "Eastern Conference"],
        ["Michael Jordan", 1995, 1998, "Chicago Bulls", "Eastern Conference"],
    ],
}
"""Queries on the five domains of `DOMAINS`, loaded as one graph, with the expected rows;
231 feet are 70.4088 metres."""


def built_domain(folder: Path, name: str, endpoint: SparqlEndpoint) -> tuple[Path, tuple[int, int]]:
    """Build a domain; return its file, and the numbers of nodes and relationships, all of which satisfy the schema."""
    source = SparqlSource(Endpoint(endpoint.url))
    path = folder / f"{name}.json"
    try:
        result = build(read_definition(name), source, path)
    finally:
        source.close()
    graph = checked(path)
    counts = len(graph["entities"]), len(graph["relations"])
    assert counts == (result.nodes, result.relationships)
    return path, counts


def joined(files: Mapping[str, Path], output: Path, *, prefixed: bool) -> Path:
    """Join the graphs of several files, so that a single load suffices.

    With `prefixed`, each label and type begins with its domain's name: a necessity if domains have labels in common.
    """
    schema: Document = {"name": output.stem, "entities": [], "relations": []}
    entities, relations = [], []
    for name, path in files.items():
        before = f"{name}_" if prefixed else ""
        graph = json.loads(path.read_bytes())
        for record in graph["schema"]["entities"]:
            schema["entities"].append({**record, "label": before + record["label"]})
        for record in graph["schema"]["relations"]:
            ends = {end: before + record[end] for end in ("label", "subj_label", "obj_label")}
            schema["relations"].append({**record, **ends})
        for record in graph["entities"]:
            entities.append({**record, "eid": before + record["eid"], "label": before + record["label"]})
        for record in graph["relations"]:
            ends = {end: before + record[end] for end in ("label", "subj_id", "obj_id")}
            relations.append({**record, **ends, "rid": str(len(relations))})
    output.write_text(json.dumps({"schema": schema, "entities": entities, "relations": relations}), "utf-8")
    return output


def opened(path: Path, home: Home) -> Iterator[Graph]:
    load_file(path, home, name=path.stem)
    graph = open_stored(path.stem, home)
    try:
        yield graph
    finally:
        graph.close()
        assert end_engine(home)


@pytest.mark.engine
def test_domains_built_from_handwritten_statements_contain_every_label_and_can_be_queried(
    empty_home: Home, tmp_path: Path
) -> None:
    files = {}
    for name in handwritten_domains.DOMAINS:
        with SparqlEndpoint(all_triples(handwritten_documents(name))) as endpoint:
            files[name], _ = built_domain(tmp_path, name, endpoint)
    for name, path in files.items():
        graph, definition = json.loads(path.read_bytes()), read_definition(name)
        assert {record["label"] for record in graph["entities"]} == set(definition.nodes), name
        assert {record["label"] for record in graph["relations"]} == {
            relationship.type for relationship in definition.relationships
        }, name
    for graph in opened(joined(files, tmp_path / "five.json", prefixed=False), empty_home):
        for query, rows in ANSWERS.items():
            assert graph.run(query).rows == rows, query


def test_handwritten_statements_refer_only_to_own_items_that_are_defined() -> None:
    for name in handwritten_domains.DOMAINS:
        documents = {document["id"]: document for document in handwritten_documents(name)}
        values = re.findall(r'"id": "(Q\d+)"\}', json.dumps(list(documents.values())))
        own_items = {value for value in values if int(value[1:]) >= OUR_NUMBERS}
        assert own_items <= documents.keys()
        assert all(document["labels"]["en"]["value"] for document in documents.values())


def relevant_documents() -> list[Document]:
    """Return the documents of real statements, reduced to the properties that the domains use."""
    keys = {"P31", "P279"}
    for name in DOMAINS:
        keys.update(re.findall(r"P\d+", repr(read_definition(name))))
    return [
        {**document, "claims": {name: statements for name, statements in document["claims"].items() if name in keys}}
        for document in documents_with_unlabelled_values()
    ]


@pytest.mark.slow
@pytest.mark.engine
@needs("wd50k_labelled", "nodes.jsonl.gz")
@needs("wikipeople")
def test_domains_built_from_real_statements_can_be_loaded_and_queried(empty_home: Home, tmp_path: Path) -> None:
    with SparqlEndpoint(all_triples(relevant_documents())) as endpoint:
        built = {name: built_domain(tmp_path, name, endpoint) for name in FILLED}
        for name in set(DOMAINS) - set(FILLED):
            with pytest.raises(SourceError, match="the graph would be empty"):
                built_domain(tmp_path, name, endpoint)
    counts = {name: records for name, (_, records) in built.items()}
    assert counts["movie"] > (1500, 4000)
    assert counts["politics"] > (250, 1500)
    assert counts["company"] > (100, 100)
    assert counts["nba"] >= (16, 15)
    path = joined({name: built[name][0] for name in FILLED}, tmp_path / "seven.json", prefixed=True)
    for graph in opened(path, empty_home):
        for name in FILLED:
            nodes = graph.run(f"MATCH (n) WHERE labels(n)[0] STARTS WITH '{name}_' RETURN count(n)").rows
            links = graph.run(f"MATCH ()-[r]->() WHERE type(r) STARTS WITH '{name}_' RETURN count(r)").rows
            assert (nodes, links) == ([[counts[name][0]]], [[counts[name][1]]])
        query = (
            "MATCH (p:nba_Player)-[r:nba_playsFor]->(t:nba_Team) RETURN p.name, t.name ORDER BY p.name, t.name LIMIT 2"
        )
        assert graph.run(query).rows == [["Allen Iverson", "Detroit Pistons"], ["Allen Iverson", "Philadelphia 76ers"]]
