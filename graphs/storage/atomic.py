"""Writes a file atomically: a concurrent reader sees the old file or the new file, never a partial file."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


@contextmanager
def replacing(path: Path, *, private: bool = False, durable: bool = False) -> Iterator[IO[bytes]]:
    """Open a temporary file that replaces `path` when the block ends and is deleted if the block raises.

        with replacing(home.catalog, durable=True) as file:
            file.write(b"{}")

    `private=True` lets only the owner read the file; `durable=True` flushes it to disk before it replaces the old file.
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
