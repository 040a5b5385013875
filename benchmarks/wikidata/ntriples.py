"""Measures processor time and peak memory of reading N-Triples dumps of several sizes.

    python -m benchmarks.wikidata.ntriples [--triples 10000 1000000] [--kind truthy full] [--kglite]

Each synthetic item has names and descriptions in eight languages and ten statements. One in `--share` items is a city,
which the definition selects; the others are films. The build runs in a separate process, on one core. With `--kglite`,
KGLite (`pip install kglite`) loads the same file, with the properties and the language that the definition needs.
"""

import argparse
import multiprocessing
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from graphground.graphs.wikidata.build import build
from graphground.graphs.wikidata.dump_files import blocks
from graphground.graphs.wikidata.ntriples import passes, predicates
from graphground.graphs.wikidata.ntriples.triples_source import NTriplesSource
from graphground.graphs.wikidata.plan import SUBCLASS_OF, Plan
from tests.support.wikidata_places import places

ENTITY, PROP = "http://www.wikidata.org/entity/", "http://www.wikidata.org/prop/"
WIKIBASE, XSD = "http://wikiba.se/ontology#", "http://www.w3.org/2001/XMLSchema#"
LANGUAGES = ("en", "de", "fr", "ja", "ru", "es", "zh", "ar")
TRIPLES_OF_ITEM = {"truthy": 27, "full": 70}


def item_lines(number: int, items: int, share: int, is_full: bool) -> Iterator[str]:
    """Yield the lines of one synthetic item."""
    item = f"<{ENTITY}Q{10_000_000 + number}>"
    for language in LANGUAGES:
        yield f'{item} <http://www.w3.org/2000/01/rdf-schema#label> "Place {number}"@{language} .\n'
        yield f'{item} <http://schema.org/description> "a made-up place of the number {number}"@{language} .\n'
    yield f'{item} <http://www.w3.org/2004/02/skos/core#altLabel> "The place {number}"@en .\n'
    near = [f"<{ENTITY}Q{10_000_001 + number * step % items}>" for step in (7, 11, 13, 17, 19, 23)]
    kind = "Q515" if number % share == 0 else "Q11424"
    values = [("P31", f"<{ENTITY}{kind}>"), ("P17", near[0]), ("P36", near[1]), *(("P47", end) for end in near)]
    values.append(("P2046", f'"+{number}.5"^^<{XSD}decimal>'))
    for place, (name, value) in enumerate(values):
        yield f"{item} <{PROP}direct/{name}> {value} .\n"
        if is_full:
            node = f"<{ENTITY}statement/Q{10_000_000 + number}-{place:08X}-0000-0000-0000-000000000000>"
            yield f"{item} <{PROP}{name}> {node} .\n"
            yield f"{node} <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <{WIKIBASE}BestRank> .\n"
            yield f"{node} <{WIKIBASE}rank> <{WIKIBASE}NormalRank> .\n"
            yield f"{node} <{PROP}statement/{name}> {value} .\n"
            if name == "P2046":
                full = f"<http://www.wikidata.org/value/{number:032x}>"
                yield f"{node} <{PROP}statement/value/{name}> {full} .\n"
                yield f'{full} <{WIKIBASE}quantityAmount> "+{number}.5"^^<{XSD}decimal> .\n'
                yield f"{full} <{WIKIBASE}quantityUnit> <{ENTITY}Q712226> .\n"


def processor_seconds() -> float:
    """Return the processor time of all threads of this process, in seconds."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def first_pass(path: Path, triples: int) -> str:
    """Read every line of the dump once; return the size of the lines that the definition needs, as text."""
    needed = predicates.Predicates(Plan(places()))
    claims = frozenset(map(predicates.claim, needed.plan.beyond_values))
    task = passes.Extract(needed.extract, predicates.direct(SUBCLASS_OF), claims)
    bytes_found = 0
    for block in blocks(path):
        bytes_found += len(task.read(block).extract)
    return f"every line read once, {bytes_found / 1e6:.1f} MB kept"


def whole_build(path: Path, triples: int) -> str:
    """Run a whole build, with all passes; return the size of the graph, as text."""
    built = build(places(), NTriplesSource(path, processes=1), path.with_suffix(".graph.json"))
    return f"built {built.nodes:,} nodes and {built.relationships:,} relationships"


def kglite_filtered(path: Path, triples: int) -> str:
    """Load the properties and the language that the definition needs with KGLite; return the graph's size, as text."""
    import kglite  # a peer, measured only if it is installed

    graph = kglite.KnowledgeGraph()
    report = graph.load_ntriples(
        str(path),
        predicates=predicates.Predicates(Plan(places())).names,
        languages=["en"],
        node_types={"Q515": "Place"},
    )
    return f"KGLite {kglite.__version__}: {report['entities']:,} nodes and {report['edges']:,} edges of all classes"


def measured(task: Callable[[Path, int], str], path: Path, triples: int) -> None:
    """Run a task in a separate process, so that only its memory is measured; print time, memory and the task's text."""
    result: multiprocessing.Queue[tuple[str, float, float, float]] = multiprocessing.get_context("spawn").Queue()
    process = multiprocessing.get_context("spawn").Process(target=_run, args=(task, path, triples, result))
    process.start()
    text, processor_time, wall_time, memory = result.get(timeout=7200)
    process.join()
    print(
        f"{triples:>11,} triples, {path.stat().st_size / 1e6:8.1f} MB: {triples / processor_time:>11,.0f} a processor second "
        f"({processor_time:.1f} s, {wall_time:.1f} s of wall time), peak {memory:,.0f} MiB: {text}",
        flush=True,
    )


def _run(task: Callable[[Path, int], str], path: Path, triples: int, result: Any) -> None:
    processor_start, start = processor_seconds(), time.perf_counter()
    try:
        text = task(path, triples)
    except Exception as error:  # a failure of the peer is reported like a figure
        text = f"failed: {error}"[:200]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    result.put((text, processor_seconds() - processor_start, time.perf_counter() - start, memory))


def main() -> None:
    """Measure each kind and size, and print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--triples", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--kind", nargs="+", choices=list(TRIPLES_OF_ITEM), default=list(TRIPLES_OF_ITEM))
    parser.add_argument("--share", type=int, default=50)
    parser.add_argument("--kglite", action="store_true")
    parsed = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for kind in parsed.kind:
            for approximate_triples in parsed.triples:
                path, items, triples = Path(folder) / f"{kind}.nt", approximate_triples // TRIPLES_OF_ITEM[kind], 0
                with path.open("w") as file:
                    for number in range(items):
                        lines = list(item_lines(number, items, parsed.share, kind == "full"))
                        triples += len(lines)
                        file.writelines(lines)
                print(f"{kind}:")
                for task in (first_pass, whole_build, *((kglite_filtered,) if parsed.kglite else ())):
                    measured(task, path, triples)
                path.unlink()


if __name__ == "__main__":
    main()
