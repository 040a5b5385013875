"""Measures the import of a million rows of CSV: inference, conversion, loading, indexing.

    python -m benchmarks.importing.csv_rows [--rows 1000000]

An archive of the engine's classes is created first, as a server does in its first minute.
"""

import argparse
import random
import resource
import tempfile
import time
from pathlib import Path

from graphground.graphs.engines.embedded.archive import archive_file, make_archive
from graphground.graphs.loading.importing.convert import import_folder
from graphground.graphs.loading.importing.infer import infer
from graphground.graphs.loading.load import load_file
from graphground.graphs.storage.home import Home


def processors() -> float:
    """Return the processor time of this process and its finished children, in seconds."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def main() -> None:
    """Generate the files, import them, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    rows = parser.parse_args().rows
    archive = archive_file()
    if archive is not None:
        make_archive(archive)
    chance = random.Random(7)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        people, orders = rows * 3 // 10, rows * 7 // 10
        with (folder / "people.csv").open("w") as file:
            file.write("id,name,born,height,active\n")
            file.writelines(
                f"p{number},Person {chance.randrange(people)},19{number % 90 + 10}-0{number % 9 + 1}-11,"
                f"{1.5 + number % 60 / 100:.2f},{'true' if number % 3 else 'false'}\n"
                for number in range(people)
            )
        with (folder / "knows.csv").open("w") as file:
            file.write("start,end,since,weight\n")
            file.writelines(
                f"p{chance.randrange(people)},p{chance.randrange(people)},{1990 + number % 30},{number % 100 / 10}\n"
                for number in range(orders)
            )
        begun, used = time.perf_counter(), processors()
        mapping = infer(folder, "people")
        inferred = time.perf_counter()
        nodes, relationships = import_folder(folder, mapping, folder / "graph.json")
        converted = time.perf_counter()
        load_file(folder / "graph.json", Home(folder / "home"))
        loaded = time.perf_counter()
        print(
            f"{nodes:,} nodes and {relationships:,} relationships: inferred {inferred - begun:.1f} s, converted "
            f"{converted - inferred:.1f} s, loaded and indexed {loaded - converted:.1f} s, together "
            f"{loaded - begun:.1f} s; {processors() - used:.1f} processor seconds"
        )


if __name__ == "__main__":
    main()
