"""Writes a file in one step: a reader finds the old one or the new one, never a part."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


@contextmanager
def replacing(path: Path, *, private: bool = False, durable: bool = False) -> Iterator[IO[bytes]]:
    """Open a file that takes the place of `path` when the block ends well, and is deleted when it does not.

        with replacing(home.catalog, durable=True) as file:
            file.write(b"{}")

    A `private` file can be read by its owner alone; a `durable` one is on the disk before it takes the place.
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
