"""A script for `ScriptedEndpoint` that replies by role: each role of the agents has a list of replies, or a function.

script_of({"generator": ["MATCH (t:Team) RETURN count(t)"], "evaluator": ["GRADE: accept"]})
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tests.support.scripted_endpoint import Answer, Asked, say

OPENINGS = {
    "zero_shot": "Translate the question into one Cypher query",
    "tool_agent": "By calling tools, you answer questions about the property graph",
    "generator": "Write one Cypher query that answers the question",
    "evaluator": "Judge whether a query and its result answer",
    "extractor": "List the values in this query",
    "instructions": "A query was checked against the graph",
    "aggregator": "Merge what was found about the attempts",
    "interpreter": "Answer the question in one or two sentences",
}
"""The first words of each role's prompt."""
Replies = Sequence[str | Answer] | Callable[[Asked], Answer]


def role_of(request: Asked) -> str:
    """Return the role that sent a request."""
    return next(role for role, opening in OPENINGS.items() if request.text.startswith(opening))


def script_of(roles: Mapping[str, Replies]) -> Callable[[Asked], Answer]:
    """Return a script that gives each role's replies in turn, repeating the last;
    a role without replies gets `done`."""
    counts: dict[str, int] = {}

    def script(request: Asked) -> Answer:
        role = role_of(request)
        replies = roles.get(role, ("done",))
        if callable(replies):
            return replies(request)
        counts[role] = counts.get(role, 0) + 1
        reply = replies[min(counts[role], len(replies)) - 1]
        return say(reply) if isinstance(reply, str) else reply

    return script
