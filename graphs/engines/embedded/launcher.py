"""Finds, starts and ends the engine process of a data folder, and starts the Java virtual machine inside a process.

The process publishes its address in a state file, which only its owner can read.

ArcadeDB's own starter adds the incubating module `jdk.incubator.vector`. With it, a JVM ignores the linked classes of
an archive and takes a third longer to start. Only ArcadeDB's vector index uses that module, and no graph here has such
an index. Reading, checking and linking 12,000 classes takes half of the engine's start. Java 25 writes the linked
classes into one file, the archive, when a JVM ends in order (JEP 514); later JVMs map it into memory. The first engine
of an installation writes the archive when it stops, so that no separate training run is needed.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from graphground.graphs.engines.client_context import report_stage
from graphground.graphs.engines.engine import EngineUnavailable
from graphground.graphs.storage.home import SCRATCH, Home, replacing

ARCHIVE_FOLDER = "GRAPHGROUND_ENGINE_ARCHIVE"
UNUSED_SECONDS = 30 * 86_400
"""Seconds without a start after which the archive of another version or installation is removed."""
MAGIC = b"\xa2\xab\x0b\xf0"
OPTIONS = (
    "-Djava.awt.headless=true",
    "-Dfile.encoding=UTF8",
    "-XX:+UseCompactObjectHeaders",
    "-XX:-UsePerfData",
    "-XX:+ExitOnOutOfMemoryError",
    # An archive is mapped where it was written for, and 50 MB of pointers in it are not rewritten at each start.
    "-XX:+UnlockDiagnosticVMOptions",
    "-XX:ArchiveRelocationMode=0",
    "--enable-native-access=ALL-UNNAMED",
    # ArcadeDB reads fields of these packages by reflection.
    "--add-opens=java.base/java.util.concurrent.atomic=ALL-UNNAMED",
    "--add-opens=java.base/java.nio.channels.spi=ALL-UNNAMED",
    "--add-opens=java.base/java.lang=ALL-UNNAMED",
)


_writing: list[FileLock] = []
"""The lock on the archive that this process's JVM writes at its end; empty if it writes none."""


def archive_file() -> Path | None:
    """Return the path of this installation's archive, which may not exist yet; None if archives are switched off.

    The name depends on the sizes and times of the engine's jars, because a JVM refuses an archive whose jars have been
    replaced, even by the same version.
    """
    import platformdirs

    folder = os.environ.get(ARCHIVE_FOLDER, "").strip()
    if folder.lower() == "off":
        return None
    place = Path(folder).expanduser() if folder else platformdirs.user_cache_path("graphground")
    jars = [(str(jar), jar.stat().st_size, int(jar.stat().st_mtime)) for jar in jar_files()]
    content = f"{jars} {OPTIONS} {sys.version_info[:2]}"
    return place / f"engine-{hashlib.sha256(content.encode()).hexdigest()[:16]}.aot"


def archive_options(*, write: bool) -> list[str]:
    """Return the JVM options that use the archive, or with `write`, if it does not exist, those that write it.

    Only one process at a time writes it. A folder that cannot be written means no archive.
    """
    with suppress(OSError, Timeout):
        file = archive_file()
        if file is not None and is_complete(file):
            with suppress(OSError):
                os.utime(file)
            return [f"-XX:AOTCache={file}"]
        if file is not None and write:
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = FileLock(file.with_suffix(".lock"), timeout=0)
            lock.acquire()
            _writing.append(lock)
            for other in file.parent.glob("engine-*.aot*"):  # an unfinished one leaves `.aot.config`
                if time.time() - other.stat().st_mtime > UNUSED_SECONDS:
                    other.unlink()
            return [f"-XX:AOTCacheOutput={file}"]
    return []


def is_complete(file: Path) -> bool:
    """Whether an archive has been written to its end: a JVM writes the first bytes, a magic number, last."""
    try:
        with file.open("rb") as content:
            return content.read(4) == MAGIC
    except OSError:
        return False


