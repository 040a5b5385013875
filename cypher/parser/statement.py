"""Parses a text into a `Query`: prefixes, the statement, the end of the text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from graphground.cypher import tree as t
from graphground.cypher.diagnostics import Edit, Problem
from graphground.cypher.parser import atoms, expressions, patterns
from graphground.cypher.parser.cursor import MAX_LENGTH, MAX_TOKENS, Cursor, Failure, Fatal
from graphground.cypher.tokens import LISTED, UNICODE_ESCAPE, Tokens, decode_unicode_escapes, tokenize, words


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
    notes: Sequence[Problem] = ()
    cypher25: bool = False


def parse_text(text: str, language: str) -> tuple[t.Query, list[Problem]]:
    """Return the tree of a query, and the noted problems that did not stop the parser.

    Raises:
        ParseError: the text is not a single query, or is too long or too deeply nested.
    """
    if len(text) > MAX_LENGTH:
        raise ParseError(
            "too_complex", 0, min(len(text), 1), f"the query has {len(text)} characters; the limit is {MAX_LENGTH}"
        )
    wrong = next((match.end() for match in UNICODE_ESCAPE.finditer(text) if match[0] == "\\u"), None)
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
        error.notes = [_moved(note, offsets) for note in error.notes]
        error.tokens = None
        raise
    for node in list(query.walk()):
        node.start, node.end = offsets[node.start], offsets[node.end]
        for field in ("name_start", "name_end"):
            if field in node.fields:
                setattr(node, field, offsets[getattr(node, field)])
        for field in ("operator_starts", "keyword_starts"):
            if field in node.fields:
                setattr(node, field, [offsets[place] for place in getattr(node, field)])
    query.text = text
    query.start, query.end = 0, len(text)
    return query, [_moved(note, offsets) for note in notes]


def _moved(note: Problem, offsets: list[int]) -> Problem:
    start, end = offsets[note.start], offsets[note.end]
    return note._replace(start=start, end=end, edits=tuple(Edit(start, end, edit.replacement) for edit in note.edits))


def _parse(text: str, language: str) -> tuple[t.Query, list[Problem]]:
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
    return t.Query(0, len(text), text, preparser, body, prefix, "cypher25" if c.cypher25 else "cypher5"), c.notes


def _prefix(c: Cursor) -> tuple[str, list[t.Preparser]]:
    found, preparser = "", list[t.Preparser]()
    while True:
        kind = c.kinds[c.i]
        if kind in ("EXPLAIN", "PROFILE"):
            if found and found != kind:
                c.note_token(c.i, "EXPLAIN and PROFILE cannot be combined", "syntax")
            found = kind
            c.i += 1
        elif kind == "CYPHER":
            start, version = c.starts[c.i], ""
            options: list[t.QueryOption] = []
            c.i += 1
            if c.kinds[c.i] == "integer":
                version = c.text[c.starts[c.i] : c.ends[c.i]]
                if version not in ("5", "25"):
                    c.note_token(c.i, f"there is no Cypher {version}: use 5 or 25", "syntax")
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
    return kind in CLAUSES or (c.cypher25 and (kind in CLAUSES_25 or kind in ("WHEN", "{")))


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
    parsers = CLAUSES
    while True:
        kind = kinds[c.i]
        parse = parsers.get(kind)
        if parse is None and c.cypher25 and kind in CLAUSES_25:
            parse = NEWER[kind]
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


# Parses clauses such as MATCH, WITH, RETURN, UNWIND and LOAD CSV; `CLAUSES` and `NEWER` find the function by keyword


def match(c: Cursor) -> t.Match:
    """Parse `MATCH (n)-->(m) WHERE n.x = 1`."""
    i = c.i
    optional = c.kinds[i] == "OPTIONAL"
    c.i = i + 2 if optional else i + 1
    mode = patterns.match_mode(c) if c.kinds[c.i] in ("REPEATABLE", "DIFFERENT") else None
    found = c.several(patterns.path)
    hints: list[t.IndexHint] = []
    while c.kinds[c.i] == "USING":
        hints.append(_hint(c))
    searched = search(c) if begins(c) else None
    where = expressions.after(c, "WHERE")
    if searched is None and begins(c):
        searched = search(c)
    return t.Match(c.starts[i], c.end, optional, mode, found, hints, searched, where)


def optional(c: Cursor) -> t.Clause:
    """Parse OPTIONAL MATCH or OPTIONAL CALL."""
    after = c.kinds[c.i + 1]
    if after == "MATCH":
        return match(c)
    if after == "CALL":
        return expressions.call(c)
    c.i += 1
    raise c.fail("MATCH or CALL")


def _hint(c: Cursor) -> t.IndexHint:
    start = c.skip()
    kind = c.kinds[c.i]
    c.i += 1
    if kind == "JOIN":
        c.expect("ON")
        joined = c.several(Cursor.variable)
        return t.IndexHint(start, c.end, kind, joined, None, [])
    if kind == "SCAN":
        variable = c.variable()
        c.expect(":")
        return t.IndexHint(start, c.end, kind, [variable], c.name("a label"), [])
    if kind in ("TEXT", "RANGE", "POINT", "BTREE"):
        c.expect("INDEX")
        kind = f"{kind} INDEX"
    elif kind != "INDEX":
        c.i -= 1
        raise c.fail("INDEX, SCAN or JOIN")
    if c.kinds[c.i] == "SEEK" and c.names[c.i + 1] is not None:
        c.i += 1
    variable = c.variable()
    c.expect(":")
    label = c.name("a label")
    c.expect("(")
    keys = c.several(lambda c: c.name("a property name"))
    c.expect(")")
    return t.IndexHint(start, c.end, kind, [variable], label, keys)


def with_(c: Cursor) -> t.With:
    """Parse `WITH n, count(*) AS c WHERE c > 1`."""
    start = c.skip()
    found = projection(c)
    where = expressions.after(c, "WHERE")
    return t.With(start, c.end, found, where)


def return_(c: Cursor) -> t.Return:
    """Parse `RETURN DISTINCT n.name AS name ORDER BY name LIMIT 3`."""
    start = c.skip()
    found = projection(c)
    return t.Return(start, c.end, found)


def projection(c: Cursor) -> t.Projection:
    """Parse the part of WITH or RETURN after the keyword, up to LIMIT."""
    i = c.i
    distinct = c.kinds[i] == "DISTINCT" and c.kinds[i + 1] not in (",", ".", "end", "AS", ")", "}", "=", "+")
    if distinct:
        c.i += 1
    star = c.accept("*")
    items = c.several(_return_item) if not star or c.accept(",") else []
    group = _group(c) if c.kinds[c.i] == "GROUP" and c.cypher25 else None
    order = _order(c) if c.kinds[c.i] == "ORDER" else []
    skip, limit = _page(c)
    return t.Projection(c.starts[i], c.end, distinct, star, items, group, order, skip, limit)


def _group(c: Cursor) -> list[t.Expression] | None:
    """Parse `GROUP BY n.x, y`; None for `GROUP BY ALL`, which is the default."""
    c.i += 1
    c.expect("BY")
    if c.accept("ALL"):
        return None
    if c.kinds[c.i] == "(" and c.kinds[c.i + 1] == ")":
        c.i += 2
        return []
    return c.several(expressions.expression)


def _return_item(c: Cursor) -> t.ReturnItem:
    i = c.i
    start = c.starts[i]
    name = c.names[i]
    after = c.kinds[i + 1]
    # Most items are just a variable; this shortcut saves ten calls.
    value: t.Expression
    if name is not None and (after == "," or after == "end") and c.kinds[i] not in ("TRUE", "FALSE", "NULL"):
        if c.kinds[i] in ("INF", "NAN", "INFINITY"):
            value = atoms.atom(c)
        else:
            c.i = i + 1
            value = t.Variable(start, c.ends[i], name)
    else:
        value = expressions.expression(c)
    if c.kinds[c.i] == "AS":
        c.i += 1
        alias = c.variable()
        return t.ReturnItem(start, alias.end, value, alias, alias.name)
    if isinstance(value, t.Variable):
        return t.ReturnItem(start, value.end, value, None, value.name)
    if isinstance(value, t.MapProjection):
        return t.ReturnItem(start, value.end, value, None, value.subject.name)
    # Parentheses around an item belong to the column's name, so the item ends at the last token.
    end = c.ends[c.i - 1]
    return t.ReturnItem(start, end, value, None, c.text[start:end])


def _order(c: Cursor) -> list[t.SortItem]:
    c.i += 1
    c.expect("BY")
    return c.several(_sort_item)


def _sort_item(c: Cursor) -> t.SortItem:
    start = c.starts[c.i]
    value = expressions.expression(c)
    direction = c.one_of(("ASC", "ASCENDING", "DESC", "DESCENDING"))
    return t.SortItem(start, c.end, value, direction.startswith("DESC"))


def _page(c: Cursor) -> tuple[t.Expression | None, t.Expression | None]:
    skip = expressions.expression(c) if c.one_of(("SKIP", "OFFSET")) else None
    return skip, expressions.after(c, "LIMIT")


def order_and_page(c: Cursor) -> t.OrderAndPage:
    """Parse ORDER BY, SKIP and LIMIT as a separate clause."""
    start = c.starts[c.i]
    order = _order(c) if c.kinds[c.i] == "ORDER" else []
    skip, limit = _page(c)
    return t.OrderAndPage(start, c.end, order, skip, limit)


def unwind(c: Cursor) -> t.Unwind:
    """Parse `UNWIND xs AS x`."""
    start = c.skip()
    source = expressions.expression(c)
    c.expect("AS", "AS")
    variable = c.variable()
    return t.Unwind(start, variable.end, source, variable)


def for_(c: Cursor) -> t.Unwind:
    """Parse `FOR x IN xs`, Cypher 25's alternative to UNWIND."""
    start = c.skip()
    variable = c.variable()
    c.expect("IN")
    source = expressions.expression(c)
    return t.Unwind(start, source.end, source, variable)


