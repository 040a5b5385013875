"""Options of commands that call a language model: the model, its endpoint, retries, and the cache of replies."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from graphground.server.commands.command_line import CommandLine, WrongUse

if TYPE_CHECKING:
    from graphground.agents.model_settings import ModelSettings


def add_model(command: CommandLine) -> None:
    """Add the options of a language model, as a separate group."""
    model = command.add_argument_group("model")
    model.add_argument("--model", required=True, help="The model, such as gpt-5-mini or anthropic:claude-sonnet-4-5.")
    model.add_argument("--endpoint", default="", metavar="URL", help="An OpenAI-compatible endpoint of your own.")
    model.add_argument("--key-variable", default="", metavar="NAME", help="The environment variable with the key.")
    model.add_argument("--temperature", default="0", metavar="T", help="The temperature; `none` omits it (default: 0).")
    model.add_argument(
        "--reasoning-effort", default="", metavar="E", help="How long a reasoning model thinks: low, medium, high …"
    )
    model.add_argument("--seed", type=int, help="A seed, for endpoints that accept one.")
    model.add_argument(
        "--max-tokens", type=int, default=1024, metavar="N", help="Maximum tokens of a reply (default: 1024)."
    )
    model.add_argument(
        "--model-timeout", type=float, default=120.0, metavar="S", help="Time limit of a request (default: 120 s)."
    )
    model.add_argument("--retries", type=int, default=5, metavar="N", help="Retries of a failed request (default: 5).")
    model.add_argument(
        "--cache", type=Path, metavar="FOLDER", help="Folder of cached replies (default: in the user's cache folder)."
    )


def model_settings(parsed: argparse.Namespace) -> ModelSettings:
    """Return the model settings that the options describe.

    Raises:
        WrongUse: the temperature is neither a number nor `none`, or a limit is not positive.
    """
    from graphground.agents.model_settings import ModelSettings  # only commands that use a model load the agents

    try:
        temperature = None if parsed.temperature == "none" else float(parsed.temperature)
    except ValueError:
        raise WrongUse(f"--temperature must be a number or none, not {parsed.temperature!r}") from None
    if parsed.max_tokens < 1 or parsed.model_timeout <= 0:
        raise WrongUse("--max-tokens and --model-timeout must be positive")
    return ModelSettings(
        parsed.model,
        endpoint=parsed.endpoint,
        key_variable=parsed.key_variable,
        temperature=temperature,
        reasoning_effort=parsed.reasoning_effort,
        seed=parsed.seed,
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
