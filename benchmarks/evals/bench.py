"""Does a bench that is killed twice and stopped at its budget end like the bench without kills? Three scripted models.

python -m benchmarks.evals.bench [--tasks 200]
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from benchmarks.results import Figure, record
from graphground.graphs.engines.embedded.launcher import end_engine
from graphground.graphs.storage.home import Home
from tests.support.scripted_bench import SHARES, Scenario
from tests.support.small_graph import loaded


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--tasks", type=int, default=200)
    options = arguments.parse_args()
    agents, calls = ["zero-shot", "tools"], len(SHARES) * 2
    budget = options.tasks * calls * 0.12 * 0.9
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        home = Home(folder / "home").make()
        loaded(home, folder)
        with Scenario(folder, home, options.tasks, budget, agents) as scenario:
            scenario.run("whole")
            asked = len(scenario.endpoint.requests)
            scenario.run("killed", kills=(asked // 4, asked // 3))
            whole, killed = scenario.results("whole"), scenario.results("killed")
            again = len(scenario.endpoint.requests) - 2 * asked
        end_engine(home, kill=True)
    different = sum(one != two for one, two in zip(whole[1], killed[1], strict=True)) + (whole[0] != killed[0])
    print(f"{whole[0]['asked']} of {options.tasks} tasks, {asked} answers, {again} asked again, {different} different")
    data = f"{options.tasks} tasks, {len(SHARES)} scripted models, 2 agents, budget for 90 %"
    record(
        "evals",
        Figure(
            "a bench killed twice: answers and figures that differ",
            data,
            different,
            "",
            "<= 0",
            "benchmarks.evals.bench",
        ),
    )


if __name__ == "__main__":
    main()
