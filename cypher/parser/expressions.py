"""Parses operators, `a OR b AND NOT c < d + e`, from the loosest to the tightest, and suffixes of a value."""

from __future__ import annotations

from graphground.cypher import tree as t
from graphground.cypher.diagnostics import Edit, Problem
from graphground.cypher.parser import atoms, patterns, statement
from graphground.cypher.parser.cursor import Cursor, Failure
from graphground.cypher.tokens import words

_COMPARISONS = frozenset(("=", "<>", "<", ">", "<=", ">=", "!="))
_NO_LABEL = words(
    "AND OR XOR NOT AS RETURN WITH MATCH OPTIONAL UNWIND CALL LET FILTER FOR NEXT UNION ORDER SKIP OFFSET LIMIT WHERE "
    "THEN ELSE END WHEN CREATE MERGE SET REMOVE DELETE DETACH FINISH USING"
)
_PREDICATES = frozenset(("=~", "IN", "CONTAINS", "STARTS", "ENDS", "IS", "::"))
_FORMS = frozenset(("NFC", "NFD", "NFKC", "NFKD"))
_POSTFIX = frozenset((".", "[", ":", "IS"))


_LOGIC = {"OR": 1, "XOR": 2, "AND": 3}
_ARITHMETIC = {"+": 1, "-": 1, "||": 1, "*": 2, "/": 2, "%": 2, "^": 3}
"""The operators whose chains are read from the left, each with its precedence."""


def expression(c: Cursor) -> t.Expression:
    """Parse `a OR b`."""
    c.deeper()
    found = _logic(c, 1)
    c.depth -= 1
    return found


def after(c: Cursor, keyword: str) -> t.Expression | None:
    """Parse the expression after a keyword, as in `WHERE n.x = 1`; None if the keyword does not follow."""
    return expression(c) if c.accept(keyword) else None


def _logic(c: Cursor, least: int) -> t.Expression:
    i = c.i
    left = _negation(c) if c.kinds[i] == "NOT" else comparison(c)
    while (level := _LOGIC.get(kind := c.kinds[c.i], 0)) >= least:
        c.i += 1
        right = _logic(c, level + 1)
        left = t.Binary(c.starts[i], c.end, kind, left, right)
    return left


_ENDS_OPERAND = frozenset(("end", ")", "]", "}", ",", ";", "|", "AND", "OR", "XOR", "=", "<>", ".", "AS", "+", "*"))


def _negation(c: Cursor) -> t.Expression:
    starts = []
    # `not` may also be a variable's name, if no operand follows.
    while c.kinds[c.i] == "NOT" and c.kinds[c.i + 1] not in _ENDS_OPERAND:
        starts.append(c.starts[c.i])
        c.i += 1
    if len(starts) > 40:
        c.depth += len(starts)
        c.deeper()
    operand = comparison(c)
    for start in reversed(starts):
        operand = t.Unary(start, c.end, "NOT", operand)
    return operand


def comparison(c: Cursor) -> t.Expression:
    """Parse `a < b <= c`."""
    i = c.i
    left = predicate(c)
    kind = c.kinds[c.i]
    if kind not in _COMPARISONS:
        return left
    operands = [left]
    operators: list[str] = []
    while kind in _COMPARISONS:
        if kind == "!=":
            place = c.starts[c.i]
            message = "inequality is written <> in Cypher, not !="
            c.notes.append(Problem("syntax", place, place + 2, message, edits=(Edit(place, place + 2, "<>"),)))
            kind = "<>"
        operators.append(kind)
        c.i += 1
        operands.append(predicate(c))
        kind = c.kinds[c.i]
    if len(operators) == 1:
        return t.Binary(c.starts[i], c.end, operators[0], left, operands[1])
    return t.ComparisonChain(c.starts[i], c.end, operands, operators)


def predicate(c: Cursor) -> t.Expression:
    """Parse `a IN b`, `a STARTS WITH b` or `a IS NOT NULL`, which cannot be chained."""
    i = c.i
    left = sum_(c)
    kind = c.kinds[c.i]
    if kind not in _PREDICATES:
        return left
    c.i += 1
    if kind == "IS":
        start = c.starts[i]
        negated = c.accept("NOT")
        if c.accept("NULL"):
            return t.IsNull(start, c.end, left, negated)
        if c.one_of(("TYPED", "::")):
            type_ = atoms.type_name(c)
            return t.IsTyped(start, c.end, left, negated, type_)
        form = c.one_of(_FORMS) or "NFC"
        if not c.accept("NORMALIZED"):
            raise c.fail("NULL, NOT NULL, a type after '::' or TYPED, or NORMALIZED")
        return t.IsNormalized(start, c.end, left, negated, form)
    if kind == "::":
        type_ = atoms.type_name(c)
        return t.IsTyped(c.starts[i], c.end, left, False, type_)
    if kind == "STARTS" or kind == "ENDS":
        c.expect("WITH")
        kind += " WITH"
    right = sum_(c)
    return t.Binary(c.starts[i], c.end, kind, left, right)


