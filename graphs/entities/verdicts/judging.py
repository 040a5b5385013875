"""Decides the verdict on a mention from its candidates: found, ambiguous, or not found.

    >>> judge("Lebron Jmes", candidates, counts).verdict  # doctest: +SKIP
    'found'

A text that equals a name or an alias, apart from case, accents, spaces or an article, is judged without the model. For
any other text, the model gives the probability that the mention is a spelling of the name (`features`);
`benchmarks/entities/calibration.py` fits the model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from rapidfuzz.distance import OSA

from graphground.cypher.names.words import root
from graphground.graphs.entities.candidate import Candidate, EntityLookup
from graphground.graphs.entities.spans import doctrine_of, fold

Verdict = Literal["found", "ambiguous", "not_found"]
RATIO = 50.0
"""The ratio of the odds of the likeliest name to the odds of another name, below which either may be meant."""
LEAST_MEANING = 0.75
"""The minimum similarity in meaning for a candidate that was found by meaning and not by spelling."""
HEARD = 0.5
"""The share of the required probability that suffices for a name that sounds like the mention: `Steven`, `Stephen`."""
CONSIDERED = 30
"""The number of candidates to look up for a mention; it is large because several of them may have the same text."""
COMPARED = 10
"""The maximum number of different names that the model compares; they are the most similar in spelling."""
OTHERS = 5
"""The number of best candidates among which `find_entities` seeks a node with far more relationships."""
MAX_WHOLE, MAX_TEXTS = 5, 25
"""The maximum numbers of nodes, and of their names and aliases, of which a mention may be a part."""
SHORTEST_PART = 4
"""The least number of letters of a cut or misspelt word in a part of a name."""
PART_CHANCE = 0.6
"""The probability with which a mention of rare words means a name that holds them all."""
PLAIN_RANK = 8_000
"""The rank among English words from which a word in lower case may be a part of a name."""
NEAREST = 2
"""The maximum number of candidates that are returned if none is likely."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict and its candidates: `Judgement("found", [candidate])`; for `not_found`, up to two similar names."""

    verdict: Verdict
    candidates: list[Candidate]
    others: Sequence[Candidate] = ()
    """The best candidates that were found; a candidate with far more relationships may be meant instead."""
    chance: float = 1.0
    """The probability that the mention spells the best candidate; 1 for an exact name or alias."""


def judge(
    mention: str, candidates: Sequence[Candidate], counts: EntityLookup, *, by_meaning: bool = False
) -> Judgement:
    """Return the verdict on one mention; `candidates` are given best first.

    `by_meaning` is True for a search by meaning: its results are never certain, so that the verdict is never `found`.
    """
    if by_meaning:
        return Judgement("ambiguous" if candidates else "not_found", list(candidates))
    exact = exactly(mention, candidates)
    if exact:
        preferred = [candidate for candidate in exact if not candidate.is_value] or exact
        if sum(candidate.match == "exact" for candidate in preferred) == 1:  # one name decides, namesakes do not
            preferred = [candidate for candidate in preferred if not _is_distant_alias(mention, candidate)]
        if all(_is_distant_alias(mention, candidate) for candidate in preferred):  # `Navy`, of the Naval Academy
            others = holding_all_words(mention, candidates, counts)
            meant = {candidate.key for candidate in preferred}
            preferred = [*preferred, *(candidate for candidate in others if candidate.key not in meant)]
        return _shown(preferred, candidates)
    likely, chance = _likely(mention, by_text(candidates), counts)
    if likely:
        return replace(_shown(likely, candidates), chance=chance)
    parts = holding_all_words(mention, candidates, counts)
    if parts:
        return replace(_shown(parts, candidates), chance=PART_CHANCE)
    alike = [candidate for candidate in candidates if candidate.match == "vector" and candidate.score >= LEAST_MEANING]
    if alike:
        return Judgement("ambiguous", alike, chance=chance)
    return Judgement("not_found", _distinct(candidates)[:NEAREST], chance=chance)


def holding_all_words(mention: str, candidates: Sequence[Candidate], counts: EntityLookup) -> list[Candidate]:
    """Return the candidates whose names hold all words of a mention, if the words are in few names: `Hitchcock`.

    A word may be written in another number (`Secretaries of State`), and one of them cut (`Shaq O'Neal`) or misspelt
    (`Standard Charterd` for `Standard Chartered Plc`). A part of an alias is too far from the name: `Ice-T` is not Trae
    Young, `Ice Trae`. There are none for a plain word, or if the words are in more than `MAX_WHOLE` names: `John` is a
    part of too many.
    """
    words = fold(mention).split()
    if not any(len(word) > 3 for word in words) or _is_plain_word(mention):
        return []
    found: list[tuple[Candidate, list[str]]] = []
    for candidate in candidates:
        held = _held(words, fold(candidate.name).split())
        if held is not None:
            found.append((candidate, held))
    whole = [(candidate, its) for candidate, its in found if its == words] or found
    if not whole or len({candidate.key for candidate, _ in whole}) > MAX_WHOLE:
        # Names with these words one after the other: `Award for Best Director` for `Best Director`.
        phrase = f" {' '.join(words)} "
        return [candidate for candidate in candidates if len(words) > 1 and phrase in f" {fold(candidate.name)} "]
    rarest = min(min(counts.word_counts(sorted(set(its)))) for _, its in whole)
    return [candidate for candidate, _ in whole] if rarest <= MAX_TEXTS else []


