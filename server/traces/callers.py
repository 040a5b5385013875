"""Determines the client of a request, as a trace names it."""

from __future__ import annotations

import hashlib
import secrets
from typing import Any

from graphground.server.threads import caller_of
from graphground.server.traces.recorder import Caller

LONGEST_NAME = 100
_SALT = secrets.token_bytes(16)
"""A random key for each process, with which session ids become labels: an id itself would allow requests in that
session's name."""


def caller_in(context: Any) -> Caller:
    """The caller of a request, such as `Caller("5f1c02aa", "claude-ai 1.0")`; the client states its own name."""
    label = hashlib.blake2b(caller_of(context.request).encode(), key=_SALT, digest_size=4).hexdigest()
    parameters = context.session.client_params
    if parameters is None:
        return Caller(label)
    client = parameters.client_info
    return Caller(label, f"{client.name} {client.version}".strip()[:LONGEST_NAME])
