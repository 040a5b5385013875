"""`graphground eval` from the shell: tasks are hardened, run, reported and compared; wrong input is reported."""

import json
from pathlib import Path

import pytest

from graphground.graphs.storage.home import Home
from graphground.server.commands.eval import main


def test_tasks_are_run_reported_and_compared_from_the_shell(
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
    assert main(["run", str(tasks), str(tmp_path / "one"), "--suggest", *home]) == 0
    assert main(["run", str(tasks), str(tmp_path / "two"), "--predictions", str(tmp_path / "p.jsonl"), *home]) == 0
    assert "execution accuracy  50.0%" in capsys.readouterr().out
    assert main(["report", str(tmp_path / "two"), "--beside", str(tmp_path / "one")]) == 0
    assert (tmp_path / "two" / "report.html").stat().st_size > 10_000
    assert main(["compare", str(tmp_path / "one"), str(tmp_path / "two")]) == 0
    assert "2 tasks in common" in capsys.readouterr().out
    assert main(["harden", str(tasks), str(tmp_path / "harder.json"), "--kind", "absent", *home]) == 0
    (harder,) = json.loads((tmp_path / "harder.json").read_text("utf-8"))
    assert (harder["variant"], harder["expected"]) == ("absent", "not_in_graph")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run", "no.json", "run", "--suggest"], "no.json cannot be read"),
        (["report", "nowhere"], "there is no run in nowhere"),
        (["compare", "nowhere", "nowhere"], "there is no run in nowhere"),
    ],
)
def test_wrong_input_is_a_line_on_stderr(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(words) == 1
    assert said in capsys.readouterr().err
