"""The page on a building's graph: the calls on the page answer its ten questions from the imported graph."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphground.evals.tasks.task import read_tasks
from graphground.graphs.engines.embedded.launcher import end_engine
from graphground.graphs.storage.home import Home
from tests.support.pages import load_module, section

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
QUESTIONS = ROOT / "examples" / "building" / "questions.json"


@pytest.fixture
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Create an empty data folder and set it in the environment; its engine ends with the test."""
    for name, value in (("GRAPHGROUND_HOME", str(tmp_path)), ("COLUMNS", "120"), ("NO_COLOR", "1")):
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(ROOT)
    yield tmp_path
    end_engine(Home(tmp_path), kill=True)


@pytest.mark.engine
@pytest.mark.timeout(240)
def test_every_command_of_the_page_prints_the_output_shown(own_home: Path) -> None:
    assert load_module(ROOT / "docs" / "write_building.py").replayed(PAGE) == PAGE, "run: python docs/write_building.py"


def test_the_task_file_has_the_questions_and_the_last_queries_of_the_page() -> None:
    sections = re.findall(
        r"^### \d+\. (.*?)\n(.*?)(?=^###? |\Z)",
        section("tutorial.md", "A building as a graph"),
        re.MULTILINE | re.DOTALL,
    )
    shown = []
    for question, body in sections:
        call = re.findall(r"^\$ (graphground call execute_cypher .*)$", body, re.MULTILINE)[-1]
        shown.append((question, json.loads(shlex.split(call)[3])["query"]))
    assert len(shown) == 10
    assert [(task.question, task.gold) for task in read_tasks(QUESTIONS)] == shown
