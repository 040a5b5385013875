"""The multi-agent loop of Multi-Agent GraphRAG (arXiv 2511.08274), over the server's tools.

    generate ─► execute ─► evaluate ─┬─ accept ────────────────────────────────────► interpret
        ▲                            ├─ incorrect ──────────────────► aggregate ─┐
        │                            └─ error ─► extract ─► verify ─► instruct ─►┤
        └───────────────────────── while rounds are left ────────────────────────┘

A round is one pass through generate, execute and evaluate; there are at most four by default. A query that fails is
graded `error` without calling the evaluator. When the rounds, the calls, the tokens or the time run out, the best
attempt is the outcome: the attempt with the best grade. If several have the best grade, attempts that returned rows are
preferred, and among those the latest.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from rapidfuzz.distance import Levenshtein

from graphground.agents.conversation import Message, Outcome
from graphground.agents.replies import CUT, Grade, grade_in, list_in, literals_in, query_in, read_suggested_grammar
from graphground.agents.session import BoundReached, Session, shortened
from graphground.agents.zero_shot import SchemaForm, read_schema
from graphground.cypher.diagnostics import sentence
from graphground.prompts.agents import FOLDER, agent_messages

Role = Literal["generator", "evaluator", "extractor", "instructions", "aggregator", "interpreter"]
ROLES: tuple[Role, ...] = ("generator", "evaluator", "extractor", "instructions", "aggregator", "interpreter")
ROUNDS = 4
SHOWN_ROWS = 20
SHOWN_CHARACTERS = 4_000
_ORDER: dict[Grade, int] = {"accept": 2, "incorrect": 1, "error": 0}


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopSettings:
    """The settings of the loop, including its ablations: `LoopSettings(verification=False)`."""

    rounds: int = ROUNDS
    verification: bool = True
    """Whether the values and names of the query are checked after an error."""
    judge: bool = True
    """Whether a model grades the result; otherwise a query that returns rows is accepted."""
    form: SchemaForm = "enhanced"
    max_schema_tokens: int | None = None
    suggested: int = 0
    """The maximum number of suggested queries to which the generator is restricted; with 0, it may write any query."""
    prompts: Path = FOLDER
    """The folder of the prompt templates; a template here replaces the default of the same role."""
    judge_failures: bool = False
    """Whether the evaluator also grades queries that failed; otherwise their grade is `error`."""
    direct_feedback: bool = False
    """Whether the evaluator's reason for `incorrect` goes to the generator without the aggregator."""
    own_advice: bool = True
    """Whether the roles see the server's diagnostics and suggested queries; otherwise only rows and error messages."""

    @classmethod
    def paper(cls) -> LoopSettings:
        """Return the settings of the paper's Algorithm 1: a first query and up to four refinements, without our advice.

        The prompts are ours, since the paper's prompts were not available here.
        """
        return cls(rounds=1 + ROUNDS, judge_failures=True, direct_feedback=True, own_advice=False)


@dataclass(slots=True)
class Attempt:
    """One round of the loop: a query, the query's result, its grade and the reason for the grade."""

    number: int
    query: str
    result: str = ""
    """The rows or the error, as text for the other roles."""
    rows: int | None = None
    """The number of rows; None if the query did not run."""
    grade: Grade = "error"
    reason: str = ""

    def rank(self) -> tuple[bool, int, bool, bool, int]:
        """Return a sort key by which better attempts are greater."""
        return bool(self.query), _ORDER[self.grade], self.rows is not None, bool(self.rows), self.number


