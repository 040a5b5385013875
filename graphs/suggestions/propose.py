"""Proposes candidate queries for a question, with the features by which they are ranked.

The shapes come from walking the data (`walks`), the forms from the question's operators. Features are general: how
well the words of relationships, labels and properties are said, how much of the question they cover, in what order.
"""

from __future__ import annotations

import re
import time
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import pairwise
from math import log, log10

import numpy as np

from graphground.cypher.names.words import root, split_name
from graphground.graphs.entities.vectors.building import encoder
from graphground.graphs.graph import Graph
from graphground.graphs.question.kept import remembered
from graphground.graphs.question.model import Question
from graphground.graphs.question.properties import Property
from graphground.graphs.question.read import CLASSING
from graphground.graphs.suggestions.asked import Asked
from graphground.graphs.suggestions.candidates import BEFORE, COUNTING, Candidate, Form, FormKind, Shape
from graphground.graphs.suggestions.evidence import Array
from graphground.graphs.suggestions.forms import FormMaker
from graphground.graphs.suggestions.shapes import SAID, ShapeFinder
from graphground.graphs.suggestions.walks import Anchor, Path, Step, Walker, reverse

Features = dict[str, float]
FORM_OPERATORS = (
    "count", "most", "each", "order", "sort", "average", "sum", "difference", "same", "names", "when", "including",
    "compare", "equal", "asks", "distinct", "pairs",
)  # fmt: skip
"""The operators of which each form has a feature."""
SHARPNESS, NOTHING = 8.0, 0.4
"""How much more probably a word says the element that it resembles more, and the resemblance of saying nothing."""
ORDERING = ("order", "argmax", "min", "max", "avg", "sum", "compare", "minus", "group_avg")
PERSONS = "person human people character employee customer player worker"
PLACES = "place city country location address site"
TIMES = "year date day month century season"
"""Words like the labels that `who`, `where` and `when` ask for."""
PREPOSITIONS = frozenset(("of", "by", "in", "to", "from", "with", "on", "at", "for", "as"))
"""Words that link a relationship's word to a name; a type such as `feedsOn` ends with the one that follows its verb."""


@dataclass
class Proposal:
    """A candidate with its features."""

    candidate: Candidate
    parts: tuple[Features, ...]
    score: float
    proposer: Proposer

    @property
    def features(self) -> Features:
        """The features of its shape, of its form, and of the words that they cover, added up."""
        found: Features = {}
        for part in self.parts:
            for name, value in part.items():
                found[name] = found.get(name, 0.0) + value
        return found


@dataclass(frozen=True, slots=True)
class _Said:
    """What each content word says about a relationship type, and what that amounts to."""

    chance: list[float]
    best: float
    place: int
    """The place of the best word, -1 if none says it."""


@dataclass(frozen=True, slots=True)
class _Ends:
    """The labels of the answer, and what each content word says about them."""

    labels: Mapping[str, float]
    target: Array
    is_said: bool
    person: float
    paths: tuple[Path, ...]
    """The paths whose mappings of labels have the ids that are the key: they are kept so that no other has these."""


def leads_out(type_: str, word: str, linked: str, before: bool) -> float:
    """Return 1 if a word for a relationship says that it leads away from the name X, -1 if it leads to X, else 0.

    `before` is whether the word stands before the name, and `linked` what links them: a preposition, `whose`, "of" for
    a possessive, or "is" for "X is owned by".

    >>> leads_out("ownedBy", "owns", "", True), leads_out("ownedBy", "owned", "by", True)  # who owns X, owned by X
    (1.0, -1.0)
    >>> leads_out("ownedBy", "own", "", False), leads_out("ownedBy", "owned", "is", False)  # does X own, is X owned by
    (-1.0, 1.0)
    >>> leads_out("replaces", "replaced", "", True), leads_out("replaces", "replaced", "by", True)
    (-1.0, 1.0)
    >>> leads_out("feedsOn", "feeds", "on", True), leads_out("hasParent", "parent", "of", True)
    (-1.0, 1.0)
    """
    *nouns, ending = split_name(type_)
    named = root(word) in map(root, (*nouns, ending))
    if ending == "by" or (not nouns and re.search("[^s]s$", ending)):
        passive = 1.0 if ending == "by" else -1.0  # what X is owned by, and what replaces X
        if linked in ("by", "whose"):
            return -passive
        if named and (not linked or linked == "is" or ending == "by"):
            return passive if before or linked else -passive
        if ending == "by":
            return 0.0
    if ending in PREPOSITIONS:
        # `feedsOn`: "what feeds on X" leads to X, "what is fed on by X" and "what X feeds on" away from it.
        return -1.0 if linked == ending or (before and not linked) else 1.0
    if not named:
        return 0.0  # "children of X" says `hasParent` with another word, which may be the other end
    return 1.0 if linked == "of" else -1.0 if linked in ("as", "whose", *PREPOSITIONS) else 0.0


