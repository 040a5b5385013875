"""Writes raw questions: patterns and templates in words, for a person or a model to rephrase."""

from __future__ import annotations

import re
from collections.abc import Mapping

from graphground.evals.generation.shapes import Shape


def words(name: str) -> str:
    """Return a name of the schema in lower-case words: `hasCastMember` becomes `has cast member`.

    >>> words("partOfDivision"), words("runtime_minute")
    ('part of division', 'runtime minute')
    """
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).replace("_", " ").lower().strip()


def plural(text: str) -> str:
    """Return the English plural of a noun: `movies` for `movie`, `countries` for `country`.

    >>> plural("country"), plural("movie"), plural("award class")
    ('countries', 'movies', 'award classes')
    """
    if re.search(r"[^aeiou]y$", text):
        return text[:-1] + "ies"
    return text + ("es" if re.search(r"(s|x|ch|sh)$", text) else "s")


def match_words(question: str, shape: Shape, names: Mapping[str, str], time: str = "") -> str:
    """Describe the nodes that a pattern matches, in words: `movies with "directed by" the person Michael Mann`."""

    def slot(found: re.Match[str]) -> str:
        parts = found.group(1).split()
        if parts == ["time"]:
            return time
        if len(parts) == 1:
            return _node(shape, parts[0], names)
        _, link, right = parts
        facts, out = shape.links[link]
        relation = words(facts.pattern.type)
        other = _node(shape, right, names)
        return f'with "{relation}" {other}' if out else f'that are "{relation}" of {other}'

    return re.sub(r"\{([^{}]+)\}", slot, question)


def _node(shape: Shape, node: str, names: Mapping[str, str]) -> str:
    label = words(shape.labels[node])
    return f"the {label} {names[node]}" if node in names else plural(label)
