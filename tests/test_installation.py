"""Installation as users do it: a wheel in a clean environment, a clone in an awkward path, another user."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import ssl
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType

import pytest

from tests.support.certificates import authority_and_server
from tests.support.pages import load_module

ROOT = Path(__file__).resolve().parents[1]
CERTIFICATES = {"SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "PIP_CERT"}
NOBODY = 65534


def load_bootstrap() -> ModuleType:
    """Import bootstrap.py, which belongs to no package, as a module."""
    return load_module(ROOT / "bootstrap.py")


def find_uv() -> str:
    """Return the uv that bootstrap.py uses here: from PATH, or fetched once into .tools/."""
    return str(load_bootstrap().find_uv())


def path_without_uv() -> str:
    """Return a PATH as on a machine without uv."""
    folders = os.environ["PATH"].split(os.pathsep)
    return os.pathsep.join(folder for folder in folders if shutil.which("uv", path=folder) is None)


def clean_environment(home: Path) -> dict[str, str]:
    kept = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("NEO4J_", "GRAPHGROUND_", "VIRTUAL_ENV", "PYTHONPATH"))
    }
    return {**kept, "GRAPHGROUND_HOME": str(home)}


def clone_into(folder: Path) -> Path:
    """Copy exactly the files that git tracks or would add."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        timeout=30,
    )
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


def names_of_graphs(output: str) -> list[str]:
    return [graph["name"] for graph in json.loads(output)["graphs"]]


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_wheel_in_a_clean_environment_adds_one_package_and_works(tmp_path: Path) -> None:
    uv = find_uv()
    source = clone_into(tmp_path / "source")
    subprocess.run(
        [
            uv,
            "build",
            "--quiet",
            "--wheel",
            "--no-build-isolation",
            "--python",
            sys.executable,
            "--out-dir",
            tmp_path / "dist",
            source,
        ],
        check=True,
        timeout=120,
    )
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"graphground"}
    assert "graphground/py.typed" in names
    parts = [part for part in load_bootstrap().PARTS if (source / part).is_dir()]
    data = [path for part in parts for path in (source / part).rglob("*") if path.is_file() and path.suffix != ".py"]
    missing = {f"graphground/{path.relative_to(source).as_posix()}" for path in data} - set(names)
    assert missing == set()
    assert not [name for name in names if "/tests/" in name or "/benchmarks/" in name]
    with zipfile.ZipFile(wheel) as archive:
        metadata = archive.read(next(name for name in names if name.endswith(".dist-info/METADATA"))).decode()
    assert "License-Expression: MIT AND Apache-2.0 AND CC0-1.0 AND Unicode-3.0" in metadata
    assert "Author: graphground contributors" in metadata
    links = re.findall(r"\]\(([^)]+)\)", metadata.partition("\n\n")[2])
    assert [link for link in links if not link.startswith(("https://", "#"))] == []
    python = tmp_path / "clean" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, tmp_path / "clean"], check=True, timeout=60)
    subprocess.run(
        [uv, "pip", "install", "--quiet", "--python", python, "--constraint", ROOT / "requirements" / "run.txt", wheel],
        check=True,
        timeout=240,
    )
    commands = [
        (["call", "list_graphs", "{}", "--json"], "nba"),
        (["graphs", "check", "movie"], ""),
        (["query", "nba", "MATCH (t:Team) RETURN count(t) AS teams", "--json"], "30"),
        (["call", "find_entities", '{"mentions":["Lebron Jmaes"]}', "--json"], "LeBron James"),
        (["call", "get_filtered_schema", '{"question":"Who coaches the Lakers?"}', "--json"], "Team"),
        (["call", "ground_question", '{"question":"Which teams did LeBron James play for?"}', "--json"], "MATCH"),
        (["eval", "make", "nba", "tasks.json", "--tasks", "5"], ""),
        (["eval", "run", "tasks.json", "run", "--suggest"], ""),
        (["eval", "report", "run"], ""),
    ]  # each reads files of the package
    several = (
        "import sys\nfrom graphground.server.commands.command_line import run\n"
        f"for word, *rest in {[arguments for arguments, _ in commands]!r}:\n"
        "    assert run(word, rest) == 0, (word, rest)\n    print('== ended')"
    )
    version, ran = (
        subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, timeout=240, env=clean_environment(tmp_path / "home")
        )
        for command in ([python.with_name("graphground"), "--version"], [python, "-c", several])
    )
    assert (version.returncode, version.stdout[:12]) == (0, "graphground "), version.stderr
    assert ran.returncode == 0, ran.stderr
    for (arguments, expected), shown in zip(commands, ran.stdout.split("== ended\n"), strict=False):
        assert expected in shown, arguments


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_two_starts_at_once_of_a_new_clone_without_uv_and_pip_install_the_packages_once(tmp_path: Path) -> None:
    # This interpreter belongs to a virtual environment that uv created, so it has no pip.
    source = clone_into(tmp_path / "a path with spaces" / "graph ground")
    environment = clean_environment(Path("a home")) | {"PATH": path_without_uv()}  # relative, as in a client's settings
    starts = [
        subprocess.Popen(
            [sys.executable, source / "bootstrap.py", "call", "list_graphs", "{}", "--json"],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for _ in range(2)
    ]
    ends = [start.communicate(timeout=280) for start in starts]
    assert [start.returncode for start in starts] == [0, 0], ends
    assert [names_of_graphs(out) for out, _ in ends] == [["nba"]] * 2
    assert sum("installing the packages in requirements" in err for _, err in ends) == 1
    assert not any("Traceback" in err for _, err in ends)


def test_without_pip_and_uv_the_installation_reports_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "pip.py").write_text("raise ImportError('no pip here')")
    source = clone_into(tmp_path / "clone")
    done = subprocess.run(
        [sys.executable, source / "bootstrap.py", "install"],
        capture_output=True,
        text=True,
        timeout=60,
        env={**clean_environment(tmp_path), "PATH": path_without_uv(), "PYTHONPATH": str(tmp_path)},
    )
    assert done.returncode == 1
    assert "has no pip. Install it" in done.stderr
    assert "Traceback" not in done.stderr


