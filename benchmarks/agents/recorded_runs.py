"""Records the runs in docs/agent-runs.md again, with a small real model, SmolLM2-135M-Instruct.

    python -m benchmarks.agents.recorded_runs

The model server is built first if it is missing (`tests/support/small_model.py`). The bundled graph is loaded into a
temporary data folder. A run takes minutes on one core.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from graphground.agents.trace import read_trace
from graphground.graphs.engines.embedded.launcher import end_engine
from graphground.graphs.storage.home import Home
from tests.support.small_model import install, small_endpoint

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "agent-runs.md"
BLOCK = re.compile(r"```text\n(\$ graphground agent .*?)\n(.*?)```", re.DOTALL)
ENDPOINT = "http://127.0.0.1:8080/v1"
"""The endpoint in the commands of the page; each run replaces this address with that of its own model server."""
LONGEST_RUN_SECONDS = 1_200
SHOWN = 300
"""The number of characters of a text that a transcript shows."""


def steps(lines: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Yield the steps of a run from its trace: calls of the model and of tools, states, and how the run ended."""
    for line in lines:
        if line["kind"] == "model":
            yield f"[model, {line['name']}: {line.get('tokens_in', 0)} tokens in, {line.get('tokens_out', 0)} out]"
            yield from (f"  calls {call['tool']} {shown(call['arguments'])}" for call in line.get("tool_calls") or ())
            if line.get("output"):
                yield f"  {shown(line['output'])}"
        elif line["kind"] == "tool":
            arguments = " ".join(f"{name}={shown(str(value))}" for name, value in line["arguments"].items())
            yield f"[tool, {line['name']}{', failed' if line.get('failed') else ''}: {arguments}]"
            yield f"  {shown(line['answer'])}"
        elif line["kind"] == "state":
            yield f"[{line['name']}: {line['output']}]"
        else:
            outcome = line["output"]
            yield f"[ended: {outcome['stopped']}{', no query' if not outcome.get('cypher') else ''}]"


def shown(text: str) -> str:
    """Return a text as a single line, cut after `SHOWN` characters, without anything that ends a block of code."""
    words = " ".join(text.split()).replace("```", "'''")
    return words if len(words) <= SHOWN else f"{words[:SHOWN]} …"


def recorded(command: str, endpoint: str) -> str:
    """Run a command of the page with this endpoint; return lines with the steps of the run and its output."""
    words = shlex.split(command.replace(ENDPOINT, endpoint))[2:]  # without "$ graphground"
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace.jsonl"
        process = subprocess.run(
            [sys.executable, "-m", "graphground", *words, "--no-cache", "--trace", str(trace)],
            capture_output=True, text=True, timeout=LONGEST_RUN_SECONDS,
        )  # fmt: skip
        if not trace.exists():
            raise SystemExit(f"{command}\nended before its first step: {process.stderr}")
        run_steps = list(steps(read_trace(trace)))
    output = [shown(line) for line in process.stdout.splitlines() if line.strip()]
    reported = [shown(line) for line in process.stderr.splitlines() if line.startswith("graphground: ")]
    return "".join(f"{line}\n" for line in [*run_steps, *output, *reported])


def replayed(text: str, endpoint: str) -> str:
    """Run the commands of the page in order; return the text of the page with the new transcripts."""
    return BLOCK.sub(lambda block: f"```text\n{block[1]}\n{recorded(block[1], endpoint)}```", text)


def main() -> None:
    """Run the commands of the page in a temporary data folder, and write the new transcripts into the page."""
    install()
    with tempfile.TemporaryDirectory() as folder, small_endpoint() as endpoint:
        os.environ.update(GRAPHGROUND_HOME=folder, COLUMNS="120", NO_COLOR="1")
        os.chdir(ROOT)
        try:
            PAGE.write_text(replayed(PAGE.read_text(encoding="utf-8"), endpoint), encoding="utf-8")
        finally:
            end_engine(Home(Path(folder)), kill=True)


if __name__ == "__main__":
    main()
