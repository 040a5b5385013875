"""Worker threads are shared between clients: quick tools never wait, no client takes all threads, and each client's
long texts are checked one after another.
"""

import threading
import time
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any

import anyio
import pytest

from graphground.graphs.engines.callers import CALLER
from graphground.graphs.engines.cancellation import CURRENT
from graphground.server import threads as module
from graphground.server.threads import AT_ONCE, WAITING, FairThreads, WorkerThreads, bulky, caller_of
from graphground.tools.failure import ToolFailure


def bounded(work: Callable[[], Awaitable[None]]) -> None:
    async def run() -> None:
        with anyio.fail_after(30):
            await work()

    anyio.run(run)


async def until(condition: Callable[[], bool]) -> None:
    while not condition():
        await anyio.sleep(0.005)


def test_a_call_runs_in_a_thread_on_behalf_of_its_caller() -> None:
    async def work() -> None:
        name, thread = await WorkerThreads().run(
            "session 1", "execute_cypher", {}, lambda: (CALLER.get(), threading.current_thread())
        )
        assert name == "session 1"
        assert thread is not threading.main_thread()

    bounded(work)


def test_one_client_is_limited_to_a_few_threads_and_others_are_still_served() -> None:
    async def work() -> None:
        workers, free, running = WorkerThreads(), threading.Event(), list[int]()

        def slow() -> None:
            running.append(1)
            free.wait(20)

        async with anyio.create_task_group() as group:
            for _ in range(AT_ONCE + 10):
                group.start_soon(workers.run, "hog", "execute_cypher", {}, slow)
            await until(lambda: len(running) == AT_ONCE)
            assert await workers.run("innocent", "execute_cypher", {}, lambda: 7) == 7
            assert await workers.run("hog", "list_graphs", {}, lambda: 8) == 8  # quick tools have their own threads
            assert len(running) == AT_ONCE
            free.set()

    bounded(work)


def test_a_client_with_too_many_calls_is_refused_at_once() -> None:
    async def work() -> None:
        workers, free = WorkerThreads(), threading.Event()
        async with anyio.create_task_group() as group:
            for _ in range(WAITING):
                group.start_soon(workers.run, "hog", "execute_cypher", {}, lambda: free.wait(20))
            await until(lambda: "hog" in workers._clients and workers._clients["hog"].calls == WAITING)
            with pytest.raises(ToolFailure, match=f"already has {WAITING} calls in progress"):
                await workers.run("hog", "execute_cypher", {}, lambda: None)
            free.set()
        assert workers._clients == {}  # no data is kept about clients that have disconnected

    bounded(work)


def test_long_texts_of_one_client_are_checked_one_after_another() -> None:
    async def work() -> None:
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

    bounded(work)


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
    assert bulky(arguments) is expected


def test_a_cancelled_call_cancels_its_queries() -> None:
    async def work() -> None:
        workers, started, cancelled = WorkerThreads(), threading.Event(), threading.Event()

        def query() -> None:
            cancellation = CURRENT.get()
            assert cancellation is not None
            cancellation.add(cancelled.set)
            started.set()
            cancelled.wait(20)

        async with anyio.create_task_group() as group:
            group.start_soon(workers.run, "client", "execute_cypher", {}, query)
            await until(started.is_set)
            group.cancel_scope.cancel()
        assert cancelled.wait(20)

    bounded(work)


def test_many_clients_with_slow_calls_leave_threads_for_a_client_without_calls() -> None:
    async def work() -> None:
        threads, order = FairThreads(threads=4, reserved=2), list[str]()
        leave = anyio.Event()

        async def hold(caller: str) -> None:
            async with threads.taken(caller):
                order.append(caller)
                await leave.wait()

        async with anyio.create_task_group() as group:
            for caller in ("a", "a", "a", "b", "innocent"):
                group.start_soon(hold, caller)
                await anyio.wait_all_tasks_blocked()
            assert order == ["a", "a", "b", "innocent"]
            leave.set()
        assert sorted(order) == ["a", "a", "a", "b", "innocent"]

    bounded(work)


def test_a_long_running_call_no_longer_counts_against_the_limit_of_its_client(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "OLD", 0.05)

    async def work() -> None:
        threads = FairThreads(threads=1, reserved=0)
        async with threads.taken("slow"), threads.taken("slow"), threads.taken("quick"):
            pass

    bounded(work)


def test_the_number_of_threads_is_limited_and_a_waiting_call_can_be_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "OLD", 0.0)
    monkeypatch.setattr(module, "MOST_THREADS", 2)

    async def work() -> None:
        threads = FairThreads()
        async with threads.taken("a"), threads.taken("b"):
            with anyio.move_on_after(0.05) as scope:
                async with threads.taken("c"):
                    raise AssertionError("a third thread")
            assert scope.cancelled_caught
        async with threads.taken("c"):
            assert len(threads._held) == 1
        assert not threads._held
        assert not threads._waiting

    bounded(work)


def request(port: int, *, session: str = "", client: str = "", host: str = "127.0.0.1") -> SimpleNamespace:
    """Return a fake HTTP request with the attributes that the server reads: client address, headers and token."""
    user = SimpleNamespace(access_token=SimpleNamespace(client_id=client, subject=None)) if client else None
    return SimpleNamespace(
        headers={"mcp-session-id": session} if session else {},
        client=SimpleNamespace(host=host, port=port),
        scope={"user": user},
    )


def test_a_caller_is_a_session_or_a_tokens_client_or_an_address_or_the_only_client() -> None:
    assert caller_of(None) == ""
    assert caller_of(request(5, session="4711", client="token-1")) == "session 4711"
    assert caller_of(request(5, client="token-1")) == caller_of(request(6, client="token-1", host="10.0.0.1"))
    assert caller_of(request(5, client="token-1")) != caller_of(request(5, client="token-2"))
    assert caller_of(request(5)) == "address 127.0.0.1"
    assert caller_of(SimpleNamespace(headers={}, client=None, scope={})) == "address "


def test_new_connections_without_sessions_get_no_additional_share() -> None:
    async def work() -> None:
        threads = WorkerThreads()
        running, release = 0, threading.Event()

        def slow() -> None:
            nonlocal running
            running += 1
            release.wait(20)

        async with anyio.create_task_group() as group:
            for port in range(3 * AT_ONCE):
                group.start_soon(threads.run, caller_of(request(port)), "execute_cypher", {}, slow)
            with anyio.fail_after(20):
                while running < AT_ONCE:
                    await anyio.sleep(0.01)
            innocent = caller_of(request(1, host="10.0.0.2"))
            assert await threads.run(innocent, "execute_cypher", {}, lambda: "served") == "served"
            assert running == AT_ONCE
            release.set()

    bounded(work)