class MultiAgentLoop:
    """The agent of the multi-agent loop: `await MultiAgentLoop(LoopSettings()).answer(session)`."""

    name = "loop"

    def __init__(self, settings: LoopSettings | None = None) -> None:
        self._settings = settings or LoopSettings()

    async def answer(self, session: Session) -> Outcome:
        """Run the rounds, and return the outcome of the best attempt."""
        attempts: list[Attempt] = []
        stopped = "rounds"
        try:
            schema = await read_schema(session, self._settings.form, self._settings.max_schema_tokens)
            grammar, feedback = await read_suggested_grammar(session, self._settings.suggested), ""
            for number in range(1, self._settings.rounds + 1):
                attempts.append(await self._round(session, number, schema, feedback, grammar))
                if attempts[-1].grade == "accept":
                    stopped = "accepted"
                    break
                if number < self._settings.rounds:
                    feedback = await self._feedback(session, attempts)
        except BoundReached as reached:
            stopped = reached.bound
            session.state("bound", str(reached), "interpret")
        best = max(attempts, key=Attempt.rank, default=None)
        if best is None or not best.query:
            session.state("interpret", "no query", "done")
            reason = best.reason if best is not None else f"stopped at its limit on {stopped}"
            return Outcome(error=f"no query was written: {reason}", rounds=len(attempts), stopped=stopped)
        session.state("interpret", f"attempt {best.number}", "done")
        return Outcome(
            cypher=best.query,
            text=await self._interpretation(session, best),
            grade=best.grade,
            rounds=len(attempts),
            stopped=stopped,
        )

    async def _round(self, session: Session, number: int, schema: str, feedback: str, grammar: str) -> Attempt:
        messages = self._messages("generator", schema=schema, question=session.question.text, feedback=feedback)
        reply = await session.ask("generator", messages, grammar=grammar)
        attempt = Attempt(number, query_in(reply.text))
        if reply.is_cut:
            attempt.query = ""
        if not attempt.query:
            attempt.result = attempt.reason = CUT if reply.is_cut else "the reply holds no Cypher query"
            session.state("generate", f"round {number}", "no query")
        else:
            session.state("generate", f"round {number}", "execute")
            await self._execute(session, attempt)
        await self._evaluate(session, attempt, schema)
        return attempt

    async def _execute(self, session: Session, attempt: Attempt) -> None:
        advised = {"question": session.question.text} if self._settings.own_advice else {}
        arguments = session.question.on(query=attempt.query, limit=SHOWN_ROWS, **advised)
        answer = await session.call("execute_cypher", arguments)
        text = answer.text
        if not self._settings.own_advice:
            table = {name: answer.fields.get(name) for name in ("columns", "rows")}
            text = _message_of(text).partition("\n")[0] if answer.failed else json.dumps(table, ensure_ascii=False)
        attempt.result = shortened(text, SHOWN_CHARACTERS)
        if answer.failed:
            attempt.reason = text if not self._settings.own_advice else _message_of(answer.text)
            session.state("execute", f"round {attempt.number}", "failed")
            return
        attempt.rows = int(answer.fields["row_count"])
        session.state("execute", f"round {attempt.number}", f"rows: {attempt.rows}")

    async def _evaluate(self, session: Session, attempt: Attempt, schema: str) -> None:
        failed = attempt.rows is None
        if not failed or (attempt.query and self._settings.judge_failures):
            if not failed:
                attempt.grade, attempt.reason = ("accept", "") if attempt.rows else ("error", "the result is empty")
            if self._settings.judge:
                reply = await self._ask(
                    session,
                    "evaluator",
                    question=session.question.text,
                    schema=schema,
                    query=attempt.query,
                    result=attempt.result,
                )
                graded = grade_in(reply)
                if graded is not None:
                    attempt.grade, attempt.reason = graded
                else:  # the judge wrote prose: the result decides, as it does without a judge
                    session.state("evaluate", "no grade in the reply", attempt.grade)
        session.state("evaluate", f"round {attempt.number}", attempt.grade)

    async def _feedback(self, session: Session, attempts: Sequence[Attempt]) -> str:
        last = attempts[-1]
        if last.grade == "incorrect" and self._settings.direct_feedback:
            session.state("feedback", last.grade, "generate")
            return f"Feedback on the last query, which was:\n\n{last.query}\n\n{last.reason}"
        instructions = ""
        if last.grade == "error" and last.query and self._settings.verification:
            instructions = await self._instructions(session, last)
        session.state("aggregate", last.grade, "generate")
        merged = await self._ask(
            session,
            "aggregator",
            question=session.question.text,
            attempts="\n\n".join(
                f"Attempt {attempt.number}, {attempt.grade}:\n{attempt.query or '(no query)'}" for attempt in attempts
            ),
            judgement=f"{last.grade}: {last.reason or 'no reason given'}",
            instructions=instructions or "none",
        )
        return f"Feedback on the attempts so far; the last one was:\n\n{last.query or '(no query)'}\n\n{merged}"

    async def _instructions(self, session: Session, attempt: Attempt) -> str:
        reply = await self._ask(session, "extractor", query=attempt.query)
        values = values_in(reply, attempt.query)
        session.state("extract", f"round {attempt.number}", f"values: {len(values)}")
        findings = await verify(session, values)
        named = await check_names(session, attempt.query) if self._settings.own_advice else []
        findings += named
        session.state("verify", f"round {attempt.number}", f"findings: {len(findings)}")
        if attempt.reason and not named:  # databases refuse queries in which the checks find nothing wrong
            failed = "The query failed" if attempt.rows is None else "The query's result was rejected"
            findings.append(f"{failed}: {attempt.reason}")
        instructions = await self._ask(
            session,
            "instructions",
            question=session.question.text,
            query=attempt.query,
            findings="\n".join(f"- {finding}" for finding in findings) or "- the checks found no problem",
        )
        session.state("instruct", f"round {attempt.number}", "aggregate")
        return instructions

    async def _interpretation(self, session: Session, attempt: Attempt) -> str:
        try:
            return await self._ask(
                session,
                "interpreter",
                question=session.question.text,
                query=attempt.query,
                result=attempt.result or "(it was not run)",
            )
        except BoundReached:
            return ""

    async def _ask(self, session: Session, role: Role, **values: str) -> str:
        return (await session.ask(role, self._messages(role, **values))).text

    def _messages(self, role: Role, **values: str) -> list[Message]:
        return [Message(name, text) for name, text in agent_messages(role, self._settings.prompts, **values)]


