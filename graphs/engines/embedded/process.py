"""The engine process: `python -m graphground.graphs.engines.embedded.process HOME`.

It runs ArcadeDB's server with its Bolt plugin alone, on a free loopback port, writes where it listens into
its state file, closes and deletes databases that have left the catalog, and ends when nobody uses it.
Everything that it prints goes to `engine/engine.log`.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import socket
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from filelock import Timeout

from graphground.graphs.engines.embedded.archive import archive_file, archive_option, make_in_background
from graphground.graphs.engines.embedded.settings import EmbeddedSettings
from graphground.graphs.engines.embedded.state import (
    ALREADY_RUNNING,
    EngineState,
    alive_lock,
    start_lock,
    state_file,
    used_file,
)
from graphground.graphs.storage.catalog import Catalog
from graphground.graphs.storage.home import Home

TICK = 0.5
SHUT = {"opencypher.loadCsv.allowFileUrls": "false", "opencypher.loadCsv.allowRemoteUrls": "false"}
"""What no user may do, root included. A database reads these from the process's settings, not from its server's."""
ARCHIVE_AFTER_SECONDS = 20.0
"""When an engine has been used for so long, it is worth to let the next one start faster."""
BOLT_PLUGIN = "graphground-bolt:com.arcadedb.bolt.BoltProtocolPlugin"


class EngineProcess:
    """One ArcadeDB server, from start to stop."""

    def __init__(self, home: Home, settings: EmbeddedSettings) -> None:
        self.home, self.settings = home, settings
        self.state = EngineState(os.getpid(), free_port(), secrets.token_hex(8), secrets.token_hex(24),
                                 secrets.token_hex(24))
        self.stopping = False
        self.server: Any = None
        self._failure: BaseException | None = None
        self._catalog_seen: object = None

    def start(self) -> None:
        """Start the server and say where it listens."""
        import jpype
        from arcadedb_embedded.jvm import start_jvm

        log = self.home.engine / "log"
        log.mkdir(exist_ok=True)
        os.environ["ARCADEDB_JVM_ERROR_FILE"] = str(log / "jvm-crash-%p.log")
        start_jvm(heap_size=self.settings.heap, jvm_args=[
            "-Xms64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=4", "-XX:+ExitOnOutOfMemoryError",
            "-XX:-UsePerfData", f"-Darcadedb.server.logsDirectory={log}",
            f"-Darcadedb.maxPageRAM={self.settings.page_mib}",
            "-Darcadedb.polyglotEngineEnabled=false",  # it looks for languages that are not there, for a third second
            *archive_option(archive_file()), *self.settings.jvm_args,
            *(f"-Darcadedb.{key}={value}" for key, value in SHUT.items())])
        config = self.home.engine / "config"
        shutil.rmtree(config, ignore_errors=True)
        context = jpype.JClass("com.arcadedb.ContextConfiguration")()
        for key, value in {**server_settings(self.home, self.state), **self.settings.engine}.items():
            context.setValue(f"arcadedb.{key}", value)
        self.server = jpype.JClass("com.arcadedb.server.ArcadeDBServer")(context)
        starting = threading.Thread(target=self._start_server, name="graphground-start")
        starting.start()
        # The server goes on to start its HTTP listener, which takes as long as all before it: once Bolt listens,
        # queries are answered.
        while starting.is_alive() and not listens(self.state.port):
            time.sleep(0.01)
        if self._failure is None:
            self._add_reader()
            self.state.write(self.home)
        starting.join()
        if self._failure is not None:
            raise self._failure
        # Bolt alone is spoken here: the HTTP listener, and the MCP endpoint on it, go as soon as they have come.
        self.server.getHttpServer().stopService()

    def _start_server(self) -> None:
        try:
            self.server.start()
        except BaseException as error:  # raised again where it was started
            self._failure = error

    def _add_reader(self) -> None:
        """The user of all queries, who may read records and nothing else."""
        import jpype

        json_object = jpype.JClass("com.arcadedb.serializer.json.JSONObject")
        security = self.server.getSecurity()
        security.saveGroup("*", "reader", json_object(
            '{"types": {"*": {"access": ["readRecord"]}}, "access": [], "resultSetLimit": -1, "readTimeout": -1}'))
        security.createUser(json_object(json.dumps({
            "name": "reader", "password": str(security.encodePassword(self.state.reader)),
            "databases": {"*": ["reader"]}})))

    def serve(self) -> None:
        """Tidy up twice a second until told to stop or idle for long enough."""
        used = used_file(self.home)
        used.touch()
        archive, begun = archive_file(), time.monotonic()
        if archive is not None and archive.exists():
            archive = None
        while not self.stopping:
            time.sleep(TICK)
            self._tidy()
            if archive is not None and time.monotonic() - begun > ARCHIVE_AFTER_SECONDS:
                make_in_background(archive)
                archive = None
            idle = time.time() - used.stat().st_mtime
            if idle > self.settings.idle_seconds and self.server.getRunningQueries().size() == 0:
                try:
                    with start_lock(self.home, 0):
                        if time.time() - used.stat().st_mtime > self.settings.idle_seconds:
                            self.stop()
                            return
                except Timeout:
                    continue
        self.stop()

    def stop(self) -> None:
        """Close the databases; whoever comes next starts a new process."""
        state_file(self.home).unlink(missing_ok=True)
        self.server.stop()

    def _tidy(self) -> None:
        """Close and delete databases that have left the catalog, once for each change of it."""
        catalog = Catalog(self.home)
        stamp = catalog.stamp()
        if stamp == self._catalog_seen:
            return
        with suppress(Timeout), catalog.changing():
            self._catalog_seen = stamp
            kept = {entry.id for entry in catalog.entries()}
            for name in map(str, self.server.getDatabaseNames()):
                if name not in kept:
                    self.server.getDatabase(name).getEmbedded().close()
                    self.server.removeDatabase(name)
            catalog.sweep()


def server_settings(home: Home, state: EngineState) -> dict[str, Any]:
    """ArcadeDB's own settings, by their names without the prefix."""
    engine = home.engine
    return {
        "server.mode": "development",  # "production" hides the reason of every failed query
        "server.rootPath": str(engine),
        "server.databaseDirectory": str(home.databases),
        "server.configDirectory": str(engine / "config"),
        "server.backupDirectory": str(engine / "backups"),
        "server.logsDirectory": str(engine / "log"),
        "server.rootPassword": state.root,
        "server.saltIterations": 1000,  # the passwords are random and new at each start
        "server.databaseLoadAtStartup": False,
        "server.httpIncomingHost": "127.0.0.1",
        "server.httpIncomingPort": "0",
        "server.healthCheck.enabled": False,  # it watches the disk and its own HTTP port
        "serverMetrics": False,
        "server.plugins": BOLT_PLUGIN,
        "bolt.host": "127.0.0.1",
        "bolt.port": state.port,
        "support.autoRegister": False,
        "queryMaxHeapElementsAllowedPerOp": 20_000_000,  # what bounds memory is queryMaxHeapRAM, half of the heap
        "command.timeout": 660_000,  # above the longest timeout of a tool call: the last net, not the first
    }


def listens(port: int) -> bool:
    """Whether connections are accepted there."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def free_port() -> int:
    """A port that nobody listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def main(folder: str) -> None:
    """Be the engine process of a data folder, unless one lives already."""
    home = Home(Path(folder)).make()
    alive = alive_lock(home, 5)
    try:
        alive.acquire()
    except Timeout:
        sys.exit(ALREADY_RUNNING)
    state_file(home).unlink(missing_ok=True)  # of one that was killed: its port may be somebody else's by now
    process = EngineProcess(home, EmbeddedSettings.from_environment())
    process.start()

    def stop(number: int, frame: object) -> None:
        process.stopping = True
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    process.serve()
    sys.stdout.flush()
    os._exit(0)  # threads of the JVM would keep an ordinary exit waiting


if __name__ == "__main__":
    main(sys.argv[1])
