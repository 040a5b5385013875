"""Generated tasks on the bundled graph: their patterns, their gold queries, and the rules that make them realistic."""

import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest

from graphground.cypher import validate
from graphground.cypher.schema import Label, PropertyGraphSchema, RelationshipPattern
from graphground.evals.generation.candidates import (
    MAX_MATCHES,
    Answers,
    Candidates,
    GraphFacts,
    LinkFacts,
    choose_shape,
    counts_one,
    read_facts,
)
from graphground.evals.generation.generate import GenerationError, condition, fill, generate, read_data, round_threshold
from graphground.evals.tasks.classify import BASIC, SPECIAL, classify
from graphground.evals.tasks.task import Task, read_tasks, write_tasks
from graphground.graphs.graph import Graph
from graphground.graphs.opening.stored import stored_sources
from graphground.graphs.storage.home import Home

COUNT = 24
NAMED = re.compile(r"\((\w+):(\w+) (\{name: '(?:[^'\\]|\\.)*'\})\)")
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


def test_tasks_of_all_patterns_and_template_groups_are_generated_and_recognised(tasks: list[Task]) -> None:
    assert len(tasks) == COUNT
    assert {task.pattern for task in tasks} == {*BASIC, *SPECIAL}
    assert [task.gold for task in tasks if classify(task.gold)[0] != task.pattern] == []
    groups = {template["id"]: template["group"] for template in read_data("templates")}
    assert {groups[task.template] for task in tasks} == set(groups.values())
    assert len(set(groups.values())) == 6
    assert set(Counter(task.pattern for task in tasks).values()) == {COUNT // 12}
    assert len({task.gold for task in tasks}) == COUNT


def test_the_gold_query_of_every_task_returns_rows_and_passes_the_validator_and_its_condition_excludes_something(
    tasks: list[Task], nba_graph: Graph
) -> None:
    for task in tasks:
        rows = nba_graph.run(task.gold, timeout=30).rows
        if task.template == "n_where":
            assert len(rows) < len(nba_graph.run(f"{task.match_cypher} RETURN n.name", timeout=30).rows), task.gold
        for node, label, name in NAMED.findall(task.match_cypher):
            assert nba_graph.run(f"MATCH ({node}:{label} {name}) RETURN count(*)").rows == [[1]], task.gold
        assert 0 < len(rows) <= 100_000
        assert any(value is not None for row in rows for value in row)
        found = validate(task.gold, nba_graph.schema, entities=nba_graph.indexed_entities, read_only=True).diagnostics
        assert [diagnostic for diagnostic in found if diagnostic.severity != "hint"] == []


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


def test_a_user_can_replace_the_patterns_and_three_branches_of_a_node_match_in_a_bounded_number_of_ways(
    nba_graph: Graph,
) -> None:
    own = [
        {
            "id": "three",
            "match": "MATCH (n)~r0~(m0*),(n)~r1~(m1*),(n)~r2~(m2*) WITH DISTINCT n",
            "kind": "basic",
            "question": "{n} {n r0 m0} and {n r1 m1} and {n r2 m2}",
        }
    ]
    with patch.object(Graph, "run", autospec=True, side_effect=Graph.run) as run:
        generated = generate(nba_graph, 2, seed=3, patterns=own).tasks
    assert [task.gold.count("-[r2:") for task in generated] == [1, 1]
    sampling = [call.args[1:] for call in run.call_args_list if any(call.args[2:])]
    query, names = next(query for query in sampling if query[0].count("(n:Position)<-[") == 3)
    matches = query[: query.index(" RETURN ")] + " RETURN count(*)"
    assert nba_graph.run(matches, names).rows == [[MAX_MATCHES]]


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


def test_the_unique_names_of_a_label_are_those_that_occur_once_in_the_graph(nba_graph: Graph) -> None:
    facts = read_facts(nba_graph, random.Random(1))
    for label in facts.names:
        counted = nba_graph.run(
            f"MATCH (n:{label}) WITH n.name AS name, count(*) AS times WHERE times = 1 RETURN name", limit=10_000
        )
        assert facts.single[label] == {name for (name,) in counted.rows}
        assert set(facts.names[label]) <= facts.single[label]
