"""The tables of the owner's queries in a settings file are read, or refused with the position and the valid values."""

from pathlib import Path

import pytest

from graphground.server.settings import SettingsError, read_settings

GOOD = """
[queries.films_of]
description = "The films of a director."
cypher = "MATCH (m:Movie)-[:directedBy]->(:Person {name: $name}) RETURN m.name LIMIT $most"
graph = "films"
limit = 20
timeout_s = 2.5

[queries.films_of.parameters.name]
type = "string"
description = "The director's name."

[queries.films_of.parameters.most]
type = "integer"
description = "How many."
default = 5
minimum = 1
"""


def read(folder: Path, text: str) -> object:
    (folder / "settings.toml").write_text(text, encoding="utf-8")
    return read_settings({"home": str(folder)}, {}).queries


def test_a_table_in_the_settings_becomes_a_query_with_parameters(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text(GOOD, encoding="utf-8")
    [own] = read_settings({"home": str(tmp_path)}, {}).queries
    assert (own.name, own.graph, own.limit, own.timeout_s) == ("films_of", "films", 20, 2.5)
    assert [(parameter.name, parameter.required, parameter.default) for parameter in own.parameters] == [
        ("name", True, None),
        ("most", False, 5),
    ]
    assert own.place.endswith("settings.toml: [queries.films_of]")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("[queries.films_of]", '[queries."films of"]', "cannot be the name of a tool"),
        ("[queries.films_of]", "[queries.execute_cypher]", "is the name of a tool of graphground"),
        ("[queries.films_of]", "[queries.Execute_Cypher]", "is the name of a tool of graphground"),
        ("[queries.films_of]", '[queries.FILMS_OF]\ndescription = "x"\ncypher = "x"\n[queries.films_of]', "already"),
        ("[queries.films_of]", f"[queries.{'x' * 49}]", "up to 48"),
        ('graph = "films"', 'grpah = "films"', "did you mean 'graph'"),
        ('graph = "films"', "graph = 7", "graph must be text"),
        ("limit = 20", "limit = 0", "limit must be more than 0"),
        ("limit = 20", "limit = true", "limit must be a whole number"),
        ("timeout_s = 2.5", "timeout_s = 601", "at most 600"),
        ('description = "The films of a director."', "", "needs the key 'description'"),
        ('type = "string"', 'type = "strnig"', "did you mean 'string'"),
        ('type = "string"', 'type = "integer"\nminimum = "x"', "minimum must be a number"),
        ('type = "string"', 'type = "string"\nmaximum = 3', "maximum is not allowed for the type string"),
        ('type = "string"', 'type = "string"\npattern = "("', "cannot be used"),
        (
            'type = "string"',
            'type = "array"\nitems = "array"',
            "items must be string, integer, number, boolean or date, not 'array'",
        ),
        ("default = 5", "default = 5\nrequired = true", "cannot be required"),
        ('type = "string"', 'type = "string"\nenum = []', "enum must have at least 1 item"),
        ('type = "string"', 'type = "string"\nenum = [1]', "cannot be used: Input should be a valid string"),
        ("default = 5", 'default = "5"', "cannot be used"),
        ("default = 5", "default = 0", "cannot be used"),
        ("parameters.most]", 'parameters."the most"]', "starting with a letter"),
    ],
)
def test_an_invalid_table_is_refused_with_its_position(tmp_path: Path, old: str, new: str, words: str) -> None:
    assert old in GOOD
    text = GOOD.replace(old, new, 1)
    if old == "[queries.films_of]" and "\n" not in new:
        text = text.replace("[queries.films_of.", f"{new[:-1]}.")
    with pytest.raises(SettingsError, match=r"settings\.toml") as caught:
        read(tmp_path, text)
    assert words in str(caught.value)


@pytest.mark.parametrize("text", ["queries = 7", "[queries]\nx = 7", "[queries.x]\nparameters = 7"])
def test_a_value_that_is_not_a_table_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(SettingsError):
        read(tmp_path, text)
