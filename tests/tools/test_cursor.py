"""Continued answers: rows are kept for one client, for a limited time and size; the query is not run again."""

from __future__ import annotations

import json
from typing import Any

import pytest

from graphground.graphs.engines.engine import Table
from graphground.graphs.graph import Graph
from graphground.graphs.opening.open_graphs import GraphSource, OpenGraphs
from graphground.server.application import encode_answer
from graphground.tools import tool as cursors
from graphground.tools.execute_cypher import ExecuteCypherAnswer, ExecuteCypherRequest, execute_cypher
from graphground.tools.tool import Rest, RowStore, ToolFailure, keeping_for
from tests.support.films import FILMS
from tests.support.recorder import Recorder

NAMES = "MATCH (m:Movie) RETURN m.name"


class Counting(Recorder):
    """An engine whose rows are the numbers from 0 up to a limit."""

    def __init__(self, rows: int) -> None:
        super().__init__()
        self.rows = rows
        self.limits: list[int] = []

    def run(self, *_: Any, limit: int | None = None, **__: Any) -> Table:
        assert limit is not None
        if limit > 1:  # the counts of hidden problems are not recorded
            self.limits.append(limit)
        rows = [[number] for number in range(min(limit, self.rows))]
        return Table(["number"], rows, self.rows > limit, 0.1)


def execute(engine: Recorder, owner: str | None = "me", size: float = 1, **arguments: Any) -> ExecuteCypherAnswer:
    """Return the answer, of whose rows only the share `size` fits."""
    graphs = OpenGraphs([GraphSource("films", "", "recorder", lambda: Graph("films", FILMS, engine=engine))])
    with keeping_for(owner):
        answer = execute_cypher(graphs, ExecuteCypherRequest(**arguments))
        return answer if size == 1 else answer.shortened(size) or answer


def numbers(answer: ExecuteCypherAnswer) -> list[int]:
    return [row[0] for row in json.loads(encode_answer(answer))["rows"]]


def test_an_answer_that_is_too_large_is_continued_to_its_end_without_another_run() -> None:
    engine = Counting(25)
    answer = execute(engine, query=NAMES, size=0.4)
    assert (answer.truncated, answer.total, answer.row_count) == (True, 25, 10)
    seen = numbers(answer)
    while answer.cursor is not None:
        answer = execute(engine, cursor=answer.cursor, limit=10)
        assert answer.columns == ["number"]
        assert answer.row_count == len(answer.rows)
        seen += numbers(answer)
    assert seen == list(range(25))
    assert not answer.truncated
    assert engine.limits == [100]


def test_a_cursor_gives_the_same_rows_again_in_the_requested_number() -> None:
    engine = Counting(30)
    cursor = execute(engine, query=NAMES, size=0.34).cursor
    assert numbers(execute(engine, cursor=cursor, limit=3)) == [10, 11, 12]
    assert numbers(execute(engine, cursor=cursor)) == list(range(10, 30))
    assert numbers(execute(engine, cursor=cursor, query=f" {NAMES}\n", limit=1)) == [10]


def test_no_row_beyond_the_limit_is_read_and_the_last_page_states_that_there_are_more() -> None:
    engine = Counting(1_000_000)
    answer = execute(engine, query=NAMES, limit=50, size=0.2)
    assert (answer.total, answer.cursor is not None) == (None, True)
    last = execute(engine, cursor=answer.cursor)
    assert numbers(last) == list(range(10, 50))
    assert (last.truncated, last.cursor, last.total) == (True, None, None)
    whole = execute(engine, query=NAMES, limit=50)
    assert (whole.truncated, whole.cursor) == (True, None)
    assert engine.limits == [50, 50]


def test_no_rows_are_kept_for_a_client_that_could_not_request_them() -> None:
    assert execute(Counting(25), None, query=NAMES, size=0.4).cursor is None


def failure(cursor: str, owner: str = "me", **arguments: Any) -> ToolFailure:
    with pytest.raises(ToolFailure) as caught:
        execute(Counting(1), owner, cursor=cursor, **arguments)
    assert caught.value.next
    return caught.value


def test_a_cursor_of_another_client_and_an_invented_cursor_are_unknown() -> None:
    cursor = execute(Counting(30), query=NAMES, size=0.34).cursor
    assert cursor is not None
    name = cursor.partition(".")[0]
    assert len(name) >= 22, "128 bits"
    assert failure(cursor, "another").error == "unknown_cursor"
    for wrong in (name, f"{name}.9", f"{name}.30", f"{name}.-1", f"{name}.١٢", f"{name}.{'9' * 50}", "", "x.10"):
        assert failure(wrong).error == "unknown_cursor", wrong
    assert numbers(execute(Counting(1), cursor=cursor, limit=1)) == [10]


def test_a_cursor_with_another_query_is_refused_and_its_own_query_is_suggested() -> None:
    cursor = execute(Counting(30), query=NAMES, size=0.34).cursor
    assert cursor is not None
    refused = failure(cursor, query="MATCH (p:Person) RETURN p.name")
    assert (refused.error, refused.nearest) == ("wrong_argument", [NAMES])


def kept(name: str, owner: str, size: int) -> Rest:
    return Rest(["a"], [[1]], NAMES, 1, name=name, owner=owner, size=size)


def found(store: RowStore, name: str, owner: str = "me") -> str:
    with keeping_for(owner):
        try:
            return store.find(f"{name}.0").name
        except ToolFailure as failure:
            return failure.error


def test_rows_expire_some_time_after_their_last_use() -> None:
    now = 0.0
    store = RowStore(lambda: now)
    store.keep(kept("a", "me", 10))
    now = cursors.LIFE_SECONDS - 1
    assert found(store, "a") == "a"
    now += cursors.LIFE_SECONDS - 1
    assert found(store, "a") == "a"
    now += cursors.LIFE_SECONDS + 1
    assert found(store, "a") == "unknown_cursor"
    assert store.size == 0


def test_a_client_that_keeps_too_much_loses_only_its_own_oldest_rows() -> None:
    store = RowStore()
    store.keep(kept("other", "other", cursors.MAX_OWNER_BYTES))
    half = cursors.MAX_OWNER_BYTES // 2
    for name in ("a", "b"):
        store.keep(kept(name, "me", half))
    assert found(store, "a") == "a"
    store.keep(kept("c", "me", half))
    assert [found(store, name) for name in ("a", "b", "c")] == ["a", "unknown_cursor", "c"]
    assert found(store, "other", "other") == "other"


def test_all_clients_together_keep_no_more_than_the_limit() -> None:
    store = RowStore()
    for number in range(20):
        store.keep(kept(str(number), f"client {number}", cursors.MAX_OWNER_BYTES))
        assert store.size <= cursors.MAX_BYTES
    assert found(store, "0", "client 0") == "unknown_cursor"
    assert found(store, "19", "client 19") == "19"


def test_only_as_many_rows_of_an_answer_are_kept_as_fit() -> None:
    with keeping_for("me"):
        rows = Rest(["a"], [["x" * 1_000]] * 10_000, NAMES, 10_000).encode(0)
    assert 1_000 < len(rows.rows) < 10_000
    assert rows.size <= cursors.MAX_ANSWER_BYTES
