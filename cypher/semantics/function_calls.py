"""Checks function calls: that the function exists, its arguments, and whether it may aggregate here."""

from __future__ import annotations

from graphground.cypher import tree
from graphground.cypher.functions import CYPHER25_FUNCTIONS, FUNCTIONS, RENAMED, Function
from graphground.cypher.names.nearest import distance
from graphground.cypher.parser.types import COORDINATES
from graphground.cypher.semantics import expressions, patterns
from graphground.cypher.semantics.checker import Checker, Enough
from graphground.cypher.types import ANY, BOOLEAN, LIST, Type, element_of, list_of
from graphground.cypher.wording import counted, either
from graphground.cypher.work import MOST_FINDINGS, check_work

_METRICS = frozenset(("EUCLIDEAN", "EUCLIDEAN_SQUARED", "MANHATTAN", "COSINE", "DOT", "HAMMING"))
_SYNTAX = frozenset(("all", "any", "none", "single", "reduce"))
_WORDS_25 = {"vector": COORDINATES, "vector_distance": _METRICS, "vector_norm": _METRICS}
_NAMESPACES_25 = frozenset(("coll", "string", "uuid"))
_NAMESPACES = frozenset(
    ("date", "datetime", "localdatetime", "localtime", "time", "duration", "point", "vector", "graph")
)


def call(c: Checker, node: tree.FunctionCall) -> Type:
    """Check a function call, such as `left(n.name, 3)`; return the type of its result."""
    key = node.name.lower()
    function = CYPHER25_FUNCTIONS.get(key) if c.cypher25 else None
    if function is None:
        function = FUNCTIONS.get(key)
    if (
        c.cypher25
        and key == "property_exists"
        and len(node.arguments) == 2
        and isinstance(node.arguments[1], tree.Variable)
    ):
        # The second argument is the name of the property, not an expression.
        expressions.infer(c, node.arguments[0])
        return BOOLEAN
    if function is None:
        return _unknown(c, node, key)
    if key == "exists":
        return _exists(c, node)
    if function.aggregating:
        return _aggregate(c, node, function)
    if node.distinct:
        c.problem_at(
            "aggregation",
            node.start,
            node.name_end,
            f"only an aggregating function takes DISTINCT; {function.name} does not aggregate",
        )
    if function.name in ("rand", "randomUUID") and c.aggregates == "inside":
        c.problem("aggregation", node, f"{function.name}() is not allowed inside an aggregating function")
    if c.cypher25 and key in _WORDS_25 and len(node.arguments) == function.required:
        return _with_word(c, node, function, _WORDS_25[key])
    found = [expressions.infer(c, argument) for argument in node.arguments]
    if key == "point" and len(found) == 1 and isinstance(node.arguments[0], tree.MapLiteral):
        _point(c, node.arguments[0])
    return _applied(c, node, function, found)


def _with_word(c: Checker, node: tree.FunctionCall, function: Function, words: frozenset[str]) -> Type:
    """Check a call whose last argument is a keyword, not a variable: `vector(xs, 3, FLOAT32)`."""
    *values, last = node.arguments
    found = [expressions.infer(c, argument) for argument in values]
    if not isinstance(last, tree.Variable) or last.name.upper() not in words:
        c.problem("type_mismatch", last, f"{function.name} takes one of the words {', '.join(sorted(words))} here")
    return _applied(c, node, function, [*found, ANY])


def _point(c: Checker, node: tree.MapLiteral) -> None:
    keys = {entry.key.text for entry in node.entries}
    if not {"x", "y"} <= keys and not {"latitude", "longitude"} <= keys:
        c.problem("type_mismatch", node, "a point is made of x and y, or of latitude and longitude")


def _aggregate(c: Checker, node: tree.FunctionCall, function: Function) -> Type:
    c.aggregated = True
    if c.projected and node.shape() in c.projected:
        before = c.aggregates
        c.aggregates = "inside"
        found = [expressions.infer(c, argument) for argument in node.arguments]
        c.aggregates = before
        return _applied(c, node, function, found)
    if c.aggregates == "no" or c.aggregates == "star":
        c.problem(
            "aggregation",
            node,
            f"{function.name}(…) aggregates, which is not possible here; compute it in an earlier WITH and use its name",
        )
    elif c.aggregates == "list":
        c.problem(
            "aggregation",
            node,
            f"{function.name}(…) cannot aggregate inside an expression over a list; compute it in an earlier WITH",
        )
    elif c.aggregates == "inside":
        c.problem(
            "aggregation",
            node,
            "an aggregate is not allowed inside another aggregate; compute the inner aggregate in an earlier WITH",
        )
    before = c.aggregates
    if before == "yes":
        c.aggregates = "inside"
    found = [expressions.infer(c, argument) for argument in node.arguments]
    c.aggregates = before
    result = _applied(c, node, function, found)
    if function.name.startswith("percentile") and len(node.arguments) == 2:
        _percentile(c, node.arguments[1])
    return result


