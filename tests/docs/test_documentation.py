"""The documentation matches the code: generated parts are current, examples run, and nothing is missing."""

from __future__ import annotations

import base64
import json
import re
import shlex
import subprocess
import sys
import urllib.parse
from pathlib import Path
from typing import Any

from graphground.prompts.template import all_templates
from graphground.server.cli import COMMANDS
from graphground.server.definitions import PREPARED
from graphground.server.settings import options, read_settings
from graphground.tools import NAMES
from tests.support.http_calls import INITIALIZE
from tests.support.pages import generator, section
from tests.support.serving import environment

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_reference_matches_the_code() -> None:
    current = generator().reference()
    assert current == (ROOT / "docs" / "reference.md").read_text(encoding="utf-8"), "run: python docs/reference.py"


def test_the_definitions_that_servers_send_match_the_code() -> None:
    assert PREPARED.read_text(encoding="utf-8") == generator().prepared_text(), "run: python docs/reference.py"


def test_the_tables_in_databases_index_and_architecture_match_the_code() -> None:
    databases = generator().DATABASES.read_text(encoding="utf-8")
    assert generator().written_databases(databases) == databases, "run: python docs/reference.py"
    evaluation = generator().EVALUATION.read_text(encoding="utf-8")
    assert generator().written_evaluation(evaluation) == evaluation, "run: python docs/reference.py"
    architecture = generator().ARCHITECTURE.read_text(encoding="utf-8")
    assert generator().written_architecture(architecture) == architecture, "run: python docs/reference.py"
    index = generator().INDEX.read_text(encoding="utf-8")
    assert generator().written_index(index) == index, "run: python docs/reference.py"


def test_every_tool_prompt_command_and_setting_is_documented() -> None:
    reference = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    for name in (*NAMES, *all_templates()):
        assert f"### `{name}`" in reference, name
    for command in COMMANDS:
        assert f"`graphground {command}`" in reference, command
    for option in options():
        assert f"`--{option.name.replace('_', '-')}`" in reference, option.name
        assert option.variable in reference, option.name


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def test_the_configurations_of_the_readme_start_the_server_of_this_checkout() -> None:
    servers = [
        server
        for block in blocks("json")
        for key in ("mcpServers", "servers")
        for server in json.loads(block).get(key, {}).values()
    ]
    assert len(servers) == 2
    for server in servers:
        script, *words = server["args"]
        assert (server["command"], words) == ("python3", ["serve"])
        assert (ROOT / Path(script).relative_to("/path/to/graphground")).is_file()
    adding = next(line for block in blocks("sh") for line in block.splitlines() if line.startswith("claude"))
    assert shlex.split(adding)[5:] == ["python3", "/path/to/graphground/bootstrap.py", "serve"]


def test_a_settings_file_with_two_databases_can_be_read(tmp_path: Path) -> None:
    (text,) = re.findall(r"```toml\n(.*?)```", section("clients.md", "Several databases"), re.DOTALL)
    (tmp_path / "settings.toml").write_text(text)
    settings = read_settings({"home": str(tmp_path)}, {"FILMS_PASSWORD": "x", "PAPERS_PASSWORD": "y"})
    assert [bolt_database.name for bolt_database in settings.bolt_databases()] == ["films", "papers"]


def test_the_readme_has_at_most_700_words() -> None:
    assert len(README.split()) <= 700


def test_options_that_the_readme_names_exist() -> None:
    known = {"--" + option.name.replace("_", "-") for option in options()} | {"--json", "--force", "--check"}
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", README)) <= known


def test_every_document_is_listed_in_the_index_and_every_link_has_a_target() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    documents = sorted(path.name for path in (ROOT / "docs").glob("*.md") if path.name != "index.md")
    assert [name for name in documents if f"({name})" not in index] == []
    for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")):
        for link in re.findall(r"\]\(([^)#\s]+)", path.read_text(encoding="utf-8")):
            if not re.match(r"[a-z]+:", link):
                assert (path.parent / link).exists(), f"{path.name}: {link}"


