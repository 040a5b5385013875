"""The examples in Python on the page on imports run, and write the graphs that the page describes."""

import re
from pathlib import Path

import pytest

from graphground.graphs.loading.simplekg import SimpleKGFile

PAGE = (Path(__file__).parents[2] / "docs" / "importing.md").read_text("utf-8")


@pytest.mark.parametrize(("library", "counts"), [("pandas", (4, 1)), ("networkx", (2, 1))])
def test_the_examples_in_python_write_the_graph(
    library: str, counts: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (code,) = re.findall(rf"```python\n(import {library}\n.*?)```", PAGE, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "importing.md", "exec"), {})
    file = SimpleKGFile(tmp_path / "films.json")
    assert (len(list(file.entities())), len(list(file.relations()))) == counts
