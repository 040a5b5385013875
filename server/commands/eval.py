"""`graphground eval`: runs over task files, their reports, tasks made for a graph, and harder variants of tasks."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphground.evals.runs.agents import AgentError, CommandAgent, FilePredictions, Predictor, Repaired
from graphground.evals.runs.prediction import read_predictions
from graphground.evals.runs.runner import Run, RunError, read_run
from graphground.evals.tasks.task import TaskError, read_tasks
from graphground.graphs.engines.engine import EngineError
from graphground.graphs.opening.open_graphs import UnknownGraph
from graphground.graphs.storage.catalog import Catalog, CatalogError
from graphground.server.commands.subcommands import run as run_app
from graphground.server.settings import SettingsError, read_settings

if TYPE_CHECKING:
    from graphground.graphs.storage.home import Home
    from graphground.server.settings import Settings
    from graphground.tools.tool import Graphs

app = typer.Typer(help="Measure agents on tasks: run, report, compare.", no_args_is_help=True)

HomeOption = Annotated[Path | None, typer.Option(help="The data folder.")]
SettingsOption = Annotated[Path | None, typer.Option("--settings", help="A settings file, for your own databases.")]


@app.command()
def run(
    tasks: Annotated[Path, typer.Argument(help="A task file in CypherBench's format (.json, .jsonl, .gz).")],
    folder: Annotated[Path, typer.Argument(help="The run's folder; the same command continues a run in it.")],
    predictions: Annotated[Path | None, typer.Option(help="A file of predictions.")] = None,
    agent: Annotated[str | None, typer.Option(help="A command that reads questions and writes predictions, one JSON "
                                                   "object a line.")] = None,
    suggest: Annotated[bool, typer.Option("--suggest", help="The first query of suggest_queries, without a model.")
                       ] = False,
    repair: Annotated[bool, typer.Option("--repair", help="Take what validate_cypher suggests for a wrong query.")
                      ] = False,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Tasks at once.")] = 8,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds for each query.")] = 30.0,
    agent_timeout: Annotated[float, typer.Option(min=0.1, help="Seconds for each reply of the agent.")] = 300.0,
    note: Annotated[str, typer.Option(help="A sentence that the report shows, such as that the graph is a stand-in.")
                    ] = "",
    home: HomeOption = None,
    settings: SettingsOption = None,
) -> None:
    """Run predictions over tasks and score them; exit status 1 when tasks could not be scored."""
    sources = [name for name, given in (("--predictions", predictions), ("--agent", agent), ("--suggest", suggest))
               if given]
    if len(sources) != 1:
        raise typer.BadParameter("give one of --predictions FILE, --agent COMMAND and --suggest"
                                 + (f", not {' and '.join(sources)}" if sources else ""))
    known = read_tasks(tasks)
    given = read_predictions(predictions, known) if predictions is not None else {}
    with _opened(home, settings) as (graphs, folder_of_graphs):
        predictor: Predictor
        if predictions is not None:
            predictor = FilePredictions(given, predictions.name)
        elif agent is not None:
            predictor = CommandAgent(agent, agent_timeout)
        else:
            from graphground.evals.runs.baselines import FirstSuggestion

            predictor = FirstSuggestion(graphs)
        if repair:
            from graphground.evals.runs.baselines import repair as repaired

            predictor = Repaired(predictor, lambda name, query: repaired(graphs, name, query))
        try:
            with _progress() as progress:
                outcome = Run.open(folder, known, predictor.name, note=note).go(
                    predictor, graphs, workers=workers, timeout=timeout, progress=progress,
                    version=lambda name: _version(name, folder_of_graphs))
        finally:
            predictor.close()
    total = len(known)
    sys.stdout.write(f"Scored {outcome.scored} tasks" + (f", {outcome.before} were scored before" if outcome.before else
                                                         "") + f"; {total} in all. Run: {folder}\n")
    for reason, count in outcome.unscored.items():
        sys.stderr.write(f"graphground: {count} tasks not scored: {reason}\n")
    if outcome.scored + outcome.before:
        _print_scores(folder)
    if outcome.unscored:
        raise typer.Exit(1)


@app.command()
def report(
    folder: Annotated[Path, typer.Argument(help="The folder of a run.")],
    file: Annotated[Path | None, typer.Argument(help="Where to write it (.html); the figures go beside it as .json. "
                                                     "Default: report.html in the run's folder.")] = None,
    beside: Annotated[Path | None, typer.Option(help="Another run to compare with: what was won, what was lost.")
                      ] = None,
) -> None:
    """Write the report of a run: one HTML file that opens from disk."""
    from graphground.evals.reports.page import write_report

    path = file or folder / "report.html"
    if path.suffix != ".html":
        raise typer.BadParameter(f"{path} does not end in .html", param_hint="FILE")
    settings, records = read_run(folder)
    write_report(settings, records, path, other=read_run(beside) if beside is not None else None)
    sys.stdout.write(f"Wrote {path} and {path.with_suffix('.json')}.\n")


@app.command()
def compare(
    first: Annotated[Path, typer.Argument(help="The folder of the run to compare with.")],
    second: Annotated[Path, typer.Argument(help="The folder of the other run.")],
) -> None:
    """Print what the second run won and lost against the first, and whether that may be chance."""
    from graphground.evals.reports.summary import compare as compared

    found = compared(read_run(first)[1], read_run(second)[1])
    before, after = (found[name]["execution_accuracy"]["mean"] for name in ("first", "second"))
    sys.stdout.write(f"{found['tasks']} tasks in common; execution accuracy {before:.1%} and {after:.1%}\n"
                     f"won {len(found['won'])}, lost {len(found['lost'])}, right in both {found['both_right']}, wrong "
                     f"in both {found['both_wrong']}\nMcNemar's exact test: p = {found['p_value']:.4g}\n")


def main(arguments: Sequence[str]) -> int:
    """Run a subcommand."""
    return run_app(app, "graphground eval", arguments, TaskError, RunError, AgentError, EngineError, UnknownGraph,
                   CatalogError, SettingsError, OSError, ValueError)


@contextmanager
def _opened(home: Path | None, settings: Path | None) -> Iterator[tuple[Graphs, Home]]:
    """The graphs of a data folder and of a settings file, and the folder."""
    from graphground.graphs.storage.home import Home
    from graphground.server.settings import default_home
    from graphground.server.sources import graph_sources

    read: Settings = read_settings({name: str(path) for name, path in (("home", home), ("settings", settings)) if path})
    graphs = graph_sources(read)
    try:
        yield graphs, Home(default_home(read.home))
    finally:
        graphs.close()


def _version(name: str, home: Home) -> str:
    """A name for the data of a loaded graph: another load of it has another."""
    entry = Catalog(home).find(name)
    return entry.id if entry is not None else name


@contextmanager
def _progress() -> Iterator[Any]:
    """A bar on stderr; nothing where stderr is no terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    console = Console(stderr=True)
    with Progress(BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), console=console,
                  disable=not console.is_terminal) as bar:
        task = bar.add_task("tasks")
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _print_scores(folder: Path) -> None:
    from graphground.evals.reports.summary import summarize

    summary = summarize(*read_run(folder))
    for name, title in (("execution_accuracy", "execution accuracy"), ("psjs", "PSJS"), ("executable", "executable")):
        score = summary["overall"][name]
        sys.stdout.write(f"{title:<20}{score['mean']:.1%}  ({score['low']:.1%} to {score['high']:.1%})\n")
