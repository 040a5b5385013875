import pytest

from graphground.graphs.entities.verdicts.judging import sound, sound_the_same


@pytest.mark.parametrize(
    ("word", "other"),
    [("philip", "filip"), ("catherine", "katherine"), ("alan", "allen"), ("laurence", "lawrence"), ("geoff", "jeff")],
)
def test_spellings_of_a_first_name_have_the_same_sound(word: str, other: str) -> None:
    assert sound(word) == sound(other)


@pytest.mark.parametrize(
    ("word", "other"), [("seth", "stephen"), ("ivan", "evan"), ("david", "dewitt"), ("tim", "tom b")]
)
def test_different_names_have_different_sounds(word: str, other: str) -> None:
    assert sound(word) != sound(other)


def test_names_sound_the_same_only_if_a_whole_word_of_them_is_the_same() -> None:
    assert sound_the_same(["filip", "glass"], ["philip", "glass"])
    assert not sound_the_same(["filip", "glas"], ["philip", "glass"])
    assert not sound_the_same(["x", "men"], ["x", "man"])
    assert not sound_the_same(["filip"], ["philip"])
    assert not sound_the_same(["filip", "glass", "junior"], ["philip", "glass"])
