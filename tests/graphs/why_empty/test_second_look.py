"""Problems of queries that return rows, on the bundled graph and on an archive of workers and films."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graphground.graphs.engines.engine import Table
from graphground.graphs.graph import Graph
from graphground.graphs.loading.load import load_file
from graphground.graphs.loading.simplekg import write_simplekg
from graphground.graphs.opening.open_graphs import GraphSource, OpenGraphs
from graphground.graphs.opening.stored import stored_sources
from graphground.graphs.storage.home import Home
from graphground.graphs.why_empty import second_look as look
from graphground.tools.execute_cypher import ExecuteCypherAnswer, ExecuteCypherRequest, execute_cypher
from tests.support.documents import make_entity, make_relation, schema
from tests.support.films import FILMS as FILMS_ALONE
from tests.support.recorder import Recorder

pytestmark = pytest.mark.timeout(240)
ARCHIVE = schema(
    "archive",
    {
        "Worker": {"left": "str", "rank": "str"},
        "Movie": {"runtime_minute": "float", "original_language": "list[str]"},
        "Genre": {},
        "Country": {},
        "Series": {},
    },
    ["Movie hasGenre Genre", "Movie releasedIn Country", "Movie partOfSeries Series"],
)
LEFT = ("N/A", "N/A", "", "", "2020-01-01", "2021-01-01")


@pytest.fixture(scope="module")
def graphs(films_home: Home, data_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenGraphs]:
    """Yield the bundled graph, and an archive with namesakes, missing values and texts that stand for them."""
    entities = [make_entity(f"Q{n}", "Worker", f"W{n}", left=text, rank="AB"[n % 2]) for n, text in enumerate(LEFT)]
    entities += [make_entity("Q9", "Worker", "W9", rank="B"), make_entity("C", "Country", "Chad")]
    entities += [make_entity(f"G{n}", "Genre", name) for n, name in enumerate(("drama film", "comedy film"))]
    movies = ("Hamlet", "Hamlet", "Hamlet", "Heat")
    entities += [make_entity(f"M{n}", "Movie", name) for n, name in enumerate(movies)]
    entities.append(make_entity("M4", "Movie", "Ran", original_language=["Japanese"]))
    links = [make_relation(n, "hasGenre", f"M{n}", "G0") for n in range(4)]
    links.append(make_relation(4, "hasGenre", "M0", "G1"))
    file = tmp_path_factory.mktemp("archive") / "archive.json"
    write_simplekg(file, ARCHIVE, entities, links)
    load_file(file, films_home, name="archive")
    homes = {"archive": films_home, "nba": Home(data_folder)}
    opened = OpenGraphs([its for name, home in homes.items() for its in stored_sources(home) if its.name == name])
    yield opened
    opened.close()


@pytest.fixture(autouse=True)
def long_time_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Raise the time limits of the checks that run after a query has returned rows, since the machine may be busy."""
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
ARCHIVE_PROBLEMS = [
    (
        "namesakes_merged",
        "MATCH (m:Movie)-[:hasGenre]->(g:Genre {name: 'drama film'}) RETURN count(DISTINCT m.name)",
        "name here stands for several",
    ),
    (
        "namesakes_merged",
        "MATCH (m:Movie)-[:hasGenre]->(g:Genre) RETURN m.name, count(DISTINCT g) AS n",
        "'Hamlet' names 3",
    ),
    (
        "null_drops_rows",
        "MATCH (m:Movie) UNWIND m.original_language AS l RETURN l, count(*) AS n",
        "4 of 5 m have no original_language",
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
    ("empty_label", "MATCH (m:Movie) WHERE m.name = 'Ran' OR EXISTS { (m)--(:Series) } RETURN m.name", "Series"),
    ("empty_property", "MATCH (m:Movie) RETURN avg(m.runtime_minute)", "0 of 5"),
    ("null_comparison", "MATCH (m:Movie) WHERE m.runtime_minute = NULL RETURN count(m)", "always null, never true"),
]


@pytest.mark.parametrize(
    ("graph", "code", "query", "figures"),
    [*(("nba", *problem) for problem in NBA_PROBLEMS), *(("archive", *problem) for problem in ARCHIVE_PROBLEMS)],
)
def test_problems_hidden_by_rows_are_reported(
    graphs: OpenGraphs, graph: str, code: str, query: str, figures: str
) -> None:
    assert figures in (message_of(graphs, graph, query, code) or "")


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
    graphs: OpenGraphs, condition: str, figures: str | None
) -> None:
    between = "" if condition.startswith("{") else ") "
    query = f"MATCH (w:Worker{between}{condition}{'' if between else ')'} RETURN w.name"
    assert message_of(graphs, "archive", query, "null_drops_rows") is None  # a worker has no text at all
    message = message_of(graphs, "archive", query, "missing_as_text")
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


def test_namesakes_that_another_column_keeps_apart_are_not_reported(graphs: OpenGraphs) -> None:
    query = "MATCH (m:Movie)-[:hasGenre]->(g:Genre) RETURN elementId(m) AS id, m.name, count(DISTINCT g) AS n"
    assert message_of(graphs, "archive", query, "namesakes_merged") is None
    query = query.replace("elementId(m)", "m.name = 'Hamlet'")
    assert "'Hamlet' names 3" in (message_of(graphs, "archive", query, "namesakes_merged") or "")


@pytest.mark.parametrize(("graph", "query"), SILENT)
def test_nothing_is_reported_without_a_reason_in_the_data(graphs: OpenGraphs, graph: str, query: str) -> None:
    assert answer(graphs, graph, query).diagnostics == []
