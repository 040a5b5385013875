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

from collections import defaultdict
from collections.abc import Hashable, Sequence
from itertools import chain, count
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from graphground.evals.metrics.values import Rule, Unsortable, key, numbers_in, representatives
from graphground.graphs.engines.table import Table

if TYPE_CHECKING:
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
        return _of_queries(predicted, gold, graph, ordered, timeout, rule)
    return float(tables_match(_rows(predicted), _rows(gold), ordered=bool(ordered), rule=rule))


def _of_queries(predicted: str, gold: str, graph: Graph, ordered: bool | None, timeout: float, rule: Rule) -> float:
    from graphground.evals.metrics.executable import attempt  # loaded on first use: comparing tables needs no parser
    from graphground.evals.metrics.ordering import orders

    if rule == "published" and predicted == gold:
        return 1.0
    gold_table = graph.run(gold, timeout=timeout)
    outcome = attempt(graph, predicted, timeout=timeout)
    if outcome.table is None:
        return 0.0
    counts = orders(gold, graph.language, rule) if ordered is None else ordered
    return float(tables_match(outcome.table.rows, gold_table.rows, ordered=counts, rule=rule))


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
    if types <= _PLAIN:
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
    predicted_marks, gold_marks = _row_marks(predicted), _row_marks(gold)
    if not np.array_equal(np.sort(predicted_marks), np.sort(gold_marks)):
        return False
    marks = _column_marks(predicted, predicted_marks)
    candidates = [
        [place for place, mark in enumerate(marks) if mark == gold_mark]
        for gold_mark in _column_marks(gold, gold_marks)
    ]
    return _assign(predicted, gold, candidates)


def _mixed(codes: Any) -> Any:
    """Return a pseudo-random number for each integer (SplitMix64); the sum of these numbers identifies a multiset."""
    codes = (codes + np.uint64(0x9E3779B97F4A7C15)) * np.uint64(0xBF58476D1CE4E5B9)
    codes ^= codes >> np.uint64(27)
    codes *= np.uint64(0x94D049BB133111EB)
    codes ^= codes >> np.uint64(31)
    return codes


def _row_marks(table: Codes) -> Any:
    """Return a hash of each row, the same for any order of columns. Rows with different hashes do not match."""
    return np.add.reduce(_mixed(table.view(np.uint64)), axis=0)


def _column_marks(table: Codes, rows: Any) -> list[int]:
    """Return a hash of each column that depends on its values and the hashes of their rows,
    but not on the row order."""
    together = _mixed(_mixed(table.view(np.uint64)) + rows[None, :])
    return [int(mark) for mark in np.add.reduce(together, axis=1).tolist()]


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
