"""The mentions in questions: each is recognised as a whole, even if misspelt or unknown, and never only in part."""

import pytest

from graphground.graphs.entities.candidate import Record
from graphground.graphs.entities.index import EntityIndex
from graphground.graphs.question.read import asked_part, read_text
from tests.support.documents import schema
from tests.support.index_files import indexed

SCHEMA = schema("mixed", {"Movie": {}, "Genre": {}, "Person": {}, "Venue": {}, "Country": {}}, ["Movie hasGenre Genre"])
RECORDS = [
    Record("V1", "Venue", "Golden 1 Center"),
    Record("V2", "Venue", "Center"),
    Record("C1", "Country", "Greece"),
    Record("G1", "Genre", "action film"),
    Record("G2", "Genre", "land art"),
    Record("P1", "Person", "Michael Mann"),
    Record("P2", "Person", "Portia Mann"),
    Record("M1", "Movie", "Portrait of a Lady with a Flower"),
    Record("G3", "Genre", "crimson"),
    Record("G4", "Genre", "gold"),
    Record("V3", "Venue", "Universal Music Group"),
    Record("G5", "Genre", "music"),
    Record("G6", "Genre", "automatic movie"),
    Record("M2", "Movie", "Crimson and Gold"),
    Record("P3", "Person", "Academy Award for Best Director"),
]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> EntityIndex:
    folder = tmp_path_factory.mktemp("index") / "mixed"
    return indexed(folder, RECORDS)


@pytest.mark.parametrize(
    ("question", "mentions"),
    [
        ("Who played at the Golrtn 1 Center?", [("Golrtn 1 Center", "found")]),
        ("Who left the Democratic Socialist Party of Greece?", [("Democratic Socialist Party of Greece", "not_found")]),
        ("Which gothic films did Michael Mann make?", [("Michael Mann", "found")]),
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
        (
            "Which movies are an automtic movie by Michael Mann?",
            [("automtic movie", "found"), ("Michael Mann", "found")],
        ),
        ("Which movies are crimson or gold?", [("crimson", "found"), ("gold", "found")]),
        ("Actors in Crimson and Gold", [("Crimson and Gold", "found")]),
        ("Which movies belong to Universal Music?", [("Universal Music", "found")]),
        ("Which movies got Best Director?", [("Best Director", "found")]),
        ("Which genres that include movies were made on April 17th?", []),
    ],
)
def test_each_mention_in_a_question_is_recognised_with_its_verdict(
    index: EntityIndex, question: str, mentions: list[tuple[str, str]]
) -> None:
    found = read_text(question, SCHEMA, index).mentions
    assert [(mention.text, mention.verdict) for mention in found] == mentions


CITIES = schema(
    "cities",
    {"City": {}, "Series": {}, "MusicalGroup": {}, "Disease": {}},
    ["Series setIn City", "MusicalGroup causeOfDeath Disease"],
)


@pytest.fixture(scope="module")
def cities(tmp_path_factory: pytest.TempPathFactory) -> EntityIndex:
    folder = tmp_path_factory.mktemp("index") / "cities"
    names = [
        ("City", "Las Vegas"),
        ("City", "Las Cruces"),
        ("City", "Beverly Hills"),
        ("City", "Beverly"),
        ("Series", "Mad Men"),
        ("Series", "Goodfellas"),
        ("Series", "Adaptation"),
        ("Series", "Girl"),
        ("Series", "Girl 27"),
        ("MusicalGroup", "Meena"),
        ("MusicalGroup", "Goldman Sachs Quartet"),
        ("MusicalGroup", "Harvey Weinstein"),
        ("MusicalGroup", "Bob Weinstein"),
        ("MusicalGroup", "Bob Kane"),
        ("Series", "1993 Beverly Hills bombing"),
        ("Series", "Korean War"),
        ("Series", "atheism"),
        ("Series", "Republicans"),
        ("Disease", "heart failure"),
        ("Disease", "death"),
        ("Series", "7X"),
        ("City", "Canton Library"),
        *(("City", name) for name in ("Miami", "Heat", "Miami Heat", "KG")),
    ]
    return indexed(folder, [Record(f"N{number}", label, name) for number, (label, name) in enumerate(names)])


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Which series are set in Las eags?", ["Las Vegas"]),
        ("Is Maa Meen set in Bveerly Hisls?", ["Mad Men", "Beverly Hills"]),
        ("where is goodfellas set", ["Goodfellas"]),
        ("Which series did Goldman play in?", ["Goldman Sachs Quartet"]),
        ("heart failure deaths, which groups", ["heart failure"]),
        ("Which adaptations are set in Las Vegas?", ["Las Vegas"]),
        ("who made Girl 27", ["Girl 27"]),
        ("I'd like to know who died.", []),
        ("Bob + Harvey Weinstein, both", ["Bob Weinstein", "Harvey Weinstein"]),
        ("Who made the 1993 Beverly Hills bombing?", ["1993 Beverly Hills bombing"]),
        ("who won the korean war", ["Korean War"]),
        ("which groups are about atheists", ["atheism"]),
        ("Are there Republican groups?", ["Republicans"]),
        ("who in canton watched 7x", ["Canton Library", "7X"]),
        ("Who was in both the Las Vegas and the Miami Heat?", ["Las Vegas", "Miami Heat"]),
        ("which groups weigh more than 120 kg", []),
    ],
)
def test_the_best_cover_of_all_words_names_the_nodes(cities: EntityIndex, question: str, names: list[str]) -> None:
    mentions = read_text(question, CITIES, cities).mentions
    assert [mention.nodes[0].name for mention in mentions if mention.verdict != "not_found"] == names


def test_numbers_and_dates_have_their_comparisons(cities: EntityIndex) -> None:
    read = read_text("series in Las Vegas with at least 3 seasons since 1990, not on May 5th, 2001", CITIES, cities)
    expected = [("number", 3, ">="), ("year", 1990, ">"), ("date", "2001-05-05", "<>")]
    assert [(its.kind, its.value, its.comparison) for its in read.quantities] == expected


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Our action group meets here, and I should like to know who painted it, please.", "who painted it"),
        ("Since I love music, which films has he made?", "which films has he made?"),
        ("Could you kindly list the films of Mann?", " the films of Mann?"),
        (
            "For the films shot in Greece, please name the actors.",
            "For the films shot in Greece, please name the actors.",
        ),
        ("Which films, which were shot in Greece, are his?", "Which films, which were shot in Greece, are his?"),
        ("Who saw Catch Me If You Can?", "Who saw Catch Me If You Can?"),
    ],
)
def test_a_reason_for_asking_and_courtesy_are_no_part_of_what_is_asked(question: str, asked: str) -> None:
    assert question[slice(*asked_part(question))] == asked


def test_a_reason_for_asking_names_nodes_only_by_names_in_capitals(index: EntityIndex) -> None:
    read = read_text("I love music, saw Michael Mann in Greece, so can you tell me which films he made?", SCHEMA, index)
    assert [mention.text for mention in read.mentions] == ["Michael Mann", "Greece"]
    assert [read.words[place].text for place in read.content] == ["films"]
