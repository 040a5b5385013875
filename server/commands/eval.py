"""Make tasks for a graph, run agents over tasks, and report and compare the runs."""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphground.cypher.diagnostics import counted
from graphground.server.commands.agent import (
    CONNECTION,
    MODEL,
    model_settings,
    password_variables_of,
    reply_folder,
    report_wait,
    server_of,
)
from graphground.server.commands.command_line import (
    GRAPHS,
    WrongUse,
    command,
    home_from,
    open_graphs,
    progress_bars,
    settings_from,
)

if TYPE_CHECKING:
    from graphground.agents.conversation import Reply
    from graphground.agents.model_settings import ModelSettings
    from graphground.evals.generation.rephrasing import Rephrased
    from graphground.evals.runs.agents import Predictor
    from graphground.evals.runs.bench import Asked, Bench, Entry
    from graphground.evals.tasks.task import Task
    from graphground.graphs.storage.home import Home
    from graphground.tools.tool import Graphs


SCORING = """
--timeout SECONDS       Seconds for each query; by default 30, and with --preset cypherbench 120.
--preset (cypherbench)  Score as CypherBench's published implementation does: its rules for EX and PSJS, 120 seconds,
                        all tasks.
"""


def _scoring_of(parsed: argparse.Namespace, tasks: Sequence[Task]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the settings on which scores depend, as a run's folder keeps them, and the options of `Run.go`."""
    timeout = parsed.timeout if parsed.timeout is not None else 120.0 if parsed.preset else 30.0
    version = partial(_version, home_from(parsed))
    data = {f"data of {name}": version(name) for name in sorted({task.graph for task in tasks})}
    kept = {"timeout": timeout} | ({"preset": parsed.preset} if parsed.preset else {}) | data
    rule = "published" if parsed.preset else "paper"
    return kept, {"workers": parsed.workers, "timeout": timeout, "rule": rule, "version": version}


@command("run", SCORING, settings=GRAPHS)
def score_tasks(parsed: argparse.Namespace) -> int:
    """Run predictions over tasks and score them; to resume a run, repeat the command. Exit status 1 when tasks could
    not be scored.

    TASKS                    A task file in CypherBench's format.
    FOLDER                   The run's folder.

    One of these is required:
    --predictions FILE       A file of predictions.
    --agent COMMAND          A program that reads questions and writes predictions, one JSON object per line.
    --suggest                Take the first query of ground_question: a baseline without a model.

    --repair                 Replace a wrong query with the suggestion of validate_cypher.
    --workers N              Number of concurrent tasks (default: 8).
    --agent-timeout SECONDS  Seconds for each reply of the agent (default: 300).
    --note NOTE              A sentence that the report shows first, for example that the graph is a stand-in.
    """
    from graphground.evals.runs.runner import Run  # all of evals is loaded on first use
    from graphground.evals.tasks.task import read_tasks

    tasks = read_tasks(parsed.tasks)
    options, scoring = _scoring_of(parsed, tasks)
    if parsed.workers < 1 or scoring["timeout"] <= 0 or parsed.agent_timeout <= 0:
        raise WrongUse("--workers, --timeout and --agent-timeout must be positive numbers")
    with (
        closing(open_graphs(settings_from(parsed))) as graphs,
        closing(_predictor(parsed, graphs, tasks)) as predictor,
        progress_bars() as progress,
    ):
        options["repair"] = parsed.repair
        if parsed.agent is not None:
            options["agent-timeout"] = parsed.agent_timeout
        if parsed.predictions is not None:
            options["predictions"] = hashlib.sha256(parsed.predictions.read_bytes()).hexdigest()[:16]
        run = Run.open(parsed.folder, tasks, predictor.name, note=parsed.note or "", options=options)
        outcome = run.go(predictor, graphs, progress=partial(progress, "tasks"), **scoring)
    before = f"; scored before: {outcome.before}" if outcome.before else ""
    sys.stdout.write(f"Scored {outcome.scored} of {counted(len(tasks), 'task')}{before}. Run: {parsed.folder}\n")
    for reason, count in outcome.unscored.items():
        sys.stderr.write(f"graphground: tasks not scored: {count} ({reason})\n")
    if outcome.scored + outcome.before:
        _print_scores(parsed.folder)
    return 1 if outcome.unscored else 0


@command("bench", SCORING, MODEL, CONNECTION, settings=GRAPHS)
def run_bench(parsed: argparse.Namespace) -> int:
    """Compare agents and models over the same tasks, within a budget; to resume, repeat the command. Exit status 1 when
    answers could not be scored.

    TASKS                     A task file.
    [FOLDER]                  The bench's folder; by default TASKS with the suffix .bench.
    --agent (zero-shot|tools|loop|cypherbench|multi-agent)  A reference agent; may be repeated (required).
    --repeat N                Number of runs of each (default: 1).
    --budget USD              Stop before the answers cost more than this.
    --workers N               Number of concurrent questions (default: 8).
    --prompts FOLDER          A folder with your own prompts: files ROLE.md.
    --note NOTE               A sentence that the report shows first.

    model:
    --model MODEL             The model, such as gpt-5-mini or anthropic:claude-sonnet-4-5, or NAME@URL for a model at
                              an endpoint of its own; may be repeated (required).
    """
    import anyio

    from graphground.evals.reports.page import write_bench
    from graphground.evals.runs.bench import Bench, entries_of
    from graphground.evals.tasks.task import read_tasks

    tasks = read_tasks(parsed.tasks)
    options, scoring = _scoring_of(parsed, tasks)
    if min(parsed.repeat, parsed.workers, scoring["timeout"], 1 if parsed.budget is None else parsed.budget) <= 0:
        raise WrongUse("--repeat, --budget, --workers and --timeout must be positive")
    options["prompts"] = str(parsed.prompts or "")
    entries = {
        entry: {**options, "model": _settings_of_entry(parsed, entry).as_record()}
        for entry in entries_of(parsed.agent, parsed.model, parsed.repeat)
    }
    folder = parsed.folder or parsed.tasks.with_name(parsed.tasks.name.partition(".")[0] + ".bench")
    bench = Bench(folder, tasks, entries, note=parsed.note or "")
    with closing(open_graphs(settings_from(parsed))) as graphs, progress_bars() as progress:
        asked = anyio.run(_ask_bench, parsed, bench, partial(progress, "questions"))
        unscored = bench.score(graphs, asked.tasks, progress=partial(progress, "scores"), **scoring)
    figures = write_bench(bench, asked, parsed.budget)
    for row in figures["rows"]:
        score = row["execution_accuracy"]
        sys.stdout.write(
            f"{row['agent']:<12}{row['model']:<28}{score['mean']:>7.1%}  ({score['low']:.1%} to {score['high']:.1%})"
            f"  ${row['cost']['total']['cost']:.4f}\n"
        )
    over = f"; the next questions might exceed the budget of ${parsed.budget:g}" if asked.over else ""
    sys.stdout.write(
        f"Asked {len(asked.tasks)} of {counted(len(tasks), 'task')}, ${asked.spent:.4f}{over}. Report: "
        f"{folder / 'bench.html'}\n"
    )
    for reason, count in unscored.items():
        sys.stderr.write(f"graphground: answers not scored: {count} ({reason})\n")
    return 1 if unscored else 0


def _settings_of_entry(parsed: argparse.Namespace, entry: Entry) -> ModelSettings:
    """Return the settings of an entry's model; each repetition has a seed of its own, if a seed is given."""
    settings = model_settings(parsed, entry.model)
    return settings if settings.seed is None else replace(settings, seed=settings.seed + entry.repeat - 1)


async def _ask_bench(parsed: argparse.Namespace, bench: Bench, progress: Callable[[int, int], None]) -> Asked:
    """Ask the questions of a bench; each run has a cache of its own, so that repetitions differ and nothing is lost."""
    import os
    from contextlib import AsyncExitStack

    from graphground.agents import runs
    from graphground.agents.conversation import Question
    from graphground.agents.models import Model, ReplyCache
    from graphground.agents.server_connection import connect
    from graphground.prompts.agents import FOLDER

    async def answer(entry: Entry, task: Task) -> Mapping[str, Any]:
        question = Question(task.qid, task.graph, task.question)
        return await runs.ask(agents[entry.agent], question, server, {"": models[entry]})

    agents = {name: runs.agent_of(name, parsed.prompts or FOLDER) for name in parsed.agent}
    async with AsyncExitStack() as stack:
        models = {
            entry: await stack.enter_async_context(
                Model(_settings_of_entry(parsed, entry), ReplyCache(run.folder / "replies"), report_wait)
            )
            for entry, run in bench.runs.items()
        }
        connection = connect(server_of(parsed), environment=os.environ, passwords=password_variables_of(parsed))
        server = await stack.enter_async_context(connection)
        return await bench.ask(answer, budget=parsed.budget, workers=parsed.workers, progress=progress)


@command("report")
def report(parsed: argparse.Namespace) -> int:
    """Write the report of a run: one HTML file that opens from disk, and its figures as JSON. Beside another run, also
    print how many tasks were won and lost against it, and whether that may be chance.

    FOLDER           The run's folder.
    [FILE]           The report to write (.html); default: report.html in the run's folder.
    --beside FOLDER  Another run to compare with.
    """
    from graphground.evals.reports.page import write_report
    from graphground.evals.runs.judging import read_judgements
    from graphground.evals.runs.runner import read_run

    path: Path = parsed.file or parsed.folder / "report.html"
    if path.suffix != ".html":
        raise WrongUse(f"the report is an HTML file; {path} does not end in .html")
    settings, records = read_run(parsed.folder)
    judged = read_judgements(parsed.folder)
    other = read_run(parsed.beside) if parsed.beside is not None else None
    found = write_report(settings, records, path, judged=judged, other=other).get("comparison")
    sys.stdout.write(f"Wrote {path} and {path.with_suffix('.json')}.\n")
    if found is not None:
        p_value = f"= {found['p_value']:.4g}" if found["p_value"] else "< 0.000001"
        sys.stdout.write(
            f"{counted(found['tasks'], 'task')} in common ({found['left_out']} left out): won {len(found['won'])}, lost "
            f"{len(found['lost'])}, right in both {found['both_right']}, wrong in both {found['both_wrong']}\n"
            f"McNemar's test: p {p_value}\n"
        )
    return 0


@command("make", settings=GRAPHS)
def make(parsed: argparse.Namespace) -> int:
    """Generate tasks for a graph: questions whose gold queries return rows, balanced over patterns and templates.

    GRAPH             The graph that the tasks are about.
    FILE              The task file to write (.json or .json.gz).
    --tasks N         Number of tasks (default: 200).
    --seed N          The same seed makes the same tasks (default: 0).
    --seeds FILE      Make them from real questions: a file with questions and queries, or a recorded trace.
    --private         With --seeds: keep no name or other text of the seeds' queries.
    --patterns FILE   A file of your own patterns, in place of the 12 bundled patterns.
    --templates FILE  A file of your own RETURN templates, in place of the bundled templates.
    """
    from graphground.evals.generation.generate import generate
    from graphground.evals.tasks.task import read_records, write_tasks

    if parsed.tasks < 1:
        raise WrongUse("--tasks must be at least 1")
    if parsed.seeds is not None:
        return _grow(parsed)
    if parsed.private:
        raise WrongUse("--private needs --seeds")
    patterns, templates = (
        list(read_records(path)) if path is not None else None for path in (parsed.patterns, parsed.templates)
    )
    with closing(open_graphs(settings_from(parsed))) as graphs, progress_bars() as progress:
        generated = generate(
            graphs.get(parsed.graph_name),
            parsed.tasks,
            parsed.seed,
            patterns=patterns,
            templates=templates,
            progress=partial(progress, "tasks"),
        )
    write_tasks(generated.tasks, parsed.file)
    sys.stdout.write(f"Wrote {counted(len(generated.tasks), 'task')} to {parsed.file}.\n")
    if len(generated.tasks) < parsed.tasks:
        sys.stderr.write(
            f"graphground: only {counted(len(generated.tasks), 'realistic task')} could be made from this graph, "
            f"not {parsed.tasks}\n"
        )
    for name, reason in generated.missing.items():
        sys.stderr.write(f"graphground: {name}: {reason}\n")
    return 0


def _grow(parsed: argparse.Namespace) -> int:
    from graphground.evals.generation.seeds import grow, read_seeds
    from graphground.evals.tasks.task import write_tasks

    seeds = read_seeds(parsed.seeds)
    with closing(open_graphs(settings_from(parsed))) as graphs, progress_bars() as progress:
        tasks, report = grow(
            graphs.get(parsed.graph_name),
            seeds,
            parsed.tasks,
            parsed.seed,
            private=parsed.private,
            progress=partial(progress, "tasks"),
        )
    write_tasks(tasks, parsed.file)
    sys.stdout.write(f"Wrote {counted(len(tasks), 'task')} from {counted(len(seeds), 'seed')} to {parsed.file}.\n")
    for name, value in report.items():
        sys.stdout.write(f"{name.replace('_', ' ')}: {json.dumps(value)}\n")
    return 0 if tasks else 1


@command("harden", settings=GRAPHS)
def harden(parsed: argparse.Namespace) -> int:
    """Make harder variants of tasks: names as people write them, and questions that are ambiguous or that the graph
    cannot answer.

    TASKS        A task file.
    FILE         The task file to write (.json or .json.gz).
    --kind KIND  Only this kind, such as misspelt or ambiguous_value; may be repeated.
    --seed N     The same seed makes the same variants (default: 0).
    """
    from graphground.evals.tasks.harden import KINDS
    from graphground.evals.tasks.harden import harden as variants_of
    from graphground.evals.tasks.task import read_tasks, write_tasks

    tasks = read_tasks(parsed.tasks)
    kinds = parsed.kind or KINDS
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        raise WrongUse(f"there is no kind {unknown[0]!r}; the kinds are {', '.join(KINDS)}")
    with closing(open_graphs(settings_from(parsed))) as graphs:
        labels = {label for name in graphs.names() for label in graphs.get(name).schema.labels}
        variants = [
            variant
            for name in dict.fromkeys(task.graph for task in tasks)
            for variant in variants_of(tasks, graphs.get(name), parsed.seed, kinds, sorted(labels))
        ]
    write_tasks(variants, parsed.file)
    sys.stdout.write(f"Wrote {counted(len(variants), 'variant')} of {counted(len(tasks), 'task')} to {parsed.file}.\n")
    return 0


def _predictor(parsed: argparse.Namespace, graphs: Graphs, tasks: Sequence[Task]) -> Predictor:
    from graphground.evals.runs.agents import CommandAgent, FilePredictions, FirstSuggestion, Repaired
    from graphground.evals.runs.prediction import read_predictions

    predictor: Predictor
    if parsed.predictions is not None:
        predictor = FilePredictions(read_predictions(parsed.predictions, tasks), parsed.predictions.name)
    elif parsed.agent is not None:
        predictor = CommandAgent(parsed.agent, parsed.agent_timeout)
    else:
        predictor = FirstSuggestion(graphs)
    return Repaired(predictor, graphs) if parsed.repair else predictor


def _version(home: Home, name: str) -> str:
    from graphground.graphs.storage.home import Catalog

    entry = Catalog(home).find(name)
    return entry.id if entry is not None else name


def _print_scores(folder: Path) -> None:
    from graphground.evals.reports.summary import summarize
    from graphground.evals.runs.runner import read_run

    summary = summarize(*read_run(folder))
    if summary["left_out"]:
        sys.stderr.write(f"graphground: {summary['left_out']}\n")
    for metric in summary["metrics"]:
        score, with_all = summary["overall"][metric["name"]], summary["all_tasks"][metric["name"]]
        interval = f"  ({score['low']:.1%} to {score['high']:.1%})" if score else ""
        others = f"  with the tasks left out: {_percent(with_all)}" if summary["left_out"] else ""
        sys.stdout.write(f"{metric['title']:<20}{_percent(score)}{interval}{others}\n")


def _percent(score: Mapping[str, float] | None) -> str:
    return f"{score['mean']:.1%}" if score else "none"


@command("rephrase", MODEL)
def rephrase(parsed: argparse.Namespace) -> int:
    """Rephrase raw questions with a language model, which then verifies each new question, in up to three rounds; if it
    confirms none, the raw question is kept. To resume, repeat the command. Exit status 1 if no question was rephrased.

    TASKS          A task file.
    FILE           The task file to write (.json or .json.gz).
    --report FILE  Write the outcome for each question to this file (JSON Lines).
    --workers N    Number of concurrent questions (default: 4).
    """
    import anyio

    from graphground.evals.generation.rephrasing import kinds_of
    from graphground.evals.tasks.task import read_tasks, write_tasks

    if parsed.workers < 1:
        raise WrongUse("--workers must be a positive number")
    results, calls = anyio.run(_rephrased, parsed, read_tasks(parsed.tasks))
    write_tasks([result.task for result in results], parsed.file)
    if parsed.report is not None:
        lines = [json.dumps(result.as_record(), ensure_ascii=False) + "\n" for result in results]
        parsed.report.write_text("".join(lines), encoding="utf-8")
    rephrased = sum(not result.problem for result in results)
    sys.stdout.write(
        f"Wrote {counted(len(results), 'task')} to {parsed.file}: {counted(rephrased, 'question')} rephrased, "
        f"{len(results) - rephrased} kept raw. The model received {counted(calls, 'request')}.\n"
    )
    for kind, (count, example) in kinds_of(results).items():
        sys.stderr.write(f"graphground: questions kept raw ({kind}): {count}, for example {example.task.qid}\n")
    return 0 if rephrased else 1


@command("judge", MODEL)
def judge(parsed: argparse.Namespace) -> int:
    """Let a language model judge the answers in words of runs against the gold rows. To resume, repeat the command.

    FOLDER...       The folders of runs.
    --second MODEL  A second judge, whose agreement with the first is reported.
    --sheet FILE    Write 50 answers of the first run for your labels (CSV).
    --labels FILE   That sheet with your labels: print the agreement.
    --workers N     Number of concurrent answers (default: 4).
    """
    import anyio

    from graphground.evals.runs.judging import calibrate, judge_run, read_judgements, write_sheet

    async def judge_all(model: str, second: bool) -> None:
        async with _asking(parsed, model) as ask_model:

            async def ask(prompt: str) -> str:
                return (await ask_model(prompt)).text

            for folder in parsed.folder:
                await judge_run(folder, model, ask, second=second, workers=parsed.workers)

    anyio.run(judge_all, parsed.model, False)
    if parsed.second:
        anyio.run(judge_all, parsed.second, True)
    for folder in parsed.folder:
        found = read_judgements(folder) or {}
        agreed = f"; agreement with {found['second']}: {_agreed(found)}" if "second" in found else ""
        sys.stdout.write(f"{folder}: right by {parsed.model} {_percent(found['right'])}{agreed}\n")
    if parsed.sheet is not None:
        count = write_sheet(parsed.folder[0], parsed.sheet)
        sys.stdout.write(
            f"Wrote {counted(count, 'answer')} to {parsed.sheet}: write yes or no into its column `right`.\n"
        )
    if parsed.labels is not None:
        sys.stdout.write(f"Agreement with your labels: {_agreed(calibrate(parsed.folder[0], parsed.labels))}\n")
    return 0


def _agreed(found: Mapping[str, Any]) -> str:
    return f"{found['agree']:.1%} of {counted(found['common'], 'answer')}, Cohen's kappa {found['kappa']}"


@asynccontextmanager
async def _asking(parsed: argparse.Namespace, named: str = "") -> AsyncIterator[Callable[[str], Awaitable[Reply]]]:
    from graphground.agents.conversation import Message
    from graphground.agents.models import Model, ReplyCache

    async with Model(model_settings(parsed, named), ReplyCache(reply_folder(parsed)), report_wait) as model:
        yield lambda prompt: model.ask([Message("user", prompt)])


async def _rephrased(parsed: argparse.Namespace, tasks: list[Task]) -> tuple[list[Rephrased], int]:
    """Rephrase the tasks; return the results and the number of requests to the model, not counting cached replies."""
    from graphground.agents.model_settings import HOPELESS, PASSING, ModelFailure
    from graphground.evals.generation.rephrasing import NoReply, RephrasingStopped
    from graphground.evals.generation.rephrasing import rephrase as rephrase_all

    calls = 0

    async def ask(prompt: str) -> str:
        nonlocal calls
        try:
            reply = await ask_model(prompt)
        except ModelFailure as failure:
            stops = failure.kind in HOPELESS | PASSING
            raise (RephrasingStopped if stops else NoReply)(str(failure)) from None
        calls += not reply.cached
        return reply.text

    async with _asking(parsed) as ask_model:
        with progress_bars() as progress:
            results = await rephrase_all(tasks, ask, workers=parsed.workers, progress=partial(progress, "questions"))
    return results, calls
