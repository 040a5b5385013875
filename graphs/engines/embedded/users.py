"""The two users of an engine process, `root` and `reader`, which are written to files before ArcadeDB starts.

ArcadeDB reads the users from its settings folder when it starts. Creating them through its API would cost the first
query a tenth of a second of processor time, and Bolt would accept connections for a moment before `reader` exists.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
from pathlib import Path
from typing import Any

from graphground.graphs.engines.embedded.state import EngineState

ITERATIONS = 1000
"""Rounds of PBKDF2. Few are enough, because the passwords are random and new at each start."""
NOTHING = {"resultSetLimit": -1, "readTimeout": -1, "access": [], "types": {"*": {"access": []}}}
READER = {**NOTHING, "types": {"*": {"access": ["readRecord"]}}}
"""The group of the user `reader`, which runs the callers' queries and may only read records."""
ADMINISTRATOR = {
    **NOTHING,
    "access": ["updateSecurity", "updateSchema", "updateDatabaseSettings"],
    "types": {"*": {"access": ["createRecord", "readRecord", "updateRecord", "deleteRecord"]}},
}


def write_users(folder: Path, state: EngineState) -> None:
    """Write the users `root` and `reader`, and the groups with their rights."""
    folder.mkdir(mode=0o700)
    groups = {"admin": ADMINISTRATOR, "*": NOTHING, "reader": READER}
    written(folder / "server-groups.json", json.dumps({"databases": {"*": {"groups": groups}}, "version": 2}))
    users = [user("root", state.root, "admin"), user("reader", state.reader, "reader")]
    written(folder / "server-users.jsonl", "".join(f"{json.dumps(line)}\n" for line in users))


def user(name: str, password: str, group: str) -> dict[str, Any]:
    """Return a user's entry in ArcadeDB's user file."""
    return {"name": name, "password": encoded(password), "databases": {"*": [group]}}


def encoded(password: str) -> str:
    """Return a password in ArcadeDB's format: `PBKDF2WithHmacSHA256$1000$<salt>$<hash>`.

    ArcadeDB computes the hash with the base64 text of the salt, not with the decoded bytes.
    """
    salt = base64.b64encode(secrets.token_bytes(32)).decode()
    key = hashlib.pbkdf2_hmac("sha256", password.encode(), salt.encode(), ITERATIONS, 32)
    return f"PBKDF2WithHmacSHA256${ITERATIONS}${salt}${base64.b64encode(key).decode()}"


def written(file: Path, text: str) -> None:
    """Write a text to a new file that only its owner can read."""
    file.touch(mode=0o600)
    file.write_text(text, encoding="utf-8")
