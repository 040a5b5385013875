"""Tasks grown from real questions: other names in the same wordings, balance, privacy, and the questions of traces."""

import json
from pathlib import Path

import pytest

from graphground.evals.generation.seeds import difficulty_of, grow, read_seeds
from graphground.evals.tasks.task import TaskError
from graphground.graphs.graph import Graph

DIRECTOR = ("Whose film is Heat?", "MATCH (m:Film {name: 'Heat'})-[:directedBy]->(p:Person) RETURN p.name")
BOTH = ("What did Michael Mann shoot?", "MATCH (n:Film)-[:directedBy]->(p:Person {name: 'Michael Mann'}) RETURN n.name")
COUNT = ("How many films are there?", "MATCH (m:Film) RETURN count(m)")


def test_a_wording_becomes_several_tasks_with_other_names_and_answers(film_graph: Graph) -> None:
    tasks, report = grow(film_graph, [DIRECTOR, BOTH, COUNT], 12, seed=3)
    assert tasks[0].question in (DIRECTOR[0], BOTH[0], COUNT[0])
    assert len({task.gold for task in tasks}) == len(tasks) > 6
    for task in tasks:
        assert film_graph.run(task.gold).rows
        named = [word for word in ("Whose film is ", "What did ", "How many films") if task.question.startswith(word)]
        assert named, task.question
        if task.question.startswith("Whose film is "):
            assert task.question.removeprefix("Whose film is ").removesuffix("?").replace("'", "\\'") in task.gold
    assert report["wordings"] == 3
    assert (tasks, report) == grow(film_graph, [DIRECTOR, BOTH, COUNT], 12, seed=3)


def test_with_private_no_text_of_a_seed_remains(film_graph: Graph) -> None:
    hidden = ("Which thrillers run?", "MATCH (n:Film) WHERE n.name CONTAINS 'Secret' RETURN n.name")
    tasks, report = grow(film_graph, [DIRECTOR, BOTH, hidden], 8, private=True)
    assert tasks
    assert not [task for task in tasks if "Heat" in task.gold or "Michael Mann" in task.question + task.gold]
    assert report["unused"] == {"a text in the query cannot be replaced": 1}


def test_patterns_and_difficulties_are_balanced(film_graph: Graph) -> None:
    tasks, report = grow(film_graph, [DIRECTOR] * 5 + [BOTH] * 5 + [COUNT], 7)
    assert report["difficulty"] == {"easy": len(tasks)}
    assert report["patterns"] == 2
    assert sum(task.pattern == "basic_(n)" for task in tasks) == 1, "it has no name that could be another"


def test_a_trace_gives_each_question_with_the_last_query_that_found_rows(tmp_path: Path) -> None:
    def call(query: str, rows: list[list[str]], session: str = "s", **given: str) -> dict[str, object]:
        answer = {"columns": ["x"], "rows": rows}
        return {"kind": "tool_call", "session": session, "name": "execute_cypher",
                "arguments": {"query": query, **given}, "answer": answer}  # fmt: skip

    ground = {"kind": "tool_call", "session": "s", "name": "ground_question", "arguments": {"question": "Who?"}}
    prediction = {"kind": "prediction", "session": "q2", "input": {"question": "What?"}, "output": {"cypher": "C"}}
    lines = [ground, call("A", []), call("B", [["1"]]), call("D", [["2"]]), call("E", [["1"]], "t"), prediction]
    path = tmp_path / "trace.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert read_seeds(path) == [("Who?", "D"), ("What?", "C")]
    path.write_text('{"question": "Who?", "cypher": "RETURN 1"}\n')
    assert read_seeds(path) == [("Who?", "RETURN 1")]
    path.write_text('{"question": "Who?"}\n')
    with pytest.raises(TaskError, match="has no question with a query"):
        read_seeds(path)


def test_difficulty_grows_with_relationships_and_clauses() -> None:
    hard = "MATCH (a)-[:R]->(b)-[:S]->(c) WITH a, count(c) AS n WHERE n > 2 RETURN a.name, n"
    assert [difficulty_of(query) for query in (COUNT[1], "MATCH (a)-->(b)-->(c) RETURN a", hard)] == [
        "easy", "medium", "hard",
    ]  # fmt: skip
