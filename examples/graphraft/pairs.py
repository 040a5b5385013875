"""Makes training pairs of a question and its best query, from questions and answers without gold queries.

The candidates are the suggested queries and, if all answers are single texts, the patterns of one and two relationships
around the entities that the question names (GraphRAFT, arXiv 2504.05478, §4.1). They are combined into one query, so
that the database itself counts the answers that each candidate finds. The pair is a line in the chat format of `trl`.
"""

from __future__ import annotations

import csv
import json
import re
from collections import defaultdict
from collections.abc import AsyncIterator, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from graphground.agents.model_settings import ServerFailure
from graphground.agents.server_connection import ServerConnection
from graphground.cypher import CypherSyntaxError, parse
from graphground.cypher import tree as t
from graphground.cypher.quoting import quoted_name, quoted_string

MAX_CANDIDATES = 50
"""The number of candidates requested from `ground_question`."""
MAX_MEANINGS = 3
"""The maximum number of entities considered for one mention."""
MAX_QUERY_CHARACTERS = 95_000
"""The approximate maximum number of characters of the counting query; the server accepts 100,000."""
MAX_ROWS = 2_000
COUNTING_SECONDS = 60.0
TEMPORAL = ("date", "datetime")
_KEY = re.compile(r"\{\s*(?:`([^`]+)`|(\w+))\s*:")


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


async def naming_of(server: ServerConnection, graph: str) -> Naming:
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


async def pair_of(server: ServerConnection, graph: str, question: AnsweredQuestion, naming: Naming) -> Pair | None:
    """Make the training pair for one question with three tool calls; None if no candidate finds an answer.

    1. `find_entities`: the entities that the question names.
    2. `ground_question`: candidates around them, including conditions and counts.
    3. `execute_cypher`: counts the answers that each candidate finds. If all answers are single texts, patterns around
       the entities are also counted. Chains of two relationships are counted only if no suggested query can be counted.

    Raises:
        ServerFailure: the server did not answer, or refused the counting query.
    """
    found = await server.call("find_entities", {"graph": graph, "question": question.question, "limit": MAX_MEANINGS})
    entities = [] if found.failed else _entities(found.fields)
    request = {"graph": graph, "question": question.question, "limit": MAX_CANDIDATES}
    suggested = await server.call("ground_question", request)
    queries = [] if suggested.failed else [str(candidate["cypher"]) for candidate in suggested.fields["queries"]]
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
    tables = await _count_answers(server, graph, [*more, *parts.values()], parameters)
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
    server: ServerConnection, graph: str, questions: Iterable[AnsweredQuestion], least: float = 0.0
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
        for candidate in mention["candidates"][:MAX_MEANINGS]:
            key = _KEY.search(candidate.get("cypher") or "")
            if key:
                name = key[1] or key[2]
                found[Entity(mention["mention"], candidate["label"], candidate["name"], name)] = None
    return list(found)


async def _count_answers(
    server: ServerConnection, graph: str, parts: Sequence[str], parameters: Mapping[str, Any]
) -> list[list[Any]]:
    """Run as many parts as fit into `MAX_QUERY_CHARACTERS` characters as one query, and return its rows."""
    query = parts[0]
    for part in parts[1:]:
        if len(query) + len(part) > MAX_QUERY_CHARACTERS:
            break
        query += f" UNION ALL {part}"
    arguments = {
        "graph": graph,
        "query": query,
        "parameters": dict(parameters),
        "limit": MAX_ROWS,
        "timeout_s": COUNTING_SECONDS,
    }
    answer = await server.call("execute_cypher", arguments)
    if answer.failed:
        raise ServerFailure(f"the query that counts candidates failed: {' '.join(answer.text.split())[:500]}")
    return [list(row) for row in answer.fields["rows"]]


