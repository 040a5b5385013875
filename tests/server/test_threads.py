"""Worker threads are shared between clients: quick tools never wait, no client takes all threads, and each client's
long texts are checked one after another.
"""

import threading
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import anyio
import pytest

from graphground.graphs.engines.client_context import CANCELLATION
from graphground.server import threads
from graphground.server.threads import CALLS_AT_ONCE, MAX_WAITING, Limit, WorkerThreads, caller_of, is_bulky
from graphground.tools.tool import ToolFailure

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(30)]


async def until(condition: Callable[[], bool]) -> None:
    while not condition():
        await anyio.sleep(0.005)


async def test_one_client_cannot_take_all_threads_and_quick_tools_have_their_own() -> None:
    workers, free, running = WorkerThreads(), threading.Event(), list[int]()

    def slow() -> None:
        running.append(1)
        free.wait(20)

    async with anyio.create_task_group() as group:
        for _ in range(CALLS_AT_ONCE + 10):
            group.start_soon(workers.run, "hog", "execute_cypher", {}, slow)
        await until(lambda: len(running) == CALLS_AT_ONCE * 3 // 4)
        assert await workers.run("innocent", "execute_cypher", {}, lambda: 7) == 7
        assert await workers.run("hog", "list_graphs", {}, lambda: 8) == 8
        assert len(running) == CALLS_AT_ONCE * 3 // 4
        free.set()


async def test_a_client_with_too_many_calls_is_refused_at_once() -> None:
    workers, free = WorkerThreads(), threading.Event()
    async with anyio.create_task_group() as group:
        for _ in range(CALLS_AT_ONCE * 3 // 4 + MAX_WAITING):
            group.start_soon(workers.run, "hog", "execute_cypher", {}, lambda: free.wait(20))
        await anyio.wait_all_tasks_blocked()
        with pytest.raises(ToolFailure, match=f"already has {MAX_WAITING} calls that wait"):
            await workers.run("hog", "execute_cypher", {}, lambda: None)
        assert await workers.run("innocent", "execute_cypher", {}, lambda: 7) == 7
        free.set()


async def test_the_waiting_client_with_the_fewest_calls_is_next() -> None:
    limit, order = Limit(2, 2), list[str]()

    async def enter(caller: str) -> None:
        await limit.enter(caller)
        order.append(caller)

    async with anyio.create_task_group() as group:
        for caller in ("hog", "hog", "hog", "hog", "innocent"):
            group.start_soon(enter, caller)
            await anyio.wait_all_tasks_blocked()
        assert order == ["hog", "hog"]
        limit.leave("hog")
        await anyio.wait_all_tasks_blocked()
        assert order == ["hog", "hog", "innocent"]
        limit.leave("innocent")
        limit.leave("hog")


async def test_a_call_that_is_cancelled_while_it_waits_gives_way_and_leaves_nothing_behind() -> None:
    limit = Limit(1, 1)
    await limit.enter("a")
    with anyio.move_on_after(0.01):
        await limit.enter("b")
    limit.leave("a")
    await limit.enter("c")
    limit.leave("c")
    assert not limit.running
    assert not limit.waiting


async def test_a_call_whose_query_the_database_did_not_terminate_counts_as_running(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(threads, "LINGERING_SECONDS", 0.2)

    def abandon() -> None:
        cancellation = CANCELLATION.get()
        assert cancellation is not None
        cancellation.lingers = True

    workers = WorkerThreads()
    await workers.run("client", "execute_cypher", {}, abandon)
    assert workers.load() == (1, 0)
    await until(lambda: workers.load() == (0, 0))


async def test_long_texts_of_one_client_are_checked_one_after_another() -> None:
    workers, at_once, most = WorkerThreads(), list[int](), list[int]()

    def judge() -> None:
        at_once.append(1)
        most.append(len(at_once))
        time.sleep(0.005)
        at_once.pop()

    async with anyio.create_task_group() as group:
        for _ in range(8):
            group.start_soon(workers.run, "hog", "validate_cypher", {"query": "x" * 6_000}, judge)
    assert max(most) == 1
    assert len(most) == 8


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"query": "RETURN 1"}, False),
        ({"query": "x" * 5_001}, True),
        ({"mentions": ["x"] * 101}, True),
        ({"parameters": {str(number): 1 for number in range(101)}}, True),
        ({"limit": 10**9}, False),
    ],
)
def test_a_long_text_has_thousands_of_characters_or_many_parts(arguments: Any, expected: bool) -> None:
    assert is_bulky(arguments) is expected


async def test_a_cancelled_call_cancels_its_queries() -> None:
    workers, started, cancelled = WorkerThreads(), threading.Event(), threading.Event()

    def query() -> None:
        cancellation = CANCELLATION.get()
        assert cancellation is not None
        cancellation.add(cancelled.set)
        started.set()
        cancelled.wait(20)

    async with anyio.create_task_group() as group:
        group.start_soon(workers.run, "client", "execute_cypher", {}, query)
        await until(started.is_set)
        group.cancel_scope.cancel()
    assert cancelled.wait(20)


def request(port: int, *, session: str = "", client: str = "", host: str = "127.0.0.1") -> SimpleNamespace:
    """Return a fake HTTP request with the attributes that the server reads: client address, headers and token."""
    user = SimpleNamespace(access_token=SimpleNamespace(client_id=client, subject=None)) if client else None
    return SimpleNamespace(
        headers={"mcp-session-id": session} if session else {},
        client=SimpleNamespace(host=host, port=port),
        scope={"user": user},
    )


def test_a_caller_is_a_tokens_client_or_an_address_or_the_only_client() -> None:
    assert caller_of(None) == ""
    assert caller_of(request(5, client="token-1")) == caller_of(request(6, client="token-1", host="10.0.0.1"))
    assert caller_of(request(5, client="token-1")) != caller_of(request(5, client="token-2"))
    assert caller_of(request(5)) == "address 127.0.0.1"
    assert caller_of(SimpleNamespace(headers={}, client=None, scope={})) == "address "


@pytest.mark.parametrize("client", ["token-1", ""])
def test_sessions_connections_and_forged_headers_give_no_additional_share(client: str) -> None:
    requests = [request(port, session=f"session-{port}", client=client) for port in range(100)]
    for port, forged in enumerate(requests):
        forged.headers["x-graphground-page"] = forged.headers["x-forwarded-for"] = str(port)
    assert len({caller_of(forged) for forged in requests}) == 1
