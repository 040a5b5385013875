"""Mermaid flowcharts of a schema and of a query's matches, which GitHub and many editors draw."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphground.cypher.schema import Label, PropertyGraphSchema

MAX_TEXT_LETTERS = 48
MAX_PROPERTIES = 8
MAX_LABELS = 60


@dataclass(frozen=True, slots=True)
class Box:
    """A box of a flowchart: `Box("m", ("Movie (1,200)", "name: str"))`; an `empty` box has a dashed border."""

    id: str
    lines: tuple[str, ...]
    empty: bool = False


@dataclass(frozen=True, slots=True)
class Arrow:
    """An arrow between two boxes: `Arrow("m", "p", "directedBy")`.

    A `symmetric` arrow is drawn without a head; an `empty` arrow is drawn with a dashed line.
    """

    start: str
    end: str
    text: str
    symmetric: bool = False
    empty: bool = False


def draw_schema(schema: PropertyGraphSchema) -> str:
    """Return a flowchart of the labels with their properties and counts, and of the patterns; empty ones are dashed.

    If a schema has more than 60 labels, only those with the most patterns are drawn.
    """
    degree = dict.fromkeys(schema.labels, 0)
    for pattern in schema.patterns:
        for label in {pattern.start, pattern.end} & degree.keys():
            degree[label] += 1
    drawn = sorted(degree, key=lambda label: -degree[label])[:MAX_LABELS]
    arrows = [
        Arrow(
            pattern.start,
            pattern.end,
            pattern.type if pattern.count is None else f"{pattern.type} ({pattern.count:,})",
            symmetric=pattern.symmetric,
            empty=pattern.count == 0,
        )
        for pattern in schema.patterns
        if pattern.start in drawn and pattern.end in drawn
    ]
    boxes = [_box(schema.labels[name]) for name in schema.labels if name in drawn]
    return flowchart(boxes, arrows, left_out=len(schema.labels) - len(boxes))


def draw_matches(subgraph: Mapping[str, Any]) -> str:
    """Return a flowchart of what `matches.subgraph` found: each node with its name and label."""
    boxes = [Box(node["id"], (node["name"], node["label"])) for node in subgraph["nodes"]]
    return flowchart(boxes, [Arrow(link["start"], link["end"], link["type"]) for link in subgraph["links"]])


def _box(label: Label) -> Box:
    title = label.name if label.count is None else f"{label.name} ({label.count:,})"
    lines = [f"{key}: {type_}" for key, type_ in label.properties.items() if key not in label.reserved]
    if len(lines) > MAX_PROPERTIES:
        lines[MAX_PROPERTIES:] = [f"and {len(lines) - MAX_PROPERTIES} more"]
    return Box(label.name, (title, *lines), empty=label.count == 0)


def flowchart(boxes: Sequence[Box], arrows: Sequence[Arrow], *, left_out: int = 0) -> str:
    """Return the text of a flowchart; a comment says how many boxes are left out."""
    names = {box.id: f"n{number}" for number, box in enumerate(boxes)}
    lines = ["flowchart LR"]
    lines += [f'  {names[box.id]}["{"<br/>".join(map(quoted, box.lines))}"]' for box in boxes]
    for arrow in arrows:
        line = ("-.-" if arrow.empty else "---") if arrow.symmetric else ("-.->" if arrow.empty else "-->")
        lines.append(f'  {names[arrow.start]} {line}|"{quoted(arrow.text)}"| {names[arrow.end]}')
    if empty := [names[box.id] for box in boxes if box.empty]:
        lines += ["  classDef empty stroke-dasharray: 4 3", f"  class {','.join(empty)} empty"]
    if left_out:
        lines.append(f"  %% … and {left_out:,} more, not drawn")
    return "\n".join(lines)


_SPECIAL = re.compile(r"[^\w \-.,:;()\[\]+/…�]|(?<=\d)\.(?= )|^[\-+](?= )")
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
"""Unicode categories that are not drawn: control, format (bidirectional overrides), surrogate, private, unassigned."""


def quoted(text: str) -> str:
    r"""Return a text from a graph as it can stand between the quotation marks of a label: short, and on one line.

    Control characters and invisible characters are replaced.

    >>> quoted('a "b" <i>'), quoted("Heat\n\u202e1995")
    ('a #34;b#34; #60;i#62;', 'Heat �1995')
    """
    shown = (" " if letter.isspace() else "�" if unicodedata.category(letter) in _UNSEEN else letter for letter in text)
    line = " ".join("".join(shown).split())
    line = line if len(line) <= MAX_TEXT_LETTERS else line[: MAX_TEXT_LETTERS - 1] + "…"
    return _SPECIAL.sub(lambda match: f"#{ord(match[0])};", line)
