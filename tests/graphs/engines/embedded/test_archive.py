"""The archive of the engine's classes: written once, used if possible, and harmless if damaged."""

from __future__ import annotations

import os
import shutil
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
    is_complete,
)
from graphground.graphs.storage.home import Home
from tests.support.engine_archive import write_archive


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


def test_an_engine_whose_files_were_replaced_gets_another_archive(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    jar = tmp_path / "engine.jar"
    jar.write_bytes(b"classes")
    monkeypatch.setattr(launcher, "jar_files", lambda: [jar])
    before = archive_file()
    assert before == archive_file()
    os.utime(jar, (0, 0))
    assert archive_file() != before, "a JVM refuses an archive if the time of a jar has changed"


def test_archives_that_no_engine_has_used_for_a_month_are_removed(file: Path) -> None:
    file.parent.mkdir()
    old, used = file.with_name("engine-1.aot"), file.with_name("engine-2.aot")
    for other in (old, used):
        other.write_bytes(MAGIC)
    os.utime(old, (0, 0))
    archive_options(write=True)
    assert not old.exists()
    assert used.exists()


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


OF_THIS_MACHINE = archive_file()
"""The archive that `.ci/run` lets an engine write before the tests, because writing one takes twelve seconds."""


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.engine
def test_an_archive_that_an_engine_wrote_is_used_and_its_damage_does_no_harm(
    home: Home, file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if OF_THIS_MACHINE is not None and is_complete(OF_THIS_MACHINE):
        file.parent.mkdir()
        shutil.copy2(OF_THIS_MACHINE, file)
    else:
        write_archive(home)
    assert file.stat().st_size > 10_000_000
    log = tmp_path / "launcher.log"
    # In this mode a JVM that cannot use the archive does not start.
    monkeypatch.setenv("GRAPHGROUND_ENGINE_JVM_ARGS", f"-XX:AOTMode=on -Xlog:aot=info:file={log}")
    ensure_engine(home)
    end_engine(home)
    assert "AOT-linked classes: true" in log.read_text()
    monkeypatch.delenv("GRAPHGROUND_ENGINE_JVM_ARGS")
    with file.open("r+b") as content:
        content.seek(file.stat().st_size // 3)
        content.write(b"?" * (file.stat().st_size // 3))
    try:
        assert ensure_engine(home).port, "a JVM crashes on it, and the next one starts without it"
        assert not file.exists()
    finally:
        end_engine(home)
