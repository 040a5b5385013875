"""The transcripts in the documentation match the output of the commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.commands import RunCommand
from tests.support.pages import generator

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("path", ["README.md", *sorted(f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md"))])
def test_transcripts_match_the_output_of_the_commands(path: str, data_folder: Path, run_command: RunCommand) -> None:
    reference = generator()

    def output(command: str) -> str:
        ended = run_command(*reference.words_of(command), home=data_folder, folder=ROOT)
        return str(reference.without_times(ended.stdout + ended.stderr))

    text = (ROOT / path).read_text(encoding="utf-8")
    assert reference.replayed(text, output) == text, "run: python docs/reference.py --transcripts"
