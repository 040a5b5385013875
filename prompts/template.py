"""Reads the prompt templates of this folder and fills them in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a prompt: `Argument("question", True, "The question in plain words.")`."""

    name: str
    required: bool
    description: str


@dataclass(frozen=True, slots=True)
class Template:
    """A prompt template: a heading with settings, then text with `{{name}}` placeholders."""

    name: str
    title: str
    description: str
    arguments: tuple[Argument, ...]
    text: str

    def fill(self, values: Mapping[str, str]) -> str:
        """Return the text with all placeholders filled in.

        A value that itself contains `{{…}}` is not expanded.
        """
        return re.sub(r"\{\{(\w+)\}\}", lambda place: values[place.group(1)], self.text)


@cache
def all_templates(folder: Path = FOLDER) -> dict[str, Template]:
    """Return every template of a folder by name: by default those that clients are offered as prompts.

    Raises:
        ValueError: a file is not a template.
    """
    found = {}
    for path in sorted(folder.glob("*.md")):
        try:
            found[path.stem] = read(path.stem, path.read_text(encoding="utf-8"))
        except (KeyError, ValueError) as error:
            needed = "it needs a heading with title and description"
            raise ValueError(f"{path} is not a template: {needed} ({error})") from None
    return found


def read(name: str, document: str) -> Template:
    """Parse a template: `title:`, `description:` and `arguments:` between two lines of `---`, then the text."""
    _, heading, text = document.split("---\n", 2)
    fields: dict[str, str] = {}
    arguments: list[Argument] = []
    for line in heading.splitlines():
        key, _, value = line.partition(":")
        if line.startswith("  "):
            need, _, description = value.partition("|")
            arguments.append(Argument(key.strip(), need.strip() == "required", description.strip()))
        else:
            fields[key] = value.strip()
    return Template(name, fields["title"], fields["description"], tuple(arguments), text.strip() + "\n")
