"""The reading of a question: its words, the nodes that it names, and what its words mean in the graph.

>>> question = read("Which bands did Ozzy Osborne sing in?", graph)  # doctest: +SKIP
>>> [(mention.text, mention.verdict, mention.nodes[0].name) for mention in question.mentions]  # doctest: +SKIP
[('Ozzy Osborne', 'found', 'Ozzy Osbourne')]
>>> question.meanings[1][0]  # doctest: +SKIP
Meaning(kind='label', name='Band', owner='', strength=1.0, words=(1,))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from graphground.cypher.names.lexicon import NAME_STOP_WORDS
from graphground.cypher.names.words import split_name
from graphground.graphs.entities.candidate import Candidate, Match
from graphground.graphs.entities.spans import LONGEST_QUESTION
from graphground.graphs.entities.verdicts.judging import Judgement, Verdict

MeaningKind = Literal["label", "type", "property", "type_property", "value", "number", "time", "nothing"]
"""What a word may mean: an element of the schema, a value (or name) of the graph, a number, a date, or nothing
that this graph knows."""
Comparison = Literal["=", "<>", "<", "<=", ">", ">="]
Direction = Literal["out", "in"]


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a question: `Word("Paintings", 6, 15, "paintings", "paint", True)`.

    `start` and `end` are positions in the text. `folded` is the word in lower case without accents, `stem` the word
    without its endings. `content` is false for function words and for talk such as `show me`.
    """

    text: str
    start: int
    end: int
    folded: str
    stem: str
    content: bool


@dataclass(frozen=True, slots=True)
class Meaning:
    """One thing that words of the question may mean: `Meaning("type", "castMember", "", 0.62, (2,))`.

    `name` is the label, relationship type or property; for a value, number or time the text. `owner` is the label of a
    `property` or the relationship type of a `type_property`. `strength` is from 0 to 1. `words` are the indices of all
    words that say it together: `signed to` for `recordLabel`.
    """

    kind: MeaningKind
    name: str
    owner: str
    strength: float
    words: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Node:
    """A node that a mention may mean, with all its labels under which the name was found.

        Node("Q123", "Ozzy Osbourne", "name", ("Human", "Singer"), 0.94, "fuzzy")

    `key` identifies the node: its `eid`, or the database's own id (`Neighbourhood.condition` matches it). For a value
    that several nodes share (`is_value`), `property` holds the value and `key` is one of these nodes.
    """

    key: str
    name: str
    property: str
    labels: tuple[str, ...]
    score: float
    match: Match
    is_value: bool = False
    description: str | None = None
    matched: str | None = None
    """The text that matched if it is not the name, such as an alias."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A part of the question that names nodes: `Mention("Ozzy Osborne", 16, 28, judgement, (3, 4))`.

    `start` and `end` are positions in the question, `words` the indices of the first and the last word. The verdict is
    `found`, `ambiguous` or `not_found`; with `not_found`, the candidates only have similar names.
    """

    text: str
    start: int
    end: int
    judgement: Judgement
    words: tuple[int, int]

    @property
    def verdict(self) -> Verdict:
        return self.judgement.verdict

    @property
    def candidates(self) -> Sequence[Candidate]:
        """The candidates, the best first; a node with several labels is several candidates."""
        return self.judgement.candidates

    @property
    def nodes(self) -> list[Node]:
        """The distinct nodes and values that may be meant, the best first; the candidates with their labels united."""
        groups: dict[tuple[str, str], list[Candidate]] = {}
        for candidate in self.judgement.candidates:
            identity = ("", candidate.name + "\n" + candidate.property) if candidate.is_value else ("k", candidate.key)
            groups.setdefault(identity, []).append(candidate)
        return [node_of(group) for group in groups.values()]


