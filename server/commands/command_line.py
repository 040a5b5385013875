"""The framework of the command line: one parser class, one way to run a command, one form for errors.

A command is a function of the parsed arguments that returns the exit status. Its docstring is its help: after the first
paragraph, each line describes an argument or an option, and what a reader of the help learns is what the parser does.

    @command("load", settings=DATA_FOLDER)              # graphs.py: the subcommand `graphground graphs load`
    def load(parsed: argparse.Namespace) -> int:
        '''Load a SimpleKG file.

        FILE             A SimpleKG file.               # an argument; [FILE] may be left out, FILE... repeated
        --force          Replace an existing graph.     # a flag
        --nodes N        Number of nodes (default: 10).
        --form (csv|xml)  The form; may be repeated.    # alternatives, collected in a list
        --model MODEL    The model (required).

        bounds:                                         # a heading of options, until the next empty line
        --limit N        The limit.

        One of these is required:                       # or `One of these:`; the options exclude each other
        --all            Every row.
        --none           No row.
        '''

The framework uses argparse, because importing argparse takes no measurable time.
"""

from __future__ import annotations

import argparse
import errno
import inspect
import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, cast

from graphground.server.settings import Settings, SettingsError, default_home, options, read_home, read_settings

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from graphground.graphs.storage.home import Home
    from graphground.tools.tool import Graphs


FAILED, WRONG_USE, INTERRUPTED = 1, 2, 130


class WrongUse(Exception):
    """Wrong options or arguments; the command prints the problem and ends with exit status 2."""


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
            from graphground.cypher.names.nearest import did_you_mean  # loaded only after a mistake

            options = [option for action in parser._actions for option in action.option_strings]
            parser.error(
                f"there is no option {unknown[0]!r}{did_you_mean(unknown[0].partition('=')[0], options)}"
                if unknown[0].startswith("-")
                else f"unexpected argument {unknown[0]!r}"
            )
        return parsed

    def error(self, message: str) -> NoReturn:
        """Print the error and the usage on stderr; exit with status 2."""
        self.exit(WRONG_USE, f"graphground: {_with_nearest(message)}\n{self.format_usage()}")

    def subcommands(self) -> dict[str, CommandLine]:
        """Return the parsers of the subcommands by name; empty for a command without subcommands."""
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):
                return dict(action.choices)
        return {}


TYPES: Mapping[str, Callable[[str], Any]] = {
    "N": int,
    **dict.fromkeys(("SECONDS", "USD"), float),
    **dict.fromkeys(("FILE", "FOLDER", "TASKS", "SCHEMA", "OUT", "FIRST", "SECOND"), Path),
}
"""The types of values by the words that stand for them in the help; others are texts."""
_ENTRY = re.compile(r"(?P<left>(?:--?\w|\[?[A-Z]+\b)\S*(?: \S+)*)  +(?P<help>\S.*)")
_DEFAULT = re.compile(r"\(default: ([^ ;)]+)\)")


@dataclass(frozen=True, slots=True)
class Command:
    """A command of a module; an empty name is that of the module itself."""

    name: str
    run: Callable[[argparse.Namespace], int]
    shared: Sequence[str]
    """Further descriptions of options, which several commands have."""
    settings: Sequence[str]
    """The settings that are options of this command."""


_COMMANDS: dict[str, list[Command]] = {}
RunT = TypeVar("RunT", bound=Callable[[argparse.Namespace], int])


def command(name: str = "", *shared: str, settings: Sequence[str] = ()) -> Callable[[RunT], RunT]:
    """Make a function a command, whose options its docstring describes; see the module's docstring."""

    def register(run: RunT) -> RunT:
        _COMMANDS.setdefault(run.__module__, []).append(Command(name, run, shared, settings))
        return run

    return register


def parser_of(name: str) -> CommandLine:
    """Build the parser of `graphground NAME` from the commands in the module NAME."""
    module = import_module(f"graphground.server.commands.{name}")
    first, *others = _COMMANDS[module.__name__]
    help_, options = _read_docstring(module if first.name else first.run)
    parser = CommandLine(f"graphground {name}", description=help_, add_help="-h --help" not in options)
    if not first.name:
        _add_options_of(parser, first)
        return parser
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", title="commands")
    for found in (first, *others):
        help_, _ = _read_docstring(found.run)
        _add_options_of(commands.add_parser(found.name, help=help_, description=help_), found)
    return parser


