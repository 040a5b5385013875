"""MCP's official conformance suite, in both protocol eras, and the checks of the MCP Inspector."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphground.tools import NAMES
from tests.support.node_packages import FOLDER, ROOT, run_node
from tests.support.serving import COMMAND, listening

SUITE = FOLDER / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
BASELINES = Path(__file__).with_name("conformance")


@pytest.fixture(scope="module")
def fixture_server() -> Iterator[str]:
    """Start tests/support/conformance_server.py and yield its address."""
    with listening([sys.executable, "-m", "tests.support.conformance_server"], cwd=ROOT) as address:
        yield address


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
@pytest.mark.usefixtures("node")
def test_the_conformance_suite_finds_only_the_failures_in_the_baseline(fixture_server: str, revision: str) -> None:
    result = run_node(
        SUITE,
        "server",
        "--url",
        fixture_server,
        "--requirements",
        revision,
        "--expected-failures",
        BASELINES / f"{revision}.yml",
    )
    assert result.returncode == 0, result.stdout[-3000:] + result.stderr
    assert "all failures are expected" in result.stdout


INSPECTOR = FOLDER / "node_modules" / "@modelcontextprotocol" / "inspector" / "clients" / "cli" / "build" / "index.js"


@pytest.mark.usefixtures("node")
def test_the_inspector_finds_no_problem_with_the_tools(tmp_path: Path) -> None:
    # The Inspector passes no variables on, and a server of the user's own data folder would start an engine there.
    served = [*COMMAND, "serve", "--home", str(tmp_path), "--uri", "bolt://127.0.0.1:1"]
    result = run_node(INSPECTOR, "--cli", "--method", "tools/list", "--strict", *served)
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    assert [tool["name"] for tool in json.loads(result.stdout)["tools"]] == list(NAMES)
