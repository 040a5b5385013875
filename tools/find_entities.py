"""`find_entities`: find the nodes that the names in a question refer to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, Field, model_validator

from graphground.cypher.names.nearest import closest
from graphground.cypher.quoting import quoted_name, quoted_string
from graphground.graphs.engines.concurrency import run_concurrently
from graphground.graphs.engines.engine import EngineError
from graphground.graphs.entities.candidate import Candidate, EntityLookup
from graphground.graphs.entities.record import UnknownName
from graphground.graphs.entities.surroundings import surroundings
from graphground.graphs.graph import Graph
from graphground.tools.failure import ToolFailure
from graphground.tools.tool import Answer, Graphs, Request, Tool, graph_named

TOLD_APART = 4
"""The most candidates of the same name that are distinguished by a relationship or two."""


def _at_most(characters: int) -> AfterValidator:
    """A bound that is checked but does not lengthen the schema of every tool's arguments."""

    def check(text: str) -> str:
        if len(text) > characters:
            raise ValueError(f"must have at most {characters:,} characters, not {len(text):,}")
        return text

    return AfterValidator(check)


Mention = Annotated[str, _at_most(1_000)]
"""A mention, with a maximum length, because it is compared with many names."""
Question = Annotated[str, _at_most(20_000)]


class FindEntitiesRequest(Request):
    """`{"mentions": ["Lebron James"], "label": "Player"}`, or `{"question": "How tall is Lebron James?"}`."""

    mentions: list[Mention] = Field(
        default_factory=list, max_length=50, description="Names as written in the question, one entity each."
    )
    question: Question | None = Field(None, description="Instead of mentions: a whole question.")
    graph: str | None = Field(None, description="A name from list_graphs.")
    label: str | None = Field(None, description="Only nodes with this label.")
    property: str | None = Field(None, description="Only matches in this property; default: all.")
    mode: Literal["auto", "fuzzy", "vector"] = Field("auto", description="`fuzzy`: by spelling; `vector`: by meaning.")
    limit: int = Field(5, ge=1, le=50, description="Candidates for each mention.")

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if bool(self.mentions) == (self.question is not None):
            raise ValueError("give mentions (at least one name), or a question instead")
        return self


class EntityCandidate(BaseModel):
    """A node that a mention may refer to, with the Cypher pattern that finds it."""

    name: str = Field(description="The value to write in a query.")
    label: str
    property: str = Field(description="The property in which the match was found.")
    score: float = Field(description="From 0 to 1.")
    match: Literal["exact", "alias", "fuzzy", "vector"]
    description: str | None
    cypher: str = Field(description="A pattern ready to paste.")
    matched: str | None = Field(None, description="The alias that matched.")
    key: str | None = Field(None, description="Tells apart entities that share a name.")
    relationships: list[str] = Field(default_factory=list, description="A few of them, when entities share the name.")


class MentionAnswer(BaseModel):
    """The candidates for one mention, best first."""

    mention: str
    candidates: list[EntityCandidate]
    ambiguous: bool = Field(description="Whether distinct entities share the best name.")
    same_name: int = Field(0, description="How many distinct entities have the best name, when ambiguous.")


class FindEntitiesAnswer(Answer):
    """One entry for each mention, in the given order."""

    mentions: list[MentionAnswer]
    warning: str | None = Field(None, description="A warning when the index is older than the data.")


def find_entities(graphs: Graphs, request: FindEntitiesRequest) -> FindEntitiesAnswer:
    """Look up every mention among the names in the graph."""
    graph = graph_named(graphs, request.graph)
    if request.label is not None and request.label not in graph.schema.labels and not graph.schema.open:
        raise ToolFailure(
            "unknown_label",
            f"The graph {graph.name!r} has no label {request.label!r}.",
            nearest=closest(request.label, graph.schema.labels) or list(graph.schema.labels)[:10],
            next="Call find_entities again with one of these labels, or without `label`.",
        )
    lookup = entity_lookup(graph)
    _check_property(lookup, request.property)
    mentions = request.mentions or _mentions_of(request.question or "", lookup)
    try:
        distinct = list(dict.fromkeys(mentions))
        found = dict(
            zip(
                distinct,
                lookup.find_all(
                    distinct, label=request.label, property=request.property, mode=request.mode, limit=request.limit
                ),
                strict=True,
            )
        )
    except LookupError as error:
        raise ToolFailure("no_vectors", f"{error}.", next="Call find_entities again with mode 'auto'.") from None
    shared = {mention: _same_name(candidates, lookup, request.label) for mention, candidates in found.items()}
    apart = [
        (mention, place)
        for mention, candidates in found.items()
        if shared[mention] > 1
        for place, one in enumerate(candidates[:TOLD_APART])
        if one.match in ("exact", "alias")
    ]
    around = dict(zip(apart, run_concurrently(lambda it: _around(graph, found[it[0]][it[1]]), apart), strict=True))
    return FindEntitiesAnswer(
        mentions=[_as_answer(mention, found[mention], shared[mention], graph, around) for mention in mentions],
        warning=_staleness(graph, lookup),
    )


