"""Whole statements: single queries, unions, conditional and sequential queries, and commands."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from graphground.cypher.tree.node import Node

if TYPE_CHECKING:
    from graphground.cypher.tree.clauses import CallProcedure, Clause
    from graphground.cypher.tree.expressions import Expression


class QueryBody(Node):
    """A query without its prefix; see the subclasses."""


class SingleQuery(QueryBody):
    """A sequence of clauses: `MATCH (n) RETURN n`."""

    clauses: list[Clause]


class Union(QueryBody):
    """Two or more queries joined by UNION; `all_[i]` is True if `parts[i + 1]` is joined by UNION ALL."""

    parts: list[QueryBody]
    all_: list[bool]
    keyword_starts: list[int]

    unshaped: ClassVar[frozenset[str]] = frozenset({"keyword_starts"})


class Next(QueryBody):
    """Queries joined by NEXT in Cypher 25, `… NEXT …`: each continues with the rows of the previous query."""

    parts: list[QueryBody]


class When(Node):
    """A branch of a conditional query, `WHEN x > 1 THEN …`; `condition` is None for ELSE."""

    condition: Expression | None
    body: QueryBody


class Conditional(QueryBody):
    """Cypher 25's conditional query: `WHEN … THEN … ELSE …`."""

    branches: list[When]


class Braced(QueryBody):
    """A query in braces, `{ MATCH (n) RETURN n }`, as a part of another query in Cypher 25."""

    body: QueryBody


class Command(QueryBody):
    """A schema or administration command: `CREATE INDEX …`, `DROP CONSTRAINT …`, `SHOW INDEXES …`, `GRANT …`.

    `kind` is `show`, `schema` or `admin`; `words` holds the first keywords, `CREATE INDEX`. For a SHOW, `clauses` holds
    the clauses after YIELD, such as ORDER BY and RETURN, and `expressions` the condition of WHERE.
    """

    kind: str
    words: str
    calls: list[CallProcedure]
    clauses: list[Clause]
    expressions: list[Expression]
    content: str


class Query(Node):
    """A parsed statement with its text.

    `prefix` is `EXPLAIN`, `PROFILE` or empty; `language` is `cypher5` or `cypher25` (a `CYPHER 25` prefix sets it).
    """

    text: str
    body: QueryBody
    prefix: str
    language: str
    line_starts: list[int]

    unshaped: ClassVar[frozenset[str]] = frozenset({"text", "line_starts"})
    __slots__ = ("_nodes",)

    def walk(self) -> Iterator[Node]:
        """Iterate over all nodes, parents first, in text order;
        they are kept in a list, since each check walks over them."""
        try:
            return iter(self._nodes)
        except AttributeError:
            self._nodes: list[Node] = list(super().walk())
            return iter(self._nodes)

    def position(self, offset: int) -> tuple[int, int]:
        """Return the line and column of an offset, both counted from 1."""
        if not self.line_starts:
            self.line_starts = line_starts(self.text)
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def source(self, node: Node) -> str:
        """Return the original text of a node."""
        return self.text[node.start : node.end]


def line_starts(text: str) -> list[int]:
    r"""Return the offset at which each line begins; `\n`, `\r\n` and a lone `\r` end a line."""
    return [0, *(match.end() for match in _LINE_END.finditer(text))]


_LINE_END = re.compile(r"\r\n?|\n")
