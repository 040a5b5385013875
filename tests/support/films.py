"""A small graph that is a schema alone, for tests that need no data."""

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


def films_alone() -> OpenGraphs:
    """One open graph `films`, without data."""
    return OpenGraphs([GraphSource("films", "Films and who made them", "none", lambda: Graph("films", FILMS))])
