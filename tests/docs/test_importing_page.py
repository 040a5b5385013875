"""The page on imports: its mapping and its examples run, and produce the graphs that the page describes."""

import re
from pathlib import Path

import pytest

from graphground.graphs.loading.importing.mapping import import_folder, read_mapping
from graphground.graphs.loading.simplekg import SimpleKGFile

PAGE = (Path(__file__).parents[2] / "docs" / "importing.md").read_text("utf-8")


def test_the_mapping_of_the_page_imports_files_of_its_columns(tmp_path: Path) -> None:
    (text,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "films.toml").write_text(text, "utf-8")
    (tmp_path / "movies.csv").write_text(
        "movieId,title,released,genres,other_titles,about\nm1,Ran,1985-06-01,drama; war,乱,1985 film\n", "utf-8"
    )
    (tmp_path / "people.csv").write_text("id,name\np1,Tatsuya Nakadai\n", "utf-8")
    (tmp_path / "acted_in.tsv").write_text("person\tmovie\trole\np1\tm1\tHidetora\n", "utf-8")
    assert import_folder(tmp_path, read_mapping(tmp_path / "films.toml"), tmp_path / "graph.json") == (2, 1)


@pytest.mark.parametrize(("library", "counts"), [("pandas", (4, 1)), ("networkx", (2, 1))])
def test_the_examples_in_python_write_the_graph(
    library: str, counts: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (code,) = re.findall(rf"```python\n(import {library}\n.*?)```", PAGE, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "importing.md", "exec"), {})
    file = SimpleKGFile(tmp_path / "films.json")
    assert (len(list(file.entities())), len(list(file.relations()))) == counts
