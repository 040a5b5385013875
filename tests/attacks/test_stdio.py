"""Hostile lines over stdio: the server continues, answers what it can parse, and writes nothing but the protocol."""

import json
import queue
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.serving import COMMAND, environment

SECONDS = 60.0
LONGEST_ANSWER = 20_000
"""An upper bound for the bytes of an answer: more than the answer to `tools/list` needs."""
INITIALIZE = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "attacker", "version": "1"}}
LEAKS = ("Traceback", "site-packages", "pydantic", str(Path.home()), str(Path(__file__).parents[2]))


def message(**fields: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **fields}).encode()


def call(arguments: bytes, tool: bytes = b"validate_cypher", number: int = 7) -> bytes:
    """Return a `tools/call` request with the arguments as raw bytes, which need not be JSON."""
    return b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"%b","arguments":%b}}' % (
        number,
        tool,
        arguments,
    )


class Server:
    """A running `graphground serve`, to which the test writes lines and from which it reads messages."""

    def __init__(self, home: Path) -> None:
        self.process = subprocess.Popen(
            [*COMMAND, "serve"],
            env=environment(home),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.lines: queue.Queue[bytes] = queue.Queue()
        self.errors = b""
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._read, self._read_errors)]
        for thread in self._threads:
            thread.start()
        self._numbers = iter(range(1_000_000, 2_000_000))

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(b"")

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        self.errors = self.process.stderr.read()

    def send(self, *lines: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(b"".join(line + b"\n" for line in lines))
        self.process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        """Return the next message, after checking that it has the right form and reveals nothing about this machine."""
        line = self.lines.get(timeout=SECONDS)
        assert line, self.errors.decode(errors="replace")
        assert len(line) < LONGEST_ANSWER
        assert not [leak for leak in LEAKS if leak in line.decode()], line
        answer: dict[str, Any] = json.loads(line)
        assert answer["jsonrpc"] == "2.0"
        return answer

    def answers(self, *lines: bytes) -> list[dict[str, Any]]:
        """Send lines and then a ping; return the messages that arrive before the answer to the ping."""
        number = next(self._numbers)
        self.send(*lines, message(id=number, method="ping"))
        found = []
        while (answer := self.answer()).get("id") != number:
            found.append(answer)
        assert answer["result"] == {}
        return found

    def end(self) -> int:
        """Write half a line, close stdin, and return the exit status."""
        assert self.process.stdin is not None
        self.process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"tools/li')
        self.process.stdin.close()
        return self.process.wait(SECONDS)


@pytest.fixture(scope="module")
def server(data_folder: Path) -> Iterator[Server]:
    server = Server(data_folder)
    early = server.answers(message(id=1, method="tools/list"), message(method="notifications/cancelled", params=[]))
    assert [answer["error"]["code"] for answer in early if answer["id"] == 1] == [-32602]
    assert "result" in server.answers(message(id=2, method="initialize", params=INITIALIZE))[-1]
    yield server
    try:
        assert server.end() == 0
        for thread in server._threads:
            thread.join(SECONDS)
        assert b"Traceback" not in server.errors
    finally:
        server.process.kill()
        server.process.wait()
        for pipe in (server.process.stdin, server.process.stdout, server.process.stderr):
            if pipe is not None and not pipe.closed:
                pipe.close()


ANSWERED = [
    call(b'{"query":"RETURN \'\\ud83d\' AS half"}'),
    call(b'{"query":"RETURN 1 AS x","\\udc00":1}'),
    call(b'{"query":"RETURN $a AS x","parameters":{"a":NaN}}'),
    call(b'{"query":"RETURN $a AS x","parameters":{"a":1e400}}'),
    call(b'{"query":"RETURN $a AS x","parameters":{"a":' + b"[" * 180 + b"]" * 180 + b"}}"),
    call(b'{"query":"RETURN 1 AS x","limit":-Infinity}', b"execute_cypher"),
    call(b"[]"),
    call(b'"x"'),
    call(b"{}", b"\xff\xfe"),
    call(b"{}", b"list_graphs\\u0000"),
    call(b"{}", b"x" * 100_000),
    message(id=7, method="m" * 100_000),
    message(id=7, method="resources/read", params={"uri": "graph://" + "x" * 100_000}),
    message(id=7, method="prompts/get", params={"name": "x" * 100_000}),
    message(id=7, method="logging/setLevel", params={"level": "x" * 100_000}),
    message(id=7, method=5),
    b'{"id":7,"method":"ping"}',
    b'{"jsonrpc":"1.0","id":7,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":8,"id":7,"method":"nothing","method":"ping"}',
    message(id=7, method="initialize", params=INITIALIZE),
    message(id=7, method="initialize", params={"protocolVersion": []}),
    message(id=7, method="notifications/initialized"),
]


@pytest.mark.parametrize("line", ANSWERED, ids=lambda line: repr(line)[:60])
def test_a_hostile_request_with_an_id_is_answered_with_the_same_id(server: Server, line: bytes) -> None:
    answers = server.answers(line)
    while not any(answer.get("id") == 7 for answer in answers):
        answers.append(server.answer())  # a tool's answer may arrive after the answer to the ping


UNANSWERED_IDS = [
    b"{",
    b"nonsense",
    b"\xef\xbb\xbf" + message(id=7, method="ping"),
    bytes(range(128, 256)),
    b"\0" * 1_000,
    b"[]",
    b"[" + message(id=7, method="ping") + b"]",
    b"[" * 100_000,
    b"[" * 100_000 + b"]" * 100_000,
    call(b'{"a":' * 100_000 + b"1" + b"}" * 100_000),
    b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}',
    message(id=7, method="ping") * 2,
    b"1",
    b"null",
]


@pytest.mark.parametrize("line", UNANSWERED_IDS, ids=lambda line: repr(line)[:60])
def test_a_line_without_a_readable_id_is_answered_with_an_error_without_an_id(server: Server, line: bytes) -> None:
    [answer] = server.answers(line)
    assert answer["id"] is None
    assert answer["error"]["code"] in (-32700, -32600)


def test_blank_lines_notifications_and_unexpected_replies_are_not_answered(server: Server) -> None:
    names = ["cancelled", "initialized", "progress", "roots/list_changed", "nothing"]
    flood = [
        message(method=f"notifications/{names[number % 5]}", params={"requestId": number, "progressToken": number})
        for number in range(2_000)
    ]
    replies = [json.dumps({"jsonrpc": "2.0", "id": number, "result": {}}).encode() for number in range(500)]
    assert server.answers(b"", b"  \t ", *flood, *replies) == []


@pytest.mark.parametrize("method", ["initialize", "tools/call", "resources/read", "prompts/get", "completion/complete"])
def test_parameters_of_every_wrong_type_are_refused(server: Server, method: str) -> None:
    wrong: list[Any] = [None, 1, "x", True, [1], {"name": 1}, {"name": None, "uri": [], "ref": 2}, {"_meta": 1}]
    for params in wrong:
        for answer in server.answers(message(id=7, method=method, params=params)):
            assert "error" in answer, params
