"""A Mermaid flowchart of a schema, which GitHub and many editors draw."""

from __future__ import annotations

import re
import unicodedata

from graphground.cypher.schema import Label, PropertyGraphSchema

MAX_TEXT_LETTERS = 48
MAX_PROPERTIES = 8
MAX_LABELS = 60


def draw_schema(schema: PropertyGraphSchema) -> str:
    """Return a flowchart of the labels with their properties and counts, and of the patterns; empty ones are dashed.

    A symmetric relationship has no arrowhead. If a schema has more than 60 labels, only those with the most patterns
    are drawn, and a comment says how many are left out.
    """
    degree = dict.fromkeys(schema.labels, 0)
    for pattern in schema.patterns:
        for label in {pattern.start, pattern.end} & degree.keys():
            degree[label] += 1
    most = set(sorted(degree, key=lambda label: -degree[label])[:MAX_LABELS])
    boxes = {name: f"n{number}" for number, name in enumerate(name for name in schema.labels if name in most)}
    lines = ["flowchart LR"]
    lines += [f'  {box}["{"<br/>".join(map(quoted, _lines_of(schema.labels[name])))}"]' for name, box in boxes.items()]
    for pattern in schema.patterns:
        if pattern.start in boxes and pattern.end in boxes:
            arrow = ("---", "-.-", "-->", "-.->")[2 * (not pattern.symmetric) + (pattern.count == 0)]
            text = quoted(pattern.type if pattern.count is None else f"{pattern.type} ({pattern.count:,})")
            lines.append(f'  {boxes[pattern.start]} {arrow}|"{text}"| {boxes[pattern.end]}')
    if empty := [box for name, box in boxes.items() if schema.labels[name].count == 0]:
        lines += ["  classDef empty stroke-dasharray: 4 3", f"  class {','.join(empty)} empty"]
    if len(boxes) < len(schema.labels):
        lines.append(f"  %% … and {len(schema.labels) - len(boxes):,} more, not drawn")
    return "\n".join(lines)


def _lines_of(label: Label) -> list[str]:
    lines = [f"{key}: {type_}" for key, type_ in label.properties.items() if key not in label.reserved]
    if len(lines) > MAX_PROPERTIES:
        lines[MAX_PROPERTIES:] = [f"and {len(lines) - MAX_PROPERTIES} more"]
    return [label.name if label.count is None else f"{label.name} ({label.count:,})", *lines]


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
