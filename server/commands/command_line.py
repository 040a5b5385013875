"""The framework of the command line: one parser class, one way to run a command, one form for errors.

A command is a module with two functions:

    def parser() -> CommandLine: …            # the command's options, also for the reference page and shell completion
    def main(arguments) -> int: …             # `return run(parser(), arguments)`, the exit status

Each parser sets `run=FUNCTION`; the function takes the parsed arguments and returns the exit status. The framework uses
argparse, because importing argparse takes no measurable time.
"""

from __future__ import annotations

import argparse
import errno
import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from graphground.server.settings import Settings, SettingsError, default_home, options, read_home, read_settings

if TYPE_CHECKING:
    from rich.progress import TaskID

    from graphground.agents.model_settings import ModelSettings
    from graphground.graphs.storage.home import Home
    from graphground.tools.tool import Graphs

FAILED, WRONG_USE, INTERRUPTED = 1, 2, 130


class WrongUse(Exception):
    """Wrong options or arguments; the command prints the problem and ends with exit status 2."""


_WORDINGS = (
    (r"argument (\S+): invalid int value: (.*)", r"\1 must be a whole number, not \2"),
    (r"argument (\S+): invalid float value: (.*)", r"\1 must be a number, not \2"),
    (r"argument (\S+): expected one argument", r"\1 needs a value"),
    (r"argument (\S+): not allowed with argument (\S+)", r"\1 and \2 cannot be combined"),
    (r"the following arguments are required: (.*)", r"missing: \1"),
)
"""Pairs of a pattern for a message of argparse, and our wording of the message."""


class CommandLine(argparse.ArgumentParser):
    """An argument parser that accepts no abbreviations, and whose errors name the nearest valid word."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        options.setdefault("allow_abbrev", False)
        super().__init__(*arguments, **options)

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse the arguments; an unknown option is reported with the usage of the subcommand that received it."""
        known = self.parse_known_args if self.subcommands() else self.parse_known_intermixed_args
        parsed, unknown = known(args, namespace)
        if unknown:
            parser: CommandLine = getattr(parsed, "parser", self)
            options = [option for action in parser._actions for option in action.option_strings]
            parser.error(
                f"there is no option {unknown[0]!r}{did_you_mean(unknown[0], options)}"
                if unknown[0].startswith("-")
                else f"unexpected argument {unknown[0]!r}"
            )
        return parsed

    def error(self, message: str) -> NoReturn:
        """Print the error, worded like our other errors, and the usage on stderr; exit with status 2."""
        self.exit(WRONG_USE, f"graphground: {_in_our_words(message)}\n{self.format_usage()}")

    def subcommands(self) -> dict[str, CommandLine]:
        """Return the parsers of the subcommands by name; empty for a command without subcommands."""
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):
                return dict(action.choices)
        return {}

    def add_command(self, name: str, run: Any, help: str) -> CommandLine:
        """Add a subcommand and return its parser; `run(parsed)` executes the subcommand and returns the exit status."""
        group = next((action for action in self._actions if isinstance(action, argparse._SubParsersAction)), None)
        if group is None:
            group = self.add_subparsers(dest="command", required=True, metavar="COMMAND", title="commands")
        parser: CommandLine = group.add_parser(name, help=help, description=help)
        parser.set_defaults(run=run, parser=parser)
        return parser


def command_line(name: str, description: str, run: Any = None) -> CommandLine:
    """Return the parser of `graphground NAME`, without its options."""
    parser = CommandLine(f"graphground {name}", description=description)
    if run is not None:
        parser.set_defaults(run=run, parser=parser)
    return parser


def run(parser: CommandLine, arguments: Sequence[str]) -> int:
    """Parse the arguments and run the command: `run(parser(), ["info", "nba"])`; return the exit status.

    A failure is printed on stderr and becomes an exit status. A traceback is printed only if `wants_trace()`.
    """
    parsed = parser.parse_args(list(arguments))
    try:
        return int(parsed.run(parsed) or 0)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # the program that reads our stdout, such as `head`, has closed it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except Exception as error:
        if isinstance(error, WrongUse) or type(error).__name__ == "SettingsError":
            sys.stderr.write(
                f"graphground: {' '.join(str(error).split())}\n`{parsed.parser.prog} --help` shows the options.\n"
            )
            sys.exit(WRONG_USE)
        if wants_trace():
            raise
        sys.stderr.write(f"graphground: {explained(error)}\n")
        return FAILED