def entity_lookup(graph: Graph) -> EntityLookup:
    """The entity lookup of a graph.

    Raises:
        ToolFailure: the graph has no data; the message says how to load it.
    """
    if graph.entities is None:
        raise ToolFailure(
            "no_entity_index",
            f"The graph {graph.name!r} is a schema without data, so it has no entity index.",
            next=f"Load its data with `graphground graphs load FILE --name {graph.name}`, which builds the index too.",
        )
    return graph.entities


def _staleness(graph: Graph, lookup: EntityLookup) -> str | None:
    """A warning if the index does not exist yet, or is older than its database."""
    from graphground.graphs.entities.own_index import OwnIndex

    if isinstance(lookup, OwnIndex) and (state := lookup.state):
        return f"{state[0].upper()}{state[1:]}."
    if (
        graph.engine is None
        or lookup.info is None
        or not lookup.info.source.startswith("database")
        or (isinstance(lookup, OwnIndex) and lookup.built_by_itself)
    ):
        return None
    from graphground.graphs.entities.freshness import staleness

    stale = staleness(graph.engine, lookup)
    return f"{stale}; rebuild it with `graphground entities build {graph.name}`" if stale else None


def _check_property(lookup: EntityLookup, property: str | None) -> None:
    try:
        lookup.check_names(None, property)
    except UnknownName as error:
        message = str(error)
        known = list(lookup.info.properties)[:10] if lookup.info is not None else []
        raise ToolFailure(
            "unknown_property",
            f"{message[0].upper()}{message[1:]}.",
            nearest=error.nearest or known,
            next="Call find_entities again with one of these properties, or without `property`.",
        ) from None


def _mentions_of(question: str, lookup: EntityLookup) -> list[str]:
    return list(dict.fromkeys(span.text for span in lookup.spans(question, unknown=True)))[:50]


def _same_name(candidates: Sequence[Candidate], lookup: EntityLookup, label: str | None) -> int:
    """How many distinct entities have the best candidate's name."""
    best = [
        candidate
        for candidate in candidates
        if candidate.match in ("exact", "alias") and candidate.score >= candidates[0].score
    ]
    if not best and candidates:  # a misspelt name is as ambiguous as the name that it means
        return max(1, lookup.same_name(candidates[0].name, label=label))
    shared = len({(candidate.label, candidate.key) for candidate in best})
    if best:
        shared = max(shared, lookup.same_name(best[0].matched or best[0].name, label=label))
    return shared


def _as_answer(
    mention: str,
    candidates: Sequence[Candidate],
    shared: int,
    graph: Graph,
    around: Mapping[tuple[str, int], list[str]],
) -> MentionAnswer:
    ambiguous = shared > 1
    return MentionAnswer(
        mention=mention,
        candidates=[
            EntityCandidate(
                name=one.name,
                label=one.label,
                property=one.property,
                score=round(one.score, 3),
                match=one.match,
                description=one.description,
                cypher=pattern_for(one, graph),
                matched=one.matched if one.matched != one.name else None,
                key=one.key if ambiguous else None,
                relationships=around.get((mention, place), []),
            )
            for place, one in enumerate(candidates)
        ],
        ambiguous=ambiguous,
        same_name=shared if ambiguous else 0,
    )


def _around(graph: Graph, candidate: Candidate) -> list[str]:
    if graph.engine is None:
        return []
    try:
        return surroundings(graph.engine, graph.schema, candidate)
    except EngineError:
        return []  # the candidates are an answer without them


def pattern_for(candidate: Candidate, graph: Graph) -> str:
    """The node as a pattern: `(n:Player {name: 'LeBron James'})`; a value in a list needs a WHERE."""
    value = quoted_string(candidate.name)
    label, key = quoted_name(candidate.label), quoted_name(candidate.name_property)
    known = graph.schema.labels.get(candidate.label)
    if known is not None and known.properties.get(candidate.name_property, "").startswith("list["):
        return f"(n:{label}) WHERE {value} IN n.{key}"
    return f"(n:{label} {{{key}: {value}}})"


TOOL = Tool(
    "find_entities",
    "Find entities by name",
    "Find the nodes that the names in a question refer to, despite spelling, aliases and case. Call it before "
    "writing a name into a query, then use the returned `name` exactly.",
    FindEntitiesRequest,
    FindEntitiesAnswer,
    find_entities,
)
