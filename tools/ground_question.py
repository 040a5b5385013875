"""`ground_question`: all that a question needs in one answer: names, schema, words, traps in the data, and queries."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import permutations, product
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, Field, SkipValidation

from graphground.cypher.diagnostics import cut
from graphground.cypher.diagnostics import either as join_or
from graphground.cypher.quoting import quoted_name
from graphground.graphs.engines.engine import EngineError
from graphground.tools.tool import Answer, Graphs, Request, Tool, ToolFailure, graph_named, settled

if TYPE_CHECKING:
    from graphground.cypher.schema import RelationshipPattern
    from graphground.graphs.graph import Graph
    from graphground.graphs.question.model import Link, Meaning, Node, Question
    from graphground.graphs.schemas.statistics import Statistics
    from graphground.graphs.suggestions import Suggestion

DEFAULT_TOKENS = 1_000
LEAST_SCHEMA_TOKENS = 150
MAX_MEANINGS, MAX_WORDS, MAX_NOTES = 3, 3, 5
SAME_STRENGTH = 0.05
CLEAR = 0.5
"""The least strength of a word's meaning, and the least confidence with which a query is shown without a doubt."""
MAX_CANDIDATES, MAX_LINKS = 3, 16
"""The maximum numbers of nodes shown for a name, and of its relationship types."""
CONSIDERED = 12
"""The number of queries among which one is sought for each reading of a word."""
NEAR, MAX_TYPES, FEW_TYPES, MAX_LABELS = 0.3, 6, 3, 4
"""What a relationship type gains if a named node has it, and the most types of the schema's part, if the first query is
doubtful and if it is likely, and labels."""
UNLIKELY = 0.1
"""The share of the first query's confidence below which no further query is shown."""
MORE = "More: get_filtered_schema"
SLOW_DATABASE = (
    "The database was too slow to say which relationships the named nodes have; the queries follow the schema alone. "
    "Ask again for better ones."
)
NO_ANSWER = "No likely query has an answer here. If a relationship of a name says what is asked, write a query with it."
FEW = 0.2
"""The share of nodes below which a label is rare."""
LIKELY_ROWS, FIRST_ROWS, FURTHER_ROWS = 30, 10, 3
"""The maximum number of rows shown: of a likely first query, of an unlikely one, and of each further query."""
ROW_CHARACTERS, CELL_CHARACTERS = 40, 80
"""The maximum number of characters of a row, on average, and of a value."""
FIRST_ROWS_SECONDS = 0.5
"""The time limit for reading the first rows of all queries."""
SPARSE = 0.5
"""The share of nodes with a value below which a property is called sparse."""


class GroundQuestionRequest(Request):
    """The arguments of `ground_question`: `{"question": "Which teams did LeBron James play for?"}`."""

    question: str = Field(min_length=1, max_length=2_000, description="The user's question, as it was asked.")
    graph: str | None = Field(None, description="A name from list_graphs.")
    max_tokens: int = Field(DEFAULT_TOKENS, ge=100, le=50_000, description="Token budget.")
    limit: int = Field(3, ge=1, le=50, description="Maximum queries; if given, also unlikely ones.")


class GroundedName(BaseModel):
    """A name in the question, with what it means in the graph, and the relationships of the first node:
    `out: officialColor 2, country; in: memberOf 6`."""

    text: str
    verdict: Literal["found", "ambiguous", "not_found"]
    nodes: list[str] = Field(default_factory=list)
    relationships: str = ""


class GroundedQuery(BaseModel):
    """A query that can be run unchanged, with its reading of the question, the number of rows that it returns (0 if
    nothing matches), its probability, and its first rows; all of them, if there are as many as `rows`."""

    cypher: str
    reason: str
    rows: int | None = None
    confidence: float
    first_rows: SkipValidation[list[list[Any]]] = Field(default_factory=list, json_schema_extra={"items": {}})


class GroundQuestionAnswer(Answer):
    """The question, grounded in the graph.

    `ask` is a question to the user, present if no query is likely enough to be the answer.
    """

    names: list[GroundedName]
    queries: list[GroundedQuery]
    ask: str | None = None
    words: list[str] = Field(default_factory=list)
    unknown_words: list[str] = Field(default_factory=list)
    notes: list[str] = Field(default_factory=list)
    schema_: str = Field(alias="schema")


