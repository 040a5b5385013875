"""Measures how long it takes to load a changed file again: completely, and as a difference.

    python -m benchmarks.importing.difference [--rows 100000] [--share 0.01]

`--share` is the share of the records that differ: half of them are changed, a quarter added and a quarter removed.
Processor seconds include those of the loading processes. An archive of the engine's classes is created first, as a
server does in its first minute.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.importing.csv_rows import processors
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.engines.embedded.archive import archive_file, make_archive
from graphground.graphs.loading.load import load_file, update_graph
from graphground.graphs.loading.simplekg_writing import write_simplekg
from graphground.graphs.storage.home import Home

SCHEMA = PropertyGraphSchema.from_cypherbench(
    {
        "name": "people",
        "entities": [{"label": "Person", "properties": {"born": "date", "height": "float", "active": "bool"}}],
        "relations": [
            {
                "label": "KNOWS",
                "subj_label": "Person",
                "obj_label": "Person",
                "properties": {"since": "int", "weight": "float"},
            }
        ],
    }
)


def write(path: Path, rows: int, share: float) -> None:
    """Write a graph of `rows` records, 30 % of them nodes; a `share` of the records differs from a graph of share 0."""
    people, relationships = rows * 3 // 10, rows * 7 // 10
    every = round(2 / share) if share else 0

    def numbers(count: int) -> range:
        """Return `count` consecutive record numbers, beginning at `count * share / 4`."""
        moved = round(count * share / 4)
        return range(moved, count + moved)

    def changed(number: int) -> bool:
        return bool(every) and number % every == 0

    entities = (
        {
            "eid": f"p{number}",
            "label": "Person",
            "name": f"Person {number * 7919 % people}" + (" the younger" if changed(number) else ""),
            "properties": {
                "born": f"19{number % 90 + 10}-0{number % 9 + 1}-11",
                "height": 1.5 + number % 60 / 100,
                "active": number % 3 > 0,
            },
        }
        for number in numbers(people)
    )
    relations = (
        {
            "rid": str(number),
            "label": "KNOWS",
            "subj_id": f"p{people // 3 + number * 31 % (people // 2)}",
            "obj_id": f"p{people // 3 + number * 97 % (people // 2)}",
            "properties": {"since": 1990 + number % 30, "weight": 99.5 if changed(number) else number % 100 / 10},
        }
        for number in numbers(relationships)
    )
    write_simplekg(path, SCHEMA, entities, relations)


def timed(title: str, load: Callable[[], object]) -> None:
    """Run a load, and print its time and its result."""
    start, used = time.perf_counter(), processors()
    result = load()
    print(
        f"{title}: {time.perf_counter() - start:.2f} s, {processors() - used:.2f} processor seconds  "
        f"{getattr(result, 'changes', '')} {getattr(result, 'reason', None) or ''}",
        flush=True,
    )


def main() -> None:
    """Load a graph; load its changed version completely and as a difference; print the times."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--share", type=float, default=0.01)
    parsed = parser.parse_args()
    archive = archive_file()
    if archive is not None:
        make_archive(archive)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        home = Home(folder / "home")
        write(folder / "before.json", parsed.rows, 0)
        write(folder / "after.json", parsed.rows, parsed.share)
        timed("first version, completely", lambda: load_file(folder / "before.json", home))
        timed("second version, completely", lambda: load_file(folder / "after.json", home, name="other"))
        timed("second version, the difference", lambda: update_graph(folder / "after.json", home))
        timed("the same again", lambda: update_graph(folder / "after.json", home))


if __name__ == "__main__":
    main()
