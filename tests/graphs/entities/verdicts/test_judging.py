"""Verdicts on mentions of the bundled graph and of the movie slice: present, absent and ambiguous names."""

from pathlib import Path

import pytest

from graphground.graphs.entities.candidate import Candidate, Record
from graphground.graphs.entities.index import EntityIndex
from graphground.graphs.entities.verdicts.judging import CONSIDERED, FEATURES, Judgement, by_text, features_of, judge
from tests.support.index_files import indexed

RECORDS = [
    Record("P1", "Player", "LeBron James", ("King James",)),
    Record("P2", "Player", "Gus Williams", ("The Wizard",)),
    Record("P3", "Player", "Allen Iverson", ("A.I.", "The Answer")),
    Record("P4", "Player", "Michael Jordan", ("MJ",)),
    Record("P5", "Player", "DeAndre Jordan"),
    Record("P6", "Player", "Michael Jordan", (), "another"),
    Record("T1", "Team", "Washington Wizards", ("Wizards",)),
    Record("T2", "Team", "Los Angeles Lakers", ("Lakers",)),
    Record("V1", "Venue", "Golden 1 Center"),
    *(Record(f"N{number}", "Player", name) for number, name in enumerate(
        ["Carl Landry", "Karl Malone", "Cliff Hagan", "Adam Ingram", "Bob Cousy", "Tim Duncan", "Kobe Bryant", "Dirk Nowitzki"]
    )),
]  # fmt: skip


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> EntityIndex:
    folder = tmp_path_factory.mktemp("index") / "nba"
    return indexed(folder, RECORDS)


def verdict(index: EntityIndex, mention: str) -> Judgement:
    return judge(mention, index.find(mention, mode="fuzzy", limit=CONSIDERED), index)


@pytest.mark.parametrize(
    ("mention", "name"),
    [
        ("lebron jmes", "LeBron James"),
        ("A.I.", "Allen Iverson"),
        ("Golrtn 1 Center", "Golden 1 Center"),
        ("Nowitzki", "Dirk Nowitzki"),
        ("the Wizards", "Washington Wizards"),
        ("AI", "Allen Iverson"),
    ],
)
def test_a_certain_match_is_found_with_one_candidate(index: EntityIndex, mention: str, name: str) -> None:
    judgement = verdict(index, mention)
    assert (judgement.verdict, [candidate.name for candidate in judgement.candidates]) == ("found", [name])


PARTS = [
    Record("B1", "Bank", "Standard Chartered Plc"),
    Record("B2", "Bank", "Goldman Sachs International"),
    Record("B3", "Bank", "Dekker & Zoon"),
    Record("S1", "Post", "United States Secretary of State"),
    *(Record(f"A{number}", "Award", f"{name} Award for Best Director") for number, name in enumerate(
        ["Goya", "Saturn", "Filmfare", "Hong Kong", "Polish", "Swiss", "Danish", "Spirit"]
    )),
    Record("C1", "Country", "Iceland"),
    Record("K1", "Shop", "Foods Limited", ("Iceland",)),
    Record("P1", "Player", "Arvid Stenmark", ("Stork",), None, {"nicknames": ["Stork"]}),
    *(Record(f"O{number}", "Bank", name) for number, name in enumerate(
        ["Deutsche Kredit", "Commerz und Privat", "Nordea", "Rabobank", "Santander", "Handelsbanken", "Lloyds"]
    )),
]  # fmt: skip


@pytest.mark.parametrize(
    ("mention", "verdict_on_it", "name"),
    [
        ("Standard Charterd", "found", "Standard Chartered Plc"),
        ("Secretaries of State", "found", "United States Secretary of State"),
        ("Best Director", "ambiguous", "Goya Award for Best Director"),
        ("iceland", "found", "Iceland"),
        ("Stork", "found", "Arvid Stenmark"),
    ],
)
def test_a_part_of_a_name_that_stands_there_is_never_absent_and_an_exact_name_decides(
    tmp_path: Path, mention: str, verdict_on_it: str, name: str
) -> None:
    judgement = verdict(indexed(tmp_path / "parts", PARTS), mention)
    assert judgement.verdict == verdict_on_it
    assert name in [candidate.name for candidate in judgement.candidates]


NUMBERED = [
    *(Record(f"A{number}", "Award", f"{number}th Academy Awards") for number in (44, 74, 80, 108)),
    *(Record(f"R{number}", "Road", f"Interstate {number}") for number in (5, 10, 90)),
    Record("F1", "Player", "Stephen Curry"),
    Record("F2", "Player", "Philip Jackson"),
    Record("F3", "Player", "Katherine Durant"),
    Record("F4", "Player", "Dell Curry"),
]


@pytest.fixture(scope="module")
def numbered(tmp_path_factory: pytest.TempPathFactory) -> EntityIndex:
    folder = tmp_path_factory.mktemp("numbered") / "index"
    return indexed(folder, [*RECORDS, *NUMBERED])


@pytest.mark.parametrize(
    "mention", ["84th Academy Awards", "106th Academy Awards", "47th Acadmy Awards", "Interstate 80"]
)
def test_a_different_number_makes_a_different_name_and_is_no_typing_error(numbered: EntityIndex, mention: str) -> None:
    assert verdict(numbered, mention).verdict == "not_found"


@pytest.mark.parametrize(
    ("mention", "name"),
    [
        ("Steven Curry", "Stephen Curry"),
        ("Filip Jackson", "Philip Jackson"),
        ("Catherine Durant", "Katherine Durant"),
        ("80th Acadmy Awards", "80th Academy Awards"),
    ],
)
def test_a_name_with_a_word_of_the_same_sound_is_found(numbered: EntityIndex, mention: str, name: str) -> None:
    judgement = verdict(numbered, mention)
    assert (judgement.verdict, [candidate.name for candidate in judgement.candidates]) == ("found", [name])


