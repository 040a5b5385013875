"""A scripted language model for the snippets of frameworks: one tool call, then the answer.

The answer is built from the tool's result, so that a client that loses the result is detected.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.scripted_endpoint import Answer, Asked, ScriptedEndpoint, fail, say, use

TOOL = "execute_cypher"


def reply(asked: Asked) -> Answer:
    """Call the tool, then say the number in its result; a request that does not offer the tool is an error."""
    # A client may offer the tool under a longer name, such as `mcp__graphground__execute_cypher`.
    names = re.findall(rf'"name": "(\w*{TOOL})"', json.dumps(asked.body.get("tools", [])))
    if not names:
        return fail(400, "no_tool")
    rows = re.search(r"rows\W+(\d+)", json.dumps(asked.body))
    if rows:
        return say(f"There are {rows[1]} teams.")
    return use(names[0], graph="nba", query="MATCH (t:Team) RETURN count(t) AS teams")


@contextmanager
def scripted_model() -> Iterator[dict[str, str]]:
    """Run the model on a free port; yield the environment variables by which the libraries find it."""
    with ScriptedEndpoint(reply) as endpoint:
        yield {
            "OPENAI_BASE_URL": endpoint.openai,
            "OPENAI_API_BASE": endpoint.openai,
            "OPENAI_API_KEY": "none",
            "ANTHROPIC_BASE_URL": endpoint.anthropic,
            "ANTHROPIC_API_KEY": "none",
            "OPENAI_AGENTS_DISABLE_TRACING": "1",
        }