def remove_archive(log: Path) -> bool:
    """Remove the archive if the JVM with this log has crashed, as it may if the archive is damaged.

    Return whether it was removed, so that another try makes sense.
    """
    file = archive_file()
    with suppress(OSError):
        if file is not None and b"fatal error has been detected by the Java Runtime" in log.read_bytes():
            file.unlink()
            return True
    return False


def end_jvm() -> None:
    """End this process: at once, or in the order in which its JVM writes the archive, which takes seconds."""
    import jpype

    if _writing:
        jpype.JClass("java.lang.System").exit(0)
    os._exit(0)  # threads of the JVM would keep an ordinary exit waiting


def start_jvm(heap: str, logs: Path, options: Sequence[str], *, write_archive: bool = False) -> None:
    """Start the JVM of this process with ArcadeDB's classes: `start_jvm("2g", folder / "log", ["-XX:+UseSerialGC"])`.

    `heap` is the maximum heap. `logs` is an existing folder for ArcadeDB's log and for a report if the JVM crashes.
    With `write_archive`, `end_jvm` writes the archive of classes if there is none.

    Raises:
        OSError: this process has started a JVM before.
        ArcadeDBError: the Java library that comes with ArcadeDB is missing.
    """
    import jpype

    jpype.startJVM(
        jvm_library(),
        *OPTIONS,
        *archive_options(write=write_archive),
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


HEAP = "GRAPHGROUND_ENGINE_HEAP"
IDLE = "GRAPHGROUND_ENGINE_IDLE_S"
JVM = "GRAPHGROUND_ENGINE_JVM_ARGS"
LEAST_MIB, MOST_MIB = 2048, 4096


def default_heap() -> str:
    """Return the default maximum heap: a sixth of the memory, between 2 and 4 GiB (`"2730m"` for 16 GiB)."""
    return f"{max(LEAST_MIB, min(MOST_MIB, memory_mib() // 6))}m"


def memory_mib() -> int:
    """Return the memory of this machine, or the smaller limit of its container, in MiB; 0 if it is unknown."""
    sizes = []
    with suppress(AttributeError, ValueError, OSError):
        sizes.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    with suppress(ValueError, OSError):
        sizes.append(int(Path("/sys/fs/cgroup/memory.max").read_text()))
    return min(sizes, default=0) >> 20


@dataclass(frozen=True, slots=True)
class EmbeddedSettings:
    """The settings of the embedded engine: `EmbeddedSettings(heap="2g", idle_seconds=900)`.

    `GRAPHGROUND_ENGINE_HEAP` is the maximum heap (`512m`, `2g`), by default a sixth of the machine's memory, between 2
    and 4 GiB. `GRAPHGROUND_ENGINE_IDLE_S` is the number of seconds without a query after which the engine stops, and
    `GRAPHGROUND_ENGINE_JVM_ARGS` holds further JVM options.
    """

    heap: str = field(default_factory=default_heap)
    idle_seconds: float = 900.0
    jvm_args: tuple[str, ...] = ()

    @property
    def page_mib(self) -> int:
        """The part of the heap, in MiB, for pages of the database files: three eighths.

        With the engine's own default, a quarter, scans of a graph of three million nodes read the same pages
        repeatedly: 100 s instead of 15 s. ArcadeDB lets running queries use half of the heap.
        """
        return int(self.heap[:-1]) * (1024 if self.heap.endswith("g") else 1) * 3 // 8

    @classmethod
    def from_environment(cls) -> EmbeddedSettings:
        """Read the settings from the environment variables.

        Raises:
            EngineUnavailable: a variable is invalid.
        """
        heap = os.environ.get(HEAP, "").strip().lower() or default_heap()
        if not re.fullmatch(r"\d+[mg]", heap):
            raise EngineUnavailable(f"{HEAP} is {heap!r}; write a size such as 512m or 2g")
        idle = os.environ.get(IDLE, "900")
        try:
            seconds = float(idle)
        except ValueError:
            raise EngineUnavailable(f"{IDLE} is {idle!r}; write a number of seconds") from None
        options = os.environ.get(JVM, "")
        try:
            return cls(heap, seconds, tuple(shlex.split(options)))
        except ValueError:
            raise EngineUnavailable(f"{JVM} is {options!r}; close every quotation mark") from None


_starting = threading.Lock()
START_SECONDS = 90.0
STOP_SECONDS = 10.0


def ensure_engine(home: Home) -> EngineState:
    """Return the state of a data folder's running engine process, started if necessary; safe to call concurrently.

    Raises:
        EngineUnavailable: the process cannot start on this machine; the message gives the reason.
    """
    if (state := running_engine(home)) is not None:
        return state
    require_arcadedb()
    home.make()
    try:
        # A `FileLock` is polled twenty times a second; threads of this process wait for each other instead.
        with _starting, start_lock(home, START_SECONDS):
            return running_engine(home) or _start(home)
    except Timeout:
        raise EngineUnavailable(
            f"The engine of {home.folder} did not start within {START_SECONDS:g} s; see {home.engine / 'engine.log'}."
        ) from None


def start_in_background(home: Home) -> None:
    """Start the engine process while the caller does something else; the call that needs it reports a problem."""

    def start() -> None:
        with suppress(EngineUnavailable):
            ensure_engine(home)

    threading.Thread(target=start, name="graphground-engine", daemon=True).start()


def end_engine(home: Home, *, kill: bool = False) -> bool:
    """Stop the engine process and wait until it has ended; return False if it was not running.

    With `kill` the process does not close its databases, which is safe because they are open read-only.
    """
    with start_lock(home, START_SECONDS):
        state = EngineState.read(home)
        if state is None or not is_alive(home):
            return False
        _signal(state, kill=kill)
        if not _gone(home, STOP_SECONDS):
            _signal(state, kill=True)
            _gone(home, STOP_SECONDS)
        state_file(home).unlink(missing_ok=True)
        return True


def kill_engine(home: Home, instance: str) -> None:
    """Kill the engine process `instance`; does nothing if another process has replaced it.

    When this returns, none of the process's queries is running; its memory may take longer to become free.
    """
    with start_lock(home, START_SECONDS):
        state = EngineState.read(home)
        if state is not None and state.instance == instance:
            state_file(home).unlink(missing_ok=True)
            if is_alive(home):
                _signal(state, kill=True)


def _signal(state: EngineState, *, kill: bool) -> None:
    with suppress(ProcessLookupError):
        os.kill(state.pid, getattr(signal, "SIGKILL", signal.SIGTERM) if kill else signal.SIGTERM)


def running_engine(home: Home) -> EngineState | None:
    """Return the state of a data folder's engine process; None if none runs that accepts connections."""
    state = EngineState.read(home)
    return state if state is not None and is_alive(home) and listens(state.port) else None


def listens(port: int) -> bool:
    """Whether a process accepts connections at this port of this machine."""
    with socket.socket() as probe:
        probe.settimeout(1.0)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def require_arcadedb() -> None:
    """Raise an error if the embedded engine is not installed.

    Raises:
        EngineUnavailable: the engine is not installed; the message names an alternative.
    """
    if find_spec("arcadedb_embedded") is None:
        raise EngineUnavailable(
            "The embedded engine is not installed (it runs on Linux x86-64 and arm64 with glibc 2.34 or newer, macOS on "
            "arm64, and Windows). Use your own database: serve it with --uri or NEO4J_URI; "
            "`graphground graphs load FILE --into URI` loads a file into it."
        )


def _start(home: Home) -> EngineState:
    report_stage("starting the embedded engine")
    EmbeddedSettings.from_environment()  # reports a wrong setting clearly
    state_file(home).unlink(missing_ok=True)
    _gone(home, STOP_SECONDS)  # wait for a process that was killed a moment ago
    used_file(home).touch()
    log = home.engine / "engine.log"
    if log.exists():
        os.replace(log, home.engine / "engine.before.log")
    options: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        options = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.DETACHED_PROCESS}
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "graphground.graphs.engines.embedded.process", str(home.folder)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=home.engine,
            **options,
        )
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        state = EngineState.read(home)
        if state is not None and listens(state.port):
            # The child may outlive this process. If it ends earlier, its exit status is collected: no zombie remains.
            threading.Thread(target=process.wait, name="graphground-engine", daemon=True).start()
            return state
        code = process.poll()
        if code is not None and remove_archive(log):
            return _start(home)
        if code is not None and (code != ALREADY_RUNNING or not is_alive(home)):
            lines = log.read_text("utf-8", "replace").strip().splitlines()
            reason = lines[-1].strip().rstrip(".") if lines else "it printed nothing"
            raise EngineUnavailable(
                f"The engine could not start (exit status {code}): {reason}. The full log is {log}."
            )
        time.sleep(0.005)
    process.kill()
    process.wait()
    raise EngineUnavailable(f"The engine did not start within {START_SECONDS:g} s; see {log}.")


