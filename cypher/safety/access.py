"""Determines the access level that a query needs, from its syntax tree.

    >>> from graphground.cypher import parse
    >>> access(parse("MATCH (n) RETURN n")), access(parse("MATCH (n) CALL { CREATE (m) } RETURN n"))
    ('read', 'write')

A procedure or a plug-in's function that is not in `allowed` may do anything, so it counts as `admin`. The exceptions
are built-in procedures with the mode `write` or `schema`. LOAD CSV, which reads a file or an address, counts as
`admin` too. `violations` lists the forbidden constructs with reasons.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import prod
from typing import Any

from graphground.cypher import tree
from graphground.cypher.diagnostics import Access, Problem, widest
from graphground.cypher.functions import CYPHER25_FUNCTIONS, FUNCTIONS, PROCEDURES
from graphground.cypher.safety.allowed import (
    FUNCTIONS_ALLOWED,
    MAX_ARGUMENTS,
    OPTIONS_ALLOWED,
    PROCEDURES_ALLOWED,
    WRITE_INSTEAD,
)
from graphground.cypher.safety.time_limit import check_work
from graphground.cypher.tokens import LISTED, words
from graphground.cypher.types import BOOLEAN, FLOAT, INTEGER, LIST, MAP, STRING, Type

_SUSPECT = words(
    "CREATE INSERT MERGE SET REMOVE DELETE DROP FOREACH LOAD CALL ALTER GRANT DENY REVOKE START STOP TERMINATE SHOW "
    "RENAME ENABLE USE"
)


MULTIPLE_STATEMENTS, OUTSIDE = "multiple_statements", "file_or_network_access"
REFUSED = frozenset({"not_read_only", "forbidden_procedure", "forbidden_option", OUTSIDE, MULTIPLE_STATEMENTS})
"""The codes of texts that do more than read the open graph."""


_HARMLESS: set[type[tree.Node]] = set()
"""The classes of nodes met so far that cannot be a violation; one look-up is faster than three tests."""


def access(query: tree.Query) -> Access:
    """Return the highest access level that a query needs: `read`, `write`, `schema` or `admin`."""
    return widest(violation.access for violation in violations(query))


def violations(query: tree.Query, parameters: Mapping[str, Any] | None = None) -> list[Problem]:
    """Return the constructs that do more than read the open graph, or that certainly build too large a value."""
    found: list[Problem] = []
    for node in query.walk():
        if type(node) in _HARMLESS:
            continue
        if isinstance(node, tree.FunctionCall):
            found += _function(node)
        elif isinstance(node, tree.Clause):
            found += _clause(query, node)
        elif isinstance(node, tree.Command):
            found += _command(node)
        else:
            _HARMLESS.add(type(node))
    for preparser in query.preparser:
        for option in preparser.options:
            found += _option(option)
    return found + growing_values(query, parameters or {})


def _clause(query: tree.Query, node: tree.Clause) -> Iterator[Problem]:
    if isinstance(node, tree.WRITING):
        word = query.text[node.start : node.end].split(None, 1)[0].split("(")[0].upper()
        shown = f"{word} DELETE" if word in ("DETACH", "NODETACH") else word
        message = f"{shown} writes; only reading is allowed here"
        yield Problem("not_read_only", node.start, node.start + len(word), message, access="write")
    elif isinstance(node, tree.LoadCsv):
        message = "LOAD CSV reads a file or an address outside the graph; only the graph may be read"
        yield Problem(OUTSIDE, node.start, node.source.end, message, access="admin")
    elif isinstance(node, tree.Use):
        yield Problem(OUTSIDE, node.start, node.end, "USE switches to another graph; only the open graph may be read")
    elif isinstance(node, tree.CallProcedure) and node.key not in PROCEDURES_ALLOWED:
        known = PROCEDURES.get(node.name)
        level: Access = "admin"
        if known is not None and known.mode in ("write", "schema"):
            level = "write" if known.mode == "write" else "schema"
        message = f"the procedure {node.name} is not on the list of read-only procedures"
        yield Problem("forbidden_procedure", node.name_start, node.name_end, message, access=level)


def _option(node: tree.QueryOption) -> Iterator[Problem]:
    allowed = OPTIONS_ALLOWED.get(node.name)
    if allowed is not None and node.value.lower() in allowed:
        return
    what = f"{node.name}={node.value}"
    message = f"the query option {what[:50]} is not on the list of allowed options; leave it out"
    if allowed is not None:
        message += f", or write {' or '.join(f'{node.name}={value}' for value in sorted(allowed))}"
    yield Problem("forbidden_option", node.start, node.end, message, access="admin")


def _function(node: tree.FunctionCall) -> Iterator[Problem]:
    key = node.key
    if key in FUNCTIONS or key in CYPHER25_FUNCTIONS:
        if key.startswith("graph."):
            message = f"{node.name} reads another graph; only the open graph may be read"
            yield Problem(OUTSIDE, node.start, node.name_end, message, access="admin")
        return
    if "." not in key:
        return
    most = MAX_ARGUMENTS.get(key)
    # A function in WRITE_INSTEAD only reads, but its time or memory is not bounded by the size of its arguments.
    level: Access = "read" if key in WRITE_INSTEAD or most is not None else "admin"
    if key not in FUNCTIONS_ALLOWED:
        message = f"the function {node.name} is not on the list of allowed functions"
        if key in WRITE_INSTEAD:
            message += f"; use {WRITE_INSTEAD[key]} instead"
    elif most is not None and len(node.arguments) > most:
        message = f"{node.name} is allowed without a path only: its time is not bounded by the size of its arguments"
    else:
        return
    yield Problem("forbidden_procedure", node.start, node.name_end, message, access=level)


def unknown_functions(query: tree.Query) -> set[str]:
    """Return the names, in lower case, of called functions that have no namespace
    and are not among Neo4j's functions."""
    keys = {node.key for node in query.find(tree.FunctionCall) if "." not in node.key}
    return keys - FUNCTIONS.keys() - CYPHER25_FUNCTIONS.keys()


