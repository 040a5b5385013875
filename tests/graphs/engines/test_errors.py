"""The advice in errors translated from a driver's exceptions."""

import pytest
from neo4j import exceptions

from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.engines.errors import translated

NO_DATABASE = exceptions.Neo4jError._hydrate_neo4j(
    code="Neo.ClientError.Database.DatabaseNotFound", message="Graph not found: films"
)


@pytest.mark.parametrize(
    ("error", "places"),
    [
        (
            exceptions.AuthError("unauthorized"),
            [
                "--user",
                "NEO4J_USERNAME",
                "`username`",
                "NEO4J_PASSWORD",
                "`password_variable`",
                "GRAPHGROUND_ADMIN_PASSWORD",
            ],
        ),
        (NO_DATABASE, ["--database", "NEO4J_DATABASE", "`database`"]),
    ],
    ids=["user", "database"],
)
def test_a_refused_connection_names_every_place_where_its_setting_may_be(error: Exception, places: list[str]) -> None:
    message = str(translated(error, BoltAddress("bolt://db:7687", "me", "secret", "films")))
    assert [place for place in places if place not in message] == []
    assert "secret" not in message


def test_a_refused_connection_without_a_user_says_that_no_user_was_given() -> None:
    message = str(translated(exceptions.AuthError("unauthorized"), BoltAddress("bolt://db:7687")))
    assert "requires a user and a password, and no user was given" in message
    assert "''" not in message
    assert "None" not in str(translated(NO_DATABASE, BoltAddress("bolt://db:7687")))