def _percentile(c: Checker, node: tree.Expression) -> None:
    if isinstance(node, tree.NullLiteral) or (
        isinstance(node, tree.FloatLiteral | tree.IntegerLiteral) and not 0 <= node.value <= 1
    ):
        c.problem("type_mismatch", node, "a percentile is a number from 0.0 to 1.0")


def _applied(c: Checker, node: tree.FunctionCall, function: Function, found: list[Type]) -> Type:
    count = len(found)
    parameters = function.arguments
    if count < function.required or (count > len(parameters) and not function.repeated):
        c.problem_at(
            "wrong_argument_count",
            node.start,
            node.end,
            f"{function.name} takes {argument_count(function.required, len(parameters), function.repeated)}, "
            f"but this call has {count}",
        )
        return _result(function, [])
    if not function.repeated:
        for argument, type_, expected in zip(node.arguments, found, parameters, strict=False):
            if type_.mask != ANY.mask and not type_.may_be(expected):
                c.problem(
                    "type_mismatch",
                    argument,
                    f"{function.name} takes {expected if expected.mask else 'a vector'} here, but this has the type {type_}",
                )
    return _result(function, found)


def argument_count(least: int, most: int, repeated: bool = False) -> str:
    """Return the allowed numbers of arguments for a message: `no arguments`, `1 argument`, `1 to 3 arguments`.

    If the last argument may be repeated, there is no most: `at least 1 argument`.
    """
    if repeated:
        return f"at least {counted(least, 'argument')}"
    if least < most:
        return f"{least} to {most} arguments"
    return counted(most, "argument") if most else "no arguments"


def _result(function: Function, found: list[Type]) -> Type:
    result = function.result
    if isinstance(result, Type):
        return result
    if not found:
        return ANY
    if result == "same":
        first = found[0]
        expected = function.arguments[0]
        return first if first.known and not first.mask & ~expected.mask else expected
    if result == "list":
        return list_of(found[0])
    if result == "element":
        return element_of(found[0])
    joined = found[0]
    for alternative in found[1:]:
        joined |= alternative
    return joined


def _exists(c: Checker, node: tree.FunctionCall) -> Type:
    if len(node.arguments) != 1:
        c.problem_at("wrong_argument_count", node.start, node.end, "exists takes one pattern")
        for argument in node.arguments:
            expressions.infer(c, argument)
        return BOOLEAN
    argument = node.arguments[0]
    if isinstance(argument, tree.PatternExpression):
        c.types[argument] = LIST
        patterns.expression(c, argument)
        return BOOLEAN
    expressions.infer(c, argument)
    if isinstance(argument, tree.Property | tree.Subscript):
        text = c.query.source(argument)
        c.problem(
            "syntax", node, f"exists({text}) is no longer supported: write {text} IS NOT NULL", (f"{text} IS NOT NULL",)
        )
    else:
        c.problem("pattern", argument, "exists(…) takes a pattern such as (n)-->()")
    return BOOLEAN


def _unknown(c: Checker, node: tree.FunctionCall, key: str) -> Type:
    for argument in node.arguments:
        expressions.infer(c, argument)
    if key in _SYNTAX:
        how = {"reduce": "reduce(total = 0, x IN xs | total + x)"}.get(key, f"{key}(x IN xs WHERE x > 1)")
        c.late.append(("unknown_function", node.start, node.name_end, f"{key} is written {how}", ()))
        return ANY
    renamed = RENAMED.get(key)
    if key == "distance":
        c.problem_at(
            "unknown_function", node.start, node.name_end, "distance is now called point.distance", ("point.distance",)
        )
        return ANY
    space, _, _ = key.partition(".")
    if (
        space != key
        and space not in _NAMESPACES
        and not (c.cypher25 and space in _NAMESPACES_25)
        and node.name.partition(".")[0] not in c.scope
    ):
        # A plug-in's or a user-defined function: only the database knows whether it exists.
        return ANY
    suggestions: tuple[str, ...]
    if len(c.late) >= MOST_FINDINGS:
        raise Enough
    check_work()
    if renamed:
        suggestions = (renamed,)
    else:
        ranked = sorted(
            (distance(key, spelt), known.name) for spelt, known in FUNCTIONS.items() if abs(len(spelt) - len(key)) < 3
        )
        suggestions = tuple(name for far, name in ranked if far <= 2)[:3]
    hint = f"; did you mean {either(suggestions)}?" if suggestions else ""
    if space != key and node.name.partition(".")[0] in c.scope:
        hint = f": Cypher has no methods; pass `{node.name.rpartition('.')[0]}` to a function, or use an operator"
    message = f"there is no function {node.name}{hint}"
    if key in CYPHER25_FUNCTIONS and not c.cypher25:
        message = f"{node.name} needs Cypher 25; this query is read as Cypher 5"
        # local_datetime() is an alias of localdatetime(), but uuid() is not an alias of id().
        suggestions = tuple(name for name in suggestions if name.lower().replace(".", "") == key.replace("_", ""))
    c.late.append(("unknown_function", node.start, node.name_end, message, suggestions))
    return ANY