def _command(node: tree.Command) -> Iterator[Problem]:
    # `words` ends with the object of the SHOW if the command was parsed completely;
    # otherwise it has only the first words.
    if node.kind == "show" and node.words.startswith("SHOW ") and node.words.rpartition(" ")[2] in LISTED:
        return
    level: Access = "schema" if node.kind == "schema" else "admin"
    message = f"{node.words} is not allowed: only the graph's data may be read"
    yield Problem("not_read_only", node.start, min(node.end, node.start + len(node.words)), message, access=level)


def suspected(kinds: list[str]) -> Access:
    """Return the presumed access of a text that was not parsed, from the kinds of its tokens.

    The access is `admin` if a token is a keyword of writes or commands, such as CREATE or CALL, else `read`.
    """
    return "admin" if any(kind in _SUSPECT for kind in kinds) else "read"


# Values that a single expression builds and that grow too large


DOUBLES, TOO_LARGE = "value_doubles", "value_too_large"
GROWING = frozenset({DOUBLES, TOO_LARGE})
FEW = 16
"""The longest list over which doubling is harmless: after 16 rounds the value is 65,536 times as large."""
MAX_DOUBLINGS = 4
"""The number of times that a query may add a variable to itself; each addition may double the value's size."""
MAX_ELEMENTS = 1_000_000
"""The number of elements of all ranges outside UNWIND, multiplied because one may be nested in another."""
_PARTS = frozenset({"left", "right", "substring", "head", "last"})
_GROWING = (STRING | LIST | MAP).mask
_TEXTS_AND_LISTS = (tree.StringLiteral, tree.ListLiteral, tree.MapLiteral, tree.ListComprehension, tree.Slice)
_REDUCING = (tree.Reduce, tree.AllReduce)
_GROWING_NODES = frozenset({tree.FunctionCall, tree.Unwind, tree.Binary, *_REDUCING})


