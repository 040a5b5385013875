"""Parses schema and administration commands.

Commands on indexes and constraints are parsed completely, and so is SHOW for indexes, constraints, functions and
procedures. Of any other command only the first words are parsed.
"""

from __future__ import annotations

from graphground.cypher.parser import atoms, clauses, expressions
from graphground.cypher.parser.cursor import Cursor
from graphground.cypher.parser.types import type_name
from graphground.cypher.tree import Clause, Command, Expression

_INDEXES = frozenset(("RANGE", "TEXT", "POINT", "FULLTEXT", "VECTOR", "LOOKUP", "BTREE"))
_ADMIN = frozenset(
    ("ALTER", "GRANT", "DENY", "REVOKE", "RENAME", "ENABLE", "DEALLOCATE", "REALLOCATE", "DRYRUN", "START", "STOP")
)
_ADMIN_THINGS = frozenset(("DATABASE", "USER", "ROLE", "ALIAS", "COMPOSITE", "IMMUTABLE", "SERVER"))
_CONSTRAINT_WORDS = frozenset(
    (
        "ALL",
        "UNIQUE",
        "UNIQUENESS",
        "NODE",
        "REL",
        "RELATIONSHIP",
        "KEY",
        "EXIST",
        "EXISTENCE",
        "EXISTS",
        "PROPERTY",
        "TYPE",
    )
)
_AFTER_SHOW = frozenset(
    ("MATCH", "OPTIONAL", "WITH", "UNWIND", "RETURN", "LET", "FILTER", "FOR", "ORDER", "SKIP", "LIMIT", "OFFSET")
)
_LISTED = frozenset(
    ("INDEX", "INDEXES", "CONSTRAINT", "CONSTRAINTS", "FUNCTION", "FUNCTIONS", "PROCEDURE", "PROCEDURES")
)
_SHOWN = frozenset(
    (
        "ALIAS",
        "ALIASES",
        "ALL",
        "CURRENT",
        "DATABASE",
        "DATABASES",
        "DEFAULT",
        "HOME",
        "POPULATED",
        "PRIVILEGE",
        "PRIVILEGES",
        "ROLE",
        "ROLES",
        "SERVER",
        "SERVERS",
        "SETTING",
        "SETTINGS",
        "SUPPORTED",
        "TRANSACTION",
        "TRANSACTIONS",
        "USER",
        "USERS",
    )
)
_OPENING = {"(": ")", "[": "]", "{": "}"}


def command(c: Cursor) -> Command | None:
    """Parse a command; None if a query begins here."""
    kind = c.kinds[c.i]
    if kind in ("CREATE", "DROP"):
        return _create_or_drop(c, kind)
    if kind in ("SHOW", "TERMINATE"):
        return _show(c, kind)
    if kind in _ADMIN and c.names[c.i + 1] is not None:
        return _unread(c, "admin")
    return None


def _create_or_drop(c: Cursor, kind: str) -> Command | None:
    start, begin = c.starts[c.i], c.i
    after = c.i + 1
    if kind == "CREATE" and c.kinds[after] == "OR" and c.kinds[after + 1] == "REPLACE":
        after += 2
    thing = c.kinds[after]
    if (thing in _ADMIN_THINGS and c.names[after + 1] is not None) or (
        thing in _ADMIN_THINGS and c.kinds[after + 1] == "$"
    ):
        return _unread(c, "admin")
    if thing not in ("INDEX", "CONSTRAINT") and not (thing in _INDEXES and c.kinds[after + 1] == "INDEX"):
        if kind == "DROP":
            c.i += 1
            raise c.fail("INDEX or CONSTRAINT")
        return None
    c.i = after + 1 if thing in ("INDEX", "CONSTRAINT") else after + 2
    words = " ".join(c.kinds[begin : c.i])
    if kind == "DROP":
        _name(c)
        _if_exists(c, False)
    else:
        if c.kinds[c.i] not in ("FOR", "IF", "ON") or c.kinds[c.i + 1] in ("FOR", "IF"):
            _name(c)
        _if_exists(c, True)
        c.expect("FOR")
        _entity(c, thing == "FULLTEXT")
        if thing == "CONSTRAINT":
            _requirement(c)
        else:
            _indexed(c, thing)
        if c.accept("OPTIONS"):
            if c.kinds[c.i] == "$":
                atoms.parameter(c)
            else:
                atoms.map_literal(c)
    return Command(start, c.end, "schema", words, [], [], [], c.text[c.starts[begin + 1] : c.end])


def _name(c: Cursor) -> None:
    if c.kinds[c.i] == "$":
        atoms.parameter(c)
    else:
        c.name("a name")


def _if_exists(c: Cursor, absent: bool) -> None:
    if c.accept("IF"):
        if absent:
            c.expect("NOT")
        c.expect("EXISTS")


def _entity(c: Cursor, several: bool) -> None:
    c.expect("(")
    relationship = c.accept(")")
    if relationship:
        if c.kinds[c.i] == "<":
            c.i += 1
        c.expect("-")
        c.expect("[")
    c.variable()
    if c.kinds[c.i] == ":" or relationship or several:
        c.expect(":")
        c.name("a label")
        while several and c.accept("|"):
            c.name("a label")
    c.expect("]" if relationship else ")")
    if relationship:
        c.expect("-")
        if c.kinds[c.i] == ">":
            c.i += 1
        c.expect("(")
        c.expect(")")


def _indexed(c: Cursor, thing: str) -> None:
    c.expect("ON")
    if thing == "FULLTEXT":
        c.expect("EACH")
        c.expect("[")
        _properties(c)
        c.expect("]")
    elif c.kinds[c.i] == "EACH" or thing == "LOOKUP":
        c.accept("EACH")
        c.name("labels or type")
        c.expect("(")
        c.variable()
        c.expect(")")
    else:
        _property_list(c)


def _property_list(c: Cursor) -> None:
    if c.accept("("):
        _properties(c)
        c.expect(")")
    else:
        _property(c)


def _properties(c: Cursor) -> None:
    _property(c)
    while c.accept(","):
        _property(c)


def _property(c: Cursor) -> None:
    c.variable()
    c.expect(".")
    c.name("a property name")


def _requirement(c: Cursor) -> None:
    if c.kinds[c.i] not in ("REQUIRE", "ASSERT"):
        raise c.fail("REQUIRE")
    c.i += 1
    _property_list(c)
    if c.accept("::"):
        type_name(c)
        return
    c.expect("IS")
    if c.kinds[c.i] in ("TYPED", "::"):
        c.i += 1
        type_name(c)
    elif c.accept("NOT"):
        c.expect("NULL")
    else:
        entity = c.kinds[c.i] in ("NODE", "REL", "RELATIONSHIP")
        if entity:
            c.i += 1
        if c.kinds[c.i] not in ("UNIQUE", "KEY"):
            raise c.fail("UNIQUE, KEY, NOT NULL or a type after '::'")
        c.i += 1


def _show(c: Cursor, kind: str) -> Command:
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
    conditions: list[Expression] = []
    found: list[Clause] = []
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
    return Command(start, c.end, "show", words, [], found, conditions, c.text[c.starts[begin + 1] : c.end])


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


def _unread(c: Cursor, group: str) -> Command:
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
    words = " ".join(c.kinds[begin : begin + 2]) if c.names[begin + 1] is not None else c.kinds[begin]
    content = c.text[c.starts[begin + 1] : c.end] if c.i > begin + 1 else ""
    return Command(start, c.end, group, words, [], [], [], content)
