"""Runs on the small graph: predictions from files, baselines and agents; failures; kills and resumption."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from graphground.evals.reports.summary import NoComparison, compare, summarize
from graphground.evals.runs.agents import AgentError, CommandAgent, FilePredictions, FirstSuggestion, Repaired
from graphground.evals.runs.prediction import Prediction, clean_query, read_predictions, read_reply
from graphground.evals.runs.runner import Journal, Run, RunError, read_run
from graphground.evals.runs.scoring import categories_of
from graphground.evals.tasks.task import Task, TaskError
from graphground.graphs.engines.engine import EngineUnavailable
from graphground.graphs.graph import Graph
from graphground.graphs.opening.open_graphs import GraphSource, OpenGraphs
from graphground.graphs.opening.stored import stored_sources
from graphground.graphs.storage.home import Home

AGENT = Path(__file__).parents[2] / "support" / "scripted_agent.py"
GOLD = "MATCH (m:Movie) RETURN m.name"


def unreachable() -> Graph:
    raise EngineUnavailable("No Bolt server answers at bolt://127.0.0.1:1.")


@pytest.fixture
def graphs(eval_home: Home) -> Iterator[OpenGraphs]:
    films = next(source for source in stored_sources(eval_home) if source.name == "films")
    opened = OpenGraphs([films, GraphSource("away", "", "bolt", unreachable)])
    yield opened
    opened.close()


def task(number: int, question: str = "Which films are there?", gold: str = GOLD, graph: str = "films") -> Task:
    return Task(f"t{number}", graph, question, gold)


def scored(folder: Path) -> dict[str, dict[str, object]]:
    return {record["qid"]: record for record in read_run(folder)[1]}


def test_predictions_of_a_file_are_scored_and_explained(graphs: OpenGraphs, tmp_path: Path) -> None:
    queries = {
        "right": "MATCH (n:Movie) RETURN n.name AS title",
        "missing": "",
        "syntax": "MATCH (m:Movie RETURN m.name",
        "label": "MATCH (m:Movi) RETURN m.name",
        "turned": "MATCH (m:Movie)<-[:directedBy]-(p:Person) RETURN m.name",
        "name": "MATCH (m:Movie {name: 'Haet'}) RETURN m.name",
        "pattern": "MATCH (m:Movie)-[:directedBy]->(:Person) RETURN m.name",
        "filter": "MATCH (m:Movie) WHERE m.runtime_minute > 150 RETURN m.name",
        "twice": "MATCH (m:Movie) UNWIND [1, 2] AS x RETURN m.name",
        "column": "MATCH (m:Movie) RETURN m.runtime_minute",
        "write": "MATCH (m:Movie) DETACH DELETE m",
    }
    tasks = [Task(qid, "films", "Which films are there?", GOLD) for qid in queries]
    predictor = FilePredictions({qid: Prediction(qid, query) for qid, query in queries.items()})
    outcome = Run.open(tmp_path / "run", tasks, "file").go(predictor, graphs, workers=4, timeout=60.0)
    assert (outcome.scored, outcome.unscored) == (len(tasks), {})
    found = scored(tmp_path / "run")
    assert {qid: record["category"] for qid, record in found.items()} == {
        "right": "",
        "missing": "no_answer",
        "syntax": "syntax",
        "label": "schema_violation",
        "turned": "reversed_direction",
        "name": "entity_linking",
        "pattern": "pattern",
        "filter": "filtering",
        "twice": "deduplication",
        "column": "results",
        "write": "syntax",
    }
    assert {qid for qid, record in found.items() if record["execution_accuracy"]} == {"right"}
    assert found["column"]["psjs"] == 1.0
    assert found["filter"]["psjs"] == 0.5
    assert {qid: record["behaviour"] for qid, record in found.items() if record["executable"]}["name"] == "empty"
    drawn = found["pattern"]["predicted_subgraph"]
    assert {node["name"] for node in drawn["nodes"]} == {"Heat", "Michael Mann"}  # type: ignore[index]
    assert [link["type"] for link in drawn["links"]] == ["directedBy"]  # type: ignore[index]


def test_an_agent_is_called_through_its_protocol_and_a_run_continues_after_any_kind_of_reply(
    graphs: OpenGraphs, tmp_path: Path
) -> None:
    words = ["plain", "prose", "dies", "hangs", "fails", "refuses", "fenced", "costs", "after all that"]
    tasks = [task(number, question) for number, question in enumerate(words)]
    with closing(CommandAgent(f"{sys.executable} {AGENT} {tmp_path / 'asked'}", timeout=5.0)) as agent:
        outcome = Run.open(tmp_path / "run", tasks, agent.name).go(agent, graphs, workers=1, timeout=60.0)
    assert outcome.scored == len(tasks)
    found = {record["question"]: record for record in read_run(tmp_path / "run")[1]}
    right = [word for word in words if found[word]["execution_accuracy"]]
    assert right == ["plain", "fenced", "costs", "after all that"]
    assert "no reply within 5 s; the agent printed a line that is no reply" in found["prose"]["message"]
    assert "exit status" in found["dies"]["message"]
    assert "no reply within 5 s" in found["hangs"]["message"]
    assert found["fails"]["message"] == "the model's rate limit is reached"
    assert found["refuses"]["behaviour"] == "declined"
    cost = summarize(*read_run(tmp_path / "run"))["cost"]
    assert cost["total"]["calls"] == 2
    assert (cost["total"]["tokens_in"], cost["total"]["cost"]) == (1_000, 0.01)
    assert cost["by_tool"]["get_schema"] == {"calls": 1, "seconds": 0.5, "tokens_in": 10, "tokens_out": 200}


def test_an_agent_that_cannot_be_started_stops_the_run_with_the_reason(graphs: OpenGraphs, tmp_path: Path) -> None:
    with pytest.raises(AgentError, match="cannot be started"):
        Run.open(tmp_path / "run", [task(1), task(2)], "x").go(CommandAgent("no-such-program-at-all"), graphs)
    with pytest.raises(RunError, match="no scores yet"):
        read_run(tmp_path / "run")


def test_tasks_of_an_unavailable_graph_are_postponed(graphs: OpenGraphs, tmp_path: Path) -> None:
    tasks = [task(1), task(2, graph="away"), task(3, graph="away"), task(4, graph="nowhere")]
    predictor = FilePredictions({task.qid: Prediction(task.qid, GOLD) for task in tasks})
    outcome = Run.open(tmp_path / "run", tasks, "file").go(predictor, graphs, timeout=60.0)
    assert outcome.scored == 1
    assert sorted(outcome.unscored.values()) == [1, 2]
    assert any("No Bolt server answers" in reason for reason in outcome.unscored)
    again = Run.open(tmp_path / "run", tasks, "file").go(predictor, graphs, timeout=60.0)
    assert (again.before, again.scored) == (1, 0)


@pytest.mark.parametrize(
    ("gold", "nonsense", "left_out"),
    [
        ("MATCH (m:Movie {name: 'Nowhere'}) RETURN m.name", "MATCH (x:Banana) RETURN x.a, x.b", "gold_empty"),
        ("MATCH (m:Movie {name: 'Nowhere'}) RETURN count(m)", "MATCH (x:Banana) RETURN count(x)", "gold_empty"),
        ("MATCH (m:Movie {name: 'Nowhere'}) RETURN max(m.name)", "MATCH (x:Banana) RETURN max(x.a)", "gold_empty"),
        ("MATCH (m:Movie) RETURN 1 / 0 AS x", GOLD, "gold_failures"),
    ],
)
def test_tasks_whose_gold_answer_is_empty_or_fails_are_counted_and_left_out_of_the_scores(
    graphs: OpenGraphs, tmp_path: Path, gold: str, nonsense: str, left_out: str
) -> None:
    tasks = [task(1, gold=gold), task(2)]
    predictions = {"t1": Prediction("t1", nonsense), "t2": Prediction("t2", "MATCH (x:Banana) RETURN x.a, x.b")}
    Run.open(tmp_path / "run", tasks, "file").go(FilePredictions(predictions), graphs)
    summary = summarize(*read_run(tmp_path / "run"))
    assert summary[left_out] == 1
    assert summary["left_out"].startswith("Left out of the scores: 1 of 2 tasks (gold ")
    assert (summary["overall"]["execution_accuracy"]["count"], summary["all_tasks"]["psjs"]["count"]) == (1, 2)
    assert summary["overall"]["execution_accuracy"]["mean"] == 0.0
    assert [name for name, category in summary["categories"].items() if category["count"]] == ["schema_violation"]


def test_a_gold_answer_of_0_over_matched_nodes_is_no_empty_answer(graphs: OpenGraphs, tmp_path: Path) -> None:
    gold = "MATCH (a:Movie), (b:Movie) WHERE a.name = b.name RETURN sum(a.runtime_minute - b.runtime_minute) AS x"
    Run.open(tmp_path / "run", [task(1, gold=gold)], "f").go(FilePredictions({"t1": Prediction("t1", gold)}), graphs)
    assert summarize(*read_run(tmp_path / "run"))["overall"]["execution_accuracy"]["mean"] == 1.0


def test_runs_over_different_data_or_tasks_are_not_compared(graphs: OpenGraphs, tmp_path: Path) -> None:
    for name, gold, question in (
        ("a", GOLD, "?"),
        ("other data", GOLD + " LIMIT 1", "?"),
        ("other question", GOLD, "Which?"),
    ):
        predictor = FilePredictions({"t1": Prediction("t1", GOLD)})
        Run.open(tmp_path / name, [task(1, question, gold)], name).go(predictor, graphs)
    first, data, question = (read_run(tmp_path / name)[1] for name in ("a", "other data", "other question"))
    data[0]["gold"] = GOLD
    with pytest.raises(NoComparison, match=r"1 of the 1 common tasks have different gold answers: .*different data"):
        compare(first, data)
    with pytest.raises(NoComparison, match="ask different questions"):
        compare(first, question)


class Breaking(FilePredictions):
    """A predictor that fails for one question in a way that nobody foresaw."""

    def predict(self, task: Task) -> Prediction:
        if task.qid == "t2":
            raise KeyError("choices")
        return super().predict(task)


def test_whatever_one_question_does_the_run_ends_with_a_record_for_each(
    graphs: OpenGraphs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    films = graphs.get("films")
    run = films.run

    def ends_the_database(query: str, *given: Any, **named: Any) -> Any:
        if "'ends it'" in query:
            raise EngineUnavailable("the database has ended")
        if "'breaks it'" in query:
            raise RecursionError("too deep")
        return run(query, *given, **named)

    monkeypatch.setattr(films, "run", ends_the_database)
    queries = {"t1": GOLD, "t3": "RETURN 'ends it' AS x", "t4": "RETURN 'breaks it' AS x"}
    predictor = Breaking({qid: Prediction(qid, query) for qid, query in queries.items()})
    tasks = [task(1), task(2), task(3), task(4), task(5, gold="RETURN 'ends it' AS x")]
    outcome = Run.open(tmp_path / "run", tasks, "file").go(predictor, graphs, timeout=60.0)
    assert (outcome.scored, outcome.unscored) == (5, {})
    found = scored(tmp_path / "run")
    assert found["t1"]["execution_accuracy"] == 1.0
    assert "KeyError: 'choices'" in str(found["t2"]["message"])
    assert "the database has ended" in str(found["t3"]["message"])
    assert "RecursionError" in str(found["t4"]["message"])
    assert found["t3"]["prediction"] == "RETURN 'ends it' AS x"
    assert "the database has ended" in str(found["t5"]["gold_failure"])


def test_lines_that_are_no_answers_never_shift_answers(graphs: OpenGraphs, tmp_path: Path) -> None:
    agent = tmp_path / "agent.py"
    agent.write_text(
        "import json, sys\n"
        "print('loading the model', flush=True)\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n"
        "    answer = {'qid': asked['qid'], 'cypher': f\"RETURN '{asked['qid']}' AS x\"}\n"
        "    if asked['qid'] == 't4': del answer['qid']\n"
        "    print('INFO', asked['qid'], '{\"level\": 1}', '[1]', json.dumps({'level': 'info'}), sep='\\n')\n"
        "    print(json.dumps({'qid': 'another', 'cypher': 'RETURN 0 AS x'}), json.dumps(answer), sep='\\n')\n"
        "    print(json.dumps(answer), 'done', sep='\\n', flush=True)\n"
    )
    command = CommandAgent(f"{sys.executable} {agent}", timeout=30.0)
    tasks = [task(number) for number in range(1, 7)]
    with closing(command):
        found = {given.qid: command.predict(given) for given in tasks}
    assert {qid: prediction.query for qid, prediction in found.items()} == {
        given.qid: "" if given.qid == "t4" else f"RETURN '{given.qid}' AS x" for given in tasks
    }
    assert found["t4"].error.startswith("the reply has no `qid`: ")


def test_a_run_in_the_folder_of_another_run_is_refused(tmp_path: Path) -> None:
    Run.open(tmp_path, [task(1)], "one")
    with pytest.raises(RunError, match="holds a run over other tasks"):
        Run.open(tmp_path, [task(2)], "one")
    with pytest.raises(RunError, match=r"holds a run of another predictor \(one\)"):
        Run.open(tmp_path, [task(1)], "two")
    Run.open(tmp_path / "set", [task(1)], "one", options={"timeout": 30.0, "data of films": "films-1"})
    Run.open(tmp_path / "set", [task(1)], "one", options={"timeout": 30.0, "data of films": "films-1"})
    with pytest.raises(RunError, match=r"holds a run with timeout 30\.0, not 60\.0; resume it with the setting"):
        Run.open(tmp_path / "set", [task(1)], "one", options={"timeout": 60.0, "data of films": "films-1"})
    with pytest.raises(RunError, match='with data of films "films-1", not "films-2"'):
        Run.open(tmp_path / "set", [task(1)], "one", options={"timeout": 30.0, "data of films": "films-2"})
    with pytest.raises(RunError, match="there is no run"):
        read_run(tmp_path / "elsewhere")


def test_the_published_rules_count_every_task_and_the_text_of_the_query(graphs: OpenGraphs, tmp_path: Path) -> None:
    nothing = "MATCH (m:Movie {name: 'Nothing'}) RETURN m.name"
    tasks = [task(1, gold=nothing), task(2), task(3, gold="MATCH (m:Movie) RETURN m.name, 'order by' AS x")]
    queries = {"t1": "MATCH (m:Movie {name: 'Else'}) RETURN m.name", "t2": "MATCH (m:Movie RETURN m.name"}
    queries["t3"] = "MATCH (m:Movie) RETURN m.name, 'order by' AS x ORDER BY m.name DESC"
    predictions = FilePredictions({qid: Prediction(qid, query) for qid, query in queries.items()})
    found: dict[str, Any] = {}
    for rule in ("paper", "published"):
        run = Run.open(tmp_path / rule, tasks, "file")
        run.go(predictions, graphs, timeout=60.0, rule=rule)  # type: ignore[arg-type]
        found[rule] = summarize(*read_run(tmp_path / rule))
    assert [found[rule]["overall"]["execution_accuracy"]["count"] for rule in ("paper", "published")] == [2, 3]
    assert found["paper"]["all_tasks"]["execution_accuracy"]["mean"] == pytest.approx(2 / 3, abs=1e-4)
    # `order by` in a text counts, so the rows in another order are wrong; a broken query may have the right nodes.
    assert found["published"]["overall"]["execution_accuracy"]["mean"] == pytest.approx(1 / 3, abs=1e-4)
    assert not found["published"]["left_out"]


def test_a_wrong_query_may_have_several_categories() -> None:
    gold = "MATCH (m:Movie {name: 'Heat'})-[:directedBy]->(p:Person) WHERE p.age > 30 RETURN p.name"
    wrong = "MATCH (m:Movie {name: 'Haet'})<-[:directedBy]-(p:Person) WHERE p.age > 3 RETURN p.name"
    assert categories_of(wrong, gold, "", [], [], []) == ["reversed_direction", "entity_linking", "filtering"]
    assert categories_of(wrong, gold, "timeout", [], [], [])[0] == "timeout"
    assert categories_of(gold, gold, "", [], [["a"], ["a"]], [["a"]]) == ["deduplication"]


def test_a_killed_run_resumes_and_asks_no_question_twice(eval_home: Home, tmp_path: Path) -> None:
    tasks = [
        {"qid": f"t{number}", "graph": "films", "nl_question": f"slowly {number}", "gold_cypher": GOLD}
        for number in range(16)
    ]
    (tmp_path / "tasks.json").write_text(json.dumps(tasks))
    command = [
        sys.executable,
        "-m",
        "graphground",
        "eval",
        "run",
        str(tmp_path / "tasks.json"),
        str(tmp_path / "run"),
        "--agent",
        f"{sys.executable} {AGENT} {tmp_path / 'asked'}",
        "--workers",
        "2",
        "--home",
        str(eval_home.folder),
    ]
    journal = tmp_path / "run" / "predictions.jsonl"
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and (not journal.exists() or journal.read_bytes().count(b"\n") < 4):
        assert process.poll() is None, "the run ended before it could be killed"
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=30)
    answered = {json.loads(line)["qid"] for line in journal.read_text("utf-8").splitlines()[:4]}
    with journal.open("ab") as file:
        file.write(b'{"qid": "t15", "cut of')
    resumed = subprocess.run(command, capture_output=True, text=True, timeout=90)
    assert resumed.returncode == 0, resumed.stderr
    assert len(read_run(tmp_path / "run")[1]) == 16
    qids = (tmp_path / "asked").read_text().split()
    assert [qid for qid in answered if qids.count(qid) != 1] == []
    assert "execution accuracy  100.0%" in resumed.stdout


def test_the_baselines_need_no_model(graphs: OpenGraphs, tmp_path: Path) -> None:
    tasks = [
        task(1, "Who directed Heat?", "MATCH (m:Movie {name: 'Heat'})-[:directedBy]->(p:Person) RETURN p.name"),
        task(2, "Who directed Zzyzx Qwrtp?", "MATCH (m:Movie {name: 'Heat'})-[:directedBy]->(p) RETURN p.name"),
    ]
    first = FirstSuggestion(graphs)
    assert first.predict(tasks[0]).query.startswith("MATCH ")
    assert first.predict(tasks[1]).stance == "not_in_graph"
    assert [call.tool for call in first.predict(tasks[0]).trace] == ["ground_question"]
    wrong = FilePredictions({"t1": Prediction("t1", "MATCH (m:Movie)<-[:directedBy]-(p:Person) RETURN p.name")})
    fixed = Repaired(wrong, graphs).predict(tasks[0])
    assert fixed.query == "MATCH (m:Movie)-[:directedBy]->(p:Person) RETURN p.name"


def test_refusals_invented_answers_and_clarifying_questions_are_scored_as_behaviour(
    graphs: OpenGraphs, tmp_path: Path
) -> None:
    tasks = [
        Task("said", "films", "?", GOLD, expected="not_in_graph"),
        Task("made up", "films", "?", GOLD, expected="not_in_graph"),
        Task("asked", "films", "?", GOLD, expected="ask"),
        Task("wrong", "films", "?", GOLD),
    ]
    predictions = {
        "said": Prediction("said", stance="not_in_graph"),
        "made up": Prediction("made up", GOLD),
        "asked": Prediction("asked", stance="ask"),
        "wrong": Prediction("wrong", "MATCH (p:Person) RETURN p.name"),
    }
    Run.open(tmp_path / "run", tasks, "file").go(FilePredictions(predictions), graphs, timeout=60.0)
    assert {qid: record["behaviour"] for qid, record in scored(tmp_path / "run").items()} == {
        "said": "right",
        "made up": "invented",
        "asked": "right",
        "wrong": "wrong",
    }
    honesty = summarize(*read_run(tmp_path / "run"))["honesty"]
    assert honesty["confident_wrong"]["mean"] == 1.0
    assert (honesty["refusals_right"]["count"], honesty["refusals_right"]["mean"]) == (3, 0.6667)


def test_a_truncated_line_of_a_journal_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{"a": 1}\n{"a": 2}\n{"a"')
    journal = Journal(path)
    journal.append({"a": 3})
    journal.close()
    assert [json.loads(line)["a"] for line in path.read_text().splitlines()] == [1, 2, 3]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("RETURN 1", "RETURN 1"),
        ("```cypher\nRETURN 1\n```", "RETURN 1"),
        ("x ```\nRETURN 1``` y", "RETURN 1"),
        ("RETURN 1 <end_of_turn>", "RETURN 1"),
        ("RETURN 1<|im_end|>\n", "RETURN 1"),
    ],
)
def test_text_around_a_query_in_a_reply_is_removed(text: str, query: str) -> None:
    assert clean_query(text) == query


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ({"cypher": 3}, "`cypher`: Input should be a valid string, not 3"),
        ({"stance": "maybe"}, "`stance`: Input should be 'answer', 'not_in_graph' or 'ask', not \"maybe\""),
        ({"usage": [1]}, r"`usage`: Input should be a valid dictionary .*, not \[1\]"),
        ({"seconds": "abc"}, '`seconds`: Input should be a valid number, .*, not "abc"'),
        ({"usage": {"cost_usd": float("inf")}}, "`usage.cost_usd`: Input should be a finite number, not Infinity"),
        ({"trace": [{"tool": "a"}, {"tool": "b", "seconds": [1]}]}, r"`trace.1.seconds`: .* valid number, not \[1\]"),
    ],
)
def test_a_malformed_reply_is_reported_with_the_field(reply: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read_reply("1", reply)


def test_predictions_are_matched_to_their_tasks_by_qid_or_by_question(tmp_path: Path) -> None:
    tasks = [task(1, "A?"), task(2, "B?")]
    path = tmp_path / "predictions.jsonl"
    path.write_text(
        '{"qid": "t1", "pred_cypher": "RETURN 1"}\n'
        '{"graph": "films", "question": "B?", "cypher": "RETURN 2"}\n'
        '{"graph": "films", "question": "C?", "cypher": "RETURN 3"}\n'
    )
    found = {qid: prediction.query for qid, prediction in read_predictions(path, tasks).items()}
    assert found == {"t1": "RETURN 1", "t2": "RETURN 2"}
    path.write_text('{"graph": "films", "question": "C?", "cypher": "RETURN 3"}\n')
    with pytest.raises(TaskError, match="\\(records: 1\\); a record needs either the task's `qid` or"):
        read_predictions(path, tasks)
