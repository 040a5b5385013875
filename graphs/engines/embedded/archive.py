"""An archive of the engine's classes, with which a JVM starts in half the time.

    file = archive_file()      # <cache folder>/engine-1f0c….aot, or None if archives are switched off
    make_archive(file)         # runs a separate engine on a few queries, and records the classes that it loads

Reading, checking and linking 12,000 classes takes most of the engine's start. Java 25 writes the linked classes into
one file (JEP 483, 514), which later JVMs map into memory. The file is valid for one installation of the engine, its
Java and its options; a JVM that cannot use the file says so in its log and starts without it.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

import platformdirs
from filelock import FileLock, Timeout

from graphground.graphs.engines.embedded.jvm import OPTIONS, jar_files

FOLDER = "GRAPHGROUND_ENGINE_ARCHIVE"
OFF = "off"
MAKING_SECONDS = 180
KEPT_SECONDS = 30 * 86_400
"""Seconds for which an archive is kept if the installation that it belongs to is unknown."""
TRAINING = (
    "RETURN 1 AS one",
    "MATCH (a:A {name: $name})-[r:R]->(b:B) WHERE b.year > 1 RETURN a, r, b.name AS name ORDER BY name LIMIT 3",
    "MATCH p = (a:A)-[:R*1..2]->(b) RETURN length(p) AS steps, count(DISTINCT b) AS found",
    "MATCH (a:A) OPTIONAL MATCH (a)-[:R]->(b) WITH a, collect(b.name) AS names RETURN a.name, size(names) AS n",
    "MATCH (n) WHERE n.name IN ['x', 'y'] AND NOT EXISTS { MATCH (n)-[:R]->() } RETURN toUpper(n.name), labels(n)",
    "CALL () { MATCH (a:A) RETURN a.name AS name UNION MATCH (b:B) RETURN b.name AS name } RETURN name, date() AS day",
)
SCHEMA = {
    "name": "training",
    "entities": [
        {"label": "A", "properties": {}},
        {"label": "B", "properties": {"year": "int", "day": "date", "tags": "list[str]"}},
    ],
    "relations": [{"label": "R", "subj_label": "A", "obj_label": "B", "properties": {"since": "int"}}],
}
"""The schema of the graph that is loaded in the training run."""


def archive_file() -> Path | None:
    """Return the path of this installation's archive, which may not exist yet; None if archives are switched off.

    The name depends on the sizes and times of the engine's jars, because a JVM refuses an archive whose jars have been
    replaced, even by the same version.
    """
    folder = os.environ.get(FOLDER, "").strip()
    if folder.lower() == OFF:
        return None
    place = Path(folder).expanduser() if folder else platformdirs.user_cache_path("graphground")
    versions = f"{version('arcadedb-embedded')} {version('jpype1')} {sys.prefix} {sys.version_info[:2]}"
    jars = [(jar.name, jar.stat().st_size, int(jar.stat().st_mtime)) for jar in jar_files()]
    content = f"{versions} {jars} {OPTIONS} {SCHEMA} {TRAINING}"
    return place / f"engine-{hashlib.sha256(content.encode()).hexdigest()[:16]}.aot"


def archive_option(file: Path | None) -> list[str]:
    """Return the JVM options that make the JVM use the archive; an empty list if the archive does not exist."""
    return [f"-XX:AOTCache={file}"] if file is not None and is_made(file) else []


def is_made(file: Path) -> bool:
    """Whether the archive is complete; a JVM that was killed while writing it leaves an empty file."""
    return file.exists() and file.stat().st_size > 0


def make_in_background(file: Path) -> subprocess.Popen[bytes] | None:
    """Start a process that makes an archive at the lowest priority, and return the process.

    None if another process is making the archive already, or the process cannot be started.
    """
    with suppress(OSError, Timeout):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with FileLock(file.with_suffix(".lock"), timeout=0):
            pass
        return subprocess.Popen(
            [sys.executable, "-m", __name__, str(file)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    return None


def make_archive(file: Path) -> bool:
    """Make the archive now, unless it exists or another process is making it.

    Return whether it exists; False while another process is making it.

    A JVM writes the archive when it exits, so the training run is a separate process. After the archive is made, stale
    archives are removed.
    """
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(Timeout), FileLock(file.with_suffix(".lock"), timeout=0):
        if is_made(file):
            return True
        with tempfile.TemporaryDirectory(prefix="graphground-archive-") as folder:
            archive, log = Path(folder) / "engine.aot", Path(folder) / "training.log"
            with log.open("wb") as output:
                subprocess.run(
                    [sys.executable, "-m", f"{__package__}.training", folder, str(archive)],
                    check=True,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    timeout=MAKING_SECONDS,
                    env={**os.environ, FOLDER: OFF},
                )
            if not is_made(archive):
                raise OSError(f"the JVM wrote no archive: {log.read_text('utf-8', 'replace')[-2_000:]}")
            part = file.with_suffix(".part")
            part.write_bytes(archive.read_bytes())
            os.replace(part, file)
            file.with_suffix(".json").write_text(json.dumps({"installation": sys.prefix}), "utf-8")
        remove_stale(file)
        return True
    return False


def remove_stale(current: Path) -> None:
    """Remove the archives of earlier versions of this installation, and of installations that no longer exist.

    Each archive takes about 50 MB and would not be used again. Archives of other existing installations are kept. An
    archive whose installation is unknown is removed after `KEPT_SECONDS`.
    """
    for file in current.parent.glob("engine-*.aot"):
        if file == current:
            continue
        try:
            installation = json.loads(file.with_suffix(".json").read_text("utf-8"))["installation"]
            stale = installation == sys.prefix or not Path(installation).exists()
        except (OSError, ValueError, KeyError, TypeError):
            stale = time.time() - file.stat().st_mtime > KEPT_SECONDS
        if stale:
            # The lock file is kept: it is empty, and another process may hold its lock.
            for part in (file, file.with_suffix(".json"), file.with_suffix(".part")):
                with suppress(OSError):
                    part.unlink(missing_ok=True)


def main() -> None:
    """Make an archive at the lowest priority; failures are ignored, because an archive only saves time."""
    if hasattr(os, "nice"):
        os.nice(19)
    with suppress(OSError, subprocess.SubprocessError):
        make_archive(Path(sys.argv[1]))


if __name__ == "__main__":
    main()
