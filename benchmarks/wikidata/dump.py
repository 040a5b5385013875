"""Measures how fast dumps of several sizes are read, and the time and memory of a whole build from them, on one core.

    python -m benchmarks.wikidata.dump [--statements 10000 1000000] [--real]

Each synthetic document has ten statements and a name in four languages. With `--real`, repeated real documents are
measured too.
"""

import argparse
import json
import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from graphground.graphs.wikidata.build import build
from graphground.graphs.wikidata.dump_source import DumpSource
from tests.support.wikidata_documents import raw_documents
from tests.support.wikidata_places import places


def synthesised(documents: int) -> Iterator[str]:
    """Yield documents of cities and of films, each with ten statements, as JSON."""
    for number in range(1, documents + 1):
        key = f"Q{10_000_000 + number}"
        kind = "Q515" if number % 3 else "Q11424"

        def item(name: str, target: str, place: int, key: str = key) -> dict[str, object]:
            return {
                "id": f"{key}${name}-{place}",
                "rank": "normal",
                "type": "statement",
                "mainsnak": {
                    "snaktype": "value",
                    "property": name,
                    "datatype": "wikibase-item",
                    "datavalue": {"type": "wikibase-entityid", "value": {"entity-type": "item", "id": target}},
                },
            }

        near = [f"Q{10_000_000 + 1 + (number * step) % documents}" for step in (7, 11, 13, 17, 19, 23)]
        area = {
            "id": f"{key}$area",
            "rank": "normal",
            "mainsnak": {
                "snaktype": "value",
                "datatype": "quantity",
                "datavalue": {
                    "type": "quantity",
                    "value": {"amount": f"+{number}.5", "unit": "http://www.wikidata.org/entity/Q712226"},
                },
            },
        }
        claims = {
            "P31": [item("P31", kind, 0)],
            "P17": [item("P17", near[0], 0)],
            "P47": [item("P47", target, place) for place, target in enumerate(near)],
            "P2046": [area],
            "P36": [item("P36", near[1], 0)],
        }
        yield json.dumps(
            {
                "type": "item",
                "id": key,
                "claims": claims,
                "sitelinks": {},
                "aliases": {},
                "labels": {
                    language: {"language": language, "value": f"Place {number}"}
                    for language in ("en", "de", "fr", "ja")
                },
                "descriptions": {"en": {"language": "en", "value": "made up"}},
            }
        )


def measure(path: Path, statements: int, result: "multiprocessing.Queue[str]") -> None:
    """Build a graph in this child process, and put its time and its peak memory into `result`."""
    start, processor_seconds = time.perf_counter(), time.process_time()
    built = build(places(), DumpSource(path, processes=1), path.with_suffix(".graph.json"))
    seconds, processor_seconds = time.perf_counter() - start, time.process_time() - processor_seconds
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    result.put(
        f"{statements:>10,} statements, {path.stat().st_size / 1e6:8.1f} MB: {seconds:7.2f} s, {processor_seconds:.2f} s of processor "
        f"time for the whole build of {built.nodes:,} nodes and {built.relationships:,} relationships, {memory:.0f} MiB"
    )


def one_pass(path: Path, statements: int) -> str:
    """Read every line once; return the statements per second of processor time, as text."""
    import orjson

    from graphground.graphs.wikidata.dump_files import blocks
    from graphground.graphs.wikidata.plan import Plan
    from graphground.graphs.wikidata.statements import statements_of

    properties = Plan(places()).wanted("Place")
    start = time.process_time()
    for block in blocks(path):
        for line in block.split(b"\n"):
            if len(line) > 3:
                statements_of(orjson.loads(line.rstrip(b",\r "))["claims"], properties)
    seconds = time.process_time() - start
    return f"one pass: {statements / seconds:,.0f} statements a second of processor time"


def main() -> None:
    """Measure each size, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--statements", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--real", action="store_true")
    parsed = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for statements in parsed.statements:
            path = Path(folder) / f"{statements}.json"
            with path.open("w") as file:
                file.writelines(line + "\n" for line in synthesised(statements // 10))
            result: multiprocessing.Queue[str] = multiprocessing.Queue()
            process = multiprocessing.get_context("fork").Process(target=measure, args=(path, statements, result))
            process.start()
            print(result.get(timeout=7200), flush=True)
            process.join()
            print("           ", one_pass(path, statements), flush=True)
            path.unlink()
            path.with_suffix(".graph.json").unlink()
        if parsed.real:
            path = Path(folder) / "real.json"
            documents = [json.dumps(document) for document in raw_documents() if isinstance(document["claims"], dict)]
            statements = sum(
                len(claims)
                for document in raw_documents()
                if isinstance(document["claims"], dict)
                for claims in document["claims"].values()
            )
            path.write_text("\n".join(documents * 30))
            print("real documents:", one_pass(path, statements * 30))


if __name__ == "__main__":
    main()