def _read_docstring(documented: object) -> tuple[str, str]:
    first, _, rest = (inspect.getdoc(documented) or "").partition("\n\n")
    return " ".join(first.split()), rest


def _add_options_of(parser: CommandLine, command: Command) -> None:
    """Add the options that a command's docstring describes, those that it shares with others, and its settings."""
    parser.set_defaults(function=command.run, parser=parser)
    known: set[str] = set()
    groups: dict[str, Any] = {}
    for text in (_read_docstring(command.run)[1], *command.shared):
        holder: Any = parser
        for line in re.sub(r"\n +", " ", text.strip()).split("\n"):
            found = _ENTRY.fullmatch(line)
            if not line:
                holder = parser
            elif found is None and line.startswith("One of these"):
                holder = parser.add_mutually_exclusive_group(required=line.endswith("required:"))
            elif found is None:
                holder = groups[line] = groups.get(line) or parser.add_argument_group(line.rstrip(":"))
            elif found["left"] not in known:  # a command may describe a shared option in its own way
                known.add(found["left"])
                words, form = _read_entry(found["left"], found["help"])
                holder.add_argument(*words, **form)
    if command.settings:
        add_options(parser, command.settings)


def _read_entry(left: str, text: str) -> tuple[list[str], dict[str, Any]]:
    """Return the arguments of `add_argument` for a line of help.

    >>> _read_entry("--nodes N", "Number of nodes (default: 10).")[1]
    {'help': 'Number of nodes (default: 10).', 'metavar': 'N', 'type': <class 'int'>, 'default': 10}
    """
    words = [word for word in left.split() if word.startswith("-")]
    first, *values = [word for word in left.split() if not word.startswith("-")] or [""]
    form: dict[str, Any] = {"help": text}
    if not first:
        return words, form | {"action": "store_true"}
    positional = re.fullmatch(r"(\[?)([A-Z]+)\]?(\.{3})?", "" if words else first)
    metavar = positional[2] if positional else first
    alternatives = values[0] if values else first
    form |= {"choices": alternatives[1:-1].split("|")} if alternatives.startswith("(") else {"metavar": metavar}
    if metavar in TYPES:
        form["type"] = TYPES[metavar]
    if default := _DEFAULT.search(text):
        form["default"] = form.get("type", str)(default[1])
    if positional:
        optional, _, many = positional.groups()
        if optional or many:
            form["nargs"] = "?" if not many else "*" if optional else "+"
        return ["graph_name" if metavar == "GRAPH" else metavar.lower()], form  # `graph` is a setting
    if "may be repeated" in text.lower():
        form |= {"action": "append", "default": []}
    if "(required)" in text:
        form["required"] = True
    return words, form


def run(name: str, arguments: Sequence[str]) -> int:
    """Run a command: `run("graphs", ["info", "nba"])`; return the exit status.

    A failure is printed on stderr and becomes an exit status. With GRAPHGROUND_LOG_LEVEL=debug, a traceback is
    printed instead.
    """
    try:
        parsed = parser_of(name).parse_args(list(arguments))
        return int(parsed.function(parsed) or 0)
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
        if os.environ.get("GRAPHGROUND_LOG_LEVEL", "").lower() == "debug":
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


def _with_nearest(message: str) -> str:
    """Return a message of argparse; one about a value that is no choice says which choice is the nearest."""
    found = re.fullmatch(r"argument (\S+): invalid choice: '(.*?)' \(choose from (.*)\)", message)
    if found is None:
        return message
    name, value, choices = found[1], found[2], re.findall(r"[\w.-]+", found[3])
    from graphground.cypher.names.nearest import did_you_mean  # loaded only after a mistake

    hint = did_you_mean(value, choices)
    if name == "COMMAND":
        return f"there is no command {value!r}{hint}; the commands are {', '.join(choices)}"
    return f"{name} must be one of {', '.join(choices)}, not {value!r}{hint}"


DATA_FOLDER = ("home", "settings")
"""The settings of a command that needs only the data folder."""
GRAPHS = ("graph", "uri", "user", "database", "name", "home", "settings")
"""The settings of a command that opens graphs but does not serve them."""
ALL_SETTINGS = tuple(setting.name for setting in options())


