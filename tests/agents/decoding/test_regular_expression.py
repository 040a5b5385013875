import random
import re

import pytest

from graphground.agents.decoding.regular_expression import RegularExpressionError, automaton_of
from graphground.graphs.graph import Graph
from graphground.graphs.suggestions import Entity, Mention, regular_expression, space_of, suggest
from tests.support.embedded_films import SCHEMA

EXPRESSIONS = [
    "a|bc|",
    "(?:ab|a)(?:c|bc)?",
    r"-?[0-9]{1,3}(?:\.[0-9]{1,2})?",
    r"'(?:[^'\\]|\\['\\])*'",
    r"[a-c\-]+é[^\]a]{2,}",
    r"\d\w\s?.",
    "x*y+z{2}",
    "(?:a*b*)*c",
]


def texts_like(pattern: str, rng: random.Random) -> list[str]:
    letters = "abcxyz'\\-é]0. 9[東🎬"
    own = [letter for letter in pattern if letter in letters]
    return ["".join(rng.choices(own if rng.random() < 0.5 else letters, k=rng.randrange(7))) for _ in range(3_000)]


@pytest.mark.parametrize("pattern", EXPRESSIONS)
def test_the_same_texts_match_as_in_python(pattern: str) -> None:
    automaton, expression = automaton_of(pattern), re.compile(pattern, re.ASCII)
    found = 0
    for text in texts_like(pattern, random.Random(pattern)):
        matches = expression.fullmatch(text) is not None
        assert automaton.accepts(text.encode("utf-8")) == matches, text
        found += matches
    assert found


def test_bytes_that_are_not_utf_8_do_not_match() -> None:
    automaton = automaton_of("'[^']*'")
    for wrong in (b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe9"):
        assert not automaton.accepts(b"'" + wrong + b"'")
    assert automaton.accepts("'\U0010ffff\u0080\ufffd'".encode())


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [("(?=a)", "only (?: is supported"), ("(?:a", "not closed"), ("a)", "has no opening"), (r"\bx", r"\\b is not supported"),
     ("*", "must be escaped"), ("[é]", "ASCII"), ("a{5,2}", "{5,2} are not in ascending order"),
     ("a{2000,}", "{2000,} repeats more than 1,000 times"), ("a{5,99999}", "of at most 1,000 times"), ("[a", "ends too early"),
     ("[z-a]", "ends before it begins"), (r"[a-\d]", "must end with a single character")],
)  # fmt: skip
def test_an_expression_that_cannot_be_parsed_is_refused_with_its_position(pattern: str, reason: str) -> None:
    with pytest.raises(RegularExpressionError, match=re.escape(reason).replace(r"\\\\", r"\\")):
        automaton_of(pattern)


def test_the_expression_of_suggested_queries_is_parsed() -> None:
    question = "Which films were directed by Michael O'Mann before 1990?"
    name = "Michael O'Mann"
    mention = Mention(name, 29, 29 + len(name), (Entity(name, "Person", name, 1.0),))
    space = space_of(SCHEMA)
    automaton = automaton_of(regular_expression(SCHEMA, space.likely_patterns(question, [mention], 60)))
    found = suggest(Graph("films", SCHEMA), question, [mention], limit=10)
    assert len(found) == 10
    for suggestion in found:
        assert automaton.accepts(suggestion.cypher.encode("utf-8")), suggestion.cypher
        assert not automaton.accepts(suggestion.cypher.replace("MATCH", "MERGE").encode("utf-8"))
        assert not automaton.accepts(suggestion.cypher.encode("utf-8")[:-1])
