"""Sets graphground up on a machine that has only Python (3.11 or newer) with pip, and runs it.

    python bootstrap.py serve     install, then serve the bundled graph over stdio
    python bootstrap.py test      install with the test tools, then run the quick tests
    python bootstrap.py link      make the links that type checkers and editors follow
    python bootstrap.py install   only install (add --dev for the test tools, or --extra parquet for an extra)

Further arguments are passed to the command. This script prints only to stderr,
because stdout belongs to the MCP protocol.
"""

from __future__ import annotations

import ast
import errno
import hashlib
import os
import platform
import re
import shutil
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

HERE = Path(__file__).resolve().parent
PARTS = ("cypher", "graphs", "tools", "prompts", "server", "evals", "agents")
VENV = HERE / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
OWN_TOOLS = HERE / ".tools"
ENGINE = "arcadedb-embedded"
ENGINE_NEEDS_GLIBC = (2, 34)
SYSTEM_CERTIFICATES = ("/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem")
PIP_FOR_UV = {
    "cert": "SSL_CERT_FILE",
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "proxy": "ALL_PROXY",
    "trusted-host": "UV_INSECURE_HOST",
}
"""Settings in pip's configuration, each with the environment variable of uv that has the same meaning."""


class CannotInstall(Exception):
    """An installation that cannot continue; the message says why."""


def say(text: str) -> None:
    print(f"graphground: {text}", file=sys.stderr, flush=True)


def find_uv() -> str:
    """Return the path of uv, which is fetched from the package index into .tools/ if it is not on PATH."""
    found = shutil.which("uv")
    if found:
        return found
    uv = OWN_TOOLS / "bin" / ("uv.exe" if os.name == "nt" else "uv")
    if not uv.exists():
        say("fetching uv from the package index (about 20 MB)")
        command = [
            python_with_pip(),
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--target",
            str(OWN_TOOLS),
            "uv",
        ]
        bundle = system_certificates()
        tries = [command, [*command, "--cert", bundle]] if bundle and "PIP_CERT" not in os.environ else [command]
        for attempt in tries:
            process = subprocess.run(attempt, stdout=sys.stderr, stderr=subprocess.PIPE, text=True)
            if process.returncode == 0:
                break
        else:
            raise CannotInstall(
                f"pip could not fetch uv: {reason(process.stderr.splitlines())}. Behind a company's own "
                "certificate authority, name its file in SSL_CERT_FILE; behind a mirror, set "
                "index-url in pip's configuration; or put uv on the PATH."
            )
    return str(uv)


def python_with_pip() -> str:
    """Return a Python with pip: the running one, or the one from which its virtual environment was made."""
    for python in dict.fromkeys((sys.executable, getattr(sys, "_base_executable", sys.executable))):
        if subprocess.run([python, "-c", "import pip"], capture_output=True).returncode == 0:
            return python
    raise CannotInstall(
        f"{sys.executable} has no pip. Install it (python3 -m ensurepip --user, or your system's "
        "package python3-pip), or put uv on the PATH, and run this again."
    )


def system_certificates() -> str | None:
    """Return the file of trusted certificate authorities that SSL_CERT_FILE names or, if it is not set, the system's.

    None if there is no such file.
    """
    named = os.environ.get("SSL_CERT_FILE")
    known = [named] if named else [ssl.get_default_verify_paths().cafile, *SYSTEM_CERTIFICATES]
    return next((path for path in known if path and Path(path).is_file()), None)


def uv_environment() -> dict[str, str]:
    """Return this environment; for variables of uv that are not set, add the certificates, mirror and proxy of pip."""
    environment = dict(os.environ)
    listed = ""
    with suppress(CannotInstall, subprocess.TimeoutExpired):  # without pip there are no settings to read
        listed = subprocess.run(
            [python_with_pip(), "-m", "pip", "config", "list"], capture_output=True, text=True, timeout=60
        ).stdout
    for line in listed.splitlines():
        key, _, value = line.partition("=")
        variable = PIP_FOR_UV.get(key.rpartition(".")[2])
        if variable and value[:1] in "\"'":
            environment.setdefault(variable, " ".join(str(ast.literal_eval(value)).split()))
    if "SSL_CERT_FILE" not in environment:
        for variable in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
            if environment.get(variable):
                environment["SSL_CERT_FILE"] = environment[variable]
    return environment