def add_options(parser: argparse.ArgumentParser, names: Sequence[str]) -> None:
    """Add an option for each of the named settings: `add_options(parser, DATA_FOLDER)` adds `--home`, `--settings`."""
    group = parser.add_argument_group(
        "settings",
        "Each can also be set by an environment variable (in brackets) or, except --settings, by a key of the settings file"
        + (", where a table [graphs.NAME] replaces --uri, --user, --database and --name." if "uri" in names else "."),
    )
    for setting in options():
        if setting.name not in names:
            continue
        words: dict[str, Any] = {
            "help": f"{setting.help} [{setting.variable}]".replace("%", "%%"),
            "default": argparse.SUPPRESS,
        }
        if isinstance(setting.default, bool):
            words["action"] = "store_true"
        elif setting.choices:
            words["choices"] = setting.choices
        else:
            words["metavar"] = setting.name.upper().rpartition("_")[2]
        if setting.many:
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


def open_graphs(settings: Settings, *, hide: Callable[[str], str] = str) -> Graphs:
    """Return the graphs that the settings name; a graph's database is connected on first use.

    See `graph_sources` for `hide`.

    Raises:
        SettingsError: a graph named by `--graph` does not exist.
    """
    check_names(settings)
    import_driver()  # drivers load on first use
    from graphground.server.sources import graph_sources

    return graph_sources(settings, hide=hide)


def check_names(settings: Settings) -> None:
    """Refuse to run a command if a graph named by `--graph` does not exist.

    Raises:
        SettingsError: a graph does not exist; the message gives the nearest name and lists the existing graphs.
    """
    if not settings.graph:
        return
    from graphground.graphs.opening.stored import offered  # only --graph needs the catalog this early
    from graphground.graphs.storage.home import Catalog, Home

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


def write_json(value: Any) -> None:
    """Print one JSON document on stdout."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=1) + "\n")


SECONDS_BETWEEN_LINES = 5.0


class ProgressReport:
    """A display of progress: `report("names", 200, 800)` shows a step, `report.note("waiting 30 s")` a sentence.

    Without `bars`, it prints a line every few seconds.
    """

    def __init__(self, bars: Progress | None = None) -> None:
        self._bars, self._last = bars, time.monotonic()
        self._tasks: dict[str, TaskID] = {}

    def __call__(self, step: str, done: int, total: int | None) -> None:
        """Show that `done` of `total` parts of a step are done; `total` is None if it is unknown."""
        if self._bars is not None:
            if step not in self._tasks:
                self._tasks[step] = self._bars.add_task(step, total=total)
            self._bars.update(self._tasks[step], completed=done, total=total)
        elif time.monotonic() - self._last > SECONDS_BETWEEN_LINES:
            self._last = time.monotonic()
            self.note(f"{step}: {done / total:.0%}" if total else f"{step}: {done:,}")

    def note(self, text: str) -> None:
        """Print a sentence on stderr."""
        if self._bars is not None:
            self._bars.console.print(text, highlight=False, markup=False)
        else:
            sys.stderr.write(f"{text}\n")
            sys.stderr.flush()


@contextmanager
def progress_bars() -> Iterator[ProgressReport]:
    """Show a progress bar for each step; if stderr is not a terminal, print a line every few seconds instead."""
    if not sys.stderr.isatty():
        yield ProgressReport()
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description:<15}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        yield ProgressReport(bars)


@contextmanager
def spinner(text: str) -> Iterator[None]:
    """Show a spinner beside `text` while the block runs, if stderr is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(text):
        yield


FRAMES = ("pandas", "pyarrow")


def import_driver() -> None:
    """Import the Neo4j driver without the data-frame libraries that it looks for: call this only in our own programs.

    If pandas or pyarrow is installed, the driver imports it to accept data frames as parameters, which delays a
    server's first answer by a third of a second. Other code can still import them afterwards.
    """
    absent = [name for name in FRAMES if name not in sys.modules]
    sys.modules.update(dict.fromkeys(absent, cast(ModuleType, None)))  # importing them then fails
    try:
        import_module("neo4j")
    finally:
        for name in absent:
            sys.modules.pop(name, None)
