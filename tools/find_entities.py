"""`find_entities`: find the nodes that the names in a question refer to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, Field, model_validator

from graphground.cypher.names.nearest import closest
from graphground.cypher.quoting import nodes, property_of, quoted_name, quoted_string
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.engines.client_context import run_concurrently
from graphground.graphs.engines.engine import Engine, EngineError
from graphground.graphs.entities.candidate import Candidate, EntityLookup, Search, UnknownName
from graphground.graphs.entities.paging import name_property
from graphground.graphs.entities.spans import fold
from graphground.graphs.entities.verdicts.judging import CONSIDERED, Judgement, judge
from graphground.graphs.graph import Graph
from graphground.tools.tool import NOTE_MARKS, Answer, Graphs, Request, Tool, ToolFailure, graph_named, settled

SECONDS, DEGREE_SECONDS = 2.0, 1.0
MOST = 10_000
"""The number up to which relationships are counted; more relationships make no difference."""
FACTOR = 5
"""The minimum ratio of relationships at which another node may be meant.

The relationships of the other node are divided by those of the node with the best-matching name.
"""
MOST_COMPARED = 4
"""The maximum number of candidates of a mention for which relationships are read, to tell the candidates apart."""


def _at_most(characters: int) -> AfterValidator:
    """Return a validator of a text's length that adds nothing to the JSON Schema, to keep `tools/list` short."""

    def check(text: str) -> str:
        if len(text) > characters:
            raise ValueError(f"must have at most {characters:,} characters, not {len(text):,}")
        return text

    return AfterValidator(check)


Mention = Annotated[str, _at_most(1_000)]
"""A mention; its length is limited, because it is compared with many names."""
Question = Annotated[str, _at_most(20_000)]


class FindEntitiesRequest(Request):
    """The arguments of `find_entities`: `{"mentions": ["Lebron James"]}` or
    `{"question": "How tall is Lebron James?"}`."""

    mentions: list[Mention] = Field(
        default_factory=list, max_length=50, description="Names as in the question, one entity each."
    )
    question: Question | None = Field(None, description="Instead of mentions: a whole question.")
    graph: str | None = Field(None, description="A name from list_graphs.")
    label: str | None = Field(None, description="Only nodes with this label.")
    property: str | None = Field(None, description="Only in this property.")
    mode: Literal["auto", "fuzzy", "vector"] = Field(
        "auto", description="`fuzzy`: by spelling; `vector`: by meaning; `auto`: by spelling, and by meaning if unsure."
    )
    limit: int = Field(5, ge=1, le=50, description="Maximum per mention.")

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
    description: str | None = None
    cypher: str | None = Field(
        None, description="A pattern to paste into a query; missing if the verdict is `not_found`."
    )
    matched: str | None = Field(None, description="The alias that matched.")
    key: str | None = Field(None, description="Distinguishes entities that share a name.")
    relationships: list[str] = Field(default_factory=list, description="One or two, if the verdict is `ambiguous`.")


class MentionAnswer(BaseModel):
    """The verdict on one mention, and its candidates, the best first."""

    mention: str
    verdict: Literal["found", "ambiguous", "not_found"] = Field(
        description="`found`: use the candidate; `ambiguous`: choose among the candidates; `not_found`: the graph has "
        "nothing of that name, and the candidates only have similar names."
    )
    candidates: list[EntityCandidate]
    ambiguous: bool = Field(False, description="Whether the verdict is `ambiguous`.")
    same_name: int = Field(
        0, description="Number of distinct entities that share the best candidate's name, if several."
    )


class FindEntitiesAnswer(Answer):
    """The answer: one entry for each mention, in the given order."""

    mentions: list[MentionAnswer]
    warning: str | None = Field(None, description="If the index is missing, incomplete or older than the data.")


