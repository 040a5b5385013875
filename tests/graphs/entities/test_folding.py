import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphground.graphs.entities.spans import clean, fold, fold_lines


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Beyoncé Knowles-Carter", "beyonce knowles carter"),
        ("O'Neill", "oneill"),
        ("STRASSE", "strasse"),
        ("Straße", "strasse"),
        ("Łódź", "lodz"),
        ("東京タワー", "東 京 タ ワ ー"),
        ("ＡＢＣ", "abc"),
        ("!!!", "!!!"),
        ("", ""),
        ("😀", "😀"),
        ("  a \t b\n", "a b"),
        ("Київ", "киів"),
    ],
)
def test_names_are_folded_to_their_words(text: str, folded: str) -> None:
    assert fold(text) == folded


@given(st.lists(st.text(max_size=30), min_size=1, max_size=5))
def test_many_names_together_are_folded_in_the_same_way_as_each_alone(names: list[str]) -> None:
    names = [name.replace("\n", " ") for name in names]
    lines = fold_lines("\n".join(names)).split("\n")
    assert [line.split() or fold(name).split() for line, name in zip(lines, names, strict=True)] == [
        fold(name).split() for name in names
    ]


@given(st.text(max_size=50))
def test_folding_again_changes_nothing(name: str) -> None:
    assert fold(fold(name)) == fold(name)


@given(st.text(max_size=50))
def test_cleaning_a_mention_again_changes_nothing(name: str) -> None:
    assert clean(name) == clean(clean(name))
