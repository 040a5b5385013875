"""The results of benchmarks as files, from which `docs/figures.md` is written: one file for each benchmark.

    record("language", Figure("false errors", "31,280 accepted queries", 0, "", "<= 0", "benchmarks.cypher.language"))

Run `python docs/figures.py` afterwards.
"""

from __future__ import annotations

import datetime
import json
import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
MAX_ROWS = 80


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured value.

    `bar` is `"<= 5"`, `">= 95"`, or empty if there is none; `command` is what follows `python -m`. `date` and `commit`
    are those of the measurement; `record` fills them if they are empty.
    """

    what: str
    data: str
    value: float
    unit: str
    bar: str
    command: str
    date: str = ""
    commit: str = ""

    @property
    def missed(self) -> bool:
        """Whether the value misses its bar."""
        if not self.bar:
            return False
        sign, limit = self.bar.split()
        return self.value > float(limit) if sign == "<=" else self.value < float(limit)


def record(name: str, *figures: Figure) -> None:
    """Write figures into the file of a benchmark; a figure with the same `what` and `data` is replaced.

    Raises:
        ValueError: a bar is neither `<= N` nor `>= N`.
    """
    today, commit = datetime.date.today().isoformat(), _commit()
    known = {(figure.what, figure.data): figure for figure in read(name)}
    for figure in figures:
        if figure.bar and figure.bar.split()[0] not in ("<=", ">="):
            raise ValueError(f"the bar of {figure.what!r} is {figure.bar!r}; it must be '<= N' or '>= N'")
        filled = asdict(figure) | {"date": figure.date or today, "commit": figure.commit or commit}
        known[figure.what, figure.data] = Figure(**filled)
    lines = ",\n".join(json.dumps(asdict(figure), ensure_ascii=False) for figure in known.values())
    (FOLDER / f"{name}.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def read(name: str) -> list[Figure]:
    """Return the figures of a benchmark, in the order in which they were first recorded; empty if there are none."""
    path = FOLDER / f"{name}.json"
    return [Figure(**row) for row in json.loads(path.read_text(encoding="utf-8"))] if path.exists() else []


def read_all() -> dict[str, list[Figure]]:
    """Return the figures of all benchmarks, by the names of their files."""
    return {path.stem: read(path.stem) for path in sorted(FOLDER.glob("*.json"))}


def _commit() -> str:
    asked = subprocess.run(["git", "rev-parse", "--short=8", "HEAD"], capture_output=True, text=True, cwd=FOLDER)
    return asked.stdout.strip()
