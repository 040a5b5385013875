"""Continued answers: rows are kept for one client, for a limited time and size; the query is not run again."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any

import pytest

from graphground.cypher.tree import Query
from graphground.graphs.engines.engine import QueryTimeout
from graphground.graphs.engines.table import Table
from graphground.graphs.graph import Graph
from graphground.graphs.opening.open_graphs import GraphSource, OpenGraphs
from graphground.server.application import Application
from graphground.server.call import encode_answer
from graphground.tools import kept_rows
from graphground.tools.execute_cypher import ExecuteCypherAnswer, ExecuteCypherRequest, execute_cypher
from graphground.tools.failure import ToolFailure
from graphground.tools.kept_rows import KeptRows, RowStore, keeping_for
from tests.support.films import FILMS
from tests.support.recorder import Recorder

NAMES = "MATCH (m:Movie) RETURN m.name"


class Counting(Recorder):
    """An engine whose rows are the numbers from 0 up to a limit."""

    def __init__(self, rows: int, seconds: float = 0.0, waits: float = 0.0) -> None:
        super().__init__()
        self.rows, self.seconds, self.waits = rows, seconds, waits
        self.limits: list[int] = []
        self.timeouts: list[float] = []

    def run(
        self,
        query: str | Query,
        parameters: Mapping[str, Any] | None = None,
        *,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Table:
        assert limit is not None
        assert timeout is not None
        if limit > 1:  # the counts of the second look at an answer are not recorded
            self.limits.append(limit)
            self.timeouts.append(timeout)
        if self.seconds * limit > timeout:
            time.sleep(min(timeout, self.waits))
            raise QueryTimeout("too slow")
        rows = [[number] for number in range(min(limit, self.rows))]
        return Table(["number"], rows, self.rows > limit, 0.1)


def execute(engine: Recorder, owner: str | None = "me", **arguments: Any) -> ExecuteCypherAnswer:
    graphs = OpenGraphs([GraphSource("films", "", "recorder", lambda: Graph("films", FILMS, engine=engine))])
    with keeping_for(owner):
        return execute_cypher(graphs, ExecuteCypherRequest(**arguments))


def numbers(answer: ExecuteCypherAnswer) -> list[int]:
    return [row[0] for row in json.loads(encode_answer(answer))["rows"]]


def test_a_truncated_answer_has_its_total_and_is_continued_to_its_end_without_another_run() -> None:
    engine = Counting(25)
    answer = execute(engine, query=NAMES, limit=10)
    assert (answer.truncated, answer.total) == (True, 25)
    seen = numbers(answer)
    while answer.cursor is not None:
        answer = execute(engine, cursor=answer.cursor, limit=10)
        assert answer.columns == ["number"]
        assert answer.row_count == len(answer.rows)
        seen += numbers(answer)
    assert seen == list(range(25))
    assert not answer.truncated
    assert len(engine.limits) == 1


def test_a_cursor_gives_the_same_rows_again_in_the_requested_number() -> None:
    engine = Counting(30)
    cursor = execute(engine, query=NAMES, limit=10).cursor
    assert numbers(execute(engine, cursor=cursor, limit=3)) == [10, 11, 12]
    assert numbers(execute(engine, cursor=cursor)) == list(range(10, 30))
    assert numbers(execute(engine, cursor=cursor, query=f" {NAMES}\n", limit=1)) == [10]


def test_if_not_all_rows_were_read_the_last_page_states_that_there_are_more() -> None:
    engine = Counting(1_000_000)
    answer = execute(engine, query=NAMES, limit=10)
    assert (answer.total, answer.cursor is not None) == (None, True)
    last = execute(engine, cursor=answer.cursor)
    assert numbers(last) == list(range(10, 50))
    assert (last.truncated, last.cursor, last.total) == (True, None, None)
    sorted_ = execute(engine, query=f"{NAMES} ORDER BY m.name", limit=10)
    assert len(execute(engine, cursor=sorted_.cursor, limit=5_000).rows) == 40


def test_nothing_is_read_ahead_if_no_client_could_request_it_or_the_query_has_a_limit() -> None:
    engine = Counting(25)
    assert execute(engine, None, query=NAMES, limit=10).cursor is None
    assert execute(engine, query=f"{NAMES} LIMIT 10", limit=10).cursor is None
    assert execute(engine, query="MATCH (m:Movie) RETURN reduce(s = 0, x IN range(1, 9999) | s + x) AS n", limit=10)
    assert engine.limits == [10, 10, 10]


def test_a_query_too_slow_for_reading_ahead_is_still_answered() -> None:
    engine = Counting(25, seconds=0.1)
    answer = execute(engine, query=NAMES, limit=10, timeout_s=3.0)
    assert (numbers(answer), answer.truncated, answer.cursor, answer.total) == (list(range(10)), True, None, None)
    assert engine.limits == [50, 10]


def test_a_query_that_is_run_again_has_only_the_rest_of_its_time_limit() -> None:
    engine = Counting(25, seconds=0.01, waits=0.1)
    answer = execute(engine, query=NAMES, limit=10, timeout_s=0.4)
    assert answer.row_count == 10
    first, second = engine.timeouts
    assert first == pytest.approx(0.1)
    assert second <= 0.4 - 0.1
    late = Counting(25, seconds=1.0, waits=0.1)
    with pytest.raises(ToolFailure, match=r"0\.4 s"):
        execute(late, query=NAMES, limit=10, timeout_s=0.4)
    assert late.timeouts[1] <= 0.4 - 0.1


def test_rows_that_do_not_fit_into_an_answer_can_be_read_with_its_cursor() -> None:
    graphs = OpenGraphs([GraphSource("films", "", "recorder", lambda: Graph("films", FILMS, engine=Counting(500)))])
    application = Application(lambda: graphs, answer_bytes=1_000)
    answer = json.loads(application.call("execute_cypher", {"query": NAMES, "limit": 500}, "me").payload)
    seen = answer["rows"]
    assert (answer["truncated"], answer["total"]) == (True, 500)
    while "cursor" in answer:
        outcome = application.call("execute_cypher", {"cursor": answer["cursor"], "limit": 500}, "me")
        assert len(outcome.payload) <= 1_000
        answer = json.loads(outcome.payload)
        assert len(seen) + answer["row_count"] == 500 or answer["truncated"]
        seen += answer["rows"]
    assert [row[0] for row in seen] == list(range(500))


def failure(cursor: str, owner: str = "me", **arguments: Any) -> ToolFailure:
    with pytest.raises(ToolFailure) as caught:
        execute(Counting(1), owner, cursor=cursor, **arguments)
    assert caught.value.next
    return caught.value


def test_a_cursor_of_another_client_and_an_invented_cursor_are_unknown() -> None:
    cursor = execute(Counting(30), query=NAMES, limit=10).cursor
    assert cursor is not None
    name = cursor.partition(".")[0]
    assert len(name) >= 22, "128 bits"
    assert failure(cursor, "another").error == "unknown_cursor"
    for wrong in (name, f"{name}.9", f"{name}.30", f"{name}.-1", f"{name}.١٢", f"{name}.{'9' * 50}", "", "x.10"):
        assert failure(wrong).error == "unknown_cursor", wrong
    assert numbers(execute(Counting(1), cursor=cursor, limit=1)) == [10]


def test_a_cursor_with_another_query_is_refused_and_its_own_query_is_suggested() -> None:
    cursor = execute(Counting(30), query=NAMES, limit=10).cursor
    assert cursor is not None
    refused = failure(cursor, query="MATCH (p:Person) RETURN p.name")
    assert (refused.error, refused.nearest) == ("wrong_argument", [NAMES])


def test_a_call_with_neither_query_nor_cursor_causes_an_error() -> None:
    with pytest.raises(ToolFailure, match="query") as caught:
        execute(Counting(1), graph="films")
    assert (caught.value.error, caught.value.nearest) == ("missing_argument", ["query"])


def kept(owner: str, bytes_: int) -> KeptRows:
    return KeptRows(["a"], 0, [b"[1]"], 1, owner, NAMES, bytes_)


def found(store: RowStore, name: str, owner: str = "me") -> str:
    with keeping_for(owner):
        try:
            return store.find(f"{name}.0")[0]
        except ToolFailure as failure:
            return failure.error


def test_rows_expire_some_time_after_their_last_use() -> None:
    now = 0.0
    store = RowStore(lambda: now)
    store.keep("a", kept("me", 10))
    now = kept_rows.LIFE_SECONDS - 1
    assert found(store, "a") == "a"
    now += kept_rows.LIFE_SECONDS - 1
    assert found(store, "a") == "a"
    now += kept_rows.LIFE_SECONDS + 1
    assert found(store, "a") == "expired_cursor"
    assert found(store, "a", "another") == "unknown_cursor"
    assert store.size == 0


def test_a_client_that_keeps_too_much_loses_only_its_own_oldest_rows() -> None:
    store = RowStore()
    store.keep("other", kept("other", kept_rows.OWNER_BYTES))
    half = kept_rows.OWNER_BYTES // 2
    for name in ("a", "b"):
        store.keep(name, kept("me", half))
    assert found(store, "a") == "a"
    store.keep("c", kept("me", half))
    assert [found(store, name) for name in ("a", "b", "c")] == ["a", "expired_cursor", "c"]
    assert found(store, "other", "other") == "other"


def test_all_clients_together_keep_no_more_than_the_limit() -> None:
    store = RowStore()
    for number in range(20):
        store.keep(str(number), kept(f"client {number}", kept_rows.OWNER_BYTES))
        assert store.size <= kept_rows.ALL_BYTES
    assert found(store, "0", "client 0") == "expired_cursor"
    assert found(store, "19", "client 19") == "19"


def test_only_as_many_rows_of_an_answer_are_kept_as_fit() -> None:
    with keeping_for("me"):
        rows = KeptRows.of(["a"], 0, [["x" * 1_000]] * 10_000, 10_000, NAMES)
    assert 1_000 < len(rows.rows) < 10_000
    assert rows.size <= kept_rows.ANSWER_BYTES
