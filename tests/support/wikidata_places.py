"""A definition of places that the raw documents can fill, and the triples of these documents."""

from functools import cache

from graphground.graphs.definitions.model import Definition
from graphground.graphs.definitions.read import check_text
from tests.support.wikibase_rdf import all_triples
from tests.support.wikidata_documents import raw_documents

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


def places() -> Definition:
    definition, problems = check_text(PLACES)
    assert definition is not None, problems
    return definition


@cache
def place_triples() -> tuple[str, ...]:
    return tuple(all_triples(raw_documents()))
