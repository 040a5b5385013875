"""Groups elements of a schema that differ only in a label or a type, so that a text states them once.

`(:Painting)-[:createdBy]->(:Person)` and `(:Sculpture)-[:createdBy]->(:Person)` become
`(:Painting|Sculpture)-[:createdBy]->(:Person)`, a pattern that can be used in a query as it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

from graphground.cypher.quoting import quoted_name
from graphground.cypher.schema import RelationshipPattern

ItemT = TypeVar("ItemT")


def grouped(items: Iterable[ItemT], key: Callable[[ItemT], Hashable]) -> list[list[ItemT]]:
    """Group items by a key, in the order in which the keys first occur.

    >>> grouped(["Heat", "Ronin", "Jaws"], len)
    [['Heat', 'Jaws'], ['Ronin']]
    """
    groups: dict[Hashable, list[ItemT]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return list(groups.values())


def grouped_patterns(
    patterns: Iterable[RelationshipPattern], rest: Callable[[RelationshipPattern], Hashable]
) -> list[list[RelationshipPattern]]:
    """Group the patterns of each type that share their start or their end, whichever gives fewer groups.

    `rest` returns everything else that must be equal within a group, such as the properties.
    """
    groups: list[list[RelationshipPattern]] = []
    for of_type in grouped(patterns, lambda pattern: pattern.type):
        by_end = grouped(of_type, lambda pattern: (pattern.end, rest(pattern)))
        by_start = grouped(of_type, lambda pattern: (pattern.start, rest(pattern)))
        groups += by_start if len(by_start) < len(by_end) else by_end
    return groups


def grouped_types(
    groups: Iterable[list[RelationshipPattern]], rest: Callable[[RelationshipPattern], Hashable]
) -> list[list[list[RelationshipPattern]]]:
    """Collect the groups of `grouped_patterns` that differ only in their type:
    their labels and their `rest` are equal."""

    def key(group: list[RelationshipPattern]) -> Hashable:
        return tuple((pattern.start, pattern.end) for pattern in group), rest(group[0])

    return grouped(groups, key)


def pattern_text(
    group: Sequence[RelationshipPattern], properties: str = "", *, types: Sequence[str] = (), directed: bool = True
) -> str:
    """Return the text of a group of patterns: `(:Painting|Sculpture)-[:createdBy]->(:Person)`.

    With `types`, the text lists those types instead of the group's type: `(:Person)-[:drafted|signed]->(:Team)`.
    """
    starts = label_names(pattern.start for pattern in group)
    ends = label_names(pattern.end for pattern in group)
    names = label_names(types or [group[0].type])
    return f"(:{starts})-[:{names}{properties}]-{'>' if directed else ''}(:{ends})"


def pattern_texts(patterns: Iterable[RelationshipPattern]) -> list[str]:
    """Return patterns as texts without properties: `(:Character)-[:hasMother|hasFather]->(:Character)`."""
    groups = grouped_types(grouped_patterns(patterns, lambda _: None), lambda _: None)
    return [pattern_text(of_types[0], types=[group[0].type for group in of_types]) for of_types in groups]


def label_names(labels: Iterable[str]) -> str:
    """Return the names of labels for a node pattern, each once: `Painting|Sculpture`."""
    return "|".join(dict.fromkeys(map(quoted_name, labels)))