def _message_of(failure: str) -> str:
    try:
        return str(json.loads(failure)["message"])
    except (ValueError, KeyError, TypeError):
        return " ".join(failure.split())[:300]


CANDIDATES = 5
MAX_VALUES = 10
MAX_VALUE_CHARACTERS = 200


Value = tuple[str, str, str]
"""A value of a query with its label and its property, which may be empty: `("Chicago Bulls", "Team", "name")`."""


def values_in(reply: str, query: str) -> list[Value]:
    """Return the values of a query that the extractor's reply lists; if there are none, the query's string literals.

    At most `MAX_VALUES` are returned.

    >>> values_in("I see none.", "MATCH (t:Team {name: 'Bulls'}) RETURN t")
    [('Bulls', '', '')]
    """
    found = [_value(entry) for entry in list_in(reply) or ()]
    values = [value for value in found if value[0].strip() and value[0] in query]
    # If the model lists texts that the query does not contain, or no text although it contains some, ignore its reply.
    return (values or [(text, "", "") for text in literals_in(query)])[:MAX_VALUES]


def _value(entry: Any) -> Value:
    if isinstance(entry, Mapping):
        return str(entry.get("value") or ""), str(entry.get("label") or ""), str(entry.get("property") or "")
    return (entry if isinstance(entry, str) else ""), "", ""


async def verify(session: Session, values: Sequence[Value]) -> list[str]:
    """Look up the values with one call of `find_entities` per combination of label and property; return sentences.

    If the call fails, it is repeated without label and property. Longer values than
    `MAX_VALUE_CHARACTERS`, and values that cannot be looked up, are left out.
    """
    groups: dict[tuple[str, str], dict[str, None]] = {}
    for text, label, name in values:
        if len(text) <= MAX_VALUE_CHARACTERS:
            groups.setdefault((label, name), {})[text] = None
    sentences: list[str] = []
    for (label, name), texts in groups.items():
        scope = {"label": label} if label else {}
        scope |= {"property": name} if name and label else {}
        arguments = session.question.on(mentions=list(texts), limit=CANDIDATES)
        answer = await session.call("find_entities", arguments | scope)
        if answer.failed and scope:  # the model named a label or a property that does not exist
            answer = await session.call("find_entities", arguments)
        where = f" ({label}.{name or 'name'})" if label else ""
        sentences += [_verdict(found, where) for found in (() if answer.failed else answer.fields["mentions"])]
    return sentences


def _verdict(mention: Mapping[str, Any], where: str) -> str:
    """Return a sentence that says whether a value exists, and if not, which stored values resemble it.

    The similarity is 1 minus the normalised Levenshtein distance, ignoring case.
    """
    text = str(mention["mention"])
    if any(entry["name"] == text for entry in mention["candidates"]):
        return f"{text!r}{where} exists."
    nearest = [
        (Levenshtein.normalized_similarity(text.casefold(), str(entry["name"]).casefold()), entry)
        for entry in mention["candidates"]
    ]
    if not nearest:
        return f"{text!r}{where} does not exist, and nothing similar does."
    described = "; ".join(
        f"{entry['name']!r} ({entry['label']}.{entry['property']}, {entry['match']}, similarity {similarity:.2f})"
        for similarity, entry in sorted(nearest, key=lambda pair: -pair[0])
    )
    return f"{text!r}{where} does not exist. Nearest: {described}."


async def check_names(session: Session, query: str) -> list[str]:
    """Return a sentence for each error and warning of `validate_cypher`, and one with the suggested query, if any."""
    answer = await session.call("validate_cypher", session.question.on(query=query, question=session.question.text))
    if answer.failed:
        return []
    sentences = [
        f"line {found.get('line', 1)}: {sentence(found['message'])}{_correction(found)}"
        for found in answer.fields.get("diagnostics", ())
        if found.get("severity") != "hint"
    ]
    if answer.fields.get("suggested_query"):
        sentences.append(f"Probably meant: {answer.fields['suggested_query']}")
    return sentences


def _correction(found: Mapping[str, Any]) -> str:
    """Return the sentence with the suggestions of a diagnostic, after a space; empty if it has none."""
    suggestions = [str(suggestion) for suggestion in found.get("suggestions", ())][:3]
    if suggestions == [""]:
        return f" Delete {found['found']!r}."
    return f" Instead: {' or '.join(suggestions)}." if suggestions else ""