def ground_question(graphs: Graphs, request: GroundQuestionRequest) -> GroundQuestionAnswer:
    """Read the question, rank queries around the nodes that it names, count their rows, and add schema and notes."""
    # Imported on first use, as in every tool that needs numpy or rapidfuzz.
    from graphground.graphs.question.read import read
    from graphground.graphs.schemas.forms import estimate_tokens
    from graphground.graphs.suggestions import suggest
    from graphground.graphs.suggestions.operators import operators_of

    graph = graph_named(graphs, request.graph)
    if not request.question.strip():
        raise ToolFailure("empty_question", "The question is empty.", next="Call ground_question with a question.")
    note = settled(graph)
    question = read(request.question, graph)
    found = suggest(graph, question, limit=max(request.limit, CONSIDERED))
    shown = found[: request.limit]
    if "limit" not in request.model_fields_set:  # an unlikely query costs the reader more than it helps
        shown = [its for place, its in enumerate(shown) if not place or its.confidence > UNLIKELY * shown[0].confidence]
    words = _read_words(question, found, shown)
    answer = GroundQuestionAnswer(
        names=_names(question),
        queries=[
            GroundedQuery(
                cypher=suggestion.cypher,
                reason=suggestion.reason,
                rows=suggestion.rows,
                confidence=round(suggestion.confidence, 2),
                first_rows=rows,
            )
            for suggestion, rows in zip(shown, _first_rows(graph, shown), strict=True)
        ],
        ask=_ask(words) if shown and shown[0].confidence < CLEAR else None,
        words=words,
        unknown_words=[
            text
            for text in (question.words[place].text for place in question.unexplained)
            if "not" not in operators_of(text.lower())  # `never` is understood as a denial
        ],
        notes=[SLOW_DATABASE] * any(not its.in_time for its in shown)
        + [NO_ANSWER] * any(its.rows == 0 for its in shown[:1])
        + list(dict.fromkeys(_traps(graph, question, shown[:2])))[:MAX_NOTES],
        schema="",
    )
    left = max(LEAST_SCHEMA_TOKENS, request.max_tokens - estimate_tokens(answer.model_dump_json(exclude_defaults=True)))
    lines = _schema_beyond(graph, question, shown)
    while len(lines) > 1 and estimate_tokens("\n".join(lines)) > left:
        lines.pop()
    answer.schema_ = "\n".join([*lines, MORE]) + note
    return answer


def _first_rows(graph: Graph, shown: Sequence[Suggestion]) -> list[list[list[Any]]]:
    """Return the first rows of each query, few and short; none of those that could not be read in time."""
    found: list[list[list[Any]]] = []
    end = time.monotonic() + FIRST_ROWS_SECONDS
    for suggestion in shown:
        likely = LIKELY_ROWS if suggestion.confidence >= CLEAR else FIRST_ROWS
        limit, left = FURTHER_ROWS if found else likely, end - time.monotonic()
        rows: list[list[Any]] = []
        if suggestion.rows and left > 0:
            with suppress(EngineError):
                rows = [list(row) for row in graph.run(suggestion.cypher, limit=limit, timeout=left).rows]
        rows = [
            [cell if len(str(cell)) <= CELL_CHARACTERS else cut(str(cell), CELL_CHARACTERS) for cell in row]
            for row in rows
        ]
        while len(rows) > 1 and len(str(rows)) > limit * ROW_CHARACTERS:
            rows.pop()
        found.append(rows)
    return found


