"""Finds further syntax errors in a text by resuming the parser at the next clause.

A clause is parsed independently of the clauses before it, so an error in a later clause is genuine if its first word
really begins a clause. That is uncertain, and no further error is reported, if the text does not begin like a query,
brackets do not match, a quote is open, prose follows a query, or the first error is a clause of a newer Cypher.
"""

from __future__ import annotations

from graphground.cypher.parser import statement
from graphground.cypher.parser.cursor import Cursor, Failure, Fatal
from graphground.cypher.parser.statement import ParseError, failure_of
from graphground.cypher.tokens import Tokens, words

MOST_ERRORS = 5
"""The maximum number of syntax errors reported for one text."""

_BEGINNINGS = frozenset(("MATCH", "OPTIONAL", "UNWIND", "WITH", "RETURN", "CALL", "MERGE", "LOAD", "USE"))
_BOUNDARIES = words("MATCH OPTIONAL UNWIND WITH RETURN CALL MERGE CREATE SET DELETE DETACH ORDER SKIP LIMIT UNION")
_NEEDS = {
    "OPTIONAL": ("MATCH", "CALL"),
    "ORDER": ("BY",),
    "DETACH": ("DELETE",),
    "MERGE": ("(",),
    "CREATE": ("(",),
    "CALL": ("{", "("),
}
_NOT_AFTER = {
    "MATCH": ("OPTIONAL", "ON"),
    "CALL": ("OPTIONAL",),
    "CREATE": ("ON",),
    "DELETE": ("DETACH", "ON"),
    "SET": ("CREATE", "MATCH", "ON"),
    "WITH": ("STARTS", "ENDS", "CSV"),
}
_NAME_AFTER = words(". : | & ! % AS $ , = <> < > <= >= + - * / ^ =~ AND OR XOR NOT IN CONTAINS DISTINCT BY")
_NAME_BEFORE = frozenset((".", ",", ")", "]", "}", "=", "AS", ":", "end", ";"))
_GLUE = words("AS DISTINCT BY AND OR XOR NOT IN IS NULL GROUP ALL DESC ASC TRUE FALSE end")
_ELSEWHERE = frozenset(("WHEN", "THEN", "ELSE", "END", "NEXT", "LET", "FILTER", "ON", ";", "end"))
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_PROSE = 3


def further_errors(text: str, first: ParseError) -> list[ParseError]:
    """Return the syntax errors after the first, at most `MOST_ERRORS - 1`.

    `MATCH (n) WHERE n.a LIKE 'x' RETURN n LIMT 3` has a second error at `LIMT`.
    """
    tokens = first.tokens
    if first.code != "syntax" or first.message or tokens is None or not _begins_as_query(tokens.kinds, first.at):
        return []
    depths = _depths(tokens)
    if depths is None or tokens.kinds[first.at] in _ELSEWHERE or _prose(tokens, first.at):
        return []
    found: list[ParseError] = []
    lower = _lower(text, tokens)
    at = first.at
    while len(found) < MOST_ERRORS - 1:
        begin = _next_clause(text, tokens, depths, at, lower)
        if begin is None:
            break
        error = _read_on(text, tokens, begin, first.cypher25)
        if error is None or error.at <= at or error.message or _prose(tokens, error.at):
            break
        found.append(error)
        at = error.at
    return found


def _begins_as_query(kinds: list[str], at: int) -> bool:
    begin = 0
    while kinds[begin] in ("EXPLAIN", "PROFILE"):
        begin += 1
    if kinds[begin] == "CYPHER":
        begin += 2 if kinds[begin + 1] == "integer" else 1
    return at > begin and (kinds[begin] in _BEGINNINGS or (kinds[begin] == "CREATE" and kinds[begin + 1] == "("))


def _depths(tokens: Tokens) -> list[int] | None:
    """Return the number of open brackets at each token; None if brackets or quotes do not match."""
    open_: list[str] = []
    depths: list[int] = []
    for kind in tokens.kinds:
        depths.append(len(open_))
        if kind in _CLOSING:
            open_.append(_CLOSING[kind])
        elif kind in (")", "]", "}"):
            if not open_ or open_.pop() != kind:
                return None
        elif kind.startswith("bad_"):
            return None
    return None if open_ else depths


def _lower(text: str, tokens: Tokens) -> bool:
    place = next(number for number, kind in enumerate(tokens.kinds) if kind in _BEGINNINGS or kind == "CREATE")
    return not text[tokens.starts[place] : tokens.ends[place]].isupper()


def _prose(tokens: Tokens, at: int) -> bool:
    """Return whether several plain words follow each other from a token on, as in an explanation after a query."""
    count = 0
    while count < _PROSE and at + count < len(tokens.kinds):
        kind = tokens.kinds[at + count]
        if tokens.names[at + count] is None or kind in _GLUE or kind in _BOUNDARIES:
            return False
        count += 1
    return count == _PROSE


def _next_clause(text: str, tokens: Tokens, depths: list[int], at: int, lower: bool) -> int | None:
    kinds = tokens.kinds
    for place in range(at, len(depths)):
        kind = kinds[place]
        if kind == ";":
            return None
        if kind not in _BOUNDARIES or depths[place]:
            continue
        before, after = kinds[place - 1], kinds[place + 1]
        if before in _NAME_AFTER or after in _NAME_BEFORE or before in _NOT_AFTER.get(kind, ()):
            continue
        needed = _NEEDS.get(kind)
        named = kind == "CALL" and tokens.names[place + 1] is not None
        if needed is not None and after not in needed and not named:
            continue
        if lower or text[tokens.starts[place] : tokens.ends[place]].isupper():
            return place
    return None


def _read_on(text: str, tokens: Tokens, begin: int, cypher25: bool) -> ParseError | None:
    """Return the first error in the clauses from a token on; None if there is no certain error."""
    c = Cursor(text, tokens, cypher25)
    c.i = begin
    kinds = c.kinds
    try:
        while True:
            if kinds[c.i] == "UNION":
                c.i += 2 if kinds[c.i + 1] in ("ALL", "DISTINCT") else 1
            parse = statement.CLAUSES.get(kinds[c.i])
            if parse is None and cypher25:
                parse = statement.NEWER.get(kinds[c.i])
            if parse is not None:
                parse(c)
            elif kinds[c.i] != "UNION":
                break
        if kinds[c.i] in _ELSEWHERE or (cypher25 and kinds[c.i] in ("{", "}")):
            return None
        return failure_of(c, c.fail("a clause such as MATCH, WITH or RETURN, or the end of the query"))
    except Failure as failure:
        return failure_of(c, failure)
    except Fatal:
        return None
