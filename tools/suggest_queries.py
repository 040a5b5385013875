"""`suggest_queries`: translate a question into valid queries, and count their matches."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from graphground.cypher.wording import either
from graphground.tools.failure import ToolFailure
from graphground.tools.find_entities import Mention, entity_lookup
from graphground.tools.tool import Answer, Graphs, Request, Tool, graph_named

PATTERNS_IN_GRAMMAR = 60


class SuggestQueriesRequest(Request):
    """The arguments of `suggest_queries`: `{"question": "Which teams did LeBron James play for?"}`."""

    question: str | None = Field(None, max_length=2_000, description="The question in plain words.")
    mentions: list[Mention] | None = Field(None, max_length=20, description="The names in the question.")
    graph: str | None = Field(None, description="A name from list_graphs.")
    hops: int = Field(2, ge=1, le=2, description="Maximum number of relationships in a path.")
    limit: int = Field(3, ge=1, le=50, description="Maximum number of candidates.")
    count: bool = Field(True, description="Count each query's matches.")
    grammar: Literal["gbnf", "regex"] | None = Field(
        None, description="Also return a grammar for constrained decoding."
    )


class SuggestedQuery(BaseModel):
    """A suggested query that can be run unchanged, with the meaning of the question that it assumes."""

    cypher: str
    reason: str = Field(description="How the query interprets the question.")
    rows: int | None = Field(None, description="Number of distinct nodes that the query matches.")
    other_direction: str | None = Field(None, description="The same query with one relationship reversed.")


class SuggestQueriesAnswer(Answer):
    """The suggested queries, the best first."""

    candidates: list[SuggestedQuery]
    grammar: str | None = Field(None, description="The requested grammar.")


def suggest_queries(graphs: Graphs, request: SuggestQueriesRequest) -> SuggestQueriesAnswer:
    """Find the entities, build queries around them, rank the queries by the question, and count their matches."""
    # Imported on first use, as in every tool that needs numpy or rapidfuzz.
    from graphground.graphs.suggestions import gbnf, mentions_in, mentions_of, regular_expression, space_of, suggest
    from graphground.graphs.suggestions.unused_names import without_unused_names

    graph = graph_named(graphs, request.graph)
    question = (request.question or "").strip()
    if not question and not request.mentions:
        raise ToolFailure(
            "nothing_to_suggest",
            "Neither a question nor mentions were given.",
            next="Call suggest_queries with `question`, or with the names in it as `mentions`.",
        )
    lookup = entity_lookup(graph)
    mentions = (
        mentions_of(request.mentions, lookup, graph.schema, question)
        if request.mentions
        else mentions_in(question, lookup, graph.schema)
    )
    found = suggest(graph, question, mentions, hops=request.hops, limit=request.limit, count=request.count)
    if not found:
        raise ToolFailure(
            "no_entity_found",
            f"No entity of the graph is named {either(list(map(repr, request.mentions)))}."
            if request.mentions
            else "The question names no entity and no label of the graph.",
            nearest=[
                candidate.name
                for mention in (request.mentions or [question])[:3]
                for candidate in lookup.find(mention, limit=3)
            ],
            next="Call find_entities with the names, then suggest_queries with `mentions`; for a question without names, "
            "read the schema with get_filtered_schema and write the query.",
        )
    grammar = None
    if request.grammar:
        written = {"gbnf": gbnf, "regex": regular_expression}[request.grammar]
        patterns = space_of(graph.schema).likely_patterns(question, mentions, PATTERNS_IN_GRAMMAR, hops=request.hops)
        grammar = written(graph.schema, patterns)
    shown = str if request.grammar else without_unused_names  # the grammar describes queries with all names
    return SuggestQueriesAnswer(
        candidates=[
            SuggestedQuery(
                cypher=shown(suggestion.cypher),
                reason=suggestion.reason,
                rows=suggestion.rows,
                other_direction=suggestion.other_direction and shown(suggestion.other_direction),
            )
            for suggestion in found
        ],
        grammar=grammar,
    )


TOOL = Tool(
    "suggest_queries",
    "Suggest queries",
    "Get the likeliest queries for a question. The queries can count, sort, group, compare, combine with OR, and "
    "filter by time. Choose the query whose `reason` fits your reading of the question.",
    SuggestQueriesRequest,
    SuggestQueriesAnswer,
    suggest_queries,
)
