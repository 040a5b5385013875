"""`ground_question`: all that a question needs in one answer: names, schema, words, traps in the data, and queries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, Field

from graphground.cypher.diagnostics import either as join_or
from graphground.tools.failure import ToolFailure
from graphground.tools.get_filtered_schema import GetFilteredSchemaRequest, get_filtered_schema
from graphground.tools.tool import Answer, Graphs, Request, Tool, graph_named

if TYPE_CHECKING:
    from graphground.graphs.question.model import Question

DEFAULT_TOKENS = 1_000
LEAST_SCHEMA_TOKENS = 150
MAX_MEANINGS = 4
MAX_WORDS = 5
SAME_STRENGTH = 0.05
MAX_CANDIDATES = 3
"""The maximum number of nodes shown for a name."""


class GroundQuestionRequest(Request):
    """The arguments of `ground_question`: `{"question": "Which teams did LeBron James play for?"}`."""

    question: str = Field(min_length=1, max_length=2_000, description="The user's question, as it was asked.")
    graph: str | None = Field(None, description="A name from list_graphs.")
    max_tokens: int = Field(DEFAULT_TOKENS, ge=100, le=50_000, description="Token budget.")
    limit: int = Field(3, ge=1, le=50, description="Most queries.")


class GroundedName(BaseModel):
    """A name in the question, with what it means in the graph."""

    text: str
    verdict: Literal["found", "ambiguous", "not_found"]
    nodes: list[str] = Field(default_factory=list)


class GroundedQuery(BaseModel):
    """A query that can be run unchanged, with its reading of the question, the number of its answers, and its
    probability."""

    cypher: str
    reason: str
    rows: int | None = None
    confidence: float


class GroundQuestionAnswer(Answer):
    """The question, grounded in the graph."""

    names: list[GroundedName]
    queries: list[GroundedQuery]
    words: list[str] = Field(default_factory=list)
    unknown_words: list[str] = Field(default_factory=list)
    notes: list[str] = Field(default_factory=list)
    schema_: str = Field(alias="schema")


def ground_question(graphs: Graphs, request: GroundQuestionRequest) -> GroundQuestionAnswer:
    """Read the question, rank queries around the nodes that it names, count their answers, and add what they need."""
    # Imported on first use, as in every tool that needs numpy or rapidfuzz.
    from graphground.graphs.question.read import read
    from graphground.graphs.schemas.token_count import estimate_tokens
    from graphground.graphs.suggestions import describe_notes, suggest

    graph = graph_named(graphs, request.graph)
    if not request.question.strip():
        raise ToolFailure("empty_question", "The question is empty.", next="Call ground_question with a question.")
    question = read(request.question, graph)
    found = suggest(graph, question, limit=request.limit)
    names = [
        GroundedName(
            text=mention.text,
            verdict=mention.verdict,
            nodes=[
                f"(:{':'.join(node.labels[:2])} {{{node.property}: {node.name!r}}})"
                for node in mention.nodes[:MAX_CANDIDATES]
            ][: 1 if mention.verdict == "found" else MAX_CANDIDATES],
        )
        for mention in question.mentions
    ]
    answer = GroundQuestionAnswer(
        names=names,
        queries=[
            GroundedQuery(
                cypher=suggestion.cypher,
                reason=suggestion.reason,
                rows=suggestion.rows,
                confidence=round(suggestion.confidence, 2),
            )
            for suggestion in found
        ],
        words=_words_with_several_meanings(question),
        unknown_words=[question.words[place].text for place in question.unexplained],
        notes=describe_notes(graph, question, found),
        schema="",
    )
    used = estimate_tokens(answer.model_dump_json(exclude_defaults=True))
    answer.schema_ = get_filtered_schema(
        graphs,
        GetFilteredSchemaRequest(
            question=request.question,
            graph=request.graph,
            method="auto",
            max_tokens=max(LEAST_SCHEMA_TOKENS, request.max_tokens - used),
        ),
    ).schema_
    return answer


def _words_with_several_meanings(question: Question) -> list[str]:
    """Return the content words that two elements of the schema say about equally well."""
    found = []
    for place in question.content:
        meanings = [m for m in question.meanings.get(place, ()) if m.kind in ("label", "type", "property")]
        best = meanings[0].strength if meanings else 0.0
        near = [m for m in meanings if m.kind == meanings[0].kind and m.strength >= best - SAME_STRENGTH]
        if best >= 0.5 and len({m.name for m in near}) > 1:
            names = list(dict.fromkeys(f"{m.owner}.{m.name}" if m.owner else m.name for m in near))
            found.append(f"{question.words[place].text}: {join_or(names[:MAX_MEANINGS])}")
    return found[:MAX_WORDS]


TOOL = Tool(
    "ground_question",
    "Ground a question",
    "Call this first for each question: names as stored, schema needed, unclear words, traps in the data, and the "
    "likeliest queries. Run a query whose `reason` is what was asked, or write one.",
    GroundQuestionRequest,
    GroundQuestionAnswer,
    ground_question,
)
