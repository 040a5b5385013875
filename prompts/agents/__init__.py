"""The prompts of the agents: one Markdown template for each role, and functions that load them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal

from graphground.prompts.template import Template, all_templates

FOLDER = Path(__file__).parent


def agent_templates(folder: Path = FOLDER) -> dict[str, Template]:
    """Return the template of each role by its name; a file in `folder` replaces the built-in template of the same name.

    Raises:
        ValueError: the folder has no template, or a file in it is not a template or is not named after a role.
    """
    own, others = all_templates(FOLDER), all_templates(folder)
    if not others or set(others) - set(own):
        wrong = ", ".join(sorted(set(others) - set(own))) or "no .md file"
        roles = ", ".join(sorted(own))
        raise ValueError(f"{folder} contains {wrong}; its files must be named after the roles: {roles}")
    return own | others


def agent_messages(role: str, folder: Path = FOLDER, **values: str) -> list[tuple[Literal["system", "user"], str]]:
    """Return a role's prompt as messages: `[("system", "List the values …"), ("user", "Query: …")]`.

    A line `+++` in the template ends the system message; a template without it is a single message of the user.
    """
    template = agent_templates(folder)[role]
    system, mark, user = template.text.partition("\n+++\n")
    if not mark:
        return [("user", template.fill(values))]
    return [
        ("system", replace(template, text=system).fill(values)),
        ("user", replace(template, text=user).fill(values)),
    ]
