"""The child processes of a load: `python -m graphground.graphs.loading.load_process graph|index FILE FOLDER`.

`graph` checks the file and writes the engine's files to FOLDER/database; `index` writes the entity index to
FOLDER/graph/entities. The processes write JSON objects to stdout, one per line: `graph` reports its progress, and the
last line of each process is its result. A process exits early when its stdin closes, which happens when the process
that started the load has ended.
"""

from __future__ import annotations

import gc
import os
import shlex
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.entities.build import build_index
from graphground.graphs.entities.candidate import Record
from graphground.graphs.loading.simplekg import LabelSets, RecordChecks, SimpleKGError, SimpleKGFile, check_namespace
from graphground.graphs.schemas.extraction.findings import Findings, Steps
from graphground.graphs.schemas.extraction.profiles import Profiler
from graphground.graphs.schemas.statistics import NAME as STATISTICS
from graphground.graphs.schemas.statistics import SAMPLED, query_statistics, write_statistics
from graphground.graphs.storage.home import TEXT_FORMATS

if TYPE_CHECKING:
    from graphground.graphs.engines.embedded.batch import GraphWriter
    from graphground.graphs.engines.engine import QueryRunner

Say = Callable[[dict[str, Any]], None]
LOADER_HEAP = "GRAPHGROUND_LOADER_HEAP"
LOADER_JVM = "GRAPHGROUND_LOADER_JVM_ARGS"
LARGE = 50_000_000
"""The bytes of a file from which the JVM's second compiler earns what it costs; a smaller file is loaded without it."""


def load(path: Path, folder: Path, say: Say) -> tuple[int, int]:
    """Check the file and write it as the engine's files; return the numbers of nodes and relationships.

    Raises:
        SimpleKGError: the file is not a valid graph.
    """
    from graphground.graphs.engines.embedded.batch import ROWS_AT_ONCE, GraphWriter

    step = "nodes"
    document = SimpleKGFile(path, lambda read: say({"step": step, "read": read}))
    check_namespace(document.schema)
    checks = RecordChecks(document.schema, embedded=True)
    graph = folder / "graph"
    graph.mkdir(exist_ok=True)
    (graph / "schema.json").write_bytes(orjson.dumps(document.schema.to_cypherbench(), option=orjson.OPT_INDENT_2))
    sets = LabelSets(document.schema)

    @cache
    def started() -> GraphWriter:
        """Return the writer; the first call starts it.

        Starting takes two seconds, which a file with an invalid record near its beginning should not cost.
        """
        options = shlex.split(os.environ.get(LOADER_JVM, ""))
        if path.stat().st_size < LARGE:
            options.insert(0, "-XX:TieredStopAtLevel=1")
        heap = os.environ.get(LOADER_HEAP, "2g")
        return GraphWriter(folder / "database", document.schema, heap, options, sets.several)

    numbers: dict[str, int] = {}
    labels: list[str] = []
    rids: list[str] = []
    waiting: dict[str, tuple[list[int], list[dict[str, Any]]]] = {name: ([], []) for name in sets.labels}

    def flush(label: str) -> None:
        places, rows = waiting[label]
        if rows:
            for place, rid in zip(places, started().nodes(label, rows), strict=True):
                rids[place] = rid
            waiting[label] = ([], [])

    for number, record in document.entities():
        label, eid, stored = checks.entity(number, record)
        if eid in numbers:
            raise SimpleKGError(f"entities[{number}] (eid {eid!r}): another entity has this eid")
        numbers[eid] = place = len(rids)
        labels.append(label)
        rids.append("")
        places, rows = waiting[label]
        places.append(place)
        rows.append(stored)
        if len(rows) >= ROWS_AT_ONCE:
            flush(label)

    for label in waiting:
        flush(label)

    def label_of(eid: str) -> str | None:
        place = numbers.get(eid)
        return labels[place] if place is not None else None

    step, number = "relationships", -1
    patterns = Counter[tuple[str, str, str]]()
    edges: dict[str, list[dict[str, Any]]] = {name: [] for name in document.schema.relationship_types}

    def flush_edges(type_: str) -> None:
        started().relationships(type_, edges[type_])
        edges[type_] = []

    for number, record in document.relations():
        type_, start, end, stored = checks.relation(number, record, label_of)
        begin, finish = numbers[start], numbers[end]
        patterns[type_, labels[begin], labels[finish]] += 1
        edges[type_].append({**stored, "_src": rids[begin], "_dst": rids[finish]})
        if len(edges[type_]) >= ROWS_AT_ONCE:
            flush_edges(type_)
    for type_ in [type_ for type_, rows in edges.items() if rows]:
        flush_edges(type_)
    say({"step": "finishing", "read": path.stat().st_size})
    schema = with_counts(document.schema, Counter(labels), patterns)

    def describe(database: QueryRunner) -> None:
        write_statistics(graph / STATISTICS, query_statistics(database, schema, whole=SAMPLED, brief=True))
        profiler = Profiler(Steps(database, Findings()), schema)
        for label in schema.labels.values():
            asked = {key: type_ for key, type_ in label.properties.items() if key not in label.reserved}
            # Nodes with several labels are not counted by label: there are at most as many as there are nodes.
            profiler.label(replace(label, properties=asked, count=label.count or len(numbers)))
        for type_ in schema.relationship_types:
            profiler.relationship_type(type_)
        schema_read = profiler.result()
        of_labels = {label.name: dict(label.texts) for label in schema_read.labels.values() if label.texts}
        of_types = {pattern.type: dict(pattern.texts) for pattern in schema_read.patterns if pattern.texts}
        if of_labels or of_types:
            (graph / TEXT_FORMATS).write_bytes(orjson.dumps([of_labels, of_types]))

    started().finish(describe)
    return len(numbers), number + 1