def _gone(home: Home, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while is_alive(home):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


if sys.platform != "win32":
    import fcntl

EXPORTER = "exporter"
"""The user whose queries may take any time; the password is that of `reader`."""
SCRATCH_DATABASE = f"{SCRATCH}engine"
"""The name of the engine process's own empty database."""
ALREADY_RUNNING = 3
"""The exit status of an engine process that found another engine process running."""


@dataclass(frozen=True, slots=True)
class EngineState:
    """The contents of the state file: `EngineState(pid=4711, port=40123, instance="6f…", reader="…", root="…")`.

    `reader` and `root` are the passwords of the users with these names.
    """

    pid: int
    port: int
    instance: str
    reader: str
    root: str

    @classmethod
    def read(cls, home: Home) -> EngineState | None:
        """Read the state file; None if it does not exist or is invalid."""
        try:
            return cls(**json.loads(state_file(home).read_bytes()))
        except (OSError, ValueError, TypeError):
            return None

    def write(self, home: Home) -> None:
        """Replace the state file atomically; only its owner can read it."""
        with replacing(state_file(home), private=True) as file:
            file.write(json.dumps(asdict(self)).encode())


def state_file(home: Home) -> Path:
    return home.engine / "state.json"


def lifetime(home: Home) -> float:
    """Return the seconds since the engine process wrote its state file; 0 without a state file."""
    try:
        return max(0.0, time.time() - state_file(home).stat().st_mtime)
    except OSError:
        return 0.0


def used_file(home: Home) -> Path:
    """Return the file whose modification time is the time at which the engine was last used."""
    return home.engine / "used"


def alive_lock(home: Home, timeout: float = 0) -> FileLock:
    """Return the lock that a running engine process holds; the operating system releases it when the process dies."""
    return FileLock(home.engine / "alive.lock", timeout=timeout)


def start_lock(home: Home, timeout: float) -> FileLock:
    """Return the lock that is held while the engine is started, stopped or killed."""
    return FileLock(home.engine / "start.lock", timeout=timeout)


def still_runs(home: Home, instance: str) -> bool:
    """Whether the engine process `instance` is still running, and the port in the state file is therefore its own."""
    state = EngineState.read(home)
    return state is not None and state.instance == instance and is_alive(home)


def is_alive(home: Home) -> bool:
    """Whether an engine process is running, that is, whether its lock is held.

    On Unix the test takes a shared lock, so that any number of processes may test at once. On Windows the test holds
    the engine's lock for a moment, so that a simultaneous test by another process also returns True.
    """
    if sys.platform == "win32":
        try:
            with alive_lock(home):
                return False
        except Timeout:
            return True
    try:
        number = os.open(home.engine / "alive.lock", os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(number, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(number)
    return False
