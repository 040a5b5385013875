"""Finds the entities that a question names in the entity index."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from graphground.cypher.quoting import quoted_name, quoted_string
from graphground.graphs.entities.candidate import EntityLookup

MEANINGS = 3
"""Entities considered for one mention."""
GOOD = 0.8


@dataclass(frozen=True, slots=True)
class Entity:
    """An entity that a mention may refer to, with a score: `Entity("michael mann", "Person", "Michael Mann", 1.0)`."""

    mention: str
    label: str
    name: str
    score: float
    key: str = "name"
    """The property that holds the name."""

    def node(self, variable: str) -> str:
        """The node pattern that matches the entity: `(m0:Person {name: 'Michael Mann'})`."""
        return f"({variable}:{quoted_name(self.label)} {{{quoted_name(self.key)}: {quoted_string(self.name)}}})"


def entities_of(mentions: Iterable[str], lookup: EntityLookup) -> list[Entity]:
    """The entities that each mention may refer to: only exact matches if there are any, otherwise the nearest."""
    found: dict[tuple[str, str, str], Entity] = {}
    distinct = list(dict.fromkeys(mentions))
    for mention, candidates in zip(distinct, lookup.find_all(distinct, limit=8), strict=True):
        exact = [one for one in candidates if one.match in ("exact", "alias")]
        for one in (exact or [one for one in candidates if one.score >= GOOD])[:MEANINGS]:
            found.setdefault(
                (mention, one.label, one.name), Entity(mention, one.label, one.name, one.score, one.name_property)
            )
    return list(found.values())


def entities_in(question: str, lookup: EntityLookup) -> list[Entity]:
    """The entities that a whole question names."""
    return entities_of((span.text for span in lookup.spans(question)), lookup) or entities_of(
        (span.text for span in lookup.spans(question, unknown=True)), lookup
    )
