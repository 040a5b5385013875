"""Corrects misspelt words of a question that resemble a word of the schema: `direcotr` means `director`.

Used only for a question without any match, because a correctly spelt word may also resemble a word of the schema.
"""

from __future__ import annotations

from collections.abc import Iterator

from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.schemas.filtering.lexicon import concepts_by_root
from graphground.graphs.schemas.filtering.words import Word, question_words, root, split_name

SHORTEST = 4
LEAST_SIMILARITY = 78.0
"""The minimum similarity, from 0 to 100: it allows one typing error in a word of five letters, two in one of ten."""


QUESTION_WORDS = frozenset(
    {
        "which",
        "what",
        "when",
        "where",
        "whose",
        "many",
        "much",
        "there",
        "have",
        "does",
        "with",
        "most",
        "least",
        "name",
    }
)
"""Common words of questions, which must not be mistaken for misspelt schema words."""


class Spelling:
    """A corrector of words by one schema: `Spelling(films).corrected("Which moveis?")` is `Which movies?`."""

    def __init__(self, schema: PropertyGraphSchema) -> None:
        names = [*schema.labels, *schema.relationship_types]
        names += [key for label in schema.labels.values() for key in label.properties if key not in label.reserved]
        names += [key for properties in schema.relationship_properties.values() for key in properties]
        self._words = sorted(
            QUESTION_WORDS | {form for name in names for word in split_name(name) for form in _forms(word)}
        )
        self._known = {root(word) for word in self._words}

    def corrected(self, question: str) -> str:
        """Return the question with each misspelt word replaced by the nearest word of the schema, if one is similar."""
        parts, place = [], 0
        for word in question_words(question):
            nearest = self._nearest(word)
            if nearest is not None:
                parts += [question[place : word.start], nearest]
                place = word.end
        return "".join([*parts, question[place:]])

    def _nearest(self, word: Word) -> str | None:
        from rapidfuzz import process
        from rapidfuzz.distance import DamerauLevenshtein  # loaded on first use: only questions without a match need it

        text = word.folded
        if (
            len(text) < SHORTEST
            or text in QUESTION_WORDS
            or root(text) in self._known
            or root(text) in concepts_by_root()
        ):
            return None
        found = process.extractOne(
            text, self._words, scorer=DamerauLevenshtein.normalized_similarity, score_cutoff=LEAST_SIMILARITY / 100
        )
        return found[0] if found is not None else None


def _forms(word: str) -> Iterator[str]:
    """Yield a word and the word with a plural ending; nothing for a very short word."""
    if len(word) >= SHORTEST:
        yield word
        yield f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"