def sum_(c: Cursor, least: int = 1) -> t.Expression:
    """Parse `a + b * c`: a chain of arithmetic operators whose precedence is at least `least`."""
    i = c.i
    kind = c.kinds[c.i]
    sign = c.skip() if kind == "-" or kind == "+" else -1
    start = c.starts[c.i]
    value = atoms.atom(c)
    if c.kinds[c.i] in _POSTFIX:
        value = postfix(c, start, value)
    left = value if sign < 0 else t.Unary(sign, c.end, kind, value)
    while (level := _ARITHMETIC.get(kind := c.kinds[c.i], 0)) >= least:
        c.i += 1
        right = sum_(c, level + 1)
        left = t.Binary(c.starts[i], c.end, kind, left, right)
    return left


def postfix(c: Cursor, start: int, value: t.Expression) -> t.Expression:
    """Parse the suffixes of a value that begins at `start`: `.name`, `[0]`, `[1..2]`, `:Label`."""
    links = 0
    while True:
        kind = c.kinds[c.i]
        if kind == ".":
            c.i += 1
            key = c.name("a property name")
            value = t.Property(start, key.end, value, key)
        elif kind == "[":
            value = _subscript(c, start, value)
        elif kind == ":" or (kind == "IS" and _is_label_follows(c)):
            c.i += 1
            refused = c.starts[c.i] if c.cypher25 and kind == "IS" and c.accept("NOT") else -1
            if c.cypher25 and kind == "IS" and c.kinds[c.i] == "LABELED" and _begins_label(c, c.i + 1):
                c.i += 1
            bars = len(c.bars)
            expected = patterns.label_expression(c)
            if refused >= 0:
                expected = t.LabelNot(refused, c.end, expected)
            if len(c.bars) > bars and c.kinds[c.i] in (".", "["):
                # `[x IN xs WHERE x:A | x.name]`: the bar belonged to the comprehension.
                raise c.fail("an operator")
            value = t.HasLabels(start, c.end, value, expected)
        else:
            return value
        links += 1
        if links > 100:
            c.depth += links
            c.deeper()


def _is_label_follows(c: Cursor) -> bool:
    i = c.i + 1
    after = c.kinds[i]
    if after == "NOT" and c.cypher25:
        i += 1
        after = c.kinds[i]
        if not _begins_label(c, i):
            return False
    if after in ("NOT", "NULL", "TYPED", "::", "NORMALIZED"):
        return False
    if after in _FORMS:
        return c.kinds[i + 1] != "NORMALIZED"
    return True


def _begins_label(c: Cursor, i: int) -> bool:
    return (c.names[i] is not None and c.kinds[i] not in _NO_LABEL) or c.kinds[i] in ("!", "(", "%", "$")


def _subscript(c: Cursor, start: int, value: t.Expression) -> t.Expression:
    c.i += 1
    lower = None
    if c.kinds[c.i] != "..":
        lower = expression(c)
        if c.kinds[c.i] == "]":
            c.i += 1
            return t.Subscript(start, c.end, value, lower)
        if c.kinds[c.i] != "..":
            raise c.fail("']' or '..'")
    c.i += 1
    upper = expression(c) if c.kinds[c.i] != "]" else None
    c.expect("]")
    return t.Slice(start, c.end, value, lower, upper)


# Parses CASE in both forms, with the comparisons and lists allowed after WHEN


def case(c: Cursor) -> t.Expression | None:
    """Parse `CASE … END`; None if CASE is a variable's name."""
    i = c.i
    depth = c.depth
    try:
        return _case(c)
    except Failure as failure:
        if failure.at > i + 1:
            raise
        # `case` alone, or before a token that begins no expression, is a name.
        c.i = i
        c.depth = depth
        return None


def _case(c: Cursor) -> t.Case:
    start = c.skip()
    subject: t.Expression | None = None
    if c.kinds[c.i] != "WHEN":
        subject = expression(c)
        if c.kinds[c.i] != "WHEN":
            raise c.fail("WHEN")
    branches: list[t.WhenThen] = []
    while c.kinds[c.i] == "WHEN":
        begin = c.skip()
        conditions = [expression(c)] if subject is None else c.several(_operand)
        c.expect("THEN", "THEN")
        result = expression(c)
        branches.append(t.WhenThen(begin, c.end, conditions, result))
    default = after(c, "ELSE")
    c.expect("END", "END" if default is not None else "WHEN, ELSE or END")
    return t.Case(start, c.end, subject, branches, default)