NOTHING = "∅"
"""The text that replaces null in comparisons, because in Cypher null does not equal null."""
_PROPERTY = re.compile(r"(?:min|max)?\(?(?:DISTINCT )?\w+\.`?(\w+)`?\)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A query with the counts of its rows.

    `rows` counts all rows, `hits` the rows that are answers, `covered` the distinct answers among the rows."""

    query: str
    rows: int
    hits: int
    covered: int
    answers: int
    """The number of distinct answers."""
    source: str = "suggested"
    """How the query was found: `suggested` (by `ground_question`) or `enumerated` (around the entities)."""

    @property
    def precision(self) -> float:
        """The share of the rows that are answers."""
        return self.hits / self.rows if self.rows else 0.0

    @property
    def recall(self) -> float:
        """The share of the answers that are among the rows."""
        return self.covered / self.answers if self.answers else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


@dataclass(frozen=True, slots=True)
class SplitQuery:
    """A query in its parts: those before, in and after its last RETURN.

    In `MATCH (n:Film) RETURN DISTINCT n.name AS film, n.year ORDER BY n.year`, `before` is `MATCH (n:Film)`, `items`
    are `n.name` and `n.year` without their aliases, and `after` is ` ORDER BY n.year`.
    """

    before: str
    distinct: bool
    items: tuple[str, ...]
    after: str


def split_query(query: str) -> SplitQuery | None:
    """Return the parts of a query, so that its rows can be counted in the database instead of returned.

    None if it does not parse, is a UNION, does not end with RETURN, or returns everything with `*`.
    """
    try:
        parsed = parse(query)
    except CypherSyntaxError:
        return None
    last = parsed.body.clauses[-1] if isinstance(parsed.body, t.SingleQuery) and parsed.body.clauses else None
    if not isinstance(last, t.Return) or last.projection.star:
        return None
    items = last.projection.items
    after = query[items[-1].end :].strip().rstrip(";")
    return SplitQuery(
        query[: last.start].rstrip(),
        last.projection.distinct,
        tuple(parsed.source(item.expression) for item in items),
        f" {after}" if after else "",
    )


def counting(query: str, number: int, width: int, temporal: Collection[str]) -> str | None:
    """Return a part of a UNION ALL that returns `[number]` and the query's counts of rows, hits and covered answers.

    The result is None if the query has no last RETURN with `width` columns, the number of columns of an answer.
    `temporal` holds the names of properties with dates, which are compared as texts, because answers from a file are
    texts.
    """
    parts = split_query(query)
    if parts is None or len(parts.items) != width:
        return None
    columns = ", ".join(f"{_compared(item, temporal)} AS c{place}" for place, item in enumerate(parts.items))
    row = "[" + ", ".join(f"coalesce(c{place}, '{NOTHING}')" for place in range(width)) + "]"
    return (
        f"{parts.before} WITH {'DISTINCT ' if parts.distinct else ''}{columns}{parts.after} "
        f"WITH {row} AS row RETURN [{number}] AS found, count(*) AS rows, "
        "count(CASE WHEN row IN $answers THEN 1 END) AS hits, "
        "count(DISTINCT CASE WHEN row IN $answers THEN row END) AS covered"
    )


def compared(question: AnsweredQuestion) -> list[list[Value]]:
    """Return the distinct answers of a question as the value of the parameter `$answers`."""
    rows: list[list[Value]] = [[NOTHING if value is None else value for value in row] for row in question.answers]
    return list({json.dumps(row): row for row in rows}.values())


def best_first(found: Sequence[Candidate], rows: int) -> list[Candidate]:
    """Return the candidates with a hit: exact candidates first, then by F1; ties keep the given order.

    A candidate is exact if it returns all answers and nothing else, in exactly `rows` rows, the number of answers
    including repetitions.
    """

    def rank(candidate: Candidate) -> tuple[bool, float]:
        exact = candidate.rows == candidate.hits == rows and candidate.covered == candidate.answers
        return not exact, -candidate.f1

    return sorted((candidate for candidate in found if candidate.hits), key=rank)


def _compared(item: str, temporal: Collection[str]) -> str:
    found = _PROPERTY.fullmatch(item)
    return f"toString({item})" if found and found[1] in temporal else item


MAX_ENTITIES = 8
MAX_ENTITY_PAIRS = 12
INWARD, OUTWARD = ("<-[{}]-", "-[{}]->")


@dataclass(frozen=True, slots=True)
class Entity:
    """An entity to which a mention may refer: `Entity("Michael Mann", "Person", "Michael Mann")`.

    `key` is the property that holds the entity's name.
    """

    mention: str
    label: str
    name: str
    key: str = "name"


def enumerating(
    entities: Sequence[Entity], name_keys: Sequence[str], hops: int = 2
) -> tuple[list[str], dict[str, Any]]:
    """Return the queries that enumerate patterns, and their parameters.

    The queries are parts of a UNION ALL with the columns of `candidates.counting`. The caller adds the parameter
    `$names` with the answers. `name_keys` are the properties that name nodes. With `hops=1`, no chains of two
    relationships are enumerated. The column `found` holds the kind of the pattern, the numbers of its entities, its
    arrows, its types and its labels.
    """
    known = entities[:MAX_ENTITIES]
    parameters: dict[str, Any] = {}
    parts: list[str] = []
    groups: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, entity in enumerate(known):
        groups[entity.label, entity.key].append(number)
    for group, ((label, key), numbers) in enumerate(groups.items()):
        parameters[f"e{group}"] = [[number, known[number].name] for number in numbers]
        opened = f"UNWIND $e{group} AS e MATCH (m1:{quoted_name(label)} {{{quoted_name(key)}: e[1]}})"
        for second in (INWARD, OUTWARD):
            parts.append(
                f"{opened}{second.format('r1')}(n) "
                + _counted(f"'hop', e[0], -1, '{second}', '', type(r1), '', labels(n)[0], ''", name_keys)
            )
            for first in (INWARD, OUTWARD) if hops > 1 else ():
                parts.append(
                    f"{opened}{second.format('r1')}(m0){first.format('r0')}(n) "
                    + _counted(
                        f"'chain', e[0], -1, '{second}', '{first}', type(r1), type(r0), labels(n)[0], labels(m0)[0]",
                        name_keys,
                    )
                )
    pairs = [pair for pair in combinations(range(len(known)), 2) if known[pair[0]].mention != known[pair[1]].mention]
    for left, right in pairs[:MAX_ENTITY_PAIRS]:
        parameters |= {f"n{left}": known[left].name, f"n{right}": known[right].name}
        for first in (INWARD, OUTWARD):
            for second in (INWARD, OUTWARD):
                parts.append(
                    f"MATCH {_node('m0', known[left], left)}{first.format('r0')}(n), "
                    f"{_node('m1', known[right], right)}{second.format('r1')}(n) "
                    + _counted(
                        f"'fork', {left}, {right}, '{first}', '{second}', type(r0), type(r1), labels(n)[0], ''",
                        name_keys,
                    )
                )
    return parts, parameters


def enumerated(
    rows: Sequence[Sequence[Any]], entities: Sequence[Entity], keys_of: Mapping[str, str], answers: int
) -> Iterator[Candidate]:
    """Yield a candidate query for each row in the result of the queries that `enumerating` returns.

    `keys_of` maps a label to the property that names its nodes; rows with other labels are skipped. `answers` is the
    number of distinct answers.
    """
    for (kind, first, second, one_way, other_way, near_type, far_type, label, middle), total, hits, covered in rows:
        if label not in keys_of:
            continue
        n, end = f"(n:{quoted_name(label)})", f"{_named('m1', entities[first])}"
        # The patterns were enumerated starting at the entity;
        # they are written starting at `n`, so their arrows are reversed.
        arrow, beyond = (
            _reversed_arrow(one_way).format(f"r1:{quoted_name(near_type)}"),
            _reversed_arrow(other_way).format(f"r0:{quoted_name(far_type)}"),
        )
        if kind == "hop":
            pattern = f"{n}{arrow.replace('r1', 'r0', 1)}{_named('m0', entities[first])}"
        elif kind == "chain":
            pattern = f"{n}{beyond}(m0:{quoted_name(middle)}){arrow}{end}"
        else:
            arrow = _reversed_arrow(one_way).format(f"r0:{quoted_name(near_type)}")
            beyond = _reversed_arrow(other_way).format(f"r1:{quoted_name(far_type)}")
            pattern = f"{n}{arrow}{_named('m0', entities[first])},{n}{beyond}{_named('m1', entities[second])}"
        query = f"MATCH {pattern} WITH DISTINCT n RETURN n.{quoted_name(keys_of[label])}"
        yield Candidate(query, total, hits, covered, answers, source="enumerated")


def _counted(columns: str, name_keys: Sequence[str]) -> str:
    title = f"coalesce({', '.join(f'n.{quoted_name(key)}' for key in name_keys)}, '')"
    return (
        f"WITH DISTINCT [{columns}] AS found, n WITH found, {title} AS title RETURN found, count(*) AS rows, "
        "count(CASE WHEN title IN $names THEN 1 END) AS hits, "
        "count(DISTINCT CASE WHEN title IN $names THEN title END) AS covered"
    )


def _node(variable: str, entity: Entity, number: int) -> str:
    return f"({variable}:{quoted_name(entity.label)} {{{quoted_name(entity.key)}: $n{number}}})"


def _named(variable: str, entity: Entity) -> str:
    return f"({variable}:{quoted_name(entity.label)} {{{quoted_name(entity.key)}: {quoted_string(entity.name)}}})"


def _reversed_arrow(arrow: str) -> str:
    return {INWARD: OUTWARD, OUTWARD: INWARD}.get(arrow, "")


Value = str | int | float | bool | list[Any] | None


class QuestionFileError(ValueError):
    """A file that is not in a supported form; the message says which line and why."""


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """A question and the rows that answer it: `AnsweredQuestion("Who directed Heat?", (("Michael Mann",),))`.

    If a node is the answer, its row holds only the node's name.
    """

    question: str
    answers: tuple[tuple[Value, ...], ...]


def read_questions(path: Path) -> list[AnsweredQuestion]:
    """Return the questions of a file.

    CSV has the columns `question` and `answers`, JSON is a list of objects with these keys, JSON Lines has such an
    object in each line. `answers` is a list of names or of rows; in CSV it is written as JSON, or as names with `|`
    between them.

    Raises:
        QuestionFileError: the file is in none of these forms, or a question or its answers are missing or invalid.
        OSError: the file cannot be read.
    """
    records = _csv(path) if path.suffix.lower() == ".csv" else _json(path)
    return [_question(record, f"{path.name}, {place}") for place, record in records]


def _csv(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file)
        for record in reader:
            answers = (record.get("answers") or "").strip()
            try:
                listed = json.loads(answers) if answers.startswith("[") else answers.split("|") if answers else None
            except ValueError:
                listed = None
            yield f"line {reader.line_num}", {**record, "answers": listed}


def _json(path: Path) -> Iterator[tuple[str, Any]]:
    text = path.read_text(encoding="utf-8-sig")
    if text.lstrip().startswith("["):
        try:
            yield from ((f"entry {number}", record) for number, record in enumerate(json.loads(text), 1))
        except ValueError as error:
            raise QuestionFileError(f"{path.name} is not JSON: {error}") from None
        return
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                yield f"line {number}", json.loads(line)
            except ValueError as error:
                raise QuestionFileError(f"{path.name}, line {number}, is not JSON: {error}") from None


def _question(record: Any, place: str) -> AnsweredQuestion:
    if not isinstance(record, Mapping) or not isinstance(record.get("question"), str) or not record["question"].strip():
        raise QuestionFileError(f"{place}: there is no `question`")
    answers = record.get("answers")
    if not isinstance(answers, Sequence) or isinstance(answers, str) or not answers:
        raise QuestionFileError(f"{place}: `answers` must be a non-empty list of names or of rows")
    rows = [tuple(row) if isinstance(row, list) else (row,) for row in answers]
    if len({len(row) for row in rows}) > 1:
        raise QuestionFileError(f"{place}: the rows of `answers` have different lengths")
    if any(isinstance(value, dict) for row in rows for value in row):
        raise QuestionFileError(f"{place}: an answer is an object, not a text, a number, true, false, null or a list")
    return AnsweredQuestion(record["question"].strip(), tuple(rows))