class Proposer:
    """Proposes candidates for one question."""

    def __init__(self, graph: Graph, question: Question, seconds: float) -> None:
        self.asked = Asked(graph, question)
        self.walker = Walker(graph, time.monotonic() + seconds, self.asked.said_types)
        self.finder, self.maker = ShapeFinder(self.asked, self.walker), FormMaker(self.asked, self.walker)
        self.question, self.evidence, self.operators = question, self.asked.evidence, self.asked.operators
        self.order, self.quantities, self.said = self.asked.order, self.asked.quantities, self.asked.said
        self.size = len(self.evidence.indices)
        self._nothing: Array = np.zeros(self.size, dtype=np.float32)
        # What shapes have in common is computed once.
        self._known_steps: dict[Hashable, Features] = {}
        self._known_ends: dict[Hashable, _Ends] = {}
        self._known_nodes: dict[int, tuple[Mapping[str, float], Array]] = {}
        self._known_paths: dict[int, tuple[Path, Array, list[Mapping[str, float]]]] = {}
        self._known_columns: dict[tuple[int, int], list[float]] = {}

    # Features of shapes

    def shape_features(self, shape: Shape) -> tuple[Features, Array]:
        """Return the features of a shape, and how well it covers each content word."""
        found: Features = {}
        scores: dict[int, float] = {}
        for path in shape.paths:
            for mention in path.anchor.mentions():
                scores[mention] = max(scores.get(mention, 0.0), path.anchor.score)
        used, steps, ends = frozenset(scores), shape.steps, self._ends(shape)
        open_words = self.asked.open_words(used)
        said = [self._said_by(step.type, used) for step in steps]
        if steps:
            found |= self._step_features(said, used)
            found |= self._element_cost(shape, said, used)
            near = [self._near(path.anchor.mention, path.steps[0].type) for path in shape.paths if path.steps]
            found["near"] = sum(near) / len(shape.paths)
            found["symmetric"] = sum(self.walker.symmetry(step.type) for step in steps if step.direction != "any")
        else:
            # A path without steps leaves unsaid what words most likely say.
            found["chance.missed"] = sum(self._likely(used))
        for path in shape.paths:
            if path.anchor.name and path.anchor.label:
                found["anchor.label"] = max(found.get("anchor.label", 0.0), self._near_label(path.anchor))
        paths = (*shape.paths, shape.tail) if shape.tail else shape.paths
        covered = reduce(np.maximum, [ends.target, *(self._path(path)[1] for path in paths)]) * open_words
        for mention, score in scores.items():
            for place in self.asked.mention_words[mention]:
                covered[place] = max(covered[place], score)
        if "who" in self.operators:
            found["who"] = ends.person
            covered[[*self._persons]] = np.maximum(covered[[*self._persons]], ends.person)
        certain = bool(steps) and self.asked.end_labels.get(steps[-1]) == {shape.label}
        found["label.written"] = float(bool(shape.label) and not certain)
        found["label.missed"] = float(not shape.label and ends.is_said)
        positive = shape.paths[:1] if shape.join == "not" else shape.paths
        found["anchor.any"] = float(any(not path.anchor.name and not path.anchor.label for path in positive))
        if not self.asked.schema.label_combinations:
            # Where each node has one label, "sculptures" are those with this label; where nodes have several, and some
            # of them lack one that would fit, a label may exclude answers.
            for name in ("label.missed", "label.written"):
                found[f"{name}.single"] = found[name]
        its_scores = [path.anchor.score for path in shape.paths if path.anchor.name]
        found["anchor.score"] = sum(its_scores) / len(its_scores) if its_scores else 0.0
        found["anchor.rank"] = float(sum(path.anchor.rank for path in shape.paths))
        found["anchor.none"] = float(not its_scores)
        found["anchor.possible"] = float(sum(mention >= len(self.question.mentions) for mention in used))
        several = sum(len(path.anchor.also) for path in shape.paths)
        if several:
            for operator in ("or", "both"):
                found[f"several.{operator}"] = float(operator in self.operators)
            found["several"] = float(several)
        found["unused"], found["unused.lower"] = self._unused(used)
        found[f"steps.{len(steps)}"] = 1.0
        found["order"] = self._in_order(shape, said)
        found["back"] = float(sum(a == reverse(b) for a, b in pairwise(steps)))
        found["back.same"] = found["back"] * ("same" in self.operators)
        found["any"] = float(sum(step.direction == "any" for step in steps))
        offset = 0
        found["direction"] = 0.0
        for path in shape.paths:
            found["direction"] += self._direction(path, said[offset:])
            offset += len(path.steps)
        if len(shape.paths) > 1:
            names = len({path.anchor.mention for path in shape.paths})
            found[f"join.{shape.join}"] = 1.0
            found["join.one_name"] = float(names == 1 and shape.join != "not")
            found["join.one_type"] = float(len({path.steps[0].type for path in shape.paths if path.steps}) == 1)
            for operator in ("or", "both", "not"):
                if operator in self.operators:
                    found[f"join.{shape.join}.{operator}"] = 1.0
            if shape.join == "not" and "not" in self.operators:
                found["join.not.name"] = self._negated(shape)
        else:
            found["join.missed"] = float("not" in self.operators)
        found["tail"] = float(shape.tail is not None)
        count = shape.tail.count if shape.tail else shape.paths[0].count
        found["size"] = min(4.0, log10(1 + count))
        return found, covered

    def _path(self, path: Path) -> tuple[Path, Array, list[Mapping[str, float]]]:
        """Return a path, how well the words say its steps and labels, and to which labels its steps likely lead."""
        if id(path) not in self._known_paths:
            covers, ends = [self._nothing], []
            for place, (step, labels) in enumerate(zip(path.steps, path.labels, strict=True)):
                ends.append(self.walker.likely_labels(step, labels))
                said = self.said("type", step.type)
                if place == len(path.labels) - 1 and not self._asks_before and not self._names_end(step):
                    said = said.copy()
                    said[self._window[1]] = 0.0  # the noun asked for is not where the last step leads
                covers.append(said)
                if path.middle and place == len(path.labels) - 2:
                    covers.append(self.said("label", path.middle))
                else:
                    covers.append(self.finder.labels_cover(ends[-1]))
            if path.anchor.label:
                covers.append(self.said("label", path.anchor.label) * np.float32(0.9 if path.anchor.name else 1.0))
            self._known_paths[id(path)] = path, reduce(np.maximum, covers), ends
        return self._known_paths[id(path)]

    @remembered
    def _said_by(self, type_: str, used: frozenset[int]) -> _Said:
        """Return what the words outside the mentions used say about a relationship type."""
        open_words = self.asked.open_words(used)
        column = self.said("type", type_) * open_words
        most = float(column.max(initial=0.0))
        return _Said((self._chance(type_) * open_words).tolist(), most, int(column.argmax()) if most > 0.2 else -1)

    def _ends(self, shape: Shape) -> _Ends:
        """Return what the question says about the labels of the answer."""
        paths = (shape.tail,) if shape.tail else shape.paths[:1] if shape.join == "not" else shape.paths
        its = tuple(id(path.labels[-1]) if path.labels else path.anchor.label for path in paths)
        key: Hashable = shape.label or (its, shape.join if len(paths) > 1 else "")
        if key not in self._known_ends:
            labels = self._likely_ends(shape)
            self._known_ends[key] = _Ends(
                labels,
                reduce(
                    np.maximum,
                    [
                        self._nothing,
                        *(self.said("label", n) * labels[n] for n in labels.keys() & self.asked.said_labels.keys()),
                    ],
                ),
                bool(self.finder.said_labels(shape.ends)),
                self._similar(labels, PERSONS) if "who" in self.operators else 0.0,
                paths,
            )
        return self._known_ends[key]

    def _likely_ends(self, shape: Shape) -> dict[str, float]:
        """Return the labels of the answer, and those that it most likely is if its own say nothing."""
        found = shape.ends
        for path in () if shape.label else (shape.tail,) if shape.tail else shape.paths:
            if path.steps and (path is not shape.paths[-1] or shape.join != "not"):
                its = self.walker.likely_labels(path.steps[-1], path.ends)
                found |= {name: share for name, share in its.items() if name not in path.ends}
        return found

    def _step_features(self, said: Sequence[_Said], used: frozenset[int]) -> Features:
        """Return how well steps are said, also if each word says one step."""
        key = used, tuple(map(id, said))
        if key in self._known_steps:
            return self._known_steps[key]
        best = [its.best for its in said]
        likely = _assign([its.chance for its in said])
        missed = [
            max(0.0, most - max(chances))
            for most, *chances in zip(self._likely(used), *(its.chance for its in said), strict=True)
        ]
        found = self._known_steps[key] = {
            "step.min": min(best),
            "step.unsaid": float(sum(b < 0.25 for b in best)),
            "chance.missed": sum(missed),
            "chance.least": min(likely),
        }
        return found

    def _element_cost(self, shape: Shape, said: Sequence[_Said], used: frozenset[int]) -> Features:
        """Return what the steps cost: most if no word says a step's type or the label to which it leads."""
        paths = (*shape.paths, shape.tail) if shape.tail else shape.paths
        labels = [ends for path in paths for ends in self._path(path)[2]]
        columns = []
        for its, ends in zip(said, labels, strict=True):
            key = id(its), id(ends)
            if key not in self._known_columns:
                by_label = (self._node_chance(ends) * self.asked.open_words(used)).tolist()
                self._known_columns[key] = list(map(max, its.chance, by_label))
            columns.append(self._known_columns[key])
        return {"node.cost": -sum(log(0.03 + value) for value in _assign(columns))}

    def _node_chance(self, labels: Mapping[str, float]) -> Array:
        """Return how probably each content word says one of the labels at the end of a step."""
        if id(labels) not in self._known_nodes:
            number = self.evidence.vocabulary.number
            its = {("label", name): min(1.0, 0.4 + share) for name, share in labels.items() if name}
            places = [number[label] for label in its if label in number]
            shares = np.array([share for label, share in its.items() if label in number], dtype=np.float32)
            self._known_nodes[id(labels)] = labels, (self._chances[:, places] * shares).max(axis=1, initial=0.0)
        return self._known_nodes[id(labels)][1]

    @cached_property
    def _chances(self) -> Array:
        """For each content word and each element of the schema, how probably the word says just this element."""
        mass = np.exp(SHARPNESS * self.evidence.matrix)
        return np.asarray(mass / (mass.sum(axis=1, keepdims=True) + np.exp(SHARPNESS * NOTHING)), dtype=np.float32)

    @remembered
    def _chance(self, type_: str, kind: str = "type") -> Array:
        """Return how probably each content word says a relationship type, and neither another element nor nothing."""
        place = self.evidence.vocabulary.number.get((kind, type_))
        return self._nothing if place is None else self._chances[:, place]

    def _most_chance(self, kind: str) -> Array:
        """For each content word, how probably it says the relationship type, or property, that it says best."""
        columns = [place for (its, _), place in self.evidence.vocabulary.number.items() if its == kind]
        return np.asarray(self._chances[:, columns].max(axis=1, initial=0.0), dtype=np.float32)

    @cached_property
    def _likeliest_key(self) -> Array:
        named = [self.evidence.place[number] for number in self.question.mentioned if number in self.evidence.place]
        found = self._most_chance("property")
        found[named] = 0.0
        return found

    @remembered
    def _likely(self, used: frozenset[int]) -> list[float]:
        """Return how probably each word outside the mentions used says the relationship type that it says best."""
        return list((self._most_chance("type") * self.asked.open_words(used)).tolist())

    def _negated(self, shape: Shape) -> float:
        """Return 1 if the name of a path that is excluded is the first after a word such as `not`, -1 if it is not.

        In "writers of A who are not from B", B's path is excluded; in "all but C by D", it is that of C. If both have
        one name, as in "filmed in A, but not set in A", it is the path that is said after that word.
        """
        end = self.operators["not"][0][1]
        first, *excluded = shape.paths
        if first.steps and all(path.anchor == first.anchor for path in excluded):
            places = [place for place, n in enumerate(self.evidence.indices) if self.question.words[n].start >= end]
            here, *its = [self.said("type", path.steps[-1].type)[places].max(initial=0.0) for path in shape.paths]
            return 1.0 if min(its) > here else -1.0
        after = [mention.start for mention in self.question.mentions if mention.start >= end]
        starts = [
            self.asked.mentions[path.anchor.mention].start for path in shape.paths[1:] if path.anchor.mention >= 0
        ]
        return 0.0 if not after or not starts else 1.0 if min(after) in starts else -1.0

    @remembered
    def _near(self, mention: int, type_: str) -> float:
        """Return how probably the words near a name say the step that leads from it."""
        if mention < 0 or not self.size:
            return 0.0
        chances: list[float] = self._chance(type_).tolist()
        return max(value / (1 + distance) for value, distance in zip(chances, self._distances(mention), strict=True))

    @cached_property
    def _window(self) -> tuple[str, list[int]]:
        """What the question asks for: `who`, `where`, `when`, or the words of a noun: `which [record labels] …`."""
        words = self.question.words
        if self._grouping:
            return "noun", self._grouping
        chain = self.question.text.rfind(">")
        last = next((n for n, word in enumerate(words) if word.start > chain), -1)
        if chain >= 0 and last in self.evidence.place:  # `@ > spouses > birthplaces`
            return "noun", self._run_after(last - 1)
        for number, word in enumerate(words):
            if number in self.question.mentioned:
                continue
            if word.folded in ("who", "whom", "where", "when"):
                return word.folded, []
            if word.folded in ("which", "what", "whose") or (
                word.folded in ("many", "much") and number and words[number - 1].folded == "how"
            ):
                if words[number + 1 : number + 2] and words[number + 1].folded in ("place", "places"):
                    return "where", []
                places = self._run_after(number)
                if places:
                    return "noun", places
        spent = {*self.question.mentioned, *(word for _, word in self.asked.apposed)}
        first = next((n for n in self.evidence.indices if n not in spent), None)
        return ("noun", self._run_after(first - 1)) if first is not None else ("", [])

    @cached_property
    def _asks_before(self) -> bool:
        """Whether the nodes before the last ones may be asked for: those with the most, or with a count for each."""
        return bool(self.operators.keys() & {"most", "count", "each"} or self.order)

    @cached_property
    def _grouping(self) -> list[int]:
        """Return the places of the noun by which a question wants its counts: `how many of each [religion]`."""
        for start, end in self.operators.get("each", ()) if "count" in self.operators else ():
            text = self.asked.masked[start:end]
            counted = text == "by" and any(start - 2 < stop < start + 1 for _, stop in self.operators["count"])
            after = next((n for n, word in enumerate(self.question.words) if word.start >= end), None)
            if (text != "by" or counted) and after in self.evidence.place and after not in self.question.mentioned:
                return self._run_after(after - 1)
        return []

    def _run_after(self, number: int) -> list[int]:
        """Return the places of the content words that follow a word and each other, names left out."""
        found: list[int] = []
        apposed = {word for _, word in self.asked.apposed}
        for other in range(number + 1, len(self.question.words)):
            if other in self.question.mentioned or other in apposed:
                continue
            if other in self.evidence.place:
                found.append(self.evidence.place[other])
            elif found and (
                self.question.words[other].folded != "of" or self.question.words[other - 1].folded not in CLASSING
            ):
                break  # `kind of film` goes on, `directors of films` does not
        return found[:4]

    def _asked_fit(self, form: Form, shape: Shape) -> Features:
        """Return how well what a form returns is what the question asks for."""
        kind, places = self._window
        if kind == "when":
            known = self.maker.keys_of(shape).known
            found = {"asked.when": float(form.key in known and known[form.key].is_time)}
            if not form.key:
                found["asked.time"] = max(self._similar(labels, TIMES) for labels, _ in self._returned(form, shape))
            return found
        if self._grouping and not form.kind.startswith("group"):
            places = []  # what is asked for is a row for each group
        returned = self._returned(form, shape)
        only_key = bool(form.key) and form.kind not in ("argmax", "order", "names_property")
        if kind in ("who", "where"):
            words = PERSONS if kind == "who" else PLACES
            if only_key:  # a `head_coach` is a person, a `birthplace` a place
                return {f"asked.{kind}": self._similar({form.key: 1.0}, words, "property")}
            return {f"asked.{kind}": max(self._similar(labels, words) for labels, _ in returned)}
        if not self._window[1]:
            return {}
        by_label = by_step = by_key = 0.0
        for labels, step in () if only_key or not places else returned:
            for label in labels.keys() & self.asked.said_labels.keys():
                by_label = max(by_label, self._asks("label", label) * min(1.0, 0.4 + labels[label]))
            if not self._persons.isdisjoint(places):
                by_label = max(by_label, self._similar(labels, PERSONS))
            if step is not None and self._names_end(step):
                by_step = max(by_step, self._asks("type", step.type))
        if form.key and places and form.kind not in ("argmax", "order"):
            by_key = self._asks("property", form.key)
        found = {"asked.label": by_label, "asked.key": by_key}
        found["asked.gap"] = float(self._most_said[self._window[1]].max()) - max(by_label, by_step, by_key)
        return found

    @cached_property
    def _persons(self) -> frozenset[int]:
        """The places of content words such as `people`."""
        spans = self.operators.get("who", ())
        return frozenset(
            place
            for number, place in self.evidence.place.items()
            if any(start <= self.question.words[number].start < end for start, end in spans)
        )

    @remembered
    def _names_end(self, step: Step) -> bool:
        """Whether a step leads to the noun asked for, if its type has that noun: `country` leads to countries.

        `memberOf` leads to members backwards, and so does `filmEditor` to films.
        """
        *nouns, ending = map(root, split_name(step.type))
        asked = {self.question.words[self.evidence.indices[place]].stem for place in self._window[1]}
        if nouns and ending in PREPOSITIONS:
            return step.direction != "out" or nouns[-1] not in asked
        if ending in asked:
            return step.direction != "in"
        return step.direction != "out" or asked.isdisjoint(nouns) or not PREPOSITIONS.isdisjoint(nouns)

    @remembered
    def _asks(self, kind: str, name: str) -> float:
        """Return how well the noun asked for says an element."""
        return float(self.said(kind, name)[self._window[1]].max(initial=0.0)) if name else 0.0

    def asks_own_label(self, candidate: Candidate) -> float:
        """Return how much better the noun asked for says the label of a name than what a candidate returns.

        In "which time zone is Tokyo in", it says what Tokyo is: territories are no answer.
        """
        anchors = [path.anchor.label for path in candidate.shape.paths if path.anchor.name]
        own = max((self._asks("label", label) for label in anchors), default=0.0)
        fit = self._asked_fit(candidate.form, candidate.shape) if own and self._window[0] == "noun" else {}
        return max(0.0, own - fit.get("asked.label", 0.0) - fit.get("asked.key", 0.0)) if fit else 0.0

    def _returned(self, form: Form, shape: Shape) -> list[tuple[Mapping[str, float], Step | None]]:
        """Return the labels of the nodes that a form returns, each with the step that leads to them."""
        path = shape.tail or shape.paths[0]
        end = (self._ends(shape).labels, path.steps[-1] if path.steps else None)
        if (form.kind not in BEFORE and form.kind != "both") or form.times:
            return [end]
        before = (self.maker.labels_before(shape), path.steps[-2] if len(path.steps) > 1 else None)
        return [end, before] if form.kind == "both" else [before]

    @cached_property
    def _most_said(self) -> Array:
        """For each content word, how much it says about any element of the schema."""
        return np.asarray(self.evidence.matrix.max(axis=1, initial=0.0), dtype=np.float32)

    def _near_label(self, anchor: Anchor) -> float:
        """Return how strongly the words beside a mention say its label: `the film @`, `@ movies`."""
        if anchor.mention < 0:
            return 0.0
        first, last = self.asked.mentions[anchor.mention].words
        best = 0.0
        column = self.said("label", anchor.label)
        for number in (first - 1, first - 2, last + 1):
            place = self.evidence.place.get(number)
            if place is not None:
                best = max(best, float(column[place]))
        return best

    @remembered
    def _likeness(self, words: str) -> Array:
        """Return how like some words each element of the schema is."""
        return np.asarray((self.evidence.vocabulary.phrases @ encoder().encode(words.split()).T).max(axis=1))

    def _similar(self, ends: Mapping[str, float], words: str, kind: str = "label") -> float:
        column, number = self._likeness(words), self.evidence.vocabulary.number
        return max(
            (
                float(column[number[kind, name]]) * min(1.0, 0.4 + share)
                for name, share in ends.items()
                if (kind, name) in number
            ),
            default=0.0,
        )

    @remembered
    def _unused(self, used: frozenset[int]) -> tuple[float, float]:
        """Return the scores of the names, and of the words in lower case, that are not used."""
        names = words = 0.0
        for number, mention in enumerate(self.question.mentions):
            if number in used or mention.verdict == "not_found" or not mention.nodes:
                continue
            if any(number != other and mention.text == self.asked.mentions[other].text for other in used):
                continue
            score = mention.nodes[0].score
            if mention.text[:1].isupper() or mention.text[:1].isdecimal() or " " in mention.text:
                names += score
            else:
                words += score
        return names, words

    def _in_order(self, shape: Shape, said: Sequence[_Said]) -> float:
        """Return whether steps nearer to a name are said nearer to it, from -1 to 1."""
        total = 0.0
        offset = 0
        for path in shape.paths:
            its = said[offset : offset + len(path.steps)]
            offset += len(path.steps)
            if shape.tail and path is shape.paths[0]:
                its = [*its, *said[-len(shape.tail.steps) :]]
            if len(its) < 2 or path.anchor.mention < 0:
                continue
            known = self._distances(path.anchor.mention)
            for a, b in pairwise([known[each.place] if each.place >= 0 else None for each in its]):
                if a is not None and b is not None and a != b:
                    total += 1.0 if a < b else -1.0
        return total

    @remembered
    def _distances(self, mention: int) -> list[float]:
        """Return for each content word the number of content words between it and a mention.

        A word after the mention is half a word farther: in `films directed by @ were written by`, @ directed them.
        """
        first, last = self.asked.mentions[mention].words
        before = [number for number in self.evidence.indices if number < first]
        after = [number for number in self.evidence.indices if number > last]
        within = len(self.evidence.indices) - len(before) - len(after)
        return [*map(float, reversed(range(len(before)))), *[0.5] * within, *(0.5 + n for n in range(len(after)))]

    def _direction(self, path: Path, said: Sequence[_Said]) -> float:
        """Return the sum of `_direction_of` for the steps of a path that join nodes of one label."""
        if path.anchor.mention < 0:
            return 0.0
        before: Mapping[str, float] = {path.anchor.label: 1.0}
        mention, total = self.asked.mentions[path.anchor.mention], 0.0
        start, end, first = mention.start, mention.end, True
        for step, labels, its in zip(path.steps, path.labels, said, strict=False):
            common = before.keys() & labels.keys()
            if step.direction != "any" and any(label and before[label] > 0.3 for label in common):
                total += self._direction_of(step, start, end, first)
            if its.place >= 0:
                word = self.question.words[self.evidence.indices[its.place]]
                start, end, first = word.start, word.end, False
            before = labels
        return total

    @remembered
    def _direction_of(self, step: Step, start: int, end: int, first: bool) -> float:
        """Return whether the direction of a step between equal labels fits the question: 1 if so, -1 if not, else 0.

        `subsidiaries of @` follows `subsidiaryOf` backwards, `@'s parent company` `parentOrganization` forwards, and
        `students of @` `hasStudent` forwards, whereas `has @ as a student` follows it backwards. The step leads from
        what is said from `start` to `end`: a name, or the word of the step before.
        """
        column = self.said("type", step.type)
        if not column.max(initial=0.0):
            return 0.0
        place = self.evidence.indices[int(column.argmax())]
        said = self.question.words[place]
        before = said.start < start
        if before:
            between = [
                word
                for word in re.findall(r"[a-z]+", self.question.text[said.end : start].lower())
                if word in PREPOSITIONS
            ]
            linked = between[-1 if first else 0] if between else ""
            if place and self.question.words[place - 1].folded == "whose":
                linked = "whose"
            elif linked == "as" or (linked == "to" and not first and not step.type.lower().endswith("to")):
                linked = "of"
        else:
            after = self.question.text[end : said.start].lower()
            linked = "as" if after.startswith(" as ") else "of" if after.startswith(("'s", "’s", "' ")) else ""
            if not linked and re.match(" by\\b", self.question.text[said.end :].lower()):
                linked = "is"
        return leads_out(step.type, said.text.lower(), linked, before) * (1.0 if step.direction == "out" else -1.0)

    # Features of forms

    def forms(self, shape: Shape) -> Iterator[tuple[Form, Features, Array]]:
        """Yield the forms for a shape with their features and the words that they cover."""
        keys = self.maker.keys_of(shape)
        for form, used in self.maker.forms(shape):
            yield (form, *self._form_features(form, keys.scores, keys.known, used, shape))

    def _form_features(
        self, form: Form, scores: Mapping[str, float], keys: Mapping[str, Property], used: Sequence[str], shape: Shape
    ) -> tuple[Features, Array]:
        covered = np.zeros(self.size, dtype=np.float32)
        kind = form.kind
        for operator in used:
            self._mark(covered, operator)
        found = self._kind_features(kind, form.listed, len(form.also)) | self._asked_fit(form, shape)
        if "named" in self.operators:
            found["named"] = float(kind in ("names_property", "both") or kind.startswith("group"))
            place = self._next_place(self.operators["named"][0][1])
            if kind == "names_property" and place is not None:  # "names and heights of"
                found["named.key"] = float(self.said("property", form.key)[place])
        if kind == "exists" and re.search(r"\b(?:which|who|what|where|when|names?|list)\b", self.asked.masked):
            found["exists.open"] = 1.0
        ordering = kind in ORDERING
        top = max(scores.values(), default=0.0)
        if form.key:
            column = self.said("property", form.key)
            covered = reduce(np.maximum, [covered, column, *(self.said("property", key) for key in form.also)])
            score = scores.get(form.key, float(column.max(initial=0.0)))
            if ordering:
                found |= {"key.order": score, "key.order.unsaid": float(score < SAID)}
            found["key.lead"] = min(0.0, score - top)
            temporal = form.key in keys and keys[form.key].is_time
            if "when" in self.operators:
                found["key.when"] = 1.0 if temporal else -1.0
            if form.listed:
                found["form.listed.said"] = score
            if not ordering and not (temporal and "when" in self.operators):
                found["key.cost"] = -log(0.03 + float(self._chance(form.key, "property").max(initial=0.0)))
            # In "the paintings created in 1555", the year is known, not asked for.
            found["key.known"] = float(any(its.key == form.key and its.equal for its in form.conditions))
            if ordering and self.order:
                found["key.agrees"] = 1.0 if form.descending == self.order[1] else -1.0
                found["key.dimension"] = 1.0 if temporal == (self.order[0] == "time") else -1.0
        else:
            found["key.missed"] = top if top >= 0.6 else 0.0
        for operator in ("most", "count") if kind in COUNTING or kind == "group_zero" else ():
            if operator in self.operators:
                counts_before = kind in ("most", "group", "sort_count")
                found[f"counted.{operator}"] = self._counted_said(shape, counts_before, operator)
        uses = {condition.quantity for condition in form.conditions} | {path.anchor.quantity for path in shape.paths}
        for condition in form.conditions:
            column = self.said("property", condition.key)
            covered = np.maximum(covered, column)
            its: Features = {"where.said": float(column.max(initial=0.0)), f"where.{condition.kind}": 1.0}
            if condition.kind in ("open", "filled"):
                for operator in ("open", "not", "now"):
                    its[f"where.{condition.kind}.{operator}"] = float(operator in self.operators)
                if condition.kind == "open":
                    self._mark(covered, "open")
            if condition.quantity >= 0:
                quantity = self.quantities[condition.quantity]
                its["where.near"] = self._nearness(column, quantity.start)
            elif condition.quantity <= -2:
                for place in self.asked.mention_words[-2 - condition.quantity]:
                    covered[place] = 1.0
                mention = self.asked.mentions[-2 - condition.quantity]
                upper = mention.text[:1].isupper() or " " in mention.text
                its["unused" if upper else "unused.lower"] = -mention.nodes[0].score
            for name, value in its.items():
                found[name] = found.get(name, 0.0) + value
        unused = [
            q
            for n, q in enumerate(self.quantities)
            if n not in uses
            and not (kind == "above_count" and q.value == form.number)
            and not (form.number > 1 and q.value == form.number)
        ]
        # "Who coaches the Celtics?" most probably says `head_coach`, wherever that is.
        used_keys = [key for key in (form.key, *form.also, *(its.key for its in form.conditions)) if key]
        likely = reduce(np.maximum, [self._nothing, *(self._chance(key, "property") for key in used_keys)])
        found["chance.unkeyed"] = float(np.maximum(0.0, self._likeliest_key - likely).sum())
        found["unused.quantity"] = float(len(unused))
        return found, covered

    @remembered
    def _kind_features(self, kind: FormKind, listed: bool, also: int) -> Features:
        found: Features = {
            f"form.{kind}": 1.0,
            "form.listed": float(listed),
            f"form.{kind}.{self._start}": 1.0,
            "form.also": float(also),
            "form.listed.count": float(listed and "count" in self.operators),
        }
        names = [operator for operator in FORM_OPERATORS if operator in self.operators] + ["listed"] * listed
        return found | {f"form.{kind}.{name}": 1.0 for name in names}

    def _mark(self, covered: Array, operator: str) -> None:
        """Mark the content words that ask for an operator as covered."""
        for start, end in self.operators.get(operator, ()):
            for number, place in self.evidence.place.items():
                if start <= self.question.words[number].start < end:
                    covered[place] = 1.0

    def _next_place(self, end: int) -> int | None:
        return next(
            (
                place
                for place, number in enumerate(self.evidence.indices)
                if self.question.words[number].start >= end and number not in self.question.mentioned
            ),
            None,
        )

    @cached_property
    def _start(self) -> str:
        """How the question begins: `who`, `which`, `what`, `how`, `when`, `where` or other words."""
        word = next((word.folded for word in self.question.words), "")
        return word if word in ("who", "which", "what", "how", "when", "where") else "words"

    def _counted_said(self, shape: Shape, counts_before: bool, operator: str) -> float:
        """Return how much more the words after `most` say the label that is counted than the one that is returned.

        In "who won the most awards", the awards are counted, and players are returned.
        """
        ends = max(shape.ends, key=lambda name: shape.ends[name], default="")
        before = self.maker.label_before(shape)
        counted, returned = (before, ends) if counts_before else (ends, before)
        place = self._next_place(self.operators[operator][-1][1])
        return (
            float(self.said("label", counted)[place] - self.said("label", returned)[place])
            if place is not None
            else 0.0
        )

    def _nearness(self, column: Array, start: int) -> float:
        best = 0.0
        for place, value in enumerate(column):
            word = self.question.words[self.evidence.indices[place]]
            if value > 0.3:
                best = max(best, float(value) / (1 + abs(word.start - start) / 20))
        return best

    def cover_features(self, shape: Array, form: Array) -> Features:
        """Return features that say how many of the question's words a shape and a form cover together."""
        if not self.size:
            return {}
        covered = np.maximum(shape, form)
        # What the words could say about any element of the schema, and say about none of this query.
        missed = np.maximum(0.0, self._most_said - covered)
        share = float(covered.sum()) / self.size
        return {
            "cover": share,
            "left": (1 - share) * self.size,
            "missed": float(missed.sum()),
            "missed.most": float(missed.max()),
        }


def _assign(columns: Sequence[Sequence[float]]) -> list[float]:
    """Return what the best word of each step says if each word may say only one step (greedily)."""
    if len(columns) == 1:
        return [max(columns[0], default=0.0)]
    spent: set[int] = set()
    found = []
    for column in sorted(columns, key=lambda column: -max(column, default=0.0)):
        left = [0.0 if place in spent else value for place, value in enumerate(column)]
        found.append(max(left, default=0.0))
        spent.update([left.index(found[-1])] if left else [])
    return found
