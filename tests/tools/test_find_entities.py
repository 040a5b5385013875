from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from graphground.graphs.engines.dialects import NEO4J
from graphground.graphs.engines.engine import Table
from graphground.graphs.entities.build import build_index
from graphground.graphs.entities.candidate import Record, Search
from graphground.graphs.entities.index import EntityIndex, open_index
from graphground.graphs.entities.own_index import ExactNames
from graphground.graphs.graph import Graph
from graphground.graphs.opening.open_graphs import GraphSource, OpenGraphs
from graphground.tools.find_entities import FindEntitiesAnswer, FindEntitiesRequest, find_entities
from graphground.tools.tool import ToolFailure
from graphground.tools.validate_cypher import ValidateCypherRequest, validate_cypher
from tests.support.documents import schema
from tests.support.recorder import Recorder

SCHEMA = schema("nba", {"Player": {"country": "list[str]"}, "Team": {}}, ["Player playsFor Team"])
RECORDS = [
    Record("Q1", "Player", "Michael Jordan", ("MJ",), "basketball player", {"country": ["United States"]}),
    Record("Q2", "Player", "Michael Jordan", (), "another"),
    Record("Q3", "Player", "Shaquille O'Neal", ("Shaq",)),
    Record("Q4", "Team", "Chicago Bulls"),
]


class Relationships(Recorder):
    """An engine on which each node plays for a team named after the node's key."""

    def run(self, query: Any, parameters: Mapping[str, Any] | None = None, **named: Any) -> Table:
        assert named["timeout"] is not None
        if "properties(n)" in query or "startNode(r)" in query:
            return Table([], [], False, 0.1)
        return Table(
            ["type", "labels", "name"],
            [["playsFor", ["Team"], ["name", f"Team of {(parameters or {})['key']}"]]],
            False,
            0.1,
        )


@pytest.fixture
def graphs(tmp_path: Path) -> OpenGraphs:
    build_index(tmp_path / "nba", RECORDS)
    return OpenGraphs(
        [
            GraphSource(
                "nba", "", "bolt", lambda: Graph("nba", SCHEMA, "", Relationships(NEO4J), open_index(tmp_path / "nba"))
            )
        ]
    )


def ask(graphs: OpenGraphs, **fields: Any) -> FindEntitiesAnswer:
    return find_entities(graphs, FindEntitiesRequest(**fields))


def test_mentions_are_answered_in_order(graphs: OpenGraphs) -> None:
    answer = ask(graphs, mentions=["shaq", "Chicgo Buls"])
    assert [
        (mention.mention, mention.candidates[0].name, mention.candidates[0].match) for mention in answer.mentions
    ] == [("shaq", "Shaquille O'Neal", "alias"), ("Chicgo Buls", "Chicago Bulls", "fuzzy")]


