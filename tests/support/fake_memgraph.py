"""A fake Memgraph, since the real one does not run here; it responds as Memgraph's documentation and source specify.

From memgraph/documentation: `pages/fundamentals/transactions.mdx` (SHOW and TERMINATE TRANSACTIONS). From
memgraph/memgraph: `communication/bolt/v1/states/handlers.hpp` (the codes of failures), `query/exceptions.hpp` (messages
of terminated queries), `frontend/opencypher/parser.hpp` (the form of positions in messages).
"""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.support.fake_bolt_server import Answer, Call, Refusal, Rows, StandIn, Waits, stand_in

AGENT = "Neo4j/v5.11.0 compatible graph database server - Memgraph"
CLIENT_ERROR = "Memgraph.ClientError.MemgraphError.MemgraphError"
TRANSIENT_ERROR = "Memgraph.TransientError.MemgraphError.MemgraphError"
ENDED = Refusal(TRANSIENT_ERROR, "Transaction was asked to abort by another user.")
TIMED_OUT = Refusal(TRANSIENT_ERROR, "Transaction was asked to abort because of transaction timeout.", when_pulled=True)
NOT_AUTHORIZED = Refusal(
    CLIENT_ERROR, "You are not authorized to execute this query! Please contact your database administrator."
)
SCANS: dict[str, Answer] = {
    "MATCH (n) RETURN labels(n) AS l, count(*) AS c": Rows(["l", "c"], [[["Movie"], 2], [["Director", "Person"], 1]]),
    "MATCH ()-[r]->() RETURN DISTINCT type(r)": Rows(["type"], [["directedBy"]]),
    "MATCH (n:Movie) WITH n LIMIT": Rows(["k"], [["name"], ["released"], ["rating"]]),
    "MATCH (n:Movie) RETURN DISTINCT valueType": Rows(
        ["t0", "t1", "t2", "s"], [["STRING", "DATE", "FLOAT", 3], ["STRING", "NULL", "INTEGER", 2]]
    ),
    "MATCH (n:Director:Person) WITH n LIMIT": Rows(["k"], [["name"]]),
    "MATCH (n:Director:Person) RETURN DISTINCT valueType": Rows(["t0", "s"], [["STRING", 1]]),
    "MATCH (a)-[r:directedBy]->(b) WITH r LIMIT": Rows(["k"], [["year"]]),
    "MATCH (a)-[r:directedBy]->(b) RETURN labels(a)": Rows(
        ["s", "e", "p", "t0", "c"], [[["Movie"], ["Director", "Person"], 1, "INTEGER", 2]]
    ),
}
"""The beginnings of the queries that read the schema in plain Cypher, with the answers for the data above."""

MANN = {"id": 2, "name": "Michael Mann"}
NODES: dict[str, list[dict[str, Any]]] = {
    "Movie": [
        {"id": 0, "name": "Heat", "released": "1995-12-15", "rating": 8.3},
        {"id": 1, "name": "Ronin", "rating": 7},
    ],
    "Director": [MANN],
    "Person": [MANN],
}
"""The nodes of each label; dates are strings here."""
DIRECTED = [{"year": 1994}, {"year": 1997}]
"""The properties of the relationships with the type `directedBy`."""
MATCH = re.compile(r"MATCH (?:\(n:(\w+)\)|\(a?(?::(\w+))?\)-\[[nr](?::directedBy)?\]->\(b?(?::(\w+))?\))")


