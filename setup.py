"""Maps the folders at the top of the repository to the import package `graphground`.

`cypher/parser.py` is `graphground.cypher.parser`. Everything else about the
distribution is declared in pyproject.toml.
"""

from pathlib import Path

from setuptools import find_packages, setup

HERE = Path(__file__).parent
PARTS = [part for part in ("cypher", "graphs", "tools", "prompts", "server", "evals", "agents")
         if (HERE / part / "__init__.py").exists()]

packages = ["graphground"]
for part in PARTS:
    packages += [f"graphground.{part}"]
    packages += [f"graphground.{part}.{inner}" for inner in find_packages(str(HERE / part))]

setup(
    packages=packages,
    package_dir={"graphground": "graphground", **{f"graphground.{part}": part for part in PARTS}},
    package_data={"": ["py.typed", "*.md", "*.json", "*.html", "*.css", "*.js", "*.json.gz", "*.csv", "*.npz", "*.bin",
                       "*.toml", "LICENSE*"]},
)
