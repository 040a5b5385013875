import re

import pytest

from graphground.cypher.names.lexicon import concepts_of
from graphground.cypher.names.words import lemma, root, split
from graphground.cypher.schema import PropertyGraphSchema
from tests.support.shared_data import SHARED, needs


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("created", "creator"),
        ("made", "makers"),
        ("plays", "player"),
        ("written", "writer"),
        ("movies", "movie"),
        ("starred", "star"),
        ("founders", "founding"),
        ("tallest", "tall"),
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


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("hasCastMember", ["has", "Cast", "Member"]),
        ("RUNTIME_MINUTE", ["RUNTIME", "MINUTE"]),
        ("hasCEO", ["has", "CEO"]),
        ("NBATeam2", ["NBA", "Team", "2"]),
        ("Box Office", ["Box", "Office"]),
        ("größeInMeter", ["größe", "In", "Meter"]),
        ("日本語の名前", ["日本語の名前"]),
        ("", []),
    ],
)
def test_a_name_is_split_into_its_words(name: str, words: list[str]) -> None:
    assert split(name) == words


@needs("schemas")
def test_every_word_of_a_published_schema_consists_of_letters_alone_or_of_digits() -> None:
    for path in (SHARED / "schemas").glob("*.json"):
        schema = PropertyGraphSchema.from_cypherbench(path.read_bytes())
        names = {
            *schema.labels,
            *(pattern.type for pattern in schema.patterns),
            *(key for label in schema.labels.values() for key in label.properties),
        }
        for name in names:
            assert "".join(split(name)) == re.sub(r"[\W_]", "", name)
            assert all(re.fullmatch(r"[A-Z]+|[A-Z]?[a-z]+|\d+", word) for word in split(name)), name
