"""The tool agent: a model that calls the server's tools as an agent in an IDE does, within limits.

The model may call all tools of the server, until it replies without a call. When its turns or its tool calls run out,
the model is asked for its answer a last time, without tools.
"""

from __future__ import annotations

import json

from graphground.agents.conversation import Message, ToolUse
from graphground.agents.question import Outcome
from graphground.agents.replies import query_in, stance_in
from graphground.agents.session import BoundReached, Session
from graphground.agents.suggested import suggested_grammar
from graphground.agents.trace import shortened
from graphground.prompts.agents import agent_prompt

RUNS_QUERIES = "execute_cypher"
REPEATED = "This exact call was made before; its answer is above. Use that answer, or make a different call."
NO_MORE = "No more tool calls are possible. Answer now, with the query in a `cypher` block, from what you have."


class ToolAgent:
    """An agent whose model calls the server's tools: `await ToolAgent().answer(session)`."""

    name = "tools"

    def __init__(self, turns: int = 12, shown: int = 8_000, suggested: int = 0) -> None:
        """Limit the number of replies with tool calls to `turns`, and each tool's answer to `shown` characters.

        If `suggested` is above 0 and the model ends without a query, it must choose one of at most `suggested`
        suggested queries in a last reply.
        """
        self._turns, self._shown, self._suggested = turns, shown, suggested

    async def answer(self, session: Session) -> Outcome:
        """Let the model call tools until it replies without a call or reaches a limit, and return the outcome."""
        question = session.question
        graph = question.graph or "that is open"
        argument = "name that graph in every call" if question.graph else "leave out the argument `graph`"
        prompt = agent_prompt("tool_agent", graph=graph, graph_argument=argument)
        messages = [Message("system", prompt), Message("user", question.text)]
        offers = await session.tools()
        grammar = await suggested_grammar(session, self._suggested)
        last_query, seen = "", set[str]()
        text, stopped = "", "calls"
        try:
            for _ in range(self._turns):
                reply = await session.ask("tool_agent", messages, offers)
                messages.append(reply.as_message())
                if not reply.uses:
                    text, stopped = reply.text, "answered"
                    break
                for use in reply.uses:
                    result, query = await self._call(session, use, seen)
                    last_query = query or last_query
                    messages.append(Message("tool", result, answers=use))
        except BoundReached as reached:
            stopped = reached.bound
            session.state("tools", str(reached), "stopped")
        outcome = _outcome(text, last_query, stopped)
        if stopped == "answered" and not (outcome.error and grammar):
            return outcome
        try:  # llama.cpp's server accepts a grammar only in a request without tools
            last = [*_closed(messages), Message("user", NO_MORE)]
            reply = await session.ask("tool_agent", last, grammar="" if last_query else grammar)
        except BoundReached:
            return outcome
        return _outcome(reply.text, last_query, stopped)

    async def _call(self, session: Session, use: ToolUse, seen: set[str]) -> tuple[str, str]:
        """Call a tool, unless the same call was made before.

        Return the answer as the model sees it, and the executed query; the query is empty if none was executed.
        """
        arguments = use.parsed()
        if arguments is None:
            return f"The arguments are not a JSON object: {shortened(use.arguments, 200)}", ""
        same = f"{use.name} {json.dumps(arguments, sort_keys=True)}"
        if same in seen:
            session.state("tools", f"{use.name} repeated", "not called")
            return REPEATED, ""
        seen.add(same)
        answer = await session.call(use.name, arguments)
        query = arguments.get("query")
        executed = isinstance(query, str) and use.name == RUNS_QUERIES and not answer.failed
        return shortened(answer.text, self._shown), str(query) if executed else ""


def _closed(messages: list[Message]) -> list[Message]:
    """Return the conversation with an answer to every tool call, since providers refuse unanswered calls."""
    answered = {message.answers.id for message in messages if message.answers}
    closed: list[Message] = []
    for message in messages:
        closed.append(message)
        closed += [Message("tool", NO_MORE, answers=use) for use in message.uses if use.id not in answered]
    return closed


def _outcome(text: str, last_query: str, stopped: str) -> Outcome:
    """Return the outcome of the last reply `text`: the query in it, or else `last_query`.

    Without a query, the outcome is an error, unless the reply has the stance `not_in_graph` or `ask`.
    """
    query, stance = query_in(text) or last_query, stance_in(text)
    if query or stance != "answer":
        return Outcome(cypher=query, text=text, stance=stance, stopped=stopped)
    reason = "the model answered without a query" if stopped == "answered" else f"stopped at its limit on {stopped}"
    return Outcome(error=reason, text=text, stopped=stopped)
