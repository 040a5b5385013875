"""`find_entities`: which nodes the names in a question mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, Field

from graphground.graphs.entities.candidate import Candidate, EntityLookup
from graphground.graphs.graph import Graph
from graphground.tools.failure import ToolFailure, nearest
from graphground.tools.tool import Answer, Graphs, Request, Tool, graph_named


class FindEntitiesRequest(Request):
    """`{"mentions": ["Lebron James"], "label": "Player"}`."""

    mentions: list[str] = Field(min_length=1, max_length=50,
                                description="Names as the question writes them, one entity each.")
    graph: str | None = Field(None, description="A name from list_graphs.")
    label: str | None = Field(None, description="Only nodes with this label.")
    property: str | None = Field(None, description="Only matches in this property; default: names and aliases.")
    mode: Literal["auto", "fuzzy", "vector"] = Field("auto", description="`fuzzy`: by spelling; `vector`: by meaning.")
    limit: int = Field(5, ge=1, le=50, description="Candidates for each mention.")


class EntityCandidate(BaseModel):
    """One node that a mention may mean, with the Cypher pattern that finds it."""

    name: str = Field(description="The value to write in a query.")
    label: str
    property: str = Field(description="The property in which the match was found.")
    score: float = Field(description="From 0 to 1.")
    match: Literal["exact", "alias", "fuzzy", "vector"]
    description: str | None
    cypher: str = Field(description="A pattern ready to paste.")


class MentionAnswer(BaseModel):
    """The candidates for one mention, best first."""

    mention: str
    candidates: list[EntityCandidate]
    ambiguous: bool = Field(description="Whether distinct entities share the best name.")


class FindEntitiesAnswer(Answer):
    """One entry for each mention, in the order asked."""

    mentions: list[MentionAnswer]


def find_entities(graphs: Graphs, request: FindEntitiesRequest) -> FindEntitiesAnswer:
    """Look up every mention in the graph's entity index."""
    graph = graph_named(graphs, request.graph)
    if request.label is not None and request.label not in graph.schema.labels and not graph.schema.open:
        raise ToolFailure("unknown_label", f"The graph {graph.name!r} has no label {request.label!r}.",
                          nearest=nearest(request.label, graph.schema.labels) or list(graph.schema.labels)[:10],
                          next="Call find_entities again with one of these labels, or without `label`.")
    index = entity_index(graph)
    return FindEntitiesAnswer(mentions=[
        as_answer(mention, index.find(mention, label=request.label, property=request.property, mode=request.mode,
                                      limit=request.limit))
        for mention in request.mentions])


def entity_index(graph: Graph) -> EntityLookup:
    """The graph's entity index; where it has none, one over the names that its database holds."""
    if graph.entities is None:
        from graphground.tools.names import NamesInTheDatabase

        graph.entities = NamesInTheDatabase(graph)
    return graph.entities


def as_answer(mention: str, candidates: Sequence[Candidate]) -> MentionAnswer:
    """The candidates of one mention, and whether several distinct entities bear the best one's name."""
    best = [candidate for candidate in candidates if candidate.match in ("exact", "alias")
            and candidate.score >= candidates[0].score]
    return MentionAnswer(
        mention=mention,
        candidates=[EntityCandidate(name=candidate.name, label=candidate.label, property=candidate.property,
                                    score=round(candidate.score, 3), match=candidate.match,
                                    description=candidate.description, cypher=pattern_for(candidate))
                    for candidate in candidates],
        ambiguous=len({(candidate.label, candidate.key) for candidate in best}) > 1)


def pattern_for(candidate: Candidate) -> str:
    """The node as a pattern: `(n:Player {name: 'LeBron James'})`."""
    value = candidate.name.replace("\\", "\\\\").replace("'", "\\'")
    return f"(n:{quoted(candidate.label)} {{name: '{value}'}})"


def quoted(name: str) -> str:
    """A label or property as Cypher writes it: `Movie`, or between backticks where needed."""
    return name if name.isidentifier() else "`" + name.replace("`", "``") + "`"


TOOL = Tool("find_entities", "Find entities by name",
            "Find which nodes the names in a question mean, despite spelling, aliases and case. Call it before "
            "writing a name into a query, then use the `name` it gives, exactly.",
            FindEntitiesRequest, FindEntitiesAnswer, find_entities)
