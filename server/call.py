"""The outcome of a tool call: an answer, or a failure, which has one form for every exception that a tool raises.

Texts of failures hide the paths of this machine, since clients may be on other machines.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
from pydantic import BaseModel

from graphground.graphs.engines.engine import EngineError
from graphground.server.telemetry import REQUEST_ID
from graphground.tools.failure import ToolFailure

if TYPE_CHECKING:
    from graphground.tools.tool import Answer, Graphs

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a call: `payload` is the structured answer as encoded JSON, `text` the same answer as text.

    `error` is the code of a failure; empty for an answer.
    """

    payload: bytes
    text: str
    is_error: bool = False
    error: str = ""


def encode(value: Any) -> bytes:
    """Encode plain values and answer models as compact JSON.

    >>> encode({"rows": [["Heat", 170.0]]})
    b'{"rows":[["Heat",170.0]]}'
    """
    return orjson.dumps(value, default=_plain, option=orjson.OPT_NON_STR_KEYS)


def is_empty(value: Any) -> bool:
    """Whether a value is empty: null, an empty text, list or map, but not 0 or false."""
    return value is None or (isinstance(value, str | list | tuple | dict) and not value)


def encode_answer(answer: Answer) -> bytes:
    """Encode an answer as compact JSON, without empty fields, and with the documented names of its fields."""
    return encode(_fields(answer))


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return _fields(value)
    if isinstance(value, set | frozenset | tuple):
        return list(value)
    return str(value)


def _fields(model: BaseModel) -> dict[str, Any]:
    """Return the fields of an answer that are not empty and not at their default.

    The other fields are left out because an agent pays for every word of an answer. Required fields, such as the rows
    of a query, have no default and are always present. pydantic's `model_dump` is not used, because it copies every
    row.
    """
    fields, values = type(model).model_fields, model.__dict__
    return {
        field.alias or name: values[name]
        for name, field in fields.items()
        if field.is_required() or not (is_empty(values[name]) or values[name] == field.default)
    }


def failed(failure: ToolFailure) -> Outcome:
    """Return the outcome for a failure; its payload and its text are the failure's fields as JSON."""
    payload = encode(failure.as_dict())
    return Outcome(payload, payload.decode(), is_error=True, error=failure.error)


def describe_failure(
    error: Exception, tool: str, graphs: Callable[[], Graphs], graph: str | None, hide: Callable[[str], str] = str
) -> Outcome:
    """Return the outcome of a call of `tool` that raised `error`; `graph` is the graph that the call named, if any.

    `hide` replaces paths of this machine in the failure; the server's log keeps them.
    """
    if isinstance(error, ToolFailure):
        found = error
        if found.error == "graph_unavailable" and not found.nearest:
            found.nearest = other_graphs(graphs, graph)
    elif isinstance(error, EngineError):
        others = other_graphs(graphs, graph)
        found = ToolFailure(
            "graph_unavailable",
            str(error),
            nearest=others,
            next="Call list_graphs to see the available graphs."
            if others
            else "Report this problem to the user; no other graph is available.",
        )
    else:
        logger.error("the tool %s failed", tool, exc_info=error)
        request = f" under request {REQUEST_ID.get()}" if REQUEST_ID.get() else ""
        found = ToolFailure(
            "internal_error",
            f"The tool failed: {type(error).__name__}: {error}",
            next="Try other arguments, or report this problem to the user; the server's log on stderr has the traceback"
            f"{request}.",
        )
    if (hidden := hide(found.message)) != found.message:
        logger.warning("the tool %s failed: %s", tool, found.message)
        found.message = hidden
    return failed(found)


def other_graphs(graphs: Callable[[], Graphs], name: str | None) -> list[str]:
    """Return the names of all graphs but the one that a call has named; if it named none, of all if there are several.

    If the list of graphs itself cannot be read, the result is empty: the failure then reports that problem.
    """
    try:
        names = graphs().names()
    except Exception:
        return []
    return [other for other in names if other != name] if name is not None or len(names) > 1 else []


DATA_FOLDER, HOME_FOLDER = "<data folder>", "<home folder>"


def hiding_paths(data_folder: Path) -> Callable[[str], str]:
    """Return a function that replaces these two folders in a text: `<data folder>/catalog.json cannot be read`."""
    try:
        home = Path.home()
    except RuntimeError:  # a user without a home folder
        return hiding({data_folder: DATA_FOLDER})
    return hiding({home: HOME_FOLDER, data_folder: DATA_FOLDER})


def hiding(folders: Mapping[Path, str]) -> Callable[[str], str]:
    """Return a function that replaces the path of each folder by its name; in nested folders, the longest path wins.

    >>> hiding({Path("/home/ada"): "<home folder>"})("/home/ada/films.csv, /home/adam")
    '<home folder>/films.csv, /home/adam'
    """
    names: dict[str, str] = {}
    for folder, name in folders.items():
        for path in (folder, folder.resolve()):
            if path != Path(path.anchor):  # a root is a part of every path
                names |= dict.fromkeys((str(path), str(path).replace("\\", "\\\\"), path.as_posix()), name)
    if not names:
        return str
    longest_first = sorted(names, key=len, reverse=True)
    pattern = re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, longest_first))})(?![\w-])")
    return lambda text: pattern.sub(lambda found: names[found[0]], text)
