"""`graphground query`: rows for people and for scripts, and diagnostics with a caret below the query."""

from __future__ import annotations

import csv
import json
import subprocess
from functools import partial
from pathlib import Path
from typing import Protocol

import pytest

from graphground.server.commands.query import diagnostic_lines, parameter
from tests.support.commands import Ended, RunCommand
from tests.support.serving import COMMAND, environment


class Query(Protocol):
    """A function that runs `graphground query` with the given words and standard input, in the shared data folder."""

    def __call__(self, *words: str, text: str = "") -> Ended: ...


@pytest.fixture
def query(run_command: RunCommand, data_folder: Path) -> Query:
    """Return a function that runs `graphground query` in this process."""
    return partial(run_command, "query", home=data_folder)


def test_the_command_answers_in_a_separate_process(data_folder: Path) -> None:
    result = subprocess.run(
        [*COMMAND, "query", "nba", "MATCH (t:Team) RETURN count(t) AS teams", "--csv"],
        capture_output=True,
        text=True,
        timeout=90,
        env=environment(data_folder),
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, "teams\n30\n", "")


def test_rows_are_printed_as_a_table_as_json_and_as_csv(query: Query) -> None:
    text = "MATCH (t:Team) WHERE t.name STARTS WITH $start RETURN t.name AS team, t.inception_year AS year"
    table = query("nba", text, "-p", "start=Chi")
    assert (table.returncode, table.stderr) == (0, "")
    assert "Chicago Bulls" in table.stdout
    answer = json.loads(query(text, "--json", "--parameter", "start=Chi").stdout)
    assert (answer["columns"], answer["rows"]) == (["team", "year"], [["Chicago Bulls", 1966]])
    written = query(text, "--json", "--parameter", "start=Chi").stdout
    assert '    ["Chicago Bulls", 1966]' in written.splitlines()
    rows = list(csv.reader(query("nba", "--csv", "-p", "start=Chi", "-", text=text).stdout.splitlines()))
    assert rows == [["team", "year"], ["Chicago Bulls", "1966"]]


def test_more_rows_than_the_limit_are_reported_and_the_option_all_prints_every_row(query: Query) -> None:
    text = "MATCH (t:Team) RETURN t.name AS team ORDER BY team"
    everything = query("nba", text, "--all", "--csv")
    rows = list(csv.reader(everything.stdout.splitlines()))[1:]
    assert "prints more" not in everything.stderr
    assert len(rows) == 30
    limited = query("nba", text, "--limit", "2")
    assert "2 rows, and there are more; " in limited.stdout
    assert "--all prints more." in limited.stderr.splitlines()


def test_a_mistake_is_shown_under_the_query_with_a_caret(query: Query) -> None:
    result = query("nba", "MATCH (t:Team)\nRETURN t.nam")
    assert result.stderr.splitlines()[1:3] == ["  2 | RETURN t.nam", "    |          ^^^ name"]
    refused = query("nba", "MATCH (t:Team) SET t.name = 'x'")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "^^^" in refused.stderr


def test_a_query_with_an_error_has_exit_status_1_its_rows_and_the_query_that_was_probably_meant(query: Query) -> None:
    result = query("nba", "MATCH (t:Taem) RETURN t.name")
    assert (result.returncode, "0 rows" in result.stdout) == (1, True)
    assert result.stderr.endswith("try: MATCH (t:Team) RETURN t.name\n")
    assert query("nba", "MATCH (t:Team) RETURN t.name LIMIT 1").returncode == 0


def test_a_check_does_not_run_the_query(query: Query) -> None:
    assert query("nba", "MATCH (t:Team) RETURN t.name", "--check").stdout == "The query is valid and only reads.\n"
    wrong = query("nba", "MATCH (t:Taem) RETURN t.name", "--check")
    assert (wrong.returncode, wrong.stdout) == (1, "")
    assert "try: MATCH (t:Team) RETURN t.name" in wrong.stderr


def test_parameters_are_json_or_text() -> None:
    expected = [("a", 1), ("b", [1, 2]), ("c", "LeBron James"), ("d", "1"), ("e", "")]
    assert [parameter(text) for text in ("a=1", "$b=[1, 2]", "c=LeBron James", 'd="1"', "e=")] == expected


def test_a_caret_is_under_its_word_after_tabs() -> None:
    diagnostic = {
        "severity": "error",
        "message": "No.",
        "code": "x",
        "line": 1,
        "column": 2,
        "end_line": 2,
        "end_column": 1,
        "suggestions": [],
    }
    assert diagnostic_lines("\tabc\nd", [diagnostic]) == ["error: No. (x)", "  1 | \tabc", "    | \t^^^"]
