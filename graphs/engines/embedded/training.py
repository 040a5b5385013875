"""The training run for the class archive: `python -m graphground.graphs.engines.embedded.training HOME FILE`.

The run starts an engine in a separate folder, sends the queries of `archive.TRAINING` over Bolt, and exits in such a
way that the JVM writes its archive.
"""

from __future__ import annotations

import os
import sys
import threading
import traceback
from dataclasses import replace
from pathlib import Path

from graphground.graphs.engines.embedded.archive import MAKING_SECONDS, TRAINING
from graphground.graphs.engines.embedded.process import EngineProcess
from graphground.graphs.engines.embedded.settings import EmbeddedSettings
from graphground.graphs.storage.home import Home

DATABASE = "training"


def main(folder: str, archive: str) -> None:
    """Start the engine, run the queries and exit; the exit status is 1 if a step fails."""
    try:
        train(folder, archive)
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)  # threads of the JVM would keep an ordinary exit waiting


def train(folder: str, archive: str) -> None:
    """Run the training queries; the JVM writes its archive when it exits."""
    import jpype
    from neo4j import GraphDatabase

    watchdog = threading.Timer(MAKING_SECONDS, os._exit, (1,))
    watchdog.daemon = True
    watchdog.start()
    settings = EmbeddedSettings.from_environment()
    process = EngineProcess(
        Home(Path(folder)).make(), replace(settings, jvm_args=(*settings.jvm_args, f"-XX:AOTCacheOutput={archive}"))
    )
    process.start()
    server, state = process.server, process.state
    server.createDatabase(DATABASE, jpype.JClass("com.arcadedb.engine.ComponentFile").MODE.READ_WRITE)
    address = f"bolt://127.0.0.1:{state.port}"
    with GraphDatabase.driver(address, auth=("root", state.root)) as driver:
        driver.execute_query(
            "UNWIND range(1, 50) AS i CREATE (:A {name: 'x' + i})-[:R {since: i}]->"
            "(:B {name: 'y', year: i, day: date('1999-01-01'), tags: ['a']})",
            database_=DATABASE,
        )
    # Reopened like a loaded graph: from its files, read-only.
    server.getDatabase(DATABASE).getEmbedded().close()
    server.removeDatabase(DATABASE)
    with (
        GraphDatabase.driver(address, auth=("reader", state.reader)) as driver,
        driver.session(database=DATABASE, default_access_mode="READ") as session,
    ):
        for query in TRAINING:
            session.run(query, name="x1").consume()
    server.stop()
    jpype.JClass("java.lang.System").exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