def explained(error: Exception) -> str:
    """Return the message of an exception of our own, or a new sentence for any other exception.

    >>> explained(FileNotFoundError(2, "No such file or directory", "films.json"))
    'films.json: No such file or directory'
    """
    if type(error).__module__.startswith("graphground."):
        return " ".join(str(error).split())
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        if error.errno == errno.ENOSPC:
            return f"{place}the disk is full. Make room, or write to another disk."
        return f"{place}{error.strerror or error}"
    return (
        f"unexpected {type(error).__name__}: {' '.join(str(error).split())}. This is a defect in graphground; "
        "set GRAPHGROUND_LOG_LEVEL=debug to see where, and please report it."
    )


def _in_our_words(message: str) -> str:
    """Return one of argparse's messages in our wording; messages without such a wording are returned unchanged.

    >>> _in_our_words("argument --port: invalid int value: 'many'")
    "--port must be a whole number, not 'many'"
    """
    for pattern, words in _WORDINGS:
        if found := re.fullmatch(pattern, message):
            return found.expand(words)
    if found := re.fullmatch(r"one of the arguments (.*) is required", message):
        return f"give one of {', '.join(found[1].split())}"
    if found := re.fullmatch(r"argument (\S+): invalid choice: '(.*?)' \(choose from (.*)\)", message):
        name, value, choices = found[1], found[2], re.findall(r"[\w.-]+", found[3])
        hint = did_you_mean(value, choices)
        if name == "COMMAND":
            return f"there is no command {value!r}{hint}; the commands are {', '.join(choices)}"
        return f"{name} must be one of {', '.join(choices)}, not {value!r}{hint}"
    return message


def wants_trace() -> bool:
    """Whether failures are shown with their traceback, as GRAPHGROUND_LOG_LEVEL=debug requests."""
    return os.environ.get("GRAPHGROUND_LOG_LEVEL", "").lower() == "debug"


def did_you_mean(found: str, known: Sequence[str]) -> str:
    """Return `; did you mean 'load'?`, or an empty string if no known word is similar."""
    from graphground.cypher.names.nearest import closest  # loaded only after a mistake

    nearest = closest(found.partition("=")[0], known, limit=1)
    return f"; did you mean {nearest[0]!r}?" if nearest else ""


DATA_FOLDER = ("home", "settings")
"""The options of a command that needs only the data folder."""
GRAPHS = ("graph", "uri", "user", "database", "name", "home", "settings")
"""The options of a command that opens graphs but does not serve them."""


def add_options(parser: argparse.ArgumentParser, names: Sequence[str] | None = None) -> None:
    """Add one option for each setting, or only for the named settings.

    `add_options(parser, DATA_FOLDER)` adds `--home` and `--settings`.
    """
    connects = names is None or "uri" in names
    group = parser.add_argument_group(
        "settings",
        "Each can also be set by an environment variable (in brackets) or, except --settings, by a key of the settings file"
        + (", where a table [graphs.NAME] replaces --uri, --user, --database and --name." if connects else "."),
    )
    for setting in options():
        if names is not None and setting.name not in names:
            continue
        words: dict[str, Any] = {
            "help": f"{setting.metadata['help']} [{setting.metadata['variable']}]".replace("%", "%%"),
            "default": argparse.SUPPRESS,
        }
        if isinstance(setting.default, bool):
            words["action"] = "store_true"
        elif setting.metadata["choices"]:
            words["choices"] = setting.metadata["choices"]
        else:
            words["metavar"] = setting.name.upper().rpartition("_")[2]
        if setting.metadata["many"]:
            words["action"] = "append"
        elif isinstance(setting.default, int | float) and not isinstance(setting.default, bool):
            words["type"] = type(setting.default)
        group.add_argument("--" + setting.name.replace("_", "-"), **words)


def settings_from(parsed: argparse.Namespace) -> Settings:
    """Return the settings for the given options, the environment and the settings file.

    Raises:
        SettingsError: a setting is invalid; `run` reports the error with exit status 2.
    """
    return read_settings(_given(parsed))


def home_from(parsed: argparse.Namespace) -> Home:
    """Return the data folder that the options, the environment or the settings file names, or the default folder."""
    from graphground.graphs.storage.home import Home

    return Home(Path(read_home(_given(parsed))))


def _given(parsed: argparse.Namespace) -> dict[str, Any]:
    names = {setting.name for setting in options()}
    return {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in vars(parsed).items()
        if name in names
    }


def set_up_logging(level: str, form: str = "text") -> None:
    """Send log records of at least `level` to stderr, because stdout belongs to the protocol."""
    import logging

    logging.basicConfig(level=level.upper(), format="graphground: %(levelname)s %(name)s: %(message)s", force=True)
    for handler in logging.getLogger().handlers:
        if form == "json":
            from graphground.server.telemetry import JsonLines  # only servers that are asked to

            handler.setFormatter(JsonLines())
        handler.setLevel(level.upper())  # clients may request more detailed messages than stderr receives