def run_uv(uv: str, *words: str | os.PathLike[str]) -> None:
    """Run uv with its progress on stderr; if it rejects a certificate, retry with the system's certificates.

    Raises:
        CannotInstall: uv failed; the message contains the reason that uv gives.
    """
    command = [uv, *(os.fspath(word) for word in words)]
    environment = uv_environment()
    lines: list[str] = []
    for certificates in ({}, {"UV_SYSTEM_CERTS": "1", "UV_NATIVE_TLS": "1"}):
        lines = []
        with subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=HERE,
            env=environment | certificates,
            encoding="utf-8",
            errors="replace",
        ) as process:
            assert process.stdout is not None
            for line in process.stdout:
                lines.append(line.rstrip())
                if line.lstrip().startswith(("Downloading", "Building", "Installed")):
                    say(line.strip())
        if process.returncode == 0:
            return
        if not re.search("certificate|UnknownIssuer|TLS", "\n".join(lines), re.IGNORECASE):
            break
    advice = (
        " Behind a company's own certificate authority, name its file in SSL_CERT_FILE."
        if re.search("certificate|UnknownIssuer", "\n".join(lines), re.IGNORECASE)
        else ""
    )
    raise CannotInstall(f"{' '.join(command[1:3])} failed: {reason(lines)}.{advice}")


def reason(lines: list[str]) -> str:
    """Return the last messages in a program's output, at most three, on one line."""
    messages = [
        line.strip(" │├─╰▶×·").removeprefix("ERROR: ")
        for line in lines
        if line.strip() and not line.lstrip().startswith(("hint:", "WARNING:", "Downloading", "[notice]"))
    ]
    return "; ".join(dict.fromkeys(messages[-3:])).rstrip(". ") or "it gave no reason"


def engine_runs_here() -> bool:
    """Whether the embedded engine has a wheel for this system's C library (glibc 2.34 or newer, on Linux)."""
    if not sys.platform.startswith("linux"):
        return True  # on other systems the markers in the lock file decide
    library, version = platform.libc_ver()
    numbers = tuple(int(part) for part in re.findall(r"\d+", version)[:2])
    return library == "glibc" and numbers >= ENGINE_NEEDS_GLIBC


def without_engine(lock: Path) -> Path:
    """Write a copy of the lock file without the embedded engine and JPype; return the copy's path."""
    text = re.sub(rf"(?m)^(?:{ENGINE}|jpype1)==(?:.*\\\n)*.*\n(?:    #.*\n)*", "", lock.read_text(encoding="utf-8"))
    OWN_TOOLS.mkdir(exist_ok=True)
    shortened = OWN_TOOLS / lock.name
    shortened.write_text(text, encoding="utf-8")
    return shortened


@contextmanager
def installing() -> Iterator[None]:
    """Hold the installation lock: when clients start several servers at once, only one of them creates .venv."""
    OWN_TOOLS.mkdir(exist_ok=True)
    with (OWN_TOOLS / "install.lock").open("a+b") as file:
        if os.name == "nt":
            import msvcrt
            import time

            while True:
                try:
                    msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
                    break
                except OSError:
                    time.sleep(0.2)
        else:
            import fcntl

            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                say("waiting for another process that is installing")
                fcntl.flock(file, fcntl.LOCK_EX)
        yield


def installed(lock: Path) -> bool:
    """Whether .venv was created from this lock file, for this checkout at this path."""
    marker = VENV / ".graphground-installed"
    return marker.exists() and state_of(lock) in marker.read_text().split() and (BIN / python_name()).exists()


def state_of(lock: Path) -> str:
    contents = [path.read_bytes() for path in (lock, HERE / "pyproject.toml", HERE / "setup.py")]
    return f"{lock.name}:{hashlib.sha256(b''.join(contents) + str(HERE).encode()).hexdigest()}"


