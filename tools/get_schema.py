"""`get_schema`: the labels, relationship patterns and properties of a graph, as text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from pydantic import Field

from graphground.cypher.diagnostics import counted
from graphground.cypher.names.nearest import closest
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.engines.engine import EngineError
from graphground.graphs.filtering.selection import LeftOut, Selection, fit, left_out_of
from graphground.graphs.graph import Graph
from graphground.graphs.schemas.forms import Form, Samples, estimate_tokens, write_schema
from graphground.graphs.schemas.statistics import Statistics
from graphground.tools.tool import NOTE_MARKS, Answer, Graphs, Request, Tool, ToolFailure, graph_named, settled

DEFAULT_TOKENS = 4_000
"""The token budget if a call gives none."""
LEAST_WITH_COUNTS = 400
"""The least budget with which a part of the schema begins with the counts of the whole."""
SAMPLING_SECONDS = 5.0


class GetSchemaRequest(Request):
    """The arguments of `get_schema`: `{"graph": "nba", "form": "base"}`."""

    graph: str | None = Field(None, description="A name from list_graphs.")
    form: Literal["base", "enhanced", "json"] = Field(
        "base",
        description="`base`: Cypher-like patterns; `enhanced`: with units, counts and sample values; `json`: CypherBench's form.",
    )
    labels: list[str] = Field(
        default_factory=list, max_length=100, description="These labels, and their relationships."
    )
    types: list[str] = Field(default_factory=list, max_length=100, description="Only these relationship types.")
    max_tokens: int | None = Field(None, ge=1, le=200_000, description="Token budget for `schema`; default: 4,000.")
    refresh: bool = Field(False, description="Reread a schema that has just changed.")


class GetSchemaAnswer(Answer):
    """The schema as text, and what was left out."""

    graph: str
    form: str = "base"
    schema_: str = Field(alias="schema", description="The schema as text.")
    truncated: bool = Field(False, description="Whether something was left out to stay within the budget.")
    left_out: list[str] = Field(
        default_factory=list, description="The labels and relationship types left out, and how many properties."
    )

    def as_text(self) -> str:
        """Return the schema as text, with a note on the elements that were left out, if there are any."""
        if not self.truncated:
            return self.schema_
        return (
            f"{self.schema_}\n\nLeft out: {', '.join(self.left_out)}. Call again with `labels` or `types` to read about "
            "some of them, or with a larger max_tokens; or call get_filtered_schema with the question."
        )


def get_schema(graphs: Graphs, request: GetSchemaRequest) -> GetSchemaAnswer:
    """Return the schema of a graph in the requested form."""
    graph = graph_named(graphs, request.graph)
    if request.refresh:
        try:
            graph.refresh()
        except EngineError as error:
            raise ToolFailure(
                "graph_unavailable",
                str(error),
                next="Call get_schema without refresh for the schema as it was last read.",
            ) from error
    note = settled(graph)
    samples = samples_of(graph) if request.form == "enhanced" else {}
    schema = part_of(graph.schema, request.labels, request.types)
    budget = request.max_tokens or DEFAULT_TOKENS
    counts = counts_line(graph, schema) if request.form != "json" and budget >= LEAST_WITH_COUNTS else ""
    text, left_out = within(schema, request.form, samples, budget, counts, graph.statistics(fresh=True))
    if note and request.form == "json":  # an additional field, which readers of CypherBench's form ignore
        text = json.dumps({**json.loads(text), "note": note.strip(NOTE_MARKS)}, indent=2)
    else:
        text += note
    return GetSchemaAnswer(
        graph=graph.name, form=request.form, schema=text, truncated=bool(left_out), left_out=left_out.names()
    )


def part_of(schema: PropertyGraphSchema, labels: Sequence[str], types: Sequence[str]) -> PropertyGraphSchema:
    """Return the part of a schema with these labels and the relationships at them, and with these types.

    Raises:
        ToolFailure: the schema has no such label or type; the nearest are named.
    """
    if not labels and not types:
        return schema
    for name, known, kind in (
        *((label, schema.labels, "label") for label in labels),
        *((type_, schema.relationship_types, "relationship type") for type_ in types),
    ):
        if name not in known:
            raise ToolFailure(
                "unknown_label" if kind == "label" else "unknown_type",
                f"The schema has no {kind} {name!r}.",
                nearest=closest(name, known) or list(known)[:10],
                next="Call get_schema again with one of these names, or without it.",
            )
    patterns = tuple(
        pattern
        for pattern in schema.patterns
        if pattern.type in types or (not types and (pattern.start in labels or pattern.end in labels))
    )
    ends = {end for pattern in patterns for end in (pattern.start, pattern.end)}
    shown = {name: label for name, label in schema.labels.items() if name in labels or name in ends}
    return replace(schema, labels=shown, patterns=patterns)


def counts_line(graph: Graph, schema: PropertyGraphSchema) -> str:
    """Return a line with the size of a schema and its graph: `// 128 labels, 109 relationship types, 14,824 nodes`."""
    nodes, relationships = graph.counts
    counts = [
        counted(len(schema.labels), "label"),
        counted(len(schema.relationship_types), "relationship type"),
        *([] if nodes is None else [counted(nodes, "node")]),
        *([] if relationships is None else [counted(relationships, "relationship")]),
    ]
    return f"// {', '.join(counts)}"


def within(
    schema: PropertyGraphSchema, form: Form, samples: Samples, max_tokens: int, heading: str, facts: Statistics | None
) -> tuple[str, LeftOut]:
    """Return the schema in a form and within a token budget, and the elements left out.

    A part of the schema is preceded by `heading`, which belongs to the budget.

    Raises:
        ToolFailure: the budget is too small for a single label.
    """

    def write(part: PropertyGraphSchema) -> str:
        text = write_schema(part, form, samples=samples, facts=facts)
        return f"{heading}\n{text}" if heading and part != schema else text

    whole = by_size(schema)
    smaller = fit(whole, max_tokens, write)
    if not smaller and schema.labels:
        raise too_small(max_tokens, estimate_tokens(write(schema)))
    part = smaller.part() if len(smaller) < len(whole) else schema
    return write(part), left_out_of(schema, part)


def by_size(schema: PropertyGraphSchema) -> Selection:
    """Select the whole schema; the labels in the most relationship patterns rank as the most relevant."""
    selection = Selection.whole(schema)
    degree = dict.fromkeys(schema.labels, 0)
    for pattern in schema.patterns:
        degree[pattern.start] += 1
        degree[pattern.end] += 1
    most = max(degree.values(), default=0) or 1
    for label in schema.labels:
        selection.labels[label] = 0.3 + 0.2 * degree[label] / most
    for place, pattern in enumerate(schema.patterns):
        selection.patterns[place] = min(selection.labels[pattern.start], selection.labels[pattern.end])
    return selection


def too_small(max_tokens: int, whole: int) -> ToolFailure:
    """Return the failure for a token budget that is too small, with larger budgets to try, if there are any.

    `whole` is the number of tokens of the whole schema in the requested form.
    """
    return ToolFailure(
        "budget_too_small",
        f"max_tokens={max_tokens} is too small for even one label of this schema; the whole schema takes about {whole:,} tokens.",
        nearest=[str(size) for size in (100, 400, whole) if max_tokens < size <= max(whole, 100)],
        next="Call again with a larger max_tokens.",
    )


def samples_of(graph: Graph) -> Samples:
    """Return the graph's sample values, read from its database at first use and again after the schema has changed."""
    if graph.engine is not None and (graph.samples is None or graph.sampled not in (None, graph.schema)):
        from graphground.graphs.schemas.extraction.extract import sample_values  # imported only for the enhanced form

        graph.samples = sample_values(graph.engine, graph.schema, SAMPLING_SECONDS)
        graph.sampled = graph.schema
    return graph.samples or {}


TOOL = Tool(
    "get_schema",
    "Read the schema",
    "Read labels, relationship patterns and property types. Use exactly these names and directions.",
    GetSchemaRequest,
    GetSchemaAnswer,
    get_schema,
)
