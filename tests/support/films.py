"""Films for tests that need no data: a graph that consists only of a schema, and the mapping of an import."""

from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.graph import Graph
from graphground.graphs.opening.open_graphs import GraphSource, OpenGraphs

FILMS = PropertyGraphSchema.from_cypherbench(
    {
        "name": "films",
        "entities": [
            {"label": "Movie", "description": "A film", "properties": {"runtime_minute": "float"}},
            {"label": "Person", "description": None, "properties": {"date_of_birth": "date"}},
        ],
        "relations": [{"label": "directedBy", "subj_label": "Movie", "obj_label": "Person", "properties": {}}],
    }
)

FILMS_MAPPING = """\
name = "films"
[nodes.Movie]
file = "movies.csv"
id = "movieId"
title = "title"
[nodes.Movie.properties]
released = { column = "released", type = "date" }
runtime = { column = "runtime", type = "float" }
[nodes.Person]
file = "people.csv"
id = "id"
title = "name"
[nodes.Person.properties]
born = { column = "born", type = "int" }
alive = { column = "alive", type = "bool" }
[[relationships]]
type = "ACTED_IN"
file = "acted_in.tsv"
start = "Person"
start_column = "person"
end = "Movie"
end_column = "movie"
"""
"""The mapping of an import of three tables: films, people and roles, two .csv files and one .tsv file."""


def films_alone() -> OpenGraphs:
    """Return open graphs that contain only `films`, a graph without data."""
    return OpenGraphs([GraphSource("films", "Films and who made them", "none", lambda: Graph("films", FILMS))])
