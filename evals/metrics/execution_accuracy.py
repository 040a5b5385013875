"""Execution accuracy (EX): whether two answers are the same table, ignoring the order of columns and rows.

CypherBench (arXiv 2412.18702, §5.1) takes EX from text-to-SQL: the prediction scores 1 when its answer equals the gold
answer under some permutation of columns and, unless the gold query orders, of rows. Values that are not scalars are
serialized before they are compared.

Edge cases: two empty answers are equal, whatever their columns; duplicates count; column names do not count; a
prediction that fails scores 0. The published implementation departs from this definition; `rule="published"` reproduces
the departures, except that it compares relationships and paths:

| case | `paper` | `published` |
|---|---|---|
| floats | equal within 1e-9 of their size | equal to the last bit |
| `true` beside 1 | different | equal, as in Python |
| a list that mixes types | compared | scores 0 (Python cannot sort it) |
| the gold query orders | see `orders` | the words `order by` are in its text, even in a literal |
| a relationship or path in a row | compared | ends the evaluation with a TypeError |
| the prediction's text equals the gold query's | both are run, and may fail | scores 1 without running |

Many columns cost little time: columns are matched by their content, and only ambiguous columns are permuted.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, count, pairwise
from math import isnan
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from graphground.cypher import parse
from graphground.cypher import tree as t
from graphground.cypher.diagnostics import Language
from graphground.cypher.functions import groups_rows
from graphground.evals.metrics.executable import attempt
from graphground.graphs.engines.engine import Table
from graphground.graphs.graph import Graph

Rows = Sequence[Sequence[Any]]
Answer = Table | Rows
Codes = NDArray[np.int64]

_PLAIN = frozenset((str, int, type(None)))
_NUMBERS = frozenset((int, float))
_SCALARS = _PLAIN | _NUMBERS


def execution_accuracy(
    predicted: Answer | str,
    gold: Answer | str,
    graph: Graph | None = None,
    *,
    ordered: bool | None = None,
    timeout: float = 120.0,
    rule: Rule = "paper",
) -> float:
    """Return 1.0 if the prediction's answer equals the gold answer, else 0.0.

        >>> execution_accuracy([["Heat", 170.0]], [[170, "Heat"]])
        1.0
        >>> execution_accuracy([["Heat"], ["Ronin"]], [["Ronin"], ["Heat"]], ordered=True)
        0.0

    `predicted` and `gold` are tables (lists of rows) or, with `graph`, queries, each run for at most `timeout` seconds.
    `ordered` says whether the order of rows counts. By default the gold query decides; between tables the order does
    not count.

    Raises:
        ValueError: a query is given without a graph, or together with a table.
        EngineError: the gold query fails.
    """
    if isinstance(predicted, str) or isinstance(gold, str):
        if not (isinstance(predicted, str) and isinstance(gold, str) and graph is not None):
            raise ValueError("give two queries with the graph to run them on, or two tables")
        if rule == "published" and predicted == gold:
            return 1.0
        gold_table = graph.run(gold, timeout=timeout)
        outcome = attempt(graph, predicted, timeout=timeout)
        if outcome.table is None:
            return 0.0
        counts = orders(gold, graph.language, rule) if ordered is None else ordered
        return float(tables_match(outcome.table.rows, gold_table.rows, ordered=counts, rule=rule))
    return float(tables_match(_rows(predicted), _rows(gold), ordered=bool(ordered), rule=rule))


def tables_match(predicted: Rows, gold: Rows, *, ordered: bool = False, rule: Rule = "paper") -> bool:
    """Whether some permutation of columns (and of rows, unless `ordered`) makes the tables equal.

    >>> tables_match([["a", 1], ["b", 2]], [[2, "b"], [1, "a"]])
    True
    >>> tables_match([["a"], ["a"]], [["a"]])
    False
    """
    if not predicted or not gold:
        return not predicted and not gold
    if len(predicted) != len(gold) or len(predicted[0]) != len(gold[0]):
        return False
    try:
        tables, known = _codes(predicted, gold, rule)
    except Unsortable:
        return False
    if _same(*tables, ordered=ordered):
        return True
    representative_of, nested = _neighbours(predicted, gold) if rule == "paper" else ({}, False)
    if not representative_of:
        return False
    if nested:
        return _same(*_codes(predicted, gold, rule, representative_of)[0], ordered=ordered)
    merged = np.arange(len(known))
    for number, representative in representative_of.items():
        merged[known[number]] = known[representative]
    return _same(merged[tables[0]], merged[tables[1]], ordered=ordered)


def _rows(answer: Answer) -> Rows:
    return answer.rows if isinstance(answer, Table) else answer


def _codes(
    predicted: Rows, gold: Rows, rule: Rule, representative_of: dict[float, float] | None = None
) -> tuple[tuple[Codes, Codes], dict[Hashable, int]]:
    """Return both tables transposed, with each distinct value replaced by an integer, and the integer of each key."""
    known: defaultdict[Hashable, int] = defaultdict(count().__next__)
    tables = [
        np.array(
            [
                np.fromiter(map(known.__getitem__, _keys(column, rule, representative_of)), np.int64, len(rows))
                for column in zip(*rows, strict=True)
            ],
            np.int64,
        )
        for rows in (predicted, gold)
    ]
    return (tables[0], tables[1]), known


def _keys(column: Sequence[Any], rule: Rule, representative_of: dict[float, float] | None) -> Sequence[Hashable]:
    """Return the key of each value in a column.

    A column of texts and integers, the most frequent case, is returned unchanged.
    """
    types = set(map(type, column))
    if types <= _PLAIN and not representative_of:
        return column
    if types <= _NUMBERS and not any(map(isnan, column)):
        return [representative_of.get(number, number) for number in column] if representative_of else column
    if types == {list} and set(map(type, chain.from_iterable(column))) <= {str}:
        return [("list", tuple(sorted(value))) for value in column]
    return [key(value, rule, representative_of) for value in column]


def _neighbours(predicted: Rows, gold: Rows) -> tuple[dict[float, float], bool]:
    """Return the `representatives` of both tables' numbers, and whether lists or maps contain numbers.

    Without a float the `representatives` are empty, because integers are compared exactly.
    """
    numbers: set[float] = set()
    nested = False
    for column in chain(zip(*predicted, strict=True), zip(*gold, strict=True)):
        types = set(map(type, column))
        if types <= _NUMBERS:
            numbers.update(column)
        elif types <= _SCALARS:
            numbers.update(value for value in column if type(value) in _NUMBERS)
        elif not (types == {list} and set(map(type, chain.from_iterable(column))) <= {str}):
            inner = set(numbers_in(column))
            nested = nested or bool(inner)
            numbers |= inner
    if float not in set(map(type, numbers)):
        return {}, nested
    return representatives(numbers), nested


def _same(predicted: Codes, gold: Codes, *, ordered: bool) -> bool:
    if not len(gold):
        return True
    if ordered:  # rows keep their order, so a column matches only an equal column
        return sorted(column.tobytes() for column in predicted) == sorted(column.tobytes() for column in gold)
    sorted_columns = [np.sort(column).tobytes() for column in predicted]
    candidates = [
        [place for place, other in enumerate(sorted_columns) if other == np.sort(column).tobytes()] for column in gold
    ]
    return _assign(predicted, gold, candidates)


def _assign(predicted: Codes, gold: Codes, candidates: list[list[int]]) -> bool:
    """Whether the gold columns can be assigned distinct predicted columns so that both tables have the same rows.

    Gold columns with the fewest candidates are assigned first. An assignment is given up as soon as the rows,
    reduced to the assigned columns, differ as multisets. Identical candidates are tried only once.
    """
    order = sorted(range(len(candidates)), key=lambda place: len(candidates[place]))
    size = gold.shape[1]
    most = int(max(predicted.max(), gold.max())) + 1

    def extend(depth: int, used: frozenset[int], predicted_rows: Codes, gold_rows: Codes) -> bool:
        if depth == len(order):
            return True
        extended_rows = gold_rows * most + gold[order[depth]]
        tried: list[Codes] = []
        for place in candidates[order[depth]]:
            column = predicted[place]
            if place in used or any(np.array_equal(column, other) for other in tried):
                continue
            tried.append(column)
            _, numbers = np.unique(np.concatenate((predicted_rows * most + column, extended_rows)), return_inverse=True)
            bag = np.bincount(numbers[:size], minlength=numbers.max() + 1)
            if np.array_equal(bag, np.bincount(numbers[size:], minlength=len(bag))) and extend(
                depth + 1, used | {place}, numbers[:size], numbers[size:]
            ):
                return True
        return False

    start = np.zeros(size, np.int64)
    return extend(0, frozenset(), start, start)


def orders(text: str, language: Language = "cypher5", rule: Rule = "paper") -> bool:
    """Whether the rows of the query's answer have a defined order.

        >>> orders("MATCH (m:Movie) RETURN m.name ORDER BY m.year")
        True
        >>> orders("MATCH (m:Movie {name: 'Order by numbers'}) RETURN m.year")
        False
        >>> orders("MATCH (m:Movie) WITH m ORDER BY m.year LIMIT 3 RETURN m.name")
        True

    The order of a WITH counts if the later clauses only project, filter or page the rows, without DISTINCT, GROUP BY or
    aggregates: databases then keep the order. With `rule="published"`, `order by` anywhere in the text counts.

    Raises:
        CypherSyntaxError: the text is not a query; never raised with `rule="published"`.
    """
    if rule == "published":
        return "order by" in text.lower()
    body = parse(text, language).body
    while isinstance(body, t.Braced):
        body = body.body
    if not isinstance(body, t.SingleQuery):
        return False
    for clause in reversed(body.clauses):
        match clause:
            case t.OrderAndPage(order_by=sorting) if sorting:
                return True
            case t.Return(projection=projection) | t.With(projection=projection):
                if projection.order_by:
                    return True
                if projection.distinct or projection.group_by is not None or groups_rows(projection):
                    return False
            case t.OrderAndPage() | t.Let() | t.Filter():
                pass
            case _:
                return False
    return False


Rule = Literal["paper", "published"]

TOLERANCE = 1e-9
"""The relative difference up to which two floats are equal: databases sum the rows of avg() in no fixed order."""

_NODE = frozenset(("id", "labels", "properties"))
_RELATIONSHIP = frozenset(("id", "type", "start", "end", "properties"))
_PATH = frozenset(("nodes", "relationships"))


class Unsortable(TypeError):
    """The error for a list of mixed types, which the published implementation cannot sort; the prediction scores 0."""


def key(value: Any, rule: Rule = "paper", numbers: Mapping[float, float] | None = None) -> Hashable:
    """Return the key of a value; `numbers` maps a number to its representative (see `representatives`).

    Lists and sets are compared as multisets; maps key by key; nodes by their properties, as the driver's `data()` gives
    them; relationships by type, ends and properties; paths in order; dates and times by their ISO 8601 texts. An
    integer equals the float of the same value. `true` equals 1 only with `rule="published"`, as in Python.

    Raises:
        Unsortable: with `rule="published"`, a list that Python cannot sort.
    """
    match value:
        case bool():
            return ("boolean", value) if rule == "paper" else value
        case None | str():
            return value
        case float() if math.isnan(value):
            return "NaN"
        case int() | float():  # an integer may be the neighbour of a float
            return numbers.get(value, value) if numbers else value
        case list() | tuple() | set() | frozenset():
            keys: list[Any] = [key(item, rule, numbers) for item in value]
            if rule == "published":
                try:
                    keys.sort()
                except TypeError as error:
                    raise Unsortable(str(error)) from None
                return ("list", tuple(keys))
            if all(type(item) is str for item in keys):
                return ("list", tuple(sorted(keys)))
            return ("list", frozenset(Counter(keys).items()))
        case dict():
            return _map_key(value, rule, numbers)
    for name in ("iso_format", "isoformat"):
        method = getattr(value, name, None)
        if method is not None:
            return str(method())
    return str(value)


def _map_key(value: Mapping[str, Any], rule: Rule, numbers: Mapping[float, float] | None) -> Hashable:
    names = value.keys()
    if names == _NODE and isinstance(value["properties"], dict):
        value = value["properties"]
    elif names == _RELATIONSHIP and isinstance(value["properties"], dict):
        return (
            "relationship",
            value["type"],
            value["start"],
            value["end"],
            _map_key(value["properties"], rule, numbers),
        )
    elif names == _PATH and isinstance(value["nodes"], list):
        return (
            "path",
            *(key(part, rule, numbers) for group in (value["nodes"], value["relationships"]) for part in group),
        )
    return ("map", frozenset((name, key(inner, rule, numbers)) for name, inner in value.items()))


def numbers_in(values: Iterable[Any]) -> Iterator[float]:
    """Yield every number in the values, also from lists and maps; booleans are not numbers."""
    for value in values:
        match value:
            case bool():
                pass
            case int() | float():
                yield value
            case list() | tuple() | set() | frozenset():
                yield from numbers_in(value)
            case dict():
                yield from numbers_in(value.values())


def representatives(numbers: Iterable[float]) -> dict[float, float]:
    """Map each number to the smallest number of its group; the smallest number itself has no entry.

    Numbers that are neighbours in sorted order belong to one group if their relative difference is at most `TOLERANCE`.

        >>> representatives([0.3, 0.1 + 0.2, 7.0])
        {0.30000000000000004: 0.3}

    Numbers are grouped by distance instead of being rounded, so two floats that differ in the last bit are never
    separated by a rounding boundary.
    """
    found: dict[float, float] = {}
    ordered = sorted({number for number in numbers if math.isfinite(number)})
    first = ordered[0] if ordered else 0.0
    for before, number in pairwise(ordered):
        if number - before <= TOLERANCE * max(abs(number), abs(before)):
            found[number] = first
        else:
            first = number
    return found
