"""Proposes candidate queries for a question, with the features by which they are ranked.

The shapes come from walking the data (`walks`), the forms from the question's operators. Features are general: how
well the words of relationships, labels and properties are said, how much of the question they cover, in what order.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, pairwise
from math import log10

import numpy as np

from graphground.cypher.names.words import root, split_name
from graphground.cypher.quoting import quoted_name, quoted_string
from graphground.graphs.graph import Graph
from graphground.graphs.question.model import Node, Question
from graphground.graphs.suggestions.candidates import COUNTING, Candidate, Condition, Form, FormKind, Shape
from graphground.graphs.suggestions.evidence import Array, Evidence, vocabulary_of
from graphground.graphs.suggestions.operators import operators_of, order_of
from graphground.graphs.suggestions.properties import Property, properties_of, title_of
from graphground.graphs.suggestions.walks import Anchor, Path, Step, Walker, reverse

Features = dict[str, float]
Make = Callable[..., "tuple[Form, Features, Array]"]
"""Makes a form with its features and the words it covers, from the form and the operators that it uses."""
MAX_NODES = 3
"""The maximum number of nodes that one mention may mean."""
WIDTHS = (40, 80, 60)
"""The maximum number of paths of one, two and three steps."""
EXPANDED = (10, 8)
"""The number of paths of one step, and of two, that are continued."""
MAX_JOINED, MAX_NAMES, MAX_PAIRED = 9, 4, 5
MAX_LABELS = 4
SAID = 0.45
FORM_OPERATORS = (
    "count", "most", "each", "order", "sort", "average", "sum", "difference", "same", "names", "when", "including",
    "compare", "equal", "asks", "distinct", "pairs",
)  # fmt: skip
"""The operators of which each form has a feature."""
ORDERING = ("order", "argmax", "min", "max", "avg", "sum", "compare", "minus")


PREPOSITIONS = frozenset(("of", "by", "in", "to", "from", "with", "on", "at", "for", "as"))
"""Words that link a relationship's word to a name; a type such as `feedsOn` ends with the one that follows its verb."""


@dataclass
class Proposal:
    """A candidate with its features."""

    candidate: Candidate
    features: Features
    score: float = 0.0
    covered: Array = field(default_factory=lambda: np.zeros(0, dtype=np.float32))


