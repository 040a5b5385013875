"""Runs each snippet of docs/clients.md in a separate environment, against a scripted model.

    python -m benchmarks.frameworks.snippets [FOLDER] [NAME …]

The environments are created in FOLDER, and used again in later runs; without FOLDER, in a temporary folder. The exit
status is 1 if a snippet fails.
"""

from __future__ import annotations

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
SECTION = re.compile(r"`pip install ([^`]+)`\n\n```python\n# (\w+)\n(.*?)```", re.DOTALL)


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
    snippet_folder = folder / name
    snippet_folder.mkdir(parents=True, exist_ok=True)
    uv = shutil.which("uv") or str(ROOT / ".tools" / "bin" / "uv")
    python = snippet_folder / "venv" / "bin" / "python"
    if not python.exists():
        subprocess.run(
            [uv, "venv", "--quiet", "--python", sys.executable, snippet_folder / "venv"], check=True, timeout=120
        )
        subprocess.run(
            [uv, "pip", "install", "--quiet", "--python", python, *(package.strip("'") for package in packages)],
            check=True,
            timeout=500,
        )
    script = snippet_folder / "snippet.py"
    script.write_text(
        snippet.replace('"python3"', repr(sys.executable)).replace(
            "/path/to/graphground/bootstrap.py", str(ROOT / "bootstrap.py")
        ),
        encoding="utf-8",
    )
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("NEO4J_", "PYTHONPATH"))}
    start = time.monotonic()
    process = subprocess.run(
        [python, script],
        cwd=snippet_folder,
        capture_output=True,
        text=True,
        timeout=300,
        env={**environment, **variables, "GRAPHGROUND_HOME": str(folder / "home")},
    )
    is_right = process.returncode == 0 and "There are 30 teams." in process.stdout
    versions = subprocess.run(
        [uv, "pip", "freeze", "--python", python], capture_output=True, text=True, timeout=60
    ).stdout.split()
    shown = [
        line
        for line in versions
        if line.split("==")[0] in {package.strip("'").split("[")[0] for package in packages} | {"mcp"}
    ]
    print(
        f"{'ok   ' if is_right else 'FAIL '} {name} in {time.monotonic() - start:.1f} s with {', '.join(shown)}",
        flush=True,
    )
    if not is_right:
        print(process.stdout[-2000:] + process.stderr[-4000:], flush=True)
    return is_right


if __name__ == "__main__":
    main()
