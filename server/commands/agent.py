"""Ask reference agents, which use the server's tools and a language model."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from graphground.server.commands.command_line import DATA_FOLDER, GRAPHS, WrongUse, command
from graphground.server.settings import password_variables

if TYPE_CHECKING:
    from graphground.agents.conversation import Question
    from graphground.agents.model_settings import ModelSettings
    from graphground.agents.runs import Agent


MODEL = """
model:
--model MODEL            The model, such as gpt-5-mini or anthropic:claude-sonnet-4-5 (required).
--price [MODEL=]IN,OUT   The price of a model in US dollars for a million tokens of input and output, where none is
                         published; may be repeated.
--endpoint URL           An OpenAI-compatible endpoint of your own.
--key-variable NAME      The environment variable with the key.
--temperature T          The temperature; `none` omits it (default: 0).
--reasoning-effort E     How long a reasoning model thinks: low, medium, high …
--stream                 Let the endpoint stream its replies.
--seed N                 A seed, for endpoints that accept one.
--max-tokens N           Maximum tokens of a reply (default: 1024).
--model-timeout SECONDS  Time limit of a request, in seconds (default: 120).
--retries N              Retries of a failed request (default: 5).
--cache FOLDER           Folder of cached replies; by default in the user's cache folder.
"""
CONNECTION = """
--server SERVER  The URL of a running server, or the command that starts one; by default graphground serve.
"""
_QUESTION = """
[QUESTION]        The question; by default, questions are read from stdin (JSON Lines).
--prompts FOLDER  A folder with your own prompts: files ROLE.md that replace the built-in prompts of these roles.
--trace FILE      Append every step to this file (JSON Lines), which `graphground trace show` prints.
--no-cache        Do not cache replies.
--suggested N     Restrict the query to N suggested queries, by a grammar; needs llama.cpp's server. 0 allows any query
                  (default: 0).
