"""Parses values: literals, variables, calls, CASE, comprehensions, subqueries and patterns inside expressions."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan
from typing import Literal, cast

from graphground.cypher import tree as t
from graphground.cypher.parser import expressions, patterns, statement
from graphground.cypher.parser.cursor import Cursor, Failure, integer_value
from graphground.cypher.tokens import unescape_string, words


def atom(c: Cursor) -> t.Expression:
    """Parse one value, without operators."""
    i = c.i
    name = c.names[i]
    kind = c.kinds[i]
    if name is not None:
        after = c.kinds[i + 1]
        special = _WORDS.get(kind)
        if special is not None:
            found = special(c)
            if found is not None:
                return found
        if after == "(" or (after == "." and _is_call(c)):
            return call(c)
        c.i = i + 1
        variable = t.Variable(c.starts[i], c.ends[i], name)
        if after == "{":
            c.i += 1
            items = c.several(_projected) if c.kinds[c.i] != "}" else []
            c.expect("}", "',' or '}'")
            return t.MapProjection(variable.start, c.end, variable, items)
        return variable
    if kind == "string":
        c.i = i + 1
        start, end = c.starts[i], c.ends[i]
        quoted = c.text[start:end]
        return t.StringLiteral(start, end, quoted[1:-1] if "\\" not in quoted else unescaped(c, i))
    if kind == "integer":
        c.i = i + 1
        return t.IntegerLiteral(c.starts[i], c.ends[i], integer_value(c, i))
    special = _SYMBOLS.get(kind)
    if special is not None:
        found = special(c)
        if found is not None:
            return found
    raise c.fail("an expression")


def unescaped(c: Cursor, i: int) -> str:
    """Return the value of a string token, with its escapes decoded."""
    start, end = c.starts[i], c.ends[i]
    return unescape_string(c.text[start:end])


def string(c: Cursor) -> t.StringLiteral:
    """Parse a string literal."""
    i = c.i
    if c.kinds[i] != "string":
        raise c.fail("a string")
    c.i = i + 1
    return t.StringLiteral(c.starts[i], c.ends[i], unescaped(c, i))


def _is_call(c: Cursor) -> bool:
    i = c.i + 1
    kinds, names = c.kinds, c.names
    while kinds[i] == "." and names[i + 1] is not None:
        i += 2
    return kinds[i] == "("


def call(c: Cursor) -> t.Expression:
    """Parse a function call: `point.distance(a, b)`, `count(DISTINCT n)`, `count(*)`."""
    i = c.i
    start = c.starts[i]
    if c.kinds[i] == "COUNT" and c.kinds[i + 2] == "*" and c.kinds[i + 3] == ")":
        c.i = i + 4
        return t.CountStar(start, c.end)
    name = c.names[i] or ""
    while c.kinds[i + 1] == ".":
        name = f"{name}.{c.names[i + 2]}"
        i += 2
    name_end = c.ends[i]
    c.i = i + 2
    distinct = False
    if c.kinds[c.i] == "DISTINCT" and c.kinds[c.i + 1] not in (")", ",", "."):
        distinct = True
        c.i += 1
    elif c.kinds[c.i] == "ALL" and c.kinds[c.i + 1] not in (")", ",", ".", "(", "+", "*"):
        c.i += 1
    arguments: list[t.Expression] = []
    if c.kinds[c.i] != ")":
        arguments.append(expressions.expression(c))
        while c.kinds[c.i] == ",":
            c.i += 1
            if c.cypher25 and c.kinds[c.i] == "SIGNED" and c.kinds[c.i + 1] == "INTEGER":
                c.i += 1
            arguments.append(expressions.expression(c))
        if c.cypher25 and len(arguments) == 3 and name.lower() == "vector" and c.accept("NOT"):
            c.expect("NULL")
    c.expect(")", "',' or ')'")
    return t.FunctionCall(start, c.ends[c.i - 1], name, arguments, distinct, name_end)


def _projected(c: Cursor) -> t.ProjectionItem:
    i = c.i
    start = c.starts[i]
    if c.accept("."):
        if c.accept("*"):
            return t.ProjectedAll(start, c.end)
        key = c.name("a property name or '*'")
        return t.ProjectedProperty(start, key.end, key)
    if c.names[i] is None:
        raise c.fail("'.name', '.*', a variable or 'key: value'")
    if c.kinds[i + 1] == ":":
        key = c.name("a key")
        c.i += 1
        value = expressions.expression(c)
        return t.ProjectedEntry(start, c.end, key, value)
    variable = c.variable()
    if c.kinds[c.i] not in (",", "}"):
        raise c.fail("':', ',' or '}'")
    return t.ProjectedVariable(start, variable.end, variable)


def map_literal(c: Cursor) -> t.MapLiteral:
    """Parse a map: `{name: 'x', year: 1999}`."""
    start = c.starts[c.expect("{")]
    entries: list[t.MapEntry] = []
    while not entries or c.accept(","):
        if not entries and c.kinds[c.i] == "}":
            break
        key = c.name("a key name" if entries else "a key name or '}'")
        c.expect(":")
        value = expressions.expression(c)
        entries.append(t.MapEntry(key.start, c.end, key, value))
    c.expect("}", "',' or '}'")
    return t.MapLiteral(start, c.end, entries)


def parameter(c: Cursor) -> t.Parameter:
    """Parse a parameter: `$name`, `$0`."""
    start = c.starts[c.expect("$")]
    i = c.i
    name = c.names[i]
    if name is None:
        text = c.text[c.starts[i] : c.ends[i]]
        if c.kinds[i] != "integer" or not text.isdigit():
            raise c.fail("a parameter name")
        name = text
    c.i = i + 1
    return t.Parameter(start, c.end, name)


def _float(c: Cursor) -> t.FloatLiteral:
    i = c.i
    c.i += 1
    start, end = c.starts[i], c.ends[i]
    text = c.text[start:end]
    try:
        if text.endswith("_"):
            raise ValueError
        value = float(text)
    except ValueError:
        c.note_token(i, f"{text[:40]} is not a number")
        value = 0.0
    if value == inf:
        c.note_token(i, f"the number {text[:40]} is too large")
    return t.FloatLiteral(start, end, value)


def _negative_number(c: Cursor) -> t.Expression | None:
    """Parse `-1` after another sign: only a number may have two signs."""
    after = c.kinds[c.i + 1]
    if after not in ("integer", "float", "INF", "INFINITY", "NAN"):
        c.i += 1
        raise c.fail("a number")
    start = c.skip()
    value = atom(c)
    value.start = start
    if isinstance(value, t.IntegerLiteral | t.FloatLiteral):
        value.value = -value.value
    return value


def _parenthesis(c: Cursor) -> t.Expression:
    found = pattern_expression(c)
    if found is not None:
        return found
    c.i += 1
    value = expressions.expression(c)
    c.expect(")")
    return value


def pattern_expression(c: Cursor) -> t.PatternExpression | None:
    """Parse a path used as a value, such as `(n)-->()`; None if the parenthesis does not begin a path."""
    i = c.i
    kinds = c.kinds
    first = kinds[i + 1]
    if i in c.no_pattern:
        return None
    if c.names[i + 1] is not None:
        second = kinds[i + 2]
        if second == ")":
            third = kinds[i + 3]
            if third not in ("-", "<", "dash", "left_head"):
                return None
        elif second not in (":", "{", "IS", "WHERE", "$"):
            return None
    elif first not in (")", ":", "{", "$"):
        return None
    path = c.attempt(patterns.simple_path)
    if path is None:
        c.no_pattern.add(i)
        return None
    return t.PatternExpression(path.start, path.end, path)


def _bracket(c: Cursor) -> t.Expression:
    found = comprehension(c)
    if found is not None:
        return found
    start = c.skip()
    items = c.several(expressions.expression) if c.kinds[c.i] != "]" else []
    c.expect("]", "',' or ']'")
    return t.ListLiteral(start, c.end, items)


# Parses values that declare variables: comprehensions, list predicates, reduce, EXISTS / COUNT / COLLECT subqueries


def comprehension(c: Cursor) -> t.Expression | None:
    """Parse `[x IN xs WHERE … | …]` or `[(n)-->(m) | m.name]`; None if the bracket opens an ordinary list."""
    i = c.i
    kinds = c.kinds
    named = c.names[i + 1] is not None
    parse: Callable[[Cursor], t.Expression] = _pattern_comprehension
    if named and kinds[i + 2] == "IN":
        parse = _list_comprehension
    elif i in c.no_pattern or not (kinds[i + 1] == "(" or (named and kinds[i + 2] == "=" and kinds[i + 3] == "(")):
        return None
    found = c.attempt(parse)
    if found is None:
        c.no_pattern.add(i)
    return found


def _list_comprehension(c: Cursor) -> t.ListComprehension:
    start = c.skip()
    variable = c.variable()
    c.i += 1
    source = up_to_bar(c, ("WHERE", "|", "]"))
    where = _where(c, ("|", "]"))
    projection = expressions.expression(c) if c.accept("|") else None
    c.expect("]", "']'" if projection is not None else "'|' or ']'" if where is not None else "WHERE, '|' or ']'")
    return t.ListComprehension(start, c.end, variable, source, where, projection)


def _where(c: Cursor, after: tuple[str, ...]) -> t.Expression | None:
    return up_to_bar(c, after) if c.accept("WHERE") else None


def up_to_bar(c: Cursor, after: tuple[str, ...]) -> t.Expression:
    """Parse an expression that a token of `after` follows; a bar in `x:A | x.name` may end it or join labels."""
    begin, depth, bars = c.i, c.depth, len(c.bars)
    try:
        where = expressions.expression(c)
        if c.kinds[c.i] in after or len(c.bars) == bars:
            return where
    except Failure:
        if len(c.bars) == bars:
            raise
    for bar in reversed(c.bars[bars:]):
        c.i, c.depth, c.stop_bar = begin, depth, bar
        try:
            where = expressions.expression(c)
        except Failure:
            continue
        finally:
            c.stop_bar = -1
        if c.i == bar:
            return where
    raise c.fail("'|' or ']'")


def _pattern_comprehension(c: Cursor) -> t.PatternComprehension:
    start = c.skip()
    path: t.Variable | None = None
    if c.kinds[c.i + 1] == "=":
        path = c.variable()
        c.i += 1
    pattern = patterns.simple_path(c)
    where = _where(c, ("|",))
    c.expect("|", "'|'" if where is not None else "WHERE or '|'")
    projection = expressions.expression(c)
    c.expect("]")
    return t.PatternComprehension(start, c.end, path, pattern, where, projection)


def subquery(c: Cursor) -> t.Expression | None:
    """Parse `EXISTS { … }`, `COUNT { … }` or `COLLECT { … }`; None if the word is a name."""
    i = c.i
    if c.kinds[i + 1] != "{":
        return None
    kind = c.kinds[i]
    start = c.starts[i]
    depth = c.depth
    after = c.kinds[i + 2]
    if after == "." or after == "}" or (c.names[i + 2] is not None and c.kinds[i + 3] in (":", ",", "}")):
        return None
    c.i = i + 2
    c.deeper()
    if kind == "COLLECT" or statement.at_query(c):
        try:
            body = statement.body(c)
            c.expect("}", "a clause such as RETURN, or '}'")
            c.depth = depth
            return t.Subquery(start, c.end, _subquery_kind(kind), body, [], None)
        except Failure:
            if kind == "COLLECT" or c.kinds[i + 3] != "=":
                raise
            c.i = i + 2
            c.depth = depth + 1
    patterns.match_mode(c)
    found = c.several(patterns.path)
    where = expressions.after(c, "WHERE")
    c.expect("}", "',', WHERE or '}'" if where is None else "'}'")
    c.depth = depth
    return t.Subquery(start, c.end, _subquery_kind(kind), None, found, where)


def _subquery_kind(kind: str) -> Literal["EXISTS", "COUNT", "COLLECT"]:
    return cast("Literal['EXISTS', 'COUNT', 'COLLECT']", kind)


def list_predicate(c: Cursor) -> t.Expression | None:
    """Parse `any(x IN xs WHERE x > 1)`; None if `any` begins an ordinary call or is a name."""
    i = c.i
    if c.kinds[i + 1] != "(" or c.names[i + 2] is None or c.kinds[i + 3] != "IN":
        return None
    kind = cast("Literal['all', 'any', 'none', 'single']", c.kinds[i].lower())
    c.i = i + 2
    variable = c.variable()
    c.i += 1
    source = expressions.expression(c)
    where = expressions.after(c, "WHERE")
    c.expect(")", "WHERE or ')'" if where is None else "')'")
    return t.ListPredicate(c.starts[i], c.end, kind, variable, source, where)


def reduce(c: Cursor) -> t.Expression | None:
    """Parse `reduce(total = 0, x IN xs | total + x)` or `allReduce(total = 0, x IN xs | total + x, total < 9)`.

    Return None for an ordinary call: `reduce(a, b)`.
    """
    i = c.i
    steps = c.kinds[i] == "ALLREDUCE"
    if c.kinds[i + 1] != "(" or c.names[i + 2] is None or c.kinds[i + 3] != "=" or (steps and not c.cypher25):
        return None
    begun = c.attempt(_reduction)
    if begun is None:  # `reduce(a = 1, b)` is parsed as a call, and later rejected as such
        return None
    step = expressions.expression(c)
    if steps:
        c.expect(",")
        predicate = expressions.expression(c)
        c.expect(")")
        return t.AllReduce(c.starts[i], c.end, *begun, step, predicate)
    c.expect(")")
    return t.Reduce(c.starts[i], c.end, *begun, step)


def _reduction(c: Cursor) -> tuple[t.Variable, t.Expression, t.Variable, t.Expression]:
    """Parse `reduce(total = 0, x IN xs |`."""
    c.i += 2
    accumulator = c.variable()
    c.i += 1
    initial = expressions.expression(c)
    c.expect(",")
    variable = c.variable()
    c.expect("IN")
    source = up_to_bar(c, ("|",))
    c.expect("|")
    return accumulator, initial, variable, source


def shortest_path(c: Cursor) -> t.Expression | None:
    """Parse `shortestPath((a)-[*]-(b))` as a value; None if no pattern follows."""
    i = c.i
    if c.kinds[i + 1] != "(" or c.kinds[i + 2] != "(":
        return None
    path = patterns.shortest_function(c, None)
    return t.PatternExpression(c.starts[i], c.end, path)


def trim(c: Cursor) -> t.Expression | None:
    """Parse `trim(BOTH 'x' FROM name)`; None for an ordinary call, `trim(name)`."""
    if c.kinds[c.i + 1] != "(":
        return None
    side = c.kinds[c.i + 2] in ("BOTH", "LEADING", "TRAILING") and c.kinds[c.i + 3] not in (")", ",", ".")
    return _trim(c, c.kinds[c.i + 2]) if side else c.attempt(_trim)


def _trim(c: Cursor, side: str = "") -> t.FunctionCall | None:
    i = c.i
    c.i += 3 if side else 2
    letters = None
    if c.kinds[c.i] != "FROM" or c.kinds[c.i + 1] in ("FROM", ")", ","):
        letters = expressions.expression(c)
    if not side and c.kinds[c.i] != "FROM":
        return None
    c.expect("FROM")
    source = expressions.expression(c)
    c.expect(")")
    where = t.StringLiteral(c.starts[i], c.ends[i], side or "BOTH")
    arguments: list[t.Expression] = [where, source] if letters is None else [where, letters, source]
    return t.FunctionCall(c.starts[i], c.end, "trim", arguments, False, c.ends[i])


def normalize(c: Cursor) -> t.Expression | None:
    """Parse `normalize(text, NFD)`, in which the form is a keyword; None for an ordinary call, `normalize(text)`."""
    return c.attempt(_normalize) if c.kinds[c.i + 1] == "(" else None


def _normalize(c: Cursor) -> t.FunctionCall | None:
    i = c.i
    c.i = i + 2
    text = expressions.expression(c)
    if c.kinds[c.i] != "," or c.kinds[c.i + 1] not in ("NFC", "NFD", "NFKC", "NFKD") or c.kinds[c.i + 2] != ")":
        return None
    form = t.StringLiteral(c.starts[c.i + 1], c.ends[c.i + 1], c.kinds[c.i + 1])
    c.i += 3
    return t.FunctionCall(c.starts[i], c.end, c.names[i] or "", [text, form], False, c.ends[i])


# The words and symbols with which a value begins


def _constant(make: Callable[[int, int], t.Expression]) -> Callable[[Cursor], t.Expression | None]:
    """Return the parser of a word such as `true`, which is a function's name before a parenthesis."""

    def parse(c: Cursor) -> t.Expression | None:
        return make(c.skip(), c.end) if c.kinds[c.i + 1] != "(" else None

    return parse