def growing_values(query: tree.Query, parameters: Mapping[str, Any]) -> list[Problem]:
    """Return the expressions that certainly need more memory or time than a query may have, with these parameters.

        RETURN reduce(s = 'x', i IN range(1, 40) | s + s) AS x      # value_doubles
        RETURN size([i IN range(1, $n) | i]) AS x                   # value_too_large with {"n": 10**9}
        UNWIND range(1, 1000000000) AS i RETURN sum(i) AS x         # streams: nothing is reported

    Databases stop a query between two rows, not inside an expression, and do not count the memory of an expression.
    Only clear cases are reported; what rows store (`collect`, DISTINCT, sorts) is left to the database's own limits.

    - A `reduce` that copies its accumulator at least twice into the next value, if the first or the next value is
      certainly a string, a list or a map. Numbers (`total + total * 0.05`), values that may be numbers (`$start`,
      `n.amount`), and lists of at most `FEW` elements are not reported, nor is growth by `replace` or in a map's entry.
    - More than `MAX_DOUBLINGS` additions of a variable to itself, `WITH l + l AS l WITH l + l AS l …`.
    - A `range` outside UNWIND with more than `MAX_ELEMENTS` elements, as far as numbers and parameters say. In a query
      that calls a plug-in's function, which receives a list as a whole, every such `range` must have known bounds.
    """
    found: list[Problem] = []
    ranges: list[tree.FunctionCall] = []
    streamed: set[int] = set()
    additions = 0
    calls_plugin = False
    for node in query.walk():
        if type(node) not in _GROWING_NODES:
            continue
        if isinstance(node, tree.FunctionCall):
            if node.key == "range":
                if node.start not in streamed:
                    ranges.append(node)
            elif "." in node.name and node.key not in FUNCTIONS:
                calls_plugin = True
        elif isinstance(node, tree.Unwind):
            streamed.add(node.source.start)
        elif isinstance(node, tree.Binary):
            doubled = isinstance(node.left, tree.Variable) and node.left.shape() == node.right.shape()
            if node.operator in ("+", "||") and doubled:
                additions += 1
                if additions == MAX_DOUBLINGS + 1:
                    found.append(
                        _doubling(node, query.source(node.left), "this query adds a variable to itself again and again")
                    )
        elif (
            isinstance(node, _REDUCING)
            and (_grows(node.initial) or _grows(node.step))
            and not _is_short(node.source)
            and _copies(node.step, frozenset({node.accumulator.name})) > 1
        ):
            found.append(_doubling(node, node.accumulator.name, "each round of this reduce multiplies its value"))
    if ranges:
        found += _large_ranges(ranges, parameters, calls_plugin=calls_plugin)
    return found


def _doubling(node: tree.Node, name: str, what: str) -> Problem:
    message = (
        f"{what}: a string or list that doubles forty times needs more memory than any database has. Collect the parts "
        f"without repeating {name}; for a number, write 2 * {name}"
    )
    return Problem(DOUBLES, node.start, node.end, message)


def _large_ranges(
    ranges: list[tree.FunctionCall], parameters: Mapping[str, Any], *, calls_plugin: bool
) -> list[Problem]:
    sizes = [_size(node, parameters) for node in ranges]
    if prod(size for size in sizes if size) > MAX_ELEMENTS:
        largest = max(range(len(sizes)), key=lambda number: sizes[number] or 0)
        what = (
            "this range has"
            if sum((size or 0) > 1 for size in sizes) == 1
            else "the ranges of this query, nested, have"
        )
        message = f"{what} {prod(size for size in sizes if size):,} elements; outside UNWIND at most {MAX_ELEMENTS:,} are allowed"
        message += ". UNWIND range(…) AS i streams a range of any length"
    elif calls_plugin and None in sizes:
        largest = sizes.index(None)
        message = "a query that calls a plug-in's function may use range() only with numbers or parameters as bounds"
    else:
        return []
    return [Problem(TOO_LARGE, ranges[largest].start, ranges[largest].end, message)]


