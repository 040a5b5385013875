"""Starts the Java virtual machine in which ArcadeDB runs.

ArcadeDB's own starter adds the incubating module `jdk.incubator.vector`. With it, a JVM ignores the linked classes of
an archive (see `archive`) and takes a third longer to start. Only ArcadeDB's vector index uses that module, and no
graph here has such an index.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

OPTIONS = (
    "-Djava.awt.headless=true",
    "-Dfile.encoding=UTF8",
    "-XX:+UseCompactObjectHeaders",
    "-XX:-UsePerfData",
    "-XX:+ExitOnOutOfMemoryError",
    "--enable-native-access=ALL-UNNAMED",
    # ArcadeDB reads fields of these packages by reflection.
    "--add-opens=java.base/java.util.concurrent.atomic=ALL-UNNAMED",
    "--add-opens=java.base/java.nio.channels.spi=ALL-UNNAMED",
    "--add-opens=java.base/java.lang=ALL-UNNAMED",
)


def start_jvm(heap: str, logs: Path, options: Sequence[str]) -> None:
    """Start the JVM of this process with ArcadeDB's classes: `start_jvm("2g", folder / "log", ["-XX:+UseSerialGC"])`.

    `heap` is the maximum heap. `logs` is an existing folder for ArcadeDB's log and for a report if the JVM crashes.

    Raises:
        OSError: this process has started a JVM before.
        ArcadeDBError: the Java library that comes with ArcadeDB is missing.
    """
    import jpype

    jpype.startJVM(
        jvm_library(),
        *OPTIONS,
        f"-Xmx{heap}",
        f"-XX:ErrorFile={logs / 'jvm-crash-%p.log'}",
        f"-Darcadedb.server.logsDirectory={logs}",
        *options,
        classpath=os.pathsep.join(map(str, jar_files())),
        interrupt=False,  # Python handles SIGINT, not the JVM
    )


def jar_files() -> list[Path]:
    """Return the jars of the engine, sorted, because an archive is valid for one order of the class path."""
    return sorted((_package_folder() / "jars").glob("*.jar"))


def jvm_library() -> str:
    """Return the path of the library of the Java that comes with the engine: `…/jre/lib/server/libjvm.so` on Linux.

    Raises:
        ArcadeDBError: the library is missing.
    """
    for part in ("lib/server/libjvm.so", "lib/server/libjvm.dylib", "bin/server/jvm.dll"):
        if (file := _package_folder() / "jre" / part).exists():
            return str(file)
    from arcadedb_embedded.jvm import get_bundled_jre_lib_path

    return str(get_bundled_jre_lib_path())


def _package_folder() -> Path:
    """Return the folder of the package `arcadedb_embedded`; importing the package would take 50 ms."""
    spec = find_spec("arcadedb_embedded")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent
