"""Several server processes behind one port: each takes connections from the same socket."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence

SOCKET = "GRAPHGROUND_LISTENING_SOCKET"
"""The environment variable that is set for a worker: the number of the inherited socket."""
STOPPING_SECONDS = 10.0


def inherited_socket() -> socket.socket | None:
    """The socket that a worker inherited from the process that started it."""
    number = os.environ.get(SOCKET)
    return socket.socket(fileno=json.loads(number)) if number else None


def run_workers(listening: socket.socket, count: int, arguments: Sequence[str]) -> int:
    """Keep `count` workers running until SIGINT or SIGTERM; one that exits is restarted.

    Returns the exit status: 2 if the options are wrong, which a worker detects as this process would.
    """
    stopping = threading.Event()
    for stop in (signal.SIGINT, signal.SIGTERM):
        signal.signal(stop, lambda *_: stopping.set())
    number = listening.fileno()
    os.set_inheritable(number, True)

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "graphground", "serve", *arguments],
            pass_fds=(number,),
            stdin=subprocess.DEVNULL,
            env={**os.environ, SOCKET: json.dumps(number)},
        )

    workers = [start() for _ in range(count)]
    status = 0
    while not stopping.wait(0.5):
        for place, worker in enumerate(workers):
            code = worker.poll()
            if code == 2:  # wrong use: every other worker says the same
                stopping.set()
                status = code
            elif code is not None:
                sys.stderr.write(f"graphground: a worker exited ({code}) and is being restarted\n")
                workers[place] = start()
    for worker in workers:
        worker.terminate()
    for worker in workers:
        try:
            worker.wait(STOPPING_SECONDS)
        except subprocess.TimeoutExpired:
            worker.kill()
            worker.wait()
    return status
