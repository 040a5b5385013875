"""Generated tasks on two graphs, the bundled one and a generated one, checked against a second set of rules.

`tests/support/task_rules.py` holds these rules; it reads the graph's records and uses no code of the generator."""

import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from graphground.cypher import validate
from graphground.cypher.schema import Label, PropertyGraphSchema, RelationshipPattern
from graphground.cypher.tree import Query
from graphground.evals.generation.candidates import (
    Answers,
    Candidate,
    Candidates,
    GraphFacts,
    LinkFacts,
    choose_shape,
    counts_one,
    read_facts,
    slots_of,
)
from graphground.evals.generation.generate import GenerationError, condition, fill, generate, read_data, round_threshold
from graphground.evals.tasks.classify import BASIC, SPECIAL, classify
from graphground.evals.tasks.task import Task, read_tasks, write_tasks
from graphground.graphs.engines.engine import EngineError, EngineUnavailable, QueryTimeout, Table
from graphground.graphs.graph import Graph
from graphground.graphs.loading.load import export_graph
from graphground.graphs.opening.stored import stored_sources
from graphground.graphs.storage.home import Home
from tests.support.task_rules import NODE, Records, violations

COUNT = 24
pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def nba_graph(eval_home: Home) -> Iterator[Graph]:
    graph = next(source for source in stored_sources(eval_home) if source.name == "nba").open()
    yield graph
    graph.close()


@pytest.fixture(scope="module")
def tasks(nba_graph: Graph) -> list[Task]:
    generated = generate(nba_graph, COUNT, seed=5)
    assert generated.missing == {}
    return generated.tasks


@pytest.fixture(scope="module")
def records(eval_home: Home, nba_graph: Graph, tasks: list[Task], tmp_path_factory: pytest.TempPathFactory) -> Records:
    path = tmp_path_factory.mktemp("export") / "nba.json"
    export_graph("nba", path, eval_home)
    return Records(json.loads(path.read_text("utf-8")))


