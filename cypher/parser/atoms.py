"""Parses values: literals, variables, calls, CASE, comprehensions, subqueries and patterns inside expressions."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan

from graphground.cypher import tree as t
from graphground.cypher.parser import expressions, patterns, subqueries
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
            return _map_projection(c, variable)
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
    return unescape_string(c.text[start:end])[0]


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


def _map_projection(c: Cursor, subject: t.Variable) -> t.MapProjection:
    c.i += 1
    items = c.several(_projected) if c.kinds[c.i] != "}" else []
    c.expect("}", "',' or '}'")
    return t.MapProjection(subject.start, c.end, subject, items)


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
        return t.ProjectedEntry(start, value.end, key, value)
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
        entries.append(t.MapEntry(key.start, value.end, key, value))
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
        c.note("number", start, end, f"{text[:40]} is not a number")
        value = 0.0
    if value == inf:
        c.note("number", start, end, f"the number {text[:40]} is too large")
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
    depth = c.depth
    try:
        path = patterns.simple_path(c)
    except Failure:
        c.i = i
        c.depth = depth
        c.no_pattern.add(i)
        return None
    return t.PatternExpression(path.start, path.end, path)


def _bracket(c: Cursor) -> t.Expression:
    found = subqueries.comprehension(c)
    if found is not None:
        return found
    start = c.skip()
    items: list[t.Expression] = []
    if c.kinds[c.i] != "]":
        items = c.several(expressions.expression)
    c.expect("]", "',' or ']'")
    return t.ListLiteral(start, c.end, items)


def _constant(make: Callable[[int, int], t.Expression]) -> Callable[[Cursor], t.Expression | None]:
    """Return the parser of a word such as `true`, which is a function's name before a parenthesis."""

    def parse(c: Cursor) -> t.Expression | None:
        return make(c.skip(), c.end) if c.kinds[c.i + 1] != "(" else None

    return parse


_INFINITY = _constant(lambda start, end: t.FloatLiteral(start, end, inf))
_WORDS: dict[str, Callable[[Cursor], t.Expression | None]] = {
    "TRUE": _constant(lambda start, end: t.BooleanLiteral(start, end, True)),
    "FALSE": _constant(lambda start, end: t.BooleanLiteral(start, end, False)),
    "NULL": _constant(t.NullLiteral),
    "INF": _INFINITY,
    "INFINITY": _INFINITY,
    "NAN": _constant(lambda start, end: t.FloatLiteral(start, end, nan)),
    "CASE": expressions.case,
    "EXISTS": subqueries.subquery,
    "COUNT": subqueries.subquery,
    "COLLECT": subqueries.subquery,
    "ALL": subqueries.list_predicate,
    "ANY": subqueries.list_predicate,
    "NONE": subqueries.list_predicate,
    "SINGLE": subqueries.list_predicate,
    "REDUCE": subqueries.reduce,
    "ALLREDUCE": subqueries.reduce,
    "SHORTESTPATH": subqueries.shortest_path,
    "ALLSHORTESTPATHS": subqueries.shortest_path,
    "TRIM": subqueries.trim,
    "NORMALIZE": subqueries.normalize,
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
            coordinate_type(c)
        if c.accept("("):
            c.integer()
            c.expect(")")
    else:
        raise c.fail("a type such as INTEGER, STRING or LIST<FLOAT>")
    _not_null(c)
    while c.kinds[c.i] in ("LIST", "ARRAY"):
        c.i += 1
        _not_null(c)


def coordinate_type(c: Cursor) -> None:
    """Parse `<FLOAT32 NOT NULL>`."""
    c.expect("<")
    if c.kinds[c.i] == "SIGNED" and c.kinds[c.i + 1] == "INTEGER":
        c.i += 1
    if c.kinds[c.i] not in COORDINATES:
        raise c.fail("a number type such as INTEGER or FLOAT32")
    c.i += 1
    _not_null(c)
    c.expect(">")


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
