"""Runs several server processes behind one port; each accepts connections from the same socket."""

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
"""The environment variable that gives a worker the file descriptor of the inherited socket."""
STOPPING_SECONDS = 10.0


def inherited_socket() -> socket.socket | None:
    """Return the socket that this worker inherited from the process that started it; None in other processes."""
    number = os.environ.get(SOCKET)
    return socket.socket(fileno=json.loads(number)) if number else None


def run_workers(listening: socket.socket, count: int, arguments: Sequence[str]) -> int:
    """Keep `count` workers running until SIGINT or SIGTERM, restarting any that exits; return the exit status.

    A worker that exits with status 2 has detected wrong options: all workers are then stopped, and 2 is returned.
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
            if code == 2:  # wrong options, which every other worker detects too
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
