"""Proposes candidate queries for a question, with the features by which they are ranked.

The shapes come from walking the data (`walks`), the forms from the question's operators. Features are general: how
well the words of relationships, labels and properties are said, how much of the question they cover, in what order.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from math import log10

import numpy as np

from graphground.cypher.names.words import lemma, root, split_name
from graphground.graphs.graph import Graph
from graphground.graphs.question.model import Question
from graphground.graphs.suggestions.asked import Asked
from graphground.graphs.suggestions.candidates import COUNTING, Candidate, Form, Shape
from graphground.graphs.suggestions.evidence import Array
from graphground.graphs.suggestions.forms import FormMaker
from graphground.graphs.suggestions.properties import Property
from graphground.graphs.suggestions.shapes import ShapeFinder
from graphground.graphs.suggestions.walks import Anchor, Path, Step, Walker, reverse

Features = dict[str, float]
SAID = 0.45
FORM_OPERATORS = (
    "count", "most", "each", "order", "sort", "average", "sum", "difference", "same", "names", "when", "including",
    "compare", "equal", "asks", "distinct", "pairs",
)  # fmt: skip
"""The operators of which each form has a feature."""
BEFORE = ("most_before", "group_before", "group_zero", "sort_before", "above_count")
"""The forms that return the node before the last one."""
SHARPNESS, NOTHING = 8.0, 0.4
"""How much more probably a word says the element that it resembles more, and the resemblance of saying nothing."""
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
        self.asked = Asked(graph, question)
        self.walker = Walker(graph, time.monotonic() + seconds, self.asked.said_types)
        self.finder, self.maker = ShapeFinder(self.asked, self.walker), FormMaker(self.asked, self.walker)
        self.question, self.evidence, self.operators = question, self.asked.evidence, self.asked.operators
        self.order, self.quantities, self.said = self.asked.order, self.asked.quantities, self.asked.said
        self.size = len(self.evidence.indices)

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
                for place in self.asked.mention_words[mention]:
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
            found["step.distinct"] = sum(_assign(columns)) / len(steps)
            found["step.unsaid"] = sum(b < 0.25 for b in best)
            found |= self._spent(steps, columns, open_words)
            found["near"] = sum(self._near(path) for path in shape.paths) / len(shape.paths)
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
        certain = bool(steps) and self.asked.end_labels.get(steps[-1]) == {shape.label}
        found["label.written"] = float(bool(shape.label) and not certain)
        if shape.label:
            raw = shape.tail.ends if shape.tail else shape.paths[0].ends
            found["label.share"] = raw.get(shape.label, 0.0)
        found["label.missed"] = float(not shape.label and bool(self.finder.said_labels(ends)))
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
        kind, places = self._window
        if kind == "noun" and places and self.question.words[0].folded in ("which", "what"):
            word = self.question.words[self.evidence.indices[places[-1]]].folded
            found["size.many" if lemma(word) != word else "size.one"] = found["size"]
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

    def _spent(self, steps: Sequence[Step], columns: Sequence[Array], open_words: Array) -> Features:
        """Return how well steps are said if each word says one step, and says it more than anything else."""
        most = np.maximum(self._most_said, np.float32(0.2))
        sharp = [np.asarray(column * (column / most) ** 3, dtype=np.float32) for column in columns]
        plain, clear = _assign(columns), _assign(sharp)
        chances = [self._chance(step.type) * open_words for step in steps]
        likely = _assign(chances)
        missed = np.maximum(self._most_likely * open_words - np.maximum.reduce(chances), 0.0)
        return {
            "chance.missed": float(missed.sum()),
            "chance.missed.most": float(missed.max(initial=0.0)),
            "chance.cost": -sum(float(np.log(0.03 + value)) for value in likely),
            "chance.least": min(likely),
            "chance.mean": sum(likely) / len(steps),
            "step.cost": sum(1 - value for value in plain),
            "step.least": min(plain),
            "sharp.cost": sum(1 - value for value in clear),
            "sharp.least": min(clear),
            "sharp.unsaid": float(sum(value < 0.2 for value in clear)),
        }

    @cached_property
    def _chances(self) -> Array:
        """For each content word and each element of the schema, how probably the word says just this element."""
        mass = np.exp(SHARPNESS * self.evidence.matrix)
        return np.asarray(mass / (mass.sum(axis=1, keepdims=True) + np.exp(SHARPNESS * NOTHING)), dtype=np.float32)

    def _chance(self, type_: str) -> Array:
        """Return how probably each content word says a relationship type, and neither another element nor nothing."""
        number = self.evidence.vocabulary.number
        columns = [number["type", part] for part in type_.split("|") if ("type", part) in number]
        return np.asarray(self._chances[:, columns].sum(axis=1), dtype=np.float32)

    @cached_property
    def _most_likely(self) -> Array:
        """For each content word, how probably it says the relationship type that it says best."""
        columns = [place for (kind, _), place in self.evidence.vocabulary.number.items() if kind == "type"]
        return np.asarray(self._chances[:, columns].max(axis=1, initial=0.0), dtype=np.float32)

    def _near(self, path: Path) -> float:
        """Return how probably the words near a name say the step that leads from it."""
        if path.anchor.mention < 0 or not path.steps or not self.size:
            return 0.0
        words = self.question.mentions[path.anchor.mention].words
        chances = self._chance(path.steps[0].type)
        return max(float(value) / (1 + self._distance(place, words)) for place, value in enumerate(chances))

    @cached_property
    def _window(self) -> tuple[str, list[int]]:
        """What the question asks for: `who`, `where`, `when`, or the words of a noun: `which [record labels] …`."""
        words = self.question.words
        for number, word in enumerate(words):
            if number in self.question.mentioned:
                continue
            if word.folded in ("who", "whom", "where", "when"):
                return word.folded, []
            if word.folded in ("which", "what", "whose") or (
                word.folded in ("many", "much") and number and words[number - 1].folded == "how"
            ):
                places = self._run_after(number)
                if places:
                    return "noun", places
        first = next((n for n in self.evidence.indices if n not in self.question.mentioned), None)
        return ("noun", self._run_after(first - 1)) if first is not None else ("", [])

    def _run_after(self, number: int) -> list[int]:
        """Return the places of the content words that follow a word and each other, names left out."""
        found: list[int] = []
        for other in range(number + 1, len(self.question.words)):
            if other in self.question.mentioned:
                continue
            if other in self.evidence.place:
                found.append(self.evidence.place[other])
            elif found:
                break
        return found[:4]

    def _asked_fit(self, form: Form, shape: Shape) -> Features:
        """Return how well what a form returns is what the question asks for."""
        kind, places = self._window
        if kind == "when":
            known = self.maker.keys_of(shape).known
            return {"asked.when": float(form.key in known and known[form.key].is_time)}
        returned = self._returned(form, shape)
        only_key = bool(form.key) and form.kind not in ("argmax", "order", "names_property")
        if kind in ("who", "where"):
            measure = self._person if kind == "who" else self._place
            return {f"asked.{kind}": 0.0 if only_key else max(measure(labels) for labels, _ in returned)}
        if not places:
            return {}
        by_label = by_step = by_key = 0.0
        for labels, step in () if only_key else returned:
            for label, share in labels.items():
                if label:
                    said = float(self.said("label", label)[places].max())
                    by_label = max(by_label, said * min(1.0, 0.4 + share))
            if step is not None:
                by_step = max(by_step, float(self.said("type", step.type)[places].max()))
        if form.key and form.kind not in ("argmax", "order"):
            by_key = float(self.said("property", form.key)[places].max())
        fit = max(by_label, by_step, by_key)
        found = {"asked.label": by_label, "asked.step": by_step, "asked.key": by_key, "asked.fit": fit}
        found["asked.gap"] = float(self._most_said[places].max()) - fit
        if form.kind == "both" and returned[1][1] is not None:
            found["both.middle"] = float(self.said("type", returned[1][1].type).max(initial=0.0))
        return found

    def _returned(self, form: Form, shape: Shape) -> list[tuple[dict[str, float], Step | None]]:
        """Return the labels of the nodes that a form returns, each with the step that leads to them."""
        path = shape.tail or shape.paths[0]
        end = (dict(shape.ends), path.steps[-1] if path.steps else None)
        if form.kind not in BEFORE and form.kind != "both":
            return [end]
        if path.middle:
            labels: Mapping[str, float] = {path.middle: 1.0}
        elif len(path.labels) > 1:
            labels = path.labels[-2]
        else:
            labels = shape.paths[0].ends if shape.tail else {path.anchor.label: 1.0}
        before = (dict(labels), path.steps[-2] if len(path.steps) > 1 else None)
        return [end, before] if form.kind == "both" else [before]

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
        columns = [number["type", name] for name in self.asked.schema.relationship_types]
        best = np.sort(self.evidence.matrix[:, columns], axis=1)[:, ::-1] if columns else np.zeros((self.size, 2))
        return [(float(row[0]), float(row[1]) if len(row) > 1 else 0.0) for row in best]

    def _head(self, open_words: Array) -> int | None:
        return next((place for place in range(self.size) if open_words[place]), None)

    def _near_label(self, anchor: Anchor) -> float:
        """Return how strongly the words beside a mention say its label: `the film @`, `@ movies`."""
        if anchor.mention < 0:
            return 0.0
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
        found |= self._asked_fit(form, shape)
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
        uses = {condition.quantity for condition in form.conditions} | {path.anchor.quantity for path in shape.paths}
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
                for place in self.asked.mention_words[-2 - condition.quantity]:
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

    def cover_features(self, shape: Array, form: Array) -> Features:
        """Return features that say how many of the question's words a shape and a form cover together."""
        if not self.size:
            return {}
        covered = np.maximum(shape, form)
        # What the words could say about any element of the schema, and say about none of this query.
        missed = np.maximum(0.0, self._most_said - covered)
        return {
            "cover": float(covered.mean()),
            "left": float((1 - covered).sum()),
            "missed": float(missed.sum()),
            "missed.most": float(missed.max()),
        }

    def combine(self, *parts: Features) -> Features:
        """Return the features of a candidate from those of its shape, its form and the words that they cover."""
        found: Features = {}
        for part in parts:
            for name, value in part.items():
                found[name] = found.get(name, 0.0) + value
        return found


def _assign(columns: Sequence[Array]) -> list[float]:
    """Return what the best word of each step says if each word may say only one step (greedily)."""
    free = np.ones(len(columns[0]), dtype=np.float32)
    found = []
    for column in sorted(columns, key=lambda column: -float(column.max(initial=0.0))):
        left = column * free
        place = int(left.argmax()) if len(left) else 0
        found.append(float(left[place]) if len(left) else 0.0)
        free[place : place + 1] = 0.0
    return found
