"""HNSW indexes over large labels: built after the vectors, memory-mapped, and used only if complete."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from graphground.graphs.entities.build import build_index
from graphground.graphs.entities.files import Files
from graphground.graphs.entities.index import open_index
from graphground.graphs.entities.record import Record
from graphground.graphs.entities.vectors import approximate, building
from graphground.graphs.entities.vectors.approximate import LibraryMissing
from graphground.graphs.entities.vectors.building import build_vectors, estimate
from graphground.graphs.entities.vectors.encoders import STATIC, encoder
from graphground.graphs.entities.vectors.store import VectorStore

WORDS = [
    "red",
    "blue",
    "green",
    "big",
    "small",
    "old",
    "new",
    "wild",
    "tame",
    "fast",
    "slow",
    "loud",
    "car",
    "train",
    "dog",
    "horse",
    "bread",
    "wine",
    "house",
    "river",
    "mountain",
    "book",
    "song",
    "king",
    "queen",
    "soldier",
    "teacher",
    "forest",
    "island",
    "bridge",
    "castle",
    "garden",
]

pytest.importorskip("usearch")


def records(count: int) -> list[Record]:
    """Return records with names of three words; the first label is large, the second small."""
    rng = np.random.default_rng(3)
    names = [" ".join(WORDS[place] for place in rng.choice(len(WORDS), 3, replace=False)) for _ in range(count + 50)]
    return [Record(str(number), "Thing" if number < count else "Other", name) for number, name in enumerate(names)]


@pytest.fixture
def files(tmp_path: Path) -> Files:
    build_index(tmp_path / "i", records(3_000))
    return Files(tmp_path / "i")


def test_an_hnsw_index_finds_at_least_nine_tenths_of_the_nearest_entities(files: Files) -> None:
    assert build_vectors(files, encoder(STATIC), ann=1_000)
    store = VectorStore(files)
    assert store.approximate == 3_000
    column, found, expected = store.names_column, 0, 0
    for mention in ("automobile", "a ship on the river", "old monarch", "scarlet mare", "brook", "novel"):
        vector = encoder(STATIC).encode([mention])[0]
        least = column.nearest(vector, 0, 1 << 32, 10, exact=True)[-1][1]
        nearest = column.nearest(vector, 0, 1 << 32, 10)
        assert len(nearest) == 10
        found += sum(cosine >= least - 1e-6 for _, cosine in nearest)
        expected += 10
    assert found >= 0.9 * expected


def test_results_are_filtered_by_label_with_and_without_an_hnsw_index(files: Files) -> None:
    build_vectors(files, encoder(STATIC), ann=1_000)
    index = open_index(files.folder)
    assert {candidate.label for candidate in index.find("automobile", mode="vector", limit=20)} >= {"Thing"}
    assert {candidate.label for candidate in index.find("automobile", label="Other", mode="vector", limit=20)} == {
        "Other"
    }
    assert {candidate.label for candidate in index.find("automobile", label="Thing", mode="vector", limit=20)} == {
        "Thing"
    }


def test_small_labels_have_no_hnsw_index_and_a_threshold_of_zero_disables_all(files: Files) -> None:
    assert building.large_labels(files, np.arange(3_050), 1_000)
    assert estimate(files, encoder(STATIC), ann=1_000).approximate == 3_000
    assert estimate(files, encoder(STATIC), ann=0).approximate == 0
    assert estimate(files, encoder(STATIC)).approximate == 0
    assert build_vectors(files, encoder(STATIC), ann=0)
    assert VectorStore(files).approximate == 0


def test_a_stopped_build_of_an_hnsw_index_is_resumed_and_not_used_before_it_is_complete(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(approximate, "_AT_ONCE", 500)
    build_vectors(files, encoder(STATIC), ann=0)
    stop_answers = iter([False, False, True])
    assert not build_vectors(files, encoder(STATIC), ann=1_000, stop=lambda: next(stop_answers))
    folder = files.folder / "vectors" / "names"
    assert [file.name for file in folder.glob("near-*")] == ["near-0-1000.part"]
    store = VectorStore(files)
    assert store.approximate == 0
    assert store.nearest(encoder(STATIC).encode(["automobile"])[0], 0, 1 << 32, 3)
    reports = []
    assert build_vectors(files, encoder(STATIC), ann=1_000, progress=reports.append)
    assert [progress.done for progress in reports] == [1_500, 2_000, 2_500, 3_000]
    assert [file.name for file in folder.glob("near-*")] == ["near-0-3000.usearch"]
    assert VectorStore(files).approximate == 3_000


def test_an_hnsw_index_is_memory_mapped_and_built_once(files: Files) -> None:
    build_vectors(files, encoder(STATIC), ann=1_000)
    file = files.folder / "vectors" / "names" / "near-0-3000.usearch"
    before = file.stat().st_mtime_ns
    assert build_vectors(files, encoder(STATIC), ann=1_000)
    assert file.stat().st_mtime_ns == before
    store = VectorStore(files)
    store.nearest(encoder(STATIC).encode(["automobile"])[0], 0, 1 << 32, 3)
    if sys.platform == "linux":
        assert file.name in Path("/proc/self/maps").read_text()


def test_an_incomplete_file_is_not_used(files: Files) -> None:
    build_vectors(files, encoder(STATIC), ann=1_000)
    file = files.folder / "vectors" / "names" / "near-0-3000.usearch"
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    store = VectorStore(files)
    assert store.nearest(encoder(STATIC).encode(["automobile"])[0], 0, 1 << 32, 3)
    assert store.approximate == 0


def test_without_the_library_all_vectors_are_compared_and_the_error_explains_the_installation(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_vectors(files, encoder(STATIC), ann=1_000)
    monkeypatch.setattr(approximate, "installed", lambda: False)
    store = VectorStore(files)
    assert store.approximate == 0
    assert store.nearest(encoder(STATIC).encode(["automobile"])[0], 0, 1 << 32, 3)
    with pytest.raises(LibraryMissing, match=r"pip install 'graphground\[ann\]'"):
        build_vectors(files, encoder(STATIC), ann=500)


KILLED = """
import os, sys
from pathlib import Path
from graphground.graphs.entities.files import Files
from graphground.graphs.entities.vectors import building
from graphground.graphs.entities.vectors.encoders import STATIC, encoder
building._AT_ONCE = 500
def report(step):
    if step.done >= 1500:
        os.kill(os.getpid(), 9)
building.build_vectors(Files(Path(sys.argv[1])), encoder(STATIC), progress=report)
"""


@pytest.mark.skipif(os.name == "nt", reason="kill -9")
def test_after_a_killed_build_older_vectors_stay_in_use_and_the_build_is_resumed(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_vectors(files, encoder(STATIC), ["Other"])
    killed = subprocess.run([sys.executable, "-c", KILLED, str(files.folder)], timeout=100)
    assert killed.returncode == -9
    assert VectorStore(files).names == 50
    assert estimate(files, encoder(STATIC)).done == 1_500
    reports = []
    monkeypatch.setattr(building, "_AT_ONCE", 1_000)
    assert build_vectors(files, encoder(STATIC), progress=reports.append)
    assert [progress.done for progress in reports] == [2_500, 3_050]
    assert VectorStore(files).names == 3_050


def test_two_builds_at_once_are_refused(files: Files) -> None:
    from filelock import FileLock

    with FileLock(files.folder / "vectors.lock"), pytest.raises(building.BuildRunning):
        build_vectors(files, encoder(STATIC))
