"""Finds the shapes of the candidate queries: paths around the nodes, labels and types that a question speaks of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from graphground.graphs.question.model import Node
from graphground.graphs.suggestions.asked import Asked
from graphground.graphs.suggestions.candidates import Shape
from graphground.graphs.suggestions.properties import title_of
from graphground.graphs.suggestions.walks import Anchor, Path, Step, Walker, reverse

MAX_NODES = 3
"""The maximum number of nodes that one mention may mean."""
WIDTHS = (40, 80, 60)
"""The maximum number of paths of one, two and three steps."""
EXPANDED = (10, 8)
"""The number of paths of one step, and of two, that are continued."""
MAX_JOINED, MAX_NAMES = 9, 4
MAX_LABELS = 4
SAID = 0.45


class ShapeFinder:
    """Finds shapes for one question."""

    def __init__(self, asked: Asked, walker: Walker) -> None:
        self.asked, self.walker = asked, walker

    def anchors(self) -> list[Anchor]:
        """Return the nodes that the question may name, and the labels that it speaks of."""
        found: dict[tuple[str, str, str], Anchor] = {}
        for number, mention in enumerate(self.asked.question.mentions):
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
        return node.is_value and all(node.property != title_of(self.asked.graph, label) for label in node.labels)

    def _several(self) -> Iterator[Anchor]:
        """Yield the anchors of several names with one label: `Leipzig, Vienna or Kyoto`."""
        best = [
            (number, mention.nodes[0])
            for number, mention in enumerate(self.asked.question.mentions)
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
        known = self.asked.schema.labels.get(label)
        return known.properties.get(key, "str") if known else "str"

    def label_anchors(self) -> list[Anchor]:
        labels = [(self.asked.strength("label", name), name) for name in self.asked.schema.labels]
        labels = sorted((item for item in labels if item[0] >= 0.3), key=lambda item: -item[0])[:MAX_LABELS]
        labels = [item for item in labels if item[0] >= 0.6] or labels
        return [Anchor(-1, "", "", name, score) for score, name in labels]

    def promise(self, path: Path, step: Step) -> float:
        """Return how much a path continued by a step promises, from its words alone."""
        score = 0.0
        for known in (*path.steps, step):
            score += self.asked.strength("type", known.type)
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
            for number, m in enumerate(self.asked.question.mentions)
            if m.verdict != "not_found"
            for place in self.asked.mention_words[number]
        }
        return len(self.asked.evidence.indices) - len(named)

    def _unnamed(self) -> Iterator[Shape]:
        starts = [Path(anchor, (), (), 1.0) for anchor in self.label_anchors()]
        for path in starts:
            yield Shape((path,))
        one = self.walker.extend(starts, self.promise, 40)
        for path in one:
            yield from self._labelled(Shape((path,)))
        said = sorted(((self.asked.strength("type", t), t) for t in self.asked.schema.relationship_types), reverse=True)
        for strength, type_ in said[:MAX_LABELS]:
            if strength >= SAID:
                # All nodes that a type relates, whatever their labels.
                for step, labels in self.walker.ends_of(type_):
                    yield from self._labelled(Shape((Path(Anchor(-1, "", "", ""), (step,), (labels,), 1000.0),)))
        if self.asked.operators.keys() & {"both", "same"}:
            for p, q in combinations(one, 2):
                if p.anchor == q.anchor and p.steps[0].type != q.steps[0].type and p.ends.keys() & q.ends.keys():
                    yield from self._labelled(Shape((p, q), "ring"))

    def _joined(self, by_anchor: dict[Anchor, list[Path]], two: Sequence[Path]) -> Iterator[Shape]:
        joins: list[str] = ["and"]
        if "or" in self.asked.operators or "both" in self.asked.operators:
            joins.append("or")
        if "not" in self.asked.operators:
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
            if self.asked.operators.keys() & {"equal", "asks"}:
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
            only = self.asked.end_labels.get(last) if last else None
            if only is not None and len(only) == 1:
                yield replace(its, label=next(iter(only)))
                continue
            yield its
            for label in self.said_labels(its.ends):
                yield replace(its, label=label)

    def said_labels(self, ends: Mapping[str, float]) -> list[str]:
        """Return the two labels that the question names best among those that only some of the nodes have."""
        said = [
            (self.asked.strength("label", label), share, label)
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
        only = self.asked.end_labels.get(path.steps[-2])
        if only is not None and len(only) == 1:
            yield Shape((replace(path, middle=next(iter(only))),))
            return
        yield shape
        for label in self.said_labels(path.labels[-2]):
            yield Shape((replace(path, middle=label),))
