"""The documentation says what the code does: generated parts are current, examples run, nothing is left out."""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
from pathlib import Path
from types import ModuleType

from graphground.prompts.template import all_templates
from graphground.server.cli import COMMANDS
from graphground.server.settings import options, read_settings
from graphground.tools import NAMES

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_reference", ROOT / "docs" / "reference.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_reference_is_what_the_code_says() -> None:
    current = generator().reference()
    assert current == (ROOT / "docs" / "reference.md").read_text(encoding="utf-8"), "run: python docs/reference.py"


def test_the_tool_table_of_the_readme_is_what_the_code_says() -> None:
    assert generator().written_readme(README) == README, "run: python docs/reference.py"
    differences = generator().DIFFERENCES.read_text(encoding="utf-8")
    assert generator().written_differences(differences) == differences, "run: python docs/reference.py"


def test_every_tool_prompt_command_and_setting_is_documented() -> None:
    reference = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    for name in (*NAMES, *all_templates()):
        assert f"### `{name}`" in reference, name
    for command in COMMANDS:
        assert f"`graphground {command}`" in reference, command
    for one in options():
        assert f"`--{one.name.replace('_', '-')}`" in reference, one.name
        assert one.metadata["variable"] in reference, one.name


def test_the_first_screen_of_the_readme_holds_the_two_commands() -> None:
    first = "\n".join(README.splitlines()[:25])
    assert "python3 bootstrap.py serve" in first
    assert "python3 bootstrap.py test" in first


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def test_the_configurations_of_the_readme_start_the_server_that_this_checkout_holds() -> None:
    servers = [server for block in blocks("json") for key in ("mcpServers", "servers")
               for server in json.loads(block).get(key, {}).values()]
    assert len(servers) == 2
    for server in servers:
        script, *words = server["args"]
        assert (server["command"], words) == ("python3", ["serve"])
        assert (ROOT / Path(script).relative_to("/path/to/graphground")).is_file()
    adding = next(line for block in blocks("sh") for line in block.splitlines() if line.startswith("claude"))
    assert shlex.split(adding)[5:] == ["python3", "/path/to/graphground/bootstrap.py", "serve"]


def test_the_settings_file_of_the_readme_can_be_read(tmp_path: Path) -> None:
    (text,) = blocks("toml")
    (tmp_path / "settings.toml").write_text(text)
    settings = read_settings({"home": str(tmp_path)}, {"FILMS_PASSWORD": "x", "PAPERS_PASSWORD": "y"})
    assert [one.name for one in settings.bolt_databases()] == ["films", "papers"]


def test_options_that_the_readme_names_exist() -> None:
    known = {"--" + one.name.replace("_", "-") for one in options()} | {"--json"}
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", README)) <= known


def test_every_document_is_listed_in_the_index_and_every_link_leads_somewhere() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    documents = sorted(path.name for path in (ROOT / "docs").glob("*.md") if path.name != "index.md")
    assert [name for name in documents if f"({name})" not in index] == []
    for path in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md")):
        for link in re.findall(r"\]\(([^)#\s]+)", path.read_text(encoding="utf-8")):
            if "://" not in link:
                assert (path.parent / link).exists(), f"{path.name}: {link}"
