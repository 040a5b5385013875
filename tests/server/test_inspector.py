"""The MCP Inspector's own checks of the tools' schemas."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from graphground.tools import NAMES
from tests.support.node_packages import FOLDER, run_node
from tests.support.serving import COMMAND, environment

INSPECTOR = FOLDER / "node_modules" / "@modelcontextprotocol" / "inspector" / "clients" / "cli" / "build" / "index.js"


@pytest.mark.usefixtures("node")
def test_the_inspector_finds_no_problem_with_the_tools(wrong_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable, value in environment(wrong_home).items():
        monkeypatch.setenv(variable, value)
    result = run_node(INSPECTOR, "--cli", "--method", "tools/list", "--strict", *COMMAND, "serve")
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    assert [tool["name"] for tool in json.loads(result.stdout)["tools"]] == list(NAMES)
