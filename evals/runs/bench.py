"""Runs agents with several models over the same tasks within a budget; a bench that was stopped or killed continues.

    bench = Bench(Path("bench"), tasks, entries_of(["tools", "loop"], ["gpt-5-mini"], repeat=3), options)
    asked = await bench.ask(answer, budget=20.0)
    bench.score(graphs, asked.tasks, timeout=30.0)

Each entry (an agent, a model and the number of a repetition) is a run in its own folder, as `graphground eval run`
makes it. The tasks are asked in blocks of `BLOCK`, in an order that depends on their ids alone, and every entry answers
a block before the next block begins. If the budget ends, all entries have therefore answered the same tasks, which are
a random part of the file, and the same budget stops at the same task however often the bench was killed.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from graphground.evals.runs.agents import FilePredictions
from graphground.evals.runs.prediction import read_reply
from graphground.evals.runs.runner import Journal, Run, RunError, for_each, lock_folder
from graphground.evals.tasks.task import Task
from graphground.tools.tool import Graphs

BLOCK = 4
"""The number of tasks that all entries answer before the budget is looked at again."""
MAX_FAILURES = 3
"""The number of questions in a row without a reply from the model after which a bench stops."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One run of a bench: `Entry("tools", "gpt-5-mini", 2)` is the second repetition."""

    agent: str
    model: str
    repeat: int = 1

    @property
    def name(self) -> str:
        """The name of the run's folder: `tools-gpt-5-mini-2`."""
        return re.sub(r"[^\w.-]+", "_", f"{self.agent}-{self.model}-{self.repeat}")


Answer = Callable[[Entry, Task], Awaitable[Mapping[str, Any]]]
"""A function that asks an entry's agent a question and returns its reply, in the form of the protocol of agents, with
`usage.price_usd`, the price of its tokens, if that is known. It raises an exception if the bench must stop."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The tasks that all entries have answered, and the price of all their answers, in US dollars."""

    tasks: list[Task]
    spent: float
    asked: int
    """The number of questions asked now, not counting those of an earlier start."""
    over: bool = False
    """Whether the budget ended the bench."""


def entries_of(agents: Sequence[str], models: Sequence[str], repeat: int) -> list[Entry]:
    """Return an entry for each agent, model and repetition."""
    return [
        Entry(agent, model, number) for agent in agents for model in models for number in range(1, max(1, repeat) + 1)
    ]


class Bench:
    """A bench in its folder, which is made or continued."""

    def __init__(
        self, folder: Path, tasks: Sequence[Task], entries: Mapping[Entry, Mapping[str, Any]], *, note: str = ""
    ) -> None:
        """Open the runs of a bench; `entries` maps each entry to the settings on which its scores depend.

        Raises:
            RunError: the folder holds runs over other tasks, or with other settings.
        """
        self.folder, self.note = folder, note
        self.tasks = sorted(tasks, key=lambda task: hashlib.sha256(task.qid.encode()).digest())
        self.runs = {
            entry: Run.open(folder / entry.name, tasks, f"{entry.agent}, {entry.model}", note=note, options=options)
            for entry, options in entries.items()
        }

    async def ask(
        self,
        answer: Answer,
        *,
        budget: float | None = None,
        workers: int = 8,
        progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> Asked:
        """Ask every entry the questions that it has not answered yet, until the next block might exceed the budget.

        The budget, in US dollars, is compared with the price of all answers, those of earlier starts included. The
        next block is expected to cost as much as the dearest one so far; the first block is always asked.

        Raises:
            RunError: another process works in the folder, the price of an answer is unknown although there is a
                budget, or `MAX_FAILURES` questions in a row received no reply.
            Exception: what `answer` raises; the answers until then are kept.
        """
        with lock_folder(self.folder, "bench"), ExitStack() as stack:
            journals = {
                entry: stack.enter_context(closing(Journal(run.folder / "predictions.jsonl")))
                for entry, run in self.runs.items()
            }
            prices = {
                entry: {record["qid"]: float(record["cost"]) for record in journal.records}
                for entry, journal in journals.items()
            }
            failures = asked = 0

            async def ask_one(item: tuple[Entry, Task]) -> None:
                nonlocal failures, asked
                entry, task = item
                reply = await answer(entry, task)
                failures = failures + 1 if reply.get("temporary") else 0
                if failures >= MAX_FAILURES:
                    raise RunError(f"{failures} questions in a row received no reply: {reply.get('error')}")
                price = (reply.get("usage") or {}).get("price_usd")
                if price is None and budget is not None:
                    raise RunError(
                        f"no price is known for {entry.model}, so the budget cannot be kept; give --price "
                        f"{entry.model}=IN,OUT, in US dollars for a million tokens"
                    )
                usage = {**(reply.get("usage") or {}), "cost_usd": price or 0.0}
                prediction = read_reply(task.qid, {**reply, "usage": usage})
                journals[entry].append(asdict(prediction))
                prices[entry][task.qid] = prediction.cost
                asked += 1
                progress(sum(map(len, prices.values())), len(self.tasks) * len(self.runs))

            done, spent, dearest, over = 0, 0.0, 0.0, False
            while done < len(self.tasks):
                if budget is not None and done and spent + dearest > budget:
                    over = True
                    break
                block = self.tasks[done : done + BLOCK]
                left = [(entry, task) for task in block for entry in self.runs if task.qid not in prices[entry]]
                await for_each(left, ask_one, workers)
                cost = sum(prices[entry][task.qid] for task in block for entry in self.runs)
                spent, dearest, done = spent + cost, max(dearest, cost), done + len(block)
            return Asked(self.tasks[:done], spent, asked, over)

    def score(
        self,
        graphs: Graphs,
        tasks: Sequence[Task],
        *,
        progress: Callable[[int, int], None] = lambda done, total: None,
        **options: Any,
    ) -> dict[str, int]:
        """Score the answers to these tasks; return the number of answers that cannot be scored, by reason.

        `options` are those of `Run.go`, such as `timeout`.
        """
        unscored = Counter[str]()
        for number, run in enumerate(self.runs.values()):

            def report(done: int, total: int, before: int = number * len(tasks)) -> None:
                progress(before + done, len(self.runs) * total)

            run.tasks = list(tasks)
            gold = self.folder / "gold.sqlite"
            unscored += Counter(run.go(FilePredictions({}), graphs, gold=gold, progress=report, **options).unscored)
        return unscored