def _size(node: tree.FunctionCall, parameters: Mapping[str, Any]) -> int | None:
    """Return the number of elements of a `range`; None if it depends on more than numbers and parameters."""
    bounds = [_integer(argument, parameters) for argument in node.arguments]
    if len(bounds) not in (2, 3) or None in bounds:
        return None
    first, last, step = (*bounds, 1)[:3]
    return max(0, (last - first) // step + 1) if step else 0  # type: ignore[operator]


def _integer(expression: tree.Expression, parameters: Mapping[str, Any]) -> int | None:
    match expression:
        case tree.IntegerLiteral():
            return expression.value
        case tree.Parameter():
            value = parameters.get(expression.name)
            return value if isinstance(value, int) else None
        case tree.Unary(operator="-"):
            value = _integer(expression.operand, parameters)
            return None if value is None else -value
        case tree.Binary(operator="+" | "-" | "*"):
            left, right = _integer(expression.left, parameters), _integer(expression.right, parameters)
            if left is None or right is None:
                return None
            return (
                left * right if expression.operator == "*" else left + (right if expression.operator == "+" else -right)
            )
    return None


def _is_short(source: tree.Expression) -> bool:
    if isinstance(source, tree.FunctionCall) and source.key == "range":
        return (size := _size(source, {})) is not None and size <= FEW
    return isinstance(source, tree.ListLiteral) and len(source.items) <= FEW


def _grows(expression: tree.Expression | None) -> bool:
    """Return whether a value is certainly a string, a list or a map; for a CASE, whether one of its results is."""
    check_work()
    match expression:
        case tree.Binary(operator="+"):
            # A list plus a number is a list as well, and a string plus a number a string.
            return _grows(expression.left) or _grows(expression.right)
        case tree.Case():
            return any(map(_grows, (*(branch.result for branch in expression.branches), expression.default)))
        case tree.FunctionCall():
            result = _result(expression)
            return result == "list" or (isinstance(result, Type) and 0 < result.mask == result.mask & _GROWING)
        case tree.Reduce():
            return _grows(expression.initial) or _grows(expression.step)
        case tree.Binary(operator="||") | tree.Subquery(kind="COLLECT"):
            return True
    return isinstance(expression, _TEXTS_AND_LISTS)


def _result(call: tree.FunctionCall) -> Type | str | None:
    function = FUNCTIONS.get(call.key) or CYPHER25_FUNCTIONS.get(call.key)
    return function.result if function is not None else None


def _copies(expression: tree.Expression | None, names: frozenset[str]) -> int:
    """Return how often an expression copies the named values as a whole; 2 means twice or more.

    An entry of a map, an element of a list and a part of a text are not the whole: `s[..i] + x + s[i..]` copies s once.
    """
    check_work()
    parts: Iterable[tree.Expression | None] = ()
    match expression:
        case tree.Variable():
            return int(expression.name in names)
        case tree.Binary(operator="+" | "||"):
            parts = (expression.left, expression.right)
        case tree.ListLiteral():
            parts = expression.items
        case tree.MapLiteral():
            parts = (entry.value for entry in expression.entries)
        case tree.Case():
            results = (*(branch.result for branch in expression.branches), expression.default)
            return max(_copies(result, names) for result in results)
        case tree.Slice():
            copied = _copies(expression.subject, names)
            to_the_end = expression.upper is None and isinstance(expression.lower, tree.IntegerLiteral | None)
            return copied if copied > 1 or to_the_end else 0
        case tree.FunctionCall():
            return _copies_in_call(expression, names)
        case tree.ListComprehension():
            source = _copies(expression.source, names)
            if expression.projection is None or expression.where is not None:
                return source // 2 if expression.where is not None else source
            # `[x IN s | s]` repeats the list for each element, `[x IN s | x + x]` doubles each element.
            outer = names - {expression.variable.name}
            if not _is_short(expression.source) and any(
                variable.name in outer for variable in expression.projection.find(tree.Variable)
            ):
                return min(2, 2 * _copies(expression.projection, outer))
            inside = outer | {expression.variable.name} if source else outer
            return max(source, _copies(expression.projection, inside))
        case tree.Reduce():
            initial, source = _copies(expression.initial, names), _copies(expression.source, names)
            inner = names - {expression.accumulator.name, expression.variable.name}
            inner |= {expression.accumulator.name} if initial else set()
            return max(initial, _copies(expression.step, inner | ({expression.variable.name} if source else set())))
    return min(2, sum(_copies(part, names) for part in parts))


def _copies_in_call(call: tree.FunctionCall, names: frozenset[str]) -> int:
    if _result(call) in (INTEGER, FLOAT, BOOLEAN) or not call.arguments:
        return 0
    found = [_copies(argument, names) for argument in call.arguments]
    if call.key in _PARTS:
        return found[0] if found[0] > 1 else 0
    # `apoc.coll.insert(s, apoc.coll.indexOf(s, x), y)` copies the list once, as `coalesce(s, t)` does.
    alternatives = call.key in ("coalesce", "nullif") or _result(call) is None
    return min(2, max(found) if alternatives else sum(found))
