"""A client of `mcp<2`, in an environment of its own, over stdio and HTTP."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from graphground.tools import NAMES
from tests.support.serving import COMMAND, environment, http_server

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = Path(__file__).with_name("old_client.py")


@pytest.fixture(scope="session")
def old_python() -> str:
    """The interpreter of .tools/mcp1, made when it is missing."""
    place = ROOT / ".tools" / "mcp1"
    python = place / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not (place / ".done").exists():
        uv = shutil.which("uv") or str(ROOT / ".tools" / "bin" / "uv")
        if not Path(uv).exists():
            pytest.skip("needs uv to install mcp<2")
        subprocess.run([uv, "venv", "--quiet", "--clear", place], check=True, timeout=60)
        done = subprocess.run([uv, "pip", "install", "--quiet", "--compile-bytecode", "--python", python, "mcp<2"],
                              timeout=110, capture_output=True, text=True)
        if done.returncode:
            pytest.skip(f"cannot install mcp<2: {done.stderr.strip()[-200:]}")
        (place / ".done").touch()
    return str(python)


def drive(python: str, home: Path, *target: str) -> dict[str, object]:
    done = subprocess.run([python, str(SCRIPT), *target], capture_output=True, text=True, timeout=90,
                          env=environment(home))
    assert done.returncode == 0, done.stderr
    answers: dict[str, object] = json.loads(done.stdout)
    return answers


def check(answers: dict[str, object]) -> None:
    assert answers["tools"] == list(NAMES)
    assert answers["rows"] == [[30]]
    assert answers["error"] == {"isError": True, "error": "unknown_argument"}
    assert "graph://catalog" in str(answers["resources"])
    assert answers["prompts"] == ["answer_question", "text_to_cypher"]
    assert "(:Team" in str(answers["schema"])


def test_a_client_of_the_old_sdk_is_served_over_stdio(old_python: str, home: Path) -> None:
    check(drive(old_python, home, "stdio", *COMMAND, "serve"))


def test_a_client_of_the_old_sdk_is_served_over_http(old_python: str, home: Path) -> None:
    with http_server(home) as address:
        check(drive(old_python, home, "http", address))