def load_csv(c: Cursor) -> t.LoadCsv:
    """Parse `LOAD CSV WITH HEADERS FROM $url AS row`."""
    start = c.skip()
    c.expect("CSV")
    headers = c.accept("WITH")
    if headers:
        c.expect("HEADERS")
    c.expect("FROM")
    source = expressions.expression(c)
    c.expect("AS")
    variable = c.variable()
    terminator = atoms.string(c) if c.accept("FIELDTERMINATOR") else None
    return t.LoadCsv(start, c.end, headers, source, variable, terminator)


def use(c: Cursor) -> t.Use:
    """Parse `USE movies` or `USE graph.byName('movies')`."""
    start = c.skip()
    if c.kinds[c.i] == "GRAPH" and c.kinds[c.i + 1] != "." and c.names[c.i + 1] is not None:
        c.i += 1
    brackets = 0
    while c.accept("("):
        brackets += 1
    begin = c.i
    first = c.name("the name of a graph")
    while c.accept("."):
        c.name("the name of a graph")
    graph: t.Name | t.FunctionCall
    if c.kinds[c.i] == "(":
        c.i = begin
        called = atoms.call(c)
        if not isinstance(called, t.FunctionCall):
            raise c.fail("the name of a graph")
        graph = called
    else:
        graph = t.Name(first.start, c.end, ".".join(c.names[k] or "" for k in range(begin, c.i, 2)))
    for _ in range(brackets):
        c.expect(")")
    return t.Use(start, c.end, graph)


