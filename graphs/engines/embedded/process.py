"""The engine process: `python -m graphground.graphs.engines.embedded.process HOME`.

The process runs ArcadeDB's server with only the Bolt plugin, on a free loopback port, and publishes the address in its
state file. It closes and deletes databases that have been removed from the catalog, and stops when it is idle. Its
output goes to `engine/engine.log` in the data folder `HOME`.
"""

from __future__ import annotations

import base64
import gc
import hashlib
import json
import os
import secrets
import shutil
import signal
import socket
import sys
import threading
import time
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from filelock import Timeout

from graphground.graphs.engines.embedded.launcher import (
    ALREADY_RUNNING,
    EXPORTER,
    SCRATCH_DATABASE,
    EmbeddedSettings,
    EngineState,
    alive_lock,
    end_jvm,
    listens,
    start_jvm,
    start_lock,
    state_file,
    used_file,
)
from graphground.graphs.storage.home import SCRATCH, Catalog, CatalogError, Home, replacing

TICK = 0.5
SHUT = {"opencypher.loadCsv.allowFileUrls": "false", "opencypher.loadCsv.allowRemoteUrls": "false"}
"""Settings that forbid every user, including root, to read files and addresses with LOAD CSV.

They are options of the JVM, because databases do not read them from the server's settings.
"""
TICKS_WITHOUT_STATE = 3
STOP_SECONDS = 5.0
MAX_QUERY_SECONDS = 660.0
"""Seconds above the longest time limit of a tool call; a query that runs longer has lost its client, and is terminated.

Exports run as another user, and may take any time.
"""
IGNORING_SECONDS = 60.0
"""Seconds for which such a query may ignore its termination before the engine process ends."""
PASSWORD_ITERATIONS = 1000
"""Rounds of PBKDF2. Few are enough, because the passwords are random and new at each start."""
NOTHING = {"resultSetLimit": -1, "readTimeout": -1, "access": [], "types": {"*": {"access": []}}}
READER = {**NOTHING, "types": {"*": {"access": ["readRecord"]}}}
"""The group of the users `reader` and `exporter`, who run the callers' queries and may only read records."""
ADMINISTRATOR = {
    **NOTHING,
    "access": ["updateSecurity", "updateSchema", "updateDatabaseSettings"],
    "types": {"*": {"access": ["createRecord", "readRecord", "updateRecord", "deleteRecord"]}},
}
LEAVING_SECONDS = 10.0
"""Seconds for which calls in progress can still query a database that has been removed from the catalog."""
BOLT_PLUGIN = "graphground-bolt:com.arcadedb.bolt.BoltProtocolPlugin"