def _operand(c: Cursor) -> t.Expression:
    kind = c.kinds[c.i]
    start = c.starts[c.i]
    after = c.kinds[c.i + 1]
    if kind in _COMPARISONS:
        c.i += 1
        operand = predicate(c)
        return t.CaseComparison(start, c.end, "<>" if kind == "!=" else kind, operand)
    if kind == "=~" or (kind in ("STARTS", "ENDS") and after == "WITH"):
        c.i += 1 if kind == "=~" else 2
        operand = sum_(c)
        return t.CaseComparison(start, c.end, "=~" if kind == "=~" else f"{kind} WITH", operand)
    if kind == "::":
        c.i += 1
        return t.CaseComparison(start, c.end, f"IS :: {atoms.type_name(c)}", None)
    if kind == "IS" and after in ("NOT", "NULL", "TYPED", "::", *_FORMS, "NORMALIZED"):
        begin = c.i
        c.i += 1
        c.accept("NOT")
        if c.one_of(("TYPED", "::")):
            atoms.type_name(c)
        elif not c.accept("NULL"):
            c.one_of(_FORMS)
            c.expect("NORMALIZED")
        return t.CaseComparison(start, c.end, " ".join(c.kinds[begin : c.i]), None)
    return expression(c)


# Parses CALL: procedures with YIELD, and subqueries with their imports and transactions


def call(c: Cursor) -> t.Clause:
    """Parse `CALL { … }`, `CALL (n) { … }` or `CALL db.labels() YIELD label`."""
    i = c.i
    optional = c.kinds[i] == "OPTIONAL"
    c.i = i + 2 if optional else i + 1
    if c.kinds[c.i] in ("{", "("):
        return _subquery(c, i, optional)
    return _procedure(c, i, optional)


def _subquery(c: Cursor, i: int, optional: bool) -> t.CallSubquery:
    star = False
    imports: list[t.Variable] | None = None
    if c.accept("("):
        star = c.accept("*")
        imports = c.several(Cursor.variable) if not star and c.kinds[c.i] != ")" else []
        c.expect(")", "',' or ')'" if imports else "')'")
    c.expect("{")
    c.deeper()
    body = statement.body(c)
    c.depth -= 1
    c.expect("}", "a clause such as MATCH or RETURN, or '}'")
    transactions = _transactions(c) if c.kinds[c.i] == "IN" else None
    return t.CallSubquery(c.starts[i], c.end, optional, star, imports, body, transactions)


def _transactions(c: Cursor) -> t.InTransactions:
    start = c.skip()
    concurrency: t.Expression | None = None
    concurrent = c.kinds[c.i] == "CONCURRENT"
    if not concurrent and c.kinds[c.i] != "TRANSACTIONS":
        concurrency = expression(c)
        if c.kinds[c.i] != "CONCURRENT":
            raise c.fail("CONCURRENT or TRANSACTIONS")
        concurrent = True
    if concurrent:
        c.i += 1
    c.expect("TRANSACTIONS")
    rows: t.Expression | None = None
    on_error: str | None = None
    report: t.Variable | None = None
    while True:
        if c.accept("OF"):
            rows = expression(c)
            c.one_of(("ROW", "ROWS"), "ROWS")
        elif c.accept("ON"):
            c.expect("ERROR")
            retries = c.cypher25 and c.kinds[c.i] == "RETRY"
            on_error = _retry(c) if retries else c.one_of(_ON_ERROR, "CONTINUE, BREAK or FAIL")
        elif c.accept("REPORT"):
            c.expect("STATUS")
            c.expect("AS")
            report = c.variable()
        else:
            return t.InTransactions(start, c.end, concurrency, rows, on_error, report)


_ON_ERROR = ("CONTINUE", "BREAK", "FAIL")


def _retry(c: Cursor) -> str:
    """Parse `RETRY FOR 2 SECONDS THEN CONTINUE`; the time is a number or a parameter."""
    begin = c.i
    c.i += 1
    timed = c.accept("FOR")
    if timed or c.kinds[c.i] in ("integer", "float", "$"):
        if c.kinds[c.i] not in ("integer", "float", "$"):
            raise c.fail("a number of seconds")
        c.i += 2 if c.kinds[c.i] == "$" else 1
        c.one_of(("SEC", "SECOND", "SECONDS"), "SECONDS")
    if c.accept("THEN"):
        c.one_of(_ON_ERROR, "CONTINUE, BREAK or FAIL")
    return " ".join(c.text[c.starts[k] : c.ends[k]] for k in range(begin, c.i)).replace("$ ", "$")


def _procedure(c: Cursor, i: int, optional: bool) -> t.CallProcedure:
    first = c.name("a procedure name, '(' or '{'")
    parts = [first.text]
    while c.accept("."):
        parts.append(c.name("the rest of a procedure name").text)
    name_end = c.end
    arguments: list[t.Expression] | None = None
    if c.accept("("):
        arguments = c.several(expression) if c.kinds[c.i] != ")" else []
        c.expect(")", "',' or ')'")
    yields: list[t.YieldItem] | None = None
    star = False
    where: t.Expression | None = None
    if c.accept("YIELD"):
        star = c.accept("*")
        if not star:
            yields, where = c.several(_yield_item), after(c, "WHERE")
    return t.CallProcedure(
        c.starts[i], c.end, optional, ".".join(parts), first.start, name_end, arguments, yields, star, where
    )


def _yield_item(c: Cursor) -> t.YieldItem:
    column = c.name("a column of the procedure")
    variable = c.variable() if c.accept("AS") else t.Variable(column.start, column.end, column.text)
    return t.YieldItem(column.start, variable.end, column, variable)
