"""The sentences about a checked query that go into a prompt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from graphground.agents.conversation import Question
from graphground.agents.multi_agent_loop import check_names
from graphground.agents.server_connection import ServerConnection, ToolAnswer
from graphground.agents.session import Bounds, Session
from graphground.agents.trace import Trace


class Checked(ServerConnection):
    """A server that answers `validate_cypher` with one error."""

    def __init__(self, message: str, suggestions: list[str]) -> None:
        """Take the message and the suggestions of the error."""
        self.finding = {"severity": "error", "line": 1, "message": message, "found": "=", "suggestions": suggestions}

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolAnswer:
        return ToolAnswer(tool, "", {"diagnostics": [self.finding]})


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("message", "suggestions", "sentence"),
    [
        ("the variable `m` is not defined", ["n", "x"], "line 1: the variable `m` is not defined. Instead: n or x."),
        ("'=' is not allowed here.", [""], "line 1: '=' is not allowed here. Delete '='."),
        ("There is no label 'Movi'.", ["Movie"], "line 1: There is no label 'Movi'. Instead: Movie."),
        ("Did you mean RETURN?\n    RETRUN 1\n    ^", [], "line 1: Did you mean RETURN?"),
        ("expected '-'\n    (a)(b)\n       ^", [], "line 1: expected '-'."),
    ],
)
async def test_a_message_becomes_one_sentence_and_its_suggestions_another(
    message: str, suggestions: list[str], sentence: str
) -> None:
    session = Session(Question("q", "nba", "?"), Checked(message, suggestions), {}, Bounds(), Trace())
    assert await check_names(session, "RETURN 1") == [sentence]
