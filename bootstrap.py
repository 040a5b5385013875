"""Sets graphground up on a machine that has only Python 3.11 with pip, and runs it.

    python bootstrap.py serve     install, then serve the bundled graph over stdio
    python bootstrap.py test      install with the test tools, then run all tests
    python bootstrap.py link      make the links that type checkers and editors follow
    python bootstrap.py install   install alone (add --dev for the test tools)

Whatever follows the first word goes on to the command that it runs. Everything
that this script prints goes to stderr: stdout belongs to the MCP protocol.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PARTS = ("cypher", "graphs", "tools", "prompts", "server", "evals", "agents")
VENV = HERE / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")


def say(text: str) -> None:
    print(f"graphground: {text}", file=sys.stderr, flush=True)


def run(*command: str | os.PathLike[str]) -> None:
    subprocess.run([os.fspath(part) for part in command], check=True, stdout=sys.stderr, cwd=HERE)


def find_uv() -> str:
    """The path of uv: from PATH, or fetched from the package index into .tools/."""
    found = shutil.which("uv")
    if found:
        return found
    tools = HERE / ".tools"
    uv = tools / "bin" / ("uv.exe" if os.name == "nt" else "uv")
    if not uv.exists():
        say("fetching uv from the package index")
        run(python_with_pip(), "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
            "--target", tools, "uv")
    return str(uv)


def python_with_pip() -> str:
    """A Python that has pip: this one, or the one that its virtual environment was made from."""
    pythons = dict.fromkeys((sys.executable, getattr(sys, "_base_executable", sys.executable)))
    for python in pythons:
        check = subprocess.run([python, "-c", "import pip"], capture_output=True)
        if check.returncode == 0:
            return python
    sys.exit(f"graphground: {sys.executable} has no pip. Install it (python3 -m ensurepip --user, or your system's "
             "package python3-pip), or put uv on the PATH, and run this again.")


def install(dev: bool) -> None:
    """Make .venv as the lock file says; done already (same lock, same kind) costs nothing."""
    lock = HERE / "requirements" / ("dev.txt" if dev else "run.txt")
    state = hashlib.sha256(lock.read_bytes() + (HERE / "pyproject.toml").read_bytes()
                           + (HERE / "setup.py").read_bytes() + str(HERE).encode()).hexdigest()
    done = VENV / ".graphground-installed"
    states = done.read_text().split() if done.exists() else []
    if f"{lock.name}:{state}" in states or (not dev and any(s.startswith("dev.txt:") for s in states)):
        return
    uv = find_uv()
    if not (VENV / "pyvenv.cfg").exists():
        run(uv, "venv", "--quiet", "--python", sys.executable, VENV)
    say(f"installing what {lock.relative_to(HERE)} lists")
    python = BIN / "python"
    # Compiled now: a server should not compile the SDK at every start where Python may not write bytecode.
    run(uv, "pip", "install", "--quiet", "--compile-bytecode", "--python", python, "--require-hashes", "-r", lock)
    run(uv, "pip", "install", "--quiet", "--python", python, "--no-deps", "--no-build-isolation",
        "--editable", HERE)
    done.write_text(f"{lock.name}:{state}")


def link() -> None:
    """Link each part into graphground/, so that tools that follow no import hook find it."""
    for part in PARTS:
        here, there = HERE / "graphground" / part, HERE / part
        if there.is_dir() and not here.exists():
            here.symlink_to(Path("..") / part, target_is_directory=True)


def main() -> None:
    word, *rest = sys.argv[1:] or ["help"]
    if sys.version_info < (3, 11):  # noqa: UP036 - this very check is why the script exists
        sys.exit("graphground needs Python 3.11 or newer; this is " + sys.version.split()[0])
    if word == "install":
        install(dev="--dev" in rest)
    elif word == "link":
        link()
    elif word == "test":
        install(dev=True)
        sys.exit(subprocess.run([BIN / "python", "-m", "pytest", *rest], cwd=HERE).returncode)
    elif word in ("help", "-h", "--help"):
        print(__doc__, file=sys.stderr)
    else:
        install(dev=False)
        command = [str(BIN / "graphground"), word, *rest]
        if os.name == "nt":
            sys.exit(subprocess.run(command).returncode)
        os.execv(command[0], command)


if __name__ == "__main__":
    main()
