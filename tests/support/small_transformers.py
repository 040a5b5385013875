"""`transformers` with PyTorch, installed into .tools/transformers, which git ignores; for tests of the lane `long`.

python -m tests.support.small_transformers      install it now (about 3 GB on Linux)
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from filelock import FileLock

from tests.support.small_model import NotInstalled

FOLDER = Path(__file__).resolve().parents[2] / ".tools" / "transformers"
PYTHON = FOLDER / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
PACKAGES = ("torch>=2.9", "transformers>=5", "accelerate>=1", "gguf>=0.19", "numpy>=2.2")
INSTALL_SECONDS = 1_200


def install() -> None:
    """Install the packages, if they are not installed already.

    Raises:
        NotInstalled: uv is missing, or the installation fails.
    """
    FOLDER.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(FOLDER.with_suffix(".lock"), timeout=INSTALL_SECONDS):
        record = FOLDER / "installed.txt"
        if record.exists() and record.read_text() == "\n".join(PACKAGES):
            return
        uv = shutil.which("uv")
        if uv is None:
            raise NotInstalled("transformers is installed with uv, which is not here")
        for command in (
            [uv, "venv", "-q", "--clear", "--python", sys.executable, str(FOLDER)],
            [uv, "pip", "install", "-q", "--python", str(PYTHON), *PACKAGES],
        ):
            ended = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_SECONDS)
            if ended.returncode:
                raise NotInstalled(f"transformers cannot be installed: {ended.stderr.strip()[-300:]}")
        record.write_text("\n".join(PACKAGES))


if __name__ == "__main__":
    install()
