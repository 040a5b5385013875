"""A definition of places that the raw documents can fill, and the triples of these documents."""

from collections.abc import Iterable
from contextlib import closing
from functools import cache
from pathlib import Path

from graphground.graphs.definitions.read import check_text
from graphground.graphs.wikidata.build import Built, build
from graphground.graphs.wikidata.endpoint import Endpoint
from graphground.graphs.wikidata.plan import Source
from graphground.graphs.wikidata.sparql_source import SparqlSource
from tests.support.sparql_endpoint import SparqlEndpoint
from tests.support.wikibase_rdf import all_triples
from tests.support.wikidata_documents import raw_documents

ENTITY = "http://www.wikidata.org/entity/"
PLACES = """\
name = "places"
description = "Countries and cities, their neighbours and twins."

[nodes.Place]
wikidata = ["Q6256", "Q515", "Q7270", "Q1549591", "Q3624078"]
[nodes.Place.properties]
area_km2 = { type = "float", wikidata = "P2046", unit = "km²" }
inception_year = { type = "int", wikidata = "P571" }
founded = { type = "date", wikidata = "P571" }
population = { type = "int", wikidata = "P1082" }
elevation_m = { type = "float", wikidata = "P2044", unit = "metre" }
native_names = { type = "list[str]", wikidata = "P1705" }
capital = { type = "str", wikidata = "P36" }

[nodes.Neighbour]
from_relationships = ["borders"]

[nodes.Partner]
wikidata = ["Q6256", "Q515", "Q3624078"]
from_relationships = ["hasRelationsWith"]
[nodes.Partner.properties]
population = { type = "int", wikidata = "P1082" }

[nodes.Country]
wikidata = "Q6256"
from_relationships = ["lies"]

[[relationships]]
type = "borders"
start = "Place"
end = "Neighbour"
wikidata = "P47"

[[relationships]]
type = "hasRelationsWith"
start = "Place"
end = "Partner"
wikidata = "P530"

[[relationships]]
type = "lies"
start = "Place"
end = "Country"
wikidata = "P17"
[relationships.properties]
start_year = { type = "int", wikidata = "P580" }
end_year = { type = "int", wikidata = "P582" }

[types.lies]
cardinality = "many-to-one"
time_bounded = true
"""


def built(source: Source, output: Path, definition: str = PLACES) -> Built:
    """Build the graph of a definition's text."""
    read, problems = check_text(definition)
    assert read is not None, problems
    return build(read, source, output)


def built_from_endpoint(triples: Iterable[str], output: Path, definition: str = PLACES) -> Built:
    """Build the graph of a definition's text from a SPARQL endpoint with these triples."""
    with SparqlEndpoint(triples) as endpoint, closing(SparqlSource(Endpoint(endpoint.url))) as source:
        return built(source, output, definition)


def merged(triples: Iterable[str]) -> list[str]:
    """Return triples in which the twins of a city are those of an item that was merged into it."""
    moved = f"<{ENTITY}Q32063953>"  # the document of Karlsruhe names the item that was merged into it
    return [
        line.replace(f"<{ENTITY}Q1040>", moved) if "/statement/P190>" in line or "/direct/P190>" in line else line
        for line in triples
    ]


@cache
def place_triples() -> tuple[str, ...]:
    return tuple(all_triples(raw_documents()))
