"""Decides the verdict on a mention from its candidates: found, ambiguous, or not found.

    >>> judge("Lebron Jmes", candidates, counts).verdict  # doctest: +SKIP
    'found'

A text that equals a name or an alias letter by letter is found without the model. For any other text, the model gives
the probability that the mention is a spelling of the name (`features`); `benchmarks/entities/calibration.py` fits the
model.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from graphground.graphs.entities.candidate import Candidate, EntityLookup
from graphground.graphs.entities.folding import fold

if TYPE_CHECKING:
    from graphground.graphs.entities.verdicts.features import WordCounts

Verdict = Literal["found", "ambiguous", "not_found"]
MARGIN = 0.035
"""The largest distance from the best score at which a candidate may still be meant."""
LEAST_MEANING = 0.75
"""The minimum similarity in meaning for a candidate whose name is spelt differently from the mention."""
HEARD = 0.5
"""The share of the required probability that is enough for a name that sounds the same, such as `Steven` for
`Stephen`."""
CONSIDERED = 5
"""The number of best candidates by spelling that the model considers."""
LOOKED_UP = 8
"""The number of candidates that are looked up for a value in a query."""
NEAREST = 2
"""The number of candidates shown if none is likely."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict and its candidates: `Judgement("found", [candidate])`; for `not_found`, at most two similar candidates."""

    verdict: Verdict
    candidates: list[Candidate]
    others: Sequence[Candidate] = ()
    """All candidates found; a far more prominent candidate among them may be meant."""


def judge(mention: str, candidates: Sequence[Candidate], counts: WordCounts, *, by_meaning: bool = False) -> Judgement:
    """Return the verdict on one mention; `candidates` are given best first.

    `by_meaning` is set for a search by meaning, whose results are never certain.
    """
    if by_meaning:
        return Judgement("ambiguous" if candidates else "not_found", list(candidates))
    exact = [candidate for candidate in candidates if candidate.match in ("exact", "alias")] or [
        candidate for candidate in candidates if candidate.match == "fuzzy" and _joined(candidate) == _letters(mention)
    ]
    if exact:
        meant = [candidate for candidate in exact if not candidate.is_value] or exact
        return Judgement("found" if len(meant) == 1 else "ambiguous", meant, candidates)
    spelled = [candidate for candidate in candidates if candidate.match != "vector"][:CONSIDERED]
    likely = _likely(mention, spelled, counts)
    if likely:
        best = likely[0]
        meant = [
            candidate for candidate in likely if candidate.score > best.score - MARGIN or candidate.name == best.name
        ]
        return Judgement("found" if len(meant) == 1 else "ambiguous", meant, candidates)
    alike = [candidate for candidate in candidates if candidate.match == "vector" and candidate.score >= LEAST_MEANING]
    if alike:
        return Judgement("ambiguous", alike)
    return Judgement("not_found", _distinct(candidates)[:NEAREST])


def judge_value(
    lookup: EntityLookup,
    mention: str,
    *,
    labels: Collection[str] | None = None,
    key: str | None = None,
    names: bool = True,
) -> Judgement:
    """Return the verdict on a text that a query compares with a property of some labels (all labels if None).

    With `names`, the text is compared with names in the property `key` (any property if None) and with aliases;
    without, with the values of the property.

        judge_value(lookup, "Lebron Jmes", labels=("Player",)).candidates[0].name  # 'LeBron James'
    """
    only = next(iter(labels)) if labels is not None and len(labels) == 1 else None
    found = lookup.find(mention, label=only, property=None if names else key, limit=LOOKED_UP)
    fitting = [
        candidate
        for candidate in found
        if (labels is None or candidate.label in labels)
        and key in (None, candidate.name_property if names else candidate.property)
    ]
    return judge(mention, fitting, lookup)


def _letters(text: str) -> str:
    """Return a folded text without its spaces and its leading `the`: `A.I.` is `ai`, `The Wizards` is `wizards`."""
    folded = fold(text)
    return (folded.removeprefix("the ") or folded).replace(" ", "")


def _joined(candidate: Candidate) -> str:
    return _letters(candidate.matched or candidate.name)


def _likely(mention: str, spelled: Sequence[Candidate], counts: WordCounts) -> list[Candidate]:
    """Return the candidates whose names the mention probably spells, correctly or with errors."""
    if not spelled or not fold(mention):
        return []
    from graphground.graphs.entities.verdicts.features import features_of, numbered_otherwise  # NumPy, on first use
    from graphground.graphs.entities.verdicts.sound import sound_the_same
    from graphground.graphs.entities.verdicts.trees import trees

    model = trees()
    least = model.least(counts.texts)
    rows = [features_of(mention, spelled, counts, place) for place in range(len(spelled))]
    words = fold(mention).split()
    likely = []
    for candidate, chance in zip(spelled, model.chances(rows).tolist(), strict=True):
        its = fold(candidate.matched or candidate.name).split()
        enough = least * HEARD if sound_the_same(words, its) else least
        if chance > enough and not numbered_otherwise(words, its):
            likely.append(candidate)
    return likely


def _distinct(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates, with each name of a label only once."""
    return list({(candidate.label, candidate.name): candidate for candidate in reversed(candidates)}.values())[::-1]
