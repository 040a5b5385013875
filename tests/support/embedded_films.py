"""An invented film graph with a few real names, on the embedded engine; it is loaded once per test run.

def test_x(film_graph: Graph) -> None: ...
"""

from collections.abc import Iterator

import pytest

from benchmarks.stand_ins import stand_in
from graphground.graphs.engines.embedded.launcher import end_engine, require_arcadedb
from graphground.graphs.engines.engine import EngineError
from graphground.graphs.graph import Graph
from graphground.graphs.loading.load import load_file
from graphground.graphs.loading.simplekg import write_simplekg
from graphground.graphs.opening.stored import open_stored
from graphground.graphs.storage.home import Home
from tests.support.documents import INTERVAL, schema

SCHEMA = schema(
    "films",
    {
        "Film": {"runtime_minute": "float", "languages": "list[str]"},
        "Person": {"date_of_birth": "date", "gender": "str"},
        "Genre": {},
    },
    ["Film directedBy Person", "Film writtenBy Person", "Person hasSpouse Person", "Film hasGenre Genre"],
    {"writtenBy": {"year": "int"}, "hasSpouse": INTERVAL},
)

ANSWERED = (
    "MATCH (f:Film {name: 'Heat'})-[:directedBy]->(p:Person {name: 'Michael Mann'}) RETURN f.name",
    "MATCH (f:Film)-[:hasGenre]->(g:Genre {name: 'heist film'}), (f)-[:writtenBy]->(p:Person {name: 'David Mamet'}) "
    "RETURN f.name",
    "MATCH (p:Person {name: 'Gale Anne Hurd'})-[:hasSpouse]->(q:Person {name: 'James Cameron'}) RETURN q.name",
)


@pytest.fixture(scope="session")
def films_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """Yield a data folder with a graph on which the queries of `ANSWERED` return rows.

    Its engine is stopped at the end of the run.
    """
    try:
        require_arcadedb()
    except EngineError as error:
        pytest.skip(str(error))
    folder = tmp_path_factory.mktemp("films")
    graph = stand_in(SCHEMA, ANSWERED, 400, 1_500, seed=11)
    write_simplekg(folder / "films.json", graph.schema, graph.entities(), graph.relations())
    home = Home(folder / "home")
    load_file(folder / "films.json", home, name="films")
    yield home
    end_engine(home, kill=True)


@pytest.fixture(scope="session")
def film_graph(films_home: Home) -> Iterator[Graph]:
    """Yield the film graph, opened."""
    graph = open_stored("films", films_home)
    yield graph
    assert graph.engine is not None
    graph.engine.close()
