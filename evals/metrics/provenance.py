"""Provenance queries: they return the nodes that a query's MATCH clauses matched, in place of its result.

    >>> provenance_queries("MATCH (n:Movie)-[:directedBy]->(:Person {name: 'Michael Mann'}) RETURN n.name")
    ["MATCH (n:Movie)-[:directedBy]->(ps0:Person {name: 'Michael Mann'}) RETURN collect(DISTINCT elementId(n)) AS ps1, \
collect(DISTINCT elementId(ps0)) AS ps2"]

CypherBench (arXiv 2412.18702, §5.1) defines the provenance subgraph of a query as the subgraph that its MATCH clause
matches, with its WHERE, before RETURN projects it. The subgraph is determined from the query's tree:

- Each part of a UNION contributes nodes, even inside CALL { … }. A subquery's nodes count if its rows are kept.
- OPTIONAL MATCH adds the nodes that it found. Anonymous nodes and the inner nodes of paths count.
- A WITH that filters or renames is kept, extended by the nodes that it would drop. A WITH that groups, sorts or limits
is kept before a further MATCH; after the last MATCH it is left out, because it then belongs to the projection.
- EXISTS { … } and patterns in WHERE are conditions: the nodes that match them are not part of the subgraph.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from graphground.cypher import parse
from graphground.cypher import tree as t
from graphground.cypher.language import Language
from graphground.cypher.matched import aggregates, matched_part
from graphground.graphs.schemas.pictures.of_query import is_variable

Kind = Literal["node", "path", "ids"]


def provenance_queries(text: str, language: Language = "cypher5", node_id: str = "elementId") -> list[str]:
    """Return queries that each yield one row with lists of node ids; an empty list if the query has no MATCH.

    The ids of nodes that a subquery matches are in nested lists.

    Raises:
        CypherSyntaxError: the text is not a query.
    """
    query = parse(text, language)
    return list(_Rewriter(query, node_id).of_body(query.body))


class _Rewriter:
    def __init__(self, query: t.Query, node_id: str) -> None:
        self._query, self._id = query, node_id
        self._taken = {variable.name for variable in query.find(t.Variable)}
        self._count = 0

    def of_body(self, body: t.QueryBody) -> Iterable[str]:
        match body:
            case t.Union(parts=parts) | t.Next(parts=parts):
                for part in parts:
                    yield from self.of_body(part)
            case t.Braced(body=inner):
                yield from self.of_body(inner)
            case t.Conditional(branches=branches):
                for branch in branches:
                    yield from self.of_body(branch.body)
            case t.SingleQuery(clauses=clauses):
                matched = matched_part(clauses)
                if not matched:
                    return
                if len(matched) == 1 and isinstance(matched[0], t.CallSubquery) and not matched[0].imports:
                    yield from self.of_body(matched[0].body)  # databases plan single parts better than one CALL
                    return
                texts, found = self._rewritten(matched, {})
                lists = ", ".join(f"{self._collected(name, kind)} AS {self._fresh()}" for name, kind in found.items())
                yield f"{' '.join(texts)} RETURN {lists or '[]'}"

    def _rewritten(self, clauses: Sequence[t.Clause], found: dict[str, Kind]) -> tuple[list[str], dict[str, Kind]]:
        texts = []
        for clause in clauses:
            match clause:
                case t.Match():
                    texts.append(self._match(clause, found))
                case t.With():
                    text, found = self._projection("WITH", clause.projection, found, clause.where)
                    texts.append(text)
                case t.CallSubquery():
                    texts.append(self._subquery(clause, found))
                case _:
                    texts.append(self._query.source(clause))
        return texts, found

    def _match(self, clause: t.Match, found: dict[str, Kind]) -> str:
        insertions: list[tuple[int, str]] = []
        for path in clause.patterns:
            if is_variable(path):
                variable = path.variable.name if path.variable else self._fresh()
                if path.variable is None:
                    insertions.append((path.start, f"{variable} = "))
                found[variable] = "path"
            for element in path.elements:
                if isinstance(element, t.NodePattern):
                    if element.variable is None and not is_variable(path):
                        name = self._fresh()
                        insertions.append((element.start + 1, name))
                        found[name] = "node"
                    elif element.variable is not None:
                        found[element.variable.name] = "node"
        text, end = "", clause.start
        for place, inserted in sorted(insertions):
            text += self._query.text[end:place] + inserted
            end = place
        return text + self._query.text[end : clause.end]

    def _projection(
        self, word: str, projection: t.Projection, found: dict[str, Kind], where: t.Expression | None
    ) -> tuple[str, dict[str, Kind]]:
        source = self._query.source
        still_found: dict[str, Kind] = dict(found) if projection.star else {}
        for item in projection.items:
            if isinstance(item.expression, t.Variable) and item.expression.name in found:
                still_found[item.alias.name if item.alias else item.expression.name] = found[item.expression.name]
        carried = {item.expression.name for item in projection.items if isinstance(item.expression, t.Variable)}
        groups = projection.group_by is not None or aggregates(projection)
        cuts = projection.skip is not None or projection.limit is not None
        columns = (["*"] if projection.star else []) + [source(item) for item in projection.items]
        for name, kind in found.items():
            if name not in carried and not projection.star:
                fresh = self._fresh()
                grouped = groups or (projection.distinct and cuts)
                columns.append(f"{self._collected(name, kind) if grouped else self._name(name)} AS {fresh}")
                still_found[fresh] = "ids" if grouped else kind
        distinct = projection.distinct and not (cuts and not groups)
        parts = [word, *(["DISTINCT"] if distinct else []), ", ".join(columns)]
        if projection.group_by is not None:
            parts.append("GROUP BY " + (", ".join(map(source, projection.group_by)) or "()"))
        if projection.order_by:
            parts.append("ORDER BY " + ", ".join(map(source, projection.order_by)))
        for paging, number in (("SKIP", projection.skip), ("LIMIT", projection.limit), ("WHERE", where)):
            if number is not None:
                parts.append(f"{paging} {source(number)}")
        return " ".join(parts), still_found

    def _subquery(self, call: t.CallSubquery, found: dict[str, Kind]) -> str:
        """Return `CALL { … RETURN n }` with a further column for the ids of the nodes matched inside the subquery."""
        column = self._fresh()
        body = self._body_with_column(call.body, column)
        if body is None:
            return self._query.source(call)
        found[column] = "ids"
        return self._query.text[call.start : call.body.start] + body + self._query.text[call.body.end : call.end]

    def _body_with_column(self, body: t.QueryBody, column: str) -> str | None:
        match body:
            case t.Union(parts=parts):
                joined = ""
                for part, all_ in zip(parts, [False, *body.all_], strict=False):
                    text = self._body_with_column(part, column)
                    if text is None:
                        return None
                    joined += (f" UNION {'ALL ' if all_ else ''}" if joined else "") + text
                return joined
            case t.SingleQuery(clauses=[*clauses, t.Return(projection=projection)]):
                texts, found = self._rewritten(clauses, {})
                groups = aggregates(projection) or (projection.distinct and projection.limit is not None)
                lists = [
                    self._collected(name, kind) if groups else self._listed(name, kind) for name, kind in found.items()
                ]
                text, _ = self._projection("RETURN", projection, {}, None)
                items = f", [{', '.join(lists)}] AS {column}"
                last = projection.items[-1] if projection.items else None
                end = self._query.source(last) if last is not None else "*"
                head, _, tail = text.rpartition(end) if last is not None else text.partition(end)
                return " ".join([*texts, head + end + items + tail])
        return None

    def _collected(self, name: str, kind: Kind) -> str:
        match kind:
            case "node":
                return f"collect(DISTINCT {self._id}({self._name(name)}))"
            case "path":
                return f"collect({self._listed(name, kind)})"
        return f"collect({self._name(name)})"

    def _listed(self, name: str, kind: Kind) -> str:
        match kind:
            case "node":
                return f"[{self._id}({self._name(name)})]"
            case "path":
                return f"[node IN nodes({self._name(name)}) | {self._id}(node)]"
        return self._name(name)

    @staticmethod
    def _name(name: str) -> str:
        return name if name.isidentifier() else f"`{name}`"

    def _fresh(self) -> str:
        while True:
            name = f"ps{self._count}"
            self._count += 1
            if name not in self._taken:
                return name
