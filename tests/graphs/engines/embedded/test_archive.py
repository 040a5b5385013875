"""The archive of the engine's classes: written once, used if possible, and harmless if damaged."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphground.graphs.engines.embedded import launcher
from graphground.graphs.engines.embedded.launcher import (
    ARCHIVE_FOLDER,
    MAGIC,
    archive_file,
    archive_options,
    end_engine,
    ensure_engine,
)
from graphground.graphs.storage.home import Home


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The place of an archive that has not been written."""
    monkeypatch.setenv(ARCHIVE_FOLDER, str(tmp_path / "archives"))
    monkeypatch.setattr(launcher, "_writing", [])
    found = archive_file()
    assert found is not None
    return found


def test_the_archive_setting_is_a_word_that_disables_it_or_a_folder(
    file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert file.parent == tmp_path / "archives"
    monkeypatch.setenv(ARCHIVE_FOLDER, "off")
    assert archive_file() is None
    assert archive_options(write=True) == []


def test_one_engine_writes_the_archive_and_all_others_use_it(file: Path) -> None:
    assert archive_options(write=False) == [], "a loading process writes none"
    assert archive_options(write=True) == [f"-XX:AOTCacheOutput={file}"]
    assert archive_options(write=True) == [], "another process writes it already"
    file.write_bytes(bytes(4096))
    assert archive_options(write=False) == [], "a JVM was killed while it wrote it"
    file.write_bytes(MAGIC)
    assert archive_options(write=True) == archive_options(write=False) == [f"-XX:AOTCache={file}"]


def test_a_folder_that_cannot_be_written_means_no_archive(file: Path) -> None:
    file.parent.write_text("a file where the folder should be")
    assert archive_options(write=True) == []


@pytest.mark.engine
def test_an_engine_starts_despite_a_file_that_is_no_archive(home: Home, file: Path) -> None:
    file.parent.mkdir()
    file.write_bytes(MAGIC + b"no archive" * 1000)
    try:
        assert ensure_engine(home).port
    finally:
        end_engine(home)
