"""The `auto` method: selects by mentions, words, synonyms and meaning together, and connects the selected labels.

"Who wrote Heat?" keeps `(:Person)`, `(:Movie)` and `(:Movie)-[:writtenBy]->(:Person)`: Person because of *who*, Movie
because the entity index contains *Heat*, the pattern because *wrote* and *written* are forms of one verb.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from graphground.cypher.schema import RelationshipPattern
from graphground.graphs.schemas.filtering.attributes import Attributes
from graphground.graphs.schemas.filtering.connecting import LabelGraph
from graphground.graphs.schemas.filtering.lexicon import ORDER_CUES, STOP_WORDS, TALK_WORDS, TIME_CUES, is_demonym
from graphground.graphs.schemas.filtering.mentions import Mention
from graphground.graphs.schemas.filtering.selection import Selection
from graphground.graphs.schemas.filtering.vocabulary import SAME_ROOT, Element, Evidence, Key, Vocabulary
from graphground.graphs.schemas.filtering.words import Word, lemma, question_words
from graphground.graphs.schemas.units import UNITS

MENTIONED = 1.0
CONNECTING = 0.8
UNMENTIONED = 0.4
"""The relevance of a pattern to which no word refers, if both its labels are chosen."""

NEIGHBOUR = 0.2
MOST_NEIGHBOURS, FEW_OUTWARD = 30, 8
WEAK_TYPE = 0.5
CLAIM_MARGIN = 0.1
MODIFIER_SCORE = 0.3
FEW_LABELS, MOST_LABELS = 6, 16
LEAST_SHARE, STRONG_SHARE = 0.3, 0.6
"""Shares of the best label's relevance, used if a question names more than `FEW_LABELS` labels.

