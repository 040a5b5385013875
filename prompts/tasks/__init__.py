"""The prompts that turn the raw questions of generated tasks into natural questions:
`rephrase` writes, `verify` checks."""

from __future__ import annotations

from pathlib import Path

from graphground.prompts.template import all_templates

FOLDER = Path(__file__).parent


def task_prompt(name: str, **values: str) -> str:
    """Return a prompt with its placeholders filled in: `task_prompt("rephrase", raw="…", query="…", kept="…")`."""
    return all_templates(FOLDER)[name].fill(values)
