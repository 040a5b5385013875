"""Draws docstrings at random, for a reader who marks those that need a second reading.

python -m benchmarks.docs.docstrings --seed 7 [--count 60]
"""

from __future__ import annotations

import argparse
import ast
import random
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = [
    "agents",
    "benchmarks",
    "cypher",
    "docs",
    "evals",
    "graphs",
    "prompts",
    "release",
    "server",
    "tests",
    "tools",
]


def docstrings(file: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each docstring in a file, including docstrings of attributes."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, node.value.value.strip()


def drawn(seed: int, count: int) -> list[str]:
    """Return at most `count` random docstrings with file and line; the same seed and files give the same result."""
    files = sorted(file for folder in FOLDERS for file in (ROOT / folder).rglob("*.py"))
    found = [
        f"{file.relative_to(ROOT)}:{line}\n  {' '.join(text.split())}"
        for file in files
        for line, text in docstrings(file)
    ]
    return random.Random(seed).sample(found, min(count, len(found)))


def main() -> None:
    """Print the drawn docstrings."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, default=60)
    options = parser.parse_args()
    print("\n".join(drawn(options.seed, options.count)))


if __name__ == "__main__":
    main()
