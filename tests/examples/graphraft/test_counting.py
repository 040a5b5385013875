"""Counts computed in the database, compared with the rows of each query run alone."""

from collections.abc import Sequence

import pytest

from examples.graphraft.pairs import (
    AnsweredQuestion,
    Candidate,
    Entity,
    SplitQuery,
    best_first,
    compared,
    counting,
    enumerated,
    enumerating,
    split_query,
)
from graphground.graphs.graph import Graph

FILMS = "MATCH (n:Film)-[r0:directedBy]->(m0:Person {name: 'Michael Mann'}) WITH DISTINCT n"
ENTITIES = (
    Entity("Michael Mann", "Person", "Michael Mann"),
    Entity("Heat", "Film", "Heat"),
    Entity("heist film", "Genre", "heist film"),
)
KEYS = {"Film": "name", "Person": "name", "Genre": "name"}


def rows(graph: Graph, query: str) -> list[list[object]]:
    return [list(row) for row in graph.run(query, limit=10_000).rows]


def test_the_database_counts_rows_hits_and_covered_answers(film_graph: Graph) -> None:
    names = [row[0] for row in rows(film_graph, f"{FILMS} RETURN n.name")]
    queries = [
        f"{FILMS} RETURN n.name",
        f"{FILMS} RETURN n.name AS film ORDER BY n.runtime_minute DESC LIMIT 1",
        "MATCH (n:Film) WITH DISTINCT n RETURN n.name",
        f"{FILMS} RETURN count(DISTINCT n)",
        f"{FILMS} WHERE n.runtime_minute < 0 RETURN n.name",
    ]
    question = AnsweredQuestion("?", tuple((name,) for name in names))
    parts = [counting(query, number, 1, {"date_of_birth"}) for number, query in enumerate(queries)]
    assert all(parts)
    text = " UNION ALL ".join(part for part in parts if part)
    found = {row[0][0]: row[1:] for row in film_graph.run(text, {"answers": compared(question)}).rows}
    for number, query in enumerate(queries):
        alone = [row[0] for row in rows(film_graph, query)]
        hits = [name for name in alone if name in names]
        # A part without rows may have no row of counts: the embedded engine omits it.
        assert found.get(number, [0, 0, 0]) == [len(alone), len(hits), len(set(hits))], query
    candidates = [
        Candidate(query, *found.get(number, [0, 0, 0]), len(set(names))) for number, query in enumerate(queries)
    ]
    ranked = best_first(candidates, len(names))
    assert ranked[0].query == queries[0]
    assert (ranked[0].precision, ranked[0].recall, ranked[0].f1) == (1.0, 1.0, 1.0)
    assert queries[3] not in [candidate.query for candidate in ranked]


def test_dates_and_nulls_are_compared_as_written_in_a_file(film_graph: Graph) -> None:
    query = "MATCH (n:Person) WITH DISTINCT n RETURN n.name, n.date_of_birth, n.gender"
    table = rows(film_graph, query)
    answers = tuple((name, None if date is None else str(date), gender) for name, date, gender in table)
    assert any(date is None for _, date, _ in answers) or any(gender is None for *_, gender in answers)
    part = counting(query, 0, 3, {"date_of_birth"})
    assert part is not None
    [[_, total, hits, covered]] = film_graph.run(part, {"answers": compared(AnsweredQuestion("?", answers))}).rows
    assert (total, hits, covered) == (len(table), len(table), len(set(answers)))


def test_the_counts_of_every_enumerated_pattern_equal_the_rows_of_its_query(film_graph: Graph) -> None:
    answers = [row[0] for row in rows(film_graph, f"{FILMS} RETURN n.name")]
    parts, parameters = enumerating(ENTITIES, ["name"])
    table = film_graph.run(" UNION ALL ".join(parts), {**parameters, "names": answers}, limit=10_000).rows
    found = list(enumerated(table, ENTITIES, KEYS, len(set(answers))))
    kinds = {row[0][0] for row in table}
    assert kinds >= {"hop", "chain"}
    assert f"{FILMS} RETURN n.name" in [candidate.query for candidate in found]
    checked = found if len(found) < 40 else found[:: len(found) // 40]
    for candidate in checked:
        alone = [row[0] for row in rows(film_graph, candidate.query)]
        hits: Sequence[object] = [name for name in alone if name in answers]
        counted = (candidate.rows, candidate.hits, candidate.covered)
        assert counted == (len(alone), len(hits), len(set(hits))), candidate.query


CALLED = "CALL { MATCH (n:A) RETURN n, 1 AS m UNION MATCH (n:B) RETURN n, 2 AS m } WITH DISTINCT n"


@pytest.mark.parametrize(
    ("query", "parts"),
    [
        ("MATCH (n:Film) RETURN n.name", SplitQuery("MATCH (n:Film)", False, ("n.name",), "")),
        (
            "MATCH (n) WITH DISTINCT n RETURN DISTINCT n.name AS film, n.`my year` ORDER BY n.year DESC LIMIT 1;",
            SplitQuery("MATCH (n) WITH DISTINCT n", True, ("n.name", "n.`my year`"), " ORDER BY n.year DESC LIMIT 1"),
        ),
        (f"{CALLED} RETURN count(n)", SplitQuery(CALLED, False, ("count(n)",), "")),
        ("MATCH (n {`RETURN `: 'it\\'s'}) RETURN n.x", SplitQuery("MATCH (n {`RETURN `: 'it\\'s'})", False, ("n.x",), "")),
    ],
)  # fmt: skip
def test_a_query_is_split_at_its_last_return(query: str, parts: SplitQuery) -> None:
    assert split_query(query) == parts


@pytest.mark.parametrize(
    "query", ["MATCH (n) RETURN *", "CALL { RETURN 1 AS x }", "MATCH (n) RETURN ", "RETURN 1 AS x UNION RETURN 2 AS x"]
)
def test_a_query_without_one_list_of_returned_items_is_not_split(query: str) -> None:
    assert split_query(query) is None
