import re

import pytest

from graphground.cypher.names.split import split
from graphground.cypher.schema import PropertyGraphSchema
from tests.support.shared_data import SHARED, needs


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
