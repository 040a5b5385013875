"""The options of `graphground agent` that select a server."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from graphground.server.commands.agent import password_variables_of
from graphground.server.commands.command_line import parser_of


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
