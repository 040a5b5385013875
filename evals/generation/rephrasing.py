"""Rephrases the raw questions of tasks with a language model, which also verifies the new questions in up to 3 rounds.

    raw        What are the names of movies with "directed by" the person Michael Mann?
    rephrased  Which movies did Michael Mann direct?

CypherBench (arXiv 2412.18702, §4.4 and Table 9) rewrites the question of a template with a model, and has a model
verify and revise it three times. Here a round begins with checks that need no model: the new question must be one line
without code, and must keep every name, number and date that the query and the raw question both contain. A question is
accepted only if the model then finds that the question and the query mean the same; otherwise the raw question is kept,
with the reason. The model is a function from a prompt to a reply, so that any client can be used.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from graphground.cypher import CypherSyntaxError, parse
from graphground.cypher import tree as t
from graphground.evals.runs.runner import for_each
from graphground.evals.tasks.task import Task
from graphground.prompts.tasks import task_prompt

ROUNDS = 3
Ask = Callable[[str], Awaitable[str]]
"""A function that sends a prompt to a model and returns the reply, or raises `NoReply` or `RephrasingStopped`."""

_LINE = re.compile(r"^\W*question\W*:[\s*_`\"“]*(?P<text>\S[^\n]*)$", re.IGNORECASE | re.MULTILINE)
_VERDICT = re.compile(r"^\W*verdict\W*:\W*(same|different)\b", re.IGNORECASE | re.MULTILINE)
_CODE = re.compile(r"->|<-|\)-|-\(|[`{}]|<\||\bMATCH\s*\(|\b[a-z]\w*\.[a-z]\w*\s|\b[a-z]+[A-Z]\w*|\w_\w")
"""A pattern for code in a question: patterns, property look-ups, schema names (`hasCastMember`, `runtime_minute`)."""
_NUMBER = re.compile(r"\d+(?:[.,]\d{3})*(?:\.\d+)?")
_DATE = re.compile(r"(\d{4})-\d\d-\d\d")
_QUOTES = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-"})


class NoReply(ValueError):
    """The error for a prompt to which the model gave no usable reply; other prompts may succeed."""


class RephrasingStopped(ValueError):
    """The error for a failure that affects all prompts, such as a refused key or an unreachable endpoint.

    If `ask` caches its replies, call `rephrase` again to resume the work.
    """


@dataclass(frozen=True, slots=True)
class Rephrased:
    """A task after rephrasing: with the new question, or with the raw question and the reason for keeping it."""

    task: Task
    rounds: int = 0
    problem: str = ""
    """Why the raw question was kept: a kind and, after a colon, the detail; empty if the question was rephrased."""
    last: str = ""
    """The last question that the model wrote."""

    @property
    def kind(self) -> str:
        """The problem without its detail; empty if the question was rephrased."""
        return self.problem.partition(":")[0]

    def as_record(self) -> dict[str, Any]:
        """Return the result as a record of the report, which has one line per task."""
        return {
            "qid": self.task.qid,
            "rephrased": not self.problem,
            "rounds": self.rounds,
            "problem": self.problem or None,
            "raw": self.task.raw_question,
            "last": self.last,
        }


async def rephrase(
    tasks: Sequence[Task],
    ask: Ask,
    *,
    workers: int = 4,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Rephrased]:
    """Rephrase the questions of tasks, with at most `1 + ROUNDS` requests per task; return results in task order.

    Raises:
        RephrasingStopped: the model cannot be used. Nothing is returned, but `ask` may have cached its replies.
    """
    found: dict[int, Rephrased] = {}

    async def work(place: int) -> None:
        found[place] = await rephrase_task(tasks[place], ask)
        progress(len(found), len(tasks))

    try:
        await for_each(range(len(tasks)), work, workers)
    except RephrasingStopped as stop:
        raise RephrasingStopped(
            f"{stop}. Questions processed: {len(found)} of {len(tasks)}; run the same command again to continue."
        ) from None
    return [found[place] for place in range(len(tasks))]


async def rephrase_task(task: Task, ask: Ask) -> Rephrased:
    """Rephrase the question of one task, and verify the new question in up to `ROUNDS` rounds."""
    raw = task.raw_question or task.question
    unchanged = replace(task, question=raw, raw_question=raw)
    if task.variant:
        return Rephrased(task, problem="a harder variant: rephrase the tasks first, then make their variants")
    try:
        literals = list(literals_of(task.gold, raw))
    except CypherSyntaxError as error:
        return Rephrased(unchanged, problem=f"the gold query cannot be parsed: {error}")
    copied = _quoted(literals) or "none"
    question, problem, number = "", "", 0
    try:
        question = question_in(await ask(task_prompt("rephrase", raw=raw, query=task.gold, kept=copied)))
        for number in range(1, ROUNDS + 1):
            problem = problem_of(question, raw, literals)
            notice = ""
            if problem:
                notice = f"An automatic check found a problem with the question. {problem[0].upper()}{problem[1:]}."
            reply = await ask(
                task_prompt("verify", question=question, query=task.gold, raw=raw, kept=copied, problem=notice)
            )
            verdict = _VERDICT.search(reply)
            if verdict is not None and verdict[1].lower() == "same" and not problem:
                return Rephrased(replace(unchanged, question=question), number, last=question)
            corrected = question_in(reply)
            if not problem:
                problem = "not verified" if verdict is not None else "no verdict: the reply has no line `VERDICT:`"
            if not corrected or corrected == question:
                break
            question = corrected
    except NoReply as failure:
        return Rephrased(unchanged, number, f"no reply: {failure}", question)
    return Rephrased(unchanged, number, problem_of(question, raw, literals) or problem, question)


def literals_of(gold: str, raw: str) -> Iterator[str]:
    """Yield the names, numbers and dates that both a query and its raw question contain, each once.

    >>> list(literals_of("MATCH (m:Movie {name: 'Heat'}) WHERE m.year > 1990 RETURN m LIMIT 1", "Heat after 1990?"))
    ['Heat', '1990']

    Raises:
        CypherSyntaxError: the query cannot be parsed.
    """
    body = parse(gold).body
    texts = [literal.value for literal in body.find(t.StringLiteral)]
    numbers = [literal.value for literal in body.find(t.IntegerLiteral)]
    fractions = [literal.value for literal in body.find(t.FloatLiteral)]
    without_dates = _DATE.sub(" ", raw)
    stated = [text for text in texts if text.strip() and _states(raw, text)]
    yield from dict.fromkeys(
        [*stated, *(text for text in map(str, [*numbers, *fractions]) if _states(without_dates, text))]
    )


def problem_of(question: str, raw: str, literals: Sequence[str]) -> str:
    """Return the first problem that checks without a model find in a question; empty if they find none.

    >>> problem_of("Which movies did Mann direct?", "movies with ...", ["Michael Mann"])
    'a name or value is missing: "Michael Mann"'
    """
    if not question:
        return "no question: the reply has no line `QUESTION:`"
    # The values themselves may look like code.
    text = question
    for literal in literals:
        text = re.sub(re.escape(literal), " ", text, flags=re.IGNORECASE)
    if _CODE.search(text):
        return "code in the question: it must be plain English"
    if len(question.split()) < 3 or not question.rstrip("\"'”’ ").endswith(("?", ".")):
        return "not a sentence: it must have at least three words, and end with a question mark or a full stop"
    if len(question) > 100 + 2 * len(raw):
        return "too long: it is more than twice as long as the raw question"
    missing = _quoted(literal for literal in literals if not _states(question, literal))
    return f"a name or value is missing: {missing}" if missing else ""


def question_in(reply: str) -> str:
    """Return the question in a model's reply: the last line `QUESTION: …`; empty if there is no such line.

    >>> question_in("VERDICT: different\\nQUESTION: Which movies did Michael Mann direct?")
    'Which movies did Michael Mann direct?'
    """
    found = [match["text"] for match in _LINE.finditer(reply)]
    return " ".join(found[-1].strip(' \t\r*_`"”').split()) if found else ""


def kinds_of(rephrased: Sequence[Rephrased]) -> dict[str, tuple[int, Rephrased]]:
    """Map each kind of problem to its number of occurrences and its first example, the most frequent kind first."""
    counts = Counter(result.kind for result in rephrased if result.problem)
    first = {result.kind: result for result in reversed(rephrased)}
    return {kind: (count, first[kind]) for kind, count in counts.most_common()}


def _states(text: str, literal: str) -> bool:
    """Whether a text states a value: a name in any case, a number with or without separators,
    or at least the year of a date."""
    date = _DATE.fullmatch(literal)
    if date is not None:
        return date[1] in text
    if _NUMBER.fullmatch(literal.lstrip("-")):
        return float(literal.lstrip("-")) in {float(found.replace(",", "")) for found in _NUMBER.findall(text)}
    return re.search(rf"(?<!\w){re.escape(_folded(literal))}(?!\w)", _folded(text)) is not None


def _quoted(literals: Iterable[str]) -> str:
    return ", ".join(f'"{literal}"' for literal in literals)


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).translate(_QUOTES).casefold().split())
