"""Neo4j's own verdict on whether a query compiles: EXPLAIN, which does not run the query."""

from __future__ import annotations

from typing import NamedTuple

import neo4j


class Verdict(NamedTuple):
    """Neo4j's verdict: `Verdict(False, "r", "")` compiles, `Verdict(True, "", "SyntaxError: …")` is refused.

    `access` is `r` (read), `rw` (read and write), `w` (write) or `s` (schema) for a query that compiles.
    """

    refused: bool
    access: str
    message: str


class Oracle:
    """A connection to a Neo4j, which decides whether queries compile."""

    def __init__(self, uri: str, user: str, password: str) -> None:
        self.driver = neo4j.GraphDatabase.driver(uri, auth=(user, password), notifications_min_severity="OFF")

    def ask(self, text: str) -> Verdict:
        """Return Neo4j's verdict on a query."""
        with self.driver.session() as session:
            try:
                summary = session.run("EXPLAIN " + text).consume()
            except neo4j.exceptions.Neo4jError as error:
                return Verdict(True, "", f"{error.code.rpartition('.')[2]}: {error.message}")
            return Verdict(False, str(summary.query_type), "")

    def refuses(self, text: str) -> bool:
        """Return whether a query does not compile; a procedure that is merely not installed does not count."""
        verdict = self.ask(text)
        return verdict.refused and "ProcedureNotFound" not in verdict.message

    def close(self) -> None:
        """Close the connection."""
        self.driver.close()

    def __enter__(self) -> Oracle:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
