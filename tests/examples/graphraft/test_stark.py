from pathlib import Path

import pytest

from examples.graphraft.stark import RetrievalQuestion, StarkFileError, read_stark, score_rankings


@pytest.fixture
def stark_folder(tmp_path: Path) -> Path:
    """Write invented questions in the published layout; return the folder."""
    for name, lines in {
        "stark_qa/stark_qa.csv": [
            "id,query,answer_ids",
            '4,"Which lamp, if any, fits a kitchen?","[7, 12]"',
            '0,"Which chair is ""light""?\nAnd red?",[3]',
            "9,Which desk?,[]",
        ],
        "stark_qa/stark_qa_human_generated_eval.csv": ["id,query,answer_ids", "1,chair for two,[5]"],
        "split/test.index": ["0", "4"],
        "split/val.index": ["9"],
        "split/train.index": ["8"],
    }.items():
        file = tmp_path / "made" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path / "made"


def test_a_split_has_its_questions_in_the_given_order(stark_folder: Path) -> None:
    assert read_stark(stark_folder, "test") == [
        RetrievalQuestion(0, 'Which chair is "light"?\nAnd red?', frozenset({3})),
        RetrievalQuestion(4, "Which lamp, if any, fits a kitchen?", frozenset({7, 12})),
    ]
    assert read_stark(stark_folder, human=True) == [RetrievalQuestion(1, "chair for two", frozenset({5}))]
    assert read_stark(stark_folder, "val")[0].answers == frozenset()


def test_files_in_another_layout_are_refused_with_the_position(stark_folder: Path) -> None:
    with pytest.raises(StarkFileError, match=r"train\.index, line 1: there is no question '8'"):
        read_stark(stark_folder, "train")
    with pytest.raises(StarkFileError, match="no split 'dev'"):
        read_stark(stark_folder, "dev")
    with pytest.raises(StarkFileError, match=r"stark_qa\.csv cannot be read"):
        read_stark(stark_folder / "nothing")
    file = stark_folder / "stark_qa" / "stark_qa.csv"
    file.write_text("id,query,answers\n", encoding="utf-8")
    with pytest.raises(StarkFileError, match="columns answer_ids, id, query"):
        read_stark(stark_folder)
    file.write_text("id,query,answer_ids\n1,Which?,__import__('os')\n", encoding="utf-8")
    with pytest.raises(StarkFileError, match="line 2"):
        read_stark(stark_folder)


def test_a_missing_ranking_counts_as_wrong_and_rankings_of_nothing_are_refused(
    stark_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "rankings.jsonl"
    file.write_text('{"id": 0, "ranked": [8, 3]}\n')
    found = score_rankings(stark_folder, file)
    assert found == {"hit@1": 0.0, "hit@5": 0.5, "recall@20": 0.5, "mrr": 0.25}
    assert "without a ranking: 1 of 2 questions" in capsys.readouterr().err
    for line, said in (
        ('{"id": "0"}', "record 1: expected"),
        ('{"id": 2, "ranked": []}', "to none of the 2 questions"),
    ):
        file.write_text(line)
        with pytest.raises(StarkFileError, match=said):
            score_rankings(stark_folder, file)
