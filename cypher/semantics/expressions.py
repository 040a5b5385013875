"""Infers the possible types of each kind of expression, and checks the types of its parts."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from graphground.cypher import tree
from graphground.cypher.diagnostics import Edit, Problem, counted, either
from graphground.cypher.functions import CYPHER25_FUNCTIONS, FUNCTIONS, RENAMED, Function
from graphground.cypher.names.nearest import distance
from graphground.cypher.parser.atoms import COORDINATES
from graphground.cypher.safety.time_limit import MOST_FINDINGS, check_work
from graphground.cypher.semantics import clauses, patterns
from graphground.cypher.semantics.checker import Aggregates, Checker, Enough
from graphground.cypher.types import (
    ANY,
    BOOLEAN,
    DATE,
    DATETIME,
    DURATION,
    ENTITY,
    FLOAT,
    HAS_PROPERTIES,
    INTEGER,
    LIST,
    LOCALDATETIME,
    LOCALTIME,
    MAP,
    NODE,
    NUMBER,
    PATH,
    RELATIONSHIP,
    SOME_NUMBER,
    STORABLE,
    STRING,
    TEMPORAL,
    TIME,
    Type,
    element_of,
    list_of,
)

_ENTITIES = frozenset((NODE.mask, RELATIONSHIP.mask, ENTITY.mask))


def infer(c: Checker, node: tree.Expression) -> Type:
    """Return the type of an expression, after checking all its parts."""
    if c.projected and c.restricted is not None and node.shape() in c.projected:
        # The expression repeats a returned column: it is checked in the scope in which that column is computed.
        with c.within(scope=c.restricted, projected=frozenset(), aggregates="yes"):
            return infer(c, node)
    found = _RULES[type(node)](c, node)
    c.types[node] = found
    return found


def condition(c: Checker, node: tree.Expression) -> None:
    """Check an expression that must be Boolean, such as a WHERE; a path in it tests whether a match exists."""
    if type(node) is tree.PatternExpression and node.pattern.shortest is None:
        c.types[node] = BOOLEAN
        patterns.expression(c, node)
        return
    found = infer(c, node)
    if not found.may_be(BOOLEAN) and (found.mask == LIST.mask or not found.mask & LIST.mask):
        if found.mask == LIST.mask:
            c.mismatch(node, "a list is not a condition; write NOT isEmpty(…) or size(…) > 0")
        else:
            c.mismatch(node, f"a condition must be true or false, but this has the type {found}")


def _constant(type_: Type) -> Callable[[Checker, Any], Type]:
    return lambda _c, _node: type_


def _of_operands(type_: Type) -> Callable[[Checker, Any], Type]:
    """Return the rule for an expression of this type, whose operands may have any type."""

    def rule(c: Checker, node: Any) -> Type:
        for operand in node.children():
            infer(c, operand.value if isinstance(operand, tree.MapEntry) else operand)
        return type_

    return rule


def _list(c: Checker, node: tree.ListLiteral) -> Type:
    inner: Type | None = None
    for item in node.items:
        found = infer(c, item)
        if inner is None or inner.mask == found.mask or not (inner.mask | found.mask) & ~NUMBER.mask:
            inner = found if inner is None else inner | found
        else:
            inner = ANY  # different types other than numbers, as in Neo4j
    return LIST if inner is None else list_of(inner)


def _property(c: Checker, node: tree.Property) -> Type:
    subject = node.subject
    found = c.use(subject) if type(subject) is tree.Variable and not c.projected else infer(c, subject)
    mask = found.mask
    if mask in _ENTITIES:
        return STORABLE
    if mask != ANY.mask and not mask & HAS_PROPERTIES.mask:
        c.mismatch(
            subject, f"`.{node.key.text}` reads a property, but {_this(subject, found)}, which has no properties"
        )
    return ANY


def _this(node: tree.Expression, type_: Type) -> str:
    return f"`{node.name}` has the type {type_}" if type(node) is tree.Variable else f"this has the type {type_}"


def _subscript(c: Checker, node: tree.Subscript) -> Type:
    subject = infer(c, node.subject)
    index = infer(c, node.index)
    mask = subject.mask
    if mask == ANY.mask:
        return element_of(subject)
    if index.mask == INTEGER.mask:
        fits = bool(mask & LIST.mask)
    elif index.mask == STRING.mask:
        fits = bool(mask & (LIST | ENTITY | MAP).mask) or not mask & ~(TEMPORAL | DURATION).mask
    else:
        fits = bool(mask & (LIST | ENTITY | MAP).mask)
    if not fits and mask & (ENTITY | MAP).mask:
        c.mismatch(node.index, f"a node, relationship or map is indexed with a String, but this has the type {index}")
    elif not fits:
        c.mismatch(node.subject, f"only a list, map, node or relationship can be indexed; this has the type {subject}")
    elif mask & LIST.mask and not mask & (ENTITY | MAP).mask:
        if not index.may_be(INTEGER) or index.mask == FLOAT.mask:
            c.mismatch(node.index, f"a list is indexed with an Integer, but this has the type {index}")
    elif not mask & ~(ENTITY | MAP).mask and not index.may_be(STRING):
        c.mismatch(node.index, f"a node, relationship or map is indexed with a String, but this has the type {index}")
    if not mask & ~ENTITY.mask:
        return STORABLE
    return element_of(subject)


def _slice(c: Checker, node: tree.Slice) -> Type:
    subject = infer(c, node.subject)
    c.expect(node.subject, subject, LIST)
    for bound in (node.lower, node.upper):
        if bound is not None:
            c.expect(bound, infer(c, bound), INTEGER)
    return subject if subject.mask == LIST.mask else LIST


def _has_labels(c: Checker, node: tree.HasLabels) -> Type:
    subject = infer(c, node.operand)
    patterns.label_expression(c, node.labels, "either")
    if not subject.mask & ENTITY.mask:
        c.mismatch(
            node.operand, f"only nodes and relationships have labels and types, but {_this(node.operand, subject)}"
        )
    return BOOLEAN


def _case(c: Checker, node: tree.Case) -> Type:
    if node.subject is not None:
        infer(c, node.subject)
    result: Type | None = None
    for branch in node.branches:
        for conjunct in branch.conditions:
            if node.subject is None:
                condition(c, conjunct)
            else:
                infer(c, conjunct)
    for branch in node.branches:
        found = infer(c, branch.result)
        result = found if result is None else result | found
    if node.default is not None:
        found = infer(c, node.default)
        result = found if result is None else result | found
    return result or ANY


def _case_comparison(c: Checker, node: tree.CaseComparison) -> Type:
    if node.operand is not None:
        found = infer(c, node.operand)
        if node.operator == "=~":
            c.expect(node.operand, found, STRING)
    return BOOLEAN


_NO_AGGREGATE = {
    "no": "{} aggregates, which is not possible here; compute it in an earlier WITH and use its name",
    "list": "{} cannot aggregate inside an expression over a list; compute it in an earlier WITH",
    "inside": "an aggregate is not allowed inside another aggregate; compute the inner aggregate in an earlier WITH",
}


def _count_star(c: Checker, node: tree.CountStar) -> Type:
    _begin_aggregate(c, node, "count(*)", c.aggregates)
    return INTEGER


def _begin_aggregate(c: Checker, node: tree.Expression, what: str, allowed: Aggregates) -> bool:
    """Report an aggregate where none is allowed; return whether it repeats a returned column, which ORDER BY may do."""
    c.aggregated = True
    repeated = bool(c.projected) and node.shape() in c.projected
    if allowed in _NO_AGGREGATE and not repeated:
        c.problem("aggregation", node, _NO_AGGREGATE[allowed].format(what))
    return repeated


def _map_projection(c: Checker, node: tree.MapProjection) -> Type:
    subject = infer(c, node.subject)
    if not subject.mask & (ENTITY | MAP).mask:
        c.mismatch(
            node.subject,
            f"a map projection needs a node, a relationship or a map; `{node.subject.name}` has the type {subject}",
        )
    for item in node.items:
        if type(item) is tree.ProjectedVariable:
            c.use(item.variable)
        elif type(item) is tree.ProjectedEntry:
            infer(c, item.value)
    return MAP


# Checks operators: which types can be combined, according to Neo4j's own signatures


_LOGIC = frozenset(("AND", "OR", "XOR"))
_ARITHMETIC: dict[str, tuple[tuple[Type, Type, Type], ...]] = {
    "-": (
        (INTEGER, INTEGER, INTEGER),
        (FLOAT, FLOAT, FLOAT),
        (DURATION, DURATION, DURATION),
        *((item, DURATION, item) for item in (DATE, TIME, LOCALTIME, LOCALDATETIME, DATETIME)),
    ),
    "*": ((INTEGER, INTEGER, INTEGER), (FLOAT, FLOAT, FLOAT), (DURATION, FLOAT, DURATION), (FLOAT, DURATION, DURATION)),
    "/": ((INTEGER, INTEGER, INTEGER), (FLOAT, FLOAT, FLOAT), (DURATION, FLOAT, DURATION)),
    "%": ((INTEGER, INTEGER, INTEGER), (FLOAT, FLOAT, FLOAT)),
    "^": ((FLOAT, FLOAT, FLOAT),),
}


def binary(c: Checker, node: tree.Binary) -> Type:
    """Check `a + b` and return its type; a long chain nests to the left,
    so a loop processes it instead of recursion."""
    chain: list[tree.Binary] = []
    first: tree.Expression = node
    while type(first) is tree.Binary and not (c.projected and chain and first.shape() in c.projected):
        chain.append(first)
        first = first.left
    operand = first
    left = _operand(c, operand, chain[-1].operator)
    while chain:
        operation = chain.pop()
        right = _operand(c, operation.right, operation.operator)
        left = _result(c, operation, left, right)
        c.types[operation] = left
    return left


def _operand(c: Checker, node: tree.Expression, operator: str) -> Type:
    if operator in _LOGIC:
        condition(c, node)
        return BOOLEAN
    return infer(c, node)


def _result(c: Checker, node: tree.Binary, left: Type, right: Type) -> Type:
    operator = node.operator
    if operator in _LOGIC:
        if type(node.left) is tree.Binary and node.left.operator not in _LOGIC and not left.may_be(BOOLEAN):
            c.mismatch(node.left, f"a condition must be true or false, but this has the type {left}")
        return BOOLEAN
    if operator in _ARITHMETIC:
        return _arithmetic(c, node, left, right)
    if operator == "+":
        return _plus(c, node, left, right)
    if operator == "IN":
        c.expect(node.right, right, LIST, "a list")
    elif operator == "=~":
        c.expect(node.left, left, STRING)
        c.expect(node.right, right, STRING)
    elif operator == "||":
        if c.expect(node.left, left, STRING | LIST):
            c.expect(
                node.right,
                right,
                STRING if left.mask == STRING.mask else LIST if left.mask == LIST.mask else STRING | LIST,
            )
        return left if left.known else STRING | LIST
    return BOOLEAN


def _arithmetic(c: Checker, node: tree.Binary, left: Type, right: Type) -> Type:
    signatures = _ARITHMETIC[node.operator]
    fitting = [signature for signature in signatures if left.may_be(signature[0])]
    if not fitting:
        c.mismatch(node.left, f"`{node.operator}` cannot take {left} on its left")
        return ANY
    chosen = [signature for signature in fitting if right.may_be(signature[1])]
    if not chosen:
        expected = fitting[0][1]
        for alternative in fitting[1:]:
            expected |= alternative[1]
        c.mismatch(node.right, f"`{node.operator}` cannot take {right} on its right after {left}; expected {expected}")
        return ANY
    if len(chosen) > 1 and left.mask == INTEGER.mask and right.mask == INTEGER.mask:
        return INTEGER
    found = chosen[0][2]
    for choice in chosen[1:]:
        found |= choice[2]
    return found


def _plus(c: Checker, node: tree.Binary, left: Type, right: Type) -> Type:
    mask, other = left.mask, right.mask
    if mask == LIST.mask:
        if left.inner is None or not right.known:
            return LIST
        added = right.inner if other == LIST.mask else right
        return list_of(left.inner | added) if added is not None else LIST
    if mask == other == INTEGER.mask or mask == other == STRING.mask:
        return left
    found = 0
    if mask & NUMBER.mask and other & NUMBER.mask:
        found |= NUMBER.mask if FLOAT.mask not in (mask, other) else FLOAT.mask
    if (mask & STRING.mask and other & (STRING | NUMBER).mask) or (mask & NUMBER.mask and other & STRING.mask):
        found |= STRING.mask
    if mask & TEMPORAL.mask and other & DURATION.mask:
        found |= mask & TEMPORAL.mask
    if mask & DURATION.mask:
        found |= other & (TEMPORAL | DURATION).mask
    if (mask | other) & LIST.mask:
        found |= LIST.mask
    if not found:
        expected = LIST
        if mask & (STRING | NUMBER).mask:
            expected = expected | STRING | NUMBER
        if mask & TEMPORAL.mask:
            expected |= DURATION
        if mask & DURATION.mask:
            expected = expected | TEMPORAL | DURATION
        c.mismatch(node.right, f"`+` cannot add {right} to {left}; only {expected} can be added to it")
        return ANY
    return ANY if mask == other == ANY.mask else Type(found)


def unary(c: Checker, node: tree.Unary) -> Type:
    """Check `NOT a`, `-a` or `+a`, and return its type."""
    if node.operator == "NOT":
        condition(c, node.operand)
        return BOOLEAN
    found = infer(c, node.operand)
    if not c.expect(node.operand, found, NUMBER):
        return NUMBER
    return found if not found.mask & ~NUMBER.mask else NUMBER


# Checks function calls: that the function exists, its arguments, and whether it may aggregate here


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
        infer(c, node.arguments[0])
        return BOOLEAN
    if function is None:
        return _unknown(c, node, key)
    if key == "exists":
        return _exists(c, node)
    if function.aggregating:
        return _aggregate(c, node, function)
    if node.distinct:
        message = f"only an aggregating function takes DISTINCT; {function.name} does not aggregate"
        c.problem_at("aggregation", node.start, node.name_end, message)
    if function.name in ("rand", "randomUUID") and c.aggregates == "inside":
        c.problem("aggregation", node, f"{function.name}() is not allowed inside an aggregating function")
    if c.cypher25 and key in _WORDS_25 and len(node.arguments) == function.required:
        # The last argument is a keyword, not a variable: `vector(xs, 3, FLOAT32)`.
        words = _WORDS_25[key]
        *values, last = node.arguments
        found = [infer(c, argument) for argument in values]
        if not isinstance(last, tree.Variable) or last.name.upper() not in words:
            c.mismatch(last, f"{function.name} takes one of the words {', '.join(sorted(words))} here")
        return _applied(c, node, function, [*found, ANY])
    found = [infer(c, argument) for argument in node.arguments]
    if key == "size" and found and c.problems and c.problems[-1][:2] == ("pattern", node.arguments[0].start):
        count = f"COUNT {{ {c.query.source(node.arguments[0])} }}"
        c.problems[-1] = c.problems[-1]._replace(edits=(Edit(node.start, node.end, count),))
    if key == "point" and len(found) == 1 and isinstance(node.arguments[0], tree.MapLiteral):
        keys = {entry.key.text for entry in node.arguments[0].entries}
        if not {"x", "y"} <= keys and not {"latitude", "longitude"} <= keys:
            c.mismatch(node.arguments[0], "a point is made of x and y, or of latitude and longitude")
    return _applied(c, node, function, found)


def _aggregate(c: Checker, node: tree.FunctionCall, function: Function) -> Type:
    allowed: Aggregates = "no" if c.aggregates == "star" else c.aggregates
    repeated = _begin_aggregate(c, node, f"{function.name}(…)", allowed)
    with c.within(aggregates="inside" if repeated or c.aggregates == "yes" else c.aggregates):
        found = [infer(c, argument) for argument in node.arguments]
    result = _applied(c, node, function, found)
    if not repeated and function.name.startswith("percentile") and len(node.arguments) == 2:
        share = node.arguments[1]
        if isinstance(share, tree.NullLiteral) or (
            isinstance(share, tree.FloatLiteral | tree.IntegerLiteral) and not 0 <= share.value <= 1
        ):
            c.mismatch(share, "a percentile is a number from 0.0 to 1.0")
    return result


def _applied(c: Checker, node: tree.FunctionCall, function: Function, found: list[Type]) -> Type:
    count = len(found)
    parameters = function.arguments
    if count < function.required or (count > len(parameters) and not function.repeated):
        c.problem(
            "wrong_argument_count",
            node,
            f"{function.name} takes {argument_count(function.required, len(parameters), function.repeated)}, "
            f"but this call has {count}",
        )
        return _result_type(function, [])
    if not function.repeated:
        for argument, type_, expected in zip(node.arguments, found, parameters, strict=False):
            if type_.mask != ANY.mask and not type_.may_be(expected):
                text, wanted = c.query.source(argument), expected if expected.mask else "a vector"
                written = f"toFloat({text})" if type_ == STRING and expected.may_be(FLOAT) else ""
                if isinstance(argument, tree.StringLiteral) and expected.may_be(NUMBER):
                    written = argument.value if argument.value.isdecimal() else ""
                edits = (Edit(argument.start, argument.end, written),) if written else ()
                message = f"{function.name} takes {wanted} here, but this has the type {type_}"
                c.mismatch(argument, message, (written,) if written else (), edits)
    return _result_type(function, found)


def argument_count(least: int, most: int, repeated: bool = False) -> str:
    """Return the allowed numbers of arguments for a message: `no arguments`, `1 argument`, `1 to 3 arguments`.

    If the last argument may be repeated, there is no most: `at least 1 argument`.
    """
    if repeated:
        return f"at least {counted(least, 'argument')}"
    if least < most:
        return f"{least} to {most} arguments"
    return counted(most, "argument") if most else "no arguments"


def _result_type(function: Function, found: list[Type]) -> Type:
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
        c.problem("wrong_argument_count", node, "exists takes one pattern")
        for argument in node.arguments:
            infer(c, argument)
        return BOOLEAN
    argument = node.arguments[0]
    if isinstance(argument, tree.PatternExpression):
        c.types[argument] = LIST
        patterns.expression(c, argument)
        return BOOLEAN
    infer(c, argument)
    if isinstance(argument, tree.Property | tree.Subscript):
        text = c.query.source(argument)
        c.problem(
            "syntax", node, f"exists({text}) is no longer supported: write {text} IS NOT NULL", (f"{text} IS NOT NULL",)
        )
    else:
        c.bad_pattern(argument, "exists(…) takes a pattern such as (n)-->()")
    return BOOLEAN


def _unknown(c: Checker, node: tree.FunctionCall, key: str) -> Type:
    for argument in node.arguments:
        infer(c, argument)
    if key in _SYNTAX:
        how = {"reduce": "reduce(total = 0, x IN xs | total + x)"}.get(key, f"{key}(x IN xs WHERE x > 1)")
        c.late.append(Problem("unknown_function", node.start, node.name_end, f"{key} is written {how}"))
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
    c.late.append(Problem("unknown_function", node.start, node.name_end, message, suggestions))
    return ANY


# Checks expressions that declare variables: comprehensions, list predicates, reduce, EXISTS / COUNT / COLLECT


def list_comprehension(c: Checker, node: tree.ListComprehension) -> Type:
    """Check `[x IN xs WHERE x > 1 | x * 2]` and return its type."""
    element = _source(c, node.source)
    with _inside_list(c):
        c.shadow(node.variable, element)
        if node.where is not None:
            condition(c, node.where)
        return list_of(element if node.projection is None else infer(c, node.projection))


def _inside_list(c: Checker) -> AbstractContextManager[None]:
    return c.within(scope=dict(c.scope), aggregates="list" if c.aggregates == "yes" else c.aggregates)


def _source(c: Checker, source: tree.Expression) -> Type:
    found = infer(c, source)
    c.expect(source, found, LIST, "a list")
    return element_of(found)


def list_predicate(c: Checker, node: tree.ListPredicate) -> Type:
    """Check `any(x IN xs WHERE x > 1)` and return its type."""
    element = _source(c, node.source)
    if node.where is None:
        c.problem("syntax", node, f"{node.kind}(…) needs a WHERE: {node.kind}({node.variable.name} IN xs WHERE …)")
        return BOOLEAN
    with _inside_list(c):
        c.shadow(node.variable, element)
        condition(c, node.where)
    return BOOLEAN


def reduce(c: Checker, node: tree.Reduce | tree.AllReduce) -> Type:
    """Check `reduce(total = 0, x IN xs | total + x)` and return its type."""
    start = infer(c, node.initial)
    element = _source(c, node.source)
    with c.within(scope=dict(c.scope)):
        c.shadow(node.variable, element)
        c.shadow(node.accumulator, start)
        with _inside_list(c):
            step = infer(c, node.step)
        if isinstance(node, tree.AllReduce):
            condition(c, node.predicate)
            return BOOLEAN
    if not step.may_be(start) and (step.mask | start.mask) & ~NUMBER.mask:
        c.mismatch(node.step, f"the step must have the type of the accumulator, {start}, but has the type {step}")
    return SOME_NUMBER if start.mask == INTEGER.mask and step.mask == FLOAT.mask else start


def pattern_comprehension(c: Checker, node: tree.PatternComprehension) -> Type:
    """Check `[p = (n)-->(m) WHERE m.year > 1 | m.name]` and return its type."""
    with c.within(scope=dict(c.scope), level=c.level + 1, aggregates="no"):
        patterns.match(c, [node.pattern], "exists")
        if node.path_variable is not None:
            c.shadow(node.path_variable, PATH)
        if node.where is not None:
            condition(c, node.where)
        return list_of(infer(c, node.projection))


def subquery(c: Checker, node: tree.Subquery) -> Type:
    """Check `EXISTS { … }`, `COUNT { … }` or `COLLECT { … }` and return its type: a Boolean, a number or a list."""
    with c.within(scope=dict(c.scope), level=c.level + 1, aggregates="no", lengths=[], quantified=False):
        if node.body is None:
            patterns.match(c, node.patterns, "exists")
            if node.where is not None:
                condition(c, node.where)
        else:
            clauses.nested(c, node.body, node.kind, node)
        clauses.check_lengths(c)
    return BOOLEAN if node.kind == "EXISTS" else INTEGER if node.kind == "COUNT" else LIST


_RULES: dict[type[tree.Node], Callable[[Checker, Any], Type]] = {
    tree.Variable: Checker.use,
    tree.Parameter: _constant(ANY),
    tree.IntegerLiteral: _constant(INTEGER),
    tree.FloatLiteral: _constant(FLOAT),
    tree.StringLiteral: _constant(STRING),
    tree.BooleanLiteral: _constant(BOOLEAN),
    tree.NullLiteral: _constant(ANY),
    tree.ListLiteral: _list,
    tree.MapLiteral: _of_operands(MAP),
    tree.Property: _property,
    tree.Subscript: _subscript,
    tree.Slice: _slice,
    tree.Binary: binary,
    tree.ComparisonChain: _of_operands(BOOLEAN),
    tree.Unary: unary,
    tree.IsNull: _of_operands(BOOLEAN),
    tree.IsTyped: _of_operands(ANY),
    tree.IsNormalized: _of_operands(BOOLEAN),
    tree.HasLabels: _has_labels,
    tree.FunctionCall: call,
    tree.CountStar: _count_star,
    tree.Case: _case,
    tree.CaseComparison: _case_comparison,
    tree.ListComprehension: list_comprehension,
    tree.PatternComprehension: pattern_comprehension,
    tree.ListPredicate: list_predicate,
    tree.Reduce: reduce,
    tree.AllReduce: reduce,
    tree.MapProjection: _map_projection,
    tree.PatternExpression: lambda c, node: patterns.value(c, node),  # the modules import each other
    tree.Subquery: subquery,
}
