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
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from graphground.agents.conversation import Message
from graphground.agents.question import Outcome
from graphground.agents.replies import Grade, grade_in, query_in
from graphground.agents.session import BoundReached, Session
from graphground.agents.suggested import suggested_grammar
from graphground.agents.trace import shortened
from graphground.agents.verification import check_names, values_in, verify
from graphground.agents.zero_shot import SchemaForm, read_schema
from graphground.prompts.agents import FOLDER, agent_prompt

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

    @classmethod
    def single_pass(cls) -> LoopSettings:
        """Return the settings for one round, without evaluator and verification."""
        return cls(rounds=1, judge=False, verification=False)


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
            grammar, feedback = await suggested_grammar(session, self._settings.suggested), ""
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
        prompt = self._prompt("generator", schema=schema, question=session.question.text, feedback=feedback)
        reply = await session.ask("generator", [Message("user", prompt)], grammar=grammar)
        attempt = Attempt(number, query_in(reply.text))
        if not attempt.query:
            attempt.result = attempt.reason = "the reply holds no Cypher query"
            session.state("generate", f"round {number}", "no query")
        else:
            session.state("generate", f"round {number}", "execute")
            await self._execute(session, attempt)
        await self._evaluate(session, attempt, schema)
        return attempt

    async def _execute(self, session: Session, attempt: Attempt) -> None:
        answer = await session.call(
            "execute_cypher", session.question.on(query=attempt.query, question=session.question.text, limit=SHOWN_ROWS)
        )
        attempt.result = shortened(answer.text, SHOWN_CHARACTERS)
        if answer.failed:
            attempt.reason = _message_of(answer.text)
            session.state("execute", f"round {attempt.number}", "failed")
            return
        attempt.rows = int(answer.fields["row_count"])
        session.state("execute", f"round {attempt.number}", f"rows: {attempt.rows}")

    async def _evaluate(self, session: Session, attempt: Attempt, schema: str) -> None:
        if attempt.rows is not None:
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
        findings = [verified.sentence() for verified in await verify(session, values)]
        named = await check_names(session, attempt.query)
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
        return (await session.ask(role, [Message("user", self._prompt(role, **values))])).text

    def _prompt(self, role: Role, **values: str) -> str:
        return agent_prompt(role, self._settings.prompts, **values)


def _message_of(failure: str) -> str:
    """Return the message of a tool's failure; `failure` is the failure as JSON text."""
    try:
        return str(json.loads(failure)["message"])
    except (ValueError, KeyError, TypeError):
        return " ".join(failure.split())[:300]
