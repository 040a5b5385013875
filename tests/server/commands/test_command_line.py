"""Every command has the same form of help and of errors, and never prints a traceback."""

from __future__ import annotations

import argparse
import subprocess
from pathlib import Path

import pytest

from graphground.server.cli import COMMANDS
from graphground.server.commands.agent import password_variables_of
from graphground.server.commands.command_line import explained, parser_of
from tests.support.commands import RunCommand
from tests.support.serving import COMMAND, environment

PARSERS = {
    parser.prog: parser
    for name in COMMANDS
    for command in [parser_of(name)]
    for parser in (command, *command.subcommands().values())
}


@pytest.fixture
def graphground(run_command: RunCommand) -> RunCommand:
    """Return a function that runs commands in this process, in an empty data folder."""
    return run_command


@pytest.mark.parametrize("prog", PARSERS)
def test_every_command_and_option_has_a_help_text(prog: str) -> None:
    parser = PARSERS[prog]
    assert parser.description, prog
    assert parser.format_help()
    for action in parser._actions:
        assert action.dest in ("help", "command") or action.help, (prog, action.dest)


WITHOUT_DATA_FOLDER = {
    "graphground eval rephrase",
    "graphground eval judge",
    "graphground eval report",
    "graphground completion",
    "graphground graphs check",
    "graphground trace show",
    "graphground wikidata build",
}


@pytest.mark.parametrize("prog", [prog for prog, parser in PARSERS.items() if not parser.subcommands()])
def test_every_command_that_reads_the_data_folder_has_the_option_home(prog: str) -> None:
    options = {option for action in PARSERS[prog]._actions for option in action.option_strings}
    assert "--home" in options or prog in WITHOUT_DATA_FOLDER


WRONG = [
    (["graphs", "load", "missing.json", "--name", "x"], "missing.json: No such file"),
    (["graphs", "load", "README", "--name", "x"], "no JSON"),
    (["graphs", "load", "loans.csv"], "import it: graphground graphs import loans.csv"),
    (["graphs", "export", "nba", "nowhere/x.json"], "there is no folder"),
    (["graphs", "export", "nope", "x.json"], "there is no loaded graph 'nope'"),
    (["serv"], "did you mean 'serve'?"),
    (["graphs", "lod"], "did you mean 'load'?"),
    (["graphs", "load", "x.json", "--into", "bolt://x", "--name", "y"], "--into"),
    (["graphs", "load", "x.json", "--user", "y"], "need --into"),
    (["entities"], "COMMAND"),
    (["query"], "QUERY"),
    (["query", "nope", "RETURN 1 AS one"], "next: graphground graphs list shows the graphs."),
    (["query", "nba", "RETURN 1 AS one", "--json", "--csv"], "--csv: not allowed with argument --json"),
    (["call"], "call --list"),
    (["call", "list_graphs", "[1]"], "must be a JSON object"),
    (["call", "get_schema", '{"graf": "nba"}'], "nearest: graph"),
    (["serve", "--transport", "http", "--host", "0.0.0.0", "--port", "0"], "--allowed-host"),
    (["call", "lst_graphs", "--help"], "did you mean 'list_graphs'?"),
    (["serve", "--port", "99999"], "port must be from 0 to 65535, not 99999"),
    *(
        ([*words, "--graph", "nope"], "there is no such graph; available: nba")
        for words in (["serve"], ["call", "list_graphs"], ["entities", "info"])
    ),
    (["serve", "--settings", "missing.toml"], "there is no settings file"),
    (["serve", "--ui"], "--ui needs --transport http"),
    (["serve", "--record", "."], "--record"),
    (["completion", "tcsh"], "shell must be one of bash, fish, zsh, not 'tcsh'"),
]


@pytest.mark.parametrize(("words", "message"), WRONG, ids=[" ".join(words) for words, _ in WRONG])
def test_wrong_use_is_reported_as_a_sentence_on_stderr(
    words: list[str], message: str, tmp_path: Path, graphground: RunCommand
) -> None:
    (tmp_path / "README").write_text("no JSON here")
    (tmp_path / "loans.csv").write_text("book,reader\nEmma,Ada\n")
    result = graphground(*words)
    assert (result.returncode in (1, 2), result.stdout) == (True, ""), result
    assert message in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("damage", ["{", "[]", '{"graphs": [{"name": "x"}]}', '{"graphs": 3}', "\0\xff"])
@pytest.mark.parametrize("words", [["graphs", "list"], ["call", "list_graphs"]], ids=" ".join)
def test_a_damaged_catalog_is_reported_as_a_sentence_on_stderr(
    damage: str, words: list[str], tmp_path: Path, graphground: RunCommand
) -> None:
    (tmp_path / "catalog.json").write_text(damage)
    result = graphground(*words)
    assert (result.returncode, result.stdout) == (1, "")
    assert "catalog.json cannot be read" in result.stderr
    assert "Traceback" not in result.stderr


def test_an_unexpected_error_and_a_full_disk_are_reported_as_sentences() -> None:
    assert explained(KeyError("x")).startswith("unexpected KeyError: 'x'. This is a defect in graphground")
    assert explained(OSError(28, "No space left on device", "/data/x")).startswith("/data/x: the disk is full.")


def test_the_tools_and_their_arguments_are_listed(graphground: RunCommand) -> None:
    listed = graphground("call", "--list")
    assert "execute_cypher" in listed.stdout
    described = graphground("call", "execute_cypher", "--help").stdout
    assert "query (string)" in described
    assert "limit (integer, 1 to 100000, default 100)" in described
    assert "question (string, required)" in graphground("call", "get_filtered_schema", "--help").stdout


@pytest.mark.parametrize(
    ("line", "words"), [("graphground ser", ["serve "]), ("graphground serve --transport ", ["stdio", "http"])]
)
def test_the_shell_completes_commands_options_and_values(line: str, words: list[str], tmp_path: Path) -> None:
    answer = tmp_path / "words"
    request = {"_ARGCOMPLETE": "1", "_ARGCOMPLETE_STDOUT_FILENAME": str(answer), "_ARGCOMPLETE_IFS": "\n"}
    request |= {"COMP_LINE": line, "COMP_POINT": str(len(line)), "COMP_TYPE": ""}
    subprocess.run(COMMAND, env=environment(tmp_path) | request, timeout=60, check=True)
    assert answer.read_text().split("\n") == words


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_script_of_each_shell_runs_graphground(shell: str, graphground: RunCommand) -> None:
    assert "_ARGCOMPLETE" in graphground("completion", shell).stdout


def parsed(*words: str) -> argparse.Namespace:
    return parser_of("agent").parse_args(["tools", "--model", "m", *words])


def test_a_started_server_receives_the_passwords_that_its_settings_file_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GRAPHGROUND_SETTINGS", raising=False)
    file = tmp_path / "settings.toml"
    file.write_text("[graphs.films]\nuri = 'bolt://a'\npassword_variable = 'FILMS_KEY'\n", encoding="utf-8")
    for words in (
        ("--home", str(tmp_path)),
        ("--settings", str(file)),
        ("--server", f"graphground serve --settings '{file}' --graph films"),
        ("--server", f"graphground serve '--home={tmp_path}'"),
    ):
        assert password_variables_of(parsed(*words)) == {"FILMS_KEY"}, words
    running = parsed("--server", "http://127.0.0.1:8300/mcp", "--settings", str(file))
    assert password_variables_of(running) == frozenset()
