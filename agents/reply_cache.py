"""A cache of model replies on disk, so that no request is repeated.

    FOLDER/3f/3f9a…c1.json      the reply to one request; its name is the hash of the request

The hash covers the model, the endpoint, the settings, the messages, the tools and the grammar, but no key.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from graphground.agents.conversation import Reply


def digest(request: Mapping[str, Any]) -> str:
    """Return the name under which the reply to a request is stored: the SHA-256 of its JSON."""
    text = json.dumps(request, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class ReplyCache:
    """Replies in a folder that several processes may share: `ReplyCache(folder).get(digest(request))`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, name: str) -> Reply | None:
        """Return the stored reply, marked `cached`; None if no reply is stored or the file is damaged."""
        try:
            record = json.loads(self._path(name).read_text(encoding="utf-8"))
            return replace(Reply.of_record(record), cached=True)
        except (OSError, ValueError, TypeError):
            return None

    def put(self, name: str, reply: Reply) -> None:
        """Store a reply atomically, so that no other process reads a part of a reply."""
        path = self._path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", errors="backslashreplace", dir=path.parent, suffix=".part", delete=False
        ) as file:
            json.dump(reply.as_record(), file, ensure_ascii=False)
        os.replace(file.name, path)

    def _path(self, name: str) -> Path:
        return self._folder / name[:2] / f"{name}.json"
