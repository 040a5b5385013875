from pathlib import Path

import pytest

from graphground.graphs.entities.build import build_index
from graphground.graphs.entities.candidate import Record
from graphground.graphs.entities.index import EntityIndex, open_index

PEOPLE = [
    Record(
        "Q36159",
        "Player",
        "LeBron James",
        ("King James",),
        "American basketball player",
        {"country_of_citizenship": ["United States"]},
    ),
    Record(
        "Q41421",
        "Player",
        "Michael Jordan",
        ("MJ", "Air Jordan"),
        "American basketball player",
        {"country_of_citizenship": ["United States"]},
    ),
    Record("Q3308285", "Player", "Michael B. Jordan", (), "American actor"),
    Record("Q36153", "Person", "Beyoncé Knowles-Carter", ("Beyoncé",), "American singer"),
    Record("Q8704", "Person", "Michael Jordan", (), "English footballer"),
    Record("Q97", "Ocean", "Atlantic Ocean", ("Atlantic",), None),
    Record("Q60", "City", "New York City", ("The Big Apple", "NYC"), "largest city of the United States"),
    Record("Q1490", "City", "東京都", ("Tokyo",), "capital of Japan"),
    Record("Q1156", "City", "मुंबई", ("Mumbai",), "city in India"),
    Record("Q899", "City", "Київ", ("Kyiv",), "capital of Ukraine"),
    Record("Q371938", "Band", "!!!", (), "American dance-punk band"),
    Record("Q15862", "Band", "Queen", (), "British rock band"),
]


@pytest.fixture(scope="session")
def people(tmp_path_factory: pytest.TempPathFactory) -> EntityIndex:
    """Build an index of a dozen entities in several scripts, two of them with the same name."""
    folder: Path = tmp_path_factory.mktemp("entities") / "people"
    build_index(folder, PEOPLE, source="a dozen records")
    return open_index(folder)
