"""Features of a question and a RETURN template with its property, order and condition."""

from __future__ import annotations

import re
from collections.abc import Mapping

from graphground.graphs.suggestions.pattern_features import STRONG, Features
from graphground.graphs.suggestions.question import Question
from graphground.graphs.suggestions.returns import NUMBERS, TEMPORAL, Returns
from graphground.graphs.suggestions.vocabulary import Element


class ReturnFeatures:
    """The features of RETURN templates, for one question and one label."""

    def __init__(self, question: Question, label: str, keys: Mapping[str, str]) -> None:
        self._question, self._label = question, label
        self._scores = {key: question.score_of(label, key) for key in keys}
        self._best = max(self._scores.values(), default=0.0)
        self._words = {key: set(question.evidence.get(Element("property", label, key), {})) for key in keys}
        structural = {
            word
            for element, by in question.evidence.items()
            if element.kind in ("label", "type")
            for word, strength in by.items()
            if strength >= STRONG
        }
        self._owned = {
            word
            for key in keys
            for word, strength in question.evidence.get(Element("property", label, key), {}).items()
            if strength >= STRONG and word not in structural
        }

    def of(self, returns: Returns) -> Features:
        """Return the features of a template with its property and condition; they do not depend on the pattern."""
        template, cues = returns.template, self._question.cues
        found: Features = {f"r.{template}": 1.0}
        for cue in cues:
            found[f"r.{template}.{cue}"] = 1.0
        for quantity in self._question.quantities:
            found[f"r.{'where' if returns.condition else template}.{quantity.kind}"] = 1.0
        if self._question.order:
            found[f"r.{template}.ordered"] = 1.0
        used: set[int] = set()
        if returns.key:
            used |= self._words.get(returns.key, set())
            self._property(returns, found)
        for key in returns.more:
            used |= self._words.get(key, set())
            found["r.more"] = found.get("r.more", 0.0) + 1.0
            found["r.more.score"] = self._scores.get(key, 0.0)
        if returns.condition:
            used |= self._words.get(returns.condition.key, set())
            self._condition(returns, found)
        value = returns.condition.value if returns.condition else None
        found["r.unused_value"] = float(
            sum(value is None or mention.text != value.text for mention in self._question.known_values)
        )
        found["r.unexplained"] = float(len(self._owned - used))
        return found

    def _property(self, returns: Returns, found: Features) -> None:
        key, type_, template = returns.key, returns.type, returns.template
        score = self._scores.get(key, 0.0)
        group = _GROUPS.get(template, "out")
        found[f"p.{group}.score"] = score
        found[f"p.{group}.none"] = float(not score)
        found[f"p.{group}.lead"] = score - max(
            (other for name, other in self._scores.items() if name != key), default=0.0
        )
        found[f"p.{group}.full"] = float(score >= STRONG)
        temporal = type_ in TEMPORAL or "year" in key
        kind = (
            "temporal" if temporal else "number" if type_ in NUMBERS else "list" if type_.startswith("list") else "text"
        )
        for cue in ("when", "where", "average", "difference"):
            if cue in self._question.cues:
                found[f"p.{kind}.{cue}"] = 1.0
        found[f"p.{group}.{kind}"] = 1.0
        words = self._words.get(key)
        if words and group == "out":
            places = sorted(words)
            found["p.early"] = float(places[0] <= 3)
        if returns.part:
            found["p.part"] = 1.0
        elif temporal and type_ in TEMPORAL and template in ("min", "max") and "year" in self._question.cues:
            found["p.whole_date"] = 1.0
        if group == "order":
            self._order(returns, temporal, found)

    def _order(self, returns: Returns, temporal: bool, found: Features) -> None:
        order = self._question.order
        if order is None:
            found["o.none"] = 1.0
            return
        dimension, direction = order
        descending = returns.descending or returns.template in ("max", "larger")
        right = (direction == "desc") == descending
        fits = (dimension == "time") == temporal
        found[f"o.{'fits' if fits else 'misfit'}.{'right' if right else 'wrong'}"] = 1.0
        found[f"o.{dimension}.{'temporal' if temporal else 'size'}"] = 1.0
        if temporal:
            young = bool(re.search(r"\b(young|old|born|age)", self._question.masked))
            dead = bool(re.search(r"\b(died|dead|deceased|death|pass(ed)? away)\b", self._question.masked))
            about = "birth" if "birth" in returns.key else "death" if "death" in returns.key else "other"
            found[f"o.{about}.young"] = float(young)
            found[f"o.{about}.dead"] = float(dead)

    def _condition(self, returns: Returns, found: Features) -> None:
        condition = returns.condition
        assert condition is not None
        score = self._scores.get(condition.key, 0.0)
        found |= {
            "c": 1.0,
            "c.score": score,
            "c.none": float(not score),
            "c.lead": score
            - max((other for name, other in self._scores.items() if name != condition.key), default=0.0),
            f"c.{condition.operator}": 1.0,
        }
        if condition.key == returns.key:
            found["c.same_key"] = 1.0
        quantity = condition.quantity
        if quantity:
            found[f"c.{quantity.kind}.{'part' if condition.part else 'whole'}"] = 1.0
            found["c.near"] = self._near(condition.key, quantity.start)
        elif condition.value:
            value = condition.value
            found["c.text"] = 1.0
            found["c.text.known"] = float(bool(value.key))
            found["c.text.near"] = self._near(condition.key, value.start)
            found["c.text.name"] = float(any(mention.text == value.text for mention in self._question.mentions))
            found["c.text.start"] = float(value.start <= 0)

    def _near(self, key: str, start: int) -> float:
        words = self._question.words
        distances = [
            sum(1 for word in words if min(words[number].start, start) < word.start < max(words[number].start, start))
            for number in self._words.get(key, ())
        ]
        return 1 / (1 + min(distances)) if distances else 0.0


def kind_and_returns(kind: str, returns: Returns) -> Features:
    """Return the features of the combination of a pattern's kind and a template."""
    found = {f"kr.{kind}.{returns.template}": 1.0}
    if returns.condition:
        found[f"kc.{kind}"] = 1.0
    return found


_GROUPS = {
    **dict.fromkeys(("order", "argmax", "min", "max", "larger", "smaller"), "order"),
    **dict.fromkeys(("avg", "minus"), "size"),
    "equal": "equal",
    **dict.fromkeys(("count_prop", "distinct", "unwind"), "set"),
}
