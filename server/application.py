"""The application: runs tool calls on the open graphs, independently of the transport.

The outcome of a call is an answer, or a failure, which has one form for every exception that a tool raises: an unknown
argument, for example, is a failure that names the nearest known arguments. Texts of failures hide the paths of this
machine, since clients may be on other machines.
"""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import orjson
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from graphground.cypher.diagnostics import all_of, counted, either
from graphground.graphs.engines.engine import EngineError
from graphground.server.telemetry import METRICS, REQUEST_ID
from graphground.tools import NAMES, all_tools, tool_named
from graphground.tools.tool import ToolFailure, keeping_for

if TYPE_CHECKING:
    from graphground.server.traces.recorder import Recorder
    from graphground.tools.owner_queries import OwnQuery, OwnTools
    from graphground.tools.tool import Answer, Graphs, Tool

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


WORDS = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "an object",
}
BOUNDS = {
    "ge": "at least",
    "gt": "more than",
    "le": "at most",
    "lt": "less than",
    "min_length": "at least",
    "max_length": "at most",
}


def explain(tool: Tool[Any, Any], arguments: Mapping[str, Any], error: ValidationError) -> ToolFailure:
    """Return the failure for unknown arguments, else for missing arguments, else for the first wrong value.

    Unknown arguments come first, because they may be misspelt.
    """
    from graphground.cypher.names.nearest import closest  # loaded only after a mistake

    fields = [field.alias or name for name, field in tool.request.model_fields.items()]
    problems = error.errors(include_url=False, include_context=True)
    unknown = [str(problem["loc"][0]) for problem in problems if problem["type"] == "extra_forbidden"]
    missing = [str(problem["loc"][0]) for problem in problems if problem["type"] == "missing"]
    if unknown:
        quoted = [repr(name) for name in unknown]
        free = [field for field in fields if field not in arguments]
        nearest = [word for name in unknown for word in closest(name, free)] or free
        return ToolFailure(
            "unknown_argument",
            f"{tool.name} has no argument {either(quoted)}; its arguments are: {', '.join(fields) or 'none'}.",
            nearest=list(dict.fromkeys(nearest)),
            next=f"Call {tool.name} again without {all_of(quoted)}"
            + (", or with an argument in `nearest` instead." if nearest else "."),
        )
    if missing:
        names = all_of([repr(name) for name in missing])
        return ToolFailure(
            "missing_argument",
            f"{tool.name} needs the argument{'s' if len(missing) > 1 else ''} {names}.",
            nearest=missing,
            next=f"Call {tool.name} again with {names}.",
        )
    message, nearest = explain_value(problems[0])
    argument = ".".join(str(part) for part in problems[0]["loc"][:1])
    return ToolFailure(
        "wrong_argument",
        f"{tool.name}: {message}.",
        nearest=nearest,
        next=f"Call {tool.name} again with a valid {argument!r}."
        if argument
        else f"Call {tool.name} again with valid arguments.",
    )


def explain_value(problem: ErrorDetails) -> tuple[str, list[str]]:
    """Return a message about an invalid value and the nearest valid values.

    For example, `("limit must be at most 50, not 80", ["50"])`.
    """
    place, found, context = ".".join(str(part) for part in problem["loc"]), problem["input"], problem.get("ctx", {})
    expected = WORDS.get(problem["type"])
    if expected:
        return f"{place} must be {expected}, not {kind(found)}", []
    if problem["type"] == "literal_error":
        from graphground.cypher.names.nearest import closest

        allowed = [word.strip(" '") for word in str(context["expected"]).replace(" or ", ",").split(",")]
        best_first = list(dict.fromkeys([*closest(str(found), allowed), *allowed]))
        return f"{place} must be {either(allowed, len(allowed))}, not {found!r}", best_first
    for limit, words in BOUNDS.items():
        if limit in context:
            if isinstance(found, str | list):
                bound = counted(context[limit], "character" if isinstance(found, str) else "item")
                return f"{place} must have {words} {bound}, not {len(found):,}", []
            return f"{place} must be {words} {context[limit]:,}, not {found}", [] if limit == "gt" else [
                str(context[limit])
            ]
    message = problem["msg"].removeprefix("Value error, ")
    return (f"{place}: {message}" if place else message), []


def kind(value: Any) -> str:
    """Return the type of a JSON value in words: `kind(True)` is `true or false`."""
    kinds = {type(None): "null", bool: "true or false", str: "text", int: "a number", list: "a list"}
    return kinds.get(type(value), "a number with a fraction" if isinstance(value, float) else "an object")


LOAD_AFTER_SECONDS = 2.0
"""Seconds for which the modules of the other tools wait for the first call, whose thread they would slow."""
OPEN_AFTER_SECONDS = 0.2
"""Seconds between the first request and the opening of the graphs, so that the client's `tools/list` does not wait."""


