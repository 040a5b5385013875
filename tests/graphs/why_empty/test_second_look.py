"""Problems of queries that return rows, on real data: the bundled graph, a slice of films, and a slice of politics."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graphground.graphs.engines.embedded.launcher import end_engine
from graphground.graphs.engines.engine import Table
from graphground.graphs.graph import Graph
from graphground.graphs.loading.load import load_file
from graphground.graphs.loading.simplekg import write_simplekg
from graphground.graphs.opening.open_graphs import GraphSource, OpenGraphs
from graphground.graphs.opening.stored import stored_sources
from graphground.graphs.storage.home import Home
from graphground.graphs.why_empty import second_look as look
from graphground.tools.execute_cypher import ExecuteCypherAnswer, ExecuteCypherRequest, execute_cypher
from tests.support.documents import schema
from tests.support.films import FILMS as FILMS_ALONE
from tests.support.politics_slice import NEEDED, write_politics
from tests.support.recorder import Recorder
from tests.support.shared_data import SHARED, needs

pytestmark = pytest.mark.timeout(240)
FILMS = ("wikidata_slices_simplekg", "movie_wd50k_simplekg.json.gz")
films, politics = needs(*FILMS), needs(*NEEDED)


@pytest.fixture(scope="module")
def real_graphs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenGraphs]:
    pytest.importorskip("arcadedb_embedded", reason="needs the embedded engine, which this machine has not")
    folder: Path = tmp_path_factory.mktemp("real")
    home = Home(folder / "home")
    if SHARED.joinpath(*FILMS).exists():
        load_file(SHARED.joinpath(*FILMS), home, name="movie")
    if SHARED.joinpath(*NEEDED).exists():
        load_file(write_politics(folder / "politics.json"), home, name="politics")
    graphs = OpenGraphs(stored_sources(home))
    yield graphs
    graphs.close()
    end_engine(home)


@pytest.fixture(autouse=True)
def long_time_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Raise the time limits of the checks that run after a query has returned rows, since the machine may be busy."""
    monkeypatch.setattr(look, "SECONDS", 60.0)
    monkeypatch.setattr(look, "PATIENCE", 60.0)
    monkeypatch.setattr(look, "SMALL_MS", float("inf"))


def answer(graphs: OpenGraphs, graph: str, query: str) -> ExecuteCypherAnswer:
    return execute_cypher(graphs, ExecuteCypherRequest(query=query, graph=graph, timeout_s=120))


def message_of(graphs: OpenGraphs, graph: str, query: str, code: str) -> str | None:
    """Return the message of the only diagnostic with that code; None if there is no such diagnostic."""
    messages = [
        diagnostic.message for diagnostic in answer(graphs, graph, query).diagnostics if diagnostic.code == code
    ]
    assert len(messages) < 2
    return messages[0] if messages else None


class PausedEngine(Recorder):
    """An engine that answers the first query at once, and each later query only when the test allows it."""

    def __init__(self) -> None:
        super().__init__()
        self.proceed = threading.Event()

    def run(self, *arguments: Any, **named: Any) -> Table:
        table = super().run(*arguments, **named)
        if len(self.ran) > 1:
            assert self.proceed.wait(60)
        return table


def test_an_answer_does_not_wait_for_checks_that_take_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(look, "PATIENCE", 0.01)
    engine = PausedEngine()
    graphs = OpenGraphs([GraphSource("films", "", "held", lambda: Graph("films", FILMS_ALONE, engine=engine))])
    query = "MATCH (m:Movie) RETURN m.name ORDER BY m.runtime_minute DESC LIMIT 1"
    assert execute_cypher(graphs, ExecuteCypherRequest(query=query)).rows == [["Heat"]]
    assert len(engine.ran) == 2  # the check has begun, and the answer arrives before the check has ended
    engine.proceed.set()


