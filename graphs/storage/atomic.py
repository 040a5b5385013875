"""Writes a file atomically: a reader finds the old file or the new one, never a part of it."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


@contextmanager
def replacing(path: Path, *, private: bool = False, durable: bool = False) -> Iterator[IO[bytes]]:
    """Open a file that replaces `path` when the block ends, and is deleted if the block raises.

        with replacing(home.catalog, durable=True) as file:
            file.write(b"{}")

    A `private` file can be read only by its owner; a `durable` one is flushed to disk before it replaces the old one.
    """
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    number = os.open(
        part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600 if private else 0o666
    )
    try:
        with os.fdopen(number, "wb") as file:
            yield file
            if durable:
                file.flush()
                os.fsync(file.fileno())
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
