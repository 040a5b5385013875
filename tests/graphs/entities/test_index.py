from collections.abc import Iterator
from pathlib import Path

import pytest

from graphground.graphs.entities.build import build_index
from graphground.graphs.entities.candidate import IndexMissing, Record, Search, UnknownName
from graphground.graphs.entities.index import EntityIndex, open_index
from tests.support.index_files import indexed


@pytest.mark.parametrize(
    ("mention", "name"),
    [
        ("LeBron James", "LeBron James"),
        ("lebron jmes", "LeBron James"),
        ("James, LeBron", "LeBron James"),
        ("L. James", "LeBron James"),
        ("lebronjames", "LeBron James"),
        ("Le Bron James", "LeBron James"),
        ("beyonce knowles", "Beyoncé Knowles-Carter"),
        ("Atlantic", "Atlantic Ocean"),
        ("the big aple", "New York City"),
        ("東京", "東京都"),
        ("मुंबई", "मुंबई"),
        ("киів", "Київ"),
        ("!!!", "!!!"),
    ],
)
def test_the_entity_of_a_mention_is_the_first_candidate(people: EntityIndex, mention: str, name: str) -> None:
    assert people.find(mention)[0].name == name


def test_several_mentions_together_get_the_same_results_as_each_alone(people: EntityIndex) -> None:
    mentions = ["lebron jmes", "Queeen", "", "Michael Jordan", "qqqq", "Queeen", "Untied States"]
    for label in (None, "Player", "Moon"):
        assert people.find_all(mentions, Search(label)) == [people.find(mention, label=label) for mention in mentions]
    assert people.find_all([]) == []


def test_the_kind_of_match_is_reported(people: EntityIndex) -> None:
    expected = ["exact", "exact", "alias", "fuzzy"]
    assert [people.find(mention)[0].match for mention in ("Queen", "queen", "NYC", "Queeen")] == expected


def test_only_the_identical_text_scores_1(people: EntityIndex) -> None:
    assert people.find("Queen")[0].score == 1.0
    assert 0.9 < people.find("queen")[0].score < 1.0


def test_a_label_limits_the_candidates(people: EntityIndex) -> None:
    assert {candidate.key for candidate in people.find("Michael Jordan", label="Person")} == {"Q8704"}


@pytest.mark.parametrize(
    ("mention", "name"), [("Beatles", "The Beatles"), ("Hereafter", "The Hereafter"), ("Bruins", "Boston Bruins")]
)
def test_a_known_word_is_not_taken_for_a_misspelling_of_another_word(tmp_path: Path, mention: str, name: str) -> None:
    names = [
        "beetles",
        "The Beatles",
        "Heretofore",
        "The Hereafter",
        "Hereafter Again",
        "Ducklings",
        "Ducks of the Ice",
        "Bruins Hockey Rules",
        "Boston Bruins",
        "Bruns",
        "Ben Jonson",
        "B. Jonson Society",
        "B. Johnston",
    ]
    index = indexed(tmp_path / "i", [Record(str(number), "Thing", name) for number, name in enumerate(names)])
    assert index.find(mention)[0].name == name


def test_a_label_is_searched_as_if_it_were_the_only_label(tmp_path: Path) -> None:
    names = [f"{first} {last}" for first in ("Anna", "Hanna", "Johanna", "Joan") for last in ("Lee", "Leigh", "Leeds")]
    records = [
        Record(f"{label}{number}", label, name)
        for label in ("City", "Person", "Team")
        for number, name in enumerate(names)
    ]
    together = indexed(tmp_path / "all", records)
    alone = indexed(tmp_path / "people", [record for record in records if record.label == "Person"])
    for mention in ("Hana Lee", "Joanna Leed", "leigh", "A. Leeds"):
        assert [(candidate.key, candidate.match) for candidate in together.find(mention, label="Person", limit=3)] == [
            (candidate.key, candidate.match) for candidate in alone.find(mention, limit=3)
        ]


def test_a_candidate_found_by_an_alias_has_the_name_to_write_and_the_matched_text(people: EntityIndex) -> None:
    found = people.find("king james")[0]
    assert (found.name, found.property, found.matched) == ("LeBron James", "aliases", "King James")


def test_a_property_value_that_several_nodes_have_is_found_once(people: EntityIndex) -> None:
    found = people.find("Untied States", property="country_of_citizenship")
    assert [(candidate.name, candidate.property, candidate.description) for candidate in found] == [
        ("United States", "country_of_citizenship", "country_of_citizenship of 2 Player nodes")
    ]


def test_entities_with_the_same_name_are_counted_and_never_merged(people: EntityIndex) -> None:
    assert {candidate.key for candidate in people.find("Michael Jordan")[:2]} == {"Q41421", "Q8704"}
    assert people.same_name("michael jordan") == 2
    assert people.same_name("Michael Jordan", label="Player") == 1


def test_the_method_holds_compares_texts_exactly(people: EntityIndex) -> None:
    assert people.holds("New York City", label="City", property="name")
    assert not people.holds("new york city")
    assert not people.holds("New York City", label="Player")
    assert not people.holds("New York City", label="Moon")


def test_the_method_holds_gives_no_false_alarm_about_values_outside_the_index(
    people: EntityIndex, tmp_path: Path
) -> None:
    assert people.holds("New York City", property="nickname")
    long_name, long_title = "word " * 100, "title " * 40
    index = indexed(tmp_path / "i", [Record("1", "Book", long_name, values={"title": long_title})])
    assert index.holds(long_name, label="Book", property="name")
    assert index.holds(long_title, property="title") or "title" not in index.info.properties
    assert not index.holds("another", label="Book", property="name")


@pytest.mark.parametrize("mention", ["", " ", "\x00\x01", "\ud800"])
def test_a_mention_without_letters_has_no_candidates(people: EntityIndex, mention: str) -> None:
    assert people.find(mention) == []


@pytest.mark.parametrize("mention", ["x", "?", "...", "😀", "a" * 10_000, "the " * 3_000, "Queen\x00", "\u202equeen"])
def test_an_odd_mention_has_at_most_the_requested_number_of_candidates(people: EntityIndex, mention: str) -> None:
    assert len(people.find(mention, limit=3)) <= 3


def test_an_unknown_label_is_reported_with_the_nearest(people: EntityIndex) -> None:
    with pytest.raises(UnknownName, match=r"no label 'Playr' \(nearest: Player"):
        people.check_names("Playr", None)
    with pytest.raises(UnknownName, match=r"no property 'alias' \(nearest: aliases"):
        people.check_names("Player", "alias")
    assert people.find("LeBron James", label="Playr") == []


def test_a_missing_index_is_reported_with_the_command_that_builds_it(tmp_path: Path) -> None:
    with pytest.raises(IndexMissing, match="graphground entities build"):
        open_index(tmp_path / "none")


def test_an_unfinished_build_does_not_affect_the_older_index(tmp_path: Path) -> None:
    build_index(tmp_path / "one", [Record("Q1", "A", "one")])

    def broken() -> Iterator[Record]:
        yield Record("Q2", "A", "two")
        raise OSError("the connection was lost")

    with pytest.raises(OSError, match="was lost"):
        build_index(tmp_path / "one", broken())
    assert [path.name for path in tmp_path.iterdir()] == ["one"]
    assert open_index(tmp_path / "one").find("one")[0].key == "Q1"