def find_entities(graphs: Graphs, request: FindEntitiesRequest) -> FindEntitiesAnswer:
    """Look up every mention among the names in the graph."""
    graph = graph_named(graphs, request.graph)
    _check_label(graph, request.label)
    if graph.entities is None:
        raise ToolFailure(
            "no_entity_index",
            f"The graph {graph.name!r} is a schema without data, so it has no entity index.",
            next=f"Load its data with `graphground graphs load FILE --name {graph.name}`, which builds the index too.",
        )
    lookup = graph.entities
    _check_property(lookup, request.property)
    try:
        if request.question:
            from graphground.graphs.question.read import read  # imported only for questions

            found = read(request.question, graph, label=request.label, property=request.property, mode=request.mode)
            judgements = {mention.text: mention.judgement for mention in found.mentions}
        else:
            judgements = _judge_mentions(lookup, request)
    except LookupError as error:
        raise ToolFailure("no_vectors", f"{error}.", next="Call find_entities again with mode 'auto'.") from None
    mentions = request.mentions or list(judgements)
    judgements = {mention: _with_prominent(judgement, graph) for mention, judgement in judgements.items()}
    apart = [
        (mention, place)
        for mention, judgement in judgements.items()
        if judgement.verdict == "ambiguous"
        for place, candidate in enumerate(judgement.candidates[: min(MOST_COMPARED, request.limit)])
        if not candidate.is_value
    ]
    around = dict(
        zip(
            apart,
            run_concurrently(lambda key: surroundings(graph, judgements[key[0]].candidates[key[1]]), apart),
            strict=True,
        )
    )
    return FindEntitiesAnswer(
        mentions=[_as_answer(mention, judgements[mention], graph, lookup, request, around) for mention in mentions],
        warning=_staleness(graph, lookup),
    )


def _judge_mentions(lookup: EntityLookup, request: FindEntitiesRequest) -> dict[str, Judgement]:
    distinct = list(dict.fromkeys(request.mentions))
    search = Search(request.label, request.property, request.mode, max(request.limit, CONSIDERED))
    found = lookup.find_all(distinct, search)
    return {
        mention: judge(mention, candidates, lookup, by_meaning=request.mode == "vector")
        for mention, candidates in zip(distinct, found, strict=True)
    }


def _with_prominent(judgement: Judgement, graph: Graph) -> Judgement:
    """Mark a found name as ambiguous if a longer name that contains it has a node with far more relationships."""
    if judgement.verdict != "found" or graph.engine is None:
        return judgement
    best = judgement.candidates[0]
    longer = containing(best, judgement.others) if not best.is_value else []
    if not longer:
        return judgement
    try:
        degrees = run_concurrently(partial(degree, graph.engine, graph.schema), [best, *longer])
    except EngineError:
        return judgement  # the answer is complete without relationships
    least = FACTOR * max(degrees[0], 1)
    more = [other for other, its in zip(longer, degrees[1:], strict=True) if its >= least]
    return Judgement("ambiguous", [*more, best]) if more else judgement


def _staleness(graph: Graph, lookup: EntityLookup) -> str | None:
    """Return a warning if the index does not exist, is not complete, or is older than its database; else None."""
    from graphground.graphs.entities.own_index import OwnIndex

    if graph.unreachable:
        return f"The database cannot be reached, so the names are those that were last read: {graph.unreachable}"
    state = lookup.state if isinstance(lookup, OwnIndex) else None
    return f"{state[0].upper()}{state[1:]}." if state else None


def _check_label(graph: Graph, label: str | None) -> None:
    if label is None or label in graph.schema.labels or graph.schema.open:
        return
    outdated = settled(graph)  # the label may be new, so the schema is read again before the label is refused
    if label in graph.schema.labels:
        return
    raise ToolFailure(
        "unknown_label",
        f"The graph {graph.name!r} has no label {label!r}. {outdated.strip(NOTE_MARKS)}".strip(),
        nearest=closest(label, graph.schema.labels) or list(graph.schema.labels)[:10],
        next="Call find_entities again with one of these labels, or without `label`.",
    )


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


def _same_name(judgement: Judgement, lookup: EntityLookup, label: str | None) -> int:
    """Return the number of distinct entities that share the best candidate's name; 0 if no other entity has the name.

    Aliases count only if the mention is an alias.
    """
    best = judgement.candidates[0]
    if best.is_value:
        return 0
    by_alias = best.match == "alias"
    shared = lookup.same_name(best.matched or best.name if by_alias else best.name, label=label, aliases=by_alias)
    return shared if shared > 1 else 0


def _as_answer(
    mention: str,
    judgement: Judgement,
    graph: Graph,
    lookup: EntityLookup,
    request: FindEntitiesRequest,
    around: Mapping[tuple[str, int], list[str]],
) -> MentionAnswer:
    ambiguous = judgement.verdict == "ambiguous"
    shown = judgement.candidates[: request.limit]
    return MentionAnswer(
        mention=mention,
        verdict=judgement.verdict,
        candidates=[
            EntityCandidate(
                name=candidate.name,
                label=candidate.label,
                property=candidate.property,
                score=round(candidate.score, 3),
                match=candidate.match,
                description=candidate.description,
                cypher=pattern_for(candidate, graph) if judgement.verdict != "not_found" else None,
                matched=candidate.matched if candidate.matched != candidate.name else None,
                key=candidate.key if ambiguous else None,
                relationships=around.get((mention, place), []),
            )
            for place, candidate in enumerate(shown)
        ],
        ambiguous=ambiguous,
        same_name=_same_name(judgement, lookup, request.label) if ambiguous else 0,
    )


