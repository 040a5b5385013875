"""Parses CALL: procedures with YIELD, and subqueries with their imports and transactions."""

from __future__ import annotations

from graphground.cypher.parser import expressions, queries
from graphground.cypher.parser.cursor import Cursor
from graphground.cypher.tree import CallProcedure, CallSubquery, Clause, Expression, InTransactions, Variable, YieldItem


def call(c: Cursor) -> Clause:
    """Parse `CALL { … }`, `CALL (n) { … }` or `CALL db.labels() YIELD label`."""
    i = c.i
    optional = c.kinds[i] == "OPTIONAL"
    c.i = i + 2 if optional else i + 1
    if c.kinds[c.i] in ("{", "("):
        return _subquery(c, i, optional)
    return _procedure(c, i, optional)


def _subquery(c: Cursor, i: int, optional: bool) -> CallSubquery:
    star = False
    imports: list[Variable] | None = None
    if c.accept("("):
        imports = []
        if c.accept("*"):
            star = True
        elif c.kinds[c.i] != ")":
            imports.append(c.variable())
            while c.accept(","):
                imports.append(c.variable())
        if c.kinds[c.i] != ")":
            raise c.fail("',' or ')'" if imports else "')'")
        c.i += 1
    if c.kinds[c.i] != "{":
        raise c.fail("'{'")
    c.i += 1
    c.deeper()
    body = queries.body(c)
    c.depth -= 1
    if c.kinds[c.i] != "}":
        raise c.fail("a clause such as MATCH or RETURN, or '}'")
    c.i += 1
    transactions: InTransactions | None = None
    if c.kinds[c.i] == "IN":
        transactions = _transactions(c)
    return CallSubquery(c.starts[i], c.end, optional, star, imports, body, transactions)


def _transactions(c: Cursor) -> InTransactions:
    start = c.starts[c.i]
    c.i += 1
    concurrency: Expression | None = None
    concurrent = c.kinds[c.i] == "CONCURRENT"
    if not concurrent and c.kinds[c.i] != "TRANSACTIONS":
        concurrency = expressions.expression(c)
        if c.kinds[c.i] != "CONCURRENT":
            raise c.fail("CONCURRENT or TRANSACTIONS")
        concurrent = True
    if concurrent:
        c.i += 1
    c.expect("TRANSACTIONS")
    rows: Expression | None = None
    on_error: str | None = None
    report: Variable | None = None
    while True:
        kind = c.kinds[c.i]
        if kind == "OF":
            c.i += 1
            rows = expressions.expression(c)
            if c.kinds[c.i] not in ("ROW", "ROWS"):
                raise c.fail("ROWS")
            c.i += 1
        elif kind == "ON":
            c.i += 1
            c.expect("ERROR")
            on_error = c.kinds[c.i]
            if on_error == "RETRY" and c.cypher25:
                on_error = _retry(c)
                continue
            if on_error not in ("CONTINUE", "BREAK", "FAIL"):
                raise c.fail("CONTINUE, BREAK or FAIL")
            c.i += 1
        elif kind == "REPORT":
            c.i += 1
            c.expect("STATUS")
            c.expect("AS")
            report = c.variable()
        else:
            return InTransactions(start, c.end, concurrency, rows, on_error, report)


def _retry(c: Cursor) -> str:
    """Parse `RETRY FOR 2 SECONDS THEN CONTINUE`; the time is a number or a parameter."""
    begin = c.i
    c.i += 1
    timed = c.accept("FOR")
    if timed or c.kinds[c.i] in ("integer", "float", "$"):
        if c.kinds[c.i] not in ("integer", "float", "$"):
            raise c.fail("a number of seconds")
        c.i += 2 if c.kinds[c.i] == "$" else 1
        if c.kinds[c.i] not in ("SEC", "SECOND", "SECONDS"):
            raise c.fail("SECONDS")
        c.i += 1
    if c.accept("THEN"):
        if c.kinds[c.i] not in ("CONTINUE", "BREAK", "FAIL"):
            raise c.fail("CONTINUE, BREAK or FAIL")
        c.i += 1
    return " ".join(c.text[c.starts[k] : c.ends[k]] for k in range(begin, c.i)).replace("$ ", "$")


def _procedure(c: Cursor, i: int, optional: bool) -> CallProcedure:
    first = c.name("a procedure name, '(' or '{'")
    parts = [first.text]
    while c.accept("."):
        parts.append(c.name("the rest of a procedure name").text)
    name_end = c.end
    arguments: list[Expression] | None = None
    if c.accept("("):
        arguments = []
        if c.kinds[c.i] != ")":
            arguments.append(expressions.expression(c))
            while c.accept(","):
                arguments.append(expressions.expression(c))
        if c.kinds[c.i] != ")":
            raise c.fail("',' or ')'")
        c.i += 1
    yields: list[YieldItem] | None = None
    star = False
    where: Expression | None = None
    if c.accept("YIELD"):
        if c.accept("*"):
            star = True
        else:
            yields = [_yield_item(c)]
            while c.accept(","):
                yields.append(_yield_item(c))
            if c.accept("WHERE"):
                where = expressions.expression(c)
    return CallProcedure(
        c.starts[i], c.end, optional, ".".join(parts), first.start, name_end, arguments, yields, star, where
    )


def _yield_item(c: Cursor) -> YieldItem:
    column = c.name("a column of the procedure")
    variable = c.variable() if c.accept("AS") else Variable(column.start, column.end, column.text)
    return YieldItem(column.start, variable.end, column, variable)
