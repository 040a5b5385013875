import pytest

from graphground.graphs.schemas.filtering.lexicon import concepts_of, is_demonym
from graphground.graphs.schemas.filtering.words import lemma, question_words, root, split_name


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("hasCastMember", ["has", "cast", "member"]),
        ("ArtMovement", ["art", "movement"]),
        ("avg_gestation_period_days", ["avg", "gestation", "period", "days"]),
        ("hasCEO", ["has", "ceo"]),
        ("ACTED_IN", ["acted", "in"]),
    ],
)
def test_names_are_split_at_capitals_and_underscores(name, words):
    assert split_name(name) == words


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("created", "creator"),
        ("movies", "movie"),
        ("countries", "country"),
        ("starred", "star"),
        ("founders", "founding"),
        ("tallest", "tall"),
        ("manufacturers", "manufactured"),
        ("heaviest", "heavy"),
    ],
)
def test_words_of_one_family_share_a_root(first, second):
    assert root(first) == root(second)


@pytest.mark.parametrize(
    ("plural", "singular"),
    [
        ("cities", "city"),
        ("taxa", "taxon"),
        ("series", "series"),
        ("people", "person"),
        ("boxes", "box"),
        ("status", "status"),
        ("glass", "glass"),
    ],
)
def test_plurals_are_reduced_to_their_singular(plural, singular):
    assert lemma(plural) == singular


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("born", "birth"),
        ("wrote", "author"),
        ("starring", "cast"),
        ("eat", "feed"),
        ("tallest", "height"),
        ("weigh", "mass"),
        ("nationality", "citizenship"),
    ],
)
def test_synonyms_of_general_english_share_a_concept(first, second):
    assert concepts_of(first) & concepts_of(second)


def test_words_have_their_position_and_lose_a_genitive_ending():
    words = question_words("Who is Beyoncé’s father?")
    assert [(word.folded, word.start) for word in words][2:] == [("beyonce", 7), ("father", 17)]


def test_a_nationality_is_recognised_only_if_it_is_capitalised():
    assert is_demonym("Croatian")
    assert is_demonym("French")
    assert not is_demonym("french")
    assert not is_demonym("Madrid")