@pytest.mark.parametrize("mention", ["Carl Sagan", "Emperor Hirohito", "Adele Inkster", "Quentin Tarantino", "???"])
def test_an_absent_name_is_not_found_and_has_at_most_two_candidates(index: EntityIndex, mention: str) -> None:
    judgement = verdict(index, mention)
    assert judgement.verdict == "not_found"
    assert len(judgement.candidates) <= 2


def test_the_names_returned_for_an_absent_name_are_the_most_similar_first_even_if_one_occurs_again(
    index: EntityIndex,
) -> None:
    names = ["Bob Cousy", "Cliff Hagan", "Tim Duncan", "Bob Cousy"]
    candidates = [
        Candidate(name, "Player", "name", 0.4 - number / 100, "fuzzy", f"C{number}")
        for number, name in enumerate(names)
    ]
    judgement = judge("Quentin Tarantino", candidates, index)
    assert (judgement.verdict, [candidate.key for candidate in judgement.candidates]) == ("not_found", ["C0", "C1"])


def test_initials_of_an_alias_do_not_match_whole_words(index: EntityIndex) -> None:
    found = index.find("Adam Inkster", mode="fuzzy", limit=5)
    assert all(candidate.name != "Allen Iverson" or candidate.score < 0.5 for candidate in found)


def test_namesakes_and_shared_surnames_are_ambiguous(index: EntityIndex) -> None:
    same, shared = verdict(index, "michael jordan"), verdict(index, "Jordan")
    assert (same.verdict, {candidate.key for candidate in same.candidates}) == ("ambiguous", {"P4", "P6"})
    assert shared.verdict == "ambiguous"
    assert {"P4", "P5", "P6"} <= {candidate.key for candidate in shared.candidates}


def test_a_match_by_meaning_alone_is_ambiguous(index: EntityIndex) -> None:
    found = index.find("LeBron James", mode="fuzzy", limit=2)
    assert judge("the king", found, index, by_meaning=True).verdict == "ambiguous"
    assert judge("the king", [], index, by_meaning=True).verdict == "not_found"


def test_a_plain_word_is_not_a_part_of_a_name(tmp_path: Path) -> None:
    names = [Record("1", "Job", "video game publisher"), Record("2", "Person", "Alfred Hitchcock")]
    index = indexed(tmp_path / "i", names)

    def verdict(mention: str) -> str:
        return judge(mention, index.find(mention, limit=30), index).verdict

    assert verdict("publisher") == "not_found"
    assert verdict("game publisher") != "not_found"
    assert verdict("hitchcock") != "not_found"


def test_a_part_of_an_alias_is_not_found(tmp_path: Path) -> None:
    index = indexed(tmp_path / "i", [Record("1", "Company", "Telemundo", ("Miss Universe Puerto Rico",))])
    assert judge("Miss Universe", index.find("Miss Universe", limit=30), index).verdict == "not_found"


NAMESAKES = [
    Record("B1", "Attack", "2011 Al Hillah bombing"),
    Record("B2", "Attack", "2016 Wagah border attack"),
    *(Record(f"M{number}", "Painting", "Red") for number in range(8)),
    *(Record(f"G{number}", f"Label {number}", "Alberta") for number in range(9)),
    Record("K1", "Player", "Conrad Kellogg", ("Red",)),
]


@pytest.fixture(scope="module")
def namesakes(tmp_path_factory: pytest.TempPathFactory) -> EntityIndex:
    folder = tmp_path_factory.mktemp("namesakes") / "index"
    return indexed(folder, [*RECORDS, *NAMESAKES])


@pytest.mark.parametrize(
    ("mention", "name"),
    [
        ("2101 Al Hillah bombing", "2011 Al Hillah bombing"),
        ("206 Wagah border attack", "2016 Wagah border attack"),
        ("20016 Wagah border attack", "2016 Wagah border attack"),
    ],
)
def test_a_number_with_a_missing_added_or_swapped_digit_is_a_misspelt_year(
    namesakes: EntityIndex, mention: str, name: str
) -> None:
    judgement = judge(mention, namesakes.find(mention, limit=CONSIDERED), namesakes)
    assert judgement.verdict != "not_found"
    assert name in {candidate.name for candidate in judgement.candidates}


def test_a_different_year_makes_a_different_name(namesakes: EntityIndex) -> None:
    for mention in ("2010 Al Hillah bombing", "2061 Wagah border attack", "1011 Al Hillah bombing"):
        judgement = judge(mention, namesakes.find(mention, limit=CONSIDERED), namesakes)
        assert judgement.verdict == "not_found"


def test_an_alias_ranks_among_the_first_even_if_a_label_has_many_namesakes(namesakes: EntityIndex) -> None:
    judgement = judge("Red", namesakes.find("Red", limit=CONSIDERED), namesakes)
    assert judgement.verdict == "ambiguous"
    assert {candidate.key for candidate in judgement.candidates[:2]} == {"M0", "K1"}
    assert len(judgement.candidates) == 9


def test_namesakes_do_not_count_as_rivals_of_each_other(namesakes: EntityIndex) -> None:
    found = namesakes.find("Albrta", mode="fuzzy", limit=CONSIDERED)
    judgement = judge("Albrta", found, namesakes)
    assert judgement.verdict == "ambiguous"
    assert [candidate.name for candidate in judgement.candidates] == ["Alberta"] * 9
    texts = [its[0] for its in by_text(found)]
    rivals = features_of("Albrta", texts, namesakes)[0][FEATURES.index("rivals")]
    assert rivals == 0