"""
_BOUNDS = """
bounds of one question:
--most-calls N          Maximum number of tool calls for a question (default: 30).
--most-tokens N         Maximum number of tokens for a question (default: 200000).
--most-seconds SECONDS  Maximum time for a question, in seconds (default: 600).
"""


@command("zero-shot", _QUESTION, MODEL, _BOUNDS, CONNECTION, settings=GRAPHS)
def zero_shot(parsed: argparse.Namespace) -> int:
    """Baseline: a single prompt with the schema and the question, a single query as reply.

    --preset (cypherbench)  The baseline of CypherBench: its prompt's rules, its JSON schema, the whole reply as the
                            query.
    --form (enhanced|base|json|exact|masked|similarity)  The form of the schema (default: base).
    --schema-tokens N       Token budget of the schema.
    """
    from graphground.agents.zero_shot import ZeroShot  # only these commands load the agents

    role: Literal["zero_shot", "cypherbench"] = "cypherbench" if parsed.preset else "zero_shot"
    agent = ZeroShot(parsed.form, parsed.schema_tokens, parsed.suggested, _prompts(parsed), role=role)
    return _ask(parsed, agent)


@command("tools", _QUESTION, MODEL, _BOUNDS, CONNECTION, settings=GRAPHS)
def tools(parsed: argparse.Namespace) -> int:
    """Let a model call the tools until it answers.

    --turns N  Maximum number of replies with tool calls (default: 12).
    """
    from graphground.agents.tool_agent import ToolAgent

    if parsed.turns < 1:
        raise WrongUse("--turns must be at least 1")
    return _ask(parsed, ToolAgent(parsed.turns, suggested=parsed.suggested, prompts=_prompts(parsed)))


@command("loop", _QUESTION, MODEL, _BOUNDS, CONNECTION, settings=GRAPHS)
def loop(parsed: argparse.Namespace) -> int:
    """Generate, execute, evaluate and verify a query in up to four rounds, with a model for each role.

    --preset (multi-agent)  The rounds and the feedback of the paper's Algorithm 1, without the server's diagnostics
                            and suggestions.
    --rounds N              Maximum number of rounds; by default 4, and with --preset multi-agent 5.
    --ablation (no-verification|no-judge|single-pass)  Leave out a part of the loop; may be repeated.
    --role ROLE=MODEL       Another model for one role: evaluator=openai:gpt-5. May be repeated.
    --form (enhanced|base|json|exact|masked|similarity)  The form of the schema (default: enhanced).
    --schema-tokens N       Token budget of the schema.
    """
    from graphground.agents.multi_agent_loop import LoopSettings, MultiAgentLoop

    if parsed.preset and parsed.ablation:
        raise WrongUse("--preset takes no --ablation")
    if parsed.rounds is not None and parsed.rounds < 1:
        raise WrongUse("--rounds must be at least 1")
    settings = LoopSettings.paper() if parsed.preset else LoopSettings()
    if "single-pass" in parsed.ablation:
        settings = LoopSettings(rounds=1, judge=False, verification=False)
    elif parsed.rounds is not None:
        settings = replace(settings, rounds=parsed.rounds)
    settings = replace(
        settings,
        prompts=_prompts(parsed),
        verification=settings.verification and "no-verification" not in parsed.ablation,
        judge=settings.judge and "no-judge" not in parsed.ablation,
        form=parsed.form,
        max_schema_tokens=parsed.schema_tokens,
        suggested=parsed.suggested,
    )
    return _ask(parsed, MultiAgentLoop(settings))


def _ask(parsed: argparse.Namespace, agent: Agent) -> int:
    import anyio

    if min(parsed.most_calls, parsed.most_tokens, parsed.most_seconds) <= 0:
        raise WrongUse("--most-calls, --most-tokens and --most-seconds must be positive")
    if not 0 <= parsed.suggested <= 50:
        raise WrongUse("--suggested must be from 0 to 50")
    return anyio.run(_connect_and_ask, parsed, agent)


async def _connect_and_ask(parsed: argparse.Namespace, agent: Agent) -> int:
    from contextlib import AsyncExitStack

    from graphground.agents.models import Model, ReplyCache
    from graphground.agents.runs import ask
    from graphground.agents.server_connection import connect
    from graphground.agents.session import Bounds, Trace

    cache = None if parsed.no_cache else ReplyCache(reply_folder(parsed))
    bounds = Bounds(tool_calls=parsed.most_calls, tokens=parsed.most_tokens, seconds=parsed.most_seconds)
    async with AsyncExitStack() as stack:
        models = {
            role: await stack.enter_async_context(Model(settings, cache, report_wait))
            for role, settings in _models(parsed).items()
        }
        connection = connect(server_of(parsed), environment=os.environ, passwords=password_variables_of(parsed))
        server = await stack.enter_async_context(connection)
        trace = Trace(parsed.trace)
        return await _answer(parsed, lambda question: ask(agent, question, server, models, bounds, trace))


async def _answer(parsed: argparse.Namespace, ask: Callable[[Question], Awaitable[dict[str, Any]]]) -> int:
    import anyio.to_thread

    from graphground.agents.conversation import Question
    from graphground.agents.model_settings import AgentFailure

    graph = graph_of(parsed)
    if parsed.question:
        record = await ask(Question("1", graph, parsed.question))
        if record.get("cypher"):
            sys.stdout.write(f"{record['cypher']}\n")
        if record.get("text"):
            sys.stdout.write(f"\n{record['text']}\n")
        if record.get("error"):
            sys.stderr.write(f"graphground: {record['error']}\n")
        return 1 if record.get("error") else 0
    while line := await anyio.to_thread.run_sync(sys.stdin.readline, abandon_on_cancel=True):
        if line.strip():
            try:
                record = await ask(Question.of_record(json.loads(line), graph=graph))
            except (AgentFailure, ValueError, AttributeError) as error:  # the model fails, or the line is invalid
                record = {"error": str(error)}
            sys.stdout.write(json.dumps(record, ensure_ascii=False, default=str) + "\n")
            sys.stdout.flush()
    return 0


def _prompts(parsed: argparse.Namespace) -> Path:
    from graphground.prompts.agents import FOLDER, agent_templates

    prompts: Path = parsed.prompts or FOLDER
    try:
        agent_templates(prompts)
    except ValueError as error:
        raise WrongUse(str(error)) from None
    return prompts


def _models(parsed: argparse.Namespace) -> dict[str, ModelSettings]:
    """Return the model settings by role; the entry with the empty name is for roles that `--role` does not name."""
    from graphground.agents.multi_agent_loop import ROLES

    common = model_settings(parsed)
    models = {"": common}
    for text in getattr(parsed, "role", ()):
        role, _, name = text.partition("=")
        if role not in ROLES or not name:
            raise WrongUse(f"--role must be ROLE=MODEL with one of the roles {', '.join(ROLES)}, not {text!r}")
        models[role] = replace(common, name=name)
    return models


def server_of(parsed: argparse.Namespace) -> str | list[str]:
    """Return the server's URL, or the command that starts the server;
    the default command contains the graph options."""
    if parsed.server:
        return parsed.server if "://" in parsed.server.split()[0] else shlex.split(parsed.server)
    from graphground.agents.server_connection import SERVE

    words: list[str] = [*SERVE]
    for name in GRAPHS:
        value: Any = getattr(parsed, name, None)
        for part in value if isinstance(value, list) else [value]:
            if part is not None:
                words += [f"--{name.replace('_', '-')}", str(part)]
    return words


def password_variables_of(parsed: argparse.Namespace) -> frozenset[str]:
    """Return the environment variables that hold passwords for the server that this command starts.

    Their names are in the settings file that the server will read; with `--server COMMAND`, in the file that the
    command names. A server at a URL needs none.
    """
    server = server_of(parsed)
    if isinstance(server, str):
        return frozenset()
    named = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    for name in DATA_FOLDER:
        named.add_argument(f"--{name}")
    return password_variables(vars(named.parse_known_args(server)[0]))


def graph_of(parsed: argparse.Namespace) -> str:
    """Return the first graph that `--graph` names; an empty string without `--graph`.

    Raises:
        WrongUse: `--graph` is given several times for a single question.
    """
    named = getattr(parsed, "graph", None) or [""]
    if len(named) > 1 and getattr(parsed, "question", None):
        raise WrongUse("a question is about one graph: give --graph once")
    return str(named[0])


def model_settings(parsed: argparse.Namespace, named: str = "") -> ModelSettings:
    """Return the model settings that the options describe, for the model `named` if `--model` was repeated.

    Raises:
        WrongUse: the temperature is neither a number nor `none`, a limit is not positive, or a price is wrong.
    """
    from graphground.agents.model_settings import ModelSettings  # only commands that use a model load the agents

    try:
        temperature = None if parsed.temperature == "none" else float(parsed.temperature)
    except ValueError:
        raise WrongUse(f"--temperature must be a number or none, not {parsed.temperature!r}") from None
    if parsed.max_tokens < 1 or parsed.model_timeout <= 0:
        raise WrongUse("--max-tokens and --model-timeout must be positive")
    name, at, endpoint = (named or parsed.model).partition("@http")
    prices = {}
    for text in parsed.price:
        model, _, numbers = text.rpartition("=")
        try:
            into, out = map(float, numbers.split(","))
        except ValueError:
            raise WrongUse(f"--price must be [MODEL=]IN,OUT, such as gpt-5-mini=0.25,2, not {text!r}") from None
        prices[model] = into, out
    return ModelSettings(
        name,
        endpoint=f"http{endpoint}" if at else parsed.endpoint or "",
        price=prices.get(named, prices.get(name, prices.get(""))),
        key_variable=parsed.key_variable or "",
        temperature=temperature,
        reasoning_effort=parsed.reasoning_effort or "",
        seed=parsed.seed,
        stream=parsed.stream,
        max_tokens=parsed.max_tokens,
        timeout=parsed.model_timeout,
        retries=parsed.retries,
    )


def reply_folder(parsed: argparse.Namespace) -> Path:
    """Return the folder of the cache of replies."""
    if parsed.cache is not None:
        return Path(parsed.cache)
    from platformdirs import user_cache_path

    return user_cache_path("graphground") / "replies"


def report_wait(sentence: str) -> None:
    """Print on stderr a sentence about a wait for the model."""
    sys.stderr.write(f"graphground: {sentence}\n")
    sys.stderr.flush()
