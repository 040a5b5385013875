"""Builds of vectors: what a killed build leaves is not used, and two builds at once are refused."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from graphground.graphs.entities.build import build_index
from graphground.graphs.entities.candidate import Record
from graphground.graphs.entities.files import Files
from graphground.graphs.entities.vectors import building
from graphground.graphs.entities.vectors.building import STATIC, VectorStore, build_vectors, encoder

WORDS = [
    "red", "blue", "green", "big", "small", "old", "new", "wild", "tame", "fast", "slow", "loud", "car", "train",
    "dog", "horse", "bread", "wine", "house", "river", "mountain", "book", "song", "king", "queen", "soldier",
    "teacher", "forest", "island", "bridge", "castle", "garden",
]  # fmt: skip


def records(count: int) -> list[Record]:
    """Return records with names of three words; the first label is large, the second small."""
    rng = np.random.default_rng(3)
    names = [" ".join(WORDS[place] for place in rng.choice(len(WORDS), 3, replace=False)) for _ in range(count + 50)]
    return [Record(str(number), "Thing" if number < count else "Other", name) for number, name in enumerate(names)]


@pytest.fixture
def files(tmp_path: Path) -> Files:
    build_index(tmp_path / "i", records(3_000))
    return Files(tmp_path / "i")


KILLED = """
import os, sys
from pathlib import Path
from graphground.graphs.entities.files import Files
from graphground.graphs.entities.vectors import building
from graphground.graphs.entities.vectors.building import STATIC, encoder
building._TEXTS_AT_ONCE = 500
def report(step, done, total):
    if done >= 1500:
        os.kill(os.getpid(), 9)
building.build_vectors(Files(Path(sys.argv[1])), encoder(STATIC), progress=report)
"""


@pytest.mark.skipif(os.name == "nt", reason="kill -9")
def test_after_a_killed_build_older_vectors_stay_in_use_until_a_build_is_complete(files: Files) -> None:
    build_vectors(files, encoder(STATIC), ["Other"])
    killed = subprocess.run([sys.executable, "-c", KILLED, str(files.folder)], timeout=100)
    assert killed.returncode == -9
    assert VectorStore(files).names == 50
    reports = []
    build_vectors(files, encoder(STATIC), progress=lambda *report: reports.append(report))
    assert reports[-1] == ("vectors", 3_050, 3_050)
    assert VectorStore(files).names == 3_050
    build_vectors(files, encoder(STATIC), progress=lambda *report: pytest.fail("the vectors exist"))


def test_two_builds_at_once_are_refused(files: Files) -> None:
    from filelock import FileLock

    with FileLock(files.folder / "vectors.lock"), pytest.raises(building.BuildRunning):
        build_vectors(files, encoder(STATIC))
