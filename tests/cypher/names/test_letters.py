"""Texts are decomposed into letters with a bounded growth and in linear time."""

import sys
import unicodedata
from collections.abc import Callable
from time import process_time

import pytest

from graphground.cypher.names.letters import decomposed
from graphground.graphs.entities import folding
from graphground.graphs.schemas.filtering import words


def test_no_character_becomes_more_than_seven_letters() -> None:
    signs = "".join(map(chr, range(0x2000, sys.maxunicode + 1)))
    assert max(map(len, map(decomposed, signs))) == 7


@pytest.mark.parametrize("text", ["Beyoncé", "ﬁn ①", "㌖", "ﷺﬁé", "ﬁﷻﬁ"])
def test_all_characters_except_signs_for_phrases_are_decomposed(text: str) -> None:
    kept = str.maketrans({"ﷺ": "1", "ﷻ": "2"})
    assert decomposed(text).translate(kept) == unicodedata.normalize("NFKD", text.translate(kept))


@pytest.mark.parametrize("fold", [words.fold, folding.fold_lines, folding.fold])
@pytest.mark.parametrize("sign", ["ﷺ", "㌖", "㈝", "é"])
def test_a_long_question_of_any_character_is_folded_quickly(fold: Callable[[str], str], sign: str) -> None:
    fold(sign)
    begun = process_time()
    folded = fold(sign * 20_000)
    taken = process_time() - begun
    assert len(folded) <= 21 * 20_000  # seven letters, with a space on both sides in scripts that write no spaces
    assert taken < 0.2