def _schema_beyond(graph: Graph, question: Question, shown: Sequence[Suggestion]) -> list[str]:
    """Return the patterns and properties that the question speaks of and no query shows, those most clearly said first.

    A relationship type counts more if a named node has it, or if it joins two labels that the question speaks of. Its
    pattern has the label that most neighbours of the named nodes have.
    """
    from graphground.graphs.question.model import BY_NAME
    from graphground.graphs.schemas.forms import property_map

    schema, facts = graph.schema, graph.statistics(fresh=True)
    written = {word for suggestion in shown for word in re.findall(r"\w+", suggestion.cypher)}
    links: dict[str, list[Link]] = {}
    at: dict[str, set[tuple[str, str]]] = {}
    for around in question.neighbourhoods.values():
        for link in around.links:
            links.setdefault(link.type, []).append(link)
            at.setdefault(link.type, set()).add((around.key, link.direction))
    # A type that leaves one named node and arrives at another may join them, and so may a pattern between two parts.
    joining = {t for t, its in at.items() if any(a[0] != b[0] and a[1] != b[1] for a, b in permutations(its, 2))}
    named = [
        {label for node in mention.nodes[:MAX_CANDIDATES] for label in node.labels}
        for mention in question.mentions
        if mention.verdict != "not_found"
    ]
    strengths = {name: question.strength("label", name) for name in schema.labels}
    meant = sorted((name for name in strengths if strengths[name] >= CLEAR), key=lambda name: -strengths[name])
    parts = [*named, *({name} for name in meant[:MAX_LABELS])]
    spoken = {label for part in parts for label in part}
    joined = {ends for a, b in permutations(parts, 2) if a != b for ends in product(a, b)}
    says = {type_: question.strength("type", type_) for type_ in schema.relationship_types}

    def count(pattern: RelationshipPattern) -> int | None:
        return facts.relationships(pattern.type, pattern.start, pattern.end) if facts else None

    def score(pattern: RelationshipPattern) -> float:
        type_, said = pattern.type, says[pattern.type]
        if said < BY_NAME and type_ not in links and pattern.start not in spoken and pattern.end not in spoken:
            said = 0.0  # a type that nothing in the question has is meant only by its very name
        joins = type_ in joining or (pattern.start, pattern.end) in joined
        return said + (NEAR if type_ in links else 0.0) + (CLEAR if joins and count(pattern) != 0 else 0.0)

    def rank(pattern: RelationshipPattern) -> tuple[float, int, int]:
        its, known = links.get(pattern.type, ()), count(pattern)
        near = sum(link.labels.get(pattern.end if link.direction == "out" else pattern.start, 0) for link in its)
        return score(pattern), near, (pattern.count or 0) if known is None else known

    best = {type_: max(map(score, patterns)) for type_, patterns in schema.relationship_types.items()}
    chosen = sorted((type_ for type_ in best if best[type_] >= CLEAR), key=lambda type_: -best[type_])
    lines = []
    doubtful = not shown or shown[0].confidence < CLEAR
    for type_ in chosen[: MAX_TYPES if doubtful else FEW_TYPES]:
        pattern = max(schema.relationship_types[type_], key=rank)
        keys = {
            key: value
            for key, value in pattern.properties.items()
            if question.strength("type_property", key, type_) >= CLEAR
        }
        if (type_ not in written and type_ not in links) or keys.keys() - written:
            arrow = "-" if pattern.start == pattern.end and facts and facts.symmetric(type_, pattern.start) else "->"
            ends = [f"(:{quoted_name(label)})" for label in (pattern.start, pattern.end)]
            lines.append(f"{ends[0]}-[:{quoted_name(type_)}{property_map(keys)}]{arrow}{ends[1]}")
            spoken |= {pattern.start, pattern.end}
    for label in (schema.labels[name] for name in schema.labels if name in spoken):
        keys = {
            key: value
            for key, value in label.properties.items()
            if key not in written
            and (
                key == label.name_property != "name"
                or (key not in label.reserved and question.strength("property", key, label.name) >= BY_NAME)
            )
        }
        if keys or (label.name in meant[:1] and not {label.name, *lines} & written):
            lines.append(f"(:{quoted_name(label.name)}{property_map(keys, (), label.texts)})")
    return lines


def _names(question: Question) -> list[GroundedName]:
    names = []
    for mention in {mention.text: mention for mention in question.mentions}.values():
        nodes = list(
            dict.fromkeys(
                f"(:{':'.join(node.labels[:2])} {{{node.property}: {node.name!r}}})"
                for node in mention.nodes[:MAX_CANDIDATES]
            )
        )
        # Several candidates may be one node with several labels.
        verdict = "found" if mention.verdict == "ambiguous" and len(mention.nodes) == 1 else mention.verdict
        names.append(
            GroundedName(
                text=mention.text,
                verdict=verdict,
                nodes=nodes[: 1 if verdict == "found" else MAX_CANDIDATES],
                relationships=_relationships(question, mention.nodes[0]) if verdict != "not_found" else "",
            )
        )
    return names


def _relationships(question: Question, node: Node) -> str:
    """Return the relationships of a node with their numbers, those that the question speaks of first."""
    around = None if node.is_value else question.neighbourhoods.get(node.key)
    links = sorted(around.links if around else (), key=lambda its: (-question.strength("type", its.type), -its.count))
    shown = links[:MAX_LINKS]
    parts = []
    for direction in ("out", "in"):
        its = [
            f"{link.type} {link.count}" if link.count > 1 else link.type
            for link in shown
            if link.direction == direction
        ]
        if its:
            parts.append(f"{direction}: {', '.join(its)}")
    return "; ".join(parts) + (f"; {len(links) - len(shown)} more" if len(links) > len(shown) else "")


def _read_words(question: Question, found: Sequence[Suggestion], shown: list[Suggestion]) -> list[str]:
    """Return the content words that elements of the schema explain about equally well, with a query for each reading.

    A query for the second reading is added to those shown, unless the first query is likely to be right.
    """
    lines: list[str] = []
    for place in question.content:
        meanings = [m for m in question.meanings.get(place, ()) if m.kind in ("label", "type", "property")]
        if not meanings or meanings[0].strength < CLEAR or len(lines) == MAX_WORDS:
            continue
        near = [
            m for m in meanings if m.kind == meanings[0].kind and m.strength >= meanings[0].strength - SAME_STRENGTH
        ]
        by_name = {(f"{m.owner}.{m.name}" if m.owner else m.name): m for m in near}
        sure = shown and shown[0].confidence >= CLEAR and any(_uses(shown[0], m) for m in near)
        if len({m.name for m in near}) < 2 or sure:
            continue
        readings: list[str] = []
        for name, meaning in list(by_name.items())[:MAX_MEANINGS]:
            its = next((s for s in found if s.rows != 0 and _uses(s, meaning)), None)
            if its is not None and its not in shown and len(readings) < 2:
                shown.append(its)
            readings.append(f"{name} (query {shown.index(its) + 1})" if its is not None and its in shown else name)
        lines.append(f"{question.words[place].text}: {join_or(readings)}")
    return list(dict.fromkeys(lines))