_WORDS: dict[str, Callable[[Cursor], t.Expression | None]] = {
    "TRUE": _constant(lambda start, end: t.BooleanLiteral(start, end, True)),
    "FALSE": _constant(lambda start, end: t.BooleanLiteral(start, end, False)),
    "NULL": _constant(t.NullLiteral),
    **dict.fromkeys(("INF", "INFINITY"), _constant(lambda start, end: t.FloatLiteral(start, end, inf))),
    "NAN": _constant(lambda start, end: t.FloatLiteral(start, end, nan)),
    "CASE": expressions.case,
    **dict.fromkeys(("EXISTS", "COUNT", "COLLECT"), subquery),
    **dict.fromkeys(("ALL", "ANY", "NONE", "SINGLE"), list_predicate),
    **dict.fromkeys(("REDUCE", "ALLREDUCE"), reduce),
    **dict.fromkeys(("SHORTESTPATH", "ALLSHORTESTPATHS"), shortest_path),
    "TRIM": trim,
    "NORMALIZE": normalize,
}
_SYMBOLS: dict[str, Callable[[Cursor], t.Expression | None]] = {
    "(": _parenthesis,
    "[": _bracket,
    "{": map_literal,
    "$": parameter,
    "float": _float,
    "-": _negative_number,
}


