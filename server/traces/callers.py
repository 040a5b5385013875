"""Determines the name under which a trace shows the client of a request."""

from __future__ import annotations

import hashlib
import secrets
from typing import Any

from graphground.server.threads import caller_of
from graphground.server.traces.recorder import Caller

LONGEST_NAME = 100
_SALT = secrets.token_bytes(16)
"""A random key, new in each process, that turns session ids into labels; an id would give access to a session."""


def caller_in(context: Any) -> Caller:
    """Return the caller of a request: `Caller("5f1c02aa", "claude-ai 1.0")`; the name is the client's own statement."""
    label = hashlib.blake2b(caller_of(context.request).encode(), key=_SALT, digest_size=4).hexdigest()
    parameters = context.session.client_params
    if parameters is None:
        return Caller(label)
    client = parameters.client_info
    return Caller(label, f"{client.name} {client.version}".strip()[:LONGEST_NAME])
