"""Features of a question and a pattern, to which the learned ranker gives weights.

No feature depends on the words of a particular graph. Most features belong to a part of a pattern (a named node, a
relationship, the returned node), and each part is scored only once, so that scoring a pattern only adds the scores of
its parts. The other features belong to the pattern as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property

from graphground.cypher.names.words import split
from graphground.graphs.suggestions.mentions import Entity
from graphground.graphs.suggestions.patterns import Pattern, Step
from graphground.graphs.suggestions.question import Question
from graphground.graphs.suggestions.vocabulary import Element

Features = dict[str, float]
STRONG = 0.9
ENDINGS = frozenset(("of", "by", "in", "at", "with", "for", "from", "to", "on"))


class PatternFeatures:
    """The features of patterns for one question."""

    def __init__(self, question: Question, steps: Mapping[str, list[Step]]) -> None:
        self._question, self._steps_to = question, steps
        self._anchors: dict[tuple[Step, Entity, int], Features] = {}
        self._near: dict[tuple[str, int], float] = {}
        self._number = {mention.text: number for number, mention in enumerate(question.mentions)}
        starts = [word.start for word in question.words]
        self._place = [
            sum(start < mention.start for start in starts) if mention.start >= 0 else len(starts)
            for mention in question.mentions
        ]
        """For each mention, the number of words before it, or of all words if it does not occur in the question."""
        self._content_before = [0]
        for number in range(len(starts)):
            self._content_before.append(self._content_before[-1] + (number in question.content))
        """For each word, the number of content words before it; the last entry counts all content words."""
        self._parts: dict[object, tuple[Features, int]] = {}

    def parts(self, pattern: Pattern) -> Iterator[tuple[object, Features]]:
        """Yield the parts of a pattern as pairs of key and features; a part has the same key in every pattern."""
        yield ("target", pattern.target, pattern.kind), self._target(pattern.target, pattern.kind)
        entities, steps = pattern.entities, pattern.steps
        match pattern.kind:
            case "named" | "comparison":
                for entity in entities:
                    yield ("named", entity), self._entity(entity)
            case "anchored" | "time":
                yield ("anchor", steps[0], entities[0]), self._anchor(steps[0], entities[0])
            case "fork" | "union":
                for step, entity in zip(steps, entities, strict=True):
                    yield ("anchor", step, entity), self._anchor(step, entity)
            case "chain" | "grouping" | "optional":
                yield ("anchor", steps[1], entities[0]), self._anchor(steps[1], entities[0])
                yield ("free", steps[0], pattern.kind), self._free(steps[0], pattern.kind)
            case "link":
                yield ("free", steps[0], pattern.kind), self._free(steps[0], pattern.kind)
            case "ring":
                for step in steps:
                    yield ("free", step, pattern.kind), self._free(step, pattern.kind)
        yield ("kind", pattern.kind), self._kind(pattern.kind)

    def whole(self, pattern: Pattern) -> Features:
        """Return the features of a pattern that belong to none of its parts."""
        found: Features = {}
        question, kind = self._question, pattern.kind
        used = {entity.mention for entity in pattern.entities}
        for mention in question.mentions:
            if mention.text not in used:
                first = mention.text[:1]
                written = "value" if mention.values else "name" if first.isupper() or first.isdecimal() else "word"
                sure = max(entity.score for entity in mention.meanings) if mention.meanings else 0.0
                self._add(found, f"m.unused.{written}", sure)
        explained = 0
        elements = [Element("label", "", pattern.target)]
        elements += [Element("type", "", step.type) for step in pattern.steps]
        elements += [Element("label", "", entity.label) for entity in pattern.entities]
        if pattern.middle:
            elements.append(Element("label", "", pattern.middle))
        for element in elements:
            explained |= self._mask(element)
        left = self._structural & ~explained
        owned = self._properties(pattern.target)
        strong = self._structural_strong
        found["x.strong"] = (left & strong & ~owned).bit_count()
        found["x.weak"] = (left & ~strong & ~owned).bit_count()
        found["x.owned"] = (left & owned).bit_count()
        found["x.said"] = (explained & self._structural).bit_count()
        types = [step.type for step in pattern.steps]
        found[f"s.unsaid.{kind}"] = sum(not question.score(Element("type", "", type_)) for type_ in set(types))
        if kind in ("fork", "ring", "chain", "grouping") and types[0] != types[1]:
            words = [question.evidence.get(Element("type", "", type_), {}).keys() for type_ in types]
            shared = bool(words[0]) and bool(words[1]) and (words[0] <= words[1] or words[1] <= words[0])
            found[f"s.one_word.{kind}"] = shared
        if kind in ("fork", "union") and pattern.entities[0] == pattern.entities[1]:
            found[f"{kind}.one_name"] = 1.0
        if kind in ("chain", "grouping"):
            out, onward = pattern.steps
            back = out.type == onward.type and out.origin == onward.target and out.forward != onward.forward
            found[f"back.{kind}"] = back
            for cue in ("same", "also", "another", "fellow", "such"):
                found[f"back.{cue}.{kind}"] = back and cue in question.cues
                found[f"onward.{cue}.{kind}"] = not back and cue in question.cues
            found["chain.round"] = pattern.target == pattern.entities[0].label
            found.update(self._chain_order(pattern))
        if kind == "optional":
            found["optional.one_type"] = types[0] == types[1]
            found["optional.back"] = pattern.steps[0] == pattern.steps[1]
        if kind in ("fork", "union"):
            found[f"{kind}.one_type"] = types[0] == types[1]
            found[f"{kind}.one_step"] = pattern.steps[0] == pattern.steps[1]
            found[f"{kind}.one_label"] = pattern.entities[0].label == pattern.entities[1].label
            for cue in ("or_between", "and_between", "either", "both", "names_beside"):
                if cue in question.cues:
                    found[f"{kind}.{cue}.{'one' if types[0] == types[1] else 'two'}"] = 1.0
        if kind == "time":
            open_ended = "IS NOT NULL" in pattern.time
            dated = any(quantity.kind != "number" for quantity in question.quantities)
            found[f"time.{'now' if open_ended else 'at'}"] = 1.0
            for cue in ("current", "any_time", "in_year"):
                found[f"time.{'now' if open_ended else 'at'}.{cue}"] = cue in question.cues
            found["time.now.dated"] = open_ended and dated
            for quantity in question.quantities if not open_ended else ():
                if str(quantity.value) in pattern.time:
                    found[f"time.{quantity.comparison}"] = 1.0
        if kind == "comparison":
            found["comparison.labels"] = 1.0
        return {name: float(value) for name, value in found.items() if value}

    def of(self, pattern: Pattern) -> Features:
        """Return the sum of the features of the whole pattern and of each of its parts, for training."""
        found = dict(self.whole(pattern))
        for _, part in self.parts(pattern):
            for name, value in part.items():
                found[name] = found.get(name, 0.0) + value
        return found

    @staticmethod
    def _add(found: Features, name: str, value: float) -> None:
        found[name] = found.get(name, 0.0) + value

    def _kind(self, kind: str) -> Features:
        count = len([mention for mention in self._question.mentions if mention.start >= 0])
        found = {f"k.{kind}": 1.0, f"k.{kind}.mentions{min(count, 3)}": 1.0}
        for cue in self._question.cues:
            found[f"k.{kind}.{cue}"] = 1.0
        kinds = {quantity.kind for quantity in self._question.quantities}
        for quantity_kind in kinds:
            found[f"k.{kind}.{quantity_kind}"] = 1.0
        return found

    def _entity(self, entity: Entity) -> Features:
        mention = entity.mention
        exact = entity.name == mention
        folded = entity.name.casefold() == mention.casefold()
        number = self._number.get(mention)
        found = {
            "e.score": entity.score,
            "e.exact": float(exact),
            "e.folded": float(folded),
            "e.label": self._question.score(Element("label", "", entity.label)),
        }
        if number is not None:
            meanings = self._question.mentions[number].meanings
            if entity in meanings:
                found["e.rank"] = float(meanings.index(entity))
            beside, other = self._labels_beside(number, entity.label)
            found |= {"e.beside": beside, "e.beside_other": other}
        return found

    def _labels_beside(self, number: int, label: str) -> tuple[float, float]:
        """Return how strongly words near a mention refer to a label, and how much more strongly to any other label."""
        own = other = 0.0
        place = self._place[number]
        for element, by in self._question.evidence.items():
            if element.kind != "label":
                continue
            for word, strength in by.items():
                if place - 2 <= word <= place + 1 and self._distance(word, number) == 0:
                    weighted = strength * (1.0 if word in (place - 1, place) else 0.6)
                    if element.name == label:
                        own = max(own, weighted)
                    else:
                        other = max(other, weighted)
        return own, max(0.0, other - own)

    def _distance(self, word: int, number: int) -> int:
        """Return the number of content words and names between a word and a mention."""
        place = self._place[number]
        if word < place:
            crossed = sum(word < other < place for other in self._place)
            return self._content_before[place] - self._content_before[word + 1] + crossed
        crossed = sum(place < other <= word for other in self._place)
        return self._content_before[word] - self._content_before[place] + crossed

    def _nearness(self, type_: str, number: int) -> float:
        key = (type_, number)
        if key not in self._near:
            best = 0.0
            for word, strength in self._question.evidence.get(Element("type", "", type_), {}).items():
                best = max(best, strength / (1 + 0.5 * self._distance(word, number)))
            self._near[key] = best
        return self._near[key]

    def _anchor(self, step: Step, entity: Entity) -> Features:
        number = self._number.get(entity.mention, -1)
        key = (step, entity, number)
        if key not in self._anchors:
            found = self._entity(entity)
            type_ = step.type
            score = self._question.score(Element("type", "", type_))
            found |= {"a.score": score, "a.none": float(not score)}
            if number >= 0:
                nearness = self._nearness(type_, number)
                rivals = [
                    self._nearness(other.type, number)
                    for other in self._steps_to.get(entity.label, ())
                    if other.type != type_
                ]
                here = [
                    self._nearness(other.type, number)
                    for other in self._steps_to.get(entity.label, ())
                    if other.type != type_ and other.origin == step.origin
                ]
                found |= {
                    "a.near": nearness,
                    "a.lead": nearness - max(rivals, default=0.0),
                    "a.lead_here": nearness - max(here, default=0.0),
                    "a.only": float(not here),
                }
                found |= self._direction(step, number)
            self._anchors[key] = found
        return self._anchors[key]

    def _direction(self, step: Step, number: int) -> Features:
        """Return features of the direction of a relationship between nodes of the same label.

        Questions with such relationships are `subsidiaries of @0` and `@0's parent company`. The values are positive
        if the step follows the relationship's direction.
        """
        if step.start != step.end:
            return {}
        words = self._question.evidence.get(Element("type", "", step.type), {})
        form, sign = _form(step.type), 1.0 if step.forward else -1.0
        if not words:
            return {f"d.{form}.unsaid": sign}
        word = min(words, key=lambda word: (self._distance(word, number) if number >= 0 else 0, word))
        akin = ".akin" if words[word] < STRONG else ""
        return {f"d.{form}{akin}.{self._context(word, number)}": sign, f"d.{form}{akin}": sign}

    def _context(self, word: int, number: int) -> str:
        """Return the name of the context of a relationship's word: `possessive` in `@0's parent company`.

        `number` is the number of the mention that the relationship leads to, or -1 if there is none.
        """
        masked, reference = self._question.masked, self._question.words[word]
        if number >= 0 and word >= self._place[number]:
            mention = self._question.mentions[number]
            between = masked[mention.end : reference.start]
            if self._question.text[mention.end : mention.end + 2] in ("'s", "’s", "' ") or between.startswith("'"):
                return "possessive"
            return "name_as" if re.search(r"\b(as|for)\b", between) else "name_then"
        after = re.match(r"\s*(?:\w+ )?(of|by|for|on|in|to|from|with|as)\b", masked[reference.end : reference.end + 16])
        before = re.findall(r"\w+", masked[max(0, reference.start - 28) : reference.start])[-4:]
        if after and after[1] in ("of", "by", "as"):
            return f"then_{after[1]}"
        if {"have", "has", "had", "with", "having", "whose", "own", "owns"} & set(before):
            return "have"
        if {"is", "are", "was", "were", "as", "being"} & set(before[-3:]):
            return "are" if not after else "are_then"
        return "then" if after else "plain"

    def _free(self, step: Step, kind: str) -> Features:
        score = self._question.score(Element("type", "", step.type))
        middle = self._question.score(Element("label", "", step.target))
        found = {
            f"f.score.{kind}": score,
            f"f.none.{kind}": float(not score),
            f"f.middle.{kind}": middle,
            f"f.no_middle.{kind}": float(not middle),
        }
        return found | self._direction(step, -1)

    def _target(self, label: str, kind: str) -> Features:
        group = "named" if kind in ("named", "comparison") else "asked"
        by = self._question.evidence.get(Element("label", "", label), {})
        found = {
            f"t.score.{group}": self._question.score(Element("label", "", label)),
            f"t.none.{group}": float(not by),
        }
        if not by:
            return found
        free = [word for word in by if not self._describes_name(word)]
        found[f"t.describes.{group}"] = float(not free)
        if free:
            place = min(free)
            found[f"t.before.{group}"] = min(self._content_before[place], 6) / 6
            found[f"t.head.{group}"] = float(self._content_before[place] == 0)
            ranks = sorted({min(words) for words in self._free_labels.values()})
            rank = ranks.index(place) if place in ranks else len(ranks)
            found[f"t.rank{min(rank, 3)}.{group}"] = 1.0
            found[f"t.strength.{group}"] = by[place]
        return found

    @cached_property
    def _free_labels(self) -> dict[str, list[int]]:
        """For each label, the positions of the words that refer to it and do not describe a name."""
        found = {
            element.name: [word for word in by if not self._describes_name(word)]
            for element, by in self._question.evidence.items()
            if element.kind == "label"
        }
        return {label: words for label, words in found.items() if words}

    def _describes_name(self, word: int) -> bool:
        """Whether a word directly precedes a name: `painting` in `the painting @0`."""
        return any(
            mention.start >= 0
            and word == place - 1
            and not self._question.masked[self._question.words[word].end : mention.start].strip("\"'“ ")
            for mention, place in zip(self._question.mentions, self._place, strict=True)
        )

    def _chain_order(self, pattern: Pattern) -> Features:
        """Return features that compare the order of labels and of relationships in the question and in the pattern."""
        target = self._free_labels.get(pattern.target)
        middle = self._free_labels.get(pattern.middle or "")
        found: Features = {}
        if target and middle and pattern.target != pattern.middle:
            found["chain.in_order" if min(target) < min(middle) else "chain.reversed"] = 1.0
        first, second = (self._question.evidence.get(Element("type", "", step.type), {}) for step in pattern.steps)
        if first and second and first.keys() != second.keys():
            found["chain.types_in_order" if min(first) < max(second) else "chain.types_reversed"] = 1.0
        return found

    def _mask(self, element: Element) -> int:
        mask = 0
        for word in self._question.evidence.get(element, {}):
            mask |= 1 << word
        return mask

    @cached_property
    def _structural(self) -> int:
        mask = 0
        for element in self._question.evidence:
            if element.kind in ("label", "type"):
                mask |= self._mask(element)
        return mask

    @cached_property
    def _structural_strong(self) -> int:
        mask = 0
        for element, by in self._question.evidence.items():
            if element.kind in ("label", "type"):
                for word, strength in by.items():
                    mask |= (strength >= STRONG) << word
        return mask

    def _properties(self, label: str) -> int:
        mask = 0
        for element in self._question.evidence:
            if element.kind == "property" and element.owner == label:
                mask |= self._mask(element)
        return mask


def _form(type_: str) -> str:
    """Return the form of a relationship type: `of` for `subsidiaryOf`, `has` for `hasFather`, `plain` for `wrote`."""
    words = [word.lower() for word in split(type_)]
    if not words:
        return "plain"
    return "has" if words[0] in ("has", "have") else words[-1] if words[-1] in ENDINGS else "plain"
