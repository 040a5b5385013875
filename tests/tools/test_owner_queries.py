"""The owner's queries as tools: checked against the schema, with checked arguments, and run like any other query."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from graphground.graphs.graph import Graph
from graphground.graphs.opening.open_graphs import GraphSource, OpenGraphs
from graphground.server.application import Application
from graphground.server.definitions import tool_definition
from graphground.tools.owner_queries import OwnParameter, OwnQuery, OwnTools
from tests.support.documents import schema
from tests.support.films import FILMS
from tests.support.recorder import Recorder

FILMS_OF = OwnQuery(
    "films_of",
    "The films of a director.",
    "MATCH (m:Movie)-[:directedBy]->(p:Person {name: $name}) WHERE m.runtime_minute > $least RETURN m.name AS film",
    "settings.toml: [queries.films_of]",
    parameters=(
        OwnParameter("name", "string", "The director's name.", min_length=2),
        OwnParameter("least", "integer", "Minutes.", required=False, default=60, minimum=0, maximum=600),
    ),
)


def opened(engine: Recorder | None = None, name: str = "films") -> OpenGraphs:
    return OpenGraphs([GraphSource(name, "", "recorder", lambda: Graph(name, FILMS, engine=engine or Recorder()))])


def called(own: OwnQuery, arguments: dict[str, Any], engine: Recorder | None = None) -> dict[str, Any]:
    graphs = opened(engine)
    outcome = Application(lambda: graphs, queries=[own]).call(own.name, arguments)
    answer: dict[str, Any] = json.loads(outcome.payload)
    return answer


def test_a_query_runs_with_its_arguments_and_has_the_answer_of_execute_cypher() -> None:
    engine = Recorder()
    answer = called(FILMS_OF, {"name": "Michael Mann"}, engine)
    assert (answer["columns"], answer["rows"], answer["truncated"]) == (["name"], [["Heat"]], False)
    assert engine.ran == [FILMS_OF.cypher]


def test_the_arguments_of_a_query_have_a_strict_json_schema_with_the_bounds_of_the_settings() -> None:
    definition = tool_definition(OwnTools([FILMS_OF]).offered()["films_of"])
    Draft202012Validator.check_schema(definition["inputSchema"])
    assert definition["inputSchema"]["properties"] == {
        "name": {"type": "string", "minLength": 2, "description": "The director's name."},
        "least": {"type": "integer", "minimum": 0, "maximum": 600, "default": 60, "description": "Minutes."},
    }
    assert (definition["inputSchema"]["required"], definition["title"]) == (["name"], "Films of")
    assert definition["annotations"]["readOnlyHint"] is True


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({}, "missing_argument", "'name'"),
        ({"nmae": "x"}, "unknown_argument", "its arguments are: name, least"),
        ({"name": "x"}, "wrong_argument", "name must have at least 2 characters"),
        ({"name": "Mann", "least": 601}, "wrong_argument", "least must be at most 600"),
    ],
)
def test_wrong_arguments_are_reported_and_never_reach_the_engine(
    arguments: dict[str, Any], error: str, words: str
) -> None:
    engine = Recorder()
    failure = called(FILMS_OF, arguments, engine)
    assert (failure["error"], engine.ran) == (error, [])
    assert words in failure["message"]


TYPED = OwnQuery(
    "typed",
    "Every type.",
    "MATCH (m:Movie) WHERE m.name IN $names AND $kind <> 'x' AND $day <> '' AND $schema = 1.5 AND $yes RETURN m.name",
    parameters=(
        OwnParameter("names", "array", "Names.", max_length=2),
        OwnParameter("kind", "string", "Kind.", enum=("film", "series")),
        OwnParameter("day", "date", "Day.", required=False),
        OwnParameter("schema", "number", "A name that pydantic has.", required=False, default=1.5),
        OwnParameter("yes", "boolean", "Yes.", required=False, default=True),
    ),
)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"names": "Heat"}, "names must be a list"),
        ({"names": ["a", "b", "c"]}, "names must have at most 2 items"),
        ({"names": [1]}, "names.0 must be text"),
        ({"kind": "flim"}, "kind must be film or series"),
        ({"day": "1999-02-30"}, "day: must be a date such as 2000-01-31"),
        ({"schema": "1"}, "schema must be a number"),
        ({"yes": 1}, "yes must be true or false"),
    ],
)
def test_every_type_of_parameter_is_checked(wrong: dict[str, Any], words: str) -> None:
    right = {"names": ["Heat"], "kind": "film"}
    assert called(TYPED, right)["rows"]
    assert called(TYPED, {**right, "day": "1999-02-28", "schema": 2})["rows"]
    failure = called(TYPED, {**right, **wrong})
    assert failure["error"] == "wrong_argument"
    assert words in failure["message"]


@pytest.mark.parametrize(
    ("cypher", "place", "fix"),
    [
        ("MATCH (m:Movi {name: $name}) RETURN m.name", "cypher, line 1, column 10", "Movie"),
        ("MATCH (m:Movie {name: $name}) DETACH DELETE m", "cypher, line 1", ""),
        ("MATCH (m:Movie {name: $name}) WHERE m.name <> $other RETURN m.name", "cypher, line 1, column 47", "other"),
        ("MATCH (m:Movie) RETURN m.name", "parameters.name", "Use $name"),
        ("MATCH (m:Movie) WHERE m.name == $name RETURN m.", "cypher, line 1, column 31", "Delete '='."),
        ("MATCH (p:Person {name: $name})-[:directedBy]->(m:Movie) RETURN m.name", "cypher, line 1", "<-[:directedBy]-"),
    ],
)
def test_a_broken_query_is_left_out_and_reported_with_its_position_and_fix(cypher: str, place: str, fix: str) -> None:
    own = OwnQuery("broken", "…", cypher, "file: [queries.broken]", parameters=(OwnParameter("name", "string", "…"),))
    tools = OwnTools([own, FILMS_OF])
    assert list(tools.offered()) == ["broken", "films_of"]
    problem = tools.check(opened())["broken"][0]
    assert problem.place.startswith(f"file: [queries.broken], {place}")
    assert fix in problem.fix
    assert problem.message
    assert list(tools.offered()) == tools.names() == ["films_of"]


def test_a_broken_query_never_reaches_the_engine_and_is_offered_again_once_it_is_valid() -> None:
    engine = Recorder()
    own = OwnQuery("maybe", "…", "MATCH (m:Movi) RETURN m.name", "file: [queries.maybe]")
    failure = called(own, {}, engine)
    assert (failure["error"], engine.ran) == ("broken_query", [])
    assert failure["diagnostics"][0]["code"] == "unknown_label"
    tools = OwnTools([own])
    assert tools.check(opened())
    graphs = OpenGraphs(
        [GraphSource("films", "", "recorder", lambda: Graph("films", schema("x", {"Movi": {}}), engine=engine))]
    )
    assert tools.check(graphs) == {}
    assert tools.names() == ["maybe"]


@pytest.mark.parametrize(("graph", "names"), [("flims", ["films"]), (None, ["films", "plays"])])
def test_a_query_without_an_open_graph_is_broken(graph: str | None, names: list[str]) -> None:
    graphs = OpenGraphs([GraphSource(name, "", "none", lambda: Graph("x", FILMS)) for name in names])
    own = OwnQuery("one", "…", "MATCH (m:Movie) RETURN m.name", "file: [queries.one]", graph=graph)
    [problem] = OwnTools([own]).check(graphs)["one"]
    assert "films" in problem.fix


def test_a_query_whose_graph_cannot_be_opened_is_not_marked_broken() -> None:
    def fail() -> Graph:
        raise RuntimeError("the database is down")

    own = OwnQuery("one", "…", "MATCH (m:Movie) RETURN m.name", graph="films")
    assert OwnTools([own]).check(OpenGraphs([GraphSource("films", "", "none", fail)])) == {}
