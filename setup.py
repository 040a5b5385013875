"""Maps the folders at the top of the repository to the import package `graphground`.

`cypher/parser.py` is `graphground.cypher.parser`. The README, the addresses and the data
files of the distribution are also declared here; everything else is in pyproject.toml.
"""

import re
import tomllib
from pathlib import Path

from setuptools import find_packages, setup

HERE = Path(__file__).parent
PARTS = [
    part
    for part in ("cypher", "graphs", "tools", "prompts", "server", "evals", "agents")
    if (HERE / part / "__init__.py").exists()
]

packages = ["graphground"]
for part in PARTS:
    packages += [f"graphground.{part}"]
    packages += [f"graphground.{part}.{inner}" for inner in find_packages(str(HERE / part))]

ADDRESS = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["graphground"]["repository"]
REPOSITORY = "" if "//example.org/" in ADDRESS else ADDRESS
"""The address of the repository; empty as long as there is none."""


def description() -> str:
    """Return the README for a package index: links to files lead to the repository, or become plain text."""
    text = (HERE / "README.md").read_text(encoding="utf-8")
    picture = rf"![\1]({REPOSITORY}/raw/main/\2)" if REPOSITORY else ""
    if not REPOSITORY:
        text = text.replace(f" (`git clone {ADDRESS}`)", "")
    text = re.sub(r"!\[([^\]]+)\]\((?!https?:)([^)]+)\)", picture, text)
    target = rf"[\1]({REPOSITORY}/blob/main/\2)" if REPOSITORY else r"\1"
    return re.sub(r"(?<!!)\[([^\]]+)\]\((?!https?:|#|mailto:)([^)]+)\)", target, text)


def data_files(folder: Path) -> list[str]:
    """Return every file below a folder that is not Python code: a list of endings would forget the next kind."""
    return [
        path.relative_to(folder).as_posix()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix not in (".py", ".pyc") and not path.name.startswith(".")
    ]


setup(
    long_description=description(),
    long_description_content_type="text/markdown",
    project_urls={
        "Repository": REPOSITORY,
        "Documentation": f"{REPOSITORY}/tree/main/docs",
        "Changelog": f"{REPOSITORY}/blob/main/CHANGELOG.md",
        "Issues": f"{REPOSITORY}/issues",
    }
    if REPOSITORY
    else {},
    packages=packages,
    package_dir={"graphground": "graphground", **{f"graphground.{part}": part for part in PARTS}},
    package_data={"graphground": ["py.typed"], **{f"graphground.{part}": data_files(HERE / part) for part in PARTS}},
)