def _ask(words: Sequence[str]) -> str:
    """Return a question to the user: `By leader, do you mean headOfState (query 1) or headOfGovernment (query 2)?`"""
    for word, _, readings in (line.partition(": ") for line in words):
        if readings.count("(query ") > 1:
            return f"By {word}, do you mean {readings}?"
    return "Do you mean query 1?"


def _uses(suggestion: Suggestion, meaning: Meaning) -> bool:
    """Whether a query uses a label, relationship type or property."""
    shape, form = suggestion.candidate.shape, suggestion.candidate.form
    if meaning.kind == "type":
        return any(meaning.name == step.type for step in shape.steps)
    if meaning.kind == "label":
        return meaning.name == shape.label
    return meaning.name in (form.key, *form.also, *(condition.key for condition in form.conditions))


def _traps(graph: Graph, question: Question, shown: Sequence[Suggestion]) -> Iterator[str]:
    """Yield the traps in the data that matter here: relationships that no named node has, namesakes, labels that some
    nodes lack, both directions, and values that are missing, texts in the place of numbers, or placeholders."""
    from graphground.graphs.question.model import BY_NAME
    from graphground.graphs.suggestions.suggest import NEARLY_ALL

    used = {step.type for suggestion in shown for step in suggestion.candidate.shape.steps}
    for type_ in question.lacking:
        if type_ not in used:
            yield f"No node that the question names has {type_}."
    for mention in question.mentions:
        nodes = [node for node in mention.nodes if not node.is_value and mention.verdict != "not_found"]
        namesakes = [node for node in nodes if node.name == nodes[0].name]
        if len(namesakes) > 1:
            yield f"{len(namesakes)} nodes are named {nodes[0].name!r}: a query by name matches all of them."
    first = shown[0].candidate if shown and graph.schema.label_combinations else None
    written = first.cypher() if first else ""
    lacking = {
        label: share
        for label, share in (first.shape.ends.items() if first else ())
        if label and FEW < share < NEARLY_ALL and f":{quoted_name(label)}" not in written
    }
    if lacking:
        label = max(lacking, key=lambda name: lacking[name])
        yield (
            f"Labels are incomplete: with (:{quoted_name(label)}), query 1 would lose about {1 - lacking[label]:.0%} of its "
            "nodes. Write no label where the queries write none."
        )
    facts = graph.statistics()
    labels = {label for mention in question.mentions for node in mention.nodes for label in node.labels}
    for suggestion in shown:
        shape, form = suggestion.candidate.shape, suggestion.candidate.form
        labels |= shape.ends.keys()
        for step in shape.steps:
            if facts and facts.leads_both_ways(step.type):
                yield f"{step.type} leads both ways here: match it without an arrow."
        if form.value.startswith("to"):
            yield f"{form.key} holds numbers as text: compare {form.value.format(f'n.{form.key}')}."
        on_link = suggestion.candidate.uses_link
        owner = (
            shape.steps[-1].type if on_link and shape.steps else max(shape.ends, key=shape.ends.__getitem__, default="")
        )
        for key in dict.fromkeys((form.key, *(condition.key for condition in form.conditions))):
            yield from _missing_values(facts, owner, key)
    for (kind, owner, key), by in question.strengths.items():
        if kind == "property" and owner in labels and max(by.values()) >= BY_NAME:
            yield from _missing_values(facts, owner, key)


def _missing_values(facts: Statistics | None, owner: str, key: str) -> Iterator[str]:
    values = facts.property(owner, key) if facts else None
    if values is None or not values.counted or not values.of:
        return
    filled = values.count
    if filled == 0:
        yield f"No {owner} has a value in {key}."
    elif filled < SPARSE * values.of:
        yield f"Only {filled:,} of {values.of:,} {owner} have a value in {key}."
    for text, _ in values.placeholders[:1]:
        yield f"{key} holds {text!r} where a value is missing."


TOOL = Tool(
    "ground_question",
    "Ground a question",
    "Call this first for each question: names as stored, schema needed, traps in the data, likeliest queries with their "
    "first rows. Unless all `rows` are shown, run the query whose `reason` fits, or write one.",
    GroundQuestionRequest,
    GroundQuestionAnswer,
    ground_question,
)
