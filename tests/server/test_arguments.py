from typing import Annotated, Any

import pytest
from pydantic import Field, ValidationError

from graphground.server.application import explain
from graphground.tools.tool import Request, Tool, ToolFailure


class Search(Request):
    """A request with two required arguments, both with bounds."""

    names: Annotated[list[str], Field(min_length=1, max_length=2)]
    code: Annotated[str, Field(min_length=1, max_length=3)]


def failure(tool: Tool[Any, Any], arguments: dict[str, Any]) -> ToolFailure:
    with pytest.raises(ValidationError) as caught:
        tool.request.model_validate(arguments)
    return explain(tool, arguments, caught.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "search needs the arguments 'names' and 'code'."),
        ({"names": [], "code": "x"}, "search: names must have at least 1 item, not 0."),
        ({"names": ["a", "b", "c"], "code": "x"}, "search: names must have at most 2 items, not 3."),
        ({"names": ["a"], "code": "wxyz"}, "search: code must have at most 3 characters, not 4."),
    ],
)
def test_missing_and_wrong_values_are_reported_in_the_singular_or_the_plural(
    arguments: dict[str, Any], message: str
) -> None:
    tool = Tool("search", "", "", Search, Search, lambda graphs, request: request)
    assert failure(tool, arguments).message == message
