"""The text that is sent to a database: rewritten for the database's dialect, in canonical form.

The positions of errors in the sent text are mapped back to positions in the original query.

>>> to_send(NEO4J, "MATCH (f:Film) RETURN f.name // all").text
'MATCH (f:Film) RETURN f.name       '
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from graphground.cypher.canonical import Ambiguous, Sent, canonical
from graphground.cypher.readings import CODE
from graphground.graphs.engines.engine import QueryFailed
from graphground.graphs.engines.rewriting import rewrite_for

if TYPE_CHECKING:
    from graphground.cypher.tree import Query
    from graphground.graphs.engines.dialects import Dialect

_PLACE = re.compile(r" *\(line \d+, column \d+(?: \(offset: \d+\))?\)|(?: at)? line \d+, column \d+|line \d+:\d+ ?")


def to_send(dialect: Dialect, query: str | Query, limit: int | None = None) -> Sent:
    """Return the text to send to a database of this dialect.

    Raises:
        QueryFailed: the query is not sent, because databases do not all parse it in the same way.
    """
    try:
        return canonical(rewrite_for(dialect, query, limit))
    except Ambiguous as error:
        raise QueryFailed(str(error), CODE) from None


def in_places_of(query: str | Query, error: QueryFailed, dialect: Dialect, limit: int | None = None) -> QueryFailed:
    """Return a database's error about the sent text, with the position mapped to the original query.

    If a rewrite changed more than the end of the query, the returned error has no position. A line of the sent text
    that the database quotes is omitted.
    """
    if error.line is None or error.column is None or error.code == CODE:
        return error
    text = query if isinstance(query, str) else query.text
    sent = to_send(dialect, query, limit)
    if sent.text == text:
        return error
    message = _PLACE.sub("", str(error).splitlines()[0]).strip()
    if not sent.given.startswith(text):
        return QueryFailed(message, error.code)
    line, column = sent.place(error.line, error.column)
    return QueryFailed(f"{message} (line {line}, column {column})", error.code, line, column)
