import gzip
import json
from pathlib import Path

import pytest

from graphground.evals.tasks.classify import BASIC, SPECIAL, TEMPLATES, classify
from graphground.evals.tasks.task import Task, TaskError, read_records, read_tasks, write_tasks
from tests.support.shared_data import SHARED, needs

RECORD = {"graph": "nba", "nl_question": "Who?", "gold_cypher": "MATCH (n:Player) RETURN n.name"}


def written(folder: Path, text: str) -> Path:
    path = folder / "tasks.json"
    path.write_text(text, "utf-8")
    return path


def test_tasks_are_read_as_published_and_written_back_the_same(tmp_path: Path) -> None:
    record = {
        "qid": "q1",
        **RECORD,
        "gold_match_cypher": "MATCH (n:Player)",
        "nl_question_raw": "raw",
        "answer_json": '[{"n.name": "X"}]',
        "from_template": {
            "match_category": "basic_(n)",
            "match_cypher": "MATCH (n:Player)",
            "return_pattern_id": "n_name",
            "return_cypher": "RETURN n.name",
        },
    }
    tasks = read_tasks(written(tmp_path, json.dumps([record])))
    assert tasks == [
        Task(
            "q1",
            "nba",
            "Who?",
            str(RECORD["gold_cypher"]),
            "raw",
            "basic_(n)",
            "n_name",
            [{"n.name": "X"}],
            match_cypher="MATCH (n:Player)",
            return_cypher="RETURN n.name",
        )
    ]
    assert write_tasks(tasks, tmp_path / "again.json.gz") == 1
    assert read_tasks(tmp_path / "again.json.gz") == tasks
    assert json.loads(gzip.decompress((tmp_path / "again.json.gz").read_bytes())) == [record]


def test_optional_fields_may_be_missing_and_a_stable_qid_is_created(tmp_path: Path) -> None:
    lines = "\n".join(json.dumps({**RECORD, "nl_question": text}) for text in ("Who?", "What?"))
    first, second = read_tasks(written(tmp_path, lines))
    assert first.qid != second.qid
    assert first.qid == read_tasks(written(tmp_path, json.dumps([RECORD])))[0].qid


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no tasks"),
        ("3", "must hold a list of records, not 3"),
        ("[3]", "record 1: expected a JSON object"),
        (json.dumps(RECORD) + '\n{"b": ', "line 2: not JSON"),
        (json.dumps([{**RECORD, "graph": None}]), "record 1: `graph` is missing"),
        (json.dumps([{**RECORD, "qid": "a"}, {**RECORD, "qid": "a"}]), "records 1 and 2 have the same qid 'a'"),
        (json.dumps([{**RECORD, "expected": "perhaps"}]), "not 'perhaps'"),
        (json.dumps([{**RECORD, "from_template": "x"}]), "`from_template` is not a JSON object"),
    ],
)
def test_a_file_without_tasks_is_reported_with_position_and_reason(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(TaskError, match=said):
        read_tasks(written(tmp_path, text))


def test_a_missing_or_unreadable_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="cannot be read: No such file"):
        read_tasks(tmp_path / "none.json")
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(TaskError, match="is not UTF-8 text"):
        read_tasks(tmp_path / "bytes.json")


def test_a_corrupt_gzip_file_is_named(tmp_path: Path) -> None:
    whole = gzip.compress(json.dumps([RECORD]).encode())
    for name, data, said in (
        ("cut", whole[:-12], "cannot be decompressed"),
        ("bits", whole[:10] + b"\xff" * 20 + whole[30:], "cannot be decompressed"),
        ("sum", whole[:-8] + b"\x00" * 8, "cannot be read: CRC check failed"),
    ):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(TaskError, match=f"{name} {said}"):
            read_tasks(tmp_path / name)


@pytest.mark.parametrize(
    ("query", "pattern", "template"),
    [
        ("MATCH (n:A {name: 'x'}) WITH DISTINCT n RETURN n.age", "basic_(n*)", "n_prop"),
        (
            "MATCH (n:A)-[r0:R]->(m0:B)-[r1:S]->(m1:C {name: 'x'}) WITH DISTINCT n WHERE n.age > 3 RETURN n.name",
            "basic_(n)-(m0)-(m1*)",
            "n_where",
        ),
        (
            "MATCH (n:A)-[r0:R]->(m0:B {name: 'x'}),(n:A)-[r1:S]->(m1:C {name: 'y'}) WITH DISTINCT n RETURN count(n)",
            "basic_(n)-(m0*),(n)-(m1*)",
            "n_agg",
        ),
        ("MATCH (n:A {name: 'x'}), (m0:A {name: 'y'}) RETURN n.age = m0.age AS answer", "special_comparison", "other"),
        (
            "MATCH (n:A)-[r1:S]->(m1:C {name: 'x'}) OPTIONAL MATCH (n:A)-[r0:R]->(m0:B) WITH n, count(DISTINCT m0) AS num "
            "RETURN n.name, num",
            "special_optional_match",
            "other",
        ),
        (
            "MATCH (n:A)-[r0:R]->(m0:B {name: 'x'}) WHERE r0.start_year <= 2000 AND r0.end_year IS NULL WITH DISTINCT n "
            "RETURN n.name",
            "special_time_sensitive",
            "n_name",
        ),
        (
            "CALL { MATCH (n:A)-[r0:R]->(m0:B {name: 'x'}) RETURN n, m0 as m UNION MATCH (n:A)<-[r1:S]-(m1:C {name: 'y'}) "
            "RETURN n, m1 as m } WITH DISTINCT n RETURN n.name",
            "special_union",
            "n_name",
        ),
        ("MATCH (n:A) WITH DISTINCT n UNWIND n.tags AS prop RETURN DISTINCT prop", "basic_(n)", "n_prop"),
        ("MATCH (n", "other", "other"),
    ],
)
def test_patterns_and_templates_are_recognised_from_the_gold_query(query: str, pattern: str, template: str) -> None:
    assert classify(query) == (pattern, template)


@needs("cypherbench_tasks", "train.jsonl.gz")
def test_every_published_gold_query_has_a_pattern() -> None:
    tasks = read_tasks(SHARED / "cypherbench_tasks" / "train.jsonl.gz")
    found = [classify(task.gold) for task in tasks]
    assert {pattern for pattern, _ in found} == {*BASIC, *SPECIAL} - {
        "basic_(n)-(m0),(n)-(m0)"
    }  # it occurs only in the test graphs
    assert {template for _, template in found} >= set(TEMPLATES)


def test_a_file_of_one_line_is_one_record_although_it_contains_a_list(tmp_path: Path) -> None:
    path = tmp_path / "predictions.jsonl"
    path.write_text('{"qid": "1", "cypher": "RETURN 1", "trace": [{"tool": "get_schema"}]}\n', encoding="utf-8")
    assert [record["qid"] for record in read_records(path)] == ["1"]