class EngineProcess:
    """One ArcadeDB server, from start to stop."""

    def __init__(self, home: Home, settings: EmbeddedSettings) -> None:
        self.home, self.settings = home, settings
        self.state = EngineState(
            os.getpid(), free_port(), secrets.token_hex(8), secrets.token_hex(24), secrets.token_hex(24)
        )
        self.stopping = False
        self.server: Any = None
        self._failure: BaseException | None = None
        self._catalog_seen: object = None
        self._leaving: dict[str, float] = {}
        """For each database that is no longer in the catalog, the monotonic time at which this was first noticed."""
        self._problem = ""
        self._lost = 0

    def start(self) -> None:
        """Start the server and publish its address."""
        import jpype

        logs = self.home.engine / "log"
        logs.mkdir(exist_ok=True)
        start_jvm(
            self.settings.heap,
            logs,
            [
                "-Xms64m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=4",
                f"-Darcadedb.maxPageRAM={self.settings.page_mib}",
                # ArcadeDB opens no connections, but its HTTP client would read all certificate authorities at start.
                "-Djavax.net.ssl.trustStore=NONE",
                "-Darcadedb.polyglotEngineEnabled=false",  # searching for languages that are not installed takes a third of a second
                # ArcadeDB's own limit is four queries on two cores, which a single caller could use up;
                # each server limits its calls.
                "-Darcadedb.queryMaxConcurrent=-1",
                *self.settings.jvm_args,
                *(f"-Darcadedb.{key}={value}" for key, value in SHUT.items()),
            ],
            write_archive=True,
        )
        config = self.home.engine / "config"
        shutil.rmtree(config, ignore_errors=True)
        write_users(config, self.state)
        context = jpype.JClass("com.arcadedb.ContextConfiguration")()
        for key, value in server_settings(self.home, self.state).items():
            context.setValue(f"arcadedb.{key}", value)
        self.server = jpype.JClass("com.arcadedb.server.ArcadeDBServer")(context)
        starting = threading.Thread(target=self._start_server, name="graphground-start")
        starting.start()
        # Queries can be answered when Bolt listens; the HTTP listener, which starts later,
        # takes the same time once more.
        while starting.is_alive() and not listens(self.state.port):
            if not self.home.engine.exists():  # ArcadeDB may wait forever
                raise FileNotFoundError(f"{self.home.engine} was deleted while the engine was starting")
            time.sleep(0.01)
        if self._failure is None:
            self.state.write(self.home)
        starting.join()
        if self._failure is not None:
            raise self._failure
        self._make_scratch()
        # Only Bolt is used: stop the HTTP listener, with its MCP endpoint, as soon as it has started.
        self.server.getHttpServer().stopService()

    def _start_server(self) -> None:
        try:
            self.server.start()
        except BaseException as error:  # raised again by `start`
            self._failure = error

    def _make_scratch(self) -> None:
        """Create an empty database for compiling queries, because read-only databases do not say why a query fails."""
        import jpype

        try:
            shutil.rmtree(self.home.databases / SCRATCH_DATABASE, ignore_errors=True)
            self.server.createDatabase(
                SCRATCH_DATABASE, jpype.JClass("com.arcadedb.engine.ComponentFile$MODE").READ_WRITE
            )
        except Exception as error:
            log(f"{SCRATCH_DATABASE} cannot be created: {error}")

    def serve(self) -> None:
        """Run maintenance twice a second until the process is told to stop or is idle for too long; then stop.

        The process also stops if its state file is deleted or replaced, or if a query without a client ignores its
        termination. Callers whose queries are still running then retry them.
        """
        used = used_file(self.home)
        used.touch()
        while not self.stopping and self._lost < TICKS_WITHOUT_STATE:
            time.sleep(TICK)
            # Without a state file that names this process, no client can find it.
            state = EngineState.read(self.home)
            self._lost = 0 if state is not None and state.instance == self.state.instance else self._lost + 1
            try:
                self._tidy()
                self._problem = ""  # a problem that occurs again later is reported again
            except (CatalogError, OSError) as error:
                problem = f"the files of dropped graphs could not be deleted: {error}"
                if problem != self._problem:
                    self._problem = problem
                    log(problem)
            if self._end_orphans():
                log("a query without a client ignores its termination: the engine stops")
                break
            try:
                idle = time.time() - used.stat().st_mtime
            except OSError:
                continue  # if the folder was deleted, so was the state file
            if idle > self.settings.idle_seconds and self.server.getRunningQueries().size() == 0:
                try:
                    with start_lock(self.home, 0):
                        if time.time() - used.stat().st_mtime > self.settings.idle_seconds:
                            self.stop()
                            return
                except (Timeout, OSError):
                    continue
        self.stop()

    def _end_orphans(self) -> bool:
        """Terminate queries that run longer than any client's limit; return whether one of them ignores this."""
        orphans = [
            query
            for query in self.server.getRunningQueries().getRunning()
            if query.getElapsedMillis() > MAX_QUERY_SECONDS * 1000 and str(query.getUser()) != EXPORTER
        ]
        for query in orphans:
            if not query.isTerminated():
                query.terminate("graphground: no client waits for it")
        return any(query.getElapsedMillis() > (MAX_QUERY_SECONDS + IGNORING_SECONDS) * 1000 for query in orphans)

    def stop(self) -> None:
        """Stop the server, which closes the databases; the next query starts a new process."""
        if self._lost == 0:
            state_file(self.home).unlink(missing_ok=True)
        ending = threading.Thread(target=self.server.stop, daemon=True)
        ending.start()
        ending.join(STOP_SECONDS)  # nothing is written, so nothing is lost if a query blocks it

    def _tidy(self) -> None:
        """Close and delete databases that were removed from the catalog at least `LEAVING_SECONDS` ago.

        A database in which a query still runs is kept.
        """
        catalog, now = Catalog(self.home), time.monotonic()
        stamp = catalog.stamp()
        if stamp == self._catalog_seen and all(now - since < LEAVING_SECONDS for since in self._leaving.values()):
            return
        with suppress(Timeout), catalog.changing():
            self._catalog_seen = stamp
            listed = {entry.id for entry in catalog.entries()}
            opened = {str(name) for name in self.server.getDatabaseNames()}
            stored = {folder.name for parent in (self.home.databases, self.home.graphs) for folder in parent.iterdir()}
            dropped = {name for name in (opened | stored) - listed if not name.startswith(SCRATCH)}
            busy = {str(query.getDatabase()) for query in self.server.getRunningQueries().getRunning()}
            since = {name: self._leaving.get(name, now) for name in dropped}
            self._leaving = {
                name: time_ for name, time_ in since.items() if name in busy or now - time_ < LEAVING_SECONDS
            }
            for name in dropped & opened - self._leaving.keys():
                self.server.getDatabase(name).getEmbedded().close()
                self.server.removeDatabase(name)
            catalog.sweep(self._leaving)