class Application:
    """The tools and the open graphs of a server: `application.call("list_graphs", {})` returns an `Outcome`.

    The graphs are opened by the first call that needs them, in the thread of that call, so a server answers
    `tools/list` before any driver is loaded.
    """

    def __init__(
        self,
        open_graphs: Callable[[], Graphs],
        answer_bytes: int = 4_000_000,
        queries: Sequence[OwnQuery] = (),
        recorder: Recorder | None = None,
        hide: Callable[[str], str] = str,
    ):
        """Offer the seven tools, and a tool for each of `queries`; a `recorder`, if given, records calls.

        `hide` replaces what failures must not contain, such as paths of this machine.
        """
        self.recorder, self.hide, self._answered = recorder, hide, threading.Event()
        self.own: OwnTools | None = None
        if queries:
            from graphground.tools.owner_queries import OwnTools  # loads the checks of queries

            self.own = OwnTools(queries)
        self._open_graphs = open_graphs
        self._graphs: Graphs | None = None
        self._lock = threading.Lock()
        self._answer_bytes = answer_bytes

    @property
    def tools(self) -> dict[str, Tool[Any, Any]]:
        """All offered tools by name."""
        return {**all_tools(), **(self.own.offered() if self.own else {})}

    def has_tool(self, name: str) -> bool:
        """Whether there is a tool of this name; a tool that is not offered because its query is broken counts too."""
        return name in NAMES or (self.own is not None and name in self.own.queries)

    def graphs(self) -> Graphs:
        """Return the graphs of the server, listed on the first call; each graph is opened on its first use."""
        with self._lock:
            if self._graphs is None:
                self._graphs = self._open_graphs()
            return self._graphs

    def known_names(self) -> Sequence[str] | None:
        """Return the names of the graphs; None before the first call that needs the graphs."""
        return None if self._graphs is None else self._graphs.names()

    def check_queries(self) -> None:
        """Check the queries of the settings file against the current schemas of their graphs."""
        if self.own is not None:
            self.own.check(self.graphs())

    def open_in_background(self) -> None:
        """Shortly, connect to the user's own databases and start the embedded engine, in a background thread.

        Problems with a database, such as missing write protection, are thus logged before the first query.
        """

        def work() -> None:
            with suppress(Exception):  # the call that needs the graph reports the problem again, with an explanation
                self.graphs().open_eager()
                self.check_queries()
            self._answered.wait(LOAD_AFTER_SECONDS)
            all_tools()

        timer = threading.Timer(OPEN_AFTER_SECONDS, work)
        timer.daemon = True
        timer.start()

    def call(self, name: str, arguments: Mapping[str, Any], owner: str | None = None) -> Outcome:
        """Run a tool and return its outcome; never raise. Rows that do not fit into the answer are kept for `owner`."""
        tool = tool_named(name) or (self.own.all().get(name) if self.own else None)
        if tool is None:
            from graphground.cypher.names.nearest import closest, did_you_mean  # loaded only after a mistake

            nearest, hint = closest(name, self.tools), did_you_mean(name, self.tools) or "."
            # Clients receive this failure as a protocol error, and many of them show only its message.
            return failed(
                ToolFailure(
                    "unknown_tool",
                    f"There is no tool {name!r}{hint} The tools are: {', '.join(self.tools)}.",
                    nearest=nearest,
                    next="Call one of these tools.",
                )
            )
        begin = perf_counter()
        try:
            with keeping_for(owner):
                outcome = self.run_tool(tool, arguments)
        except Exception as error:
            outcome = describe_failure(error, tool.name, self.graphs, arguments.get("graph"), self.hide)
        spent = perf_counter() - begin
        self._answered.set()
        METRICS.observe(tool.name, outcome.error, spent)
        if logger.isEnabledFor(logging.INFO):
            state = "failed" if outcome.is_error else "ok"
            logger.info("%s %s %.1f ms %d bytes", tool.name, state, spent * 1000, len(outcome.payload))
        return outcome

    def run_tool(self, tool: Tool[Any, Any], arguments: Mapping[str, Any]) -> Outcome:
        """Run a tool, and drop rows until the encoded answer fits into `answer_bytes`.

        Raises:
            ToolFailure: the arguments are invalid, the tool failed, or the answer cannot be made small enough.
        """
        try:
            request = tool.request.model_validate(arguments)
        except ValidationError as error:
            raise explain(tool, arguments, error) from None
        answer: Answer = tool.run(self.graphs(), request)
        payload = encode_answer(answer)
        while len(payload) > self._answer_bytes:
            shorter = answer.shortened(0.95 * self._answer_bytes / len(payload))
            if shorter is None:
                raise ToolFailure(
                    "answer_too_large",
                    f"The answer has {len(payload):,} bytes; the limit of this server is {self._answer_bytes:,}.",
                    next="Request less: a smaller limit, fewer columns, or a max_tokens.",
                )
            answer, payload = shorter, encode_answer(shorter)
        text = answer.as_text()
        return Outcome(payload, payload.decode() if text is None else text)

    def close(self) -> None:
        """Close the graphs, if they were opened, and the recorder, if there is one."""
        with self._lock:
            graphs, self._graphs = self._graphs, None
        if graphs is not None:
            graphs.close()
        if self.recorder is not None:
            self.recorder.close()
