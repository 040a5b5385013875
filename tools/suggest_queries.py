"""`suggest_queries`: queries around the entities of a question that are valid by construction and return rows."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from graphground.tools.failure import ToolFailure
from graphground.tools.find_entities import entity_lookup
from graphground.tools.tool import Answer, Graphs, Request, Tool, graph_named


class SuggestQueriesRequest(Request):
    """`{"question": "Which teams did LeBron James play for?"}`."""

    question: str | None = Field(None, max_length=2_000, description="The question in plain words.")
    mentions: list[str] | None = Field(None, max_length=20, description="The names in it, if you have them.")
    graph: str | None = Field(None, description="A name from list_graphs.")
    hops: int = Field(2, ge=1, le=2, description="Most relationships between an entity and the answer.")
    limit: int = Field(10, ge=1, le=50, description="Maximum number of candidates.")
    grammar: Literal["gbnf", "regex"] | None = Field(
        None, description="Also return a grammar of these queries, for constrained decoding."
    )


class SuggestedQuery(BaseModel):
    """A query that can be run as it is."""

    cypher: str
    reason: str = Field(description="Which entities it uses and which relationships it follows.")
    rows: int | None = Field(description="Number of distinct nodes it finds, counted in the database.")


class SuggestQueriesAnswer(Answer):
    """Candidates, the best first."""

    candidates: list[SuggestedQuery]
    grammar: str | None = Field(None, description="The grammar asked for.")


def suggest_queries(graphs: Graphs, request: SuggestQueriesRequest) -> SuggestQueriesAnswer:
    """Find the entities, enumerate the patterns around them, count and rank."""
    # Loaded on first use, as every tool does with what needs numpy or rapidfuzz.
    from graphground.graphs.suggestions import entities_in, entities_of, gbnf, regular_expression, suggest

    graph = graph_named(graphs, request.graph)
    question = (request.question or "").strip()
    if not question and not request.mentions:
        raise ToolFailure(
            "nothing_to_suggest",
            "Neither a question nor mentions were given.",
            next="Call suggest_queries with `question`, or with the names in it as `mentions`.",
        )
    lookup = entity_lookup(graph)
    entities = entities_of(request.mentions, lookup) if request.mentions else entities_in(question, lookup)
    if not entities:
        raise ToolFailure(
            "no_entity_found",
            "No entity of the graph was found in "
            + (f"the mentions {request.mentions}." if request.mentions else "the question."),
            nearest=[
                one.name for mention in (request.mentions or [question])[:3] for one in lookup.find(mention, limit=3)
            ],
            next="Call find_entities with the names, then suggest_queries with `mentions`; a question "
            "that names no entity needs get_filtered_schema instead.",
        )
    found = suggest(
        graph, entities, question or " ".join(request.mentions or ()), hops=request.hops, limit=request.limit
    )
    written = {"gbnf": gbnf, "regex": regular_expression}
    grammar = written[request.grammar](graph.schema, found) if request.grammar else None
    return SuggestQueriesAnswer(
        candidates=[SuggestedQuery(cypher=one.cypher, reason=one.reason, rows=one.rows) for one in found],
        grammar=grammar,
    )


TOOL = Tool(
    "suggest_queries",
    "Suggest queries",
    "Get queries around the entities of a question that are valid by construction and counted in the "
    "database. Start from the one whose `reason` fits, and add filters, order or counting.",
    SuggestQueriesRequest,
    SuggestQueriesAnswer,
    suggest_queries,
)