def surroundings(graph: Graph, candidate: Candidate) -> list[str]:
    """Return two relationships of a candidate's node at most: `["-[:playsFor]->(:Team {name: 'Chicago Bulls'})"]`."""
    engine, schema = graph.engine, graph.schema
    if engine is None or candidate.label not in schema.labels:
        return []
    found: list[str] = []
    for left, right, own_end, other_end in (("-", "->", "start", "end"), ("<-", "-", "end", "start")):
        labels = dict.fromkeys(
            getattr(pattern, other_end) for pattern in schema.patterns if getattr(pattern, own_end) == candidate.label
        )
        named = {name for its in labels if (name := name_property(schema.labels[its]))}
        if not named:
            continue
        values = {key: property_of("m", key) for key in sorted(named)}
        name = (
            "CASE "
            + " ".join(
                f"WHEN {value} IS NOT NULL THEN [{quoted_string(key)}, {value}]" for key, value in values.items()
            )
            + " END"
        )
        query = (
            f"{_match(engine, schema, candidate)} MATCH (n){left}[r]{right}(m) "
            f"RETURN DISTINCT type(r) AS type, labels(m) AS labels, {name} AS name LIMIT 2"
        )
        try:
            table = engine.run(query, {"key": candidate.key}, timeout=SECONDS)
        except EngineError:
            return []  # the answer is complete without relationships
        found += [
            f"{left}[:{quoted_name(type_)}]{right}(:{quoted_name(labels[0]) if labels else ''} "
            f"{{{quoted_name(found[0])}: {found[1]!r}}})"
            for type_, labels, found in table.rows
            if found is not None
        ]
        if len(found) >= 2:
            break
    return found[:2]


def _match(engine: Engine, schema: PropertyGraphSchema, candidate: Candidate) -> str:
    known = "eid" in schema.labels[candidate.label].properties
    return f"{nodes(candidate.label).match()} WHERE {'n.eid = $key' if known else engine.capabilities().dialect.by_id}"


def degree(engine: Engine, schema: PropertyGraphSchema, candidate: Candidate) -> int:
    """Return the number of relationships of a candidate's node, counted up to `MOST`: 18 for the genre `thriller`.

    Raises:
        EngineError: the database did not respond in time.
    """
    if candidate.label not in schema.labels:
        return 0
    table = engine.run(
        f"{_match(engine, schema, candidate)} MATCH (n)-[r]-() WITH r LIMIT {MOST} RETURN count(r) AS degree",
        {"key": candidate.key},
        timeout=DEGREE_SECONDS,
    )
    return int(table.rows[0][0]) if table.rows else 0


def containing(candidate: Candidate, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return candidates of the same label whose longer names contain the name: `thriller film` for `thriller`."""
    words = set(fold(candidate.name).split())
    return [
        other
        for other in candidates
        if other.label == candidate.label and other.key != candidate.key and words < set(fold(other.name).split())
    ]


def pattern_for(candidate: Candidate, graph: Graph) -> str:
    """Return a pattern that finds the node: `(n:Player {name: 'LeBron James'})`; for a list property, with a WHERE."""
    value = quoted_string(candidate.name)
    label, key = quoted_name(candidate.label), quoted_name(candidate.name_property)
    known = graph.schema.labels.get(candidate.label)
    type_ = known.properties.get(candidate.name_property, "") if known is not None else ""
    if type_.startswith("list["):
        return f"(n:{label}) WHERE {value} IN n.{key}"
    if type_ == "int" and candidate.name.removeprefix("-").isdecimal():
        value = candidate.name
    return f"(n:{label} {{{key}: {value}}})"


TOOL = Tool(
    "find_entities",
    "Find entities by name",
    "Find the nodes that names in a question mean, despite misspellings, aliases and case. `found`: write the returned "
    "`name` exactly; `ambiguous`: choose by label and description; `not_found`: no such entity, only similar "
    "names.",
    FindEntitiesRequest,
    FindEntitiesAnswer,
    find_entities,
)
