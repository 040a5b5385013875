import gzip
import json
from pathlib import Path

import pytest

from graphground.graphs.entities.candidate import Record
from graphground.graphs.entities.index import EntityIndex
from tests.support.index_files import indexed
from tests.support.shared_data import SHARED, needs


def texts(index: EntityIndex, question: str) -> list[str]:
    return [span.text for span in index.spans(question)]


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("How old is LeBron James?", ["LeBron James"]),
        ("how old is lebron james's mother", ["lebron james"]),
        ("Did King James play in new york city or in (Tokyo)?", ["King James", "new york city", "Tokyo"]),
        (
            "Which songs of Beyoncé Knowles–Carter were recorded in Mumbai, Kyiv and 東京都?",
            ["Beyoncé Knowles–Carter", "Mumbai", "Kyiv", "東京都"],
        ),
        ("What is the name of the queen?", ["queen"]),
        ("", []),
        ("??", []),
        ("x" * 10_000, []),
    ],
)
def test_names_are_found_in_a_question(people: EntityIndex, question: str, names: list[str]) -> None:
    found = texts(people, question)
    assert set(names) <= set(found)
    assert bool(found) == bool(names)


def test_names_within_longer_names_are_found_too(tmp_path: Path) -> None:
    names = [Record("1", "City", "New York"), Record("2", "Film", "Gangs of New York"), Record("3", "Team", "Gangs")]
    found = texts(indexed(tmp_path / "i", names), "who shot gangs of new york?")
    assert found == ["gangs", "gangs of new york", "new york"]


def test_a_common_word_is_a_name_only_if_written_as_a_name(tmp_path: Path) -> None:
    names = [Record("1", "Film", "It"), Record("2", "Film", "Who"), Record("3", "Film", "1984")]
    index = indexed(tmp_path / "i", names)
    assert texts(index, "Who made it in 1984?") == []
    assert texts(index, "Who directed the film It?") == ["It"]
    assert texts(index, 'Who directed "1984" and "it"?') == ["1984", "it"]


def test_a_span_has_its_position_and_its_labels(people: EntityIndex) -> None:
    question = "When was Michael Jordan born?"
    (span,) = people.spans(question)
    assert question[span.start : span.end] == span.text == "Michael Jordan"
    assert set(span.labels) == {"Player", "Person"}


@needs("cypherbench_tasks", "entity_mentions.jsonl.gz")
def test_entities_of_real_questions_are_found(tmp_path: Path) -> None:
    with gzip.open(SHARED / "cypherbench_tasks" / "entity_mentions.jsonl.gz", "rt", encoding="utf-8") as lines:
        mentions = [
            mention
            for mention in map(json.loads, lines)
            if mention["property"] == "name" and mention["verbatim_in_question"]
        ]
    index = indexed(
        tmp_path / "i",
        [Record(str(number), mention["label"], mention["value"]) for number, mention in enumerate(mentions)],
    )
    asked = mentions[::4]
    found = sum(
        any(mention["value"] in span.text for span in index.spans(mention["example_question"])) for mention in asked
    )
    assert found / len(asked) > 0.97
