"""`graphground agent`: ask the reference agents a question, or run them over a task file."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from graphground.cypher.diagnostics import counted
from graphground.server.commands.command_line import (
    DATA_FOLDER,
    GRAPHS,
    WrongUse,
    model_settings,
    progress_bars,
    reply_folder,
    report_wait,
)
from graphground.server.settings import password_variables

if TYPE_CHECKING:
    from graphground.agents.model_settings import ModelSettings
    from graphground.agents.models import Model
    from graphground.agents.runs import Agent
    from graphground.agents.server_connection import ServerConnection
    from graphground.agents.session import Bounds
    from graphground.agents.trace import Trace


def ask(parsed: argparse.Namespace) -> int:
    """Answer one question, the questions of a task file, or the questions on stdin."""
    import anyio

    if parsed.tasks is not None and (parsed.question or parsed.out is None):
        raise WrongUse("--tasks needs --out and takes no question")
    if min(parsed.workers, parsed.most_calls, parsed.most_tokens, parsed.most_seconds) <= 0:
        raise WrongUse("--workers, --most-calls, --most-tokens and --most-seconds must be positive")
    if ((rounds := getattr(parsed, "rounds", None)) is not None and rounds < 1) or getattr(parsed, "turns", 1) < 1:
        raise WrongUse("--rounds and --turns must be at least 1")
    if not 0 <= parsed.suggested <= 50:
        raise WrongUse("--suggested must be from 0 to 50")
    return anyio.run(_ask, parsed)


async def _ask(parsed: argparse.Namespace) -> int:
    from contextlib import AsyncExitStack

    from graphground.agents.models import (
        Model,  # only this command loads the agents
        ReplyCache,
    )
    from graphground.agents.server_connection import connect
    from graphground.agents.session import Bounds
    from graphground.agents.trace import Trace
    from graphground.server.traces.event import read_events
    from graphground.server.traces.transcript import transcript

    agent, cache = _agent(parsed), None
    if not parsed.no_cache:
        cache = ReplyCache(reply_folder(parsed))
    bounds = Bounds(tool_calls=parsed.most_calls, tokens=parsed.most_tokens, seconds=parsed.most_seconds)
    trace = Trace(parsed.trace)
    try:
        async with AsyncExitStack() as stack:
            models = {
                role: await stack.enter_async_context(Model(settings, cache, report_wait))
                for role, settings in _models(parsed).items()
            }
            connection = connect(server_of(parsed), environment=os.environ, passwords=password_variables_of(parsed))
            server = await stack.enter_async_context(connection)
            return await _answer(parsed, agent, server, models, bounds, trace)
    finally:
        if parsed.trace is not None and parsed.trace.exists():
            places: dict[str, int] = {}  # several questions are asked at once, but read one after another
            events = sorted(read_events(parsed.trace), key=lambda event: places.setdefault(event.session, len(places)))
            text = transcript(events, f"Trace of {agent.name}")
            parsed.trace.with_suffix(".md").write_text(text, encoding="utf-8", errors="backslashreplace")


async def _answer(
    parsed: argparse.Namespace,
    agent: Agent,
    server: ServerConnection,
    models: dict[str, Model],
    bounds: Bounds,
    trace: Trace,
) -> int:
    import anyio.to_thread

    from graphground.agents import runs
    from graphground.agents.conversation import Question
    from graphground.agents.model_settings import AgentFailure

    graph = graph_of(parsed)
    if parsed.tasks is not None:
        questions = runs.read_questions(parsed.tasks, graph)
        with progress_bars() as progress:
            count = await runs.run(
                agent,
                questions,
                parsed.out,
                server,
                models,
                bounds,
                trace,
                parsed.workers,
                lambda done, total: progress("questions", done, total),
                _settings_of(parsed),
            )
        sys.stdout.write(f"Asked {count} of {counted(len(questions), 'question')}. Predictions: {parsed.out}\n")
        return 0
    if parsed.question:
        record = await runs.ask(agent, Question("1", graph, parsed.question), server, models, bounds, trace)
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
                question = Question.of_record(json.loads(line), graph=graph)
                record = await runs.ask(agent, question, server, models, bounds, trace)
            except (AgentFailure, ValueError, AttributeError) as error:  # the model fails, or the line is invalid
                record = {"error": str(error)}
            sys.stdout.write(json.dumps(record, ensure_ascii=False, default=str) + "\n")
            sys.stdout.flush()
    return 0


def _settings_of(parsed: argparse.Namespace) -> dict[str, Any]:
    """Return the options on which predictions depend, but not limits of time, of retries or of concurrency."""
    names = ("graph", "turns", "preset", "rounds", "ablation", "prompts", "form", "schema_tokens", "suggested")
    options = {name: getattr(parsed, name) for name in names if getattr(parsed, name, None)}
    options["agent"] = parsed.command
    models = {f"model {role}".strip(): settings.as_record() for role, settings in _models(parsed).items()}
    return options | models | {"most_calls": parsed.most_calls, "most_tokens": parsed.most_tokens}


def _agent(parsed: argparse.Namespace) -> Agent:
    from graphground.agents.multi_agent_loop import LoopSettings, MultiAgentLoop
    from graphground.agents.tool_agent import ToolAgent
    from graphground.agents.zero_shot import ZeroShot
    from graphground.prompts.agents import FOLDER, agent_templates

    prompts: Path = parsed.prompts or FOLDER
    try:
        agent_templates(prompts)
    except ValueError as error:
        raise WrongUse(str(error)) from None
    if parsed.command == "zero-shot":
        role: Literal["zero_shot", "cypherbench"] = "cypherbench" if parsed.preset else "zero_shot"
        return ZeroShot(parsed.form, parsed.schema_tokens, parsed.suggested, prompts, role=role)
    if parsed.command == "tools":
        return ToolAgent(parsed.turns, suggested=parsed.suggested, prompts=prompts)
    if parsed.preset and parsed.ablation:
        raise WrongUse("--preset takes no --ablation")
    settings = LoopSettings.paper() if parsed.preset else LoopSettings()
    if "single-pass" in parsed.ablation:
        settings = LoopSettings.single_pass()
    elif parsed.rounds is not None:
        settings = replace(settings, rounds=parsed.rounds)
    settings = replace(
        settings,
        prompts=prompts,
        verification=settings.verification and "no-verification" not in parsed.ablation,
        judge=settings.judge and "no-judge" not in parsed.ablation,
        form=parsed.form,
        max_schema_tokens=parsed.schema_tokens,
        suggested=parsed.suggested,
    )
    return MultiAgentLoop(settings)


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
