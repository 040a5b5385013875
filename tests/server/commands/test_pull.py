"""`graphground graphs pull`: one command downloads a published file and loads it as a graph."""

import hashlib
import json
from pathlib import Path

import pytest

from graphground.graphs.engines.embedded.launcher import end_engine
from graphground.graphs.storage.home import Catalog, Home
from graphground.server.commands.command_line import run
from tests.support.file_server import FileServer

GRAPH = {
    "schema": {
        "name": "art",
        "entities": [{"label": "Museum", "description": None, "properties": {}}],
        "relations": [],
    },
    "entities": [{"eid": "Museum#Q19675", "label": "Museum", "name": "Louvre", "properties": {}}],
    "relations": [],
}
FILES = {
    "/graphs/simplekg/art_simplekg.json": json.dumps(GRAPH).encode(),
    "/train.json": b"[]\n",
    "/test.json": b"[1]\n",
}


@pytest.mark.engine
def test_a_pulled_graph_is_loaded_with_its_description_and_checksum(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = Home(tmp_path)
    try:
        with FileServer(FILES) as server:
            assert run("graphs", ["pull", "art", "--mirror", server.url, "--home", str(tmp_path)]) == 0
        assert "Loaded 'art': 1 node, 0 relationships." in capsys.readouterr().out
        entry = Catalog(home).get("art")
        assert entry.digest == hashlib.sha256(FILES["/graphs/simplekg/art_simplekg.json"]).hexdigest()
        assert entry.description.startswith("Paintings and sculptures")
        with pytest.raises(SystemExit):
            run("graphs", ["pull", "art", "--home", str(tmp_path)])
        assert "replace it with --force" in capsys.readouterr().err
    finally:
        end_engine(home)


def test_the_questions_are_pulled_without_a_graph(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with FileServer(FILES) as server:
        monkeypatch.setenv("GRAPHGROUND_MIRROR", f"http://127.0.0.1:9 {server.url}/")
        monkeypatch.setattr("graphground.graphs.loading.download.FIRST_PAUSE", 0.0)
        assert run("graphs", ["pull", "--tasks", "--home", str(tmp_path)]) == 0
    assert (tmp_path / "downloads" / "test.json").read_bytes() == b"[1]\n"
    assert "train.json" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(["pull", "moovie"], "did you mean 'movie'?"), (["pull", "art", "--offline"], "run once without --offline")],
)
def test_wrong_use_is_reported(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("graphs", [*arguments, "--home", str(tmp_path)]) == 1
    assert message in capsys.readouterr().err
