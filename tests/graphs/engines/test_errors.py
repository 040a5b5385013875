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
