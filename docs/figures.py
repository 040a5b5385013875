"""Writes `docs/figures.md` from the result files of the benchmarks: `python docs/figures.py [--check]`."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.results import MAX_ROWS, Figure, read_all  # noqa: E402

PAGE = ROOT / "docs" / "figures.md"
TITLES = {
    "language": "The language, judged by Neo4j",
    "queries": "Queries and repairs",
    "strangers": "Questions that nobody tuned for",
    "questions": "Questions, names and schemas",
    "databases": "Databases that were not prepared",
    "guard": "Speed beside the peers",
    "engines": "Engines and loading",
    "server": "The server under attack and load",
    "evals": "Measuring agents",
    "wikidata": "Graphs from Wikidata",
    "repository": "The repository",
}
"""The headings of the page, by the names of the result files, in the order of the page."""
HEAD = """# Figures

What the project claims, the bar that it set itself, and the command that measures it. A value in **bold** misses its
bar. The page is written by `python docs/figures.py` from the files in `benchmarks/results`, which the benchmarks write.
Earlier values are in the history of these files. The rows of 2026-11-22 were measured before the reading
of questions was replaced, and before the schema filter was measured with a real index.

Machine: two cores, 24 GB, Python 3.11, Neo4j Community 5.26.30 unless a row says otherwise. A command is what follows
`python -m`. *Held out* are data that were not used in development.
"""
COLUMNS = "| what | data | value | bar | command | date |\n|---|---|---|---|---|---|\n"


def row(figure: Figure) -> str:
    """Return a row of a table: the value is bold if it misses the bar."""
    value = f"{figure.value:,.10g}" + (f" {figure.unit}" if figure.unit else "")
    bar = figure.bar.replace("<= ", "at most ").replace(">= ", "at least ") or "–"
    shown = f"**{value}**" if figure.missed else value
    return f"| {figure.what} | {figure.data} | {shown} | {bar} | `{figure.command}` | {figure.date} |\n"


def page() -> str:
    """Return the text of the page.

    Raises:
        ValueError: a result file has no heading, or there are more than `MAX_ROWS` rows.
    """
    found = read_all()
    if unknown := found.keys() - TITLES.keys():
        raise ValueError(f"no heading for {', '.join(sorted(unknown))}: add it to TITLES in docs/figures.py")
    if (rows := sum(map(len, found.values()))) > MAX_ROWS:
        raise ValueError(f"{rows} rows: at most {MAX_ROWS} are shown; delete those that nobody reads")
    parts = [HEAD]
    for name, title in TITLES.items():
        if found.get(name):
            parts.append(f"\n## {title}\n\n{COLUMNS}{''.join(map(row, found[name]))}")
    return "".join(parts)


if __name__ == "__main__":
    text = page()
    if "--check" in sys.argv[1:]:
        sys.exit(0 if PAGE.read_text(encoding="utf-8") == text else "docs/figures.md is out of date")
    PAGE.write_text(text, encoding="utf-8")
