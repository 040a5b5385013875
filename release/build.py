"""Builds the published files and lists what to upload where: `python release/build.py FOLDER`.

Two wheels (graphground, and graphground-core without the embedded engine), server.json for the MCP registry, a bundle
for Claude Desktop, a bill of materials (CycloneDX) and a list of licences. `python release/build.py --set-repository
ADDRESS` first fills in the address of the repository, from which the wheels' metadata, the links of the README and
server.json are made. To pack the bundle, run `npx @anthropic-ai/mcpb pack FOLDER/bundle FOLDER/graphground.mcpb`.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import importlib.metadata
import json
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
from release.page_libraries import VERSIONS  # noqa: E402

SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
SUMMARY = "Grounds an agent's Cypher in the graph: its schema, its entities, and checks of each query."
CONNECTION = {
    "NEO4J_URI": "Bolt address of your own database, such as neo4j://localhost:7687; empty: the bundled graph",
    "NEO4J_USERNAME": "User of that database",
    "NEO4J_PASSWORD": "Password of that user",
    "NEO4J_DATABASE": "Database on that server; empty: its default",
}


def main() -> None:
    """Build all published files into the folder that the command line names, or set the repository's address."""
    parser = argparse.ArgumentParser(description="Build the files to publish.")
    parser.add_argument("folder", type=Path, nargs="?", help="The folder to write them to.")
    parser.add_argument("--set-repository", metavar="ADDRESS", help="Fill in the address of the repository.")
    parsed = parser.parse_args()
    if parsed.set_repository:
        set_repository(parsed.set_repository.rstrip("/"))
    if parsed.folder is None:
        return
    folder: Path = parsed.folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    wheel = build_wheel(folder)
    core = without_engine(wheel)
    version = wheel.name.split("-")[1]
    write_json(folder / "server.json", server_json(version, repository()))
    bundle(folder / "bundle", wheel, version)
    parts = components()
    write_json(folder / "sbom.cdx.json", bill_of_materials(version, parts))
    rows = [f"| {part['name']} | {part['version']} | {licence_of(part)} |" for part in parts]
    text = "\n".join(["# Licences", "", "| part | version | licence |", "|---|---|---|", *rows])
    (folder / "LICENSES.md").write_text(f"{text}\n", encoding="utf-8")
    if not repository():
        print("No address yet: run release/build.py --set-repository ADDRESS before you upload.")
    for name, where in (
        (wheel.name, "the package index"),
        (core.name, "the package index"),
        ("server.json", "the MCP registry"),
        ("bundle/", "pack it with mcpb; the release page"),
        ("sbom.cdx.json", "the release page"),
        ("LICENSES.md", "the release page"),
    ):
        print(f"{name}: {where}")


def repository() -> str:
    """Return the repository's address in pyproject.toml; empty as long as it is the one of example.org."""
    address = str(project()["tool"]["graphground"]["repository"])
    return "" if "//example.org/" in address else address


def project() -> dict[str, Any]:
    """Return the content of pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def set_repository(address: str) -> None:
    """Replace the repository's address in pyproject.toml and in the clone line of the README."""
    old = str(project()["tool"]["graphground"]["repository"])
    for name in ("pyproject.toml", "README.md"):
        path = ROOT / name
        text = path.read_text(encoding="utf-8")
        assert old in text, f"{name} does not name {old}"
        path.write_text(text.replace(old, address), encoding="utf-8")


def build_wheel(folder: Path) -> Path:
    """Build the wheel and return its path."""
    shutil.rmtree(ROOT / "build" / "lib", ignore_errors=True)  # it may hold files that have been deleted since
    uv = shutil.which("uv") or str(ROOT / ".tools" / "bin" / "uv")
    options = ("--quiet", "--wheel", "--no-build-isolation", "--python", sys.executable, "--out-dir", folder)
    subprocess.run([uv, "build", *options, ROOT], check=True, timeout=300)
    return max(folder.glob("graphground-*.whl"), key=lambda path: path.stat().st_mtime)


