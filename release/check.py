"""Tries the results of release/build.py as a user would, on this machine: uvx, pipx, the registry's schema, the bundle.

    python release/check.py FOLDER

Needs uv, npm for the bundle and Go for the registry's schema; a check whose tool is missing is skipped and named. The
exit status is 1 if a check fails.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

QUERY = "MATCH (t:Team) RETURN count(t) AS teams"
SCHEMA_MODULE = "github.com/modelcontextprotocol/registry@latest"


def main() -> None:
    """Run every check and print a line for each."""
    folder = Path(sys.argv[1]).absolute()
    failed = 0
    with tempfile.TemporaryDirectory(prefix="graphground-release-", ignore_cleanup_errors=True) as place:
        checks: list[tuple[str, Callable[[Path, Path], str]]] = [
            ("uvx", uvx),
            ("pipx", pipx),
            ("server.json", registry),
            ("bundle", mcpb),
        ]
        for name, check in checks:
            try:
                print(f"ok    {name}: {check(folder, Path(place))}", flush=True)
            except FileNotFoundError as error:
                print(f"left  {name}: {error.filename} is not installed", flush=True)
            except (subprocess.CalledProcessError, AssertionError) as error:
                failed += 1
                print(f"FAIL  {name}: {error}\n{getattr(error, 'stderr', '') or ''}", flush=True)
    sys.exit(1 if failed else 0)


def run(*command: str | Path, cwd: Path | None = None, **more: str) -> str:
    """The standard output of a command."""
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith(("NEO4J_", "GRAPHGROUND_", "VIRTUAL_ENV"))
    }
    return subprocess.run(
        [str(word) for word in command],
        check=True,
        capture_output=True,
        text=True,
        cwd=cwd,
        timeout=600,
        env={**environment, **more},
    ).stdout


def first_row(home: Path, *command: str | Path, **more: str) -> str:
    """Run a first query, cold and then with everything installed, and time both."""
    seconds = []
    for _ in range(2):
        started = time.monotonic()
        out = run(*command, "query", "nba", QUERY, "--json", GRAPHGROUND_HOME=str(home), **more)
        seconds.append(time.monotonic() - started)
        assert json.loads(out)["rows"] == [[30]], out
    return f"installs and gives its first row in {seconds[0]:.1f} s, and again in {seconds[1]:.1f} s"


def uvx(folder: Path, place: Path) -> str:
    """`uvx graphground`, with the folder as the index of graphground."""
    command = ("uvx", "--find-links", folder, "--refresh-package", "graphground", "graphground")
    return first_row(place / "uvx home", *command)


def pipx(folder: Path, place: Path) -> str:
    """`pipx install graphground`, with the folder as the index of graphground."""
    environment = {"PIPX_HOME": str(place / "pipx"), "PIPX_BIN_DIR": str(place / "bin"), "PIPX_MAN_DIR": str(place)}
    run("uvx", "pipx", "install", "graphground", "--pip-args", f"--find-links '{folder}'", **environment)
    return first_row(place / "pipx home", place / "bin" / "graphground")


def registry(folder: Path, place: Path) -> str:
    """Validate server.json against the schema in the registry's own source."""
    module = json.loads(run("go", "mod", "download", "-json", SCHEMA_MODULE, cwd=place))
    schema = Path(module["Dir"]) / "docs" / "reference" / "server-json" / "draft" / "server.schema.json"
    run("uvx", "check-jsonschema", "--schemafile", schema, folder / "server.json")
    return f"is valid by the schema of the MCP registry {module['Version']}"


def mcpb(folder: Path, place: Path) -> str:
    """Validate the bundle against the manifest's schema, pack it, and start it from the package."""
    if shutil.which("npx") is None:
        raise FileNotFoundError(2, "", "npx")
    tool = ("npx", "--yes", "@anthropic-ai/mcpb")
    run(*tool, "validate", folder / "bundle" / "manifest.json", cwd=place)
    run(*tool, "pack", folder / "bundle", folder / "graphground.mcpb", cwd=place)
    run(*tool, "unpack", folder / "graphground.mcpb", place / "unpacked", cwd=place)
    greeting = json.dumps(
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "check", "version": "0"},
            },
        }
    )
    done = subprocess.run(
        ["uv", "run", "--directory", str(place / "unpacked"), "src/main.py"],
        input=greeting + "\n",
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
        env={**os.environ, "NEO4J_URI": "", "GRAPHGROUND_HOME": str(place / "bundle home")},
    )
    assert '"serverInfo"' in done.stdout, done.stdout + done.stderr
    return "is valid, packs, and answers initialize when it is started from the package"


if __name__ == "__main__":
    main()
