"""Runs each snippet of docs/clients.md in a separate environment, against a scripted model.

    python -m benchmarks.frameworks.snippets [FOLDER] [NAME …]

The environments are created in FOLDER, and used again in later runs; without FOLDER, in a temporary folder. The exit
status is 1 if a snippet fails.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.support.scripted_model import scripted_model

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "clients.md"
SECTION = re.compile(r"`(?:pip|npm) install ([^`]+)`\n\n```(?:python|js)\n(?:#|//) (\w+)\n(.*?)```", re.DOTALL)


def main() -> None:
    """Run the snippets, and print a line for each snippet."""
    words = sys.argv[1:] or [tempfile.mkdtemp(prefix="graphground-frameworks-")]
    folder, names = Path(words[0]).absolute(), words[1:]
    failed = 0
    with scripted_model() as variables:
        for packages, name, snippet in SECTION.findall(PAGE.read_text(encoding="utf-8")):
            if not names or name in names:
                failed += not run_snippet(name, packages.split(), snippet, folder, variables)
    sys.exit(1 if failed else 0)


def run_snippet(name: str, packages: list[str], snippet: str, folder: Path, variables: dict[str, str]) -> bool:
    """Run a snippet in its own environment; return whether its output contains the right number of teams."""
    place = folder / name
    place.mkdir(parents=True, exist_ok=True)
    wanted = [package.strip("'") for package in packages]
    command, installed = (in_node if name == "vercel" else in_python)(place, wanted)
    snippet = snippet.replace('"python3"', json.dumps(sys.executable))
    command[-1].write_text(snippet.replace("/path/to/graphground/bootstrap.py", str(ROOT / "bootstrap.py")), "utf-8")
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("NEO4J_", "PYTHONPATH"))}
    start = time.monotonic()
    process = subprocess.run(
        command,
        cwd=place,
        capture_output=True,
        text=True,
        timeout=300,
        env={**environment, **variables, "GRAPHGROUND_HOME": str(folder / "home")},
    )
    is_right = process.returncode == 0 and "There are 30 teams." in process.stdout
    seconds = time.monotonic() - start
    print(f"{'ok   ' if is_right else 'FAIL '} {name} in {seconds:.1f} s with {installed}", flush=True)
    if not is_right:
        print(process.stdout[-2000:] + process.stderr[-4000:], flush=True)
    return is_right


def in_python(place: Path, packages: list[str]) -> tuple[list[Path], str]:
    """Install packages into a virtual environment; return the command that runs the snippet, and their versions."""
    uv = shutil.which("uv") or str(ROOT / ".tools" / "bin" / "uv")
    python = place / "venv" / "bin" / "python"
    if not python.exists():
        subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, place / "venv"], check=True, timeout=120)
        subprocess.run([uv, "pip", "install", "--quiet", "--python", python, *packages], check=True, timeout=500)
    versions = subprocess.run(
        [uv, "pip", "freeze", "--python", python], capture_output=True, text=True, timeout=60
    ).stdout.split()
    names = {package.split("[")[0] for package in packages} | {"mcp"}
    return [python, place / "snippet.py"], ", ".join(line for line in versions if line.split("==")[0] in names)


def in_node(place: Path, packages: list[str]) -> tuple[list[Path], str]:
    """Install packages of npm; return the command that runs the snippet, and their versions."""
    if not (place / "node_modules").exists():
        subprocess.run(["npm", "install", "--silent", *packages], cwd=place, check=True, timeout=300)
    found = [json.loads((place / "node_modules" / name / "package.json").read_text("utf-8")) for name in packages]
    node = shutil.which("node")
    assert node is not None, "npm is installed without node"
    return [Path(node), place / "snippet.mjs"], ", ".join(f"{each['name']}=={each['version']}" for each in found)


if __name__ == "__main__":
    main()
