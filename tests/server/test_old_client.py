"""A client of `mcp<2`, in a separate environment, over stdio and HTTP."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from graphground.tools import NAMES
from tests.support import wrong_use
from tests.support.serving import COMMAND, environment
from tests.support.wrong_use import VARIABLES, WRONG_USES

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = Path(__file__).with_name("old_client.py")


@pytest.fixture(scope="session")
def old_python() -> str:
    """Return the interpreter of .tools/mcp1, which is created if it is missing."""
    place = ROOT / ".tools" / "mcp1"
    python = place / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not (place / ".done").exists():
        uv = shutil.which("uv") or str(ROOT / ".tools" / "bin" / "uv")
        if not Path(uv).exists():
            pytest.skip("needs uv to install mcp<2")
        subprocess.run([uv, "venv", "--quiet", "--clear", place], check=True, timeout=60)
        result = subprocess.run(
            [uv, "pip", "install", "--quiet", "--compile-bytecode", "--python", python, "mcp<2"],
            timeout=110,
            capture_output=True,
            text=True,
        )
        if result.returncode:
            pytest.skip(f"cannot install mcp<2: {result.stderr.strip()[-200:]}")
        (place / ".done").touch()
    return str(python)


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_client_of_the_old_sdk_receives_every_answer_and_every_failure(
    old_python: str, wrong_home: Path, transport: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    target = [*COMMAND, "serve"] if transport == "stdio" else [request.getfixturevalue("wrong_address")]
    calls = tmp_path / "calls.json"
    calls.write_text(json.dumps(wrong_use.calls()))
    result = subprocess.run(
        [old_python, str(SCRIPT), calls, transport, *target],
        capture_output=True,
        text=True,
        timeout=110,
        env=environment(wrong_home, VARIABLES),
    )
    assert result.returncode == 0, result.stderr
    seen = json.loads(result.stdout)
    assert seen["tools"] == list(NAMES)
    assert seen["rows"] == [[30]]
    for wrong, failure in zip(WRONG_USES, seen["failures"], strict=True):
        assert failure["isError"], wrong.what
        assert failure["structured"] is None, wrong.what
        wrong_use.check(wrong, json.loads(failure["text"]))
    assert "graph://catalog" in str(seen["resources"])
    assert seen["prompts"] == ["answer_question", "text_to_cypher"]
    assert "(:Team" in str(seen["schema"])
