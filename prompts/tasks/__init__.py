"""The prompts that turn the raw questions of generated tasks into natural questions:
`rephrase` writes, `verify` checks."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from graphground.prompts.template import Template, read

FOLDER = Path(__file__).parent


@cache
def task_templates() -> dict[str, Template]:
    """Return the templates by name: `rephrase` and `verify`."""
    return {path.stem: read(path.stem, path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.md"))}


def task_prompt(name: str, **values: str) -> str:
    """Return a prompt with its placeholders filled in: `task_prompt("rephrase", raw="…", query="…", kept="…")`."""
    return task_templates()[name].fill(values)
