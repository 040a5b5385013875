"""Runs all three agents with a small real model, SmolLM2-135M-Instruct, over stdio and HTTP.

    python -m benchmarks.agents.small_model FOLDER [--questions 3] [--agents zero-shot tools loop]
        [--transports stdio http] [--suggested 10]

FOLDER is a data folder; the bundled graph is loaded into it. The model is served by llama.cpp, which is built if it is
missing (`tests/support/small_model.py`). The output for each agent and transport: the numbers of questions with a
query, with a query that can be executed, and without a query; how the runs ended; model calls, tool calls, tokens, and
wall-clock seconds. Traces are written to FOLDER/traces. A model of this size writes no query by itself, so without
`--suggested` the figures only show that every run ends, and why; with it, the model chooses among that many suggested
queries.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import anyio

from graphground.agents.failures import ModelFailure
from graphground.agents.models import Model, ModelSettings
from graphground.agents.multi_agent_loop import LoopSettings, MultiAgentLoop
from graphground.agents.question import Question
from graphground.agents.runs import Agent, run
from graphground.agents.server_connection import SERVE, ServerConnection, connect
from graphground.agents.session import Bounds
from graphground.agents.tool_agent import ToolAgent
from graphground.agents.trace import Trace, figures
from graphground.agents.zero_shot import ZeroShot
from tests.support.serving import environment, http_server
from tests.support.small_model import NAME, install, small_endpoint

QUESTIONS = (
    "How many teams are there?",
    "Which team drafted Stephen Curry?",
    "Who is the tallest player?",
    "Which teams play in the Western Conference?",
    "Where was LeBron James born?",
)
AGENTS: dict[str, Callable[[int, int], Agent]] = {
    "zero-shot": lambda suggested, rounds: ZeroShot("exact", suggested=suggested),
    "tools": lambda suggested, rounds: ToolAgent(turns=4, shown=1_500, suggested=suggested),
    "loop": lambda suggested, rounds: MultiAgentLoop(LoopSettings(form="exact", rounds=rounds, suggested=suggested)),
}
"""Functions that create the agents; arguments: number of suggested queries (0: none), maximum rounds of the loop."""


@contextmanager
def server_over(transport: str, folder: Path) -> Iterator[str | tuple[str, ...]]:
    """Yield the address of a running HTTP server, or the command that starts a stdio server."""
    if transport == "stdio":
        yield SERVE
        return
    with http_server(folder) as address:
        yield address


async def measure(options: argparse.Namespace, endpoint: str, transport: str, server: str | tuple[str, ...]) -> None:
    """Measure each agent over one transport."""
    settings = ModelSettings(NAME, endpoint=endpoint, timeout=options.seconds, max_tokens=options.max_tokens, retries=0)
    async with connect(server, environment=environment(options.folder), timeout=300) as connection:
        await connection.call("execute_cypher", {"graph": "nba", "query": "RETURN 1 AS ready", "timeout_s": 120})
        for name in options.agents:
            await measure_agent(options, name, transport, settings, connection)


async def measure_agent(
    options: argparse.Namespace, name: str, transport: str, settings: ModelSettings, connection: ServerConnection
) -> None:
    """Run one agent over one transport, and print figures from its trace."""
    questions = [Question(str(number), "nba", text) for number, text in enumerate(QUESTIONS[: options.questions], 1)]
    out = options.folder / "traces" / f"{name}-{transport}-{time.strftime('%H%M%S')}.jsonl"
    trace, start = Trace(out), time.monotonic()
    bounds = Bounds(model_calls=20, tool_calls=20, tokens=30_000, seconds=options.seconds)
    async with Model(settings) as model:
        predictions = out.with_suffix(".predictions.jsonl")
        try:
            agent = AGENTS[name](options.suggested, options.rounds)
            await run(agent, questions, predictions, connection, {"": model}, bounds, trace, workers=1)
        except ModelFailure as failure:  # the trace of a run that the model ends also has figures
            print(f"{name} over {transport} was ended by the model: {failure.kind}: {failure}", flush=True)
    seconds = (time.monotonic() - start) / len(questions)
    found, executable = figures(trace.lines), await executed(trace, connection)
    calls: dict[str, Any] = {
        "model": sum(role["calls"] for role in found["models"].values()),
        "tools": sum(tool["calls"] for tool in found["tools"].values()),
    }
    print(
        f"{name} over {transport}: {found['questions']} questions, {found['with_query']} with a query, {executable} of them "
        f"executable, {found['errors']} without; ended {found['stopped']}, rounds {found['rounds']}; {calls['model']} calls of the model, "
        f"{calls['tools']} of tools; {found['input_tokens']:,} tokens in, {found['output_tokens']:,} out"
        f"{' (estimated)' if found['tokens_estimated'] else ''}; {seconds:.0f} s a question",
        flush=True,
    )


async def executed(trace: Trace, connection: ServerConnection) -> int:
    """Execute the queries of the predictions in a trace, and return the number that succeed."""
    queries = [
        line["output"]["cypher"] for line in trace.lines if line["kind"] == "prediction" and "cypher" in line["output"]
    ]
    return sum(
        [not (await connection.call("execute_cypher", {"graph": "nba", "query": query})).failed for query in queries]
    )


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--questions", type=int, default=3)
    arguments.add_argument("--agents", nargs="*", default=[*AGENTS], choices=AGENTS)
    arguments.add_argument("--transports", nargs="*", default=["stdio", "http"], choices=("stdio", "http"))
    arguments.add_argument("--seconds", type=float, default=900.0, help="time limit of a question, and of a reply")
    arguments.add_argument("--max-tokens", type=int, default=120)
    arguments.add_argument("--threads", type=int, default=1)
    arguments.add_argument("--rounds", type=int, default=4, help="maximum number of rounds of the loop")
    arguments.add_argument(
        "--suggested", type=int, default=0, help="number of suggested queries to choose from (0: no restriction)"
    )
    options = arguments.parse_args()
    # The default action would end this process without its cleanup, and leave the model and the server running.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    install()
    for transport in options.transports:
        with ExitStack() as stack:
            server = stack.enter_context(server_over(transport, options.folder))
            endpoint = stack.enter_context(small_endpoint(options.threads))
            anyio.run(measure, options, endpoint, transport, server)


if __name__ == "__main__":
    main()
