"""Distinguishes Cypher from other text in a model's reply: SQL, Python, JSON, JavaScript, prose.

Only the form is checked, not the grammar, so that a query with a syntax error still reaches the server, whose message
says what is wrong. Words alone do not suffice: `WITH` begins a common table expression of SQL and a block of Python,
`CALL` runs a procedure of SQL, `match` and `return` are statements of several languages.
"""

from __future__ import annotations

import re
from itertools import islice

_QUOTED = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`[^`]*`|//[^\n]*|/\*.*?(?:\*/|\Z)""", re.DOTALL)
_NAME = r"(?:\w+|`[^`]*`)"
_CLAUSE_WORD = r"OPTIONAL\s+MATCH|MATCH|UNWIND|CALL|WITH|RETURN"
_PREFIX = rf"(?:(?:EXPLAIN|PROFILE|CYPHER(?:\s+[\w.=]+){{0,3}}?)\s+|USE\s+{_NAME}(?:\.{_NAME}){{0,3}}\s+){{0,3}}"
_AS = rf"(?:(?!\bSELECT\b)[^;])+?\bAS\s+{_NAME}\s*(?:,|\Z|(?<=\s)[a-z]|[\r\n])"
_FIRST_CLAUSE = (
    # A pattern; in Python's `match (x):` and Rust's `match (x) {`, the parenthesis is followed by a sign that cannot
    # follow there in a pattern.
    rf"(?:OPTIONAL\s+)?MATCH\s*(?:{_NAME}\s*=\s*)?(?:(?:ALL|ANY|SHORTEST|TRAIL|WALK|ACYCLIC)\b[^(;]*|\w*shortestPaths?\s*)?"
    r"\((?![^()]*\)\s*(?::|\{\s*(?![\d,])))"
    rf"|UNWIND\b{_AS}"
    # The first WITH of a query names values; SQL's `name AS (SELECT` and Python's `as name:` do not have this form.
    rf"|(?-i:WITH)\b{_AS}"
    rf"|CALL\s*(?:\([^()]*\)\s*)?\{{|CALL\s+{_NAME}(?:\.{_NAME})+\s*(?:\(|\s|\Z)|CALL\s+{_NAME}\s*\([^;]*\bYIELD\b"
)
_BEGINS = re.compile(rf"\s*{_PREFIX}(?:{_FIRST_CLAUSE}|(?-i:RETURN)\b)", re.IGNORECASE)
_LINE = re.compile(rf"^[ \t]*{_PREFIX}(?:{_CLAUSE_WORD})\b(?=.*\S)", re.IGNORECASE | re.MULTILINE)
_ENDS = re.compile(r"\b(?:RETURN|CALL)\b", re.IGNORECASE)
_CALLS = re.compile(r"\(|\bYIELD\b|\bCALL\s*\{", re.IGNORECASE)
_LONGEST, _MOST_STARTS = 20_000, 20
"""The maximum number of characters of a text that are examined,
and the maximum number of lines of a reply that are tried as the start of a query."""
_WORDS = re.compile(r"\b(?:MATCH|RETURN|UNWIND|CALL|MERGE|YIELD)\b|\bCREATE\s*\(|\bDETACH\s+DELETE\b", re.IGNORECASE)
_FOREIGN = re.compile(
    r"""
    \A\s*(?:[\[{"']|SELECT\b|INSERT\s+INTO\b|UPDATE\b|DELETE\s+FROM\b|ALTER\b|DROP\b|DECLARE\b|PREFIX\b|BEGIN\b
        |CREATE\s+(?:OR\s+REPLACE\s+)?(?:TABLE|VIEW|FUNCTION|PROCEDURE|TRIGGER|DATABASE)\b
        |(?!(?:OPTIONAL|MATCH|UNWIND|CALL|WITH|RETURN|MERGE|CREATE|FOREACH)\b|\w+\s*\(\w*\s*[:)])\w+\s*\(
        |\w+\.\w+|\w+\s*=[^~]|WITH\s+[\w.()]*:\s)
    | \bSELECT\b[^;]{0,2000}?\bFROM\b | \bAS\s*(?:NOT\s+)?(?:MATERIALIZED\s*)?\(\s*(?:SELECT|WITH|VALUES)\b
    | ^[ \t]*(?:(?:async\s+)?def\s+\w+\s*\(|from\s+[\w.]+\s+import\b|import\s+[\w.{*]|class\s+\w+\s*[:({]|print\s*\(
        |(?:const|let|var)\s+[\w{[]+.*=|(?:async\s+)?function\b|public\s|package\s|\#include|fn\s+\w+
        |(?:if|elif|else|for|while|with|try|match|case)\b[^\n]*:[ \t]*$)
    | =>\s*[({\w]
    """,
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)


def is_query(text: str) -> bool:
    r"""Whether a text has the form of a Cypher query and contains no code of another language.

    >>> is_query("MATCH (t:Team) RETURN t.name"), is_query("WITH t AS (SELECT 1) SELECT count(*) FROM t")
    (True, False)
    >>> is_query("with open('teams.txt') as file:\n    return file.read()")
    False
    """
    bare = _without_texts(text)
    return (
        bool(_BEGINS.match(bare))
        and bool(_ENDS.search(bare))
        and bool(_CALLS.search(bare))
        and not _FOREIGN.search(bare)
    )


def may_be_query(text: str) -> bool:
    """Whether a text labelled as Cypher contains words of Cypher and no code of another language.

    >>> may_be_query("MATHC (t:Team) RETURN t"), may_be_query("SELECT name FROM teams")
    (True, False)
    """
    bare = _without_texts(text)
    return is_query(text) or (bool(_WORDS.search(bare)) and not _FOREIGN.search(bare))


def query_starts(text: str) -> list[int]:
    """Return the start positions of the lines that begin with a clause of Cypher, at most the first `_MOST_STARTS`."""
    return [found.start() for found in islice(_LINE.finditer(text), _MOST_STARTS)]


def _without_texts(text: str) -> str:
    """Return the first `_LONGEST` characters of a text, without comments and with masked quotes.

    Each character inside a string or a quoted name becomes `_`.
    """

    def replaced(found: re.Match[str]) -> str:
        if found[0][0] == "/":
            return " "
        return found[0][0] + "_" * (len(found[0]) - 2) + found[0][0]

    return _QUOTED.sub(replaced, text[:_LONGEST])