NBA_PROBLEMS = [
    ("nulls_sorted_first", "MATCH (p:Player) RETURN p.name ORDER BY p.mass_kg DESC LIMIT 1", "p.mass_kg IS NOT NULL"),
    (
        "null_drops_rows",
        "MATCH (p:Player) WHERE NOT 'The King' IN p.nicknames RETURN count(p)",
        "111 of the matched p have no nicknames",
    ),
    ("counts_differ", "MATCH (t:Team)<-[:playsFor]-(p:Player) RETURN count(p)", "once and gives 403"),
    ("repeated_rows", "MATCH (p:Player)-[:receivesAward]->() RETURN p.name", "130 of 329"),
    ("more_rows", "MATCH (p:Player) RETURN p.name", "has 403 rows"),
    (
        "tie_at_the_top",
        "MATCH (p:Player) WITH DISTINCT p RETURN p.handedness AS h ORDER BY p.gender LIMIT 1",
        "rows share the value male",
    ),
]
MOVIE_PROBLEMS = [
    (
        "namesakes_merged",
        "MATCH (m:Movie)-[:hasGenre]->(g:Genre {name: 'drama film'}) RETURN count(DISTINCT m.name)",
        "8 names here stand for several",
    ),
    (
        "namesakes_merged",
        "MATCH (m:Movie)-[:hasGenre]->(g:Genre) RETURN m.name, count(DISTINCT g) AS n",
        "'Hamlet' names 3",
    ),
    (
        "null_drops_rows",
        "MATCH (m:Movie) UNWIND m.original_language AS l RETURN l, count(*) AS n",
        "862 of 1,684 m have no original_language",
    ),
    (
        "empty_relationship",
        "MATCH (m:Movie) OPTIONAL MATCH (m)-[:releasedIn]->(c) RETURN m.name, count(c) AS n LIMIT 3",
        "no releasedIn relationship",
    ),
    (
        "empty_relationship",
        "MATCH (m:Movie)-[:partOfSeries|hasGenre]->(x) RETURN count(x)",
        "This alternative adds nothing",
    ),
    ("empty_property", "MATCH (m:Movie) RETURN avg(m.runtime_minute)", "0 of 1,684"),
]
POLITICS_PROBLEMS = [
    ("empty_property", "MATCH (n:Country) RETURN n.name ORDER BY n.founding_date DESC LIMIT 1", "0 of 217"),
    (
        "empty_relationship",
        "MATCH (c:Country) OPTIONAL MATCH (c)-[:hasHeadOfState]->(p) RETURN c.name, count(p) AS n LIMIT 26",
        "0 of this type",
    ),
    (
        "direction_matters",
        "MATCH (:Country {name: 'France'})-[:hasDiplomaticRelationWith]->(c:Country) RETURN c.name",
        "Distinct rows: 50 in this direction, 72 in either direction",
    ),
    (
        "null_drops_rows",
        "MATCH (c:Country) WHERE NOT 'English' IN c.official_language RETURN count(c)",
        "175 of the matched c",
    ),
    ("null_comparison", "MATCH (c:Country) WHERE c.founding_date = NULL RETURN count(c)", "always null, never true"),
    ("empty_label", "MATCH (c:Country) WHERE c.name = 'Chad' OR EXISTS { (c)--(:Position) } RETURN c.name", "Position"),
]


@pytest.mark.parametrize(
    ("graph", "code", "query", "figures"),
    [
        *(("nba", *problem) for problem in NBA_PROBLEMS),
        *(pytest.param("movie", *problem, marks=films) for problem in MOVIE_PROBLEMS),
        *(pytest.param("politics", *problem, marks=politics) for problem in POLITICS_PROBLEMS),
    ],
)
def test_problems_hidden_by_rows_are_reported(
    real_graphs: OpenGraphs, graph: str, code: str, query: str, figures: str
) -> None:
    assert figures in (message_of(real_graphs, graph, query, code) or "")