def without_engine(wheel: Path) -> Path:
    """Write the wheel graphground-core beside a wheel: the same files, but no embedded engine among the requirements.

    Somebody who types `pip install graphground` expects the bundled graph to work, so the engine is part of that; a
    machine that only queries a database of its own installs `graphground-core`.
    """
    target = wheel.with_name(wheel.name.replace("graphground-", "graphground_core-"))
    records = []
    with zipfile.ZipFile(wheel) as source, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as changed:
        for name in source.namelist():
            content = source.read(name)
            place = name.replace("graphground-", "graphground_core-", 1) if ".dist-info/" in name else name
            if name.endswith(".dist-info/RECORD"):
                record = place
                continue
            if name.endswith(".dist-info/METADATA"):
                lines = content.decode().replace("Name: graphground\n", "Name: graphground-core\n", 1).split("\n")
                kept = [line for line in lines if not line.startswith("Requires-Dist: arcadedb-embedded")]
                assert len(kept) == len(lines) - 1, "the engine is not a requirement"
                content = "\n".join(kept).encode()
            changed.writestr(place, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
            records.append(f"{place},sha256={digest},{len(content)}\n")
        changed.writestr(record, "".join([*records, f"{record},,\n"]))
    return target


def components() -> list[dict[str, Any]]:
    """Return every part of an installation with its version and licence: packages, libraries of the page, the model."""
    lines = (ROOT / "requirements" / "run.txt").read_text(encoding="utf-8").splitlines()
    found: dict[str, dict[str, Any]] = {}
    for line in lines:
        if (match := re.match(r"([\w.-]+)==([^ ;\\]+)", line)) and match[1] != "setuptools":
            found.setdefault(match[1], component(match[1], match[2], "pypi", licence_in_metadata(match[1])))
    for name, version in VERSIONS.items():
        found[name] = component(name, version, "npm", "MIT")
    return sorted(found.values(), key=lambda part: str(part["name"]))


def component(name: str, version: str, index: str, licence: str) -> dict[str, Any]:
    """Return a part as CycloneDX describes it."""
    found: dict[str, Any] = {"type": "library", "name": name, "version": version}
    found["purl"] = f"pkg:{index}/{name.replace('@', '%40')}@{version}"
    if licence:
        found["licenses"] = [{"license": {"name": licence}}]
    return found


def licence_of(part: dict[str, Any]) -> str:
    """Return the licence of a part, or that it is not stated."""
    return str(part["licenses"][0]["license"]["name"]) if "licenses" in part else "see the package"


def licence_in_metadata(name: str) -> str:
    """Return the licence that an installed package states; empty if the package is not installed."""
    try:
        stated = importlib.metadata.metadata(name)
    except importlib.metadata.PackageNotFoundError:
        return ""
    classified = [row.rpartition(" :: ")[2] for row in stated.get_all("Classifier", []) if row.startswith("License ::")]
    text = stated.get("License-Expression") or " and ".join(classified) or (stated.get("License") or "")
    return str(text).strip().split("\n")[0][:120]


def bill_of_materials(version: str, parts: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the bill of materials in CycloneDX's JSON."""
    whole = {
        "type": "application",
        "name": "graphground",
        "version": version,
        "purl": f"pkg:pypi/graphground@{version}",
    }
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": whole},
        "components": parts,
    }


def server_json(version: str, address: str) -> dict[str, Any]:
    """Return the registry entry, whose name begins with the reversed host name (on GitHub, `io.github`) and owner."""
    parts = urlsplit(address or "https://example.org/graphground/graphground")
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
    if address:
        source = (parts.hostname or "").removesuffix(".com").removesuffix(".org")
        document["repository"] = {"url": address, "source": source}
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
            "license": "MIT AND Apache-2.0 AND CC0-1.0 AND Unicode-3.0",
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