def read_data(query: str) -> Rows | None:
    """Answer the queries with which the entity index and the statistics read the data; None for any other query."""
    match = MATCH.match(query)
    if match is None:
        return None
    label, start, end = match.groups()
    joined = start in (None, "Movie") and end in (None, "Director", "Person")
    records = NODES.get(label, []) if label else DIRECTED if joined else []
    if query.endswith("properties(n) AS properties"):  # the neighbourhood of a node that a question names
        return Rows(["labels", "properties"], [[[label], record] for record in records[:1]])
    if "AS type, startNode(r)" in query:
        return Rows(["type", "out", "labels", "count"], [])
    if "collect(" in query:  # a page of nodes for the entity index: one row, with a list for each column
        keys = re.findall(r"collect\(coalesce\((?:id\(n\)|n\.(\w+)), ''\)\)", query)
        lists = [[record.get(key or "id", "") for record in records] for key in keys]
        return Rows([f"c{number}" for number in range(len(keys))], [lists])
    if found := re.search(r"WITH n\.(\w+) AS v", query):
        counts = Counter(record[found[1]] for record in records if found[1] in record)
        if "AS different" in query:
            ends = [min(counts, default=None), max(counts, default=None)] if "min(v)" in query else [None, None]
            repeated = sum(count for count in counts.values() if count > 1)
            return Rows(["different", "repeated", "least", "greatest"], [[len(counts), repeated, *ends]])
        return Rows(["v", "c"], [[value, count] for value, count in counts.most_common()])
    if query.endswith(" AS total"):
        filled = [sum(key in record for record in records) for key in re.findall(r"count\(n\.(\w+)\)", query)]
        return Rows([*(f"c{number}" for number in range(len(filled))), "total"], [[*filled, len(records)]])
    return Rows(["c"], [[len(records)]]) if re.search(r"RETURN count\([nr*]\) AS c$", query) else None


class Memgraph:
    """The answers of the fake.

    With `reads_only` it refuses CREATE, as Memgraph does for a user who only has the right MATCH.
    """

    def __init__(self, *, reads_only: bool = False) -> None:
        self.reads_only = reads_only
        self.running: dict[str, tuple[Call, threading.Event]] = {}
        self.indexes: list[str] = []
        self.started = threading.Event()

    def answer(self, call: Call) -> Answer:
        query = " ".join(call.query.split())
        for begin, respond in (
            ("SHOW VERSION", self._version),
            ("SHOW TRANSACTIONS", self._transactions),
            ("TERMINATE TRANSACTIONS", self._terminate),
            ("CREATE INDEX ON", self._index),
        ):
            if query.startswith(begin):
                return respond(call)
        if "endless" in query:
            released, number = threading.Event(), str(9223372036854775809 + len(self.running))
            self.running[number] = (call, released)
            self.started.set()
            return Waits(released, ENDED)
        if "too slow" in query:
            return TIMED_OUT
        if "RETRN" in query:
            return Refusal(
                CLIENT_ERROR, f"line 1:{query.index('RETRN') + 1} mismatched input 'RETRN' expecting {{<EOF>, ';'}}"
            )
        if "COUNT {" in query:
            return Refusal(CLIENT_ERROR, f"line 1:{query.index('{') + 1} no viable alternative at input 'COUNT {{'")
        if "CREATE" in query:
            return NOT_AUTHORIZED if self.reads_only else Rows([])
        if query.startswith("CALL db."):
            return Refusal(CLIENT_ERROR, f"There is no procedure named '{query[5 : query.index('(')]}'.")
        for begin, answer in SCANS.items():
            if query.startswith(begin):
                return answer
        if (answer := read_data(query)) is not None:
            return answer
        if "count(" in query:
            return Rows(["c"], [[3]])
        return Rows(["x"], [[1]])

    def _version(self, call: Call) -> Answer:
        return Rows(["version"], [["3.5.0"]])

    def _transactions(self, call: Call) -> Answer:
        rows = [
            ["", number, [running.query], "running", running.extra.get("tx_metadata", {})]
            for number, (running, _) in self.running.items()
        ]
        own = ["", "9223372036854790000", ["SHOW TRANSACTIONS"], "running", {}]
        return Rows(["username", "transaction_id", "query", "status", "metadata"], [*rows, own])

    def _terminate(self, call: Call) -> Answer:
        number = call.query.split("'")[1]
        known = self.running.pop(number, None)
        if known is not None:
            known[1].set()
        return Rows(["transaction_id", "killed"], [[number, known is not None]])

    def _index(self, call: Call) -> Answer:
        self.indexes.append(call.query)
        return Rows([])


@contextmanager
def memgraph_stand_in(memgraph: Memgraph | None = None) -> Iterator[tuple[StandIn, Memgraph]]:
    """Run a fake Memgraph on a free port; yield the server and the object that answers its queries."""
    memgraph = memgraph or Memgraph()
    with stand_in(AGENT, memgraph.answer) as server:
        yield server, memgraph
