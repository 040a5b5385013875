"""`graphground schema`: the schema of a graph, and errors of one line."""

import json
from pathlib import Path

import pytest

from graphground.server.commands.command_line import run
from tests.support.films import FILMS


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "films.json"
    path.write_text(json.dumps(FILMS.to_cypherbench()))
    return path


def test_the_part_of_a_schema_that_a_question_needs_is_shown(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("schema", ["show", str(file), "--question", "When was the director born?"]) == 0
    assert "date_of_birth: date" in capsys.readouterr().out
    assert run("schema", ["show", str(file), "--max-tokens", "1"]) == 1
    assert "max_tokens" in capsys.readouterr().err


def test_a_form_is_for_the_whole_schema(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run("schema", ["show", str(file), "--form", "json", "--question", "Who?"])
    assert "leave out --form or --question" in capsys.readouterr().err
