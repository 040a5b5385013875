"""`graphground agent forms|decode|pairs|reason`: run a single part of an agent.

`forms` compares the five forms of schema, `decode` writes a query with a local model restricted to valid queries,
`pairs` makes training pairs, and `reason` asks a model to choose among retrieved nodes.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphground.cypher.wording import counted
from graphground.server.commands.agent_connection import add_connection, graph_of, password_variables_of, server_of
from graphground.server.commands.command_line import CommandLine, WrongUse
from graphground.server.commands.models import add_model, model_settings, report_wait
from graphground.server.commands.progress import progress_bars

if TYPE_CHECKING:
    from graphground.agents.server_connection import ServerConnection

SYSTEM = "Write one Cypher query."


def add_commands(group: CommandLine) -> None:
    """Add the subcommands `forms`, `decode`, `pairs` and `reason` to `graphground agent`."""
    forms = group.add_command(
        "forms", partial(_run, compare_forms), "Print the number of tokens of a schema in each of five forms."
    )
    forms.add_argument("question", nargs="?", metavar="QUESTION", help="The question for which the schema is filtered.")
    forms.add_argument(
        "--tasks", type=Path, metavar="FILE", help="A task file with questions, instead of a single one."
    )
    decode_ = group.add_command(
        "decode", partial(_run, decode), "Write a query with a local model that is constrained to suggested queries."
    )
    decode_.add_argument("question", metavar="QUESTION", help="The question, in words.")
    decode_.add_argument("--gguf", type=Path, metavar="FILE", help="A model in GGUF, for llama-cpp-python.")
    decode_.add_argument("--grammar", action="store_true", help="Print the grammar (GBNF) for llama.cpp instead.")
    decode_.add_argument(
        "--candidates", type=int, default=20, metavar="N", help="Number of suggested queries (default: 20)."
    )
    decode_.add_argument("--width", type=int, default=1, metavar="N", help="Beam width; 1 is greedy (default: 1).")
    pairs = group.add_command(
        "pairs", partial(_run, write_pairs), "Make training pairs from questions and answers, without gold queries."
    )
    pairs.add_argument(
        "questions", type=Path, metavar="FILE", help="Questions with answers, as CSV, JSON or JSON Lines."
    )
    pairs.add_argument(
        "--out", type=Path, required=True, metavar="FILE", help="The pairs to write, as JSON Lines for trl."
    )
    pairs.add_argument(
        "--least",
        type=float,
        default=0.5,
        metavar="X",
        help="The minimum precision and recall of a pair (default: 0.5).",
    )
    pairs.add_argument("--system", default=SYSTEM, metavar="TEXT", help=f"System message (default: {SYSTEM}).")
    reason_ = group.add_command("reason", partial(_run, reason), "Retrieve nodes, and let a model choose the answers.")
    reason_.add_argument("question", metavar="QUESTION", help="The question, in words.")
    reason_.add_argument(
        "--budget", type=int, default=3_000, metavar="N", help="Token budget for the nodes (default: 3000)."
    )
    add_model(reason_)
    for command in (forms, decode_, pairs, reason_):
        add_connection(command)


def _run(
    work: Callable[[argparse.Namespace, ServerConnection], Coroutine[Any, Any, int]], parsed: argparse.Namespace
) -> int:
    import anyio

    from graphground.agents.server_connection import connect  # only this command loads the agents

    async def connected() -> int:
        passwords = password_variables_of(parsed)
        async with connect(server_of(parsed), environment=os.environ, passwords=passwords) as server:
            return await work(parsed, server)

    _check(parsed)
    return anyio.run(connected)


def _check(parsed: argparse.Namespace) -> None:
    """Refuse options that cannot be combined, before a server is started."""
    if parsed.command == "forms" and (parsed.tasks is None) == (parsed.question is None):
        raise WrongUse("`agent forms` needs either a question or --tasks")
    if parsed.command == "decode" and (parsed.gguf is None) == (not parsed.grammar):
        raise WrongUse("`agent decode` needs either --gguf FILE or --grammar")
    if min(getattr(parsed, "candidates", 1), getattr(parsed, "width", 1), getattr(parsed, "budget", 1)) < 1:
        raise WrongUse("--candidates, --width and --budget must be at least 1")


async def compare_forms(parsed: argparse.Namespace, server: ServerConnection) -> int:
    """Print the mean number of tokens that each form of the schema takes, over all questions."""
    from graphground.agents.question import Question
    from graphground.agents.runs import read_questions
    from graphground.agents.schema_forms import tokens_of_forms

    graph = graph_of(parsed)
    questions = [Question("1", graph, parsed.question)] if parsed.question else read_questions(parsed.tasks, graph)
    with progress_bars() as progress:
        counts = await tokens_of_forms(server, questions, lambda done: progress("questions", done, len(questions)))
    base = sum(counts["base"]) or 1
    mean_of = f", mean of {len(questions)} questions" if len(questions) > 1 else ""
    sys.stdout.write(f"estimated tokens of the schema{mean_of}\n")
    for form, found in counts.items():
        mean, share = sum(found) / len(found), 100 * sum(found) / base
        sys.stdout.write(f"{form:<12}{mean:>8.0f}{share:>7.0f} % of base\n")
    return 0


async def decode(parsed: argparse.Namespace, server: ServerConnection) -> int:
    """Print the decoded query; with a beam width above 1, the best queries; with `--grammar`, only the grammar."""
    from graphground.agents.decoding.grammars import gbnf

    graph = {"graph": graph_of(parsed)} if graph_of(parsed) else {}
    request = {**graph, "question": parsed.question, "limit": parsed.candidates, "count": False}
    suggested = await server.call("suggest_queries", request)
    queries = [] if suggested.failed else [str(entry["cypher"]) for entry in suggested.fields["candidates"]]
    if not queries:
        reason = (
            json.loads(suggested.text)["message"] if suggested.failed else "no query is about the names in the question"
        )
        sys.stderr.write(f"graphground: nothing was suggested: {reason}\n")
        return 1
    if parsed.grammar:
        sys.stdout.write(gbnf(queries) + "\n")
        return 0
    from graphground.agents.decoding.llama import decoded
    from graphground.prompts.agents import agent_prompt

    filtered = await server.call("get_filtered_schema", {**graph, "question": parsed.question, "max_tokens": 400})
    prompt = agent_prompt("zero_shot", schema=str(filtered.require()["schema"]), question=parsed.question)
    for found in decoded(parsed.gguf, prompt, queries, parsed.width):
        sys.stdout.write(f"{found.query}\n" if parsed.width == 1 else f"{found.log_probability:8.2f}  {found.query}\n")
    return 0


async def write_pairs(parsed: argparse.Namespace, server: ServerConnection) -> int:
    """Write a training pair for each question with a query whose precision and recall reach `--least`."""
    from graphground.agents.training.pairs import pairs_of
    from graphground.agents.training.questions import read_questions

    questions, pair_count = read_questions(parsed.questions), 0
    parsed.out.parent.mkdir(parents=True, exist_ok=True)
    with progress_bars() as progress, parsed.out.open("w", encoding="utf-8") as file:
        question_count = 0
        async for _, pair in pairs_of(server, graph_of(parsed), questions, parsed.least):
            if pair is not None:
                file.write(json.dumps(pair.as_record(parsed.system), ensure_ascii=False) + "\n")
                pair_count += 1
            question_count += 1
            progress("questions", question_count, len(questions))
    sys.stdout.write(f"Wrote {counted(pair_count, 'pair')} for {counted(len(questions), 'question')}: {parsed.out}\n")
    return 0


async def reason(parsed: argparse.Namespace, server: ServerConnection) -> int:
    """Print the names of the nodes that the model chooses as answers, in the order of its reply."""
    from graphground.agents.conversation import Message
    from graphground.agents.models import Model
    from graphground.agents.reasoning.choice import choice_prompt, chosen_nodes
    from graphground.agents.reasoning.retrieve import retrieve
    from graphground.agents.reasoning.subgraph import subgraph_text

    subgraph = subgraph_text(await retrieve(server, graph_of(parsed), parsed.question), parsed.budget)
    if not subgraph.nodes:
        sys.stderr.write("graphground: nothing was retrieved: the question names nothing in the graph\n")
        return 1
    async with Model(model_settings(parsed), on_wait=report_wait) as model:
        reply = await model.ask([Message("user", choice_prompt(parsed.question, subgraph))])
    chosen = chosen_nodes(reply.text, subgraph.nodes)
    sys.stdout.write("".join(f"{node.name} ({node.label})\n" for node in chosen))
    if not chosen:
        sys.stderr.write(f"graphground: the model received {counted(len(subgraph.nodes), 'node')} and chose none\n")
    return 0 if chosen else 1
