"""Provenance subgraph Jaccard similarity (PSJS): how much of the gold query's subgraph a prediction matched.

CypherBench (arXiv 2412.18702, §5.1) divides the number of nodes matched by the MATCH clauses of both queries by the
number of nodes matched by at least one of the two queries. A query that matches the right nodes but returns the wrong
columns scores well.

Edge cases: a prediction with the gold query's text scores 1; two empty subgraphs score 0; a prediction that does not
compile, or whose matches take too long, scores 0; a query without MATCH has an empty subgraph. The published
implementation splits the text with regular expressions, which `rule="published"` reproduces: take it to compare with
scores that others measured. Ours uses the tree, so the scores can differ for

- keywords in lower case, and a query that begins with OPTIONAL MATCH, UNWIND or WITH: the published rule finds no
  MATCH;
- STARTS WITH and ENDS WITH: the published rule cuts the text at their WITH, and the query fails;
- `(n)` without a label, `()`, names in backticks, two labels, maps with `}` or `)` in a text: the published rule leaves
  out nodes whose variable its regular expression cannot find, or the query fails;
- a query that does not compile: ours scores 0; the published rule runs the text before RETURN, which can score 1;
- nodes inside paths of variable length: the published rule does not collect them;
- a WITH that renames, and all that follows it; a MATCH after a WITH that groups or sorts; a filter after CALL { … };
- a gold query that fails: ours raises an error, the published rule scores 0.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from typing import Any, Literal

from graphground.cypher import parse
from graphground.cypher import tree as t
from graphground.cypher.diagnostics import Edit, Language, text_with
from graphground.cypher.functions import groups_rows, matched_part
from graphground.cypher.quoting import quoted_name
from graphground.evals.metrics.executable import attempt, refuse
from graphground.evals.metrics.execution_accuracy import Rule
from graphground.graphs.engines.engine import QueryFailed, QueryUnanswered
from graphground.graphs.graph import Graph
from graphground.graphs.schemas.matches import is_variable


def psjs(predicted: str, gold: str, graph: Graph, *, timeout: float = 120.0, rule: Rule = "paper") -> float:
    """Return the similarity of two queries' provenance subgraphs, from 0.0 to 1.0.

        psjs("MATCH (n:Team) RETURN n.name", "MATCH (n:Team) RETURN count(n)", graph)  # 1.0: the same nodes

    `timeout` is the time limit of each provenance query, in seconds.

    Raises:
        EngineError: the gold query fails, except with `rule="published"`.
        EngineUnavailable: the graph cannot be queried, so the query cannot be scored.
    """
    if predicted == gold:
        return 1.0
    try:
        gold_nodes = provenance_nodes(gold, graph, timeout=timeout, rule=rule)
    except QueryFailed:
        if rule == "published":
            return 0.0
        raise
    try:
        predicted_nodes = provenance_nodes(predicted, graph, timeout=timeout, rule=rule)
    except QueryUnanswered:
        return 0.0
    return jaccard(predicted_nodes, gold_nodes)


def jaccard(first: Collection[Hashable], second: Collection[Hashable]) -> float:
    """Return the size of the intersection divided by the size of the union; 0.0 if both sets are empty.

    >>> jaccard({"a", "b"}, {"b", "c", "d"})
    0.25
    """
    together = set(first) | set(second)
    return len(set(first) & set(second)) / len(together) if together else 0.0


def provenance_nodes(query: str, graph: Graph, *, timeout: float = 120.0, rule: Rule = "paper") -> set[str]:
    """Return the ids of the nodes that a query's MATCH clauses match.

    Raises:
        EngineError: the query does not compile or is not read-only (not with `rule="published"`), or a provenance query
            fails or takes longer than `timeout` seconds.
    """
    node_id = graph.dialect.own_id.partition("(")[0] if graph.dialect is not None else "elementId"
    if rule == "published":
        texts = published_provenance_queries(query, node_id)
    elif (refusal := refuse(graph, query)) is not None:
        raise QueryFailed(refusal.message)
    else:
        texts = provenance_queries(query, graph.language, node_id)
    found: set[str] = set()
    for text in texts:
        outcome = attempt(graph, text, timeout=timeout)
        if outcome.table is None:
            raise QueryFailed(outcome.message)
        found.update(_flat(outcome.table.rows))
    return found


def _flat(values: list[Any]) -> Iterator[str]:
    for value in values:
        if isinstance(value, list):
            yield from _flat(value)
        elif value is not None:
            yield str(value)


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
        self._query, self._id, self._fresh = query, node_id, query.fresh_names("ps").__next__

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
                lists = ", ".join(f"{self._collect(name, kind)} AS {self._fresh()}" for name, kind in found.items())
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
        edits: list[Edit] = []
        for path in clause.patterns:
            if is_variable(path):
                variable = path.variable.name if path.variable else self._fresh()
                if path.variable is None:
                    edits.append(Edit(path.start, path.start, f"{variable} = "))
                found[variable] = "path"
            for element in path.elements:
                if isinstance(element, t.NodePattern):
                    if element.variable is None and not is_variable(path):
                        name = self._fresh()
                        edits.append(Edit(element.start + 1, element.start + 1, name))
                        found[name] = "node"
                    elif element.variable is not None:
                        found[element.variable.name] = "node"
        return text_with(self._query.text, clause, edits)

    def _projection(
        self, word: str, projection: t.Projection, found: dict[str, Kind], where: t.Expression | None
    ) -> tuple[str, dict[str, Kind]]:
        source = self._query.source
        still_found: dict[str, Kind] = dict(found) if projection.star else {}
        for item in projection.items:
            if isinstance(item.expression, t.Variable) and item.expression.name in found:
                still_found[item.alias.name if item.alias else item.expression.name] = found[item.expression.name]
        carried = {item.expression.name for item in projection.items if isinstance(item.expression, t.Variable)}
        groups = projection.group_by is not None or groups_rows(projection)
        cuts = projection.skip is not None or projection.limit is not None
        columns = (["*"] if projection.star else []) + [source(item) for item in projection.items]
        for name, kind in found.items():
            if name not in carried and not projection.star:
                fresh = self._fresh()
                grouped = groups or (projection.distinct and cuts)
                columns.append(f"{self._collect(name, kind) if grouped else quoted_name(name)} AS {fresh}")
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
                groups = groups_rows(projection) or (projection.distinct and projection.limit is not None)
                lists = [
                    self._collect(name, kind) if groups else self._list_ids(name, kind) for name, kind in found.items()
                ]
                text, _ = self._projection("RETURN", projection, {}, None)
                items = f", [{', '.join(lists)}] AS {column}"
                last = projection.items[-1] if projection.items else None
                end = self._query.source(last) if last is not None else "*"
                head, _, tail = text.rpartition(end) if last is not None else text.partition(end)
                return " ".join([*texts, head + end + items + tail])
        return None

    def _collect(self, name: str, kind: Kind) -> str:
        match kind:
            case "node":
                return f"collect(DISTINCT {self._id}({quoted_name(name)}))"
            case "path":
                return f"collect({self._list_ids(name, kind)})"
        return f"collect({quoted_name(name)})"

    def _list_ids(self, name: str, kind: Kind) -> str:
        match kind:
            case "node":
                return f"[{self._id}({quoted_name(name)})]"
            case "path":
                return f"[node IN nodes({quoted_name(name)}) | {self._id}(node)]"
        return quoted_name(name)


_KEYWORDS = (
    "MATCH|OPTIONAL MATCH|WHERE|RETURN|UNION|WITH|CREATE|SET|DELETE|MERGE|UNWIND|ORDER BY|LIMIT|SKIP|FOREACH|CALL|YIELD"
)
_CLAUSE = re.compile(rf"\b(?:{_KEYWORDS})\b")
_CALL = re.compile(r"CALL\s*\{(.*?)\}\s*(?:WITH|RETURN|WHERE|UNWIND)", re.DOTALL)
_UNION = re.compile(r"\bUNION\b")
_UNNAMED = re.compile(r"\((?=:[A-Za-z]+(?:\s*\{.*?\})?\))")
"""The opening parenthesis of a node without a variable, with one label of letters and optionally a map."""
_MAP = re.compile(r"\{[^}]*\}")
_NAMED = re.compile(r"\((\w+)(?::[^)]*|\))")
_MATCHES = ("MATCH", "OPTIONAL MATCH")


def published_provenance_queries(text: str, node_id: str = "elementId") -> list[str]:
    """Return queries that each yield one row with lists of node ids; an empty list if no part begins with MATCH."""
    call = _CALL.search(text) if text.strip().startswith("CALL") else None
    if call is None and text.strip().startswith("CALL"):
        return []
    parts = (_cut_before_return(part.strip()) for part in _UNION.split(call[1] if call else text))
    return [_with_ids(part, node_id) for part in parts if part]


def _cut_before_return(part: str) -> str:
    """Return the text before the projection: MATCH and WHERE, with `WITH *` in place of a WITH that renames nothing."""
    if not part.startswith("MATCH"):
        return ""
    clauses: list[str] = []
    for clause in _clauses(part):
        if not clause.startswith((*_MATCHES, "WITH", "WHERE")):
            break
        if clause.startswith("WITH"):
            if " as " in clause.lower():
                break
            clause = "WITH *"
        clauses.append(clause)
    while clauses[-1].startswith("WITH"):
        clauses.pop()
    return " ".join(clauses)


def _clauses(text: str) -> list[str]:
    starts = [match.start() for match in _CLAUSE.finditer(text)]
    return [text[start:end].strip() for start, end in zip(starts, [*starts[1:], None], strict=True)]


def _with_ids(matched: str, node_id: str) -> str:
    clauses, unnamed = [], 0
    for clause in _clauses(matched):
        if clause.startswith(_MATCHES):
            pieces = _UNNAMED.split(clause)
            clause = pieces[0]
            for piece in pieces[1:]:
                clause += f"(published{unnamed}{piece}"
                unnamed += 1
        clauses.append(clause)
    text = " ".join(clauses)
    found: set[str] = set()
    for clause in _clauses(_MAP.sub("{}", text)):
        if clause.startswith(_MATCHES):
            found.update(_NAMED.findall(clause))
    lists = ", ".join(f"collect(DISTINCT {node_id}({name}))" for name in sorted(found))
    return f"{text} RETURN {lists or '[]'}"
