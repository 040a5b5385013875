"""The similarity of a mention and a name, from 0 to 1, computed in the same way for all lookups.

`merged` unites the candidates found by spelling with those found by meaning.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from rapidfuzz import fuzz
from rapidfuzz.distance import OSA
from rapidfuzz.process import cdist

from graphground.graphs.entities.candidate import Candidate
from graphground.graphs.entities.files import Array

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
