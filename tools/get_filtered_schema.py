"""`get_filtered_schema`: the part of a graph's schema that a question needs."""

from __future__ import annotations

from pydantic import Field

from graphground.graphs.filtering.filter import Method, filter_schema
from graphground.graphs.question.read import read
from graphground.graphs.schemas.forms import base_form, estimate_tokens
from graphground.tools.get_schema import too_small
from graphground.tools.tool import Answer, Graphs, Request, Tool, graph_named, settled


class GetFilteredSchemaRequest(Request):
    """The arguments of `get_filtered_schema`: `{"question": "Who coaches the Celtics?", "graph": "nba"}`."""

    question: str = Field(max_length=20_000, description="The user's question, as it was asked.")
    graph: str | None = Field(None, description="A name from list_graphs.")
    method: Method = Field(
        "auto",
        description="`auto`: by names, words and synonyms; `exact`: by words; `masked`: by words, names replaced by labels; "
        "`similarity`: by meaning.",
    )
    max_tokens: int | None = Field(None, ge=1, le=200_000, description="Token budget for `schema`; default: 1,000.")


class GetFilteredSchemaAnswer(Answer):
    """The part of the schema that the question needs, as text; the whole schema if the question matches nothing."""

    graph: str
    method: str = "auto"
    schema_: str = Field(alias="schema", description="The part of the schema that the question needs.")
    whole: bool = Field(
        False,
        description="Whether this is the whole schema: the question matched nothing, or the part that it needs is not "
        "shorter.",
    )
    truncated: bool = Field(False, description="Whether something was left out to stay within the budget.")
    tokens: int | None = Field(None, description="Approximate tokens of `schema`, if max_tokens is given.")
    left_out: list[str] = Field(
        default_factory=list, description="The labels and relationship types left out, and how many properties."
    )

    def as_text(self) -> str:
        """Return the schema, followed by a note on what was left out."""
        if not self.left_out:
            return self.schema_
        return f"{self.schema_}\n\nLeft out: {', '.join(self.left_out)}"


def get_filtered_schema(graphs: Graphs, request: GetFilteredSchemaRequest) -> GetFilteredSchemaAnswer:
    """Filter the schema of a graph by a question."""
    graph = graph_named(graphs, request.graph)
    note = settled(graph)
    facts = graph.statistics(fresh=True)
    budget = max(0, request.max_tokens - estimate_tokens(note)) if request.max_tokens is not None else None
    found = filter_schema(read(request.question, graph), graph.schema, request.method, facts=facts, max_tokens=budget)
    if found.too_small:
        raise too_small(request.max_tokens or 0, estimate_tokens(base_form(graph.schema, facts) + note))
    text = base_form(found.schema, facts) + note
    whole = base_form(graph.schema, facts) + note
    answer = GetFilteredSchemaAnswer(
        graph=graph.name,
        method=request.method,
        schema=text,
        whole=found.whole and not found.cut,
        truncated=found.cut,
        tokens=estimate_tokens(text) if request.max_tokens is not None else None,
        left_out=found.left_out.names(),
    )
    if not answer.left_out or found.cut or estimate_tokens(answer.as_text()) < estimate_tokens(whole):
        return answer
    whole += "\n(This is the whole schema: the part that the question needs would not be shorter.)"
    shown = answer.model_copy(update={"schema_": whole, "whole": True, "left_out": []})
    if answer.tokens is not None:
        shown.tokens = estimate_tokens(whole)
    return shown


TOOL = Tool(
    "get_filtered_schema",
    "Read the schema for a question",
    "Read the part of the schema that a question needs.",
    GetFilteredSchemaRequest,
    GetFilteredSchemaAnswer,
    get_filtered_schema,
)