# Parses type names after `::` and IS TYPED: `INTEGER NOT NULL`, `LIST<STRING | BOOLEAN>`, `LOCAL DATETIME`


_TYPE_WORDS: dict[str, tuple[tuple[str, ...], ...]] = {
    "LOCAL": (("TIME",), ("DATETIME",)),
    "ZONED": (("TIME",), ("DATETIME",)),
    "SIGNED": (("INTEGER",),),
    "TIME": (("WITHOUT", "TIME", "ZONE"), ("WITH", "TIME", "ZONE"), ("WITHOUT", "TIMEZONE"), ("WITH", "TIMEZONE")),
    "TIMESTAMP": (("WITHOUT", "TIME", "ZONE"), ("WITH", "TIME", "ZONE"), ("WITHOUT", "TIMEZONE"), ("WITH", "TIMEZONE")),
    "PROPERTY": (("VALUE",),),
}
_SINGLE = words(
    "NOTHING NULL BOOL BOOLEAN VARCHAR STRING INT INTEGER FLOAT DATE DURATION POINT NODE VERTEX RELATIONSHIP EDGE MAP "
    "PATH PATHS ANY"
)
_ANY_OF = frozenset(("NODE", "VERTEX", "RELATIONSHIP", "EDGE", "MAP", "VALUE"))

