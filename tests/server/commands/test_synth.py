import json
from pathlib import Path

import pytest

from graphground.server.commands.command_line import run
from tests.support.films import FILMS


def test_a_graph_is_written_for_a_schema_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    schema, out = tmp_path / "films.json", tmp_path / "made.json"
    schema.write_text(json.dumps(FILMS.to_cypherbench()))
    assert (
        run("graphs", ["synth", str(schema), str(out), "--nodes", "50", "--relationships", "120", "--seed", "3"]) == 0
    )
    assert "50 nodes, 120 relationships" in capsys.readouterr().out
    document = json.loads(out.read_text())
    assert (len(document["entities"]), len(document["relations"])) == (50, 120)


@pytest.mark.parametrize(
    ("text", "message"), [("{}", "no 'name'"), ('{"name": "x", "entities": [], "relations": []}', "no labels")]
)
def test_an_invalid_schema_is_reported_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    schema = tmp_path / "schema.json"
    schema.write_text(text)
    assert run("graphs", ["synth", str(schema), str(tmp_path / "out.json")]) == 1
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
