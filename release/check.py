"""Checks the files of release/build.py as a user would use them:
with uvx and pipx, as a registry entry and as a bundle.

    python release/check.py FOLDER [--only CHECK …]      (uvx, pipx, answers, server.json or bundle)

Needs uv, npm for the bundle and Go for the registry's schema; a check whose tool is missing is skipped, and the output
says so. The exit status is 1 if a check fails.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

RUNS = 3
LONGEST_SECONDS = 120.0
GREETING = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "check", "version": "0"}},
}
QUERY = "MATCH (t:Team) RETURN count(t) AS teams"
SCHEMA_MODULE = "github.com/modelcontextprotocol/registry@latest"


def main() -> None:
    """Run the checks, all or those after `--only`, and print a line for each check."""
    folder = Path(sys.argv[1]).absolute()
    only = sys.argv[3:] if sys.argv[2:3] == ["--only"] else []
    failed = 0
    with tempfile.TemporaryDirectory(prefix="graphground-release-", ignore_cleanup_errors=True) as place:
        checks: list[tuple[str, Callable[[Path, Path], str]]] = [
            ("uvx", uvx),
            ("pipx", pipx),
            ("answers", first_answers),
            ("server.json", registry),
            ("bundle", mcpb),
        ]
        for name, check in checks:
            if only and name not in only:
                continue
            try:
                print(f"ok    {name}: {check(folder, Path(place))}", flush=True)
            except FileNotFoundError as error:
                print(f"skip  {name}: {error.filename} is not installed", flush=True)
            except (subprocess.CalledProcessError, AssertionError) as error:
                failed += 1
                print(f"FAIL  {name}: {error}\n{getattr(error, 'stderr', '') or ''}", flush=True)
    sys.exit(1 if failed else 0)


def run(*command: str | Path, cwd: Path | None = None, **more: str) -> str:
    """Run a command and return its standard output."""
    return subprocess.run(
        [str(word) for word in command],
        check=True,
        capture_output=True,
        text=True,
        cwd=cwd,
        timeout=600,
        env={**environment(), **more},
    ).stdout


def environment() -> dict[str, str]:
    """Return the environment of a user's shell, without the variables of this development environment."""
    prefixes = ("NEO4J_", "GRAPHGROUND_", "VIRTUAL_ENV", "PYTHONDONTWRITEBYTECODE")
    return {key: value for key, value in os.environ.items() if not key.startswith(prefixes)}


def first_row(home: Path, *command: str | Path, **more: str) -> str:
    """Run a query twice, and return both times as text; the first run also installs anything that is missing."""
    seconds = []
    for _ in range(2):
        started = time.monotonic()
        out = run(*command, "query", "nba", QUERY, "--json", GRAPHGROUND_HOME=str(home), **more)
        seconds.append(time.monotonic() - started)
        assert json.loads(out)["rows"] == [[30]], out
    return f"installs and gives its first row in {seconds[0]:.1f} s; a second start gives it in {seconds[1]:.1f} s"


def uvx(folder: Path, place: Path) -> str:
    """Check `uvx graphground` with the wheel in `folder`, and return the times as text."""
    command = ("uvx", "--find-links", folder, "--refresh-package", "graphground", "graphground")
    return first_row(place / "uvx home", *command)


def pipx(folder: Path, place: Path) -> str:
    """Check `pipx install graphground` with the wheel in `folder`, and return the times as text."""
    return first_row(place / "pipx home", installed_by_pipx(folder, place))


def installed_by_pipx(folder: Path, place: Path) -> Path:
    """Install graphground from the folder with pipx, and return the path of the installed command."""
    places = {"PIPX_HOME": str(place / "pipx"), "PIPX_BIN_DIR": str(place / "bin"), "PIPX_MAN_DIR": str(place)}
    run("uvx", "pipx", "install", "graphground", "--pip-args", f"--find-links '{folder}'", **places)
    return place / "bin" / "graphground"


def first_answers(folder: Path, place: Path) -> str:
    """Start servers from each installation and from this checkout, with no engine running; return the times as text."""
    from graphground.graphs.engines.embedded.launcher import (
        end_engine,
    )  # from this checkout, not from the installed package
    from graphground.graphs.storage.home import Home

    commands: dict[str, tuple[str | Path, ...]] = {
        "source": (sys.executable, "-m", "graphground"),
        "uvx": ("uvx", "--find-links", folder, "graphground"),
        "pipx": (installed_by_pipx(folder, place),),
    }
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    for name, command in commands.items():  # installs what is missing, loads the bundled graph, writes the archive
        home = place / f"{name} answers"
        run(
            *command,
            "query",
            "nba",
            QUERY,
            GRAPHGROUND_HOME=str(home),
            GRAPHGROUND_ENGINE_ARCHIVE=str(home / "archive"),
        )
        end_engine(Home(home))
        until = time.monotonic() + LONGEST_SECONDS
        while not list((home / "archive").glob("*.aot")) and time.monotonic() < until:
            time.sleep(0.2)
    for _ in range(RUNS):
        for name, command in commands.items():
            home = place / f"{name} answers"
            end_engine(Home(home))
            found[name].append(first_answer(home, command))
    for name in commands:
        end_engine(Home(place / f"{name} answers"))
    lines = [
        f"{name} answers initialize in {statistics.median(start for start, _ in times):.2f} s and gives its first row "
        f"{statistics.median(row for _, row in times):.2f} s later (fastest {min(row for _, row in times):.2f})"
        for name, times in found.items()
    ]
    return f"medians of {RUNS}, load {os.getloadavg()[0]:.0f}: " + "; ".join(lines)


def first_answer(home: Path, command: Sequence[str | Path]) -> tuple[float, float]:
    """Return the seconds from a server's start to its answer to `initialize`, and from there to its first row."""
    call = {"name": "execute_cypher", "arguments": {"graph": "nba", "query": QUERY}}
    started = time.monotonic()
    with subprocess.Popen(
        [str(word) for word in (*command, "serve")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**environment(), "GRAPHGROUND_HOME": str(home), "GRAPHGROUND_ENGINE_ARCHIVE": str(home / "archive")},
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        watchdog = threading.Timer(LONGEST_SECONDS, server.kill)
        watchdog.start()
        server.stdin.write(f"{json.dumps(GREETING)}\n")
        server.stdin.flush()
        assert '"serverInfo"' in server.stdout.readline()
        greeted = time.monotonic()
        for message in (
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call},
        ):
            server.stdin.write(f"{json.dumps(message)}\n")
        server.stdin.flush()
        answer = next(line for line in server.stdout if '"id":2' in line)
        answered = time.monotonic()
        watchdog.cancel()
        server.stdin.close()
    assert json.loads(answer)["result"]["structuredContent"]["rows"] == [[30]], answer
    return greeted - started, answered - greeted


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
    process = subprocess.run(
        ["uv", "run", "--directory", str(place / "unpacked"), "src/main.py"],
        input=json.dumps(GREETING) + "\n",
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
        env={**os.environ, "NEO4J_URI": "", "GRAPHGROUND_HOME": str(place / "bundle home")},
    )
    assert '"serverInfo"' in process.stdout, process.stdout + process.stderr
    return "is valid, packs, and answers initialize when it is started from the package"


if __name__ == "__main__":
    main()