def finish(c: Cursor) -> t.Finish:
    """Parse `FINISH`."""
    c.i += 1
    return t.Finish(c.starts[c.i - 1], c.end)


def let(c: Cursor) -> t.Let:
    """Parse `LET x = 1, y = 2`."""
    start = c.skip()
    items = c.several(_let_item)
    return t.Let(start, c.end, items)


def _let_item(c: Cursor) -> t.LetItem:
    variable = c.variable()
    c.expect("=")
    value = expressions.expression(c)
    return t.LetItem(variable.start, c.end, variable, value)


def filter_(c: Cursor) -> t.Filter:
    """Parse `FILTER n.x = 1` or `FILTER WHERE n.x = 1`."""
    start = c.skip()
    c.accept("WHERE")
    where = expressions.expression(c)
    return t.Filter(start, where.end, where)


# Parses Cypher 25's SEARCH after a MATCH (Cypher manual, clauses, SEARCH)


def begins(c: Cursor) -> bool:
    """Return whether a SEARCH begins here; in Cypher 5 the word has no meaning."""
    return c.cypher25 and c.kinds[c.i] == "SEARCH" and c.names[c.i + 1] is not None


def search(c: Cursor) -> t.Search:
    """Parse `SEARCH n IN (VECTOR INDEX plots FOR $v WHERE n.year > 1990 LIMIT 5) SCORE AS score`."""
    i = c.i
    c.i += 1
    variable = c.variable()
    c.expect("IN")
    c.expect("(")
    kind = c.one_of(("VECTOR", "FULLTEXT"), "VECTOR INDEX or FULLTEXT INDEX")
    c.expect("INDEX")
    index = c.name("the name of an index")
    c.expect("FOR")
    query = expressions.expression(c)
    analyzer: t.Expression | None = None
    if c.accept("WITH"):
        c.expect("ANALYZER")
        analyzer = expressions.expression(c)
    where = expressions.after(c, "WHERE")
    skip = expressions.expression(c) if c.one_of(("SKIP", "OFFSET")) else None
    c.expect("LIMIT")
    limit = expressions.expression(c)
    c.expect(")")
    score: t.Variable | None = None
    if c.accept("SCORE"):
        c.expect("AS")
        score = c.variable()
    return t.Search(c.starts[i], c.end, variable, kind, index, query, analyzer, where, skip, limit, score)


