"""The builder of the bundled graph: the shipped file is current, and each invalid cell of a table is reported."""

import json
import shutil
import subprocess
import sys

import pytest

from graphground.graphs.bundled import bundled_graph
from release import nba
from release.nba import Row, TableError, parse_stint, read_table


def test_the_shipped_document_is_what_the_tables_give():
    assert bundled_graph("nba").document() == nba.build()


def test_the_same_tables_give_the_same_document_in_another_process():
    code = "import json; from release.nba import build; print(json.dumps(build()))"
    other = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        cwd=nba.ROOT,
        env={"PYTHONHASHSEED": "7", "PYTHONUTF8": "1"},
    ).stdout
    assert other.strip() == json.dumps(nba.build())


@pytest.mark.parametrize(
    ("table", "old", "new", "message"),
    [
        ("players", ",6-9,", ",6-12,", r"^players\.csv line \d+: height_ft: '6-12' is not a height such as 6-9$"),
        ("careers", "CLE 2003", "CLE 03", r"^careers\.csv line \d+: drafted: 'CLE 03.*' is not a stint such as "),
    ],
)
def test_a_cell_that_cannot_be_parsed_is_reported_with_its_file_line_and_column(
    monkeypatch, tmp_path, table, old, new, message
):
    copied = shutil.copytree(nba.TABLES, tmp_path / "nba")
    file = copied / f"{table}.csv"
    file.write_text(file.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    monkeypatch.setattr(nba, "TABLES", copied)
    with pytest.raises(TableError, match=message):
        nba.build()


def test_a_table_line_with_an_extra_or_a_missing_cell_is_refused_with_its_position(tmp_path):
    (tmp_path / "t.csv").write_text("name,year\nA,1\nB,2,3\n")
    with pytest.raises(TableError, match=r"t\.csv line 3: 3 cells where the header has 2"):
        read_table(tmp_path, "t")
    (tmp_path / "t.csv").write_text("name,year\nA\n")
    with pytest.raises(TableError, match=r"t\.csv line 2: 1 cell where the header has 2"):
        read_table(tmp_path, "t")


@pytest.mark.parametrize("text", ["CLE", "Cle 2003", "CLE 2003-10", "CLE 2003 - 2010", "CLE 2003 #123", "CLE 2003 23"])
def test_a_malformed_stint_is_refused(text):
    with pytest.raises(TableError, match="is not a stint"):
        parse_stint(text)


def test_a_date_that_does_not_exist_is_refused():
    with pytest.raises(TableError, match=r"players\.csv line 4: born '1984-02-30' is not a date"):
        Row("players.csv line 4", {"born": "1984-02-30"}).day("born")
