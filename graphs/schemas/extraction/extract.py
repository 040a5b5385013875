"""Extracts the exact schema of a connected database, without APOC.

>>> extract(engine, "films").schema.patterns[0]
RelationshipPattern(type='directedBy', start='Movie', end='Person', …, count=27)
"""

from __future__ import annotations

import time
from typing import Any

from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.engines.activity import doing
from graphground.graphs.engines.engine import Engine, EngineError, QueryFailed
from graphground.graphs.schemas.extraction.findings import Extraction, Findings
from graphground.graphs.schemas.extraction.memgraph_info import read_memgraph
from graphground.graphs.schemas.extraction.neo4j_counts import read_neo4j
from graphground.graphs.schemas.extraction.profiles import read_indexes, read_profiles
from graphground.graphs.schemas.extraction.samples import read_samples
from graphground.graphs.schemas.extraction.scanning import scan
from graphground.graphs.schemas.extraction.steps import Progress, Steps

STEP_SECONDS, TOTAL_SECONDS = 30.0, 300.0


def extract(
    engine: Engine,
    name: str,
    *,
    samples: bool = False,
    profiles: bool = True,
    step_timeout: float = STEP_SECONDS,
    total_timeout: float = TOTAL_SECONDS,
    progress: Progress | None = None,
) -> Extraction:
    """Read the complete schema of a database.

    The database's own metadata is used if it is exact; otherwise every node and relationship is read, inside the
    database. `samples` adds a few values of each property. `profiles` adds the formats found in text properties, the
    naming property of each label, and the keys. `step_timeout` limits each query and `total_timeout` the whole
    extraction, in seconds.

    Raises:
        EngineError: nothing can be read. A later failure only makes the result partial.
    """
    doing(f"reading the schema of {name}")
    begin = time.perf_counter()
    findings = Findings()
    steps = Steps(engine, findings, step_timeout, total_timeout, progress=progress)
    dialect = engine.capabilities().dialect.name
    steps.must("RETURN 1 AS one")
    readers = {"neo4j": read_neo4j, "memgraph": read_memgraph}
    try:
        readers.get(dialect, scan)(steps)
    except QueryFailed as error:  # this version does not have the metadata
        findings.add_problem(f"metadata: {error}")
    if findings.problems and dialect in readers:
        findings = again_by_scan(steps, findings)
    if dialect == "neo4j":
        findings.indexes = read_indexes(steps)
    schema = findings.schema(name)
    if profiles:
        schema = read_profiles(steps, schema)
    if samples:
        read_samples(steps, schema)
    nodes = sum(findings.combinations.values()) or None
    relationships = total_relationships(steps)
    return Extraction(
        schema,
        findings.samples,
        bool(findings.problems),
        tuple(findings.problems),
        nodes,
        relationships,
        round((time.perf_counter() - begin) * 1e3, 1),
    )


def sample_values(engine: Engine, schema: PropertyGraphSchema, seconds: float) -> dict[tuple[str, str], list[Any]]:
    """Return a few values of each property of a known schema; after `seconds`, further properties are left out."""
    steps = Steps(engine, Findings(), step_timeout=seconds, total_timeout=seconds)
    read_samples(steps, schema)
    return steps.findings.samples


def again_by_scan(steps: Steps, before: Findings) -> Findings:
    """Read the database again with plain Cypher; return the new findings, or `before` if it has more findings."""
    steps.findings = Findings()
    scan(steps)
    if steps.findings.size() < before.size():
        steps.findings = before
    return steps.findings


def total_relationships(steps: Steps) -> int | None:
    """Return the number of relationships in the database; None if it cannot be read."""
    try:
        return int(steps.must("MATCH ()-[r]->() RETURN count(r) AS c")[0][0])
    except EngineError:
        return None
