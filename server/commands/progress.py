"""Progress display of commands: bars and a spinner on stderr, if that is a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import TaskID

SECONDS_BETWEEN_LINES = 5.0
Report = Callable[[str, int, int | None], None]
"""A function called with the name of a step, the amount done, and the total (None if unknown)."""


@dataclass(frozen=True, slots=True)
class ProgressReport:
    """A display of progress: `report("names", 200, 800)` shows a step, `report.note("waiting 30 s")` a sentence."""

    show: Report
    note: Callable[[str], None]

    def __call__(self, step: str, done: int, total: int | None) -> None:
        """Show that `done` of `total` parts of a step are done; `total` is None if it is unknown."""
        self.show(step, done, total)


@contextmanager
def progress_bars() -> Iterator[ProgressReport]:
    """Show a progress bar for each step; if stderr is not a terminal, print a line every few seconds instead."""
    if not sys.stderr.isatty():
        yield ProgressReport(_line_reporter(), _write_line)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description:<15}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
    )
    tasks: dict[str, TaskID] = {}
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:

        def report(step: str, done: int, total: int | None) -> None:
            if step not in tasks:
                tasks[step] = bars.add_task(step, total=total)
            bars.update(tasks[step], completed=done, total=total)

        yield ProgressReport(report, lambda text: bars.console.print(text, highlight=False, markup=False))


def _write_line(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def _line_reporter() -> Report:
    last = time.monotonic()

    def report(step: str, done: int, total: int | None) -> None:
        nonlocal last
        if time.monotonic() - last > SECONDS_BETWEEN_LINES:
            last = time.monotonic()
            share = f" {done / total:.0%}" if total else f" {done:,}"
            _write_line(f"{step}:{share}")

    return report


@contextmanager
def spinner(text: str) -> Iterator[None]:
    """Show a spinner beside `text` while the block runs, if stderr is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(text):
        yield
