"""The archive of the engine's classes: created once, used if possible, and harmless if damaged."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from graphground.graphs.engines.embedded import archive
from graphground.graphs.engines.embedded.launcher import end_engine, ensure_engine
from graphground.graphs.storage.home import Home


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


def test_the_archive_setting_is_a_word_that_disables_it_or_a_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(archive.FOLDER, "off")
    assert archive.archive_file() is None
    assert archive.archive_option(None) == []
    monkeypatch.setenv(archive.FOLDER, str(tmp_path))
    file = archive.archive_file()
    assert file is not None
    assert file.parent == tmp_path
    assert archive.archive_option(file) == [], "it is not made yet"
    file.touch()
    assert archive.archive_option(file) == [], "a JVM was killed while it wrote it"
    file.write_bytes(b"classes")
    assert archive.archive_option(file) == [f"-XX:AOTCache={file}"]


def test_an_engine_whose_files_were_replaced_gets_another_archive(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    jar = tmp_path / "engine.jar"
    jar.write_bytes(b"classes")
    monkeypatch.setattr(archive, "jar_files", lambda: [jar])
    before = archive.archive_file()
    assert before == archive.archive_file()
    os.utime(jar, (0, 0))
    assert archive.archive_file() != before, "a JVM refuses an archive if the time of a jar has changed"


def test_unused_archives_are_removed_and_those_of_other_installations_stay(tmp_path: Path) -> None:
    current, earlier, orphan, other, unknown, old = (tmp_path / f"engine-{number}.aot" for number in range(6))
    for file in (current, earlier, orphan, other, unknown, old):
        file.write_bytes(b"classes")
    for file, installation in ((current, sys.prefix), (earlier, sys.prefix), (orphan, "/gone"), (other, str(tmp_path))):
        file.with_suffix(".json").write_text(json.dumps({"installation": installation}))
    (tmp_path / "another file").touch()
    os.utime(old, (0, 0))
    archive.remove_stale(current)
    assert {path.name for path in tmp_path.iterdir()} == {
        "another file",
        *(f"{file.stem}{suffix}" for file in (current, other) for suffix in (".aot", ".json")),
        unknown.name,
    }


@pytest.mark.engine
def test_an_engine_starts_despite_a_damaged_archive(
    home: Home, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(archive.FOLDER, str(tmp_path))
    file = archive.archive_file()
    assert file is not None
    file.write_bytes(b"no archive" * 1000)
    try:
        assert ensure_engine(home).port
    finally:
        end_engine(home)


@pytest.mark.slow
@pytest.mark.engine
@pytest.mark.parametrize("anew", [False, pytest.param(True, marks=pytest.mark.long)])  # creating it takes 15 s
def test_the_next_engine_uses_the_linked_classes_of_an_archive(
    anew: bool, home: Home, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if anew:
        monkeypatch.setenv(archive.FOLDER, str(tmp_path))
    file = archive.archive_file()
    assert file is not None
    assert archive.make_archive(file)
    assert file.stat().st_size > 10_000_000
    assert archive.make_archive(file), "it is there already"
    log = tmp_path / "jvm.log"
    # In this mode a JVM that cannot use the archive does not start.
    monkeypatch.setenv("GRAPHGROUND_ENGINE_JVM_ARGS", f"-XX:AOTMode=on -Xlog:aot=info:file={log}")
    try:
        assert ensure_engine(home).port
    finally:
        end_engine(home)
    assert "AOT-linked classes: true" in log.read_text()
