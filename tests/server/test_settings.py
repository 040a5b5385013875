"""Settings, and the tables of the owner's queries in a settings file, are read or refused with the valid values."""

from pathlib import Path

import pytest

from graphground.agents.model_settings import KEY_VARIABLES
from graphground.server.settings import (
    MODEL_KEY_VARIABLES,
    Database,
    Settings,
    SettingsError,
    password_variables,
    read_settings,
    secrets_in,
)


def write(folder: Path, text: str) -> dict[str, str]:
    (folder / "settings.toml").write_text(text)
    return {"home": str(folder)}


def test_options_take_precedence_over_variables_and_variables_over_the_file(tmp_path: Path) -> None:
    home = write(tmp_path, "port = 1\nhost = '127.0.0.2'\ntransport = 'http'\n")
    settings = read_settings({**home, "port": 3}, {"GRAPHGROUND_PORT": "2", "GRAPHGROUND_HOST": "127.0.0.3"})
    assert (settings.port, settings.host, settings.transport) == (3, "127.0.0.3", "http")


def test_neo4j_variables_configure_your_own_database(tmp_path: Path) -> None:
    settings = read_settings(
        {"home": str(tmp_path)},
        {"NEO4J_URI": "neo4j://db:7687", "NEO4J_USERNAME": "me", "NEO4J_PASSWORD": "secret", "NEO4J_DATABASE": "films"},
    )
    assert settings.bolt_databases() == (Database("films", "neo4j://db:7687", "me", "secret", "films"),)
    assert "secret" not in repr(settings)


def test_a_settings_file_names_several_databases(tmp_path: Path) -> None:
    home = write(
        tmp_path,
        "[graphs.films]\nuri = 'bolt://a:1'\npassword_variable = 'FILMS'\n"
        "[graphs.books]\nuri = 'bolt://b:2'\ndescription = 'Books'\n",
    )
    films, books = read_settings(home, {"FILMS": "secret"}).bolt_databases()
    assert (films.name, films.password, books.name, books.description) == ("films", "secret", "books", "Books")


def test_the_names_of_password_variables_are_read_even_if_the_variables_are_not_set(tmp_path: Path) -> None:
    home = write(
        tmp_path, "[graphs.films]\nuri = 'bolt://a'\npassword_variable = 'FILMS_KEY'\n[graphs.b]\nuri = 'bolt://b'\n"
    )
    assert password_variables(home, {}) == {"FILMS_KEY"}
    assert password_variables({}, {"GRAPHGROUND_HOME": home["home"]}) == {"FILMS_KEY"}
    assert password_variables({"home": str(tmp_path / "empty")}, {}) == frozenset()
    with pytest.raises(SettingsError, match="no settings file"):
        password_variables({"settings": str(tmp_path / "missing.toml")}, {})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("prot = 8300", "there is no setting 'prot'; did you mean 'port'?"),
        ("transport = 'sse'", "transport must be one of stdio, http, not 'sse'"),
        ("port 8300", "is not TOML"),
        ("[graphs.films]\nurl = 'bolt://a'", "[graphs.films] has no setting 'url'; did you mean 'uri'?"),
        ("[graphs.films]\ndatabase = 'a'", "[graphs.films] needs a uri"),
        ("graphs = 1", "write each graph as a table"),
    ],
)
def test_a_wrong_setting_is_reported_with_valid_values(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(SettingsError) as caught:
        read_settings(write(tmp_path, text), {})
    assert words in str(caught.value)


def test_a_settings_file_given_by_name_must_exist(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="there is no settings file"):
        read_settings({"settings": str(tmp_path / "none.toml")}, {})


def test_several_graphs_in_one_variable_are_separated_by_commas(tmp_path: Path) -> None:
    settings = read_settings({"home": str(tmp_path)}, {"GRAPHGROUND_GRAPH": "nba, films"})
    assert settings.graph == Settings(graph=("nba", "films")).graph


def test_keys_of_models_in_the_environment_are_secrets_and_placeholders_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert set(KEY_VARIABLES.values()) <= set(MODEL_KEY_VARIABLES)
    for name in MODEL_KEY_VARIABLES:
        monkeypatch.setenv(name, f"key-of-{name}")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "ollama")
    secrets = secrets_in(Settings())
    assert set(secrets) == {f"key-of-{name}" for name in MODEL_KEY_VARIABLES[:-1]}


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
    expected = [("name", True, None), ("most", False, 5)]
    assert [(parameter.name, parameter.required, parameter.default) for parameter in own.parameters] == expected
    assert own.place.endswith("settings.toml: [queries.films_of]")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("[queries.films_of]", '[queries."films of"]', "cannot be the name of a tool"),
        ("[queries.films_of]", "[queries.execute_cypher]", "is the name of a tool of graphground"),
        ("[queries.films_of]", '[queries.FILMS_OF]\ndescription = "x"\ncypher = "x"\n[queries.films_of]', "already"),
        ("[queries.films_of]", f"[queries.{'x' * 49}]", "up to 48"),
        ('graph = "films"', 'grpah = "films"', "did you mean 'graph'"),
        ("limit = 20", "limit = 0", "limit must be more than 0"),
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
        ('type = "string"', 'type = "string"\nenum = [1]', "cannot be used: Input should be a valid string"),
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