A word such as *name* may match thousands of labels. Labels with a lower share than `LEAST_SHARE` are dropped; only
labels with at least `STRONG_SHARE` are connected with each other.
"""


@dataclass
class Reading:
    """A question matched against a schema: its words and mentions, and the elements to which they refer."""

    words: Sequence[Word]
    mentions: Sequence[Mention]
    masked: frozenset[int]
    keys: Mapping[int, Sequence[Key]]
    matches: Mapping[Element, Evidence]
    unresolved: int
    times_named: dict[str, int] = field(default_factory=dict)


class AutoFilter:
    """The method `auto` for one schema: `AutoFilter(vocabulary).select("Who wrote Heat?")`."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.schema = vocabulary.schema
        self.graph = LabelGraph(self.schema)
        self._attributes = Attributes(self.schema)
        self._places: dict[str, list[int]] = {}
        for place, pattern in enumerate(self.schema.patterns):
            self._places.setdefault(pattern.type, []).append(place)

    def select(
        self, question: str, mentions: Sequence[Mention] = (), similar: Mapping[Element, float] | None = None
    ) -> Selection:
        """Return the selection for a question; an empty selection if nothing matched.

        `similar` holds elements that an embedding model finds near the question, with their cosine similarity.
        """
        reading = self.read(question, mentions)
        selection = Selection(self.schema)
        self._labels(reading, selection)
        types = self._types(reading)
        for element, closeness in (similar or {}).items():
            if element.kind == "label" and not selection.labels:
                selection.add_label(element.name, closeness)
            elif element.kind == "type" and element.name not in types:
                types[element.name] = Evidence(1.0, (1.0,), {0: closeness}, {})
        self._patterns(reading, selection, types)
        if not selection.labels:
            self._attributes.without_labels(self.vocabulary.match_properties(reading.keys), selection)
        self._connect(selection, types)
        named = self._named_properties(reading, selection)
        if self._unexplained(reading, selection, named):
            self._widen(selection)
            named = self._named_properties(reading, selection)
        self._attributes.choose(reading.words, reading.masked, reading.mentions, named, selection)
        return selection

    def _named_properties(self, reading: Reading, selection: Selection) -> dict[Element, Evidence]:
        return self.vocabulary.match_properties(reading.keys, selection.labels, selection.types())

    def read(self, question: str, mentions: Sequence[Mention]) -> Reading:
        """Match the question's words, except the words of mentions, with the schema; return the matches."""
        words = question_words(question)
        used = [mention for mention in mentions if not self._is_schema_word(mention)]
        masked = frozenset(
            number for number, word in enumerate(words) if any(covers(mention, word) for mention in used)
        )
        keys = self.vocabulary.keys(words, masked)
        return Reading(words, used, masked, keys, self.vocabulary.match(keys), unresolved_names(words, masked))

    def _is_schema_word(self, mention: Mention) -> bool:
        """Whether a mention is a word of the schema and not an entity: `museum` in lower case means the label."""
        return mention.text.islower() and " " not in mention.text and self.vocabulary.is_name(mention.text)

    def _labels(self, reading: Reading, selection: Selection) -> None:
        claims = strongest(reading.matches, "label")
        scored: dict[str, Evidence] = {}
        for element, evidence in reading.matches.items():
            if element.kind != "label":
                continue
            claimed = [number for number, strength in evidence.by.items() if strength >= claims[number] - CLAIM_MARGIN]
            if not claimed:
                continue
            head = len(evidence.weights) - 1
            if head in evidence.places or (evidence.literal and evidence.score >= MODIFIER_SCORE):
                scored[element.name] = evidence
                reading.times_named[element.name] = len(claimed)
        for name in self._best_labels(scored):
            selection.add_label(name, scored[name].relevance)
        for mention in reading.mentions:
            for label in self._labels_of_mention(mention, selection):
                selection.add_label(label, MENTIONED)
                reading.times_named[label] = reading.times_named.get(label, 0) + 1

    def _best_labels(self, scored: Mapping[str, Evidence]) -> list[str]:
        """Return the named labels, the most relevant first.

        If there are more than `FEW_LABELS`, at most `MOST_LABELS` are kept. Labels of low relevance are left out, and
        so are labels whose words a better label matches too.
        """
        best = sorted(scored, key=lambda name: -scored[name].relevance)
        if len(best) <= FEW_LABELS:
            return best
        labels: list[str] = []
        for name in best:
            words = scored[name].by.keys()
            if not any(
                words <= scored[other].by.keys() and scored[other].score >= scored[name].score for other in labels
            ):
                labels.append(name)
        least = scored[labels[0]].relevance * LEAST_SHARE
        return [name for name in labels[:MOST_LABELS] if scored[name].relevance >= least]

    def _labels_of_mention(self, mention: Mention, selection: Selection) -> list[str]:
        """Return the labels to which a mention refers.

        A name refers to the labels of the nodes with this name. If there are several such labels, the name refers only
        to those that are selected or linked to a selected label; if none of them is, it refers to all. A value of
        another property refers to the labels that have the value, unless one of these labels is already selected or
        there are more than two.
        """
        named = [
            label for label, key in mention.holders if key in ("name", "aliases", "title") or self._names(label, key)
        ]
        if not named:
            holders = list(dict.fromkeys(label for label, _ in mention.holders))
            return [] if any(label in selection.labels for label in holders) or len(holders) > 2 else holders
        if len(named) > 1:
            fitting = [
                label
                for label in named
                if label in selection.labels
                or any(other in selection.labels for other in self.graph.edges.get(label, ()))
            ]
            return fitting or named
        return [label for label in named if label in self.schema.labels]

    def _names(self, label: str, key: str) -> bool:
        """Whether a property is the detected naming property of a label."""
        known = self.schema.labels.get(label)
        return known is not None and known.naming == key

    def _types(self, reading: Reading) -> dict[str, Evidence]:
        """Return the relationship types to which the words refer, with the evidence."""
        return {
            element.name: evidence
            for element, evidence in reading.matches.items()
            if element.kind == "type" and evidence.content
        }

    def _patterns(self, reading: Reading, selection: Selection, types: Mapping[str, Evidence]) -> None:
        chosen = dict(selection.labels)
        inside: dict[tuple[str, str], list[int]] = {}
        for label in chosen:
            for other, places in self.graph.edges[label].items():
                if other in chosen and (label != other or self._self_related(label, reading, types, places)):
                    inside[min(label, other), max(label, other)] = places
        for places in inside.values():
            self._between(places, selection, types)
        explained = {self.schema.patterns[place].type for place in selection.patterns}
        spoken = {
            number for place in selection.patterns for number in self._words_of(self.schema.patterns[place], types)
        }
        self._outward(reading, selection, types, chosen, explained, spoken)

    def _between(self, places: Sequence[int], selection: Selection, types: Mapping[str, Evidence]) -> None:
        """Add those patterns between two chosen labels to which a word clearly refers.

        `places` are the positions of all patterns between the two labels. If a word clearly refers to none of them,
        all are added.
        """
        scores = {
            place: types[self.schema.patterns[place].type].score
            for place in places
            if self.schema.patterns[place].type in types
        }
        best = max(scores.values(), default=0.0)
        for place in places:
            pattern = self.schema.patterns[place]
            ends = min(selection.labels[pattern.start], selection.labels[pattern.end])
            if best < WEAK_TYPE:
                selection.add_pattern(place, max(scores.get(place, 0.0), UNMENTIONED) * ends)
            elif scores.get(place, 0.0) >= WEAK_TYPE * best:
                selection.add_pattern(place, scores[place] * (0.5 + ends / 2))

    def _self_related(self, label: str, reading: Reading, types: Mapping[str, Evidence], places: Sequence[int]) -> bool:
        return (
            any(self.schema.patterns[place].type in types for place in places) or reading.times_named.get(label, 0) > 1
        )

    def _words_of(self, pattern: RelationshipPattern, types: Mapping[str, Evidence]) -> Iterable[int]:
        evidence = types.get(pattern.type)
        return evidence.by if evidence is not None else ()

    def _outward(
        self,
        reading: Reading,
        selection: Selection,
        types: Mapping[str, Evidence],
        chosen: Mapping[str, float],
        explained: set[str],
        spoken: set[int],
    ) -> None:
        """Add patterns to which a word refers and which have a chosen label at one end.

        For a type without such a pattern, all its patterns are added if no label is chosen or a word names the type
        literally. If there are very many candidates, only the best are added. `explained` holds the types of the
        patterns added before, and `spoken` the numbers of the words that refer to these patterns.
        """
        candidates: list[tuple[int, float, bool]] = []
        for type_, evidence in types.items():
            if type_ in explained:
                continue
            if set(evidence.by) <= spoken and not reading.unresolved:
                continue
            for pattern_place in self.places_of(type_):
                pattern = self.schema.patterns[pattern_place]
                touching = pattern.start in chosen or pattern.end in chosen
                candidates.append((pattern_place, evidence.score, touching))
        touched = {self.schema.patterns[place].type for place, _, touching in candidates if touching}
        if len(candidates) > MOST_NEIGHBOURS:
            candidates = sorted(candidates, key=lambda entry: -entry[1] * self._standing(entry[0], chosen))[
                :FEW_OUTWARD
            ]
        for place, score, touching in candidates:
            type_ = self.schema.patterns[place].type
            literal = max(types[type_].places.values()) >= SAME_ROOT
            if touching or (type_ not in touched and (not chosen or literal)):
                selection.add_pattern(place, score * (self._standing(place, chosen) or 0.5))

    def _standing(self, place: int, chosen: Mapping[str, float]) -> float:
        """Return the relevance of the more relevant end of a pattern; 0 if neither end is chosen."""
        pattern = self.schema.patterns[place]
        return max(chosen.get(pattern.start, 0.0), chosen.get(pattern.end, 0.0))

    def _unexplained(self, reading: Reading, selection: Selection, named: Mapping[Element, Evidence]) -> list[str]:
        """Return the content words that match no selected element: possibly values that no index contains."""
        types = selection.types()
        known: set[int] = {number for evidence in named.values() for number in evidence.by}
        for element, evidence in reading.matches.items():
            if element.name in (types if element.kind == "type" else selection.labels):
                known.update(evidence.by)
        return [
            word.text
            for number, word in enumerate(reading.words)
            if number not in known and number not in reading.masked and is_content_word(word)
        ]

    def _widen(self, selection: Selection) -> None:
        """Add the neighbours of the chosen labels, because an unexplained word may refer to a neighbour.

        If the chosen labels have more than `MOST_NEIGHBOURS` patterns, nothing is added.
        """
        places = {
            place for label in selection.labels for others in self.graph.edges[label].values() for place in others
        }
        if len(places) <= MOST_NEIGHBOURS:
            for place in sorted(places):
                selection.add_pattern(place, NEIGHBOUR)

    def places_of(self, type_: str) -> list[int]:
        """Return the positions of the patterns of a relationship type."""
        return self._places.get(type_, [])

    def _connect(self, selection: Selection, types: Mapping[str, Evidence]) -> None:
        """Add shortest paths between the chosen labels, except to groups that no path reaches.

        Of more than `FEW_LABELS` labels, only the most relevant are connected.
        """
        preferred = {place: evidence.score for type_, evidence in types.items() for place in self.places_of(type_)}
        strong = sorted(selection.labels, key=lambda label: -selection.labels[label])
        if len(strong) > FEW_LABELS:
            floor = selection.labels[strong[0]] * STRONG_SHARE
            strong = [label for label in strong[:FEW_OUTWARD] if selection.labels[label] >= floor]
        groups = self.graph.components(strong, selection.patterns)
        apart: list[set[str]] = []
        while len(groups) > 1:
            smallest = min(groups, key=len)
            rest = {label for group in groups if group is not smallest for label in group}
            best = max(selection.labels[label] for label in smallest)
            places = self.graph.connection(smallest, rest, preferred)
            if not places:
                apart.append(smallest)
                groups.remove(smallest)
                continue
            for place in places:
                selection.add_pattern(place, CONNECTING * best)
                strong += [self.schema.patterns[place].start, self.schema.patterns[place].end]
            kept_out = {label for group in apart for label in group}
            groups = self.graph.components([label for label in strong if label not in kept_out], selection.patterns)