@politics
def test_a_relationship_of_another_meaning_is_never_suggested(real_graphs: OpenGraphs) -> None:
    query = "MATCH (:Country {name: 'France'})-[:hasHeadOfState]->(p) RETURN p.name"
    assert all(not diagnostic.suggestions for diagnostic in answer(real_graphs, "politics", query).diagnostics)


STAFF = schema("staff", {"Worker": {"left": "str", "rank": "str"}})


@pytest.mark.parametrize(
    ("condition", "figures"),
    [
        ("WHERE w.left IS NOT NULL", "rows that pass because of that: 4. Write NOT w.left IN ['', 'N/A']."),
        ("WHERE w.left = 'N/A'", "further rows with another: 2. Write w.left IN ['', 'N/A']."),
        ("{rank: 'A', left: 'N/A'}", "further rows with another: 1. Write {rank: 'A'} WHERE w.left IN ['', 'N/A']."),
        ("WHERE NOT w.left IN ['', 'N/A']", None),
        ("{rank: 'A'}", None),
    ],
)
def test_texts_that_stand_for_a_missing_value_are_reported(
    films_home: Home, tmp_path: Path, condition: str, figures: str | None
) -> None:
    left = ("N/A", "N/A", "", "", "2020-01-01", "2021-01-01")
    workers = [
        {"eid": f"Q{n}", "label": "Worker", "name": f"W{n}", "properties": {"left": text, "rank": "AB"[n % 2]}}
        for n, text in enumerate(left)
    ]
    workers.append({"eid": "Q9", "label": "Worker", "name": "W9", "properties": {"rank": "B"}})
    if "staff" not in {source.name for source in stored_sources(films_home)}:
        write_simplekg(tmp_path / "staff.json", STAFF, workers, [])
        load_file(tmp_path / "staff.json", films_home, name="staff")
    graphs = OpenGraphs(stored_sources(films_home))
    between = "" if condition.startswith("{") else ") "
    query = f"MATCH (w:Worker{between}{condition}{'' if between else ')'} RETURN w.name"
    assert message_of(graphs, "staff", query, "null_drops_rows") is None  # the worker without any text is missing too
    message = message_of(graphs, "staff", query, "missing_as_text")
    graphs.close()
    assert message is None if figures is None else figures in (message or "")


SILENT = [
    ("nba", "MATCH (p:Player) WHERE p.mass_kg IS NOT NULL RETURN p.name ORDER BY p.mass_kg DESC LIMIT 1"),
    ("nba", "MATCH (t:Team)<-[:playsFor]-(p:Player) RETURN count(DISTINCT p)"),
    ("nba", "MATCH (p:Player)-[:playsFor]->(:Team {name: 'Boston Celtics'}) WITH DISTINCT p RETURN count(p)"),
    ("nba", "MATCH (p:Player {name: 'LeBron James'})-[r:receivesAward]->(a) RETURN a.name, r.year"),
    ("nba", "MATCH (t:Team)-[:partOfDivision]->(d:Division) RETURN d.name, count(t) AS n"),
    ("nba", "MATCH (p:Player) RETURN DISTINCT p.name LIMIT 5"),
    ("nba", "MATCH (p:Player) WHERE p.gender <> 'male' OR p.height_cm > 220 RETURN count(p)"),
]


@films
def test_namesakes_that_another_column_keeps_apart_are_not_reported(real_graphs: OpenGraphs) -> None:
    query = "MATCH (m:Movie)-[:hasGenre]->(g:Genre) RETURN elementId(m) AS id, m.name, count(DISTINCT g) AS n"
    assert message_of(real_graphs, "movie", query, "namesakes_merged") is None
    query = query.replace("elementId(m)", "m.name = 'Hamlet'")
    assert "'Hamlet' names 3" in (message_of(real_graphs, "movie", query, "namesakes_merged") or "")


@pytest.mark.parametrize(("graph", "query"), SILENT)
def test_nothing_is_reported_without_a_reason_in_the_data(real_graphs: OpenGraphs, graph: str, query: str) -> None:
    assert answer(real_graphs, graph, query).diagnostics == []
