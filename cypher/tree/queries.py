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
    """A query without its prefix: see the subclasses."""


class SingleQuery(QueryBody):
    """`MATCH (n) RETURN n`."""

    clauses: list[Clause]


class Union(QueryBody):
    """`… UNION ALL … UNION ALL …`: two or more queries; `all_[i]` says whether part i+1 is joined by UNION ALL."""

    parts: list[QueryBody]
    all_: list[bool]
    keyword_starts: list[int]

    unshaped: ClassVar[frozenset[str]] = frozenset({"keyword_starts"})


class Next(QueryBody):
    """`… NEXT …` of Cypher 25: each query continues with the rows of the one before."""

    parts: list[QueryBody]


class When(Node):
    """`WHEN x > 1 THEN …`; `condition` is None for ELSE."""

    condition: Expression | None
    body: QueryBody


class Conditional(QueryBody):
    """`WHEN … THEN … ELSE …` of Cypher 25."""

    branches: list[When]


class Braced(QueryBody):
    """`{ MATCH (n) RETURN n }` as a part of a query in Cypher 25."""

    body: QueryBody


class Command(QueryBody):
    """`CREATE INDEX …`, `DROP CONSTRAINT …`, `SHOW INDEXES …`, `GRANT …`, `START DATABASE …`.

    `kind` is `show`, `schema` or `admin`; `words` its first keywords, `CREATE INDEX`; `clauses` the clauses after a
    SHOW: YIELD as a `CallProcedure`-like clause, and RETURN.
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
        """All nodes, parents first, in text order; they are listed once, since each check of a query walks over them."""
        try:
            return iter(self._nodes)
        except AttributeError:
            self._nodes: list[Node] = list(super().walk())
            return iter(self._nodes)

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both counted from 1."""
        if not self.line_starts:
            self.line_starts = line_starts(self.text)
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def source(self, node: Node) -> str:
        """The original text of a node."""
        return self.text[node.start : node.end]


def line_starts(text: str) -> list[int]:
    r"""The offset of each line's beginning; `\n`, `\r\n` and a lone `\r` end a line."""
    return [0, *(match.end() for match in _LINE_END.finditer(text))]


_LINE_END = re.compile(r"\r\n?|\n")
