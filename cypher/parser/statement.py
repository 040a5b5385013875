"""Parses a text into a `Query`: prefixes, the statement, the end of the text."""

from __future__ import annotations

from graphground.cypher.parser import queries
from graphground.cypher.parser.cursor import MAX_LENGTH, MAX_TOKENS, Cursor, Failure, Fatal
from graphground.cypher.tokens import Tokens, decode_unicode_escapes, tokenize, wrong_unicode_escape
from graphground.cypher.tree import Query, QueryBody

Note = tuple[str, int, int, str]
"""A noted problem: code, start, end, message."""


class ParseError(Exception):
    """The error for a text that is not a query, with its code and offsets, the expected tokens and all tokens."""

    def __init__(
        self,
        code: str,
        start: int,
        end: int,
        message: str,
        expected: list[str],
        at: int,
        tokens: Tokens | None,
        notes: list[Note],
        cypher25: bool = False,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.start = start
        self.end = end
        self.message = message
        self.expected = expected
        self.at = at
        self.tokens = tokens
        self.notes = notes
        self.cypher25 = cypher25


def parse_text(text: str, language: str) -> tuple[Query, list[Note]]:
    """Return the tree of a query, and the noted problems that did not stop the parser.

    Raises:
        ParseError: the text is not a single query, or is too long or too deeply nested.
    """
    if len(text) > MAX_LENGTH:
        raise ParseError(
            "too_complex",
            0,
            min(len(text), 1),
            f"the query has {len(text)} characters; the limit is {MAX_LENGTH}",
            [],
            0,
            None,
            [],
        )
    wrong = wrong_unicode_escape(text)
    if wrong is not None:
        raise ParseError(
            "syntax",
            wrong,
            min(wrong + 4, len(text)),
            "\\u must be followed by four hexadecimal digits",
            [],
            0,
            None,
            [],
        )
    decoded = decode_unicode_escapes(text)
    if decoded is None:
        return _parse(text, language)
    plain, offsets = decoded
    try:
        query, notes = _parse(plain, language)
    except ParseError as error:
        error.start, error.end = offsets[error.start], offsets[error.end]
        error.notes = [(code, offsets[start], offsets[end], message) for code, start, end, message in error.notes]
        error.tokens = None
        raise
    for node in list(query.walk()):
        node.start, node.end = offsets[node.start], offsets[node.end]
        for field in ("operator_start", "name_start", "name_end"):
            if field in node.fields:
                setattr(node, field, offsets[getattr(node, field)])
        for field in ("operator_starts", "keyword_starts"):
            if field in node.fields:
                setattr(node, field, [offsets[place] for place in getattr(node, field)])
    query.text = text
    query.start, query.end = 0, len(text)
    return query, [(code, offsets[start], offsets[end], message) for code, start, end, message in notes]


def _parse(text: str, language: str) -> tuple[Query, list[Note]]:
    tokens = tokenize(text)
    c = Cursor(text, tokens, language == "cypher25")
    if len(tokens.kinds) > MAX_TOKENS:
        raise ParseError(
            "too_complex",
            0,
            1,
            f"the query has {len(tokens.kinds)} words and symbols; the limit is {MAX_TOKENS}",
            [],
            0,
            None,
            [],
        )
    try:
        prefix = _prefix(c)
        body = _statement(c)
    except Failure as failure:
        raise failure_of(c, failure) from None
    except Fatal as fatal:
        raise ParseError(fatal.code, fatal.start, fatal.end, fatal.message, [], c.i, tokens, c.notes) from None
    return Query(0, len(text), text, body, prefix, "cypher25" if c.cypher25 else "cypher5", []), c.notes


def _prefix(c: Cursor) -> str:
    found = ""
    while True:
        kind = c.kinds[c.i]
        if kind in ("EXPLAIN", "PROFILE"):
            if found and found != kind:
                c.note("prefix", c.starts[c.i], c.ends[c.i], "EXPLAIN and PROFILE cannot be combined")
            found = kind
            c.i += 1
        elif kind == "CYPHER":
            c.i += 1
            if c.kinds[c.i] == "integer":
                version = c.text[c.starts[c.i] : c.ends[c.i]]
                if version not in ("5", "25"):
                    c.note("prefix", c.starts[c.i], c.ends[c.i], f"there is no Cypher {version}: use 5 or 25")
                c.cypher25 = version == "25"
                c.i += 1
            while c.names[c.i] is not None and c.kinds[c.i + 1] == "=":
                c.i += 3
        else:
            return found


def _statement(c: Cursor) -> QueryBody:
    body = queries.statement(c)
    if c.kinds[c.i] == ";":
        semicolon = c.i
        c.i += 1
        if c.kinds[c.i] != "end":
            queries.statement(c)
            start = c.starts[semicolon + 1]
            while c.accept(";") and c.kinds[c.i] != "end":
                queries.statement(c)
            if c.kinds[c.i] != "end":
                raise c.fail("';' or the end of the query")
            raise Fatal(
                start, c.end, "a query is one statement; send the statements one at a time", "multiple_statements"
            )
    if c.kinds[c.i] != "end":
        raise c.fail("a clause such as MATCH, WITH or RETURN, or the end of the query")
    return body


def failure_of(c: Cursor, failure: Failure) -> ParseError:
    """Return the error at the furthest position that any attempt reached."""
    at = c.furthest
    expected = c.expected
    if at < failure.at:
        at, expected = failure.at, [failure.expected]
    kind = c.kinds[at]
    start, end = c.starts[at], c.ends[at]
    message = ""
    if kind == "bad_string":
        message = f"the quote {c.text[start]} that opens here is never closed"
    elif kind == "bad_name":
        message = "the backtick that opens a name here is never closed"
    elif kind == "bad_comment":
        message = "the comment that opens here with /* is never closed with */"
        start += 1
    return ParseError(
        "syntax", start, end, message, expected, at, Tokens(c.kinds, c.names, c.starts, c.ends), c.notes, c.cypher25
    )