def test_every_folder_at_the_top_is_named_for_contributors_and_every_package_in_the_architecture() -> None:
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    architecture = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    listed = subprocess.run(
        ["git", "ls-files", "*.py"], cwd=ROOT, capture_output=True, text=True, check=True, timeout=30
    )
    for folder in {Path(name).parent for name in listed.stdout.splitlines()} - {Path(".")}:
        if len(folder.parts) == 1 or folder.parts[0] not in ("tests", "benchmarks", "docs"):
            assert f"`{folder}/`" in architecture, folder
        assert f"`{folder.parts[0]}/`" in contributing or folder.parts[0] == "graphground", folder


CLIENTS = (ROOT / "docs" / "clients.md").read_text(encoding="utf-8")


def client_configurations() -> list[dict[str, Any]]:
    """Return the servers in the JSON blocks of the page on clients."""
    found = re.findall(r"```json\n(.*?)```", CLIENTS, re.DOTALL)
    return [
        server
        for block in found
        for key in ("mcpServers", "servers")
        for server in json.loads(block).get(key, {}).values()
    ]


def test_the_server_starts_from_every_configuration_of_the_page_on_clients(data_folder: Path) -> None:
    servers = [server for server in client_configurations() if "command" in server]
    assert len(servers) == 4
    assert all(set(server["env"]) == {"NEO4J_URI", "NEO4J_USERNAME", "NEO4J_PASSWORD"} for server in servers)
    for words in {tuple(server["args"]) for server in servers}:
        ended = subprocess.run(
            [sys.executable, *(word.replace("/path/to/graphground", str(ROOT)) for word in words)],
            input=json.dumps(INITIALIZE) + "\n",
            capture_output=True,
            text=True,
            timeout=90,
            env=environment(data_folder, {**servers[0]["env"], "NEO4J_URI": "bolt://127.0.0.1:1"}),
        )
        assert json.loads(ended.stdout)["result"]["serverInfo"]["name"] == "graphground", ended.stderr


def test_the_one_click_install_links_contain_the_command_of_the_package() -> None:
    cursor = re.search(r"config=([\w=]+)\)", CLIENTS)
    code = re.search(r"vscode:mcp/install\?([^)]+)\)", CLIENTS)
    assert cursor is not None
    assert code is not None
    command = {"command": "uvx", "args": ["graphground", "serve"]}
    assert json.loads(base64.b64decode(cursor[1])) == command
    assert json.loads(urllib.parse.unquote(code[1])) == {"name": "graphground", **command}


def test_options_and_variables_that_the_pages_name_exist() -> None:
    """Check long options after `graphground` or `bootstrap.py`, and environment variables, on six pages."""
    reference = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    known = set(re.findall(r"`(--[a-z][a-z-]+)`", reference))
    variables = set(re.findall(r"`((?:GRAPHGROUND|NEO4J)_[A-Z_]+)`", reference))
    for name in ("tutorial", "install", "clients", "databases"):
        page = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8").replace("\\\n", " ")
        for line in re.findall(r"(?:graphground|bootstrap\.py) ([a-z][^`\n]*)", page):
            named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", line.partition("#")[0]))
            assert named <= known | {"--dev", "--help"}, (name, line)
        assert set(re.findall(r"(?:GRAPHGROUND|NEO4J)_[A-Z_]+", page)) <= variables, name


def test_the_page_has_a_snippet_for_each_framework_of_at_most_thirty_lines() -> None:
    from benchmarks.frameworks.snippets import SECTION

    found = SECTION.findall((ROOT / "docs" / "clients.md").read_text(encoding="utf-8"))
    assert [name for _, name, _ in found] == [
        *("langchain", "llamaindex", "pydantic_ai", "openai_agents", "anthropic"),
        *("claude_agent_sdk", "google_adk", "crewai", "vercel"),
    ]
    for _, name, snippet in found:
        if name != "vercel":
            compile(snippet, name, "exec")
        assert len([line for line in snippet.splitlines() if line.strip()]) <= 30, name


def test_the_balancer_of_the_docs_is_the_one_that_is_tested() -> None:
    configuration = (ROOT / "examples/deployment/haproxy.cfg").read_text("utf-8").rstrip()
    assert configuration in (ROOT / "docs/clients.md").read_text("utf-8")
