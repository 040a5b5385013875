"""A question's words, operators and numbers, compared with the elements of a graph's schema."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property

import numpy as np

from graphground.cypher.names.words import lemma
from graphground.graphs.graph import Graph
from graphground.graphs.question.kept import remembered
from graphground.graphs.question.model import Question
from graphground.graphs.question.read import CLASSING
from graphground.graphs.suggestions.evidence import Array, Evidence, vocabulary_of
from graphground.graphs.suggestions.operators import operators_of, order_of
from graphground.graphs.suggestions.walks import Step, patterns_of

APPOSED = 0.6
"""How clearly a word beside a name must say the name's label to say nothing else."""
CLEAR, MAX_SAID = 0.5, 6
"""From what strength, and how many, relationship types are sought beyond a sample."""

COMPARED = re.compile(r"\b\w+er than(?= [^#?]{0,25}\d)")
COMPARED_ALONE = re.compile(rf"{COMPARED.pattern}|\b\w+er than(?= #)")
"""A comparison with a number, or with the only name of a question, which asks for no order: "taller than 210 cm"."""


class Asked:
    """What one question asks for: `operators` such as `count` with their positions, and how much its words say.

    `masked` is the question in lower case with its names hidden; `quantities` are the numbers and dates outside names.
    """

    def __init__(self, graph: Graph, question: Question) -> None:
        self.graph, self.schema, self.question = graph, graph.schema, question
        self.evidence = Evidence(question, vocabulary_of(graph.schema))
        starts = {mention.words[0] for mention in question.mentions if mention.verdict != "not_found"}
        free = [
            its
            for its in question.possible
            if question.mentioned.isdisjoint(range(its.words[0], its.words[1] + 1))
            and its.words[1] + 1 not in starts  # "the writer @" says what the name is
        ]
        self.mentions = [*question.mentions, *free]
        """The mentions of the question, and then the names that its other words may be."""
        masked = list(question.asked_text)
        for mention in question.mentions:
            if mention.verdict != "not_found" and len(mention.text) > 3:
                masked[mention.start : mention.end] = "#" * (mention.end - mention.start)
        self.masked = "".join(masked)
        self.operators = operators_of(self.masked)
        compared = COMPARED_ALONE if len(starts) == 1 else COMPARED
        self.order = order_of(compared.sub(lambda its: " " * len(its.group()), self.masked))
        self.mention_words = [
            [self.evidence.place[n] for n in range(first, last + 1) if n in self.evidence.place]
            for first, last in (mention.words for mention in self.mentions)
        ]
        """For each mention, the places of its words, and of a label beside it, among the content words."""
        self.apposed = self._apposed()
        """The numbers of the words that only say what a name is: `film` in "the film Kinsey starred which actors"."""
        for number, word in self.apposed:
            self.mention_words[number].append(self.evidence.place[word])
        self.quantities = [
            quantity
            for quantity in question.quantities
            if not any(mention.start <= quantity.start < mention.end for mention in question.mentions)
        ]

    def _apposed(self) -> list[tuple[int, int]]:
        """Return the mentions with a singular word that says their label: "the film @", "what type of film is @"."""
        words, vague = self.question.words, patterns_of(self.schema)[2]
        found: list[tuple[int, int]] = []
        for number, mention in enumerate(self.question.mentions):
            labels = mention.nodes[0].labels if mention.verdict != "not_found" and mention.nodes else ()
            first, last = mention.words
            is_a = first > 3 and words[first - 1].folded in ("is", "was") and words[first - 3].folded == "of"
            places: Iterable[int] = (first - 2,) if is_a else (first - 1, last + 1)
            start = first
            while start - 1 in self.evidence.place and start - 1 not in self.question.mentioned:
                if words[start - 1].folded in CLASSING:
                    break
                start -= 1
            if labels and vague.issuperset(labels) and start and words[start - 1].folded == "the":
                # Only the question says what it is: "the football club @".
                labels, places = tuple(self.schema.labels.keys() - vague), range(start, first)
            for place in places:
                row = self.evidence.place.get(place)
                if row is None or place in self.question.mentioned:
                    continue
                asked = place == first - 1 and place and words[place - 1].folded in ("which", "what", "whose")
                if not asked and lemma(words[place].folded) == words[place].folded:
                    said = max((float(self.said("label", name)[row]) for name in labels), default=0)
                    found += [(number, place)] if said >= APPOSED else []
        return found

    @remembered
    def said(self, kind: str, name: str) -> Array:
        """Return what each content word says about an element."""
        return self.evidence.says(kind, name)

    def strength(self, kind: str, name: str) -> float:
        """Return how much the best content word says about an element."""
        number = self.evidence.vocabulary.number.get((kind, name))
        return 0.0 if number is None else self._strengths[number]

    @cached_property
    def _strengths(self) -> list[float]:
        return list(self.evidence.matrix.max(axis=0, initial=0.0).tolist())

    @remembered
    def open_words(self, used: frozenset[int]) -> Array:
        """Return 1 for each content word that is not part of the mentions used, else 0."""
        found = np.ones(len(self.evidence.indices), dtype=np.float32)
        for mention in used:
            found[self.mention_words[mention]] = 0.0
        return found

    @remembered
    def denied(self, kind: str, name: str) -> float:
        """Return how much the words between a negation and the end of its clause say: "have no @", "were never @".

        If a name follows, it is the name that is excluded: "not born in Ancona".
        """
        return float((self.said(kind, name) * self._denying).max(initial=0.0))

    @cached_property
    def _denying(self) -> Array:
        found: Array = np.zeros(len(self.evidence.indices), dtype=np.float32)
        for _, start in self.operators.get("not", ())[:1]:
            clause = re.split(r"[,;:.!?]", self.masked[start:])[0]
            for place, number in enumerate(self.evidence.indices):
                found[place] = "#" not in clause and 0 <= self.question.words[number].start - start < len(clause)
        return found

    @cached_property
    def said_types(self) -> list[str]:
        """The relationship types that the question says most clearly."""
        said = sorted(((self.strength("type", name), name) for name in self.schema.relationship_types), reverse=True)
        return [name for strength, name in said[:MAX_SAID] if strength >= CLEAR]

    @cached_property
    def said_labels(self) -> dict[str, float]:
        """The labels of which a word says anything, with how much the best word says."""
        strengths = {name: self.strength("label", name) for name in self.schema.labels if name}
        return {name: strength for name, strength in strengths.items() if strength}

    @cached_property
    def end_labels(self) -> dict[Step, set[str]]:
        """For each step, the labels of the nodes to which it leads, in a graph whose nodes have one label each."""
        found: dict[Step, set[str]] = {}
        if self.schema.label_combinations or self.schema.open or len(self.schema.labels) > 60:
            return found
        for pattern in self.schema.patterns:
            found.setdefault(Step(pattern.type, "out"), set()).add(pattern.end)
            found.setdefault(Step(pattern.type, "in"), set()).add(pattern.start)
            found.setdefault(Step(pattern.type, "any"), set()).update((pattern.start, pattern.end))
        return found