def strongest(matches: Mapping[Element, Evidence], kind: str) -> dict[int, float]:
    """Return for each matched word, by its number, the strength of its best match with an element of a kind, 0 to 1."""
    best: dict[int, float] = {}
    for element, evidence in matches.items():
        if element.kind == kind:
            for number, strength in evidence.by.items():
                best[number] = max(strength, best.get(number, 0.0))
    return best


def covers(mention: Mention, word: Word) -> bool:
    """Whether a word is part of a mention and is not matched by itself.

    The last word of a mention in lower case is also matched by itself: `sculptures` in `portrait sculptures`.
    """
    if not mention.start <= word.start < mention.end:
        return False
    return not (mention.text.islower() and " " in mention.text and word.end == mention.end)


def is_content_word(word: Word) -> bool:
    """Whether a word is a content word: not a structure word, question word, time, unit, number or demonym."""
    folded = word.folded
    common = {folded, lemma(folded)}
    return not (
        common & STOP_WORDS
        or common & TALK_WORDS
        or common & TIME_CUES
        or common & ORDER_CUES
        or folded in UNITS
        or folded[0].isdigit()
        or len(folded) < 2
        or is_demonym(word.text)
    )


def unresolved_names(words: Sequence[Word], masked: frozenset[int]) -> int:
    """Return the number of sequences of capitalized words outside known mentions.

    The first word of the question does not count.
    """
    runs = 0
    inside = False
    for number, word in enumerate(words):
        capital = word.text[:1].isupper() and number not in masked and number > 0
        if capital and lemma(word.folded) not in STOP_WORDS:
            runs += not inside
            inside = True
        else:
            inside = False
    return runs