def _is_plain_word(mention: str) -> bool:
    """Whether a mention is a frequent English word in lower case: `publisher` does not mean `video game publisher`."""
    from graphground.graphs.entities.verdicts.features import word_ranks  # NumPy, on first use

    return mention.islower() and word_ranks().get(fold(mention), PLAIN_RANK) < PLAIN_RANK


def _is_distant_alias(mention: str, candidate: Candidate) -> bool:
    """Whether a mention is an alias of a name with which it shares no word: `Persia` for `Iran`.

    A node that is named so is then meant, while `New York` may mean `New York City`.
    """
    return candidate.match == "alias" and not {*fold(mention).split()} & {*fold(candidate.name).split()}


def _held(words: Sequence[str], its: Sequence[str]) -> list[str] | None:
    """Return the words of a name that the words of a mention stand for, in their order; None if a word is missing."""
    from graphground.graphs.entities.verdicts.features import errors_allowed  # NumPy, on first use

    left, found, inexact = list(its), [], 0
    for word in words:
        other = word if word in left else next((other for other in left if root(other) == root(word)), None)
        if other is None and len(words) > 1 and len(word) >= SHORTEST_PART:
            near = (
                other
                for other in left
                if other.startswith(word) or OSA.distance(word, other) <= min(errors_allowed(word, other), 1)
            )
            other, inexact = next(near, None), inexact + 1
        if other is None or inexact > 1:
            return None
        left.remove(other)
        found.append(other)
    return found


def exactly(mention: str, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates whose name or alias is the mention, apart from case and accents.

    If there are none, return the candidates that differ from the mention only in spaces or an article.
    """
    return [candidate for candidate in candidates if candidate.match in ("exact", "alias")] or [
        candidate for candidate in candidates if candidate.match == "fuzzy" and _written_alike(mention, candidate)
    ]


def _shown(chosen: Sequence[Candidate], candidates: Sequence[Candidate]) -> Judgement:
    """Return the judgement on the candidates that may be meant, ordered so that different names come first.

    The first candidate of each text comes first, then namesakes with other labels, and finally namesakes with the same
    label. A name and an alias with the same text count as two texts.
    """
    seen: Counter[tuple[str, ...]] = Counter()
    turns: list[int] = []
    for candidate in chosen:
        reading = (fold(candidate.matched or candidate.name), "alias" if candidate.match == "alias" else "name")
        labelled = (*reading, candidate.label)
        turns.append(1 + seen[labelled] if seen[reading] else 0)
        seen.update((reading, labelled))
    ordered = [chosen[place] for place in sorted(range(len(chosen)), key=turns.__getitem__)]
    return Judgement("found" if len(ordered) == 1 else "ambiguous", ordered, candidates[:OTHERS])


def _written_alike(mention: str, candidate: Candidate) -> bool:
    """Whether a name differs from a mention only in spaces or an article: `A.I.` and `AI`, `the Wizards` and `Wizards`.

    An article in upper case may belong to the name: `The Haunting` is hardly `Haunting`.
    """
    from graphground.graphs.entities.verdicts.features import names_article  # NumPy, on first use

    text, name = fold(mention), fold(candidate.matched or candidate.name)
    if text.replace(" ", "") == name.replace(" ", ""):
        return True
    return _letters(text) == _letters(name) and not (names_article(mention) and _letters(name) == name.replace(" ", ""))


def _letters(folded: str) -> str:
    """Return a folded text without spaces, a leading `the` and `and`: `A.I.` is `ai`, `Hill and Son` is `hillson`."""
    return (folded.removeprefix("the ") or folded).replace(" and ", " ").replace(" ", "")


def by_text(candidates: Sequence[Candidate]) -> list[list[Candidate]]:
    """Return the candidates that were found by spelling, in up to `COMPARED` groups of one text, best group first."""
    texts: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        if candidate.match != "vector":
            texts.setdefault(fold(candidate.matched or candidate.name), []).append(candidate)
    return list(texts.values())[:COMPARED]


def _likely(
    mention: str, spelled: Sequence[Sequence[Candidate]], counts: EntityLookup
) -> tuple[list[Candidate], float]:
    """Return the candidates whose names the mention probably spells, correctly or with errors, and the best chance."""
    if not spelled or not fold(mention):
        return [], 0.0
    from graphground.graphs.entities.verdicts.features import (  # NumPy, on first use
        features_of,
        numbered_otherwise,
        sound_the_same,
        trees,
    )

    model = trees()
    least = model.least(counts.texts)
    rows = features_of(mention, [namesakes[0] for namesakes in spelled], counts)
    words = fold(mention).split()
    plain = _is_plain_word(mention)
    likely: list[tuple[float, Sequence[Candidate]]] = []
    chances = model.chances(rows).tolist()
    for namesakes, chance in zip(spelled, chances, strict=True):
        its = fold(namesakes[0].matched or namesakes[0].name).split()
        related = sound_the_same(words, its) or [doctrine_of(word) for word in words] == its
        enough = least * HEARD if related else least
        if plain and len(its) > 1:
            continue
        if chance > enough and not numbered_otherwise(words, its):
            likely.append((chance / max(1 - chance, 1e-9), namesakes))
    most = max((odds for odds, _ in likely), default=0.0)
    return [candidate for odds, namesakes in likely if odds * RATIO > most for candidate in namesakes], max(chances)


def _distinct(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the first candidate of each pair of a label and a name, in the order of the candidates."""
    first: dict[tuple[str, str], Candidate] = {}
    for candidate in candidates:
        first.setdefault((candidate.label, candidate.name), candidate)
    return list(first.values())
