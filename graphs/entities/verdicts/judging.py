"""Decides the verdict on a mention from its candidates: found, ambiguous, or not found.

    >>> judge("Lebron Jmes", candidates, counts).verdict  # doctest: +SKIP
    'found'

A text that equals a name or an alias, apart from case, accents, spaces or an article, is judged without the model. For
any other text, the model gives the probability that the mention is a spelling of the name: `trees` loads it, boosted
trees applied with NumPy, and `benchmarks/entities/calibration.py` fits it.

For the features, a mention and a name are compared word by word. A word in both counts by its rarity, because many
names contain `john` and few contain `nowitzki`. A similar word is less likely to be misspelt if it is itself a known
word: `jmaes` is a misspelt `james`, but `jordan` is hardly a misspelt `gordon`. A similar name is more likely to occur
by chance among many names, so the number of names is a feature too.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
from rapidfuzz import fuzz
from rapidfuzz.distance import OSA
from rapidfuzz.process import cdist

from graphground.cypher.names.words import root
from graphground.cypher.schema import grouped
from graphground.graphs.entities.candidate import Candidate, EntityLookup
from graphground.graphs.entities.files import Array
from graphground.graphs.entities.spans import clean, doctrine_of, fold

EXACT, FOLDED = 1.0, 0.98
_INITIALS = 0.9
_ALL_WORDS = 0.97
ARTICLE = 0.97
"""The factor for the score of a mention and a name that are compared without their leading articles."""
ARTICLES = frozenset(("the",))
_WORDS_LEFT_OUT, _WORDS_ADDED = 0.8, 0.74
"""The minimum scores of a name with all words of the mention, and of a name whose words are all in the mention."""


def scores(mention: str, names: Sequence[str], known: bool = False) -> Array:
    """Return the similarity of a folded mention to each folded name.

    `known` means that all words of the mention are in the index. A name that contains these words and others then
    scores higher: the mention is more likely to leave out a word than to misspell a word.

        >>> scores("lebron jmes", ["lebron james", "jim james"]).round(2).tolist()
        [0.94, 0.65]
    """
    if not names:
        return np.zeros(0, dtype=np.float32)
    words = mention.split()
    split = [name.split() for name in names]
    straight = cdist([mention], names, scorer=OSA.normalized_similarity, dtype=np.float32)[0]
    swapped = cdist(
        [" ".join(sorted(words))],
        [" ".join(sorted(its)) for its in split],
        scorer=OSA.normalized_similarity,
        dtype=np.float32,
    )[0]
    spelling = np.maximum(straight, 0.97 * swapped)
    _abbreviations(words, split, spelling)
    shared = cdist([mention], names, scorer=fuzz.token_set_ratio, dtype=np.float32)[0] / 100
    part = 0.5 if known else 0.3
    mixed: Array = np.minimum(FOLDED, (1 - part) * spelling + part * np.maximum(shared, spelling))
    return mixed


def scores_without_articles(mention: str, names: Sequence[str], known: bool = False) -> Array:
    """Return for each name the better of its scores with and without articles: `the wizards` fits `wizards`."""
    bare, its = without_article(mention), [without_article(name) for name in names]
    if bare == mention and its == names:
        return scores(mention, names, known)
    return np.maximum(scores(mention, names, known), ARTICLE * scores(bare, its, known))


def without_article(folded: str) -> str:
    """Return a folded text without its leading article: `without_article("the wizards")` is `wizards`."""
    first, _, rest = folded.partition(" ")
    return rest if rest and first in ARTICLES else folded


def raise_contained(found: Array, mention: str, names: Sequence[str], weight: float, weights: Array) -> None:
    """Raise the scores of names that contain all words of the mention, and of names whose words are all in the mention.

    `Beatles` means `The Beatles` rather than `beetles`: a word in the index is seldom a misspelling of another word.
    The score is higher if the additional words are less specific: for `Bruins`, `Boston Bruins` ranks before `Bruins
    Hockey Rules!`. `weight` is the specificity of the mention, and `weights` are those of the names. For a mention with
    an initial (`B. Johnson`) no score is raised, because the initial stands for a word that is not written.
    """
    words = mention.split()
    if any(len(word) == 1 and word != word.upper() for word in words):
        return
    typed = set(words)
    alike = np.minimum(weight / weights, weights / weight)
    for place, name in enumerate(names):
        its = set(name.split())
        least = _WORDS_LEFT_OUT if typed <= its else _WORDS_ADDED if its <= typed else 0.0
        if least:
            found[place] = max(float(found[place]), least + (_ALL_WORDS - least) * float(alike[place]))


def _abbreviations(words: Sequence[str], names: Sequence[Sequence[str]], spelling: Array) -> None:
    """Raise the scores of names that are similar to the mention if words in either are replaced by their initials."""
    initials = 1 in map(len, words)
    for place, name in enumerate(names):
        if len(name) < 2 or not (initials or 1 in map(len, name)):
            continue
        pairs = list(zip(words, name, strict=False))
        if not any(len(typed) == 1 or len(its) == 1 for typed, its in pairs if typed[0] == its[0] and typed != its):
            continue
        if all(min(len(typed), len(its)) == 1 and typed != its for typed, its in pairs):
            continue  # only initials: `A.I.` could stand for very many names, so no score is raised
        short = [(typed[0], its[0]) if len(typed) == 1 or len(its) == 1 else (typed, its) for typed, its in pairs]
        left = " ".join([typed for typed, _ in short] + list(words[len(pairs) :]))
        right = " ".join([its for _, its in short] + list(name[len(pairs) :]))
        spelling[place] = max(float(spelling[place]), _INITIALS * OSA.normalized_similarity(left, right))


UNSURE = 0.9
"""The score of the best match by spelling below which entities are also searched by meaning."""
_RANK, _POWER = 10, 4
"""The constant of reciprocal rank fusion, and the exponent of scores: a score of 0.6 counts an eighth of 1.0."""


def merged(spelled: Sequence[Candidate], meant: Sequence[Candidate], limit: int) -> list[Candidate]:
    """Merge two lists, each best first, into one: by reciprocal rank weighted by score.

    An entity in both lists is returned once, as the candidate with the higher score.

    >>> merged([], [], 5)
    []
    """
    gains: dict[tuple[str, str, str], float] = {}
    best: dict[tuple[str, str, str], Candidate] = {}
    for candidates in (spelled, meant):
        for rank, candidate in enumerate(candidates):
            identity = (candidate.key, candidate.label, candidate.name)
            gains[identity] = gains.get(identity, 0.0) + max(candidate.score, 0.0) ** _POWER / (_RANK + rank)
            if identity not in best or candidate.score > best[identity].score:
                best[identity] = candidate
    return [
        best[identity] for identity in sorted(best, key=lambda candidate: (-gains[candidate], -best[candidate].score))
    ][:limit]


FEATURES = (
    "same", "score", "distance", "likeness", "letters", "its_letters", "words", "its_words", "agreeing", "near",
    "unmatched", "its_unmatched", "agreeing_rarity", "near_rarity", "error_rate", "unmatched_words",
    "its_unmatched_words", "near_known", "near_in_vocabulary", "unmatched_known", "unmatched_in_vocabulary", "names",
    "alias", "value", "initials", "its_initials", "other_number", "first_letter", "joined", "chance",
    "sorted_likeness", "shortest_near", "meaning", "unknown_words", "near_count", "its_near_count", "gap", "rivals",
    "edits", "gap_in_edits", "rivals_in_edits", "rivals_within_another_edit", "article",
)  # fmt: skip
_MOST_WORDS = 24
_NUMBER = re.compile(r"(\d+)(?:st|nd|rd|th|s)?")
_YEAR = re.compile(r"1\d{3}|20\d\d")


@dataclass(slots=True)
class Alignment:
    """The words of a mention paired with the words of a name: `jordan m` and `michael jordan` share one word."""

    agreeing: list[str]
    near: list[tuple[str, str, int]]
    """Pairs of similar words, the word of the mention first, with the number of differing letters."""
    initials: list[tuple[str, str]]
    """Pairs of a word of the mention and a word of the name, where either is the initial of the other."""
    unmatched: list[str]
    its_unmatched: list[str]


def align(words: Sequence[str], its: Sequence[str]) -> Alignment:
    """Pair the words of a mention and the words of a name: equal words, then similar words, then initials."""
    left, right = list(words[:_MOST_WORDS]), list(its[:_MOST_WORDS])
    agreeing = []
    for word in left:
        if word in right:
            right.remove(word)
            agreeing.append(word)
    for word in agreeing:
        left.remove(word)
    pairs = sorted(
        (errors / max(len(word), len(other)), number, place)
        for number, word in enumerate(left)
        for place, other in enumerate(right)
        if (most := errors_allowed(word, other)) and (errors := OSA.distance(word, other, score_cutoff=most)) <= most
    )
    near: list[tuple[str, str, int]] = []
    used: set[int] = set()
    matched: set[int] = set()
    for _, number, place in pairs:
        if number not in used and place not in matched:
            used.add(number)
            matched.add(place)
            near.append((left[number], right[place], OSA.distance(left[number], right[place])))
    left = [word for number, word in enumerate(left) if number not in used]
    right = [word for place, word in enumerate(right) if place not in matched]
    initials: list[tuple[str, str]] = []
    for word in list(left):
        other = next(
            (other_word for other_word in right if other_word[0] == word[0] and min(len(other_word), len(word)) == 1),
            None,
        )
        if other is not None:
            initials.append((word, other))
            left.remove(word)
            right.remove(other)
    return Alignment(agreeing, near, initials, left, right)


def errors_allowed(word: str, other: str) -> int:
    """Return the number of wrong letters up to which two words count as similar: none in a short word or a number.

    `66th` and `64th` are different numbers, not two spellings of the same number.
    """
    if word.isdecimal() or other.isdecimal():
        return 0
    number = number_in(word)
    if number is not None and number_in(other) not in (None, number):
        return 0
    longest = max(len(word), len(other))
    return 0 if longest < 3 else 1 if longest < 5 else 2 if longest < 10 else 3


def number_in(word: str) -> str | None:
    """Return the digits of a number, an ordinal or a decade: `66` for `66th`, `1990` for `1990s`, None for `u571`."""
    found = _NUMBER.fullmatch(word)
    return found[1] if found else None


def numbered_otherwise(words: Sequence[str], its: Sequence[str]) -> bool:
    """Whether two names contain different numbers: `66th Awards` and `64th Awards`, not `Awards` and `64th Awards`.

    A single digit may abbreviate a longer number, and a number that is not a year may be a misspelt year: `2101` for
    `2011`.
    """
    numbers = {number for word in words if (number := number_in(word)) is not None}
    its_numbers = {number for word in its if (number := number_in(word)) is not None}
    own, its_own = numbers - its_numbers, its_numbers - numbers
    return bool(own and its_own) and not any(
        (min(len(number), len(other)) == 1 and number[0] == other[0]) or _misspelt_year(number, other)
        for number in own
        for other in its_own
    )


def _misspelt_year(number: str, other: str) -> bool:
    """Whether a number is the year `other` with a digit omitted, added, or swapped with the next digit."""
    return (
        _YEAR.fullmatch(other) is not None
        and _YEAR.fullmatch(number) is None
        and len(number) > 2
        and OSA.distance(number, other) == 1
        and (len(number) != 4 or sorted(number) == sorted(other))
    )


def features_of(mention: str, candidates: Sequence[Candidate], counts: EntityLookup) -> list[list[float]]:
    """Return the features of each candidate, in the order of `FEATURES`.

    All candidates must have different texts, because some features count rival names, and a namesake is not a rival.
    """
    text = without_article(fold(clean(mention)))
    names = [without_article(fold(candidate.matched or candidate.name)) for candidate in candidates]
    words = text.split()
    every = list(dict.fromkeys(word for name in (text, *names) for word in name.split()))
    count = dict(zip(every, counts.word_counts(every), strict=True))
    edits = [edits_between(text, name) for name in names]
    titled = names_article(mention)
    return [
        _features(words, candidate, name.split(), count, counts.texts)
        + _among(place, [candidate.score for candidate in candidates], edits)
        + [float(titled and fold(candidate.matched or candidate.name) == name)]
        for place, (candidate, name) in enumerate(zip(candidates, names, strict=True))
    ]


def names_article(mention: str) -> bool:
    """Whether a mention begins with an article in upper case, which may belong to the name: `The Haunting`."""
    return clean(mention)[:1].isupper() and without_article(folded := fold(clean(mention))) != folded


def edits_between(text: str, other: str) -> int:
    """Return the number of edits between two folded names.

    It is the smallest of three numbers: for the names as written, with their words sorted, and without spaces.
    """
    return min(
        OSA.distance(text, other),
        OSA.distance(" ".join(sorted(text.split())), " ".join(sorted(other.split()))),
        OSA.distance(text.replace(" ", ""), other.replace(" ", "")),
    )


def _among(place: int, scores: Sequence[float], edits: Sequence[int]) -> list[float]:
    """Return the features that compare the candidate at `place` with the other candidates."""
    rest = [score for number, score in enumerate(scores) if number != place]
    others = [its for number, its in enumerate(edits) if number != place]
    own = edits[place]
    return [
        scores[place] - max(rest, default=0.0),
        float(sum(max(scores) - score < 0.05 for score in rest)),
        float(min(own, 12)),
        float(max(-4, min(min(others, default=12) - own, 8))),
        float(sum(its <= own for its in others)),
        float(sum(its <= own + 1 for its in others)),
    ]


def _features(
    words: Sequence[str], candidate: Candidate, its: Sequence[str], count: Mapping[str, int], texts: int
) -> list[float]:
    """Return the features of a mention (`words`) and a name (`its`) that do not depend on the other candidates."""
    text, other = " ".join(words), " ".join(its)
    aligned = align(words, its)
    # The rarity is about the logarithm of `texts / count`, and much less for an article.
    rarity = {
        word: (0.15 if word in ARTICLES else 1.0) * max(math.log(texts + 2) - math.log(count[word] + 1), 0.1)
        for word in (*words, *its)
    }
    total = sum(rarity[word] for word in words) or 1.0
    its_total = sum(rarity[word] for word in its) or 1.0
    agreeing = sum(rarity[word] for word in aligned.agreeing)
    near = sum(rarity[other] * (1 - errors / max(len(word), len(other))) for word, other, errors in aligned.near)
    unmatched = sum(rarity[word] for word in aligned.unmatched)
    its_unmatched = sum(rarity[word] for word in aligned.its_unmatched)
    vocabulary = word_ranks()
    letters = sum(max(len(word), len(other)) for word, other, _ in aligned.near) or 1
    numbers = set(map(number_in, words)) ^ set(map(number_in, its))
    names = math.log10(texts + 10)
    return [
        float(text == other),
        candidate.score,
        float(min(OSA.distance(text, other), 12)),
        OSA.normalized_similarity(text, other),
        math.log(len(text) + 1),
        math.log(len(other) + 1),
        float(min(len(words), 8)),
        float(min(len(its), 8)),
        agreeing / total,
        near / total,
        unmatched / total,
        its_unmatched / its_total,
        agreeing,
        near,
        sum(errors for *_, errors in aligned.near) / letters,
        float(len(aligned.unmatched)),
        float(len(aligned.its_unmatched)),
        sum(count[word] > 0 for word, *_ in aligned.near),
        sum(word in vocabulary for word, *_ in aligned.near),
        sum(count[word] > 0 for word in aligned.unmatched),
        sum(word in vocabulary for word in aligned.unmatched),
        names,
        float(candidate.match == "alias" or candidate.property != candidate.name_property),
        float(candidate.is_value),
        float(sum(len(word) == 1 for word, _ in aligned.initials)),
        float(sum(len(other) == 1 for _, other in aligned.initials)),
        float(len(numbers - {None})),
        float(bool(text) and bool(other) and text[0] == other[0]),
        OSA.normalized_similarity(text.replace(" ", ""), other.replace(" ", "")),
        names * math.log(10) - agreeing - near,
        OSA.normalized_similarity(" ".join(sorted(words)), " ".join(sorted(its))),
        float(min((len(word) for word, *_ in aligned.near), default=12)),
        float(candidate.match == "vector"),
        float(sum(count[word] == 0 for word in words)),
        max((math.log(count[word] + 1) for word, *_ in aligned.near), default=-1.0),
        min((math.log(count[other] + 1) for _, other, _ in aligned.near), default=-1.0),
    ]


@lru_cache(maxsize=1)
def word_ranks() -> dict[str, int]:
    """Return the rank of common English words by frequency, the most frequent first: the word pieces of the static
    model that are whole words, which its vocabulary lists in this order."""
    with np.load(Path(__file__).parents[1] / "vectors" / "static_minilm.npz") as stored:
        pieces = stored["vocabulary"].tobytes().decode("utf-8").split("\n")
    return {piece: rank for rank, piece in enumerate(piece for piece in pieces if len(piece) > 2 and piece.isalpha())}


SIZES = (4.0, 4.9, 5.9)
"""The sizes of graphs, as decimal logarithms of the number of names, for which minimum probabilities were fitted."""
WEIGHTS = Path(__file__).parent / "trees.npz"


class Trees:
    """Boosted trees of the same depth, as arrays: `Trees(feature, threshold, leaf, base, least).chances(rows)`.

    `least` holds the minimum probability for each of `SIZES`.
    """

    def __init__(
        self,
        feature: npt.NDArray[np.int64],
        threshold: npt.NDArray[np.float64],
        leaf: npt.NDArray[np.float64],
        base: float,
        least: Sequence[float],
    ) -> None:
        self._least = least
        self._feature, self._threshold, self._leaf, self._base = feature, threshold, leaf, base
        self._tree = np.arange(len(feature))[:, None]
        self._depth = leaf.shape[1].bit_length() - 1

    def least(self, texts: int) -> float:
        """Return the minimum probability of a likely candidate for a graph of `texts` names, by interpolation."""
        return float(np.interp(math.log10(texts + 10), SIZES, self._least))

    def chances(self, rows: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return for each row of features the probability, from 0 to 1, that the mention is a spelling of the name."""
        values = np.asarray(rows, dtype=np.float64).T
        node = np.zeros((len(self._feature), values.shape[1]), dtype=np.int64)
        row = np.arange(values.shape[1])[None, :]
        for _ in range(self._depth):
            node = 2 * node + 1 + (values[self._feature[self._tree, node], row] > self._threshold[self._tree, node])
        logits = self._base + self._leaf[self._tree, node - len(self._feature[0])].sum(axis=0)
        chances: npt.NDArray[np.float64] = 1 / (1 + np.exp(-logits))
        return chances


