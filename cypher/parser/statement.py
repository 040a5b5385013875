"""Parses a text into a `Query`: prefixes, the statement, the end of the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from graphground.cypher import tree as t
from graphground.cypher.parser import clauses, expressions
from graphground.cypher.parser.cursor import MAX_LENGTH, MAX_TOKENS, Cursor, Failure, Fatal
from graphground.cypher.tokens import Tokens, decode_unicode_escapes, tokenize, words, wrong_unicode_escape

Note = tuple[str, int, int, str]
"""A noted problem: code, start, end, message."""


@dataclass(eq=False)
class ParseError(Exception):
    """The error for a text that is not a query, with its code and offsets, the expected tokens and all tokens."""

    code: str
    start: int
    end: int
    message: str
    expected: Sequence[str] = ()
    at: int = 0
    tokens: Tokens | None = None
    notes: Sequence[Note] = ()
    cypher25: bool = False


def parse_text(text: str, language: str) -> tuple[t.Query, list[Note]]:
    """Return the tree of a query, and the noted problems that did not stop the parser.

    Raises:
        ParseError: the text is not a single query, or is too long or too deeply nested.
    """
    if len(text) > MAX_LENGTH:
        raise ParseError(
            "too_complex", 0, min(len(text), 1), f"the query has {len(text)} characters; the limit is {MAX_LENGTH}"
        )
    wrong = wrong_unicode_escape(text)
    if wrong is not None:
        raise ParseError("syntax", wrong, min(wrong + 4, len(text)), "\\u must be followed by four hexadecimal digits")
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


def _parse(text: str, language: str) -> tuple[t.Query, list[Note]]:
    tokens = tokenize(text)
    c = Cursor(text, tokens, language == "cypher25")
    if len(tokens.kinds) > MAX_TOKENS:
        raise ParseError(
            "too_complex", 0, 1, f"the query has {len(tokens.kinds)} words and symbols; the limit is {MAX_TOKENS}"
        )
    try:
        prefix, preparser = _prefix(c)
        body = _statement(c)
    except Failure as failure:
        raise failure_of(c, failure) from None
    except Fatal as fatal:
        raise ParseError(fatal.code, fatal.start, fatal.end, fatal.message, (), c.i, tokens, c.notes) from None
    return t.Query(0, len(text), text, preparser, body, prefix, "cypher25" if c.cypher25 else "cypher5", []), c.notes


def _prefix(c: Cursor) -> tuple[str, list[t.Preparser]]:
    found, preparser = "", list[t.Preparser]()
    while True:
        kind = c.kinds[c.i]
        if kind in ("EXPLAIN", "PROFILE"):
            if found and found != kind:
                c.note("prefix", c.starts[c.i], c.ends[c.i], "EXPLAIN and PROFILE cannot be combined")
            found = kind
            c.i += 1
        elif kind == "CYPHER":
            start, version = c.starts[c.i], ""
            options: list[t.QueryOption] = []
            c.i += 1
            if c.kinds[c.i] == "integer":
                version = c.text[c.starts[c.i] : c.ends[c.i]]
                if version not in ("5", "25"):
                    c.note("prefix", c.starts[c.i], c.ends[c.i], f"there is no Cypher {version}: use 5 or 25")
                c.cypher25 = version == "25"
                c.i += 1
            while c.names[c.i] is not None and c.kinds[c.i + 1] == "=":
                begin, end = c.starts[c.i], c.ends[c.i + 2]
                value = c.text[c.starts[c.i + 2] : end]
                options.append(t.QueryOption(begin, end, c.text[begin : c.ends[c.i]].lower(), value))
                c.i += 3
            preparser.append(t.Preparser(start, c.ends[c.i - 1], version, options))
        else:
            return found, preparser


def _statement(c: Cursor) -> t.QueryBody:
    body = statement(c)
    if c.kinds[c.i] == ";":
        semicolon = c.i
        c.i += 1
        if c.kinds[c.i] != "end":
            statement(c)
            start = c.starts[semicolon + 1]
            while c.accept(";") and c.kinds[c.i] != "end":
                statement(c)
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


# Parses queries: single queries, unions, and Cypher 25's conditional and sequential queries


CLAUSES_25 = frozenset(("LET", "FILTER", "FOR"))


def at_query(c: Cursor) -> bool:
    """Return whether a query begins here, and not a pattern."""
    kind = c.kinds[c.i]
    return kind in clauses.CLAUSES or (c.cypher25 and (kind in CLAUSES_25 or kind in ("WHEN", "{")))


def statement(c: Cursor) -> t.QueryBody:
    """Parse a whole statement: a command or a query."""
    found = command(c)
    if found is not None:
        return found
    return body(c)


def body(c: Cursor) -> t.QueryBody:
    """Parse a query up to its end; the caller checks the token after it."""
    first = union(c)
    if not c.cypher25 or c.kinds[c.i] != "NEXT":
        return first
    parts = [first]
    while c.accept("NEXT"):
        parts.append(union(c))
    return t.Next(first.start, parts[-1].end, parts)


def union(c: Cursor) -> t.QueryBody:
    """Parse `… UNION ALL …`."""
    if c.cypher25 and c.kinds[c.i] == "WHEN":
        # A conditional query can be a part of a UNION only in braces.
        return _conditional(c)
    first = single(c)
    if c.kinds[c.i] != "UNION":
        return first
    parts = [first]
    all_: list[bool] = []
    places: list[int] = []
    while c.kinds[c.i] == "UNION":
        places.append(c.starts[c.i])
        c.i += 1
        all_.append(c.accept("ALL"))
        if not all_[-1]:
            c.accept("DISTINCT")
        parts.append(single(c))
    return t.Union(first.start, parts[-1].end, parts, all_, places)


def single(c: Cursor) -> t.QueryBody:
    """Parse a sequence of clauses."""
    start = c.starts[c.i]
    if c.cypher25 and c.kinds[c.i] == "{":
        c.i += 1
        c.deeper()
        inner = body(c)
        c.depth -= 1
        c.expect("}")
        return t.Braced(start, c.end, inner)
    found: list[t.Clause] = []
    kinds = c.kinds
    parsers = clauses.CLAUSES
    while True:
        kind = kinds[c.i]
        parse = parsers.get(kind)
        if parse is None and c.cypher25 and kind in CLAUSES_25:
            parse = clauses.NEWER[kind]
        if parse is None:
            break
        found.append(parse(c))
    if not found:
        raise c.fail("a clause such as MATCH, WITH or RETURN")
    return t.SingleQuery(start, c.end, found)


def _conditional(c: Cursor) -> t.Conditional:
    start = c.starts[c.i]
    branches: list[t.When] = []
    while c.kinds[c.i] == "WHEN":
        begin = c.skip()
        condition = expressions.expression(c)
        c.expect("THEN")
        inner = single(c)
        branches.append(t.When(begin, inner.end, condition, inner))
    if c.kinds[c.i] == "ELSE":
        begin = c.skip()
        inner = single(c)
        branches.append(t.When(begin, inner.end, None, inner))
    return t.Conditional(start, c.end, branches)


# Parses schema and administration commands


_INDEXES = frozenset(("RANGE", "TEXT", "POINT", "FULLTEXT", "VECTOR", "LOOKUP", "BTREE"))
_ADMIN = frozenset(
    ("ALTER", "GRANT", "DENY", "REVOKE", "RENAME", "ENABLE", "DEALLOCATE", "REALLOCATE", "DRYRUN", "START", "STOP")
)
_ADMIN_THINGS = frozenset(("DATABASE", "USER", "ROLE", "ALIAS", "COMPOSITE", "IMMUTABLE", "SERVER"))
_CONSTRAINT_WORDS = words("ALL UNIQUE UNIQUENESS NODE REL RELATIONSHIP KEY EXIST EXISTENCE EXISTS PROPERTY TYPE")
_AFTER_SHOW = frozenset(
    ("MATCH", "OPTIONAL", "WITH", "UNWIND", "RETURN", "LET", "FILTER", "FOR", "ORDER", "SKIP", "LIMIT", "OFFSET")
)
_LISTED = frozenset(
    ("INDEX", "INDEXES", "CONSTRAINT", "CONSTRAINTS", "FUNCTION", "FUNCTIONS", "PROCEDURE", "PROCEDURES")
)
_SHOWN = words(
    "ALIAS ALIASES ALL CURRENT DATABASE DATABASES DEFAULT HOME POPULATED PRIVILEGE PRIVILEGES ROLE ROLES SERVER "
    "SERVERS SETTING SETTINGS SUPPORTED TRANSACTION TRANSACTIONS USER USERS"
)
_OPENING = {"(": ")", "[": "]", "{": "}"}


def command(c: Cursor) -> t.Command | None:
    """Parse a command; None if a query begins here."""
    kind = c.kinds[c.i]
    if kind in ("CREATE", "DROP"):
        return _create_or_drop(c, kind)
    if kind in ("SHOW", "TERMINATE"):
        return _show(c, kind)
    if kind in _ADMIN and c.names[c.i + 1] is not None:
        return _unread(c, "admin")
    return None


def _create_or_drop(c: Cursor, kind: str) -> t.Command | None:
    """Recognise a command on indexes, constraints, users and so on by its first words; the rest is skipped."""
    begin = after = c.i
    after += 3 if kind == "CREATE" and c.kinds[c.i + 1] == "OR" and c.kinds[c.i + 2] == "REPLACE" else 1
    thing = c.kinds[after]
    if thing in _ADMIN_THINGS and (c.names[after + 1] is not None or c.kinds[after + 1] == "$"):
        return _unread(c, "admin")
    if thing in ("INDEX", "CONSTRAINT"):
        return _unread(c, "schema", after + 1)
    if thing in _INDEXES and c.kinds[after + 1] == "INDEX":
        return _unread(c, "schema", after + 2)
    if kind == "DROP":
        c.i = begin + 1
        raise c.fail("INDEX or CONSTRAINT")
    return None


def _show(c: Cursor, kind: str) -> t.Command:
    start, begin = c.starts[c.i], c.i
    c.i += 1
    thing = _shown(c)
    if thing not in _LISTED:
        c.i = begin
        return _unread(c, "show" if kind == "SHOW" else "admin")
    if thing in ("FUNCTION", "FUNCTIONS", "PROCEDURE", "PROCEDURES") and c.accept("EXECUTABLE") and c.accept("BY"):
        if c.kinds[c.i] == "CURRENT" and c.kinds[c.i + 1] == "USER":
            c.i += 2
        else:
            c.name("a user's name or CURRENT USER")
    words = " ".join(c.kinds[begin : c.i])
    conditions: list[t.Expression] = []
    found: list[t.Clause] = []
    if c.accept("WHERE"):
        conditions.append(expressions.expression(c))
    elif c.accept("YIELD"):
        if not c.accept("*"):
            while True:
                c.name("a column")
                if c.accept("AS"):
                    c.variable()
                if not c.accept(","):
                    break
        if c.kinds[c.i] in ("ORDER", "SKIP", "OFFSET", "LIMIT"):
            found.append(clauses.order_and_page(c))
        if c.accept("WHERE"):
            conditions.append(expressions.expression(c))
        if c.kinds[c.i] == "RETURN":
            found.append(clauses.return_(c))
        while c.cypher25 and c.kinds[c.i] in _AFTER_SHOW:
            kind_ = c.kinds[c.i]
            found.append((clauses.CLAUSES.get(kind_) or clauses.NEWER[kind_])(c))
    return t.Command(start, c.end, "show", words, [], found, conditions, c.text[c.starts[begin + 1] : c.end])


def _shown(c: Cursor) -> str:
    """Skip the object of a SHOW, as far as it is recognized; return its last word."""
    if c.names[c.i] is None:
        raise c.fail("INDEXES, CONSTRAINTS, FUNCTIONS or PROCEDURES")
    kind = c.kinds[c.i]
    if kind in ("ALL", *_INDEXES) and c.kinds[c.i + 1] in ("INDEX", "INDEXES"):
        c.i += 1
    elif (kind == "BUILT" and c.kinds[c.i + 1] == "IN") or (kind == "USER" and c.kinds[c.i + 1] == "DEFINED"):
        c.i += 2
    elif kind in _CONSTRAINT_WORDS:
        place = c.i
        while c.kinds[place] in _CONSTRAINT_WORDS:
            place += 1
        if c.kinds[place] in _LISTED:
            c.i = place
    thing = c.kinds[c.i]
    if thing not in _LISTED and kind not in _SHOWN:
        raise c.fail("INDEXES, CONSTRAINTS, FUNCTIONS or PROCEDURES")
    c.i += 1
    return thing


def _unread(c: Cursor, group: str, words_end: int = 0) -> t.Command:
    """Skip a command to its end, with balanced brackets; its words are those before the token `words_end`, or two."""
    start, begin = c.starts[c.i], c.i
    open_: list[str] = []
    while True:
        here = c.kinds[c.i]
        if here == "end" or (here == ";" and not open_):
            break
        if here.startswith("bad"):
            raise c.fail("the rest of the command")
        if here in _OPENING:
            open_.append(_OPENING[here])
        elif here in (")", "]", "}") and (not open_ or open_.pop() != here):
            raise c.fail("the rest of the command")
        c.i += 1
    if open_:
        raise c.fail(f"'{open_[-1]}'")
    if words_end:
        words = " ".join(c.kinds[begin:words_end])
    else:
        words = " ".join(c.kinds[begin : begin + 2]) if c.names[begin + 1] is not None else c.kinds[begin]
    content = c.text[c.starts[begin + 1] : c.end] if c.i > begin + 1 else ""
    return t.Command(start, c.end, group, words, [], [], [], content)
