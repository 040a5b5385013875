"""The trainer of the ranking of suggested queries, on the small film graph."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.tools.strangers import Asked, Judge
from graphground.graphs.graph import Graph
from graphground.graphs.suggestions.suggest import learned_model
from training.suggestions import Example, collect, fit, report, write

QUESTIONS = [
    Asked(question, f"MATCH {pattern} WITH DISTINCT n RETURN n.name", group=group)
    for question, pattern, group in (
        ("Which films did Michael Mann direct?", "(n:Film)-[:directedBy]->({name: 'Michael Mann'})", "films"),
        ("Whom is James Cameron married to?", "({name: 'James Cameron'})-[:hasSpouse]-(n)", "films"),
        ("films written by David Mamet", "(n)-[:writtenBy]->({name: 'David Mamet'})", "more films"),
        ("Which films have no answer?", "(n:Film {name: 'No such film'})", "films"),
    )
] + [Asked("Who composed Heat?", group="films")]


@pytest.fixture(scope="module")
def examples(film_graph: Graph) -> list[Example]:
    return collect(film_graph, QUESTIONS, learned_model().weights, Judge(film_graph))


def test_candidates_are_run_and_those_with_the_gold_rows_are_right(examples: list[Example]) -> None:
    assert len(examples) == len(QUESTIONS) - 1
    assert all(len(example.features) == len(example.right) == len(example.empty) for example in examples)
    assert any(any(example.right) and not all(example.right) for example in examples)
    (unanswerable,) = (example for example in examples if not example.asked.answerable)
    assert unanswerable.right
    assert not any(unanswerable.right)


def test_the_same_weights_are_learned_twice_and_put_right_candidates_first(
    examples: list[Example], film_graph: Graph, capsys: pytest.CaptureFixture[str]
) -> None:
    weights = fit(examples)
    assert weights == fit(collect(film_graph, QUESTIONS, learned_model().weights, Judge(film_graph)))
    learnt, unlearnt = (report(examples, its, {}, "test")["films"][0] for its in (weights, {}))
    assert learnt == 1.0 >= unlearnt


def test_a_model_under_which_a_group_that_is_left_out_loses_is_not_written(
    examples: list[Example], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "model.json"
    # The groups are those of two graphs, each of which is left out in turn.
    examples = [replace(e, graph="other films") if e.asked.group == "more films" else e for e in examples]
    write(model, examples)
    written = json.loads(model.read_text())
    assert written["features"] == sorted(written["weights"])
    assert set(written["left_out"]) == {"films: films", "other films: more films"}
    better = {group: [2.0, 2.0] for group in written["left_out"]}
    model.write_text(json.dumps(written | {"left_out": better}))
    with pytest.raises(SystemExit, match="not written: left out"):
        write(model, examples)
    assert json.loads(model.read_text())["left_out"] == better
    write(model, examples, accept=True)
    assert json.loads(model.read_text()) == written
