import doctest
from pathlib import Path


def test_the_examples_of_the_validation_page_give_the_output_shown() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "validation.md"
    outcome = doctest.testfile(str(page), module_relative=False)
    assert outcome.attempted > 5
    assert outcome.failed == 0
