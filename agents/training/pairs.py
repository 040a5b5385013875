"""Chooses the best query for each question by its answers, and makes training pairs in the chat format of `trl`."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from graphground.agents.failures import ServerFailure
from graphground.agents.server_connection import ToolAnswer
from graphground.agents.training.candidates import Candidate, best_first, compared, counting
from graphground.agents.training.neighbourhood import Entity, enumerated, enumerating
from graphground.agents.training.questions import AnsweredQuestion

CANDIDATES = 50
"""The number of candidates requested from `suggest_queries`."""
MEANINGS = 3
"""The maximum number of entities considered for one mention."""
LONGEST_QUERY = 95_000
"""The approximate maximum number of characters of the counting query; the server accepts 100,000."""
ROWS = 2_000
SECONDS = 60.0
TEMPORAL = ("date", "datetime")
_KEY = re.compile(r"\{\s*(?:`([^`]+)`|(\w+))\s*:")


class Server(Protocol):
    """A connection to the server, such as `ServerConnection`."""

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolAnswer: ...


@dataclass(frozen=True, slots=True)
class Naming:
    """Facts about a schema: the naming property of each label, and the properties that hold dates."""

    keys: Mapping[str, str]
    temporal: frozenset[str]


@dataclass(frozen=True, slots=True)
class Pair:
    """A question, its best query, and how it was found."""

    question: AnsweredQuestion
    best: Candidate
    tried: int
    """The number of candidates whose rows were counted."""
    calls: int
    """The number of tool calls."""

    def as_record(self, system: str) -> dict[str, Any]:
        """Return one line of the training file: `messages` for `trl`, and scores by which lines can be filtered."""
        chat = (("system", system), ("user", self.question.question), ("assistant", self.best.query))
        return {
            "messages": [{"role": role, "content": content} for role, content in chat],
            "precision": round(self.best.precision, 4),
            "recall": round(self.best.recall, 4),
            "rows": self.best.rows,
            "source": self.best.source,
            "candidates": self.tried,
        }


async def naming_of(server: Server, graph: str) -> Naming:
    """Return the naming properties and the date properties of a graph, read with one call of `get_schema`.

    Raises:
        ServerFailure: there is no such graph, or the server did not answer.
    """
    answer = await server.call("get_schema", {"graph": graph, "form": "json"})
    schema = json.loads(answer.require()["schema"])
    keys: dict[str, str] = {}
    temporal: set[str] = set()
    for entity in schema["entities"]:
        properties = entity.get("properties", {})
        keys[entity["label"]] = "name" if "name" in properties or not properties else next(iter(properties))
        temporal |= {key for key, type_ in properties.items() if type_ in TEMPORAL}
    return Naming(keys, frozenset(temporal))


async def pair_of(server: Server, graph: str, question: AnsweredQuestion, naming: Naming) -> Pair | None:
    """Make the training pair for one question with three tool calls; None if no candidate finds an answer.

    1. `find_entities`: the entities that the question names.
    2. `suggest_queries`: candidates around them, including conditions and counts.
    3. `execute_cypher`: counts the answers that each candidate finds. If all answers are single texts, patterns around
       the entities are also counted. Chains of two relationships are counted only if no suggested query can be counted.

    Raises:
        ServerFailure: the server did not answer, or refused the counting query.
    """
    found = await server.call("find_entities", {"graph": graph, "question": question.question, "limit": MEANINGS})
    entities = [] if found.failed else _entities(found.fields)
    request = {"graph": graph, "question": question.question, "limit": CANDIDATES, "count": False}
    suggested = await server.call("suggest_queries", request)
    queries = [] if suggested.failed else [str(candidate["cypher"]) for candidate in suggested.fields["candidates"]]
    width, answers = len(question.answers[0]), compared(question)
    parts = {
        number: part
        for number, query in enumerate(queries)
        if (part := counting(query, number, width, naming.temporal)) is not None
    }
    more: list[str] = []
    parameters: dict[str, Any] = {"answers": answers}
    names = [row[0] for row in answers if isinstance(row[0], str)]
    if width == 1 and len(names) == len(answers):
        # Two relationships from a hub can lead to millions of nodes: try them only if nothing was suggested.
        more, bound = enumerating(entities, list(dict.fromkeys(naming.keys.values())), hops=1 if parts else 2)
        parameters |= {**bound, "names": names} if more else {}
    if not parts and not more:
        return None
    tables = await _counted(server, graph, [*more, *parts.values()], parameters)
    candidates = [
        Candidate(queries[source[0]], total, hits, covered, len(answers))
        for source, total, hits, covered in tables
        if len(source) == 1
    ]
    candidates.sort(key=lambda candidate: queries.index(candidate.query))
    candidates += enumerated([row for row in tables if len(row[0]) > 1], entities, naming.keys, len(answers))
    ranked = best_first(candidates, len(question.answers))
    return Pair(question, ranked[0], len(candidates), 3) if ranked else None


async def pairs_of(
    server: Server, graph: str, questions: Iterable[AnsweredQuestion], least: float = 0.0
) -> AsyncIterator[tuple[AnsweredQuestion, Pair | None]]:
    """Yield each question with its pair; None if there is no pair, or if its precision or recall is below `least`.

    Raises:
        ServerFailure: there is no such graph, or the server did not answer, or it refused a counting query.
    """
    naming = await naming_of(server, graph)
    for question in questions:
        pair = await pair_of(server, graph, question, naming)
        accepted = pair is not None and min(pair.best.precision, pair.best.recall) >= least
        yield question, pair if accepted else None


def _entities(fields: Mapping[str, Any]) -> list[Entity]:
    found: dict[Entity, None] = {}
    for mention in fields["mentions"]:
        if mention["verdict"] == "not_found":
            continue
        for candidate in mention["candidates"][:MEANINGS]:
            key = _KEY.search(candidate.get("cypher") or "")
            if key:
                name = key[1] or key[2]
                found[Entity(mention["mention"], candidate["label"], candidate["name"], name)] = None
    return list(found)


async def _counted(server: Server, graph: str, parts: Sequence[str], parameters: Mapping[str, Any]) -> list[list[Any]]:
    """Run as many parts as fit into `LONGEST_QUERY` characters as one query, and return its rows."""
    query = parts[0]
    for part in parts[1:]:
        if len(query) + len(part) > LONGEST_QUERY:
            break
        query += f" UNION ALL {part}"
    arguments = {"graph": graph, "query": query, "parameters": dict(parameters), "limit": ROWS, "timeout_s": SECONDS}
    answer = await server.call("execute_cypher", arguments)
    if answer.failed:
        raise ServerFailure(f"the query that counts candidates failed: {' '.join(answer.text.split())[:500]}")
    return [list(row) for row in answer.fields["rows"]]