# Parses writing clauses: CREATE, INSERT, MERGE, SET, REMOVE, DELETE, FOREACH


def create(c: Cursor) -> t.Create:
    """Parse `CREATE (n:Person {name: 'x'})` or `INSERT (n:Person)`."""
    i = c.i
    insert = c.kinds[i] == "INSERT"
    c.i += 1
    found = c.several(patterns.path)
    return t.Create(c.starts[i], c.end, found, insert)


def merge(c: Cursor) -> t.Merge:
    """Parse `MERGE (n) ON CREATE SET n.x = 1`."""
    start = c.skip()
    pattern = patterns.path(c)
    actions: list[t.MergeAction] = []
    while c.kinds[c.i] == "ON":
        begin = c.skip()
        kind = c.one_of(("CREATE", "MATCH"), "CREATE or MATCH")
        c.expect("SET")
        on: Literal["create", "match"] = "create" if kind == "CREATE" else "match"
        items = c.several(_set_item)
        actions.append(t.MergeAction(begin, c.end, on, items))
    return t.Merge(start, c.end, pattern, actions)


def set_(c: Cursor) -> t.Set:
    """Parse `SET n.x = 1, n += $map, n:Person`."""
    start = c.skip()
    items = c.several(_set_item)
    return t.Set(start, c.end, items)


def _set_item(c: Cursor) -> t.SetItem:
    start = c.starts[c.i]
    if c.names[c.i] is not None:
        after = c.kinds[c.i + 1]
        if after in ("=", "+="):
            variable = c.variable()
            c.i += 1
            value = expressions.expression(c)
            return t.SetProperties(start, value.end, variable, value, after == "+=")
        if after in (":", "IS"):
            variable = c.variable()
            found = _labels(c)
            return t.SetLabels(start, c.end, variable, found)
    target = _target(c)
    c.expect("=")
    value = expressions.expression(c)
    return t.SetProperty(start, c.end, target, value)


def _target(c: Cursor) -> t.Expression:
    """Parse the target of SET or REMOVE: a property, as `n.x` or `n['x']`."""
    value = atoms.atom(c)
    while c.kinds[c.i] in (".", "["):
        if c.kinds[c.i] == ".":
            c.i += 1
            key = c.name("a property name")
            value = t.Property(value.start, key.end, value, key)
        else:
            c.i += 1
            index = expressions.expression(c)
            c.expect("]")
            value = t.Subscript(value.start, c.end, value, index)
    if not isinstance(value, t.Property | t.Subscript):
        raise c.fail("'.', '[', ':', '=' or '+='" if isinstance(value, t.Variable) else "'.'")
    return value


def _labels(c: Cursor) -> list[t.LabelExpression]:
    c.i += 1
    found = patterns.label_expression(c)
    if isinstance(found, t.LabelAnd) and found.colon:
        return found.operands
    return [found]


def remove(c: Cursor) -> t.Remove:
    """Parse `REMOVE n.x, n:Person`."""
    start = c.skip()
    items = c.several(_remove_item)
    return t.Remove(start, c.end, items)


def _remove_item(c: Cursor) -> t.RemoveProperty | t.RemoveLabels:
    start = c.starts[c.i]
    if c.names[c.i] is not None and c.kinds[c.i + 1] in (":", "IS"):
        variable = c.variable()
        found = _labels(c)
        return t.RemoveLabels(start, c.end, variable, found)
    target = _target(c)
    return t.RemoveProperty(start, target.end, target)


def delete(c: Cursor) -> t.Delete:
    """Parse `DETACH DELETE n, r`."""
    start = c.starts[c.i]
    kind = c.kinds[c.i]
    c.i += 1
    detach: str | None = None
    if kind != "DELETE":
        detach = kind
        c.expect("DELETE")
    found = c.several(expressions.expression)
    return t.Delete(start, c.end, detach, found)


