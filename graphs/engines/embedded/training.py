"""The training run for the class archive: `python -m graphground.graphs.engines.embedded.training HOME FILE`.

The run starts an engine in a separate folder, loads a small graph, sends the queries of `archive.TRAINING` over Bolt,
and exits in such a way that the JVM writes its archive.
"""

from __future__ import annotations

import os
import sys
import threading
import traceback
from dataclasses import replace
from pathlib import Path

from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.engines.embedded.archive import MAKING_SECONDS, SCHEMA, TRAINING
from graphground.graphs.engines.embedded.batch import GraphWriter
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
    """Load the graph and run the queries; the JVM writes its archive when it exits."""
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
    # A load is part of the run, because the processes that load graphs use the archive too.
    writer = GraphWriter(process.home.databases / DATABASE, PropertyGraphSchema.from_cypherbench(SCHEMA), settings.heap)
    starts = writer.nodes("A", [{"name": f"x{number}"} for number in range(50)])
    ends = writer.nodes(
        "B", [{"name": f"y{number}", "year": number, "day": "1999-01-01", "tags": ["a"]} for number in range(50)]
    )
    writer.relationships(
        "R", [{"since": 1, "_src": start, "_dst": end} for start, end in zip(starts, ends, strict=True)]
    )
    writer.finish()
    address = f"bolt://127.0.0.1:{state.port}"
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