def open_graphs(settings: Settings, *, may_be_provisional: bool = False, hide: Callable[[str], str] = str) -> Graphs:
    """Return the graphs that the settings name; a graph's database is connected on first use.

    See `graph_sources` for `may_be_provisional` and `hide`.
    """
    from graphground.server.driver_import import import_driver  # drivers load on first use

    import_driver()
    from graphground.server.sources import graph_sources

    return graph_sources(settings, may_be_provisional=may_be_provisional, hide=hide)


def check_names(settings: Settings) -> None:
    """Refuse to run a command if a graph named by `--graph` does not exist.

    Raises:
        SettingsError: a graph does not exist; the message gives the nearest name and lists the existing graphs.
    """
    if not settings.graph:
        return
    from graphground.graphs.opening.stored import offered  # only --graph needs the catalog this early
    from graphground.graphs.storage.catalog import Catalog
    from graphground.graphs.storage.home import Home

    home = Home(default_home(settings.home))
    known = dict.fromkeys(
        [
            *(bundled.name for bundled in offered(home)),
            *(entry.name for entry in Catalog(home).entries()),
            *(database.name for database in settings.bolt_databases()),
        ]
    )
    for name in settings.graph:
        if name not in known:
            from graphground.cypher.names.nearest import closest  # loaded only after a mistake

            nearest = [f"; nearest: {other}" for other in closest(name, list(known), limit=1)]
            raise SettingsError(
                f"--graph {name}: there is no such graph{''.join(nearest)}; available: {', '.join(known) or 'none'}. "
                f"Load it with `graphground graphs load FILE --name {name}`."
            )


SECONDS_BETWEEN_LINES = 5.0
Report = Callable[[str, int, int | None], None]
"""A function called with the name of a step, the amount done, and the total (None if unknown)."""


@dataclass(frozen=True, slots=True)
class ProgressReport:
    """A display of progress: `report("names", 200, 800)` shows a step, `report.note("waiting 30 s")` a sentence."""

    show: Report
    note: Callable[[str], None]

    def __call__(self, step: str, done: int, total: int | None) -> None:
        """Show that `done` of `total` parts of a step are done; `total` is None if it is unknown."""
        self.show(step, done, total)


@contextmanager
def progress_bars() -> Iterator[ProgressReport]:
    """Show a progress bar for each step; if stderr is not a terminal, print a line every few seconds instead."""
    if not sys.stderr.isatty():
        yield ProgressReport(_line_reporter(), _write_line)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description:<15}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
    )
    tasks: dict[str, TaskID] = {}
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:

        def report(step: str, done: int, total: int | None) -> None:
            if step not in tasks:
                tasks[step] = bars.add_task(step, total=total)
            bars.update(tasks[step], completed=done, total=total)

        yield ProgressReport(report, lambda text: bars.console.print(text, highlight=False, markup=False))


def _write_line(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def _line_reporter() -> Report:
    last = time.monotonic()

    def report(step: str, done: int, total: int | None) -> None:
        nonlocal last
        if time.monotonic() - last > SECONDS_BETWEEN_LINES:
            last = time.monotonic()
            share = f" {done / total:.0%}" if total else f" {done:,}"
            _write_line(f"{step}:{share}")

    return report


@contextmanager
def spinner(text: str) -> Iterator[None]:
    """Show a spinner beside `text` while the block runs, if stderr is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(text):
        yield


def add_model(command: CommandLine, *, several: bool = False) -> None:
    """Add the options of a language model, or with `several` of more than one, as a separate group."""
    model = command.add_argument_group("model")
    words = "The model, such as gpt-5-mini or anthropic:claude-sonnet-4-5"
    if several:
        words += ", or NAME@URL for a model at an endpoint of its own; may be repeated"
    model.add_argument("--model", required=True, action="append" if several else "store", help=f"{words}.")
    model.add_argument(
        "--price",
        action="append",
        default=[],
        metavar="[MODEL=]IN,OUT",
        help="The price of a model in US dollars for a million tokens of input and output, where none is published.",
    )
    model.add_argument("--endpoint", default="", metavar="URL", help="An OpenAI-compatible endpoint of your own.")
    model.add_argument("--key-variable", default="", metavar="NAME", help="The environment variable with the key.")
    model.add_argument("--temperature", default="0", metavar="T", help="The temperature; `none` omits it (default: 0).")
    model.add_argument(
        "--reasoning-effort", default="", metavar="E", help="How long a reasoning model thinks: low, medium, high …"
    )
    model.add_argument("--stream", action="store_true", help="Let the endpoint stream its replies.")
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
        endpoint=f"http{endpoint}" if at else parsed.endpoint,
        price=prices.get(named, prices.get(name, prices.get(""))),
        key_variable=parsed.key_variable,
        temperature=temperature,
        reasoning_effort=parsed.reasoning_effort,
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