def foreach(c: Cursor) -> t.Foreach:
    """Parse `FOREACH (x IN xs | SET x.y = 1)`."""
    start = c.skip()
    c.expect("(")
    variable = c.variable()
    c.expect("IN")
    source = atoms.up_to_bar(c, ("|",))
    c.expect("|")
    c.deeper()
    found: list[t.Clause] = []
    while c.kinds[c.i] in CLAUSES:
        found.append(CLAUSES[c.kinds[c.i]](c))
    c.depth -= 1
    if not found:
        raise c.fail("a clause such as SET or CREATE")
    c.expect(")")
    return t.Foreach(start, c.end, variable, source, found)


CLAUSES: dict[str, Callable[[Cursor], t.Clause]] = {
    "MATCH": match,
    "OPTIONAL": optional,
    "WITH": with_,
    "RETURN": return_,
    "UNWIND": unwind,
    "CALL": expressions.call,
    **dict.fromkeys(("CREATE", "INSERT"), create),
    "MERGE": merge,
    "SET": set_,
    "REMOVE": remove,
    **dict.fromkeys(("DELETE", "DETACH", "NODETACH"), delete),
    "FOREACH": foreach,
    "LOAD": load_csv,
    "USE": use,
    "FINISH": finish,
    **dict.fromkeys(("ORDER", "SKIP", "OFFSET", "LIMIT"), order_and_page),
}

NEWER: dict[str, Callable[[Cursor], t.Clause]] = {"LET": let, "FILTER": filter_, "FOR": for_}


# Parses schema and administration commands


_INDEXES = frozenset(("RANGE", "TEXT", "POINT", "FULLTEXT", "VECTOR", "LOOKUP", "BTREE"))
_ADMIN = words("ALTER GRANT DENY REVOKE RENAME ENABLE DEALLOCATE REALLOCATE DRYRUN START STOP")
_ADMIN_THINGS = frozenset(("DATABASE", "USER", "ROLE", "ALIAS", "COMPOSITE", "IMMUTABLE", "SERVER"))
_CONSTRAINT_WORDS = words("ALL UNIQUE UNIQUENESS NODE REL RELATIONSHIP KEY EXIST EXISTENCE EXISTS PROPERTY TYPE")
_AFTER_SHOW = words("MATCH OPTIONAL WITH UNWIND RETURN LET FILTER FOR ORDER SKIP LIMIT OFFSET")
_SHOWN = words(
    "ALIAS ALIASES ALL CURRENT DATABASE DATABASES DEFAULT HOME POPULATED PRIVILEGE PRIVILEGES ROLE ROLES SERVER "
    "SERVERS SETTING SETTINGS SUPPORTED TRANSACTION TRANSACTIONS USER USERS"
)
_OPENING = {"(": ")", "[": "]", "{": "}"}


def command(c: Cursor) -> t.Command | None:
    """Parse a command; None if a query begins here."""
    kind = c.kinds[c.i]
    if kind in ("CREATE", "DROP"):
        # The command is recognised by its first words; the rest is skipped.
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
    if kind in ("SHOW", "TERMINATE"):
        return _show(c, kind)
    if kind in _ADMIN and c.names[c.i + 1] is not None:
        return _unread(c, "admin")
    return None


def _show(c: Cursor, kind: str) -> t.Command:
    start, begin = c.starts[c.i], c.i
    c.i += 1
    thing = _shown(c)
    if thing not in LISTED:
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
            c.several(_shown_column)
        if c.kinds[c.i] in ("ORDER", "SKIP", "OFFSET", "LIMIT"):
            found.append(order_and_page(c))
        if c.accept("WHERE"):
            conditions.append(expressions.expression(c))
        if c.kinds[c.i] == "RETURN":
            found.append(return_(c))
        while c.cypher25 and c.kinds[c.i] in _AFTER_SHOW:
            kind_ = c.kinds[c.i]
            found.append((CLAUSES.get(kind_) or NEWER[kind_])(c))
    return t.Command(start, c.end, "show", words, found, conditions)


def _shown_column(c: Cursor) -> None:
    c.name("a column")
    if c.accept("AS"):
        c.variable()


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
        if c.kinds[place] in LISTED:
            c.i = place
    thing = c.kinds[c.i]
    if thing not in LISTED and kind not in _SHOWN:
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
    return t.Command(start, c.end, group, words, [], [])