def test_tasks_of_all_patterns_and_template_groups_are_generated_and_recognised(tasks: list[Task]) -> None:
    assert len(tasks) == COUNT
    assert {task.pattern for task in tasks} == {*BASIC, *SPECIAL}
    assert [task.gold for task in tasks if classify(task.gold)[0] != task.pattern] == []
    groups = {template["id"]: template["group"] for template in read_data("templates")}
    assert {groups[task.template] for task in tasks} == set(groups.values())
    assert len(set(groups.values())) == 6
    assert set(Counter(task.pattern for task in tasks).values()) == {COUNT // 12}
    assert len({task.gold for task in tasks}) == COUNT


def test_the_gold_query_of_every_task_returns_rows_and_passes_the_validator(
    tasks: list[Task], nba_graph: Graph
) -> None:
    for task in tasks:
        rows = nba_graph.run(task.gold, timeout=30).rows
        assert 0 < len(rows) <= 100_000
        assert any(value is not None for row in rows for value in row)
        found = validate(task.gold, nba_graph.schema, entities=nba_graph.indexed_entities, read_only=True).diagnostics
        assert [diagnostic for diagnostic in found if diagnostic.severity != "hint"] == []


def test_no_task_breaks_a_rule_of_realism(tasks: list[Task], records: Records, nba_graph: Graph) -> None:
    assert {task.gold: found for task in tasks if (found := list(violations(task, records, nba_graph)))} == {}


def test_the_rules_detect_a_task_that_breaks_them(tasks: list[Task], records: Records, nba_graph: Graph) -> None:
    task = next(task for task in tasks if task.pattern == "basic_(n)-(m0*)")
    name = next(given for node, _, given in NODE.findall(task.match_cypher) if node == "m0")
    for changed, rule in (
        (task.match_cypher.replace(name, "No Such Name"), "of several nodes, or of none"),
        (task.match_cypher.replace(name, "No Such Name"), "0 rows"),
    ):
        found = list(
            violations(replace(task, match_cypher=changed, gold=f"{changed} RETURN n.name"), records, nba_graph)
        )
        assert any(rule in violation for violation in found), found
    every = "MATCH (n:Player) WITH DISTINCT n WHERE n.name IS NOT NULL RETURN n.name"
    broken = replace(
        task, pattern="basic_(n)", template="n_where", match_cypher="MATCH (n:Player) WITH DISTINCT n", gold=every
    )
    assert list(violations(broken, records, nba_graph)) == ["a filter that keeps all"]


def test_the_same_seed_generates_the_same_tasks_and_another_seed_different_ones(
    tasks: list[Task], nba_graph: Graph
) -> None:
    assert [task.gold for task in generate(nba_graph, 9, seed=5).tasks] == [task.gold for task in tasks[:9]]
    assert [task.gold for task in generate(nba_graph, 9, seed=6).tasks] != [task.gold for task in tasks[:9]]


def test_generated_tasks_are_written_in_the_published_format(tasks: list[Task], tmp_path: Path) -> None:
    write_tasks(tasks, tmp_path / "tasks.json")
    assert read_tasks(tmp_path / "tasks.json") == tasks
    record = json.loads((tmp_path / "tasks.json").read_text("utf-8"))[0]
    assert {"qid", "gold_cypher", "nl_question", "nl_question_raw", "answer_json", "from_template"} <= set(record)


def test_patterns_are_data_that_a_user_can_replace(nba_graph: Graph) -> None:
    own = [
        {
            "id": "three",
            "match": "MATCH (n)~r0~(m0*),(n)~r1~(m1*),(n)~r2~(m2*) WITH DISTINCT n",
            "kind": "basic",
            "question": "{n} {n r0 m0} and {n r1 m1} and {n r2 m2}",
        }
    ]
    assert slots_of(own[0]["match"]).named == ["m0", "m1", "m2"]
    generated = generate(nba_graph, 3, seed=1, patterns=own).tasks
    assert generated
    assert all(task.gold.count("-[r2:") == 1 for task in generated)


def test_patterns_and_templates_that_a_graph_cannot_have_are_reported_with_the_reason(small: Graph) -> None:
    generated = generate(small, 24, seed=1)
    assert generated.missing["special_time_sensitive"] == (
        "no tasks: the graph has no relationship with the properties start_year and end_year"
    )
    assert {task.pattern for task in generated.tasks} | generated.missing.keys() >= {*BASIC, *SPECIAL}
    assert "special_time_sensitive" not in {task.pattern for task in generated.tasks}
    numberless = [template for template in read_data("templates") if template["id"] in ("n_name", "n_avg")]
    schema = PropertyGraphSchema("films", {"Movie": Label("Movie", {"name": "str"})}, ())
    unusable = generate(replace(small, schema_source=schema), 3, templates=numberless).missing
    assert unusable["n_avg"] == (
        "no tasks: the template needs a property that is a number, and no label has one that can be used"
    )


def test_a_pattern_without_a_needed_field_is_refused_with_its_number(small: Graph) -> None:
    with pytest.raises(GenerationError, match="pattern 1 has no 'match' and no 'question'"):
        generate(small, 3, patterns=[{"id": "own", "kind": "basic"}])


def test_links_in_another_order_give_the_same_task() -> None:
    rng, links = (
        random.Random(1),
        [
            LinkFacts(RelationshipPattern(type_, "Movie", "Person"), 9, 5, 5, False, False)
            for type_ in ("directedBy", "writtenBy")
        ],
    )
    schema = PropertyGraphSchema("films", {label: Label(label, {}) for label in ("Movie", "Person")}, ())
    facts = GraphFacts(schema, tuple(links), {}, {}, {})
    match = "MATCH (n)~r0~(m0*),(n)~r1~(m1*) WITH DISTINCT n"
    found = {}
    for _ in range(60):
        shape = choose_shape(match, facts, rng, lambda shape: shape.labels["n"] == "Movie")
        assert shape is not None
        found[shape.cypher({})] = shape
    keys = {
        Candidate(shape, names, shape.cypher(names)).key
        for shape in found.values()
        for names in ({"m0": "Ann", "m1": "Bo"}, {"m0": "Bo", "m1": "Ann"})
        if shape.links["r0"] != shape.links["r1"]
    }
    assert len(found) == 4
    assert len(keys) == 2


def test_an_optional_match_that_repeats_the_relationship_of_the_match_is_recognised_as_pointless() -> None:
    links = [
        LinkFacts(RelationshipPattern(type_, "Player", "Team"), 9, 5, 5, False, False)
        for type_ in ("playsFor", "draftedBy")
    ]
    schema = PropertyGraphSchema("basketball", {label: Label(label, {}) for label in ("Player", "Team")}, ())
    facts = GraphFacts(schema, tuple(links), {}, {}, {})
    match = next(pattern["match"] for pattern in read_data("patterns") if pattern["id"] == "special_optional_match")
    rng = random.Random(1)
    shapes = {shape.cypher({}): shape for _ in range(60) if (shape := choose_shape(match, facts, rng)) is not None}
    pointless = {text for text, shape in shapes.items() if counts_one(shape, optional=True)}
    assert pointless == {text for text, shape in shapes.items() if shape.links["r0"] == shape.links["r1"]}
    assert len(shapes) == 8
    assert len(pointless) == 4
    assert not any(counts_one(shape, optional=False) for shape in shapes.values())


def test_each_candidate_of_a_pattern_whose_only_template_has_no_property_is_used_once(nba_graph: Graph) -> None:
    pattern = next(pattern for pattern in read_data("patterns") if pattern["id"] == "special_time_sensitive")
    facts = read_facts(nba_graph, random.Random(2))
    candidates = Candidates(nba_graph, facts, random.Random(2), Answers(nba_graph), {}, {"time"})
    found = []
    for _ in range(60):
        if (candidate := candidates.next(pattern)) is not None:
            candidates.use(pattern, candidate)
            found.append(candidate.key)
    assert len(found) > 10
    assert len(set(found)) == len(found)


def test_a_condition_excludes_nodes_without_a_value_only_if_there_are_such_nodes() -> None:
    template = next(template for template in read_data("templates") if template["id"] == "n_argmax")
    rng = random.Random(1)
    whole = fill(template, "year", "int", [1, 2, 3], rng)
    partly = fill(template, "year", "int", [1, None, 2, 3], rng)
    assert whole is not None
    assert partly is not None
    assert "IS NOT NULL" not in whole.returns
    assert partly.returns.startswith("WHERE n.year IS NOT NULL RETURN n.name ORDER BY n.year")
    assert "known" in partly.question
    assert fill(template, "year", "int", [1, None, None, None, 2, None, 3], rng) is None
    assert fill(template, "year", "int", [1, 2, 3], rng, complete=False) is None


def test_a_graph_without_names_is_refused(small: Graph) -> None:
    schema = PropertyGraphSchema("films", {"Movie": Label("Movie", {"runtime_minute": "float"})}, ())
    with pytest.raises(GenerationError, match="no nodes with a `name`"):
        generate(Graph("films", schema, engine=small.engine), 3)


def test_thresholds_are_rounded_and_dates_in_conditions_are_written_as_dates() -> None:
    assert [
        round_threshold(18734, "n", "int"),
        round_threshold(0.0456, "x", "float"),
        round_threshold("1987-05-17", "d", "date"),
    ] == [19000, 0.046, "1987-01-01"]
    rng = random.Random(1)
    generated = [condition("d", "date", ["1980-03-02", "1990-03-02", "1999-01-05"], rng) for _ in range(9)]
    assert all(
        condition is None or condition[0].startswith(("n.d > date('19", "n.d < date('19")) for condition in generated
    )
    assert any(generated)
    assert condition("s", "str", ["a", "a"], rng) is None
    assert condition("n", "int", [5, None], rng) is None


SCHEMA = PropertyGraphSchema(
    "films",
    {label: Label(label, {"name": "str"}) for label in ("Film", "Person")},
    (RelationshipPattern("directedBy", "Film", "Person"),),
)
NAMES = {"Film": ["Heat", "Ali"], "Person": ["Michael Mann"]}
FILM_NAMES, PERSON_NAMES = "MATCH (n:Film) WHERE", "MATCH (n:Person) WHERE"
LINKS = "MATCH (a:Film)"


class FailingGraph(Graph):
    """A graph of two films by one person; a query that starts with a key of `failures` raises the error."""

    def __init__(self, failures: Mapping[str, EngineError]) -> None:
        super().__init__("films", SCHEMA)
        self._failures = failures

    def run(self, query: str | Query, *_: object, **__: object) -> Table:
        text = str(query)
        for start, error in self._failures.items():
            if text.startswith(start):
                raise error
        if text.startswith(LINKS):
            return Table([], [[2, 2, 1]], False, 0.0)
        names = NAMES["Film" if "(n:Film)" in text else "Person"]
        rows: list[list[Any]] = [[len(names)]] if text.endswith("count(n)") else [[name] for name in names]
        return Table([], rows, False, 0.0)


def test_a_label_whose_names_cannot_be_read_has_no_names_and_the_others_keep_theirs() -> None:
    facts = read_facts(FailingGraph({PERSON_NAMES: QueryTimeout("took too long")}), random.Random(1))
    assert facts.counts == {"Film": 2, "Person": 0}
    assert {label: sorted(names) for label, names in facts.names.items()} == {"Film": ["Ali", "Heat"], "Person": []}
    assert facts.single == {"Film": {"Ali", "Heat"}}
    assert [(link.count, link.all_starts, link.all_ends) for link in facts.links] == [(2, True, False)]


def test_if_no_names_can_be_read_the_failure_is_raised() -> None:
    failure = QueryTimeout("took too long")
    with pytest.raises(QueryTimeout, match="took too long"):
        read_facts(FailingGraph({PERSON_NAMES: failure, FILM_NAMES: failure}), random.Random(1))


@pytest.mark.parametrize("start", [PERSON_NAMES, LINKS])
def test_a_graph_that_cannot_be_queried_at_all_is_reported(start: str) -> None:
    with pytest.raises(EngineUnavailable):
        read_facts(FailingGraph({start: EngineUnavailable("no server answers")}), random.Random(1))


TEAMS = "MATCH (n:Team) RETURN n.name ORDER BY n.name"
VENUES = "MATCH (n:Venue) RETURN n.name ORDER BY n.name"


@pytest.fixture
def sent(nba_graph: Graph, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record the queries that reach the graph."""
    queries: list[str] = []
    run = nba_graph.run

    def recorded(query: str, *given: Any, **named: Any) -> Any:
        queries.append(query)
        return run(query, *given, **named)

    monkeypatch.setattr(nba_graph, "run", recorded)
    return queries


def test_a_query_reaches_the_graph_once_for_each_limit_and_parameters(nba_graph: Graph, sent: list[str]) -> None:
    answers = Answers(nba_graph)
    first, again = answers.rows(TEAMS, 10), answers.rows(TEAMS, 10)
    assert sent == [TEAMS]
    assert first == again == nba_graph.run(TEAMS, limit=10).rows
    sent.clear()
    named = "MATCH (n:Team) WHERE n.name = $name RETURN n.name"
    assert answers.rows(TEAMS, 3) == (first or [])[:3]
    assert answers.rows(named, 5, {"name": "Chicago Bulls"}) == [["Chicago Bulls"]]
    assert answers.rows(named, 5, {"name": "Nobody"}) == []
    assert sent == [TEAMS, named, named]


def test_the_result_of_a_failed_query_is_none_and_the_query_is_not_repeated(nba_graph: Graph, sent: list[str]) -> None:
    answers = Answers(nba_graph)
    failing = "MATCH (n:Team) RETURN 1 / (size(n.name) - size(n.name))"
    assert [answers.rows(failing, 5), answers.rows(failing, 5)] == [None, None]
    assert sent == [failing]


def test_beyond_the_limit_the_least_recently_used_rows_are_dropped(nba_graph: Graph, sent: list[str]) -> None:
    answers = Answers(nba_graph, most_held=25)
    for query in (TEAMS, VENUES, TEAMS, "MATCH (n:Team) RETURN count(n)", "MATCH (n:Venue) RETURN count(n)"):
        answers.rows(query, 10)
    sent.clear()
    answers.rows(TEAMS, 10)
    assert sent == []
    answers.rows(VENUES, 10)
    assert sent == [VENUES]


def test_the_unique_names_of_a_label_are_those_that_occur_once_in_the_graph(nba_graph: Graph) -> None:
    facts = read_facts(nba_graph, random.Random(1))
    for label in facts.names:
        counted = nba_graph.run(
            f"MATCH (n:{label}) WITH n.name AS name, count(*) AS times WHERE times = 1 RETURN name", limit=10_000
        )
        assert facts.single[label] == {name for (name,) in counted.rows}
        assert set(facts.names[label]) <= facts.single[label]
