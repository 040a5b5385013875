"""Keeps what was computed for a schema, and what was read from a database until its data change."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import wraps
from itertools import chain
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.engines.client_context import run_concurrently
from graphground.graphs.engines.engine import Engine
from graphground.graphs.engines.rewriting import Planned
from graphground.graphs.graph import Graph

S = TypeVar("S")
T = TypeVar("T")
P = ParamSpec("P")
MAX_SCHEMAS = 16
AT_ONCE, LEAST_PARTS = 2, 3
"""The number of queries that read parts at the same time, and the least number of parts of each of them."""
FIRST_SECONDS = 10.0
"""The least time limit for the first read from a database, which may have just started."""


def remembered(method: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """Keep the results of a method in its object, by their arguments, which must be positional."""
    attribute = f"_known{method.__name__}"

    @wraps(method)
    def remember(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        try:  # most calls: this is faster than looking first
            found: T = self.__dict__[attribute][args]
        except KeyError:
            found = method(self, *args, **kwargs)
            self.__dict__.setdefault(attribute, {})[args] = found
        return found

    return remember


class PerSchema(Generic[T]):
    """A function of a schema whose last `MAX_SCHEMAS` results are kept: `PerSchema(SchemaNames)(schema)`."""

    def __init__(self, build: Callable[[PropertyGraphSchema], T]) -> None:
        self._build = build
        self._known: OrderedDict[int, tuple[PropertyGraphSchema, T]] = OrderedDict()
        self._lock = threading.Lock()

    def __call__(self, schema: PropertyGraphSchema) -> T:
        with self._lock:
            known = self._known.get(id(schema))
            if known is not None and known[0] is schema:
                self._known.move_to_end(id(schema))
                return known[1]
        built = self._build(schema)
        with self._lock:
            self._known[id(schema)] = schema, built
            while len(self._known) > MAX_SCHEMAS:
                self._known.popitem(last=False)
        return built


class PerData:
    """A dictionary for each database, which is empty again when its data change or `most` entries are passed.

    A thread that reads while the data change writes to the dictionary of before, which nobody asks again.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: WeakKeyDictionary[Engine, tuple[object, PropertyGraphSchema, dict[Any, Any]]] = WeakKeyDictionary()
        self._lock = threading.Lock()

    def __call__(self, graph: Graph) -> dict[Any, Any]:
        if graph.engine is None:
            return {}
        mark = getattr(graph.schema_source, "mark", None)
        with self._lock:
            known = self._known.get(graph.engine)
            if known is None or known[0] != mark or known[1] is not graph.schema or len(known[2]) > self._most:
                known = self._known[graph.engine] = mark, graph.schema, {}
            return known[2]

    def limit(self, graph: Graph, seconds: float) -> float:
        """Return a time limit that is longer while nothing of a database is known.

        What the first question finds is then what every later one finds, although the database answers faster.
        """
        return seconds if self(graph) else max(seconds, FIRST_SECONDS)


def read_parts(graph: Graph, parts: Sequence[str], seconds: float) -> dict[int, Any]:
    """Return by number what queries with one `RETURN … AS found` find; a query of which nothing is found is left out.

    They are sent as a few, since the database takes longer for a query of its own than for a part of one.
    """
    if not parts:
        return {}
    numbered = [
        f"{head}RETURN {number} AS part, {found}"
        for number, (head, _, found) in enumerate(part.rpartition("RETURN ") for part in parts)
    ]
    count = max(1, min(AT_ONCE, len(numbered) // LEAST_PARTS))
    queries = [Planned(" UNION ALL ".join(numbered[first::count])) for first in range(count)]
    timeout = max(0.05, seconds)
    # All paths begin at what they name, so that no rewrite would make them faster.
    tables = run_concurrently(lambda query: graph.run(query, timeout=timeout), queries)
    return dict(chain.from_iterable(table.rows for table in tables))
