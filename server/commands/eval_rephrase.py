"""`graphground eval rephrase`: natural questions for tasks, written and verified by a language model."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from graphground.cypher.wording import counted
from graphground.server.commands.command_line import CommandLine, WrongUse
from graphground.server.commands.models import add_model, model_settings, reply_folder, report_wait
from graphground.server.commands.progress import progress_bars

if TYPE_CHECKING:
    from graphground.evals.generation.rephrasing import Rephrased
    from graphground.evals.tasks.task import Task


def add_rephrase(group: CommandLine) -> None:
    """Add the subcommand `rephrase` to `graphground eval`."""
    parser = group.add_command(
        "rephrase",
        rephrase,
        "Rephrase raw questions with a language model, which then verifies each new question, in up to three rounds; "
        "if it confirms none, the raw question is kept. To resume, repeat the command. "
        "Exit status 1 if no question was rephrased.",
    )
    parser.add_argument("tasks", type=Path, metavar="TASKS", help="A task file.")
    parser.add_argument("file", type=Path, metavar="FILE", help="The task file to write (.json or .json.gz).")
    parser.add_argument(
        "--report", type=Path, metavar="FILE", help="Write the outcome for each question to this file (JSON Lines)."
    )
    parser.add_argument(
        "--workers", type=int, default=4, metavar="N", help="Number of concurrent questions (default: 4)."
    )
    add_model(parser)


def rephrase(parsed: argparse.Namespace) -> int:
    """Rephrase the questions of a task file."""
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


async def _rephrased(parsed: argparse.Namespace, tasks: list[Task]) -> tuple[list[Rephrased], int]:
    """Rephrase the tasks; return the results and the number of requests to the model, not counting cached replies."""
    from graphground.agents.conversation import Message
    from graphground.agents.failures import HOPELESS, PASSING, ModelFailure
    from graphground.agents.models import Model
    from graphground.agents.reply_cache import ReplyCache
    from graphground.evals.generation.rephrasing import NoReply, RephrasingStopped
    from graphground.evals.generation.rephrasing import rephrase as rephrase_all

    calls = 0

    async def ask(prompt: str) -> str:
        nonlocal calls
        try:
            reply = await model.ask([Message("user", prompt)])
        except ModelFailure as failure:
            stops = failure.kind in HOPELESS | PASSING
            raise (RephrasingStopped if stops else NoReply)(str(failure)) from None
        calls += not reply.cached
        return reply.text

    async with Model(model_settings(parsed), ReplyCache(reply_folder(parsed)), report_wait) as model:
        with progress_bars() as progress:
            results = await rephrase_all(
                tasks, ask, workers=parsed.workers, progress=lambda done, total: progress("questions", done, total)
            )
    return results, calls
