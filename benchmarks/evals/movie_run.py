"""Measures a run of 2,000 predictions on a graph of the movie graph's size, and the cost of a kill -9 in its middle.

    python -m benchmarks.evals.movie_run FOLDER [--share 1.0] [--tasks 2000] [--workers 8] [--prepare]

The graph is generated for the movie schema: 459,393 nodes and 1,892,202 relationships, times `--share`. Each task asks
for the neighbours of a named node, or for their number. Half of the predictions are the gold queries; in the others,
the relationship is reversed or DISTINCT is missing. The predictions come from an agent, a process per worker that
records every question. `graphground eval run` is killed when the share `--kill-at` of the tasks has been scored, and is
started again. The bar is ten minutes in all, engine start included, with eight workers on two cores. Only a question
that an agent was answering at the time of the kill may be asked twice. Graph, tasks and index stay in FOLDER for the
next run.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shlex
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from benchmarks.engines.graphs_for_queries import schema_of
from benchmarks.engines.scale import SIZES
from graphground.cypher.quoting import quoted_string
from graphground.evals.tasks.task import Task, write_tasks
from graphground.graphs.engines.embedded.launcher import end_engine
from graphground.graphs.loading.load import load_file
from graphground.graphs.loading.simplekg import SimpleKGFile
from graphground.graphs.loading.simplekg_writing import write_simplekg
from graphground.graphs.storage.catalog import Catalog
from graphground.graphs.storage.home import Home
from graphground.graphs.synth import synth

POLL_SECONDS = 0.2
LONGEST_SECONDS = 3_600.0


def tasks_of(path: Path, count: int) -> Iterator[tuple[Task, str]]:
    """Yield distinct tasks about at most `2 * count` sampled relationships of a graph file, each with a prediction."""
    file, rng = SimpleKGFile(path), random.Random(5)
    names = {record["eid"]: (record["label"], record["name"]) for _, record in file.entities()}
    relations = [(record["label"], record["subj_id"], record["obj_id"]) for _, record in file.relations()]
    seen: set[str] = set()
    for type_, start, end in rng.sample(relations, min(len(relations), 2 * count)):
        (start_label, start_name), (end_label, end_name) = names[start], names[end]
        if rng.random() < 0.5:
            match = f"MATCH (n:{start_label})-[r0:{type_}]->(m0:{end_label} {{name: {quoted_string(end_name)}}})"
            wrong = match.replace("-[r0:", "<-[r0:").replace("]->", "]-")
        else:
            match = f"MATCH (n:{end_label})<-[r0:{type_}]-(m0:{start_label} {{name: {quoted_string(start_name)}}})"
            wrong = match.replace("<-[r0:", "-[r0:").replace("]-(", "]->(")
        number = rng.randrange(4)
        returns = "RETURN count(DISTINCT n)" if number == 3 else "RETURN DISTINCT n.name"
        gold = f"{match} {returns}"
        predicted = {0: f"{wrong} {returns}", 1: f"{match} RETURN n.name"}.get(number, gold)
        if gold not in seen:
            seen.add(gold)
            yield Task(f"movie-{len(seen)}", "movie", f"Neighbours {len(seen)}?", gold), predicted


def answer(predictions: Path, log: Path) -> None:
    """Act as an agent: record the id of every question in `log`, and reply with the stored prediction."""
    stored = json.loads(predictions.read_text("utf-8"))
    with log.open("a") as file:
        for line in sys.stdin:
            qid = json.loads(line)["qid"]
            file.write(f"{qid}\n")
            file.flush()
            print(json.dumps({"qid": qid, "cypher": stored[qid]}), flush=True)


def scored(folder: Path) -> int:
    """Return the number of scored tasks of a run."""
    path = folder / "scores.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


def run(command: list[str], folder: Path, kill_at: int | None) -> str:
    """Run a command and return its output; kill the command once `kill_at` tasks are scored, if a number is given."""
    start = time.monotonic()
    with (folder / "output.txt").open("w") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output)
        while process.poll() is None:
            if kill_at is not None and scored(folder / "run") >= kill_at:
                process.kill()
            elif time.monotonic() - start > LONGEST_SECONDS:
                process.kill()
                raise TimeoutError(f"the run did not end within {LONGEST_SECONDS:.0f} s")
            time.sleep(POLL_SECONDS)
    return (folder / "output.txt").read_text("utf-8")


def prepare(folder: Path, home: Home, share: float, count: int) -> None:
    """Generate and load the graph, and write the tasks and predictions, unless they exist."""
    nodes, relationships = (int(size * share) for size in SIZES["movie"])
    path = folder / "movie.json"
    if Catalog(home).find("movie") is None:
        graph_data = synth(schema_of("movie"), nodes, relationships, seed=3)
        write_simplekg(path, graph_data.schema, graph_data.entities(), graph_data.relations())
        start = time.monotonic()
        load_file(path, home, name="movie")
        print(
            f"{nodes:,} nodes, {relationships:,} relationships, loaded in {time.monotonic() - start:.0f} s", flush=True
        )
    if (folder / "predicted.json").exists() and len(json.loads((folder / "predicted.json").read_text())) == count:
        return
    pairs = list(islice(tasks_of(path, count), count))
    write_tasks([task for task, _ in pairs], folder / "tasks.json")
    (folder / "predicted.json").write_text(json.dumps({task.qid: query for task, query in pairs}))


def measure(folder: Path, home: Home, count: int, workers: int, kill_at: float) -> None:
    """Start a run, kill it, resume it, and print the figures."""
    log = folder / "asked.txt"
    agent = [sys.executable, "-m", "benchmarks.evals.movie_run", str(folder), "--answer", str(log)]
    command = [sys.executable, "-m", "graphground", "eval", "run", str(folder / "tasks.json"), str(folder / "run")]
    command += ["--agent", shlex.join(agent), "--workers", str(workers), "--home", str(home.folder)]
    start = time.monotonic()
    run(command, folder, int(count * kill_at))
    seconds_to_kill, before = time.monotonic() - start, scored(folder / "run")
    used_before = resource.getrusage(resource.RUSAGE_CHILDREN)
    output = run(command, folder, None)
    questions = Counter(log.read_text().split())
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds_used = used.ru_utime + used.ru_stime - used_before.ru_utime - used_before.ru_stime
    print(
        f"{scored(folder / 'run')} of {count} tasks scored in {time.monotonic() - start:.0f} s by {workers} workers, "
        f"load {os.getloadavg()[0]:.0f}; killed after {seconds_to_kill:.0f} s with {before} scored; "
        f"{sum(times > 1 for times in questions.values())} questions asked twice (at most {workers} are allowed); "
        f"{seconds_used:.0f} s of processor time of the resumed run (without the engine)\n{output}",
        flush=True,
    )


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--share", type=float, default=1.0)
    arguments.add_argument("--tasks", type=int, default=2_000)
    arguments.add_argument("--workers", type=int, default=8)
    arguments.add_argument("--kill-at", type=float, default=0.4)
    arguments.add_argument("--prepare", action="store_true", help="only prepare the graph and the tasks")
    arguments.add_argument("--answer", type=Path, help=argparse.SUPPRESS)
    options = arguments.parse_args()
    if options.answer is not None:
        answer(options.folder / "predicted.json", options.answer)
        return
    options.folder.mkdir(parents=True, exist_ok=True)
    home = Home(options.folder / "home").make()
    shutil.rmtree(options.folder / "run", ignore_errors=True)
    (options.folder / "asked.txt").unlink(missing_ok=True)
    try:
        prepare(options.folder, home, options.share, options.tasks)
        if not options.prepare:
            measure(options.folder, home, options.tasks, options.workers, options.kill_at)
    finally:
        end_engine(home, kill=True)


if __name__ == "__main__":
    main()