def node_of(candidates: Sequence[Candidate]) -> Node:
    """Return the node of candidates that differ only in the label, the best first."""
    best = candidates[0]
    return Node(
        best.key,
        best.name,
        best.property if best.is_value else best.name_property,
        tuple(dict.fromkeys(candidate.label for candidate in candidates)),
        best.score,
        best.match,
        best.is_value,
        best.description,
        best.matched if best.matched != best.name else None,
    )


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number or a date outside names, with its comparison: `Quantity("year", 1940, ">", 40, 44)`.

    `kind` is `year`, `number` or `date` (then `value` is text such as `1940-05-05`); `start` and `end` are positions.
    `times` says that it is how often something happened: `twice`, `three times`.
    """

    kind: Literal["year", "number", "date"]
    value: float | int | str
    comparison: Comparison
    start: int
    end: int
    times: bool = False


@dataclass(frozen=True, slots=True)
class Link:
    """The relationships of one type and direction that a node has: `Link("castMember", "in", 12, {"Film": 11})`.

    `labels` counts, for each label at the other end, the relationships; a node with two labels counts for both, and
    a node without labels for none. `count` is the number of relationships.
    """

    type: str
    direction: Direction
    count: int
    labels: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """What one node really has in the database: its labels, its properties with values, and its relationships.

        Neighbourhood("n.eid = $key", "Q123", ("Human",), {"name": "Ozzy Osbourne"}, (Link("genre", "out", 4, …),))

    `condition` with the parameter `key` matches the node `n`. `complete` is false if the database did not answer in
    time, so that links may be missing.
    """

    condition: str
    key: str
    labels: tuple[str, ...] = ()
    properties: Mapping[str, object] = field(default_factory=dict)
    links: tuple[Link, ...] = ()
    complete: bool = True


BY_NAME = 0.85
"""The strength from which a word says an element by its very name."""


@dataclass
class Question:
    """A question read against one graph: see the module for an example.

    `words` are all words in order. `mentions` do not overlap. `meanings` holds for the index of each word what it may
    mean, the strongest first; a content word outside mentions that nothing explains has one meaning of kind `nothing`.
    `neighbourhoods` holds what the named nodes have, by `Node.key`; nodes for which there was no time are missing.
    `asked` is where the question itself begins and ends: words before, such as a reason for asking, only name nodes.
    `possible` are names that words outside `mentions` may be: `folk` in "folk acts".
    """

    text: str
    words: Sequence[Word]
    mentions: Sequence[Mention]
    meanings: dict[int, list[Meaning]]
    quantities: Sequence[Quantity] = ()
    neighbourhoods: Mapping[str, Neighbourhood] = field(default_factory=dict)
    asked: tuple[int, int] = (0, LONGEST_QUESTION)
    possible: Sequence[Mention] = ()

    @property
    def asked_text(self) -> str:
        """The text in which what does not ask is blank, in lower case and with plain apostrophes."""
        start, end = self.asked
        return (" " * start + self.text[start:end]).ljust(len(self.text)).lower().replace("’", "'")

    @cached_property
    def strengths(self) -> dict[tuple[MeaningKind, str, str], dict[int, float]]:
        """For each meaning `(kind, owner, name)`, the words that say it, with their strengths."""
        found: dict[tuple[MeaningKind, str, str], dict[int, float]] = {}
        for number, meanings in self.meanings.items():
            for meaning in meanings:
                by = found.setdefault((meaning.kind, meaning.owner, meaning.name), {})
                by[number] = max(by.get(number, 0.0), meaning.strength)
        return found

    def strength(self, kind: MeaningKind, name: str, owner: str = "") -> float:
        """Return how strongly the question speaks of an element: the strength of its best word, 0 if none."""
        return max(self.strengths.get((kind, owner, name), {}).values(), default=0.0)

    @cached_property
    def mentioned(self) -> frozenset[int]:
        """The indices of the words that are part of a mention."""
        return frozenset(
            number for mention in self.mentions for number in range(mention.words[0], mention.words[1] + 1)
        )

    @cached_property
    def content(self) -> tuple[int, ...]:
        """The indices of the content words outside mentions."""
        return tuple(number for number, word in enumerate(self.words) if word.content and number not in self.mentioned)

    @cached_property
    def unexplained(self) -> tuple[int, ...]:
        """The indices of the content words that nothing in this graph explains."""
        return tuple(
            number
            for number in self.content
            if all(meaning.kind == "nothing" for meaning in self.meanings.get(number, ()))
        )

    @cached_property
    def lacking(self) -> tuple[str, ...]:
        """The relationship types of one word that is said, but that no named node has: `director`, `DIRECTED_BY`.

        Empty if the database did not say what all of the nodes have.
        """
        around = self.neighbourhoods.values()
        if not around or not all(its.complete for its in around):
            return ()
        had = {link.type for its in around for link in its.links}
        found: dict[str, None] = {}
        for place in self.content:
            best, *others = self.meanings.get(place) or [Meaning("nothing", "", "", 0.0, ())]
            says_kind = any(its.kind in ("label", "property") and its.strength >= 0.5 for its in others)
            words = [word for word in split_name(best.name) if word not in NAME_STOP_WORDS]
            is_said = best.kind == "type" and best.strength >= BY_NAME and len(words) == 1 and not says_kind
            if is_said and best.name not in had:
                found[best.name] = None
        return tuple(found)
