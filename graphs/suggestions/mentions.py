"""The names in a question with their positions, and the entities that each name may mean."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from graphground.cypher.quoting import quoted_name, quoted_string
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.entities.candidate import Candidate, EntityLookup
from graphground.graphs.entities.demonyms import demonyms_in
from graphground.graphs.entities.verdicts.judging import judge

MEANINGS = 4
"""The maximum number of entities that are considered for one mention."""
MOST_MENTIONS = 6


@dataclass(frozen=True, slots=True)
class Entity:
    """A possible meaning of a mention, with its score: `Entity("michael mann", "Person", "Michael Mann", 1.0)`."""

    mention: str
    label: str
    name: str
    score: float
    key: str = "name"
    """The property that holds the name."""

    def node(self, variable: str) -> str:
        """Return the node pattern of the entity: `(m0:Person {name: 'Michael Mann'})`."""
        return f"({variable}:{quoted_name(self.label)} {{{quoted_name(self.key)}: {quoted_string(self.name)}}})"


@dataclass(frozen=True, slots=True)
class Mention:
    """A name in a question: `Mention("Rodin", 30, 35, (Entity(…),))` at the positions 30 to 34.

    `start` and `end` are -1 if the mention does not occur in the question. `meanings` are the entities that the mention
    may name. `values` are property values that the mention may stand for, such as a place of birth; they do not name a
    node. A mention without meanings and values was not found in the graph.
    """

    text: str
    start: int
    end: int
    meanings: tuple[Entity, ...]
    values: tuple[Entity, ...] = ()


def mentions_in(question: str, lookup: EntityLookup, schema: PropertyGraphSchema) -> list[Mention]:
    """Return up to `MOST_MENTIONS` names in a question with their possible meanings.

    Names that may be misspelt or are unknown are included.
    """
    spans = lookup.spans(question, unknown=True)
    exact = [(span.start, span.end) for span in spans if span.labels]
    countries = {(word.start, word.end): candidates for word, candidates in demonyms_in(question, exact, lookup)}
    places = [
        (span.text, span.start, span.end)
        for span in spans
        if not any(span.start < end and start < span.end for start, end in countries)
    ]
    found = _mentions(places, lookup, schema)
    for (start, end), candidates in countries.items():
        found.append(_mention(question[start:end], start, end, candidates, lookup, schema))
    return sorted(found, key=lambda mention: mention.start)[:MOST_MENTIONS]


def mentions_of(
    texts: Iterable[str], lookup: EntityLookup, schema: PropertyGraphSchema, question: str = ""
) -> list[Mention]:
    """Return up to `MOST_MENTIONS` given texts as mentions, with their positions if they occur in the question."""
    folded = question.casefold()
    places = []
    for text in dict.fromkeys(texts):
        start = folded.find(text.casefold())
        places.append((text, start, start + len(text) if start >= 0 else -1))
    return _mentions(places, lookup, schema)


def _mentions(
    places: Sequence[tuple[str, int, int]], lookup: EntityLookup, schema: PropertyGraphSchema
) -> list[Mention]:
    texts = [text for text, _, _ in places]
    return [
        _mention(text, start, end, candidates, lookup, schema)
        for (text, start, end), candidates in zip(places, lookup.find_all(texts, limit=8), strict=True)
    ][:MOST_MENTIONS]


def _mention(
    text: str, start: int, end: int, candidates: Sequence[Candidate], lookup: EntityLookup, schema: PropertyGraphSchema
) -> Mention:
    names: list[Entity] = []
    values: list[Entity] = []
    for entity in _meanings(text, candidates, lookup):
        label = schema.labels.get(entity.label)
        if label is not None:
            (values if label.name_property not in (None, entity.key) else names).append(entity)
    return Mention(text, start, end, tuple(names[:MEANINGS]), tuple(values))


def _meanings(text: str, candidates: Sequence[Candidate], lookup: EntityLookup) -> list[Entity]:
    """Return the entities with exactly this name, alias or value; if there are none, those with a similar name."""
    chosen: Sequence[Candidate] = [candidate for candidate in candidates if candidate.match in ("exact", "alias")]
    if not chosen:
        judgement = judge(text, candidates, lookup)
        chosen = judgement.candidates if judgement.verdict != "not_found" else ()
    entities = [
        Entity(text, candidate.label, candidate.name, candidate.score, candidate.name_property) for candidate in chosen
    ]
    return list(dict.fromkeys(entities))
