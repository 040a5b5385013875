"""Decomposing a text into letters lengthens it by a bounded factor and takes linear time."""

import unicodedata
from collections.abc import Callable
from time import process_time

import pytest

from graphground.cypher.names import words
from graphground.cypher.names.words import decomposed
from graphground.graphs.entities import spans


@pytest.mark.parametrize("text", ["Beyoncé", "ﬁn ①", "㌖", "ﷺﬁé", "ﬁﷻﬁ"])
def test_all_characters_except_ligatures_of_whole_phrases_are_decomposed(text: str) -> None:
    phrases = str.maketrans({"ﷺ": "1", "ﷻ": "2"})
    assert decomposed(text).translate(phrases) == unicodedata.normalize("NFKD", text.translate(phrases))


@pytest.mark.parametrize("fold", [words.fold, spans.fold_lines, spans.fold])
@pytest.mark.parametrize("sign", ["ﷺ", "㌖", "㈝", "é"])
def test_a_long_question_of_any_character_is_folded_quickly(fold: Callable[[str], str], sign: str) -> None:
    fold(sign)
    start = process_time()
    folded = fold(sign * 20_000)
    seconds = process_time() - start
    assert len(folded) <= 21 * 20_000  # seven letters a character, each between two spaces in scripts without spaces
    assert seconds < 1.0  # some milliseconds; with the square of the length it would be minutes
