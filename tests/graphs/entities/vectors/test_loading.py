"""A model that takes seconds to load is loaded in the background without blocking other work."""

import json
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphground.graphs.entities.build import build_index
from graphground.graphs.entities.candidate import Record
from graphground.graphs.entities.index import open_index
from graphground.graphs.entities.vectors import building
from graphground.graphs.entities.vectors.building import STATIC, EncoderMissing, build_vectors, encoder

SLOW = "a-slow-model"
MODULE = """
import gate
gate.begun.set()
gate.opened.wait(30)
from graphground.graphs.entities.vectors.building import STATIC, encoder
if gate.broken:
    raise OSError("the model's files are gone")

class SentenceTransformer:
    def __init__(self, place, device): ...
    def encode(self, texts, **options):
        return encoder(STATIC).encode(texts)
"""


class Gate:
    """A gate that blocks the import of the library until the test opens it."""

    def __init__(self) -> None:
        self.begun, self.opened, self.broken = threading.Event(), threading.Event(), False


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    """Install a module named sentence_transformers whose import blocks while the gate is closed."""
    (tmp_path / "library").mkdir()
    (tmp_path / "library" / "sentence_transformers.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path / "library")
    gate = Gate()
    monkeypatch.setitem(sys.modules, "gate", gate)
    monkeypatch.delitem(sys.modules, "sentence_transformers", raising=False)
    building.encoder.cache_clear()
    yield gate
    gate.opened.set()
    for thread in threading.enumerate():
        if thread.name == "sentence-transformers":
            thread.join(30)
    sys.modules.pop("sentence_transformers", None)
    building.encoder.cache_clear()


@pytest.fixture
def folder(tmp_path: Path, gate: Gate) -> Path:
    """Build an index with vectors that name the slow model as their source; return its folder."""
    build_index(tmp_path / "i", [Record("1", "Thing", "car"), Record("2", "Thing", "bread")])
    build_vectors(open_index(tmp_path / "i")._files, encoder(STATIC))
    meta = tmp_path / "i" / "vectors" / "meta.json"
    meta.write_text(json.dumps({**json.loads(meta.read_text()), "model": SLOW}))
    return tmp_path / "i"


def test_opening_a_graph_with_vectors_starts_loading_their_model_without_waiting(folder: Path, gate: Gate) -> None:
    index = open_index(folder)
    assert gate.begun.wait(30)
    assert index.find("bread")[0].name == "bread"
    assert [candidate.match for candidate in index.find("automobile")] == []
    gate.opened.set()
    assert index.find("automobile", mode="vector", limit=1)[0].name == "car"
    assert index.find("automobile", limit=1)[0].match == "vector"


def test_if_a_model_cannot_be_loaded_the_mode_auto_works_and_the_reason_is_reported(folder: Path, gate: Gate) -> None:
    gate.broken = True
    gate.opened.set()
    index = open_index(folder)
    with pytest.raises(EncoderMissing, match="could not be loaded: the model's files are gone"):
        index.find("automobile", mode="vector")
    assert index.find("bred")[0].name == "bread"
