"""Measures the processor time of recording a call: in the call's thread, and later in the recorder's thread.

    python -m benchmarks.server.recording [--calls 2000]

Each kind of answer is recorded `--calls` times, as the server records it. Answers of 10,000 rows or more are recorded
less often. The output, in milliseconds, is the median and the 99th percentile in the call's thread, and the mean in the
recorder's thread. The exit status is 1 if a median in the call's thread is 0.1 ms or more.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time

import orjson

from graphground.server.traces.recorder import Caller, Recorder

BAR_MS = 0.1


def answers() -> dict[str, dict[str, object]]:
    """Return answers of different sizes by name, from no rows to 100,000."""

    def rows(count: int) -> dict[str, object]:
        return {"columns": ["name", "born"], "rows": [[f"Name {n}", 1900 + n % 100] for n in range(count)]}

    return {
        "no rows": rows(0),
        "100 rows": rows(100),
        "100 rows with addresses and keys": {
            "columns": ["key", "url"],
            "rows": [[f"k{n}", f"https://example.org/{n}"] for n in range(100)],
        },
        "10,000 rows": rows(10_000),
        "100,000 rows": rows(100_000),
    }


def measured(answer: dict[str, object], calls: int) -> tuple[list[float], float]:
    """Return the processor milliseconds of each call in the calling thread, and the mean per call in other threads."""
    recorder = Recorder()
    text = orjson.dumps(answer).decode()
    arguments = {
        "graph": "nba",
        "query": "MATCH (p:Player) WHERE p.born > $born RETURN p.name, p.born",
        "parameters": {"born": 1980},
    }
    caller, milliseconds = Caller("5f1c02aa", "benchmark 1.0"), []
    whole = time.process_time()
    for _ in range(calls):
        start = time.thread_time()
        recorder.record(caller, "execute_cypher", arguments, text, answer, seconds=0.01, size=len(text))
        milliseconds.append((time.thread_time() - start) * 1000)
        recorder.settle()
    whole = (time.process_time() - whole) * 1000
    recorder.close()
    return milliseconds, (whole - sum(milliseconds)) / calls


def main() -> int:
    """Print a line for each kind of answer; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--calls", type=int, default=2000)
    calls, worst = parser.parse_args().calls, 0.0
    print("answer                             call p50   call p99   recorder mean   (ms of processor time)")
    for name, answer in answers().items():
        milliseconds, after = measured(answer, max(20, calls // 20) if "000" in name else calls)
        median = statistics.median(milliseconds)
        worst = max(worst, median)
        print(f"{name:34} {median:8.4f} {statistics.quantiles(milliseconds, n=100)[98]:10.4f} {after:15.3f}")
    return int(worst >= BAR_MS)


if __name__ == "__main__":
    sys.exit(main())
