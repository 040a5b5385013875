"""The entities that a question means, found in the entity index."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from graphground.cypher.quoting import quoted_name, quoted_string
from graphground.graphs.entities.candidate import EntityLookup

MEANINGS = 3
"""Entities tried for one mention."""
GOOD = 0.8
LONGEST = 8


@dataclass(frozen=True, slots=True)
class Entity:
    """`Entity("michael mann", "Person", "Michael Mann", 1.0)`: what a mention may mean, and how surely."""

    mention: str
    label: str
    name: str
    score: float

    def node(self, variable: str) -> str:
        """`(m0:Person {name: 'Michael Mann'})`."""
        return f"({variable}:{quoted_name(self.label)} {{name: {quoted_string(self.name)}}})"


def entities_of(mentions: Iterable[str], lookup: EntityLookup) -> list[Entity]:
    """What each mention may mean: exact matches alone where there are some, else the nearest."""
    found: dict[tuple[str, str, str], Entity] = {}
    distinct = list(dict.fromkeys(mentions))
    for mention, candidates in zip(distinct, lookup.find_all(distinct, limit=8), strict=True):
        exact = [one for one in candidates if one.match in ("exact", "alias")]
        for one in (exact or [one for one in candidates if one.score >= GOOD])[:MEANINGS]:
            found.setdefault((mention, one.label, one.name), Entity(mention, one.label, one.name, one.score))
    return list(found.values())


def entities_in(question: str, lookup: EntityLookup) -> list[Entity]:
    """The entities that a whole question names."""
    return entities_of(mentions_in(question, lookup), lookup)


def mentions_in(question: str, lookup: EntityLookup) -> list[str]:
    """The longest runs of words that the graph has as names; where the index cannot say, those written like names."""
    spans = getattr(lookup, "spans", None)
    if spans is not None:
        return [span.text for span in spans(question)]
    words = [(match.start(), match.end()) for match in re.finditer(r"[^\s,;?!\"“”]+", question)]
    found: list[str] = []
    place = 0
    while place < len(words):
        for last in range(min(len(words), place + LONGEST) - 1, place - 1, -1):
            text = question[words[place][0]:words[last][1]]
            name = next((one for one in _cleaned(text) if _may_be_name(one) and _holds(lookup, one)), None)
            if name is not None:
                found.append(name)
                place = last
                break
        place += 1
    return found


def _cleaned(text: str) -> list[str]:
    bare = text.strip("'‘’().:")
    return list(dict.fromkeys((text, bare, text.rstrip("."), bare.removesuffix("'s").removesuffix("’s"))))


def _may_be_name(text: str) -> bool:
    return len(text) > (5 if text.islower() else 2)


def _holds(lookup: EntityLookup, text: str) -> bool:
    return lookup.holds(text) or (not text.islower() and lookup.holds(text, property="aliases"))
