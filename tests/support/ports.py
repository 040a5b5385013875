"""Ports on which a test's server can listen, end, and listen again."""

import random
import socket

OUTSIDE = range(20_000, 32_000)
"""Below the ports that the system gives to connections and to servers that ask for any port: while a server of the test
is down, no other process takes its port."""


def free_port() -> int:
    """Return a port on which nothing listens."""
    for port in random.SystemRandom().sample(OUTSIDE, 100):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError("no port is free")
