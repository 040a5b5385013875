"""The files to publish: two wheels, the registry's entry, the bill of materials, and one place for the address."""

import re
import tomllib
import zipfile
from pathlib import Path

import pytest

from graphground import __version__
from release import build

ROOT = Path(__file__).resolve().parents[2]


def test_the_clone_line_has_the_address_of_pyproject_and_the_version_is_one() -> None:
    address = build.project()["tool"]["graphground"]["repository"]
    assert f"`git clone {address}`" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert build.project()["project"]["version"] == __version__
    assert f"## [{__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_address_is_replaced_in_every_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("pyproject.toml", "README.md"):
        (tmp_path / name).write_text((ROOT / name).read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr(build, "ROOT", tmp_path)
    build.set_repository("https://github.com/someone/graphground")
    assert build.repository() == "https://github.com/someone/graphground"
    assert "example.org/graphground" not in (tmp_path / "README.md").read_text(encoding="utf-8")
    entry = build.server_json("1.0", build.repository())
    assert entry["name"] == "io.github.someone/graphground"
    assert entry["repository"] == {"url": "https://github.com/someone/graphground", "source": "github"}


def test_the_core_wheel_has_the_same_files_and_no_engine(tmp_path: Path) -> None:
    wheel = tmp_path / "graphground-1.0-py3-none-any.whl"
    metadata = "Name: graphground\nVersion: 1.0\nRequires-Dist: arcadedb-embedded>=26; x\nRequires-Dist: mcp>=2\n"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("graphground/__init__.py", "")
        archive.writestr("graphground-1.0.dist-info/METADATA", metadata)
        archive.writestr("graphground-1.0.dist-info/RECORD", "")
    with zipfile.ZipFile(build.without_engine(wheel)) as archive:
        names = archive.namelist()
        assert names == [
            "graphground/__init__.py",
            "graphground_core-1.0.dist-info/METADATA",
            "graphground_core-1.0.dist-info/RECORD",
        ]
        assert archive.read(names[1]).decode() == "Name: graphground-core\nVersion: 1.0\nRequires-Dist: mcp>=2\n"
        record = archive.read(names[2]).decode()
    assert [line.split(",")[0] for line in record.splitlines()] == names


def test_the_bill_of_materials_names_every_package_of_an_installation() -> None:
    parts = build.bill_of_materials("1.0", build.components())["components"]
    locked = re.findall(r"^([\w.-]+)==", (ROOT / "requirements" / "run.txt").read_text(encoding="utf-8"), re.MULTILINE)
    assert set(locked) - {"setuptools"} <= {part["name"] for part in parts}
    assert {"cytoscape", "@codemirror/view"} <= {part["name"] for part in parts}
    dependencies = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    assert {re.split(r"[><=;\[]", text)[0] for text in dependencies} <= {part["name"] for part in parts}