class Proposer:
    """Proposes candidates for one question."""

    def __init__(self, graph: Graph, question: Question, seconds: float) -> None:
        self.graph, self.schema, self.question = graph, graph.schema, question
        self.evidence = Evidence(question, vocabulary_of(graph.schema))
        self.walker = Walker(graph, time.monotonic() + seconds)
        self.size = len(self.evidence.indices)
        masked = list(question.text.lower().replace("’", "'"))
        for mention in question.mentions:
            if mention.verdict != "not_found" and len(mention.text) > 3:
                masked[mention.start : mention.end] = "#" * (mention.end - mention.start)
        self.masked = "".join(masked)
        self.operators = operators_of(self.masked)
        self.order = order_of(self.masked)
        self._mention_words = [self._places(mention.words) for mention in question.mentions]
        self._said: dict[tuple[str, str], Array] = {}
        self._path_features: dict[tuple[object, ...], Features] = {}
        self.quantities = [
            quantity
            for quantity in question.quantities
            if not any(mention.start <= quantity.start < mention.end for mention in question.mentions)
        ]

    def _places(self, words: tuple[int, int]) -> list[int]:
        return [self.evidence.place[n] for n in range(words[0], words[1] + 1) if n in self.evidence.place]

    def said(self, kind: str, name: str) -> Array:
        """Return what each content word says about an element, cached."""
        key = (kind, name)
        if key not in self._said:
            self._said[key] = self.evidence.says(kind, name)
        return self._said[key]

    # Shapes

    def anchors(self) -> list[Anchor]:
        """Return the nodes that the question may name, and the labels that it speaks of."""
        found: dict[tuple[str, str, str], Anchor] = {}
        for number, mention in enumerate(self.question.mentions):
            if mention.verdict == "not_found":
                continue
            for rank, node in enumerate(mention.nodes[:MAX_NODES]):
                label = node.labels[0] if node.labels else ""
                key = (node.name, node.property, label)
                listed = self._type_of(label, node.property).startswith("list")
                if not listed or not node.is_value:
                    found.setdefault(
                        key,
                        Anchor(
                            number, node.name, node.property, label, node.score, rank, node.match, self._is_value(node)
                        ),
                    )
        return [*found.values(), *self._several()]

    def _is_value(self, node: Node) -> bool:
        """Whether a text is not the name of one node, but a value that several nodes may have."""
        return node.is_value and all(node.property != title_of(self.graph, label) for label in node.labels)

    def _several(self) -> Iterator[Anchor]:
        """Yield the anchors of several names with one label: `Leipzig, Vienna or Kyoto`."""
        best = [
            (number, mention.nodes[0])
            for number, mention in enumerate(self.question.mentions)
            if mention.verdict != "not_found" and mention.nodes and not self._is_value(mention.nodes[0])
        ]
        for first in range(len(best)):
            for end in range(first + 2, min(len(best), first + MAX_NAMES) + 1):
                its = best[first:end]
                labels = [label for label in its[0][1].labels if all(label in node.labels for _, node in its)]
                if labels and len({node.property for _, node in its}) == 1:
                    number, node = its[0]
                    score = sum(node.score for _, node in its) / len(its)
                    also = tuple((number, node.name) for number, node in its[1:])
                    yield Anchor(number, node.name, node.property, labels[0], score, also=also)

    def _type_of(self, label: str, key: str) -> str:
        known = self.schema.labels.get(label)
        return known.properties.get(key, "str") if known else "str"

    def label_anchors(self) -> list[Anchor]:
        labels = [(float(self.said("label", name).max(initial=0.0)), name) for name in self.schema.labels]
        labels = sorted((item for item in labels if item[0] >= 0.3), key=lambda item: -item[0])[:MAX_LABELS]
        labels = [item for item in labels if item[0] >= 0.6] or labels
        return [Anchor(-1, "", "", name, score) for score, name in labels]

    def promise(self, path: Path, step: Step) -> float:
        """Return how much a path continued by a step promises, from its words alone."""
        score = 0.0
        for known in (*path.steps, step):
            score += float(self.said("type", known.type).max(initial=0.0))
        if path.steps and step == reverse(path.steps[-1]):
            score -= 0.3
        return score / (len(path.steps) + 1) + path.anchor.score - 0.2 * path.anchor.rank

    def shapes(self) -> Iterator[Shape]:
        """Yield the shapes around the named nodes, and around the labels and types that the question speaks of."""
        anchors = self.anchors()
        starts = [Path(anchor, (), (), 1.0) for anchor in anchors]
        yield from (Shape((path,)) for path in starts if not path.anchor.also)
        one = self.walker.extend(starts, self.promise, WIDTHS[0] * max(1, len(starts)))
        by_anchor: dict[Anchor, list[Path]] = {}
        for path in one:
            by_anchor.setdefault(path.anchor, []).append(path)
        share = max(3, EXPANDED[0] // max(1, len({a.mention for a in by_anchor})))
        expanded = list(
            dict.fromkeys(
                [
                    *one[: EXPANDED[0]],
                    *(p for paths in by_anchor.values() for p in paths[: share if paths[0].anchor.rank == 0 else 2]),
                ]
            )
        )
        two = self.walker.extend(expanded, self.promise, WIDTHS[1])
        three = self.walker.extend(two[: EXPANDED[1]], self.promise, WIDTHS[2]) if self._open_count() >= 2 else []
        for path in (*one, *two, *three):
            yield from self._labelled(Shape((path,)))
        yield from self._joined(by_anchor, two)
        if not anchors or self._open_count() or all(a.score < 0.9 for a in anchors):
            yield from self._unnamed()

    def _open_count(self) -> int:
        named = {
            place
            for number, m in enumerate(self.question.mentions)
            if m.verdict != "not_found"
            for place in self._mention_words[number]
        }
        return self.size - len(named)

    def _unnamed(self) -> Iterator[Shape]:
        starts = [Path(anchor, (), (), 1.0) for anchor in self.label_anchors()]
        for path in starts:
            yield Shape((path,))
        one = self.walker.extend(starts, self.promise, 40)
        for path in one:
            yield from self._labelled(Shape((path,)))
        said = sorted(
            ((float(self.said("type", t).max(initial=0.0)), t) for t in self.schema.relationship_types), reverse=True
        )
        for strength, type_ in said[:MAX_LABELS]:
            if strength >= SAID:
                # All nodes that a type relates, whatever their labels.
                for step, labels in self.walker.ends_of(type_):
                    yield from self._labelled(Shape((Path(Anchor(-1, "", "", ""), (step,), (labels,), 1000.0),)))
        if self.operators.keys() & {"both", "same"}:
            for p, q in combinations(one, 2):
                if p.anchor == q.anchor and p.steps[0].type != q.steps[0].type and p.ends.keys() & q.ends.keys():
                    yield from self._labelled(Shape((p, q), "ring"))

    def _joined(self, by_anchor: dict[Anchor, list[Path]], two: Sequence[Path]) -> Iterator[Shape]:
        joins: list[str] = ["and"]
        if "or" in self.operators or "both" in self.operators:
            joins.append("or")
        if "not" in self.operators:
            joins.append("not")
        twos: dict[Anchor, list[Path]] = {}
        for path in two:
            twos.setdefault(path.anchor, []).append(path)
        for first, second in combinations(by_anchor, 2):
            if set(first.mentions()) & set(second.mentions()):
                continue
            left, right = by_anchor[first][:MAX_JOINED], by_anchor[second][:MAX_JOINED]
            others = [
                path
                for anchor, paths in by_anchor.items()
                if anchor.mention > max(first.mention, second.mention) and not anchor.rank and not anchor.also
                for path in paths[:3]
            ]
            for p in (*left, *twos.get(first, ())[:MAX_JOINED]):
                for q in (*right, *twos.get(second, ())[:MAX_JOINED]):
                    if len(p.steps) + len(q.steps) > 3 or not p.ends.keys() & q.ends.keys():
                        continue
                    several = first.also or second.also
                    for join in joins:
                        if join == "or" and several:
                            continue
                        yield from self._labelled(Shape((p, q), join))  # type: ignore[arg-type]
                        if join == "not":
                            yield from self._labelled(Shape((q, p), "not"))
                    if len(p.steps) == len(q.steps) == 1:
                        for third in others:
                            if p.ends.keys() & q.ends.keys() & third.ends.keys():
                                yield from self._labelled(Shape((p, q, third)))
                        for longer in (*twos.get(first, ()), *twos.get(second, ())):
                            if longer.steps[:1] in (p.steps, q.steps):
                                tail = Path(longer.anchor, longer.steps[1:], longer.labels[1:], longer.count)
                                for join in joins:
                                    if join == "and" or not several:
                                        yield from self._labelled(Shape((p, q), join, tail))  # type: ignore[arg-type]
            if self.operators.keys() & {"equal", "asks"}:
                for p in (*left, *twos.get(first, ())[:MAX_JOINED]):
                    if second.label in p.ends:
                        yield Shape((p, Path(second, (), (), 1.0)))
            if first.label == second.label and not first.also and not second.also:
                ordered = sorted((first, second), key=lambda anchor: anchor.mention)
                yield Shape(tuple(Path(anchor, (), (), 1.0) for anchor in ordered), "pair")
        for anchor, paths in by_anchor.items():
            if anchor.rank:
                continue
            for p, q in combinations(paths[:6], 2):
                if p.steps[0].type != q.steps[0].type and p.ends.keys() & q.ends.keys():
                    yield from self._labelled(Shape((p, q), "and"))
                    if "or" in joins and not anchor.also:
                        yield from self._labelled(Shape((p, q), "or"))

    def _labelled(self, shape: Shape) -> Iterator[Shape]:
        """Yield a shape, and the same with each label written that the question names and that excludes other nodes."""
        for its in self._middled(shape):
            last = its.steps[-1] if its.steps else None
            only = self.end_labels.get(last) if last else None
            if only is not None and len(only) == 1:
                yield replace(its, label=next(iter(only)))
                continue
            yield its
            for label in self._said_labels(its.ends):
                yield replace(its, label=label)

    def _said_labels(self, ends: Mapping[str, float]) -> list[str]:
        """Return the two labels that the question names best among those that only some of the nodes have."""
        said = [
            (float(self.said("label", label).max(initial=0.0)), share, label)
            for label, share in ends.items()
            if label and share < 0.999
        ]
        return [label for strength, _, label in sorted(said, reverse=True)[:2] if strength >= 0.75]

    def _middled(self, shape: Shape) -> Iterator[Shape]:
        """Yield a path of two steps with the label of its middle node, if that is certain or the question names it."""
        path = shape.paths[0]
        if len(shape.paths) > 1 or shape.tail or len(path.steps) < 2:
            yield shape
            return
        only = self.end_labels.get(path.steps[-2])
        if only is not None and len(only) == 1:
            yield Shape((replace(path, middle=next(iter(only))),))
            return
        yield shape
        for label in self._said_labels(path.labels[-2]):
            yield Shape((replace(path, middle=label),))

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

    # Features of shapes

    def shape_features(self, shape: Shape) -> tuple[Features, Array]:
        """Return the features of a shape, and how well it covers each content word."""
        found: Features = {}
        covered = np.zeros(self.size, dtype=np.float32)
        open_words = np.ones(self.size, dtype=np.float32)
        used: set[int] = set()
        for path in shape.paths:
            for mention in path.anchor.mentions():
                used.add(mention)
                for place in self._mention_words[mention]:
                    covered[place] = max(covered[place], path.anchor.score)
                    open_words[place] = 0.0
        steps = shape.steps
        best: list[float] = []
        columns: list[Array] = []
        for step in steps:
            column = self.said("type", step.type) * open_words
            columns.append(column)
            best.append(float(column.max(initial=0.0)))
        if steps:
            found["step.best"] = sum(best) / len(best)
            found["step.min"] = min(best)
            found["step.words"] = sum(self.evidence.words_said("type", s.type, open_words) for s in steps) / len(steps)
            found["step.distinct"] = _assigned(columns) / len(steps)
            found["step.unsaid"] = sum(b < 0.25 for b in best)
            found["step.lead"] = self._lead(shape, open_words)
            for place, column in enumerate(columns):
                # What a step says that no other step of the path says.
                others = [other for number, other in enumerate(columns) if number != place]
                gain = float(
                    (column - np.maximum.reduce([covered, *others]) if others else column - covered).max(initial=0.0)
                )
                found["step.gain"] = found.get("step.gain", 0.0) + max(0.0, gain) / len(steps)
                found["step.idle"] = found.get("step.idle", 0.0) + float(gain < 0.2)
            covered = np.maximum.reduce([covered, *columns])
            found["symmetric"] = sum(self.walker.symmetry(step.type) for step in steps if step.direction != "any")
            found["inverse"] = float(sum("|" in step.type for step in steps))
        positions = [
            {path.middle: 1.0} if path.middle and place == len(path.labels) - 2 else labels
            for path in shape.paths
            for place, labels in enumerate(path.labels)
        ]
        positions += list(shape.tail.labels if shape.tail else ())
        for labels in positions:
            top = np.zeros(self.size, dtype=np.float32)
            for label, share in labels.items():
                if label and share >= 0.15:
                    top = np.maximum(top, self.said("label", label) * min(1.0, 0.5 + share / 2))
            covered = np.maximum(covered, top * open_words)
        ends = shape.ends
        target = np.zeros(self.size, dtype=np.float32)
        for label, share in ends.items():
            if label:
                target = np.maximum(target, self.said("label", label) * (1.0 if shape.label else share))
        target = target * open_words
        covered = np.maximum(covered, target)
        for path in shape.paths:
            if not path.anchor.name:
                covered = np.maximum(covered, self.said("label", path.anchor.label) * open_words)
            elif path.anchor.label:
                near = self._near_label(path.anchor)
                found["anchor.label"] = max(found.get("anchor.label", 0.0), near)
                covered = np.maximum(covered, self.said("label", path.anchor.label) * open_words * 0.9)
        found["target"] = float(target.max(initial=0.0))
        if self.size:
            head = self._head(open_words)
            last = columns[-1] if columns else target
            found["target.head"] = float(target[head]) if head is not None else 0.0
            found["last.head"] = float(last[head]) if head is not None else 0.0
            path = shape.tail or shape.paths[0]
            if steps and steps[-1].direction != "any" and self._joins_equals(path):
                # `mothers of …` are at the end of `hasMother`.
                found["last.head.direction"] = found["last.head"] * (1 if steps[-1].direction == "out" else -1)
        if "who" in self.operators:
            found["who"] = self._person(ends)
        if "where" in self.operators:
            found["place"] = self._place(ends)
        certain = bool(steps) and self.end_labels.get(steps[-1]) == {shape.label}
        found["label.written"] = float(bool(shape.label) and not certain)
        found["label.missed"] = float(not shape.label and bool(self._said_labels(ends)))
        scores = [path.anchor.score for path in shape.paths if path.anchor.name]
        found["anchor.score"] = sum(scores) / len(scores) if scores else 0.0
        found["anchor.rank"] = float(sum(path.anchor.rank for path in shape.paths))
        found["anchor.value"] = float(sum(path.anchor.is_value for path in shape.paths))
        found["anchor.none"] = float(not scores)
        found["anchor.any"] = float(any(not path.anchor.name and not path.anchor.label for path in shape.paths))
        several = sum(len(path.anchor.also) for path in shape.paths)
        if several:
            for operator in ("or", "both", "compare", "each", "most"):
                found[f"several.{operator}"] = float(operator in self.operators)
            found["several"] = float(several)
        found["unused"], found["unused.lower"] = self._unused(used)
        found[f"steps.{len(steps)}"] = 1.0
        found["order"] = self._in_order(shape, columns)
        found["back"] = float(sum(a == reverse(b) for a, b in pairwise(steps)))
        found["back.same"] = found["back"] * ("same" in self.operators)
        found["any"] = float(sum(step.direction == "any" for step in steps))
        found["direction"] = sum(self._direction(path) for path in shape.paths)
        if len(shape.paths) > 1:
            names = len({path.anchor.mention for path in shape.paths})
            found[f"join.{shape.join}"] = 1.0
            found["join.three"] = float(len(shape.paths) > 2)
            found["join.one_name"] = float(names == 1)
            found["join.one_type"] = float(len({path.steps[0].type for path in shape.paths if path.steps}) == 1)
            for operator in ("or", "both", "not"):
                if operator in self.operators:
                    found[f"join.{shape.join}.{operator}"] = 1.0
        else:
            found["join.missed"] = float("not" in self.operators)
        found["tail"] = float(shape.tail is not None)
        count = shape.tail.count if shape.tail else shape.paths[0].count
        found["size"] = min(4.0, log10(1 + count))
        rest = [place for place in range(self.size) if open_words[place]]
        if rest and steps:
            phrase = sum(
                (
                    self.evidence.vocabulary.phrases[self.evidence.vocabulary.number[("type", s.type)]]
                    for s in steps
                    if ("type", s.type) in self.evidence.vocabulary.number
                ),
                np.zeros(256, dtype=np.float32),
            )
            for label in [max(ends, key=lambda name: ends[name])] if ends else []:
                number = self.evidence.vocabulary.number.get(("label", label))
                if number is not None:
                    phrase = phrase + self.evidence.vocabulary.phrases[number]
            norm = float(np.linalg.norm(phrase))
            found["phrase"] = float(self.evidence.sum_of(rest) @ phrase) / (norm + 1e-9)
        return found, covered

    def _joins_equals(self, path: Path) -> bool:
        """Whether the last step of a path may lead between nodes of one label."""
        before = path.labels[-2] if len(path.labels) > 1 else {path.anchor.label: 1.0}
        return bool(path.labels and before.keys() & path.labels[-1].keys())

    def _lead(self, shape: Shape, open_words: Array) -> float:
        """Return by how much the best step's word says it more than any other type of the schema, at most 0."""
        lead = 0.0
        for step in shape.steps:
            column = self.said("type", step.type) * open_words
            if len(column):
                place = int(column.argmax())
                best, second = self._rivals[place]
                rival = best if column[place] < best else second
                lead += min(0.0, float(column[place]) - rival)
        return lead / len(shape.steps)

    @cached_property
    def _most_said(self) -> Array:
        """For each content word, how much it says about any element of the schema."""
        return np.asarray(self.evidence.matrix.max(axis=1, initial=0.0), dtype=np.float32)

    @cached_property
    def _rivals(self) -> list[tuple[float, float]]:
        """For each content word, what it says at most about any relationship type, and about any other."""
        number = self.evidence.vocabulary.number
        columns = [number["type", name] for name in self.schema.relationship_types]
        best = np.sort(self.evidence.matrix[:, columns], axis=1)[:, ::-1] if columns else np.zeros((self.size, 2))
        return [(float(row[0]), float(row[1]) if len(row) > 1 else 0.0) for row in best]

    def _head(self, open_words: Array) -> int | None:
        return next((place for place in range(self.size) if open_words[place]), None)

    def _near_label(self, anchor: Anchor) -> float:
        """Return how strongly the words beside a mention say its label: `the film @`, `@ movies`."""
        first, last = self.question.mentions[anchor.mention].words
        best = 0.0
        column = self.said("label", anchor.label)
        for number in (first - 1, first - 2, last + 1):
            place = self.evidence.place.get(number)
            if place is not None:
                best = max(best, float(column[place]))
        return best

    def _similar(self, ends: dict[str, float], words: str) -> float:
        if not hasattr(self, "_concepts"):
            self._concepts: dict[str, Array] = {}
        if words not in self._concepts:
            from graphground.graphs.entities.vectors.encoders import encoder

            vectors = encoder().encode(words.split())
            self._concepts[words] = (self.evidence.vocabulary.phrases @ vectors.T).max(axis=1)
        column, number = self._concepts[words], self.evidence.vocabulary.number
        return max(
            (
                float(column[number["label", label]]) * share
                for label, share in ends.items()
                if ("label", label) in number
            ),
            default=0.0,
        )

    def _person(self, ends: dict[str, float]) -> float:
        return self._similar(ends, "person human people character employee customer")

    def _place(self, ends: dict[str, float]) -> float:
        return self._similar(ends, "place city country location address site")

    def _unused(self, used: set[int]) -> tuple[float, float]:
        names = words = 0.0
        for number, mention in enumerate(self.question.mentions):
            if number in used or mention.verdict == "not_found" or not mention.nodes:
                continue
            if any(number != other and mention.text == self.question.mentions[other].text for other in used):
                continue
            score = mention.nodes[0].score
            if mention.text[:1].isupper() or mention.text[:1].isdecimal() or " " in mention.text:
                names += score
            else:
                words += score
        return names, words

    def _in_order(self, shape: Shape, columns: Sequence[Array]) -> float:
        """Return whether steps nearer to a name are said nearer to it, from -1 to 1."""
        total = 0.0
        offset = 0
        for path in shape.paths:
            its = columns[offset : offset + len(path.steps)]
            offset += len(path.steps)
            if shape.tail and path is shape.paths[0]:
                its = [*its, *columns[-len(shape.tail.steps) :]]
            if len(its) < 2 or path.anchor.mention < 0:
                continue
            mention = self.question.mentions[path.anchor.mention]
            distances = []
            for column in its:
                place = int(column.argmax()) if column.max(initial=0.0) > 0.2 else -1
                distances.append(self._distance(place, mention.words) if place >= 0 else None)
            for a, b in pairwise(distances):
                if a is not None and b is not None and a != b:
                    total += 1.0 if a < b else -1.0
        return total

    def _distance(self, place: int, words: tuple[int, int]) -> float:
        """Return the number of content words between a content word and a mention.

        A word after the mention is half a word farther: in `films directed by @ were written by`, @ directed them.
        """
        number = self.evidence.indices[place]
        if number < words[0]:
            return float(sum(number < other < words[0] for other in self.evidence.indices))
        return 0.5 + sum(words[1] < other < number for other in self.evidence.indices)

    def _direction(self, path: Path) -> float:
        """Return whether the direction of a step between equal labels fits the question: 1 if so, -1 if not, else 0.

        `subsidiaries of @` follows `subsidiaryOf` backwards, `@'s parent company` `parentOrganization` forwards, and
        `students of @` `hasStudent` forwards, whereas `has @ as a student` follows it backwards.
        """
        if not path.steps or path.anchor.mention < 0 or path.steps[0].direction == "any":
            return 0.0
        step, ends = path.steps[0], path.labels[0]
        if path.anchor.label not in ends:
            return 0.0
        column = self.said("type", step.type)
        if not column.max(initial=0.0):
            return 0.0
        *nouns, ending = split_name(step.type)
        place = self.evidence.indices[int(column.argmax())]
        mention = self.question.mentions[path.anchor.mention]
        outward = 1.0 if step.direction == "out" else -1.0
        before = place < mention.words[0]
        said = self.question.words[place]
        if before:
            between = re.findall(r"[a-z]+", self.question.text[said.end : mention.start].lower())
            linked = next((word for word in reversed(between) if word in PREPOSITIONS), "")
        else:
            after = self.question.text[mention.end : said.start].lower()
            linked = "as" if after.startswith(" as ") else "of" if after.startswith(("'s", "’s", "' ")) else ""
        if ending in PREPOSITIONS:
            # `feedsOn`: "what feeds on X" goes in, "what is fed on by X" and "what X feeds on" go out.
            return -outward if linked == ending else outward
        word = root(said.text.lower())
        if word not in map(root, (*nouns, ending)):
            return 0.0  # "children of X" says `hasParent` with another word, which may be the other end
        return outward if linked == "of" else -outward if linked in ("as", *PREPOSITIONS) else 0.0

    # Forms

    def forms(self, shape: Shape) -> Iterator[tuple[Form, Features, Array]]:
        """Yield the forms for a shape with their features and the words that they cover."""
        label = max(shape.ends, key=lambda name: shape.ends[name]) if shape.ends else ""
        title = title_of(self.graph, label)
        operators = self.operators
        keys = {
            key: its
            for key, its in properties_of(self.graph, label).items()
            if key not in (title, "eid")
            and not (key in self.schema.labels[label].reserved and self.said("property", key).max(initial=0.0) < 0.7)
        }
        scores = {key: float(self.said("property", key).max(initial=0.0)) for key in keys}
        if "when" in operators:
            for key, its in keys.items():
                if its.is_time:
                    scores[key] = max(scores[key], 0.5)
        best = sorted((key for key in keys if scores[key] >= SAID), key=lambda key: -scores[key])[:4]

        def made(form: Form, *used: str) -> tuple[Form, Features, Array]:
            return (form, *self._form_features(form, scores, keys, used, shape))

        if shape.join == "pair":
            yield from self._pairs(title, keys, scores, made)
            return
        if len(shape.paths) == 1 and not shape.paths[0].steps and shape.paths[0].anchor.is_single():
            for key in sorted(keys, key=lambda key: -scores[key])[:4]:
                yield made(Form("values" if keys[key].form == "list" else "property", title, key))
            return
        asked = bool(operators.keys() & {"equal", "asks"}) and any(path.anchor.name for path in shape.paths)
        before = self._naming_before(shape)
        for conditions in [(), *self._conditions(shape, keys, scores)]:
            yield made(Form("names", title, conditions=conditions))
            if "count" in operators:
                yield made(Form("count", title, conditions=conditions), "count")
            if asked and (len(shape.paths) > 1 or shape.steps):
                yield made(Form("exists", title, conditions=conditions), "equal", "asks")
            if len(best) > 1:
                yield made(Form("names_property", title, best[0], conditions=conditions, also=tuple(best[1:3])))
            for key in best:
                yield made(Form("names_property", title, key, conditions=conditions))
                if "each" in operators or "count" in operators:
                    yield made(Form("group_property", title, key, conditions=conditions), "each", "count")
                if not conditions:
                    yield made(Form("values" if keys[key].form == "list" else "property", title, key))
                    if "count" in operators and keys[key].form != "list":
                        yield made(Form("count_property", title, key), "count")
            if self.order or "sort" in operators:
                descending = self.order[1] if self.order else False
                for key in self._ordered(keys, scores):
                    value = keys[key].value
                    if "sort" in operators:
                        yield made(Form("order", title, key, descending, value, conditions), "sort", "order")
                    argmax = Form("argmax", title, key, descending, value, conditions, number=self._top)
                    yield made(argmax, "order")
                    yield made(replace(argmax, listed=True), "order")
                    if not conditions:
                        yield made(Form("max" if descending else "min", title, key, descending, value), "order")
            if not conditions and ("average" in operators or "sum" in operators):
                for key in self._ordered(keys, scores):
                    if keys[key].form == "number":
                        for operator, kind in (("average", "avg"), ("sum", "sum")):
                            if operator in operators:
                                yield made(Form(kind, title, key, value=keys[key].value), operator)  # type: ignore[arg-type]
            if shape.has_before and all(condition.on != "r" for condition in conditions):
                yield from self._counting(shape, title, before, conditions, made)
        yield from self._link_forms(shape, title, made)

    @cached_property
    def _top(self) -> int:
        """The number of answers that a question for the first ones wants: 5 in `top 5 schools`."""
        top = re.search(
            r"\b(?:top|first|best|biggest|largest) (\d+|two|three|four|five|ten)\b|\b(\d+) most\b", self.masked
        )
        words = {"two": 2, "three": 3, "four": 4, "five": 5, "ten": 10}
        text = (top[1] or top[2]) if top else "1"
        return words.get(text, 0) or int(text)

    def _naming_before(self, shape: Shape) -> str:
        """Return the property that names the node before the answer."""
        first = shape.paths[0]
        labels = (
            first.ends
            if shape.tail
            else first.labels[-2]
            if len(first.labels) > 1
            else self.walker.starts_of(first.steps[0])
            if first.steps and not first.anchor.label
            else {first.anchor.label: 1.0}
        )
        label = first.middle or (max(labels, key=lambda name: labels[name]) if labels else "")
        return first.anchor.property if first.anchor.also else title_of(self.graph, label)

    def _counting(
        self, shape: Shape, title: str, before: str, conditions: tuple[Condition, ...], made: Make
    ) -> Iterator[tuple[Form, Features, Array]]:
        descending = not re.search(r"\b(?:fewest|least|lowest|smallest|minimum)\b", self.masked)
        operators = self.operators
        plain = Form("both", title, before=before, conditions=conditions, descending=descending, number=self._top)
        yield made(plain, "each", "including")
        several = bool(shape.paths[0].anchor.also)
        if operators.keys() & {"most", "order", "compare"}:
            kinds: tuple[FormKind, ...] = ("most_before",) if several else ("most", "most_before")
            for kind in kinds:
                yield made(replace(plain, kind=kind), "most")
                yield made(replace(plain, kind=kind, listed=True), "most", "count")
        if operators.keys() & {"each", "count"} or several:
            yield made(replace(plain, kind="group_before"), "each", "count")
            if not several:
                yield made(replace(plain, kind="group"), "each", "count")
            if not conditions and shape.join in ("and", "ring"):
                yield made(replace(plain, kind="group_zero"), "each", "count", "including")
        if "sort" in operators:
            yield made(replace(plain, kind="sort_count"), "sort", "count")
            yield made(replace(plain, kind="sort_before"), "sort", "count")
        for quantity in self.quantities if not conditions else ():
            if quantity.kind == "number":
                above = replace(plain, kind="above_count", number=float(quantity.value), operator=quantity.comparison)
                yield made(above)
                yield made(replace(above, listed=True))

    def _link_forms(self, shape: Shape, title: str, made: Make) -> Iterator[tuple[Form, Features, Array]]:
        steps = shape.tail.steps if shape.tail else shape.paths[0].steps
        if not steps or len(shape.paths) > 1 or "|" in steps[-1].type:
            return
        keys = properties_of(self.graph, steps[-1].type, link=True)
        for key in keys:
            if float(self.said("property", key).max(initial=0.0)) >= SAID:
                yield made(Form("link_property", title, key))
                yield made(Form("link_property", title, key, listed=True))
        conditions: list[tuple[Condition, ...]] = []
        if {"start_year", "end_year"} <= set(keys):
            for number, year in enumerate(self.quantities):
                if year.kind == "year":
                    text = f"r.start_year <= {year.value} AND (r.end_year >= {year.value} OR r.end_year IS NULL)"
                    conditions.append((Condition("start_year", text, "r", number, "year"),))
            if "now" in self.operators:
                text = "r.start_year IS NOT NULL AND r.end_year IS NULL"
                conditions.append((Condition("end_year", text, "r", kind="open"),))
        for its in keys.values():
            conditions += [(condition,) for condition in self._property_conditions(its, "r")]
        for found in conditions:
            yield made(Form("names", title, conditions=found), "now")
            if "count" in self.operators:
                yield made(Form("count", title, conditions=found), "now", "count")

    def _pairs(
        self, title: str, keys: Mapping[str, Property], scores: dict[str, float], made: Make
    ) -> Iterator[tuple[Form, Features, Array]]:
        descending = self.order[1] if self.order else True
        for key in sorted(keys, key=lambda key: -scores[key])[:5]:
            its = keys[key]
            if its.is_ordered:
                yield made(Form("compare", title, key, descending, its.value), "order", "compare")
                yield made(Form("compare", title, key, not descending, its.value), "compare")
            if its.form in ("number", "year"):
                yield made(Form("minus", title, key, value=its.value), "difference")
            yield made(Form("equal", title, key), "equal")

    def _ordered(self, keys: Mapping[str, Property], scores: dict[str, float]) -> list[str]:
        temporal = self.order is not None and self.order[0] == "time"
        found = [
            (scores[key] + (0.3 if its.is_time == temporal else 0.0), key)
            for key, its in keys.items()
            if its.is_ordered
        ]
        return [key for _, key in sorted(found, key=lambda item: -item[0])[:3]]

    def _property_conditions(self, its: Property, on: str) -> Iterator[Condition]:
        for number, quantity in enumerate(self.quantities):
            for text in its.compare(quantity, on):
                kind = "date" if its.is_time and its.form != "year" else "year" if its.form == "year" else "number"
                yield Condition(its.key, text, on, number, kind, quantity.comparison == "=")
        if its.marks and self.operators.keys() & {"open", "not", "now"}:
            yield Condition(its.key, its.is_open(on), on, kind="open")
            yield Condition(its.key, its.is_open(on, filled=True), on, kind="filled")

    def _conditions(
        self, shape: Shape, keys: Mapping[str, Property], scores: dict[str, float]
    ) -> Iterator[tuple[Condition, ...]]:
        """Yield conditions on the answer, single ones and pairs of different kinds."""
        found = [condition for its in keys.values() for condition in self._property_conditions(its, "n")]
        negated = "not" in self.operators
        used = {mention for path in shape.paths for mention in path.anchor.mentions()}
        for number, mention in enumerate(self.question.mentions):
            if number in used or mention.verdict == "not_found":
                continue
            for node in mention.nodes[:6]:
                if node.is_value and node.property in keys and shape.ends.keys() & set(node.labels):
                    key, text = f"n.{quoted_name(node.property)}", quoted_string(node.name)
                    if keys[node.property].form == "list":
                        text = f"{'NOT ' if negated else ''}{text} IN {key}"
                    else:
                        text = f"{key} {'<>' if negated else '='} {text}"
                    found.append(Condition(node.property, text, quantity=-2 - number))
        for key, its in keys.items():
            if its.form == "flag" and scores[key] >= 0.7:
                found.append(Condition(key, f"n.{quoted_name(key)} = {'false' if negated else 'true'}", kind="flag"))
        yield from ((condition,) for condition in found)
        found.sort(key=lambda condition: -scores[condition.key])
        for first, second in combinations(found[:MAX_PAIRED], 2):
            if first.key != second.key and (first.quantity != second.quantity or first.kind != second.kind):
                yield first, second

    def _form_features(
        self, form: Form, scores: dict[str, float], keys: Mapping[str, Property], used: Sequence[str], shape: Shape
    ) -> tuple[Features, Array]:
        covered = np.zeros(self.size, dtype=np.float32)
        kind = form.kind
        found: Features = {
            f"form.{kind}": 1.0,
            "form.listed": float(form.listed),
            f"form.{kind}.{self._start}": 1.0,
            "form.also": float(len(form.also)),
            "form.listed.count": float(form.listed and "count" in self.operators),
        }
        for operator in FORM_OPERATORS:
            if operator in self.operators:
                found[f"form.{kind}.{operator}"] = 1.0
        for operator in used:
            for start, end in self.operators.get(operator, ()):
                for number, word in enumerate(self.question.words):
                    if start <= word.start < end and number in self.evidence.place:
                        covered[self.evidence.place[number]] = 1.0
        if form.listed:
            found[f"form.{kind}.listed"] = 1.0
            found["form.listed.pairs"] = float("pairs" in self.operators)
        group = "order" if kind in ORDERING else "out"
        top = max(scores.values(), default=0.0)
        if form.key:
            column = self.said("property", form.key)
            covered = np.maximum.reduce([covered, column, *(self.said("property", key) for key in form.also)])
            score = scores.get(form.key, float(column.max(initial=0.0)))
            found[f"key.{group}"] = score
            found[f"key.{group}.unsaid"] = float(score < SAID)
            found["key.lead"] = min(0.0, score - top)
            temporal = form.key in keys and keys[form.key].is_time
            if "when" in self.operators:
                found["key.when"] = 1.0 if temporal else -1.0
            if form.listed:
                found["form.listed.said"] = score
            if group == "order" and self.order:
                found["key.next"] = found[f"key.next.{kind}"] = self._next_to_order(column, shape)
                found["key.agrees"] = 1.0 if form.descending == self.order[1] else -1.0
                found["key.dimension"] = 1.0 if temporal == (self.order[0] == "time") else -1.0
        else:
            found["key.missed"] = top if top >= 0.6 else 0.0
        for operator in ("most", "count") if kind in COUNTING or kind == "group_zero" else ():
            if operator in self.operators:
                counts_before = kind in ("most", "group", "sort_count")
                found[f"counted.{operator}"] = self._counted_said(shape, counts_before, operator)
        uses = {condition.quantity for condition in form.conditions}
        for condition in form.conditions:
            column = self.said("property", condition.key)
            covered = np.maximum(covered, column)
            its: Features = {
                "where": 1.0,
                "where.said": float(column.max(initial=0.0)),
                "where.link": float(condition.on == "r"),
                f"where.{condition.kind}": 1.0,
                "where.equal": float(condition.equal),
            }
            if condition.kind in ("open", "filled"):
                for operator in ("open", "not", "now"):
                    its[f"where.{condition.kind}.{operator}"] = float(operator in self.operators)
                for start, end in self.operators.get("open", ()) if condition.kind == "open" else ():
                    for number, word in enumerate(self.question.words):
                        if start <= word.start < end and number in self.evidence.place:
                            covered[self.evidence.place[number]] = 1.0
            if condition.quantity >= 0:
                quantity = self.quantities[condition.quantity]
                its[f"where.{quantity.kind}.{condition.kind}"] = 1.0
                its["where.near"] = self._nearness(column, quantity.start)
            elif condition.quantity <= -2:
                for place in self._mention_words[-2 - condition.quantity]:
                    covered[place] = 1.0
                mention = self.question.mentions[-2 - condition.quantity]
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
        found["unused.quantity"] = float(len(unused))
        found["unused.open"] = float("open" in self.operators and not form.conditions)
        return found, covered

    def _next_to_order(self, column: Array, shape: Shape) -> float:
        """Return how much more the word after a superlative says a property than the label of the answer.

        In "the earliest launch year of companies" the year is asked for, in "the earliest company" the company.
        """
        end = min((end for _, end in self.operators.get("order", ())), default=len(self.question.text))
        place = self._next_place(end)
        label = max(shape.ends, key=lambda name: shape.ends[name], default="")
        return float(column[place] - self.said("label", label)[place]) if place is not None else 0.0

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
        path = shape.paths[0]
        labels = path.ends if shape.tail else path.labels[-2] if len(path.labels) > 1 else {path.anchor.label: 1.0}
        before = path.middle or max(labels, key=lambda name: labels[name], default="")
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

    def combine(self, shape: Features, shape_covered: Array, form: Features, form_covered: Array) -> Features:
        """Return the features of a candidate from those of its shape and of its form."""
        found = dict(shape)
        for name, value in form.items():
            found[name] = found.get(name, 0.0) + value
        if self.size:
            covered = np.maximum(shape_covered, form_covered)
            found["cover"] = float(covered.mean())
            found["left"] = float((1 - covered).sum())
            # What the words could say about any element of the schema, and say about none of this query.
            missed = np.maximum(0.0, self._most_said - covered)
            found["missed"], found["missed.most"] = float(missed.sum()), float(missed.max())
        return found


def _assigned(columns: Sequence[Array]) -> float:
    """Return the sum of the best words of steps if each word may say only one step (greedily)."""
    taken: set[int] = set()
    total = 0.0
    for column in sorted(columns, key=lambda column: -float(column.max(initial=0.0))):
        for place in np.argsort(-column):
            if int(place) not in taken:
                taken.add(int(place))
                total += float(column[place])
                break
    return total
