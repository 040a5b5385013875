"""Searches the database's own vector index with read-only queries, if the graph's settings name the index.

The settings are `vector_index = "movie_names"` (or `"auto"`, for the only index of a label) and `vector_model`, the
model that made its vectors. Neo4j and ArcadeDB use the same procedure to search; Memgraph has its own. Similarities are
converted to cosines, so that they are comparable with the scores of the entity index.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from graphground.cypher.diagnostics import either
from graphground.graphs.engines.client_context import run_concurrently
from graphground.graphs.engines.engine import Engine, EngineError, QueryFailed
from graphground.graphs.entities.candidate import Candidate
from graphground.graphs.entities.paging import NAME_PROPERTIES
from graphground.graphs.entities.vectors.building import EncoderMissing, Vectors, begin_loading, encoder
from graphground.graphs.entities.verdicts.judging import FOLDED

DISCOVERED = "auto"
SECONDS = 10.0
_FILTERED = 10
logger = logging.getLogger(__name__)


class IndexUnfit(LookupError):
    """No vector index of the database can be used; the message lists the existing indexes or explains the mismatch."""


@dataclass(frozen=True, slots=True)
class VectorIndex:
    """A vector index as the database describes it: `VectorIndex("movie_names", ("Movie",), 384, "cosine", True)`.

    `dimensions` is None if the database does not report it.
    """

    name: str
    labels: tuple[str, ...]
    dimensions: int | None
    metric: str
    online: bool = True

    def cosine(self, near: float) -> float:
        """Return the cosine of two unit vectors from `near`, the score or distance that the database reports."""
        if self.metric == "euclidean":
            return 1.0 - (1.0 / max(near, 1e-6) - 1.0) / 2.0
        if self.metric == "cos":  # Memgraph returns a distance
            return 1.0 - near
        if self.metric == "l2sq":
            return 1.0 - near / 2.0
        return 2.0 * near - 1.0

    def __str__(self) -> str:
        return f"{self.name} ({':'.join(self.labels)})"


class DatabaseVectors:
    """A search in a vector index: `DatabaseVectors(engine, model, "movie_names").nearest_of_all(["heist film"])`.

    The model begins to load in the background when this object is created.

    Raises:
        EncoderMissing: the model needs a library that is not installed.
    """

    def __init__(self, engine: Engine, model: str, index: str = DISCOVERED):
        self.model, self.index = model, index
        self._engine = engine
        self._known: list[VectorIndex] | None = None
        self._lock = threading.Lock()
        begin_loading(model)

    @property
    def ready(self) -> bool:
        """Whether the model is loaded."""
        return bool(getattr(encoder(self.model), "ready", True))

    def nearest_of_all(
        self, mentions: Sequence[str], *, label: str | None = None, limit: int = 5
    ) -> list[list[Candidate]]:
        """Return for each mention the nodes whose vectors are most similar to its vector, as candidates, best first.

        Raises:
            IndexUnfit: no index can be chosen (see `chosen`), or its vectors have other dimensions.
            EncoderMissing: the model is still loading, or loading it failed.
            EngineError: the database failed.
        """
        chosen = self.chosen(label)
        vectors = encoder(self.model).encode(mentions)
        if chosen.dimensions is not None and len(vectors) and chosen.dimensions != vectors.shape[1]:
            raise IndexUnfit(
                f"the vector index {chosen.name!r} holds vectors of {chosen.dimensions} dimensions, but {self.model} makes "
                f"vectors of {vectors.shape[1]}; name the model of the index with `vector_model` in the graph's settings"
            )
        return run_concurrently(lambda vector: self._nearest_to(vector, chosen, label, limit), list(vectors))

    def _nearest_to(self, vector: Vectors, chosen: VectorIndex, label: str | None, limit: int) -> list[Candidate]:
        if not vector.any():
            return []
        filtered = label is not None and label not in chosen.labels
        rows = self._rows(chosen, vector, limit * _FILTERED if filtered else limit)
        found = [_candidate(row, chosen, label) for row in rows if label is None or label in row[1]]
        return sorted((candidate for candidate in found if candidate is not None), key=lambda item: -item.score)[:limit]

    def chosen(self, label: str | None) -> VectorIndex:
        """Return the configured index, or else the only index of a label, or the only index of the database.

        Raises:
            IndexUnfit: there is no such index, there are several, or the configured index is still being built.
        """
        known = self._indexes()
        names = ", ".join(map(str, known)) or "none"
        if self.index != DISCOVERED:
            named = [vector_index for vector_index in known if vector_index.name == self.index]
            if not named:
                raise IndexUnfit(f"the database has no vector index {self.index!r} over nodes; it has: {names}")
            if not named[0].online:
                raise IndexUnfit(f"the database is still building its vector index {self.index!r}; try again later")
            return named[0]
        fitting = [
            vector_index
            for vector_index in known
            if vector_index.online and (label is None or label in vector_index.labels)
        ]
        fitting = fitting or [vector_index for vector_index in known if vector_index.online]
        if len(fitting) != 1:
            if not fitting:
                if not known:
                    raise IndexUnfit("the database has no vector index over nodes; create one")
                raise IndexUnfit(
                    f"no vector index over nodes is online yet: wait until {either(list(map(str, known)))} is built, or "
                    "create another"
                )
            raise IndexUnfit(
                f"the database has several vector indexes ({names}); name one with `vector_index` in the graph's settings"
                + (", or give a label" if label is None else "")
            )
        return fitting[0]

    def _indexes(self) -> list[VectorIndex]:
        with self._lock:
            if not self._known or not all(index.online for index in self._known):
                dialect = self._engine.capabilities().dialect
                table = self._engine.run(dialect.vector_indexes, timeout=SECONDS)
                read = _of_memgraph if "index_name" in table.columns else _of_neo4j
                found = [read(dict(zip(table.columns, row, strict=True))) for row in table.rows]
                self._known = [candidate for candidate in found if candidate is not None]
            return self._known

    def _rows(self, chosen: VectorIndex, vector: Vectors, count: int) -> Sequence[Sequence[Any]]:
        dialect = self._engine.capabilities().dialect
        own_id = dialect.own_id.replace("(n)", "(node)")
        names = ", ".join(f"node.{key}" for key in NAME_PROPERTIES)
        query = (
            f"{dialect.vector_search} "
            f"RETURN near, labels(node) AS labels, coalesce(node.eid, {own_id}) AS id, "
            f"node.description AS description, [{names}] AS names"
        )
        parameters = {"index": chosen.name, "count": count, "vector": vector.tolist()}
        try:
            return self._engine.run(query, parameters, limit=count, timeout=SECONDS).rows
        except QueryFailed as error:
            if "dimension" in str(error).lower():
                raise IndexUnfit(
                    f"the vector index {chosen.name!r} does not accept the vectors of {self.model} "
                    f"({len(vector)} dimensions): {error}"
                ) from error
            raise


def in_database(
    vectors: DatabaseVectors, mentions: Sequence[str], label: str | None, limit: int
) -> list[list[Candidate]]:
    """Return the candidates of each mention by meaning; empty lists while the model loads, or if the search fails."""
    try:
        if mentions and vectors.ready:
            return vectors.nearest_of_all(mentions, label=label, limit=limit)
    except (EncoderMissing, EngineError, IndexUnfit) as error:
        logger.warning("the database's vector index could not be queried: %s", error)
    return [[] for _ in mentions]


def _candidate(row: Sequence[Any], chosen: VectorIndex, label: str | None) -> Candidate | None:
    similarity, labels, key, description, names = row
    named = [(property, name) for property, name in zip(NAME_PROPERTIES, names, strict=True) if isinstance(name, str)]
    if not named or not labels:
        return None
    property, name = named[0]
    its_label = label or next((other_label for other_label in labels if other_label in chosen.labels), labels[0])
    score = min(max(chosen.cosine(float(similarity)), 0.0), FOLDED)
    return Candidate(
        name=name,
        label=its_label,
        property=property,
        score=round(score, 4),
        match="vector",
        key=str(key),
        description=description if isinstance(description, str) else None,
        matched=name,
        name_property=property,
    )


def _of_neo4j(row: dict[str, Any]) -> VectorIndex | None:
    if row.get("entityType") != "NODE":
        return None
    config = (row.get("options") or {}).get("indexConfig") or {}
    dimensions = config.get("vector.dimensions")
    return VectorIndex(
        str(row["name"]),
        tuple(row.get("labelsOrTypes") or ()),
        int(dimensions) if dimensions is not None else None,
        str(config.get("vector.similarity_function") or "cosine").lower(),
        row.get("state") == "ONLINE",
    )


def _of_memgraph(row: dict[str, Any]) -> VectorIndex | None:
    if "edge" in str(row.get("index_type", "")).lower():
        return None
    dimensions = row.get("dimension")
    return VectorIndex(
        str(row["index_name"]),
        (str(row["label"]),),
        int(dimensions) if dimensions else None,
        str(row.get("metric") or "l2sq").lower(),
    )
