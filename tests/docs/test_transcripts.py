"""The transcripts in the documentation match the output of the commands."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from tests.support.commands import RunCommand

ROOT = Path(__file__).resolve().parents[2]


def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_reference", ROOT / "docs" / "reference.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", ["README.md", *sorted(f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md"))])
def test_transcripts_match_the_output_of_the_commands(path: str, data_folder: Path, run_command: RunCommand) -> None:
    reference = generator()

    def output(command: str) -> str:
        ended = run_command(*reference.words_of(command), home=data_folder, folder=ROOT)
        return str(reference.without_times(ended.stdout + ended.stderr))

    text = (ROOT / path).read_text(encoding="utf-8")
    assert reference.replayed(text, output) == text, "run: python docs/reference.py --transcripts"
