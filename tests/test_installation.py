"""Installation as users do it: a wheel in a clean environment, and a clone in an awkward path by another user."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

from tests.support.pages import load_module
from tests.support.serving import environment

ROOT = Path(__file__).resolve().parents[1]
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
    kept = environment(home, {"GRAPHGROUND_ENGINE_ARCHIVE": "off"})  # an archive of its classes would never be read
    return {key: value for key, value in kept.items() if not key.startswith(("VIRTUAL_ENV", "PYTHONPATH"))}


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


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_wheel_in_a_clean_environment_adds_one_package_and_works(tmp_path: Path) -> None:
    uv = find_uv()
    source = clone_into(tmp_path / "source")
    options = ["--quiet", "--wheel", "--no-build-isolation", "--python", sys.executable, "--out-dir", tmp_path / "dist"]
    subprocess.run([uv, "build", *options, source], check=True, timeout=120)
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
@pytest.mark.timeout(400)
def test_two_starts_at_once_of_another_user_in_a_new_clone_install_the_packages_once() -> None:
    # Only root can become another user; anybody else runs the test as such a user already.
    python, become = "/usr/bin/python3", shutil.which("setpriv")
    words = [sys.executable]
    if become is not None and os.name != "nt" and os.geteuid() == 0 and usable(python):
        words = [become, f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", python]
    # Not tmp_path: only their owner can enter pytest's folders.
    place = Path("/var/tmp" if Path("/var/tmp").is_dir() else "/tmp") / f"graphground other user {os.getpid()}"
    try:
        source = clone_into(place / "graph ground")
        variables = clean_environment(Path("a home"))  # relative, as in a client's settings
        if become in words:
            for path in (place, *place.rglob("*")):
                os.chown(path, NOBODY, NOBODY)
            variables |= {"HOME": str(place), "PATH": "/usr/bin:/bin"}
            for name in ("UV_CACHE_DIR", "PIP_CACHE_DIR"):
                variables.pop(name, None)
        query = '{"query": "MATCH (t:Team) RETURN count(t)", "graph": "nba"}'
        starts = [
            subprocess.Popen(
                [*words, source / "bootstrap.py", "call", "execute_cypher", query, "--json"],
                cwd=place,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env=variables,
            )
            for _ in range(2)
        ]
        ends = [start.communicate(timeout=380) for start in starts]
        assert [start.returncode for start in starts] == [0, 0], ends
        assert [json.loads(out)["rows"] for out, _ in ends] == [[[30]]] * 2
        assert sum("installing the packages in requirements" in err for _, err in ends) == 1
    finally:
        shutil.rmtree(place, ignore_errors=True)


def usable(python: str) -> bool:
    """Return whether this interpreter exists, is new enough and has pip."""
    check = "import sys, pip; sys.exit(sys.version_info < (3, 11))"
    return (
        Path(python).exists() and not subprocess.run([python, "-c", check], capture_output=True, timeout=30).returncode
    )


@pytest.mark.skipif(os.name == "nt", reason="the programs are shell scripts")
def test_if_a_certificate_is_refused_pip_and_uv_run_again_with_the_certificates_of_the_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bootstrap = load_bootstrap()
    authority = tmp_path / "authority.crt"
    authority.touch()
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))
    monkeypatch.delenv("PIP_CERT", raising=False)
    python, uv = program(tmp_path / "python", f'"--cert {authority}"'), program(tmp_path / "uv", '"true"')
    monkeypatch.setattr(bootstrap, "python_with_pip", lambda: python)
    monkeypatch.setattr(bootstrap, "OWN_TOOLS", tmp_path / "fetched")
    monkeypatch.setattr(bootstrap.shutil, "which", lambda name: None)
    assert bootstrap.find_uv() == str(tmp_path / "fetched" / "bin" / "uv")
    bootstrap.run_uv(uv, "venv")
    authority.unlink()
    for run in (bootstrap.find_uv, lambda: bootstrap.run_uv(python, "venv")):
        with pytest.raises(bootstrap.CannotInstall, match="name its file in SSL_CERT_FILE"):
            run()


def program(path: Path, wanted: str) -> str:
    """Write a program that refuses a certificate unless `wanted` is among its words or UV_SYSTEM_CERTS is set."""
    path.write_text(
        f'#!/bin/sh\ncase "$* ${{UV_SYSTEM_CERTS:+true}}" in *{wanted}*) exit 0;; esac\n'
        "echo 'invalid peer certificate: UnknownIssuer' | tee /dev/stderr\nexit 1\n"
    )
    path.chmod(0o755)
    return str(path)


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
