"""Commands for schema and administration: told apart and read over, so that they can be named and refused."""

from __future__ import annotations

from graphground.cypher.parser.cursor import Cursor
from graphground.cypher.tree import Command

_SCHEMA = frozenset(("INDEX", "CONSTRAINT", "RANGE", "TEXT", "POINT", "FULLTEXT", "VECTOR", "LOOKUP", "BTREE"))
_ADMIN = frozenset(("ALTER", "GRANT", "DENY", "REVOKE", "RENAME", "ENABLE", "DEALLOCATE", "REALLOCATE", "DRYRUN",
                    "START", "STOP"))
_OPENING = {"(": ")", "[": "]", "{": "}"}


def command(c: Cursor) -> Command | None:
    """A command; None where a query begins."""
    kind = c.kinds[c.i]
    after = c.kinds[c.i + 1]
    start = c.starts[c.i]
    if kind in ("CREATE", "DROP"):
        if kind == "CREATE" and (after == "(" or c.names[c.i + 1] is None or c.kinds[c.i + 2] == "="
                                 or after in ("ANY", "ALL", "SHORTEST", "SHORTESTPATH", "ALLSHORTESTPATHS")):
            return None
        group = "schema" if after in _SCHEMA else "admin"
        if after == "OR" and c.kinds[c.i + 3] in _SCHEMA:
            group = "schema"
    elif kind in _ADMIN:
        group = "admin"
    elif kind in ("SHOW", "TERMINATE"):
        group = "show" if kind == "SHOW" else "admin"
    else:
        return None
    words = f"{kind} {after}" if c.names[c.i + 1] is not None else kind
    c.i += 1
    if c.names[c.i] is None:
        raise c.fail("what to " + kind.lower())
    begin = c.i
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
    return Command(start, c.end, group, words, [], [], [], c.text[c.starts[begin]:c.end])
