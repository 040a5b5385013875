"""The application: runs tool calls on the open graphs, independently of the transport."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from time import perf_counter
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from graphground.server.arguments import explain
from graphground.server.call import Outcome, describe_failure, encode_answer, failed
from graphground.server.telemetry import METRICS
from graphground.tools import NAMES, all_tools, tool_named
from graphground.tools.cursor import keeping_for
from graphground.tools.failure import ToolFailure

if TYPE_CHECKING:
    from graphground.server.traces.recorder import Recorder
    from graphground.tools.owner_queries import OwnQuery, OwnTools
    from graphground.tools.tool import Answer, Graphs, Tool

logger = logging.getLogger(__name__)


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
        begin: Callable[[], None] | None = None,
    ):
        """Offer the seven tools, and a tool for each of `queries`; a `recorder`, if given, records calls.

        `hide` replaces what failures must not contain, such as paths of this machine. `begin` is called once, at the
        first call, before the modules of its tool are loaded.
        """
        self.recorder, self.hide, self._begin = recorder, hide, begin
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

    def open_in_background(self, seconds: float) -> None:
        """After `seconds`, connect to the user's own databases and start the embedded engine, in a background thread.

        Problems with a database, such as missing write protection, are thus logged before the first query.
        """

        def work() -> None:
            with suppress(Exception):  # the call that needs the graph reports the problem again, with an explanation
                self.graphs().open_eager()
                self.check_queries()
            all_tools()  # only now: a first call that waits for the graph must not also wait for the other tools' modules

        timer = threading.Timer(seconds, work)
        timer.daemon = True
        timer.start()

    def call(self, name: str, arguments: Mapping[str, Any], owner: str | None = None) -> Outcome:
        """Run a tool and return its outcome; never raise. Rows that do not fit into the answer are kept for `owner`."""
        first, self._begin = self._begin, None
        if first is not None:
            first()
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