@lru_cache(maxsize=1)
def trees() -> Trees:
    """Load the trees that `benchmarks/entities/calibration.py` has fitted; MODEL.md describes them.

    Raises:
        ValueError: the trees were fitted to other features than those of this version.
    """
    with np.load(WEIGHTS) as stored:
        if tuple(stored["names"].tolist()) != FEATURES:
            raise ValueError(
                f"{WEIGHTS.name} does not fit this version: `python -m benchmarks.entities.calibration --write`"
            )
        return Trees(
            stored["feature"].astype(np.int64),
            stored["threshold"].astype(np.float64),
            stored["leaf"].astype(np.float64),
            float(stored["base"]),
            stored["least"].tolist(),
        )


_ALIKE = (
    ("ph", "f"), ("sch", "sh"), ("ch", "k"), ("ck", "k"), ("gh", ""), ("tz", "z"), ("x", "ks"), ("q", "k"),
    ("y", "i"), ("v", "f"), ("z", "s"),
)  # fmt: skip
_SOFT_C, _SOFT_G, _SILENT, _TWICE = (
    re.compile("c(?=[ei])"),
    re.compile("g(?=[ei])"),
    re.compile("(?<!^)[aeiouhw]"),
    re.compile(r"(.)\1+"),
)


@lru_cache(maxsize=4_096)
def sound(word: str) -> str:
    """Return a rough phonetic key of a folded word: `Stephen`, `Steven` and `Stefan` have the same key.

        >>> sound("stephen"), sound("steven"), sound("seth")
        ('stfn', 'stfn', 'st')

    Letters and groups of letters that often stand for the same sound in European names are written alike, and vowels
    after the first letter are left out, as in the phonetic keys of Soundex and Metaphone. A person's name is often
    written as it sounds, which changes more letters than a typing error does.
    """
    text = word
    for letters, written in _ALIKE:
        text = text.replace(letters, written)
    text = _SOFT_G.sub("j", _SOFT_C.sub("s", text)).replace("c", "k")
    return _TWICE.sub(r"\1", _SILENT.sub("", text))