@contextmanager
def private_index(folder: Path, packages: Path) -> Iterator[str]:
    """Serve the wheels in `packages` as a package index over HTTPS, and yield its address.

    The server's certificate, in `folder`, is not trusted by any system.
    """

    class Index(SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            name = self.path.strip("/").split("/")[-1]
            if name.endswith(".whl"):
                body = (packages / name).read_bytes()
            else:
                wheels = [path.name for path in packages.glob(f"{name}-*.whl")]
                body = "".join(f'<a href="/files/{wheel}">{wheel}</a>' for wheel in wheels).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/octet-stream" if name.endswith(".whl") else "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_HEAD = do_GET

        def log_message(self, *_: object) -> None: ...

    class Server(ThreadingHTTPServer):
        def handle_error(self, *_: object) -> None:
            """Ignore the error of a client that does not trust this server."""

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "public.crt", folder / "private.key")
    server = Server(("127.0.0.1", 0), Index)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"https://localhost:{server.server_port}/simple"
    server.shutdown()
    server.server_close()
    thread.join(10)


def wheel_of(folder: Path, name: str, files: dict[str, bytes]) -> None:
    """Write a wheel with these files; the files under `bin/` are commands."""
    with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w") as archive:
        for path, content in files.items():
            where = zipfile.ZipInfo(f"{name}-1.0.data/scripts/{path[4:]}" if path.startswith("bin/") else path)
            where.external_attr = 0o100755 << 16  # a regular file that may be run
            archive.writestr(where, content)
        archive.writestr(f"{name}-1.0.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        archive.writestr(
            f"{name}-1.0.dist-info/WHEEL",
            "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        )
        archive.writestr(f"{name}-1.0.dist-info/RECORD", "")


@pytest.mark.slow
@pytest.mark.timeout(200)
@pytest.mark.parametrize("named_by", ["SSL_CERT_FILE", pytest.param("pip's configuration", marks=pytest.mark.long)])
def test_uv_is_fetched_and_used_behind_a_private_certificate_authority(tmp_path: Path, named_by: str) -> None:
    certificate, packages = authority_and_server(tmp_path / "ca"), tmp_path / "packages"
    packages.mkdir()
    wheel_of(packages, "uv", {"bin/uv": Path(os.path.realpath(real_uv())).read_bytes()})
    wheel_of(packages, "films", {"films.py": b"HEAT = 1995\n"})
    source = clone_into(tmp_path / "clone")
    (tmp_path / "run.py").write_text(
        "import bootstrap\nuv = bootstrap.find_uv()\nassert '.tools' in uv, uv\n"
        "bootstrap.run_uv(uv, 'venv', '--python', bootstrap.sys.executable, bootstrap.VENV)\n"
        "bootstrap.run_uv(uv, 'pip', 'install', '--python', bootstrap.BIN / 'python', 'films')\n"
    )
    with private_index(tmp_path / "ca", packages) as index:
        (tmp_path / "pip.conf").write_text(
            f"[global]\nindex-url = {index}\n" + (f"cert = {certificate}\n" if named_by != "SSL_CERT_FILE" else "")
        )
        kept = {
            name: value
            for name, value in clean_environment(tmp_path / "home").items()
            if name not in CERTIFICATES and not name.startswith(("PIP_", "UV_"))
        }
        environment = {
            **kept,
            "PATH": path_without_uv(),
            "PYTHONPATH": str(source),
            "UV_CACHE_DIR": str(tmp_path / "uv"),
            "PIP_CONFIG_FILE": str(tmp_path / "pip.conf"),
            "PIP_NO_CACHE_DIR": "1",
        }
        if named_by == "SSL_CERT_FILE":
            refused = subprocess.run(
                [sys.executable, source / "bootstrap.py", "install"],
                capture_output=True,
                text=True,
                timeout=90,
                env={**environment, "PIP_RETRIES": "0"},
            )
            assert refused.returncode == 1
            assert "name its file in SSL_CERT_FILE" in refused.stderr
            assert "Traceback" not in refused.stderr
            environment["SSL_CERT_FILE"] = str(certificate)
        done = subprocess.run(
            [sys.executable, tmp_path / "run.py"], capture_output=True, text=True, timeout=120, env=environment
        )
    assert done.returncode == 0, done.stderr
    assert list((source / ".venv").rglob("films.py"))


def real_uv() -> str:
    """Return the uv program itself, not a shim that finds uv relative to its own path."""
    asked = subprocess.run([find_uv(), "--version"], capture_output=True, text=True, timeout=30)
    assert asked.returncode == 0
    bootstrap = load_bootstrap()
    fetched = bootstrap.OWN_TOOLS / "bin" / "uv"
    if fetched.exists():
        return str(fetched)
    path = os.environ["PATH"]
    try:
        os.environ["PATH"] = path_without_uv()
        return str(bootstrap.find_uv())
    finally:
        os.environ["PATH"] = path


@pytest.mark.parametrize(
    ("library", "runs"),
    [(("glibc", "2.36"), True), (("glibc", "2.34"), True), (("glibc", "2.31"), False), (("", ""), False)],
)
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="C libraries differ on Linux alone")
def test_on_an_old_glibc_and_on_musl_there_is_no_embedded_engine(
    library: tuple[str, str], runs: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    bootstrap = load_bootstrap()
    monkeypatch.setattr(platform, "libc_ver", lambda: library)
    assert bootstrap.engine_runs_here() is runs


def test_the_lock_file_without_the_engine_keeps_everything_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bootstrap = load_bootstrap()
    monkeypatch.setattr(bootstrap, "OWN_TOOLS", tmp_path)
    for lock in (ROOT / "requirements" / "run.txt", ROOT / "requirements" / "dev.txt"):

        def names(path: Path) -> set[str]:
            return {
                line.partition("==")[0]
                for line in path.read_text().splitlines()
                if "==" in line[:60] and not line.startswith(" ")
            }

        shortened = bootstrap.without_engine(lock)
        assert names(lock) - names(shortened) == {"arcadedb-embedded", "jpype1"}
        assert names(shortened) < names(lock)
        assert "--hash" not in shortened.read_text().splitlines()[0]


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.skipif(
    os.name == "nt" or not hasattr(os, "geteuid") or os.geteuid() != 0,
    reason="only root can become another user; anybody else runs every test as such a user already",
)
def test_a_user_other_than_root_can_install_and_query_the_graph() -> None:
    python, become = "/usr/bin/python3", shutil.which("setpriv")
    if become is None or not usable(python):
        pytest.skip("needs setpriv, and a Python 3.11 or newer with pip that every user may run")
    # Not tmp_path: only their owner can enter pytest's folders.
    place = Path("/var/tmp" if Path("/var/tmp").is_dir() else "/tmp") / f"graphground-other-user-{os.getpid()}"
    try:
        source = clone_into(place / "graphground")
        for path in (place, *place.rglob("*")):
            os.chown(path, NOBODY, NOBODY)
        environment = clean_environment(place / "home") | {"HOME": str(place), "PATH": "/usr/bin:/bin"}
        environment.pop("UV_CACHE_DIR", None)
        environment.pop("PIP_CACHE_DIR", None)
        done = subprocess.run(
            [
                become,
                f"--reuid={NOBODY}",
                f"--regid={NOBODY}",
                "--clear-groups",
                python,
                source / "bootstrap.py",
                "call",
                "execute_cypher",
                '{"query": "MATCH (t:Team) RETURN count(t)", "graph": "nba"}',
                "--json",
            ],
            cwd=place,
            capture_output=True,
            text=True,
            timeout=380,
            env=environment,
        )
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["rows"] == [[30]]
    finally:
        shutil.rmtree(place, ignore_errors=True)


def usable(python: str) -> bool:
    """Return whether this interpreter exists, is new enough and has pip."""
    if not Path(python).exists():
        return False
    check = "import sys, pip; sys.exit(sys.version_info < (3, 11))"
    return subprocess.run([python, "-c", check], capture_output=True, timeout=30).returncode == 0
