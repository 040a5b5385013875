"""Generated tasks on the bundled graph and on a generated one, checked against rules that are implemented here again.

The checks read the graph's records and use nothing of the generator: a small matcher over nodes and relationships
evaluates the patterns.
"""

import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graphground.cypher import validate
from graphground.cypher.schema import Label, PropertyGraphSchema
from graphground.evals.generation.generate import GenerationError, generate, read_data
from graphground.evals.generation.shapes import slots_of
from graphground.evals.generation.templates import condition, rounded
from graphground.evals.tasks.classify import BASIC, SPECIAL, classify
from graphground.evals.tasks.task import Task, read_tasks, write_tasks
from graphground.graphs.graph import Graph
from graphground.graphs.loading.export import export_graph
from graphground.graphs.opening.stored import stored_sources
from graphground.graphs.storage.home import Home

COUNT = 36
pytestmark = pytest.mark.timeout(300)
NODE = re.compile(r"\((\w+):(\w+)(?: \{name: '((?:[^'\\]|\\.)*)'\})?\)")
PATH = re.compile(r"(\(\w+:\w+[^()]*\))(<?-\[\w+:\w+\]->?)(?=(\(\w+:\w+[^()]*\)))")


@pytest.fixture(scope="module")
def nba_graph(eval_home: Home) -> Iterator[Graph]:
    graph = next(source for source in stored_sources(eval_home) if source.name == "nba").open()
    yield graph
    graph.close()


@pytest.fixture(scope="module")
def tasks(nba_graph: Graph) -> list[Task]:
    return generate(nba_graph, COUNT, seed=5)


