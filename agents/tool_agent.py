"""The tool agent: a model that calls the server's tools as an agent in an IDE does, within limits.

The model may call all tools of the server, until it replies without a call. When its turns or its tool calls run out,
the model is asked for its answer a last time, without tools.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path

from graphground.agents.conversation import Message, Outcome, ToolUse
from graphground.agents.replies import CUT, query_in, read_suggested_grammar, stance_in
from graphground.agents.session import BoundReached, Session, shortened
from graphground.prompts.agents import FOLDER, agent_messages

RUNS_QUERIES = "execute_cypher"
REPEATED = "This exact call was made before; its answer is above. Use that answer, or make a different call."
NO_MORE = "No more tool calls are possible. Answer now, with the query in a `cypher` block, from what you have."


class ToolAgent:
    """An agent whose model calls the server's tools: `await ToolAgent().answer(session)`."""

    name = "tools"

    def __init__(self, turns: int = 12, shown: int = 8_000, suggested: int = 0, prompts: Path = FOLDER) -> None:
        """Limit the number of replies with tool calls to `turns`, and each tool's answer to `shown` characters.

        If `suggested` is above 0 and the model ends without a query, it must choose one of at most `suggested`
        suggested queries in a last reply. A template in the folder `prompts` replaces the default of the same role.
        """
        self._turns, self._shown, self._suggested, self._prompts = turns, shown, suggested, prompts

    async def answer(self, session: Session) -> Outcome:
        """Let the model call tools until it replies without a call or reaches a limit, and return the outcome."""
        question = session.question
        graph = question.graph or "that is open"
        argument = "name that graph in every call" if question.graph else "leave out the argument `graph`"
        prompts = agent_messages("tool_agent", self._prompts, graph=graph, graph_argument=argument)
        messages = [*(Message("system", text) for _, text in prompts), Message("user", question.text)]
        offers = await session.tools()
        grammar = await read_suggested_grammar(session, self._suggested)
        names = [offer.name for offer in offers]
        last_query, seen = "", set[str]()
        text, stopped = "", "calls"
        try:
            for _ in range(self._turns):
                reply = await session.ask("tool_agent", messages, offers)
                messages.append(reply.as_message())
                if not reply.uses:
                    text, stopped = reply.text, "cut" if reply.is_cut else "answered"
                    break
                for use in reply.uses:
                    result, query = await self._call(session, use, seen, names, reply.finish)
                    last_query = query or last_query
                    messages.append(Message("tool", result, answers=use))
        except BoundReached as reached:
            stopped = reached.bound
            session.state("tools", str(reached), "stopped")
        outcome = _outcome(text, last_query, stopped)
        if stopped in ("answered", "cut") and not (outcome.error and grammar):
            return outcome
        try:  # llama.cpp's server accepts a grammar only in a request without tools
            # Providers refuse a conversation with unanswered calls.
            answered = {message.answers.id for message in messages if message.answers}
            closed: list[Message] = []
            for message in messages:
                closed.append(message)
                closed += [Message("tool", NO_MORE, answers=use) for use in message.uses if use.id not in answered]
            last = [*closed, Message("user", NO_MORE)]
            reply = await session.ask("tool_agent", last, grammar="" if last_query else grammar)
        except BoundReached:
            return outcome
        return _outcome(reply.text, last_query, stopped)

    async def _call(
        self, session: Session, use: ToolUse, seen: set[str], names: Collection[str], finish: str
    ) -> tuple[str, str]:
        """Call a tool, unless the same call was made before, or the model invented the tool or was cut in the call.

        Return the answer as the model sees it, and the executed query; the query is empty if none was executed.
        """
        if use.name not in names:
            session.state("tools", f"{use.name} does not exist", "not called")
            return f"There is no tool {use.name!r}. The tools are: {', '.join(names)}.", ""
        arguments = use.parsed()
        if arguments is None:
            why = f" because {CUT}: write less" if finish == "length" else ""
            return f"The arguments are not a JSON object{why}: {shortened(use.arguments, 200)}", ""
        same = f"{use.name} {json.dumps(arguments, sort_keys=True)}"
        if same in seen:
            session.state("tools", f"{use.name} repeated", "not called")
            return REPEATED, ""
        seen.add(same)
        answer = await session.call(use.name, arguments)
        query = arguments.get("query")
        executed = isinstance(query, str) and use.name == RUNS_QUERIES and not answer.failed
        return shortened(answer.text, self._shown), str(query) if executed else ""


def _outcome(text: str, last_query: str, stopped: str) -> Outcome:
    """Return the outcome of the last reply `text`: the query in it, or else `last_query`.

    Without a query, the outcome is an error, unless the reply has the stance `not_in_graph` or `ask`.
    """
    query, stance = ("" if stopped == "cut" else query_in(text)) or last_query, stance_in(text)
    if query or stance != "answer":
        return Outcome(cypher=query, text=text, stance=stance, stopped=stopped)
    reasons = {"answered": "the model answered without a query", "cut": CUT}
    reason = reasons.get(stopped, f"stopped at its limit on {stopped}")
    return Outcome(error=reason, text=text, stopped=stopped)