def test_a_repeated_mention_is_looked_up_once_and_answered_twice(
    graphs: OpenGraphs, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_up: list[list[str]] = []
    find_all = EntityIndex.find_all

    def noted(index: EntityIndex, mentions: list[str], search: Search) -> Any:
        looked_up.append(mentions)
        return find_all(index, mentions, search)

    monkeypatch.setattr(EntityIndex, "find_all", noted)
    answer = ask(graphs, mentions=["shaq", "Chicgo Buls", "shaq"])
    assert [mention.mention for mention in answer.mentions] == ["shaq", "Chicgo Buls", "shaq"]
    assert answer.mentions[0] == answer.mentions[2]
    assert looked_up == [["shaq", "Chicgo Buls"]]


def test_the_pattern_is_ready_to_paste(graphs: OpenGraphs) -> None:
    first, second = ask(graphs, mentions=["shaq", "united states"]).mentions
    assert first.candidates[0].cypher == "(n:Player {name: 'Shaquille O\\'Neal'})"
    assert second.candidates[0].cypher == "(n:Player) WHERE 'United States' IN n.country"


def test_entities_with_the_same_name_are_counted_and_distinguished(graphs: OpenGraphs) -> None:
    (answer,) = ask(graphs, mentions=["michael jordan"]).mentions
    assert (answer.ambiguous, answer.same_name) == (True, 2)
    assert [(candidate.key, candidate.description, candidate.relationships) for candidate in answer.candidates[:2]] == [
        ("Q1", "basketball player", ["-[:playsFor]->(:Team {name: 'Team of Q1'})"]),
        ("Q2", "another", ["-[:playsFor]->(:Team {name: 'Team of Q2'})"]),
    ]


def test_a_whole_question_may_be_given(graphs: OpenGraphs) -> None:
    answer = ask(graphs, question="Did Shaq or Micheal Jordon play for the Chicago Bulls?")
    expected = [("Shaq", "Shaquille O'Neal"), ("Micheal Jordon", "Michael Jordan"), ("Chicago Bulls", "Chicago Bulls")]
    assert [(mention.mention, mention.candidates[0].name) for mention in answer.mentions] == expected


def test_an_unknown_label_or_property_is_reported_with_the_nearest(graphs: OpenGraphs) -> None:
    with pytest.raises(ToolFailure) as label:
        ask(graphs, mentions=["x"], label="Playr")
    with pytest.raises(ToolFailure) as property_:
        ask(graphs, mentions=["x"], property="countri")
    assert (label.value.nearest, property_.value.nearest) == (["Player"], ["country"])


def test_a_graph_without_data_is_reported_with_the_command_that_loads_data() -> None:
    graphs = OpenGraphs([GraphSource("nba", "", "none", lambda: Graph("nba", SCHEMA))])
    with pytest.raises(ToolFailure) as failure:
        ask(graphs, mentions=["x"])
    assert "graphground graphs load" in failure.value.next


class PlayersWithoutIndex(Recorder):
    """A database without an entity index."""

    def run(self, query: Any, *arguments: Any, **named: Any) -> Table:
        super().run(query, *arguments, **named)
        return Table([], [["LeBron James", ["Q1"], None]] if ":Player" in query.replace("`", "") else [], False, 0.1)


def test_a_query_gets_the_same_verdict_before_and_after_names_are_read_without_an_index() -> None:
    engine = PlayersWithoutIndex(NEO4J)
    lookup = ExactNames("nba", engine, lambda: SCHEMA)
    graphs = OpenGraphs([GraphSource("nba", "", "bolt", lambda: Graph("nba", SCHEMA, "", engine, lookup))])
    query = ValidateCypherRequest(query="MATCH (p:Player {name: 'LeBron Jmes'}) RETURN p.name AS name")
    before = validate_cypher(graphs, query)
    assert engine.ran == [], "a check runs no query"
    (answer,) = ask(graphs, mentions=["LeBron James"]).mentions
    assert answer.candidates[0].name == "LeBron James"
    assert ask(graphs, mentions=["LeBron Jmes"]).mentions[0].candidates == []
    assert validate_cypher(graphs, query) == before


def test_a_question_is_searched_for_names_of_a_database_without_an_index() -> None:
    engine = PlayersWithoutIndex(NEO4J)
    lookup = ExactNames("nba", engine, lambda: SCHEMA)
    graphs = OpenGraphs([GraphSource("nba", "", "bolt", lambda: Graph("nba", SCHEMA, "", engine, lookup))])
    query = "MATCH (p:Player) RETURN p.name AS name"
    request = ValidateCypherRequest(query=query, question="Which teams did LeBron James play for?")
    assert any("LeBron James" in finding.message for finding in validate_cypher(graphs, request).diagnostics)
    assert engine.ran


@pytest.mark.parametrize("fields", [{}, {"mentions": []}, {"mentions": ["a"], "question": "b"}])
def test_mentions_or_a_question_must_be_given(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        FindEntitiesRequest(**fields)
