"""Progress display of commands: bars and a spinner on stderr, if that is a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import TaskID

SECONDS_BETWEEN_LINES = 5.0
Report = Callable[[str, int, int | None], None]
"""A function called with the name of a step, the amount done, and the total (None if unknown)."""


@contextmanager
def progress_bars() -> Iterator[Report]:
    """Show a progress bar for each step; if stderr is not a terminal, print a line every few seconds instead."""
    if not sys.stderr.isatty():
        yield _line_reporter()
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

        yield report


def _line_reporter() -> Report:
    last = time.monotonic()

    def report(step: str, done: int, total: int | None) -> None:
        nonlocal last
        if time.monotonic() - last > SECONDS_BETWEEN_LINES:
            last = time.monotonic()
            share = f" {done / total:.0%}" if total else f" {done:,}"
            sys.stderr.write(f"{step}:{share}\n")
            sys.stderr.flush()

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
