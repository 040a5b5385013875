from pathlib import Path

import pytest

from examples.graphraft.pairs import AnsweredQuestion, QuestionFileError, read_questions

WANTED = [
    AnsweredQuestion("Who directed Heat?", (("Michael Mann",),)),
    AnsweredQuestion("How long are Heat and Ronin?", (("Heat", 170), ("Ronin", None))),
]
FILES = {
    "q.csv": 'question,answers\nWho directed Heat?,Michael Mann\nHow long are Heat and Ronin?,"[[""Heat"", 170], [""Ronin"", null]]"\n',
    "q.json": '[{"question": "Who directed Heat?", "answers": ["Michael Mann"]},'
    ' {"question": "How long are Heat and Ronin?", "answers": [["Heat", 170], ["Ronin", null]]}]',
    "q.jsonl": '{"question": "Who directed Heat?", "answers": ["Michael Mann"]}\n\n'
    '{"question": "How long are Heat and Ronin?", "answers": [["Heat", 170], ["Ronin", null]]}\n',
}


@pytest.mark.parametrize("name", FILES)
def test_each_file_format_gives_the_same_questions(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(FILES[name], encoding="utf-8")
    assert read_questions(tmp_path / name) == WANTED


def test_names_in_csv_may_be_enclosed_in_bars(tmp_path: Path) -> None:
    file = tmp_path / "q.csv"
    file.write_text("\ufeffquestion,answers\nWhich?,Heat|Ærø [film]\n", encoding="utf-8")
    assert read_questions(file)[0].answers == (("Heat",), ("Ærø [film]",))


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("q.csv", "question,answer\nWho?,x\n", "line 2: `answers`"),
        ("q.csv", 'question,answers\nWho?,"[1"\n', "`answers` must be a non-empty list"),
        ("q.jsonl", '{"question": "Who?"', "line 1, is not JSON"),
        ("q.json", "[1]", "entry 1: there is no `question`"),
        ("q.json", '[{"question": "Who?", "answers": [["a"], ["b", 1]]}]', "different lengths"),
        ("q.json", '[{"question": "Who?", "answers": [{"a": 1}]}]', "an answer is an object"),
    ],
)
def test_an_invalid_file_is_refused_with_the_position_of_the_error(
    name: str, text: str, reason: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(QuestionFileError, match=reason):
        read_questions(tmp_path / name)
