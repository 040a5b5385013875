"""Builds the published files: the wheel, server.json for the MCP registry, and a bundle for Claude Desktop.

    python release/build.py FOLDER [--repository https://git.example.org/graphground/graphground]

The repository's address, if given, is written into the wheel's metadata, the links of its README, and server.json. To
pack the bundle, then run `npx @anthropic-ai/mcpb pack FOLDER/bundle FOLDER/graphground.mcpb`.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parents[1]
SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
SUMMARY = "Grounds an agent's Cypher in the graph: its schema, its entities, and checks of each query."
CONNECTION = {
    "NEO4J_URI": "Bolt address of your own database, such as neo4j://localhost:7687; empty: the bundled graph",
    "NEO4J_USERNAME": "User of that database",
    "NEO4J_PASSWORD": "Password of that user",
    "NEO4J_DATABASE": "Database on that server; empty: its default",
}


def main() -> None:
    """Build all published files into the folder that the command line names."""
    parser = argparse.ArgumentParser(description="Build the files to publish.")
    parser.add_argument("folder", type=Path, help="The folder to write them to.")
    parser.add_argument("--repository", default="", help="The address of the repository.")
    parsed = parser.parse_args()
    folder: Path = parsed.folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    wheel = build_wheel(folder, parsed.repository)
    version = wheel.name.split("-")[1]
    write_json(folder / "server.json", server_json(version, parsed.repository))
    bundle(folder / "bundle", wheel, version)
    print(f"{wheel.name}, server.json and bundle/ are in {folder}")


def build_wheel(folder: Path, repository: str) -> Path:
    """Build the wheel and return its path."""
    uv = shutil.which("uv") or str(ROOT / ".tools" / "bin" / "uv")
    subprocess.run(
        [
            uv,
            "build",
            "--quiet",
            "--wheel",
            "--no-build-isolation",
            "--python",
            sys.executable,
            "--out-dir",
            folder,
            ROOT,
        ],
        check=True,
        env={**os.environ, "GRAPHGROUND_REPOSITORY": repository},
    )
    return max(folder.glob("graphground-*.whl"), key=lambda path: path.stat().st_mtime)


def server_json(version: str, repository: str) -> dict[str, Any]:
    """Return the registry entry, whose name begins with the reversed host name (on GitHub, `io.github`) and owner."""
    parts = urlsplit(repository or "https://example.org/graphground/graphground")
    owner = parts.path.strip("/").split("/")[0]
    host = ".".join(reversed((parts.hostname or "").split(".")))
    name = f"io.github.{owner}/graphground" if parts.hostname == "github.com" else f"{host}.{owner}/graphground"
    variables = [
        {"name": variable, "description": text, "isSecret": variable == "NEO4J_PASSWORD", "isRequired": False}
        for variable, text in CONNECTION.items()
    ]
    document = {
        "$schema": SCHEMA,
        "name": name,
        "title": "graphground",
        "description": SUMMARY,
        "version": version,
        "packages": [
            {
                "registryType": "pypi",
                "identifier": "graphground",
                "version": version,
                "runtimeHint": "uvx",
                "transport": {"type": "stdio"},
                "packageArguments": [{"type": "positional", "value": "serve"}],
                "environmentVariables": variables,
            }
        ],
    }
    if repository:
        source = (parts.hostname or "").removesuffix(".com").removesuffix(".org")
        document["repository"] = {"url": repository, "source": source}
    return document


def bundle(folder: Path, wheel: Path, version: str) -> None:
    """Create the folder that the MCPB tool packs: a manifest, the wheel, and a project that depends on the wheel."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "src").mkdir(parents=True)
    shutil.copy2(wheel, folder / wheel.name)
    (folder / "src" / "main.py").write_text(
        '"""Starts graphground over stdio, with the settings of the bundle."""\n\n'
        "import os\nimport sys\n\n"
        'for name in [name for name in os.environ if name.startswith("NEO4J_") and not os.environ[name]]:\n'
        "    del os.environ[name]  # a field that was left empty\n"
        'sys.argv[1:1] = ["serve"]\n'
        "from graphground.server.cli import main  # noqa: E402\n\nmain()\n",
        encoding="utf-8",
    )
    (folder / "pyproject.toml").write_text(
        f'[project]\nname = "graphground-bundle"\nversion = "{version}"\nrequires-python = ">=3.11"\n'
        f'dependencies = ["graphground"]\n\n[tool.uv.sources]\ngraphground = {{ path = "{wheel.name}" }}\n',
        encoding="utf-8",
    )
    fields = {variable.removeprefix("NEO4J_").lower(): variable for variable in CONNECTION}
    write_json(
        folder / "manifest.json",
        {
            "manifest_version": "0.4",
            "name": "graphground",
            "display_name": "graphground",
            "version": version,
            "description": SUMMARY,
            "author": {"name": "graphground contributors"},
            "license": "MIT AND Apache-2.0 AND CC0-1.0",
            "keywords": ["cypher", "neo4j", "memgraph", "arcadedb", "graph"],
            "server": {
                "type": "uv",
                "entry_point": "src/main.py",
                "mcp_config": {
                    "command": "uv",
                    "args": ["run", "--directory", "${__dirname}", "src/main.py"],
                    "env": {variable: f"${{user_config.{field}}}" for field, variable in fields.items()},
                },
            },
            "user_config": {
                field: {
                    "type": "string",
                    "title": field.capitalize(),
                    "description": CONNECTION[variable],
                    "required": False,
                    "sensitive": field == "password",
                    "default": "",
                }
                for field, variable in fields.items()
            },
            "compatibility": {"platforms": ["darwin", "linux", "win32"], "runtimes": {"python": ">=3.11"}},
        },
    )


def write_json(path: Path, document: dict[str, Any]) -> None:
    path.write_text(json.dumps(document, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