COORDINATES = words("INT INTEGER INT8 INT16 INT32 INT64 INTEGER8 INTEGER16 INTEGER32 INTEGER64 FLOAT FLOAT32 FLOAT64")
"""The types that the coordinates of a vector may have."""


def type_name(c: Cursor) -> str:
    """Parse a type; return it as written, in upper case with single spaces."""
    begin = c.i
    _part(c)
    while c.kinds[c.i] == "|" and c.i != c.stop_bar:
        # In a comprehension the bar may belong to the comprehension, as with labels.
        c.bars.append(c.i)
        c.i += 1
        _part(c)
    return " ".join(
        c.text[c.starts[k] : c.ends[k]] if c.kinds[k] == "integer" else c.kinds[k] for k in range(begin, c.i)
    )


def _part(c: Cursor) -> None:
    kind = c.kinds[c.i]
    if kind == "LIST" or kind == "ARRAY":
        c.i += 1
        _inner(c)
    elif kind == "ANY":
        c.i += 1
        if c.kinds[c.i] in _ANY_OF:
            value = c.kinds[c.i] == "VALUE"
            c.i += 1
            if value and c.kinds[c.i] == "<":
                _inner(c)
        elif c.kinds[c.i] == "PROPERTY":
            c.i += 1
            c.expect("VALUE")
        elif c.kinds[c.i] == "<":
            _inner(c)
    elif kind in _TYPE_WORDS:
        for words in _TYPE_WORDS[kind]:
            if tuple(c.kinds[c.i + 1 : c.i + 1 + len(words)]) == words:
                c.i += 1 + len(words)
                break
        else:
            c.i += 1
            raise c.fail(" or ".join(" ".join(words) for words in _TYPE_WORDS[kind]))
    elif kind in _SINGLE or (kind == "UUID" and c.cypher25):
        c.i += 1
    elif kind == "VECTOR" and c.cypher25:
        c.i += 1
        if c.kinds[c.i] == "<":
            c.expect("<")
            if c.kinds[c.i] == "SIGNED" and c.kinds[c.i + 1] == "INTEGER":
                c.i += 1
            c.one_of(COORDINATES, "a number type such as INTEGER or FLOAT32")
            _not_null(c)
            c.expect(">")
        if c.accept("("):
            c.integer()
            c.expect(")")
    else:
        raise c.fail("a type such as INTEGER, STRING or LIST<FLOAT>")
    _not_null(c)
    while c.one_of(("LIST", "ARRAY")):
        _not_null(c)


def _inner(c: Cursor) -> None:
    c.deeper()
    c.expect("<")
    type_name(c)
    c.expect(">")
    c.depth -= 1


def _not_null(c: Cursor) -> None:
    if c.kinds[c.i] == "!":
        c.i += 1
    elif c.kinds[c.i] == "NOT" and c.kinds[c.i + 1] == "NULL":
        c.i += 2
