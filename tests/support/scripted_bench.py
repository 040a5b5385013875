"""A bench with three scripted models, run without a break or killed twice: both must end with the same report.

    with Scenario(folder, home, tasks=12, budget=3.0) as scenario:
        scenario.run("killed", "whole", kills=(5, 11))
        assert scenario.results("whole") == scenario.results("killed")

A model's answer depends on its name and the question alone; an answer costs 0.12 dollars.
"""

from __future__ import annotations

import csv
import hashlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from graphground.graphs.storage.home import Home
from tests.support.scripted_endpoint import Answer, Asked, ScriptedEndpoint, say

RIGHT = "MATCH (m:Movie) RETURN m.name"
WRONG = ("MATCH (m:Movie) RETURN m.runtime_minute", "MATCH (m:Movi) RETURN m.name", "I cannot say.")
SHARES = {"good": 9, "fair": 6, "poor": 3}
"""The models, and of ten questions the number that each answers correctly."""
SECONDS = 900


class Scenario:
    """The endpoint and the task file of the bench, during the `with` block."""

    def __init__(self, folder: Path, home: Home, tasks: int, budget: float, agents: Sequence[str]) -> None:
        self.folder, self.home, self.budget, self.agents = folder, home, budget, agents
        self._gate, self._held = threading.Event(), 0
        self.endpoint = ScriptedEndpoint(self._answer)
        records = [
            {"qid": f"t{number}", "graph": "films", "nl_question": f"Film {number}?", "gold_cypher": RIGHT}
            for number in range(tasks)
        ]
        (folder / "tasks.json").write_text(json.dumps(records))

    def __enter__(self) -> Self:
        self.endpoint.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self.endpoint.__exit__(*error)

    def _answer(self, asked: Asked) -> Answer:
        question = next(line for line in asked.text.splitlines()[::-1] if "Film " in line)
        drawn = int(hashlib.sha256(f"{asked.body['model']} {question}".encode()).hexdigest(), 16)
        right = drawn % 10 < SHARES[asked.body["model"]]
        answer = say(f"```cypher\n{RIGHT}\n```" if right else WRONG[drawn % len(WRONG)])
        if self._held and len(self.endpoint.requests) >= self._held:
            return Answer(answer.text, waits=self._gate)
        return answer

    def run(self, *names: str, kills: Sequence[int] = ()) -> subprocess.CompletedProcess[str]:
        """Run the bench in each folder, in one process, which takes seconds to start.

        Kill the process when the endpoint has received each number of requests, and start it again.
        """
        words = ["--endpoint", self.endpoint.openai, "--price", "1000,1000", "--budget", f"{self.budget}",
                 "--workers", "2", "--home", str(self.home.folder)]  # fmt: skip
        words += [word for model in SHARES for word in ("--model", model)]
        words += [word for agent in self.agents for word in ("--agent", agent)]
        several = (
            "import sys\nfrom graphground.server.commands.command_line import run\n"
            f"sys.exit(max(run('eval', ['bench', 'tasks.json', name, *{words!r}]) for name in {names!r}))"
        )
        command = [sys.executable, "-c", several]
        environment = {**os.environ, "OPENAI_API_KEY": "sk-invented"}
        before = len(self.endpoint.requests)
        for requests in kills:
            self._held = before + requests
            self._gate.clear()
            process = subprocess.Popen(
                command, cwd=self.folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            deadline = time.monotonic() + SECONDS
            while time.monotonic() < deadline and len(self.endpoint.requests) < self._held:
                assert process.poll() is None, "the bench ended before it could be killed"
                time.sleep(0.02)
            process.kill()
            process.wait(timeout=30)
            self._gate.set()
        self._held = 0
        return subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
        )

    def results(self, name: str) -> tuple[dict[str, Any], list[dict[str, str]]]:
        """Return the figures and the lines of the export, without times."""
        figures: dict[str, Any] = json.loads((self.folder / name / "bench.json").read_text("utf-8"))
        for row in figures["rows"]:
            row["cost"] = {part: _without_times(row["cost"][part]) for part in ("total", "per_task", "by_tool")}
        with (self.folder / name / "bench.csv").open(encoding="utf-8", newline="") as file:
            return figures, [_without_times(line) for line in csv.DictReader(file)]


def _without_times(record: dict[str, Any]) -> dict[str, Any]:
    cleaned = {key: _without_times(value) if isinstance(value, dict) else value for key, value in record.items()}
    return {key: value for key, value in cleaned.items() if "seconds" not in key}