def with_counts(
    schema: PropertyGraphSchema, labels: Mapping[str, int], patterns: Mapping[tuple[str, str, str], int]
) -> PropertyGraphSchema:
    """Return a schema with the numbers of nodes and relationships, unless nodes have several labels."""
    if schema.label_combinations:
        return schema
    return replace(
        schema,
        labels={name: replace(label, count=labels[name]) for name, label in schema.labels.items()},
        patterns=tuple(replace(known, count=patterns[known.type, known.start, known.end]) for known in schema.patterns),
    )


def index(path: Path, folder: Path, say: Say) -> None:
    """Build the entity index. Invalid records are reported by `load`, which runs in another process."""
    document = SimpleKGFile(path)
    (folder / "graph").mkdir(exist_ok=True)
    build_index(folder / "graph" / "entities", index_records(document, document.schema))


def index_records(document: SimpleKGFile, schema: PropertyGraphSchema) -> Iterator[Record]:
    """Yield an index record for each label of each entity, with the entity's names and text properties."""
    texts = {
        label.name: [
            key
            for key, type_ in label.properties.items()
            if type_ in ("str", "list[str]") and key not in label.reserved
        ]
        for label in schema.labels.values()
    }
    for _, record in document.entities():
        properties = record.get("properties") or {}
        for label in record.get("labels") or (record["label"],):
            values = {key: properties[key] for key in texts.get(label, ()) if properties.get(key)}
            yield Record(
                record["eid"], label, record.get("name"), record.get("aliases") or (), record.get("description"), values
            )


def main(task: str, file: str, folder: str) -> None:
    """Run one task, `graph` or `index`, and report its result on stdout."""
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # the output of libraries goes to stderr

    def say(message: dict[str, Any]) -> None:
        output.write(orjson.dumps(message) + b"\n")
        output.flush()

    def end_with_stdin() -> None:
        while sys.stdin.buffer.read(1):
            pass
        os._exit(1)

    threading.Thread(target=end_with_stdin, daemon=True).start()
    gc.disable()  # records have no reference cycles; searching millions of records for cycles took a fifth of the time
    try:
        if task == "graph":
            nodes, relationships = load(Path(file), Path(folder), say)
            say({"done": {"nodes": nodes, "relationships": relationships}})
        else:
            index(Path(file), Path(folder), say)
            say({"done": {}})
    except SimpleKGError as error:
        say({"refused": str(error)})
    except Exception as error:
        say({"failed": f"{type(error).__name__}: {error}"})
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