def server_settings(home: Home, state: EngineState) -> dict[str, Any]:
    """Return the settings for ArcadeDB's server, by their names without the prefix `arcadedb.`."""
    engine = home.engine
    return {
        "server.mode": "development",  # "production" hides the reason of every failed query
        "server.rootPath": str(engine),
        "server.databaseDirectory": str(home.databases),
        "server.configDirectory": str(engine / "config"),
        "server.backupDirectory": str(engine / "backups"),
        "server.logsDirectory": str(engine / "log"),
        "server.databaseLoadAtStartup": False,
        "server.httpIncomingHost": "127.0.0.1",
        "server.httpIncomingPort": "0",
        "server.healthCheck.enabled": False,  # the health check would watch the disk and the HTTP port
        "serverMetrics": False,
        "server.plugins": BOLT_PLUGIN,
        "bolt.host": "127.0.0.1",
        "bolt.port": state.port,
        "support.autoRegister": False,
        # No query can write.
        "server.defaultDatabaseMode": "READ_ONLY",
        "queryMaxHeapElementsAllowedPerOp": 20_000_000,  # memory is limited by queryMaxHeapRAM, half of the heap
    }


def write_users(folder: Path, state: EngineState) -> None:
    """Write the users `root`, `reader` and `exporter`, and the groups with their rights, before ArcadeDB starts.

    Creating them through its API would cost the first query a tenth of a second of processor time, and Bolt would
    accept connections for a moment before `reader` exists.
    """
    folder.mkdir(mode=0o700)
    groups = {"admin": ADMINISTRATOR, "*": NOTHING, "reader": READER}
    with replacing(folder / "server-groups.json", private=True) as file:
        file.write(json.dumps({"databases": {"*": {"groups": groups}}, "version": 2}).encode())
    readers = [_user(name, state.reader, "reader") for name in ("reader", EXPORTER)]
    with replacing(folder / "server-users.jsonl", private=True) as file:
        for user in (_user("root", state.root, "admin"), *readers):
            file.write(f"{json.dumps(user)}\n".encode())


def _user(name: str, password: str, group: str) -> dict[str, Any]:
    # ArcadeDB computes the hash with the base64 text of the salt, not with the decoded bytes.
    salt = base64.b64encode(secrets.token_bytes(32)).decode()
    key = hashlib.pbkdf2_hmac("sha256", password.encode(), salt.encode(), PASSWORD_ITERATIONS, 32)
    return {
        "name": name,
        "password": f"PBKDF2WithHmacSHA256${PASSWORD_ITERATIONS}${salt}${base64.b64encode(key).decode()}",
        "databases": {"*": [group]},
    }


def free_port() -> int:
    """Return a port that is currently free."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def log(problem: str) -> None:
    """Write a line to the engine's log."""
    sys.stdout.write(f"graphground: {problem}\n")
    sys.stdout.flush()


def main(folder: str) -> None:
    """Run the engine process of a data folder; exit with status `ALREADY_RUNNING` if the process runs already."""
    # jpype imports numpy if it is installed, which takes 50 ms, and the engine process has no use for it.
    cast("dict[str, Any]", sys.modules)["numpy"] = None
    gc.disable()  # after a collection, jpype has Java collect its whole heap: twice during a start, for 0.1 s
    home = Home(Path(folder)).make()
    alive = alive_lock(home, 5)
    try:
        alive.acquire()
    except Timeout:
        sys.exit(ALREADY_RUNNING)
    state_file(home).unlink(missing_ok=True)  # left by a killed process, whose port another program may use now
    process = EngineProcess(home, EmbeddedSettings.from_environment())

    def stop(number: int, frame: object) -> None:
        process.stopping = True

    try:
        process.start()
        os.chdir(os.path.sep)  # the working directory must not be a folder that may be deleted
        signal.signal(signal.SIGTERM, stop)
        signal.signal(signal.SIGINT, stop)
        process.serve()
    except BaseException:  # any failure: threads of the JVM would keep the process alive forever
        traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(1)
    sys.stdout.flush()
    alive.release()  # the next engine may start while the JVM writes the archive of its classes
    end_jvm()


if __name__ == "__main__":
    main(sys.argv[1])
