"""`graphground graphs import`: what it prints and refuses; tests/docs/test_tutorials.py queries an imported graph."""

from pathlib import Path

import pytest

from graphground.graphs.engines.embedded.launcher import end_engine
from graphground.graphs.storage.home import Home
from graphground.server.commands.command_line import run
from tests.graphs.loading.importing.test_import import FILES, folder_of


@pytest.mark.engine
def test_a_folder_becomes_a_graph_whose_name_is_then_in_use(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home, folder = tmp_path / "home", tmp_path / "films"
    folder.mkdir()
    folder_of(folder)
    try:
        assert (
            run("graphs", ["import", str(folder), "--home", str(home), "--output", str(tmp_path / "films.json.gz")])
            == 0
        )
        out = capsys.readouterr().out
        assert "(:Movie)-[:hasDirector]->(:Person) from movies.csv" in out
        assert "Loaded 'films': 6 nodes, 4 relationships." in out
        assert (tmp_path / "films.json.gz").exists()
        with pytest.raises(SystemExit):
            run("graphs", ["import", str(folder), "--home", str(home)])
        assert "replace it with --force" in capsys.readouterr().err
    finally:
        end_engine(Home(home))


def test_the_name_of_a_bundled_graph_is_in_use_before_it_is_loaded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder_of(tmp_path)
    with pytest.raises(SystemExit):
        run("graphs", ["import", str(tmp_path), "--name", "nba", "--home", str(tmp_path / "home")])
    assert "there is a graph 'nba' already" in capsys.readouterr().err


def test_the_mapping_is_printed_and_can_be_passed_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder_of(tmp_path)
    assert run("graphs", ["import", str(tmp_path), "--show", "--name", "films", "--home", str(tmp_path / "home")]) == 0
    (tmp_path / "films.toml").write_text(capsys.readouterr().out, "utf-8")
    assert (
        run(
            "graphs",
            [
                "import",
                str(tmp_path),
                "--show",
                "--mapping",
                str(tmp_path / "films.toml"),
                "--home",
                str(tmp_path / "home"),
            ],
        )
        == 0
    )
    assert capsys.readouterr().out == (tmp_path / "films.toml").read_text("utf-8")


def test_invalid_rows_are_listed_and_nothing_is_loaded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder_of(tmp_path, {**FILES, "movies.csv": FILES["movies.csv"] + "m4,Short\nm5,Shorter\n"})
    assert run("graphs", ["import", str(tmp_path), "--home", str(tmp_path / "home")]) == 1
    assert capsys.readouterr().err == (
        "graphground: movies.csv, line 5: 2 cells where the header has 6\n"
        "graphground: movies.csv, line 6: 2 cells where the header has 6\nNothing was imported: 2 problems.\n"
    )
