"""A graph whose files were damaged after its loading is not opened."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from graphground.graphs.engines.embedded.launcher import end_engine
from graphground.graphs.engines.engine import EngineUnavailable
from graphground.graphs.opening.stored import Incomplete, open_stored, read_whole
from graphground.graphs.storage.home import Catalog, Home, damage
from tests.support.commands import RunCommand


@pytest.fixture
def copied(films_home: Home, tmp_path: Path) -> Home:
    """Return a separate copy of the data folder with the film graph."""
    home = Home(tmp_path / "home").make()
    shutil.copy(films_home.catalog, home.catalog)
    entry = Catalog(home).get("films")
    shutil.copytree(films_home.databases / entry.id, home.databases / entry.id, dirs_exist_ok=True)
    shutil.copytree(films_home.graphs / entry.id, home.graphs / entry.id, dirs_exist_ok=True)
    return home


def truncated(database: Path, graph: Path) -> None:
    file = next(database.glob("Film_0.*.bucket"))
    file.write_bytes(file.read_bytes()[:1000])


def removed(database: Path, graph: Path) -> None:
    next(database.glob("directedBy*.bucket")).unlink()


def spoiled(database: Path, graph: Path) -> None:
    file = graph / "schema.json"
    file.write_text(file.read_text().replace("Film", "Flim"))


def spoiled_inside(database: Path, graph: Path) -> None:
    file = database / "schema.json"
    file.write_text(file.read_text().replace("Film", "Flim"))


@pytest.mark.parametrize("harm", [truncated, removed, spoiled, spoiled_inside])
def test_damage_is_reported_when_the_graph_is_opened(copied: Home, harm: Callable[[Path, Path], None]) -> None:
    entry = Catalog(copied).get("films")
    assert damage(copied.databases / entry.id, copied.graphs / entry.id) is None
    harm(copied.databases / entry.id, copied.graphs / entry.id)
    with pytest.raises(EngineUnavailable, match=r"The files of the graph 'films' are damaged: .* Load it again"):
        open_stored("films", copied)


def outdated_index(database: Path, graph: Path) -> None:
    file = graph / "entities" / "meta.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "format": 0}))


def missing_index(database: Path, graph: Path) -> None:
    shutil.rmtree(graph / "entities")


def advised(name: str, home: Home) -> list[list[str]]:
    """Return the commands that the error advises when a graph is opened: `[["graphs", "drop", "nba"], …]`."""
    with pytest.raises(EngineUnavailable) as refused:
        open_stored(name, home)
    return [command.split()[1:] for command in re.findall("`(.+?)`", str(refused.value))]


def test_the_advised_command_replaces_a_graph_that_cannot_be_opened(
    run_command: RunCommand, copied: Home, films_home: Home
) -> None:
    entry = Catalog(copied).get("films")
    for harm in (outdated_index, missing_index, spoiled):
        harm(copied.databases / entry.id, copied.graphs / entry.id)
        (command,) = advised("films", copied)
        assert "FILE" in command
    file = str(films_home.folder.parent / "films.json")
    words = [file if word == "FILE" else word for word in command]
    assert run_command(*words, home=copied.folder).returncode == 0
    open_stored("films", copied).close()


def test_the_whole_graph_is_verified(films_home: Home) -> None:
    graph = open_stored("films", films_home)
    assert read_whole(graph, films_home.folder) == "all data can be read: 400 nodes and 1,500 relationships"
    graph.close()


def test_missing_nodes_are_detected(copied: Home) -> None:
    listed = json.loads(copied.catalog.read_text())
    listed["graphs"][0]["nodes"] += 1
    copied.catalog.write_text(json.dumps(listed))
    graph = open_stored("films", copied)
    try:
        with pytest.raises(Incomplete, match="400 nodes can be read, but the graph was loaded with 401"):
            read_whole(graph, copied.folder)
    finally:
        graph.close()
        end_engine(copied, kill=True)


def test_doctor_finds_a_damaged_graph(run_command: RunCommand, copied: Home) -> None:
    entry = Catalog(copied).get("films")
    truncated(copied.databases / entry.id, copied.graphs / entry.id)
    result = run_command("doctor", "--deep", "--graph", "films", home=copied.folder)
    assert result.returncode == 1
    assert "damaged: Film_0." in result.stdout
