"""Finds the shapes of the candidate queries: paths around the nodes, labels and types that a question speaks of."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, reduce
from itertools import combinations, pairwise
from typing import TypeVar

import numpy as np

from graphground.graphs.question.kept import remembered
from graphground.graphs.question.model import Node
from graphground.graphs.question.properties import read_properties, title_of
from graphground.graphs.suggestions.asked import Asked
from graphground.graphs.suggestions.candidates import Join, Shape
from graphground.graphs.suggestions.evidence import Array
from graphground.graphs.suggestions.walks import Anchor, Path, Step, Walker, reverse

T = TypeVar("T")
MAX_NODES = 3
"""The maximum number of nodes that one mention may mean."""
POSSIBLE = 0.7
"""How much less surely a name is meant that is read as plain words."""
WIDTHS = (40, 80, 60)
"""The maximum number of paths of one, two and three steps."""
EXPANDED = (10, 12)
"""The number of paths of one step, and of two, that are continued."""
MAX_BETWEEN = 4
"""The maximum number of words between two names that are listed together."""
MAX_JOINED, MAX_NAMES, MAX_PAIRS = 9, 4, 10
MAX_LABELS = 4
DENIED = 40
"""The number of characters before a name within which a denial speaks of it."""
IDENTIFYING = 0.45
"""How well a whole number must tell the nodes of a label apart to identify one of them (`Property.naming`)."""
MAX_RAW = 160
"""The number of shapes whose features are computed; the others promise less by their words alone."""
SAID = 0.45
ASKING = frozenset(("who", "where", "when", "most", "each"))
"""The operators that ask for a node which no label need name."""
STEP, UNUSED = 0.25, 0.6
"""What a shape must cover for each of its steps, and what a name is worth that it uses."""


def spread(items: Iterable[T], families_of: Callable[[T], Iterable[tuple[Hashable, int]]], limit: int) -> list[T]:
    """Return the first `limit` items, of each of an item's families at most as many as stands beside it.

    What was passed over fills the list if there are not enough families.
    """
    counts: dict[Hashable, int] = {}
    taken: list[T] = []
    passed: list[T] = []
    for item in items:
        known = [(family, counts.get(family, 0), most) for family, most in families_of(item)]
        if all(count < most for _, count, most in known):
            counts |= {family: count + 1 for family, count, _ in known}
            taken.append(item)
            if len(taken) == limit:
                return taken
        else:
            passed.append(item)
    return taken + passed[: limit - len(taken)]


def walk_of(shape: Shape, *, directed: bool = True) -> Hashable:
    """Return what shapes have in common that differ only in labels, or also in directions."""
    tail = shape.tail.steps if shape.tail else ()
    if directed:
        return tuple((path.anchor, path.steps) for path in shape.paths), shape.join, tail
    types = tuple((path.anchor, tuple(step.type for step in path.steps)) for path in shape.paths)
    return "undirected", types, shape.join, tuple(step.type for step in tail)  # else walks without steps count twice


class ShapeFinder:
    """Finds shapes for one question."""

    def __init__(self, asked: Asked, walker: Walker) -> None:
        self.asked, self.walker = asked, walker
        self._covers: dict[tuple[Anchor, tuple[Step, ...]], Array] = {}
        self._label_covers: dict[int, tuple[Mapping[str, float], Array]] = {}

    # Where paths begin

    def anchors(self) -> list[Anchor]:
        """Return the nodes that the question may name."""
        found: dict[tuple[str, str, str], Anchor] = {}
        for number, mention in enumerate(self.asked.mentions):
            if mention.verdict == "not_found":
                continue
            possible = number >= len(self.asked.question.mentions)
            for rank, node in enumerate(mention.nodes[: 1 if possible else MAX_NODES], possible):
                label = node.labels[0] if node.labels else ""
                key = (node.name, node.property, label)
                in_list = node.is_value and self._type_of(label, node.property).startswith("list")
                is_value = self._is_value(node)
                score = node.score * (POSSIBLE if possible else 1.0)
                its = Anchor(number, node.name, node.property, label, score, rank, is_value, in_list=in_list)
                found.setdefault(key, its)
        return [*found.values(), *self._numbers()]

    def _numbers(self) -> Iterator[Anchor]:
        """Yield the nodes that a number may identify: `(:Edition {year: 2019})`."""
        numbers = [
            (place, its)
            for place, its in enumerate(self.asked.quantities)
            if its.comparison == "=" and its.kind != "date"
        ]
        labels = [name for name, known in self.asked.schema.labels.items() if "int" in known.properties.values()]
        for label, known in read_properties(self.asked.graph, labels).items() if numbers else ():
            for key, its in known.items():
                if its.type == "int" and its.naming >= IDENTIFYING and its.form in ("number", "year"):
                    for place, quantity in numbers:
                        yield Anchor(-1, str(quantity.value), key, label, 0.9, quantity=place)

    def _is_value(self, node: Node) -> bool:
        """Whether a text is not the name of one node, but a value that several nodes may have."""
        return node.is_value and all(node.property != title_of(self.asked.graph, label) for label in node.labels)

    def several(self) -> Iterator[Anchor]:
        """Yield the anchors of several names, without a label if they have none in common: `Kyoto or Vienna`."""
        best: list[tuple[int, Node]] = []
        for number, mention in enumerate(self.asked.question.mentions):
            node = mention.nodes[0] if mention.verdict != "not_found" and mention.nodes else None
            if node and not self._is_value(node) and all(node.key != other.key for _, other in best):
                best.append((number, node))
        for first in range(len(best)):
            for end in range(first + 2, min(len(best), first + MAX_NAMES) + 1):
                its = best[first:end]
                if not self._are_listed([number for number, _ in its]):
                    continue
                labels = [label for label in its[0][1].labels if all(label in node.labels for _, node in its)]
                if len({node.property for _, node in its}) == 1:
                    number, node = its[0]
                    score = sum(node.score for _, node in its) / len(its)
                    also = tuple((number, node.name) for number, node in its[1:])
                    label = labels[0] if labels else ""
                    either = () if label else tuple(dict.fromkeys(other.labels[0] for _, other in its if other.labels))
                    if label or len(either) > 1:
                        yield Anchor(number, node.name, node.property, label, score, also=also, labels=either)

    def _are_listed(self, mentions: Sequence[int]) -> bool:
        """Whether names stand beside each other, or are compared: "by Ann Roth or Colleen Atwood"."""
        words = [self.asked.question.mentions[number].words for number in mentions]
        far = max(after - before for (_, before), (after, _) in pairwise(words)) - 1
        return far <= MAX_BETWEEN or "compare" in self.asked.operators

    def _type_of(self, label: str, key: str) -> str:
        known = self.asked.schema.labels.get(label)
        return known.properties.get(key, "str") if known else "str"

    def label_anchors(self) -> list[Anchor]:
        """Return the labels that the question speaks of by their own words, or by those of their properties."""
        strengths = {name: self.asked.strength("label", name) for name in self.asked.schema.labels}
        found = sorted(((score, name) for name, score in strengths.items() if score >= 0.3), reverse=True)[:MAX_LABELS]
        found = [item for item in found if item[0] >= 0.6] or found
        owners = [
            (self.asked.strength("property", key), name)
            for name, known in self.asked.schema.labels.items()
            for key in known.properties
            if key not in known.reserved and key != known.name_property
        ]
        for score, name in sorted(owners, reverse=True)[: 2 * MAX_LABELS]:
            if score >= SAID and len(found) < MAX_LABELS and all(name != other for _, other in found):
                found.append((score / 2, name))
        return [Anchor(-1, "", "", name, score) for score, name in found]

    # What promises most, by words alone

    def promise(self, path: Path, step: Step) -> float:
        """Return how much a path continued by a step promises, from its words alone."""
        said, number = self._said(path.anchor), self.asked.evidence.vocabulary.number
        places = (number.get(("type", known.type)) for known in (*path.steps, step))
        score = sum(said[place] for place in places if place is not None)
        if path.steps and step == reverse(path.steps[-1]):
            score -= 0.3
        return score / (len(path.steps) + 1) + path.anchor.score - 0.2 * path.anchor.rank

    @remembered
    def _said(self, anchor: Anchor) -> list[float]:
        """Return how clearly the words outside an anchor's names say each element of the schema."""
        matrix = self.asked.evidence.matrix * self._own_words(anchor)[:, np.newaxis]
        return list(matrix.max(axis=0, initial=0.0).tolist())

    @remembered
    def _own_words(self, anchor: Anchor) -> Array:
        """Return 1 for each content word that is not part of an anchor's names, else 0."""
        return self.asked.open_words(frozenset(anchor.mentions()))

    def _cover(self, path: Path) -> Array:
        """Return how well a path covers each content word."""
        key = path.anchor, path.steps
        if key not in self._covers:
            own = self._own_words(path.anchor)
            columns = [self.asked.said("type", step.type) for step in path.steps]
            columns += [self.labels_cover(labels) for labels in path.labels]
            columns.append(self.asked.said("label", path.anchor.label) * (0.9 if path.anchor.name else 1.0))
            self._covers[key] = reduce(np.maximum, columns) * own + (1 - own) * path.anchor.score
        return self._covers[key]

    def labels_cover(self, labels: Mapping[str, float]) -> Array:
        """Return how well the words say labels, of which those that few nodes have count less."""
        if id(labels) not in self._label_covers:
            cover = np.zeros(len(self.asked.evidence.indices), dtype=np.float32)
            for label in labels.keys() & self.asked.said_labels.keys():
                if labels[label] >= 0.15:
                    cover = np.maximum(cover, self.asked.said("label", label) * min(1.0, 0.5 + labels[label] / 2))
            self._label_covers[id(labels)] = labels, cover
        return self._label_covers[id(labels)][1]

    def _promise_of(self, shape: Shape) -> float:
        covers = [self._cover(path) for path in shape.paths]
        if shape.tail:
            columns = [self.asked.said("type", step.type) for step in shape.tail.steps]
            own = reduce(np.minimum, [self._own_words(path.anchor) for path in shape.paths])
            covers += [column * own for column in (*columns, *map(self.labels_cover, shape.tail.labels))]
        total = float(reduce(np.maximum, covers).sum()) - STEP * len(shape.steps)
        named = [path.anchor for path in shape.paths if path.anchor.name]
        used = {mention for anchor in named for mention in anchor.mentions()}
        return total + UNUSED * len(used) - 0.3 * sum(anchor.rank for anchor in named)

    # Shapes

    def shapes(self) -> list[Shape]:
        """Return the shapes that promise most, of each kind some; `labelled` adds labels to them."""
        self.walker.read_vague_shares(self.asked.said_types)
        made: dict[Shape, None] = {}
        for shape in self._all():
            paths = tuple(map(self.walker.omit_label, shape.paths))
            made[shape if paths == shape.paths else replace(shape, paths=paths)] = None
        ranked = sorted(made, key=lambda shape: -self._promise_of(shape))

        def families(shape: Shape) -> list[tuple[Hashable, int]]:
            names = frozenset(mention for path in shape.paths for mention in path.anchor.mentions())
            doubtful = max(names, default=-1) >= len(self.asked.question.mentions)
            return [
                ((names, shape.join, len(shape.steps)), MAX_RAW // 5),
                ((names, shape.join), MAX_RAW // 2),
                (walk_of(shape, directed=False), 3 ** len(shape.paths)),
                *([("doubtful", MAX_RAW // 3)] if doubtful else ()),  # names that plain words may be
            ]

        return spread(ranked, families, MAX_RAW)

    def _all(self) -> Iterator[Shape]:
        """Yield the shapes around the named nodes, and around the labels and types that the question speaks of."""
        anchors = self.anchors()
        several = list(self.several())
        yield from (Shape((Path(anchor, (), (), 1.0),)) for anchor in anchors)
        starts = [Path(anchor, (), (), 1.0) for anchor in (*anchors, *(each for each in several if each.label))]
        unnamed = not anchors or self._open_count() or all(a.score < 0.9 for a in anchors)
        labels = [Path(anchor, (), (), 1.0) for anchor in self.label_anchors()] if unnamed else []
        self.walker.read((*starts, *labels))
        one = self.walker.extend(starts, self.promise, WIDTHS[0] * max(1, len(starts)))
        by_anchor: dict[Anchor, list[Path]] = {}
        for path in one:
            by_anchor.setdefault(path.anchor, []).append(path)
        for anchor in several:
            if not anchor.label:
                by_anchor[anchor] = self._common(anchor, by_anchor)
                one += by_anchor[anchor]
        share = max(3, EXPANDED[0] // max(1, len({a.mention for a in by_anchor})))
        expanded = list(
            dict.fromkeys(
                [
                    *(path for path in one[: EXPANDED[0]] if path.anchor.label),
                    *(
                        path
                        for anchor, paths in by_anchor.items()
                        for path in paths[: share if anchor.rank == 0 and anchor.label else 2 * bool(anchor.label)]
                    ),
                ]
            )
        )
        two = list(filter(self._adds, self.walker.extend(expanded, self.promise, WIDTHS[1])))
        more = self.walker.extend(two[: EXPANDED[1]], self.promise, WIDTHS[2]) if self._open_count() >= 3 else []
        three = list(filter(self._adds, more))
        yield from (Shape((path,)) for path in (*one, *two, *three))
        yield from self._joined(by_anchor, two)
        compared = self.asked.order or self.asked.operators.keys() & {"equal", "asks", "difference", "compare"}
        named = [anchor for anchor in anchors if anchor.mention >= 0 and not anchor.rank and not anchor.in_list]
        for first, second in combinations(named, 2) if compared else ():
            if first.label == second.label and first.mention != second.mention:
                yield Shape((Path(first, (), (), 1.0), Path(second, (), (), 1.0)), "pair")
        for anchor, paths in by_anchor.items():
            if not anchor.rank:
                yield from self._joined_with_itself(paths)
        if "not" in self.asked.operators:
            every = [Path(each, (), (), 1.0) for each in self.label_anchors()]
            yield from self._absent([*one[:MAX_JOINED], *every])
            # "players that never played for @", where the denial stands shortly before the name
            ends = [end for _, end in self.asked.operators["not"]]
            joined = [
                path
                for path in (*one[:MAX_JOINED], *two[:MAX_JOINED])
                if path.anchor.mention >= 0
                and any(0 < self.asked.mentions[path.anchor.mention].start - end < DENIED for end in ends)
            ]
            for its in every:
                yield from (Shape((its, path), "not") for path in joined if its.anchor.label in path.ends)
        if unnamed:
            yield from self._unnamed(labels)

    def _common(self, anchor: Anchor, by_anchor: Mapping[Anchor, Sequence[Path]]) -> list[Path]:
        """Return the paths of one step that all of several names have; names without a common label are not sampled."""
        names = {anchor.name, *(name for _, name in anchor.also)}
        its = [paths for known, paths in by_anchor.items() if known.name in names and not known.also and not known.rank]
        common = set.intersection(*({path.steps for path in paths} for paths in its)) if its else set()
        return (
            [Path(anchor, path.steps, path.labels, path.count * len(names)) for path in its[0] if path.steps in common]
            if common
            else []
        )

    def _open_count(self) -> int:
        named = {
            place
            for number, m in enumerate(self.asked.question.mentions)
            if m.verdict != "not_found"
            for place in self.asked.mention_words[number]
        }
        return len(self.asked.evidence.indices) - len(named)

    def _absent(self, paths: Sequence[Path]) -> Iterator[Shape]:
        """Yield the nodes that lack a relationship of which the words after a negation speak: "no composer"."""
        found: dict[tuple[str, Step], tuple[float, dict[str, float]]] = {}
        denied = cache(self.asked.denied)  # thousands of patterns have a few hundred labels and types
        for pattern in self.asked.schema.patterns:
            by_type = denied("type", pattern.type)
            outward, inward = Step(pattern.type, "out"), Step(pattern.type, "in")
            for its, other, step in ((pattern.start, pattern.end, inward), (pattern.end, pattern.start, outward)):
                by_label = denied("label", other) if other != its else 0.0
                if max(by_type, by_label) >= SAID:
                    key = other if by_label > by_type else "", step
                    found.setdefault(key, (max(by_type, by_label), {}))[1][its] = 1.0
        best = [
            Path(Anchor(-1, "", "", label), (step,), (labels,), 1.0)
            for (label, step), (_, labels) in sorted(found.items(), key=lambda item: -item[1][0])[:MAX_LABELS]
        ]
        for path in paths:
            for missing in best:
                if path.ends.keys() & missing.ends.keys() and path.steps[-1:] != missing.steps:
                    yield Shape((path, missing), "not")

    def _unnamed(self, starts: Sequence[Path]) -> Iterator[Shape]:
        for path in starts:
            yield Shape((path,))
        one = list(filter(self._adds, self.walker.extend(starts, self.promise, 40)))
        for path in one:
            yield Shape((path,))
        said = sorted(((self.asked.strength("type", t), t) for t in self.asked.schema.relationship_types), reverse=True)
        for strength, type_ in said[:MAX_LABELS]:
            if strength >= SAID:
                # All nodes that a type relates, whatever their labels.
                for step, labels in self.walker.ends_of(type_).items():
                    yield Shape((Path(Anchor(-1, "", "", ""), (step,), (labels,), 1000.0),))

    def _adds(self, path: Path) -> bool:
        """Whether the last step says more than the labels that it joins: `playsFor` does not in "tallest player".

        A step of which no word speaks is left to the weights.
        """
        said, end = self.asked.said("type", path.steps[-1].type), self.labels_cover(path.ends)
        is_first = len(path.steps) == 1
        start = self.asked.said("label", path.anchor.label) if is_first else self.labels_cover(path.labels[-2])
        if said.max(initial=0.0) < SAID or ((said >= SAID) & (said > np.maximum(start, end))).any():
            return True
        names_end = bool(((end >= SAID) & (end > start)).any() or self.asked.operators.keys() & ASKING)
        names_start = not is_first or bool(((start >= SAID) & (start > end)).any())
        return names_end and names_start

    def _joined(self, by_anchor: Mapping[Anchor, list[Path]], two: Sequence[Path]) -> Iterator[Shape]:
        """Yield the paths of several names that meet at one node, with a further step from there or without."""
        joins: list[Join] = ["and"]
        if "or" in self.asked.operators or "both" in self.asked.operators:
            joins.append("or")
        if "not" in self.asked.operators:
            joins.append("not")
        twos: dict[Anchor, list[Path]] = {}
        for path in two:
            twos.setdefault(path.anchor, []).append(path)
        pairs = [
            (first, second)
            for first, second in combinations(by_anchor, 2)
            if not set(first.mentions()) & set(second.mentions()) and (first.quantity < 0 or second.quantity < 0)
        ]
        pairs.sort(key=lambda pair: (pair[0].rank + pair[1].rank, -pair[0].score - pair[1].score))
        for first, second in pairs[:MAX_PAIRS]:
            left, right = by_anchor[first][:MAX_JOINED], by_anchor[second][:MAX_JOINED]
            others = [
                path
                for anchor, paths in by_anchor.items()
                if anchor.mention > max((*first.mentions(), *second.mentions()), default=-1)
                and not anchor.rank
                and not anchor.also
                for path in paths[:3]
            ]
            several = bool(first.also or second.also or first.in_list or second.in_list)
            tails = [
                (longer, Path(longer.anchor, longer.steps[1:], longer.labels[1:], longer.count))
                for longer in (*twos.get(first, ()), *twos.get(second, ()))
            ]
            for p in (*left, *twos.get(first, ())[:MAX_JOINED]):
                for q in (*right, *twos.get(second, ())[:MAX_JOINED]):
                    far = len(p.steps) + len(q.steps) > 3 and p.steps != q.steps
                    if far or not p.ends.keys() & q.ends.keys():
                        continue
                    for join in joins:
                        if join != "or" or not several:
                            yield Shape((p, q), join)
                        if join == "not":
                            yield Shape((q, p), "not")
                    if len(p.steps) == len(q.steps) == 1:
                        for third in others:
                            if p.ends.keys() & q.ends.keys() & third.ends.keys():
                                yield Shape((p, q, third))
                        for longer, tail in tails:
                            if longer.steps[:1] in (p.steps, q.steps):
                                for join in joins:
                                    if join == "and" or not several:
                                        yield Shape((p, q), join, tail)
            if "asks" in self.asked.operators and not first.rank and not second.rank:
                for here, there, paths in ((first, second, left), (second, first, right)):
                    for p in (*paths, *twos.get(here, ())[:MAX_JOINED]):
                        if there.label in p.ends:
                            yield Shape((p, Path(there, (), (), 1.0)))

    def _joined_with_itself(self, paths: Sequence[Path]) -> Iterator[Shape]:
        """Yield two relationships of one name to the same node, to either node, or one without the other."""
        if not paths:
            return
        anchor = paths[0].anchor
        either = self.asked.operators.keys() & {"or", "both"} and not anchor.also and not anchor.in_list
        for p, q in combinations(paths[:6], 2):
            if p.steps[0].type != q.steps[0].type and p.ends.keys() & q.ends.keys():
                yield Shape((p, q), "and")
                if either:
                    yield Shape((p, q), "or")
                if "not" in self.asked.operators:  # "filmed in A, but not set in A"
                    yield Shape((p, q), "not")
                    yield Shape((q, p), "not")

    # Labels

    def labelled(self, shape: Shape) -> Iterator[Shape]:
        """Yield a shape, and the same with each label written that the question names and that excludes other nodes."""
        if not shape.steps:
            yield shape
            return
        for its in self._middled(shape):
            last = [shape.tail.steps[-1]] if shape.tail else [path.steps[-1] for path in shape.paths if path.steps]
            only = [self.asked.end_labels.get(step) for step in last]
            if only[0] is not None and len(only[0]) == 1 and all(labels == only[0] for labels in only):
                yield replace(its, label=next(iter(only[0])))
                continue
            yield its
            for label in self.said_labels(its.ends):
                yield replace(its, label=label)

    def said_labels(self, ends: Mapping[str, float]) -> list[str]:
        """Return the two labels that the question names best among those that only some of the nodes have."""
        clear = [name for name in ends.keys() & self.asked.said_labels.keys() if ends[name] < 0.999]
        said = [(self.asked.said_labels[name], ends[name], name) for name in clear]
        return [label for strength, _, label in sorted(said, reverse=True)[:2] if strength >= 0.75]

    def _middled(self, shape: Shape) -> Iterator[Shape]:
        """Yield a path of two steps with the label of its middle node, if that is certain or the question names it.

        Where nodes have several labels, a label that only some have is not written: others that belong here lack it.
        """
        path = shape.paths[0]
        if len(shape.paths) > 1 or shape.tail or len(path.steps) < 2:
            yield shape
            return
        only = self.asked.end_labels.get(path.steps[-2])
        if only is not None and len(only) == 1:
            yield Shape((replace(path, middle=next(iter(only))),))
            return
        yield shape
        for label in self.said_labels(path.labels[-2]) if not self.asked.schema.label_combinations else ():
            yield Shape((replace(path, middle=label),))