class Records:
    """A graph as Python objects: nodes by label and name, relationships by type."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.nodes = {entity["eid"]: entity for entity in document["entities"]}
        self.by_label: dict[str, list[str]] = defaultdict(list)
        for eid, entity in self.nodes.items():
            self.by_label[entity["label"]].append(eid)
        self.out: dict[tuple[str, str], list[str]] = defaultdict(list)
        self.back: dict[tuple[str, str], list[str]] = defaultdict(list)
        for relation in document["relations"]:
            self.out[relation["label"], relation["subj_id"]].append(relation["obj_id"])
            self.back[relation["label"], relation["obj_id"]].append(relation["subj_id"])

    def named(self, label: str, name: str) -> list[str]:
        return [eid for eid in self.by_label[label] if self.nodes[eid]["name"] == name]

    def matches(self, pattern: str, without: frozenset[str] = frozenset()) -> set[str]:
        """The nodes `n` of a MATCH pattern; `without` ignores the names of these nodes."""
        links = [
            (left, arrow.startswith("<"), re.search(r":(\w+)\]", arrow)[1], right)  # type: ignore[index]
            for left, arrow, right in PATH.findall(pattern)
        ]
        first = NODE.search(pattern)
        assert first is not None
        rows: list[dict[str, str]] = [
            {"n": eid}
            for eid in self._candidates(
                NODE.search("(n:" + next(label for name, label, _ in NODE.findall(pattern) if name == "n") + ")"),
                without,
            )
        ]  # type: ignore[arg-type]
        for name, _, given in NODE.findall(pattern):
            if name == "n" and given and "n" not in without:
                rows = [row for row in rows if self.nodes[row["n"]]["name"] == given.replace("\\'", "'")]
        for left, turned, type_, right in links:
            one, other = NODE.match(left), NODE.match(right)
            assert one is not None
            assert other is not None
            grown = []
            for row in rows:
                forward, known, wanted = (not turned, one, other) if one[1] in row else (turned, other, one)
                table = self.out if forward else self.back
                for found in table[type_, row[known[1]]]:
                    if row.get(wanted[1], found) == found and found in set(self._candidates(wanted, without)):
                        grown.append({**row, wanted[1]: found})
            rows = grown
        return {row["n"] for row in rows}

    def _candidates(self, node: re.Match[str], without: frozenset[str]) -> list[str]:
        given = node[3] if node.re.groups >= 3 else None
        if given and node[1] not in without:
            return self.named(node[2], given.replace("\\'", "'"))
        return self.by_label[node[2]]


@pytest.fixture(scope="module")
def records(eval_home: Home, nba_graph: Graph, tasks: list[Task], tmp_path_factory: pytest.TempPathFactory) -> Records:
    path = tmp_path_factory.mktemp("export") / "nba.json"
    export_graph("nba", path, eval_home)
    return Records(json.loads(path.read_text("utf-8")))


def test_all_patterns_and_template_groups_are_made_and_read_back_as_what_they_are(tasks: list[Task]) -> None:
    assert len(tasks) == COUNT
    assert {task.pattern for task in tasks} == {*BASIC, *SPECIAL}
    assert [task.gold for task in tasks if classify(task.gold)[0] != task.pattern] == []
    groups = {template["id"]: template["group"] for template in read_data("templates")}
    assert {groups[task.template] for task in tasks} == set(groups.values())
    assert len(set(groups.values())) == 6
    assert max(Counter(task.pattern for task in tasks).values()) <= 3 * COUNT / 12
    assert len({task.gold for task in tasks}) == COUNT


def test_every_task_runs_answers_and_gets_no_word_from_the_validator(tasks: list[Task], nba_graph: Graph) -> None:
    for task in tasks:
        rows = nba_graph.run(task.gold, timeout=30).rows
        assert 0 < len(rows) <= 100_000
        assert any(value is not None for row in rows for value in row)
        found = validate(task.gold, nba_graph.schema, entities=nba_graph.indexed_entities, read_only=True).diagnostics
        assert [one for one in found if one.severity != "hint"] == []


def test_no_condition_is_redundant_and_every_name_is_of_one_node(tasks: list[Task], records: Records) -> None:
    checked = 0
    for task in tasks:
        named = {name: (label, given) for name, label, given in NODE.findall(task.match_cypher) if given}
        for label, given in named.values():
            assert len(records.named(label, given.replace("\\'", "'"))) == 1, task.gold
        if task.pattern not in BASIC or task.pattern in ("basic_(n)", "basic_(n*)"):
            continue
        pattern = task.match_cypher.partition(" WITH ")[0]
        matched = records.matches(pattern)
        assert matched, task.gold
        for name in named:
            assert len(records.matches(pattern, frozenset((name,)))) > len(matched), task.gold
        if not named:
            label = re.search(r"\(n:(\w+)", pattern)[1]  # type: ignore[index]
            assert len(matched) < len(records.by_label[label]), f"every {label} does: {task.gold}"
        checked += 1
    assert checked > 5


def test_no_group_of_one_no_tie_at_the_top_and_no_filter_that_keeps_all(tasks: list[Task], nba_graph: Graph) -> None:
    for task in tasks:
        rows = nba_graph.run(task.gold, timeout=30).rows
        if task.template == "n_group_by":
            assert len(rows) >= 2
            assert max(row[1] for row in rows) >= 2, task.gold
            assert task.pattern != "special_optional_match" or min(row[1] for row in rows) == 0
        if task.template == "n_argmax":
            key = re.search(r"ORDER BY (n\.\w+)", task.gold)[1]  # type: ignore[index]
            values = [row[0] for row in nba_graph.run(f"{task.match_cypher} RETURN {key}", timeout=30).rows]
            best = max(values) if "DESC" in task.gold else min(values)
            assert None not in values
            assert values.count(best) == 1, task.gold
        if task.template == "n_where":
            everything = nba_graph.run(f"{task.match_cypher} RETURN n.name", timeout=30).rows
            assert 0 < len(rows) < len(everything), task.gold
        if task.template == "n_prop_distinct":
            assert len(rows) >= 2


def test_the_same_seed_makes_the_same_tasks_and_another_seed_others(tasks: list[Task], nba_graph: Graph) -> None:
    assert [task.gold for task in generate(nba_graph, 9, seed=5)] == [task.gold for task in tasks[:9]]
    assert [task.gold for task in generate(nba_graph, 9, seed=6)] != [task.gold for task in tasks[:9]]


def test_made_tasks_are_written_in_the_published_format(tasks: list[Task], tmp_path: Path) -> None:
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
    made = generate(nba_graph, 3, seed=1, patterns=own)
    assert made
    assert all(task.gold.count("-[r2:") == 1 for task in made)


def test_a_graph_without_names_is_refused(small: Graph) -> None:
    schema = PropertyGraphSchema("films", {"Movie": Label("Movie", {"runtime_minute": "float"})}, ())
    with pytest.raises(GenerationError, match="no nodes with a `name`"):
        generate(Graph("films", schema, engine=small.engine), 3)


def test_thresholds_are_rounded_and_conditions_typed() -> None:
    assert [rounded(18734, "n", "int"), rounded(0.0456, "x", "float"), rounded("1987-05-17", "d", "date")] == [
        19000,
        0.046,
        "1987-01-01",
    ]
    rng = random.Random(1)
    made = [condition("d", "date", ["1980-03-02", "1990-03-02", "1999-01-05"], rng) for _ in range(9)]
    assert all(one is None or one[0].startswith(("n.d > date('19", "n.d < date('19")) for one in made)
    assert any(made)
    assert condition("s", "str", ["a", "a"], rng) is None
    assert condition("n", "int", [5, None], rng) is None