def python_name() -> str:
    return "python.exe" if os.name == "nt" else "python"


def install(dev: bool) -> None:
    """Create .venv from the lock file, unless it is up to date; `dev` adds the test tools."""
    run_time, development = (HERE / "requirements" / name for name in ("run.txt", "dev.txt"))
    lock = development if dev else run_time
    if installed(lock) or (not dev and installed(development)):
        return
    with installing():
        if installed(lock) or (not dev and installed(development)):
            return  # another process has installed it while this one waited
        uv = find_uv()
        if not (VENV / "pyvenv.cfg").exists() or not (BIN / python_name()).exists():
            shutil.rmtree(VENV, ignore_errors=True)
            run_uv(uv, "venv", "--python", sys.executable, VENV)
        say(f"installing the packages in {lock.relative_to(HERE)}")
        listed = lock
        if not engine_runs_here():
            say("the embedded engine needs glibc 2.34 or newer and is left out; serve your own database with --uri")
            listed = without_engine(lock)
        python = BIN / "python"
        # Compile now: if Python may not write bytecode later, a server would compile the SDK at every start. With the
        # test tools most modules are never imported, so they are compiled on first use if Python may write bytecode.
        compiling = () if dev and not sys.dont_write_bytecode else ("--compile-bytecode",)
        run_uv(uv, "pip", "install", *compiling, "--python", python, "--require-hashes", "-r", listed)
        run_uv(uv, "pip", "install", "--python", python, "--no-deps", "--no-build-isolation", "--editable", HERE)
        (VENV / ".graphground-installed").write_text(state_of(lock))


def install_extra(extra: str) -> None:
    """Add the packages of an extra to .venv, in the versions of the lock file where it has them."""
    import tomllib

    extras = tomllib.loads((HERE / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    if extra not in extras:
        raise CannotInstall(f"there is no extra {extra!r}; there are {', '.join(extras)}")
    install(dev=False)
    with installing():
        say(f"installing the extra {extra}")
        lock = HERE / "requirements" / "dev.txt"
        run_uv(find_uv(), "pip", "install", "--python", BIN / "python", "--constraints", lock, *extras[extra])


def link() -> None:
    """Link the folders of `PARTS` into graphground/, for tools that ignore import hooks, such as type checkers."""
    for part in PARTS:
        here, there = HERE / "graphground" / part, HERE / part
        if there.is_dir() and not here.exists():
            here.symlink_to(Path("..") / part, target_is_directory=True)


def main() -> int:
    word, *rest = sys.argv[1:] or ["help"]
    if sys.version_info < (3, 11):  # noqa: UP036 - this very check is why the script exists
        raise CannotInstall("Python 3.11 or newer is needed; this is " + sys.version.split()[0])
    if word == "install":
        if rest[:1] == ["--extra"]:
            if len(rest) != 2:
                raise CannotInstall("name one extra: install --extra parquet")
            install_extra(rest[1])
        else:
            install(dev="--dev" in rest)
    elif word == "link":
        link()
    elif word == "test":
        install(dev=True)
        # Otherwise every process of the run would compile every test again, for 17 seconds of processor time.
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        return subprocess.run([BIN / "python", "-m", "pytest", *rest], cwd=HERE, env=environment).returncode
    elif word in ("help", "-h", "--help"):
        print(__doc__, file=sys.stderr)
    else:
        install(dev=False)
        command = [str(BIN / "graphground"), word, *rest]
        if os.name == "nt":
            return subprocess.run(command).returncode
        os.execv(command[0], command)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except CannotInstall as error:
        sys.exit(f"graphground: {error}")
    except OSError as error:
        forbidden = isinstance(error, PermissionError) or error.errno == errno.EROFS
        sys.exit(
            f"graphground: {error.strerror or error}"
            + (f": {error.filename}." if error.filename else ".")
            + (" Clone into a folder in which you can create files." if forbidden else "")
        )
    except KeyboardInterrupt:
        sys.exit(130)
