"""`graphground eval` in the shell: tasks are made harder, run, reported and compared; wrong input is reported."""

import json
from pathlib import Path

import pytest

from graphground.graphs.storage.home import Home
from graphground.server.commands.command_line import run


def test_tasks_are_run_reported_and_compared_in_the_shell(
    small_home: Home, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tasks, home = tmp_path / "tasks.json", ["--home", str(small_home.folder)]
    tasks.write_text(
        json.dumps(
            [
                {
                    "qid": "a",
                    "graph": "films",
                    "nl_question": "Who directed Heat?",
                    "gold_cypher": "MATCH (m:Movie {name: 'Heat'})-[:directedBy]->(p:Person) RETURN p.name",
                },
                {
                    "qid": "b",
                    "graph": "films",
                    "nl_question": "Which films are there?",
                    "gold_cypher": "MATCH (m:Movie) RETURN m.name",
                },
            ]
        )
    )
    (tmp_path / "p.jsonl").write_text('{"qid": "b", "pred_cypher": "MATCH (m:Movie) RETURN m.name"}\n')
    assert run("eval", ["run", str(tasks), str(tmp_path / "one"), "--suggest", *home]) == 0
    assert (
        run("eval", ["run", str(tasks), str(tmp_path / "two"), "--predictions", str(tmp_path / "p.jsonl"), *home]) == 0
    )
    assert "execution accuracy  50.0%" in capsys.readouterr().out
    assert run("eval", ["report", str(tmp_path / "two"), "--beside", str(tmp_path / "one")]) == 0
    assert (tmp_path / "two" / "report.html").stat().st_size > 10_000
    assert "2 tasks in common" in capsys.readouterr().out
    assert run("eval", ["harden", str(tasks), str(tmp_path / "harder.json"), "--kind", "ambiguous", *home]) == 0
    (harder,) = json.loads((tmp_path / "harder.json").read_text("utf-8"))
    assert (harder["variant"], harder["expected"]) == ("ambiguous", "ask")
    assert run("eval", ["run", str(tmp_path / "harder.json"), str(tmp_path / "three"), "--suggest", *home]) == 0
    assert run("eval", ["report", str(tmp_path / "three"), "--beside", str(tmp_path / "one")]) == 1
    assert "no task in common; compare runs over the same task file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["run", "no.json", "run", "--suggest"], "no.json cannot be read"),
        (["report", "nowhere"], "there is no run in nowhere"),
    ],
)
def test_wrong_input_is_reported_in_a_line_on_stderr(
    words: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("eval", words) == 1
    assert message in capsys.readouterr().err


def test_a_misspelt_graph_is_reported_with_the_nearest_name_and_nothing_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    task = {"qid": "1", "graph": "nba", "nl_question": "?", "gold_cypher": "MATCH (t:Team) RETURN t.name"}
    Path("tasks.json").write_text(json.dumps([task]))
    with pytest.raises(SystemExit, match="2"):
        run("eval", ["run", "tasks.json", "run", "--suggest", "--graph", "nbaa", "--home", str(tmp_path / "home")])
    output = capsys.readouterr().err
    assert output.count("there is no") == 1
    assert "--graph nbaa: there is no such graph; nearest: nba; available: nba." in output
    assert not Path("run").exists()
