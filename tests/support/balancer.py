"""Several graphground servers behind haproxy, with the configuration of `examples/deployment/haproxy.cfg`."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import httpx2
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from tests.support.ports import free_port
from tests.support.serving import COMMAND, environment

CONFIGURATION = Path(__file__).resolve().parents[2] / "examples/deployment/haproxy.cfg"
NAMES = ("ONE", "TWO", "THREE")
WITHIN = 60
PAUSE = 0.1
"""Seconds between two calls of a client, which leave processor time for the servers that start."""


@dataclass
class Replica:
    """A server process that can be killed and started again on the same port."""

    port: int
    home: Path
    more: Mapping[str, str]
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the process, and return when it answers."""
        command = [*COMMAND, "serve", "--transport", "http", "--port", str(self.port)]
        self.process = subprocess.Popen(
            command,
            env=environment(self.home, self.more),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + WITHIN
        while not self.answers():
            assert self.process.poll() is None, "a replica ended while it started"
            assert time.monotonic() < deadline, "a replica did not start"
            time.sleep(0.05)

    def answers(self) -> bool:
        """Whether the process answers /health."""
        with suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=5) as answer:
            return bool(answer.status == 200)
        return False

    def kill(self) -> None:
        """Kill the process as a crash would."""
        assert self.process is not None
        self.process.kill()
        self.process.wait(20)

    def stop(self) -> None:
        """End the process, if it runs."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()


@dataclass
class Balanced:
    """The address of the balancer, and the servers behind it."""

    address: str
    replicas: list[Replica]


@contextmanager
def balanced(folder: Path, more: Mapping[str, str], running: int = 3) -> Iterator[Balanced]:
    """Start `running` of three servers, and haproxy in front of all three, with `more` in the servers' environment."""
    program = shutil.which("haproxy") or "/usr/sbin/haproxy"
    replicas = [Replica(free_port(), folder / name.lower(), more) for name in NAMES]
    starting = [threading.Thread(target=replica.start) for replica in replicas[:running]]
    haproxy = None
    try:
        for thread in starting:
            thread.start()
        for thread in starting:
            thread.join(WITHIN)
        front = f"127.0.0.1:{free_port()}"
        ports = {f"MCP_{name}": f"127.0.0.1:{replica.port}" for name, replica in zip(NAMES, replicas, strict=True)}
        haproxy = subprocess.Popen(
            [program, "-db", "-f", str(CONFIGURATION)],
            env={**os.environ, **ports, "MCP_FRONT": front},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + WITHIN
        while True:
            with suppress(OSError), urllib.request.urlopen(f"http://{front}/health", timeout=5):
                break
            assert time.monotonic() < deadline, "haproxy did not answer"
            time.sleep(0.05)
        yield Balanced(f"http://{front}/mcp", replicas)
    finally:
        if haproxy is not None:
            haproxy.kill()
            haproxy.wait(20)
        for replica in replicas:
            replica.stop()


@asynccontextmanager
async def client_of(address: str, mode: str, token: str) -> AsyncIterator[Client]:
    """Connect an SDK client that sends a token."""
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60) as http,
        Client(streamable_http_client(address, http_client=http, terminate_on_close=False), mode=mode) as client,
    ):
        yield client


@dataclass
class Tally:
    """What happened to the calls: right and wrong answers, calls lost in flight, and clients that connected again.

    `answered` has the number of answers by client. A client's lost call is counted before its next answer.
    """

    counts: Counter[str] = field(default_factory=Counter)
    answered: Counter[str] = field(default_factory=Counter)

    async def call_until(self, stopped: anyio.Event, address: str, mode: str, token: str, name: str) -> None:
        """Call the server one call after another, each with its own number, until `stopped` is set.

        A client whose connection or session is lost connects again, as the protocol asks it to.
        """
        number = 0
        while not stopped.is_set():
            asked = False
            try:
                async with client_of(address, mode, token) as client:
                    while not stopped.is_set():
                        number += 1
                        mark, asked = f"{name}-{number}", True
                        with anyio.fail_after(WITHIN):
                            answer = await client.call_tool(
                                "execute_cypher", {"query": "RETURN $mark AS mark", "parameters": {"mark": mark}}
                            )
                        asked = False
                        rows = (answer.structured_content or {}).get("rows")
                        self.counts["right" if rows == [[mark]] else "error" if answer.is_error else "wrong"] += 1
                        self.answered[name] += 1
                        await anyio.sleep(PAUSE)
            except Exception:  # whatever the client library raises for a lost connection
                self.counts["lost" if asked else "not connected"] += 1
                await anyio.sleep(0.05)
