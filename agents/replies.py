"""Parses a model's reply: the query in its text, a grade, a list, a stance."""

from __future__ import annotations

import json
import re
from typing import Any, Literal

from graphground.agents.cypher_text import is_query, may_be_query, query_starts
from graphground.agents.question import Stance

Grade = Literal["accept", "incorrect", "error"]

_FENCE = re.compile(r"(?P<fence>```+|~~~+)[ \t]*(?P<label>[^\n`]*)(?:\n(?P<body>.*?))?(?:(?P=fence)|\Z)", re.DOTALL)
_LABELS = ("cypher", "cql", "opencypher")
_GRADE = re.compile(r"\bgrade\b\W{0,4}(accept|incorrect|error)\b", re.IGNORECASE)
_STANCE = re.compile(r"^\W*stance\W+(not_in_graph|ask|answer)\b", re.IGNORECASE | re.MULTILINE)
_LITERAL = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"")
_ENDS = ("<end_of_turn>", "<|im_end|>", "<|eot_id|>", "</s>")


def query_in(text: str) -> str:
    r"""Return the Cypher query in a reply; empty if the reply contains no query.

    The last block labelled as Cypher is preferred, then the last other block that has the form of a query. Without such
    a block, the first lines that have the form of a query are returned. Code in another language is skipped, even under
    the label `cypher`.

    >>> query_in("Here it is:\n```cypher\nMATCH (t:Team) RETURN t.name\n```\nIt lists the teams.")
    'MATCH (t:Team) RETURN t.name'
    >>> query_in("The answer is Chicago, of course.")
    ''
    """
    for mark in _ENDS:
        text = text.replace(mark, "")
    blocks = [_block(found) for found in _FENCE.finditer(text)]
    named = [body for label, body in blocks if label in _LABELS and may_be_query(body)]
    plain = [body for _, body in blocks if is_query(body)]
    for found in (named, plain):
        if found:
            return found[-1]
    outside = _FENCE.sub("\n\n", text)
    for start in query_starts(outside):
        query = re.split(r"\n\s*\n", outside[start:].strip(), maxsplit=1)[0].strip()
        if is_query(query):
            return query
    return ""


def _block(found: re.Match[str]) -> tuple[str, str]:
    """Return the label and the body of a fenced block, which may stand on one line: "```cypher RETURN 1```"."""
    label, _, rest = found["label"].strip().partition(" ")
    if found["body"] is None:  # a block on one line may have no label
        return (label.lower(), rest.strip()) if label.lower() in _LABELS else ("", found["label"].strip())
    return label.lower(), found["body"].strip()


def grade_in(text: str) -> tuple[Grade, str] | None:
    """Return the grade and the reason in an evaluator's reply; None if there is no grade.

    >>> grade_in("GRADE: incorrect\\nREASON: it counts players, not teams")
    ('incorrect', 'it counts players, not teams')
    """
    found = _GRADE.search(text.replace('"', " "))
    if found is None:
        return None
    reason = re.search(r"\breason\b\W{0,4}(.+)", text, re.IGNORECASE | re.DOTALL)
    grades: dict[str, Grade] = {"accept": "accept", "incorrect": "incorrect", "error": "error"}
    return grades[found[1].lower()], reason[1].strip(' "}\n') if reason else ""


def list_in(text: str) -> list[Any] | None:
    """Return the first JSON list in a reply; None if the reply contains no list."""
    decoder = json.JSONDecoder()
    for start in (place.start() for place in re.finditer(r"\[", text)):
        try:
            found, _ = decoder.raw_decode(text, start)
        except ValueError:
            continue
        if isinstance(found, list):
            return found
    return None


def stance_in(text: str) -> Stance:
    """Return the stance that a reply states in a line such as `STANCE: not_in_graph`; `answer` without such a line."""
    found = _STANCE.search(text)
    stances: dict[str, Stance] = {"not_in_graph": "not_in_graph", "ask": "ask"}
    return stances.get(found[1].lower(), "answer") if found else "answer"


def literals_in(query: str) -> list[str]:
    """Return the string literals of a query that are not blank, without repetition.

    >>> literals_in("MATCH (t:Team {name: 'Chicago Bulls'}) RETURN t")
    ['Chicago Bulls']
    """
    found = (single or double for single, double in _LITERAL.findall(query))
    return list(dict.fromkeys(re.sub(r"\\(.)", r"\1", text) for text in found if text.strip()))
