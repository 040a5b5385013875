"""The mentions in questions: each is recognised as a whole, even if misspelt or unknown, and never only in part."""

import pytest

from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.entities.build import build_index
from graphground.graphs.entities.index import EntityIndex, open_index
from graphground.graphs.entities.question import mentions_of
from graphground.graphs.entities.record import Record

SCHEMA = PropertyGraphSchema.from_cypherbench(
    {
        "name": "mixed",
        "entities": [{"label": label, "properties": {}} for label in ("Movie", "Genre", "Person", "Venue", "Country")],
        "relations": [{"label": "hasGenre", "subj_label": "Movie", "obj_label": "Genre", "properties": {}}],
    }
)
RECORDS = [
    Record("V1", "Venue", "Golden 1 Center"),
    Record("V2", "Venue", "Center"),
    Record("C1", "Country", "Greece"),
    Record("G1", "Genre", "action film"),
    Record("G2", "Genre", "land art"),
    Record("P1", "Person", "Michael Mann"),
    Record("P2", "Person", "Portia Mann"),
    Record("M1", "Movie", "Portrait of a Lady with a Flower"),
]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> EntityIndex:
    folder = tmp_path_factory.mktemp("index") / "mixed"
    build_index(folder, RECORDS)
    return open_index(folder)


def mentions_found(index: EntityIndex, question: str) -> list[tuple[str, str]]:
    return [(mention.text, mention.judgement.verdict) for mention in mentions_of(question, index, SCHEMA)]


@pytest.mark.parametrize(
    ("question", "mentions"),
    [
        ("Who played at the Golrtn 1 Center?", [("Golrtn 1 Center", "found")]),
        (
            "Who belongs to the Democratic Socialist Party of Greece?",
            [("Democratic Socialist Party of Greece", "not_found")],
        ),
        ("Which gothic films did Michael Mann make?", [("gothic", "not_found"), ("Michael Mann", "found")]),
        ("Which movies did Micheal Man make?", [("Micheal Man", "found")]),
        ("Which movies are lnad art?", [("lnad art", "found")]),
        (
            "Was Portrait of a Lady with a Flofwer made in Greece?",
            [("Portrait of a Lady with a Flofwer", "found"), ("Greece", "found")],
        ),
        (
            "Did Michael Mann and Quentin Tarantino meet?",
            [("Michael Mann", "found"), ("Quentin Tarantino", "not_found")],
        ),
        ("How many different movies are there?", []),
        ("Which genres that include movies were made on April 17th?", []),
    ],
)
def test_each_mention_in_a_question_is_recognised_with_its_verdict(
    index: EntityIndex, question: str, mentions: list[tuple[str, str]]
) -> None:
    assert mentions_found(index, question) == mentions
