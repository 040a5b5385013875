"""Executes the examples in the docstrings of the language package."""

import doctest
import importlib
import pkgutil
from typing import Any

import pytest

from graphground import cypher
from graphground.cypher import parse, validate
from graphground.cypher.outline import outline_of
from tests.support.documents import schema
from tests.support.films import FILMS

COMPANIES = schema(
    "companies", {"Company": {}, "Person": {}, "Country": {}}, ["Company basedIn Country", "Company hasCEO Person"]
)

MODULES = sorted(module.name for module in pkgutil.walk_packages(cypher.__path__, "graphground.cypher."))


def _names() -> dict[str, Any]:
    """Return the names that examples use without defining them, with their values."""
    query = parse("MATCH (n:Firm)-[:locatedIn]->(m {name: 'Chile'}) RETURN n.name")
    facts = outline_of(query, COMPANIES)
    return {"schema": FILMS, "facts": facts, "validate": validate, "text": "MATCH (n) RETURN n.name"}


@pytest.mark.parametrize("module", ["graphground.cypher", *MODULES])
def test_the_examples_in_the_docstrings_of_a_module_are_true(module: str) -> None:
    outcome = doctest.testmod(importlib.import_module(module), extraglobs=_names())
    assert not outcome.failed


def test_there_are_examples_to_execute() -> None:
    found = [doctest.DocTestFinder().find(importlib.import_module(module)) for module in MODULES]
    assert sum(len(example.examples) for examples in found for example in examples) > 60
