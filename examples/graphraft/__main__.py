"""The commands of the example: `python -m examples.graphraft pairs|readers|rank|score|grammar`."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import anyio

from examples.graphraft.decoding import rank_with_llama
from examples.graphraft.pairs import AnsweredQuestion, pairs_of, read_questions
from examples.graphraft.reasoning import Node, choice_prompt, chosen_nodes, retrieve, subgraph_text, suggested_queries
from examples.graphraft.stark import SPLITS, score_rankings
from graphground.agents.conversation import Message
from graphground.agents.model_settings import AgentFailure, ModelSettings
from graphground.agents.models import Model
from graphground.agents.replies import write_gbnf
from graphground.agents.server_connection import SERVE, ServerConnection, connect

SYSTEM = "Write one Cypher query."


def parse_arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m examples.graphraft", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    made = {
        "pairs": "training pairs of the first model: questions and the best queries for their answers",
        "readers": "training pairs of the second model: the retrieved nodes, and those that answer",
        "rank": "rank the nodes that answer each question, for the metrics of `score`",
        "score": "print Hit@1, Hit@5, Recall@20 and MRR of rankings for a folder of STaRK, such as prime/",
        "grammar": "print the grammar (GBNF) of the suggested queries for llama.cpp",
    }
    for name, words_ in made.items():
        command = commands.add_parser(name, help=words_)
        command.add_argument("questions", help="a file of questions (with answers), or the question of `grammar`")
        command.add_argument("--graph", default="", help="the graph's name")
        command.add_argument("--server", help="the URL of a running server (default: graphground serve)")
        command.add_argument("--candidates", type=int, default=20, help="number of suggested queries")
        written = name not in ("grammar", "score")
        command.add_argument("--out", type=Path, required=written, help="the JSON Lines to write")
        if name == "score":
            command.add_argument("--rankings", type=Path, required=True, help="the rankings that `rank` has written")
            command.add_argument("--split", choices=SPLITS, default="test", help="default: test")
            command.add_argument("--human", action="store_true", help="the questions that people wrote")
        command.add_argument("--budget", type=int, default=3_000, help="tokens of the retrieved nodes")
        if name == "pairs":
            command.add_argument("--least", type=float, default=0.5, help="least precision and recall of a pair")
        if name == "rank":
            command.add_argument("--gguf", type=Path, help="the first model; without it, the order of ground_question")
            command.add_argument("--beam", type=int, default=5, help="width of the beam, and number of queries run")
            command.add_argument("--model", help="the second model; without it, nodes are ranked by their patterns")
            command.add_argument("--endpoint", default="", help="the second model's OpenAI-compatible endpoint")
            command.add_argument("--id", default="nodeId", help="the property with STaRK's number of a node")
    return parser.parse_args(words)


async def main(parsed: argparse.Namespace) -> None:
    if parsed.command == "score":
        scores = score_rankings(Path(parsed.questions), parsed.rankings, parsed.split, human=parsed.human)
        print("\n".join(f"{name:<12}{score:.4f}" for name, score in scores.items()))
        return
    async with connect(parsed.server or SERVE, environment=os.environ) as server:
        if parsed.command == "grammar":
            queries = await suggested_queries(server, parsed.graph, parsed.questions, parsed.candidates)
            print(write_gbnf(queries) if queries else "nothing was suggested")
            return
        records = {"pairs": _pairs, "readers": _readers, "rank": _rank}[parsed.command](parsed, server)
        count = 0
        with parsed.out.open("w", encoding="utf-8") as file:
            async for record in records:
                file.write(json.dumps(record, ensure_ascii=False) + "\n")
                count += 1
        print(f"Wrote {count} records to {parsed.out}.")


async def _pairs(parsed: argparse.Namespace, server: ServerConnection) -> Any:
    async for _, pair in pairs_of(server, parsed.graph, read_questions(Path(parsed.questions)), parsed.least):
        if pair is not None:
            yield pair.as_record(SYSTEM)


async def _readers(parsed: argparse.Namespace, server: ServerConnection) -> Any:
    for question in read_questions(Path(parsed.questions)):
        queries = await suggested_queries(server, parsed.graph, question.question, parsed.candidates)
        subgraph = subgraph_text(await retrieve(server, parsed.graph, queries), parsed.budget)
        right = answers_among(subgraph.nodes, question)
        if right:  # as published, questions of which no answer was retrieved are left out
            prompt = choice_prompt(question.question, subgraph)
            yield {
                "messages": [{"role": "user", "content": prompt}, {"role": "assistant", "content": json.dumps(right)}],
                "answers": len(question.answers),
                "nodes": len(subgraph.nodes),
            }


def answers_among(nodes: Sequence[Node], question: AnsweredQuestion) -> list[int]:
    """Return the numbers of the nodes, from 1, whose names are answers."""
    names = {str(row[0]) for row in question.answers}
    return [number for number, node in enumerate(nodes, 1) if node.name in names]


async def _rank(parsed: argparse.Namespace, server: ServerConnection) -> Any:
    for place, line in enumerate(Path(parsed.questions).read_text(encoding="utf-8").splitlines()):
        asked: Mapping[str, Any] = json.loads(line)
        text = str(asked["question"])
        queries = await suggested_queries(server, parsed.graph, text, parsed.candidates)
        if parsed.gguf is not None and queries:
            queries = rank_with_llama(parsed.gguf, f"{SYSTEM}\n\n{text}\n\n", queries, parsed.beam)
        subgraph = subgraph_text(await retrieve(server, parsed.graph, queries[: parsed.beam]), parsed.budget)
        chosen: list[Node] = []
        if parsed.model and subgraph.nodes:
            async with Model(ModelSettings(parsed.model, endpoint=parsed.endpoint)) as model:
                reply = await model.ask([Message("user", choice_prompt(text, subgraph))])
            chosen = chosen_nodes(reply.text, subgraph.nodes)
        ranked = [*chosen, *(node for node in subgraph.nodes if node not in chosen)]
        numbers = [dict(node.details).get(parsed.id, node.name) for node in ranked]
        yield {"id": asked.get("id", place), "ranked": [int(text) if text.isdecimal() else text for text in numbers]}


if __name__ == "__main__":
    try:
        anyio.run(main, parse_arguments())
    except (AgentFailure, OSError, ValueError) as error:
        sys.exit(f"graphraft: {error}")
