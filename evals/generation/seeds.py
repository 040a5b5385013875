"""Makes tasks from the questions that people really asked: each wording, with other names of the same labels.

    tasks, report = grow(graph, read_seeds(Path("calls.jsonl")), 200, seed=7)

A seed is a question with its query: a record of a task file, or in a recorded trace a question and the last query that
found rows for it. A name that stands in both is replaced by other names of its label with which the query has an
answer, so a wording becomes several tasks, and no private name need remain. Tasks are balanced over graph patterns and
difficulty. PIPE-Cypher (arXiv 2606.08481) grows a benchmark from seeds too, but lets a model write and judge queries.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from graphground.cypher import CypherSyntaxError, parse
from graphground.cypher import tree as t
from graphground.cypher.quoting import quoted_name
from graphground.evals.generation.candidates import Answers
from graphground.evals.metrics.executable import check
from graphground.evals.tasks.classify import classify
from graphground.evals.tasks.harden import names_in, names_once, replace_texts
from graphground.evals.tasks.task import Task, TaskError, read_records
from graphground.graphs.graph import Graph

MAX_ROWS, SAMPLED_NAMES, TRIED = 100_000, 2_000, 20


def read_seeds(path: Path) -> list[tuple[str, str]]:
    """Return the questions of a task file or of a trace, each with its query, without repetition.

    Raises:
        TaskError: the file cannot be read, or no question in it has a query.
    """
    found: dict[tuple[str, str], None] = {}
    asked: dict[str, str] = {}
    for record in read_records(path):
        session, given = str(record.get("session")), record.get("arguments") or record.get("input")
        given, answer = given if isinstance(given, dict) else {}, record.get("answer", record.get("output"))
        question = given.get("question") or record.get("nl_question") or record.get("question")
        query = record.get("gold_cypher") or record.get("cypher")
        if record.get("name") == "execute_cypher" and isinstance(answer, Mapping) and answer.get("rows"):
            query = given.get("query")
        elif record.get("kind") == "prediction" and isinstance(answer, Mapping):
            query = answer.get("cypher")
        if isinstance(question, str) and question.strip():
            asked[session] = question
        if isinstance(query, str) and session in asked and not record.get("failed"):
            if "kind" in record:  # the last query of a question is its answer
                found = {seed: None for seed in found if seed[0] != asked[session]}
            found[asked[session], query] = None
    if not found:
        raise TaskError(f"{path} has no question with a query: give `question` and `cypher`, or a trace of calls")
    return list(found)


def difficulty_of(query: str) -> str:
    """Return `easy`, `medium` or `hard`, by the relationships, aggregates and further clauses of a query.

    >>> difficulty_of("MATCH (m:Movie {name: 'Heat'})-[:directedBy]->(p) RETURN p.name")
    'easy'
    """
    tree = parse(query)
    clauses = [*tree.find(t.Match), *tree.find(t.With), *tree.find(t.Unwind), *tree.find(t.CallSubquery)]
    steps = len(list(tree.find(t.RelationshipPattern))) + len(clauses) + len(list(tree.find(t.FunctionCall)))
    return "easy" if steps <= 2 else "medium" if steps <= 4 else "hard"


def grow(
    graph: Graph,
    seeds: Iterable[tuple[str, str]],
    count: int,
    seed: int = 0,
    *,
    private: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[list[Task], dict[str, Any]]:
    """Return at most `count` tasks, and a report on their balance, their diversity and the seeds without a task.

    With `private`, every text of a seed's query is replaced: a seed with a text that cannot be replaced has no task.

    Raises:
        EngineUnavailable: the graph cannot be queried.
    """
    dice, answers = random.Random(seed), Answers(graph)
    sources: dict[tuple[str, str], list[Iterator[Task]]] = defaultdict(list)
    unused: Counter[str] = Counter()
    for question, query in seeds:
        try:
            group = classify(query)[0], difficulty_of(query)
        except CypherSyntaxError:
            unused["the query cannot be parsed"] += 1
            continue
        texts = {literal.value for literal in parse(query).find(t.StringLiteral)}
        if private and texts - {name for _, name in _replaceable(question, query, graph)}:
            unused["a text in the query cannot be replaced"] += 1
            continue
        sources[group].append(_tasks_of(graph, question, query, private, dice, answers))
    tasks: list[Task] = []
    counts: Counter[tuple[str, str]] = Counter()
    while sources and len(tasks) < count:
        group = min(sources, key=lambda group: (counts[group], group))
        source = sources[group].pop(0)
        task = next(source, None)
        if task is not None:
            counts[group] += 1
            tasks.append(replace(task, qid=f"{graph.name}-seed-{len(tasks):05}"))
            sources[group].append(source)  # the next task of the group has another wording, if there is one
            progress(len(tasks), count)
        elif not sources[group]:
            del sources[group]
    return tasks, {**_describe(tasks, graph), "unused": dict(unused)}


def _replaceable(question: str, query: str, graph: Graph) -> list[tuple[str, str]]:
    """Return the labels and names of a query that the question states once, and that may be other names."""
    return [
        (label, name)
        for label, name in dict.fromkeys(names_once(question, query, graph))
        if "name" in graph.schema.labels[label].properties
    ]


def _tasks_of(
    graph: Graph, question: str, query: str, private: bool, dice: random.Random, answers: Answers
) -> Iterator[Task]:
    """Yield the task of a seed, unless its names are private, then those with other names."""
    replaceable = _replaceable(question, query, graph)
    known: dict[str, list[str]] = {}
    for label, _ in replaceable:
        read = f"MATCH (n:{quoted_name(label)}) WHERE n.name IS NOT NULL RETURN DISTINCT n.name AS name ORDER BY name"
        known[label] = [row[0] for row in answers.rows(read, SAMPLED_NAMES) or () if isinstance(row[0], str)]
    made: set[str] = set()
    for attempt in range(1 if not replaceable else TRIED):
        chosen = {name: dice.choice(known[label] or [name]) for label, name in replaceable}
        if attempt == 0 and not private:
            chosen = {name: name for name in chosen}
        elif any(name == other for name, other in chosen.items()) or len(set(chosen.values())) < len(chosen):
            continue
        gold = replace_texts(query, chosen)
        parts = re.split("|".join(rf"(?<!\w)({re.escape(name)})(?!\w)" for name in chosen) or "(?!)", question)
        asked = "".join(chosen.get(part, part) for part in parts if part)
        found_wrong = any(found.severity == "error" for found in check(graph, gold).diagnostics)
        rows = None if found_wrong else answers.rows(gold, MAX_ROWS)
        if gold not in made and rows and any(value not in (None, 0, []) for row in rows for value in row):
            made.add(gold)
            pattern, template = classify(gold)
            yield Task("", graph.name, asked, gold, pattern=pattern, template=template, variant="seed")


def _describe(tasks: list[Task], graph: Graph) -> dict[str, Any]:
    """Return how the tasks are spread: over patterns, difficulty, wordings, word pairs, labels and types."""
    pairs = Counter(
        pair for task in tasks for pair in zip(task.question.split(), task.question.split()[1:], strict=False)
    )
    used = {name.text for task in tasks for name in parse(task.gold).find(t.Name)}
    wordings = {
        re.sub("|".join(re.escape(name) for _, name in names_in(task.gold)) or "(?!)", "…", task.question)
        for task in tasks
    }
    types = {pattern.type for pattern in graph.schema.patterns}
    return {
        "patterns": len({task.pattern for task in tasks}),
        "difficulty": dict(sorted(Counter(difficulty_of(task.gold) for task in tasks).items())),
        "wordings": len(wordings),
        "distinct_word_pairs": round(len(pairs) / pairs.total(), 3) if pairs else 0.0,
        "labels": f"{len(used & graph.schema.labels.keys())} of {len(graph.schema.labels)}",
        "types": f"{len(used & types)} of {len(types)}",
    }