def sound_the_same(words: Sequence[str], its: Sequence[str]) -> bool:
    """Whether two names of several words sound the same and share a word of three or more letters.

    `steven curry` sounds like `stephen curry`, and not like `seth curry`.
    """
    return (
        len(words) == len(its) > 1
        and any(word == other and len(word) > 2 for word, other in zip(words, its, strict=True))
        and all(word == other or sound(word) == sound(other) for word, other in zip(words, its, strict=True))
    )


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
    first: dict[tuple[str, str], Candidate] = {}
    for candidate in candidates:
        first.setdefault((candidate.label, candidate.name), candidate)
    return Judgement("not_found", list(first.values())[:NEAREST], chance=chance)


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
    return mention.islower() and word_ranks().get(fold(mention), PLAIN_RANK) < PLAIN_RANK


def _is_distant_alias(mention: str, candidate: Candidate) -> bool:
    """Whether a mention is an alias of a name with which it shares no word: `Persia` for `Iran`.

    A node that is named so is then meant, while `New York` may mean `New York City`.
    """
    return candidate.match == "alias" and not {*fold(mention).split()} & {*fold(candidate.name).split()}


def _held(words: Sequence[str], its: Sequence[str]) -> list[str] | None:
    """Return the words of a name that the words of a mention stand for, in their order; None if a word is missing."""
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
    text, name = fold(mention), fold(candidate.matched or candidate.name)
    if text.replace(" ", "") == name.replace(" ", ""):
        return True
    return _letters(text) == _letters(name) and not (names_article(mention) and _letters(name) == name.replace(" ", ""))


def _letters(folded: str) -> str:
    """Return a folded text without spaces, a leading `the` and `and`: `A.I.` is `ai`, `Hill and Son` is `hillson`."""
    return (folded.removeprefix("the ") or folded).replace(" and ", " ").replace(" ", "")


def by_text(candidates: Sequence[Candidate]) -> list[list[Candidate]]:
    """Return the candidates that were found by spelling, in up to `COMPARED` groups of one text, best group first."""
    spelled = (candidate for candidate in candidates if candidate.match != "vector")
    return grouped(spelled, lambda candidate: fold(candidate.matched or candidate.name))[:COMPARED]


def _likely(
    mention: str, spelled: Sequence[Sequence[Candidate]], counts: EntityLookup
) -> tuple[list[Candidate], float]:
    """Return the candidates whose names the mention probably spells, correctly or with errors, and the best chance."""
    if not spelled or not fold(mention):
        return [], 0.0
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
