import pytest

from graphground.cypher.names.nearest import concepts, is_clear, nearest, spelling

TYPES = ["hasMother", "hasFather", "hasSpouse", "killedBy", "bornIn", "diedIn", "memberOf", "fromUniverse"]


@pytest.mark.parametrize(
    ("found", "right"),
    [
        ("didIn", "diedIn"),
        ("wasBornAt", "bornIn"),
        ("marriedTo", "hasSpouse"),
        ("belongsTo", "memberOf"),
        ("hasDad", "hasFather"),
        ("BORN_IN", "bornIn"),
        ("placeOfDeath", "diedIn"),
        ("inUniverse", "fromUniverse"),
    ],
)
def test_the_nearest_name_is_found_by_spelling_and_meaning(found: str, right: str) -> None:
    assert nearest(found, TYPES)[0].name == right


def test_case_and_separators_are_ignored() -> None:
    assert spelling("RUNTIME_MINUTE", "runtimeMinute") == 1.0


def test_a_name_that_fits_its_position_ranks_above_a_name_that_does_not() -> None:
    assert nearest("hasXther", TYPES, favoured=["hasFather"])[0].name == "hasFather"
    assert nearest("hasXther", TYPES, favoured=["hasMother"])[0].name == "hasMother"


def test_of_two_equally_near_names_neither_is_the_clear_choice() -> None:
    assert not is_clear(nearest("hasXther", TYPES))
    assert is_clear(nearest("hasMothr", TYPES))
    assert not is_clear([])


def test_dissimilar_names_are_not_suggested() -> None:
    assert nearest("zzzzzz", TYPES) == []


def test_synonyms_in_names_become_the_same_concept() -> None:
    assert concepts("birthDate") == concepts("date_of_birth") - {"of"}
