"""Parses a model's reply: the query in its text, a grade, a list, a stance."""

from __future__ import annotations

import json
import re
from typing import Any, Literal

from graphground.agents.question import Stance

Grade = Literal["accept", "incorrect", "error"]

_FENCE = re.compile(r"```([a-zA-Z]*)[ \t]*\n(.*?)(?:```|\Z)", re.DOTALL)
_CLAUSE = re.compile(r"^\s*(?:OPTIONAL\s+MATCH|MATCH|UNWIND|CALL|WITH|RETURN)\b(?=.*\S)", re.IGNORECASE | re.MULTILINE)
_GRADE = re.compile(r"\bgrade\b\W{0,4}(accept|incorrect|error)\b", re.IGNORECASE)
_STANCE = re.compile(r"^\W*stance\W+(not_in_graph|ask|answer)\b", re.IGNORECASE | re.MULTILINE)
_LITERAL = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"")
_ENDS = ("<end_of_turn>", "<|im_end|>", "<|eot_id|>", "</s>")


def query_in(text: str) -> str:
    r"""The Cypher query in a reply: its last `cypher` block, else its last block or lines that look like a query.

    >>> query_in("Here it is:\n```cypher\nMATCH (t:Team) RETURN t.name\n```\nIt lists the teams.")
    'MATCH (t:Team) RETURN t.name'
    >>> query_in("The answer is Chicago, of course.")
    ''
    """
    for mark in _ENDS:
        text = text.replace(mark, "")
    blocks = [(language.lower(), body.strip()) for language, body in _FENCE.findall(text)]
    named = [body for language, body in blocks if language in ("cypher", "cql")]
    plain = [body for _, body in blocks if _looks_like_query(body)]
    for found in (named, plain):
        if found:
            return str(found[-1])
    start = _CLAUSE.search(text)
    if start is None:
        return ""
    query = re.split(r"\n\s*\n|```", text[start.start() :].strip(), maxsplit=1)[0].strip()
    return query if _looks_like_query(query) else ""


def _looks_like_query(text: str) -> bool:
    return bool(_CLAUSE.match(text)) and bool(re.search(r"\b(RETURN|CALL)\b", text, re.IGNORECASE)) and "(" in text


def grade_in(text: str) -> tuple[Grade, str] | None:
    """The grade and the reason in an evaluator's reply; None if there is no grade.

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
    """The stance in a reply, from a line such as `STANCE: not_in_graph`; `answer` if there is no such line."""
    found = _STANCE.search(text)
    stances: dict[str, Stance] = {"not_in_graph": "not_in_graph", "ask": "ask"}
    return stances.get(found[1].lower(), "answer") if found else "answer"


def literals_in(query: str) -> list[str]:
    """The string literals of a query, without repetition.

    >>> literals_in("MATCH (t:Team {name: 'Chicago Bulls'}) RETURN t")
    ['Chicago Bulls']
    """
    found = (single or double for single, double in _LITERAL.findall(query))
    return list(dict.fromkeys(re.sub(r"\\(.)", r"\1", text) for text in found if text.strip()))
