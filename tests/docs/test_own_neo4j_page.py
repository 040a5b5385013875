"""The page on your own Neo4j, followed on a real server: its commands run in order, with the promised results."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from graphground.server.commands.command_line import run
from tests.support.neo4j_server import Neo4jServer, seeded
from tests.support.pages import section

PAGE = section("databases.md", "Use your own Neo4j, from end to end")
COMMANDS = [
    line
    for block in re.findall(r"^```sh\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    for line in block.splitlines()
    if line.startswith("graphground ")
]
DATA = (
    """CREATE (r:Customer {companyName: 'Chez Amandine'})-[:PURCHASED]->(:Order {orderNo: 'A-1', freight: '1007.64'}),
       (:Customer {companyName: 'Fjordmat'})-[:PURCHASED]->(:Order {orderNo: 'A-2', freight: '99.23'})""",
)


@pytest.fixture
def connected(neo4j_5: Neo4jServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fill the database, and set the environment variables as step 1 of the page does."""
    seeded(neo4j_5, *DATA)
    monkeypatch.setenv("GRAPHGROUND_HOME", str(tmp_path))
    for name, value in (("URI", neo4j_5.uri), ("USERNAME", neo4j_5.user), ("PASSWORD", neo4j_5.password)):
        assert f"NEO4J_{name}=" in PAGE
        monkeypatch.setenv(f"NEO4J_{name}", value)


def printed(line: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Run a command of the page and return its output; the command must succeed."""
    _, command, *rest = shlex.split(line, comments=True)
    assert run(command, rest) == 0, line
    return capsys.readouterr().out


@pytest.mark.neo4j
@pytest.mark.usefixtures("connected")
@pytest.mark.timeout(240)
def test_the_commands_of_the_page_have_the_described_results(capsys: pytest.CaptureFixture[str]) -> None:
    outputs = {line: printed(line, capsys) for line in COMMANDS}
    check, schema, query, build, info = COMMANDS
    assert check == "graphground doctor"
    assert "Everything works." in outputs[check]
    assert "freight: str(float)" in outputs[schema]
    assert "(:Customer)-[:PURCHASED]->(:Order)" in outputs[schema]
    assert re.search(r"Customer.* 2 ", outputs[query])
    assert build == "graphground entities build"
    assert info == "graphground entities info"
    assert "Customer 2" in outputs[info]
