"""Measures the page and the documentation site with Lighthouse's phone profile, in a headless Chromium.

    npm install lighthouse
    python -m benchmarks.server.lighthouse node_modules/.bin/lighthouse

Each address is measured five times in turns, and the medians of the scores (0 to 100) count. Nothing else should run:
the profile slows the processor down four times, and a busy machine slows it further.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
from pathlib import Path
from statistics import median

from benchmarks.results import Figure, record
from tests.docs.test_site import serve_site
from tests.support.browser import CHROMIUM
from tests.support.serving import http_server

ROUNDS = 5
CATEGORIES = {"performance": ">= 95", "accessibility": ">= 100"}
FLAGS = ("--quiet", "--output=json", "--chrome-flags=--headless=new --no-sandbox")


def scores(program: str, address: str) -> dict[str, float]:
    """Return the score of each category."""
    command = [program, address, *FLAGS, f"--only-categories={','.join(CATEGORIES)}"]
    environment = {**os.environ, "CHROME_PATH": str(CHROMIUM)}
    report = json.loads(subprocess.run(command, check=True, capture_output=True, timeout=120, env=environment).stdout)
    return {name: round(100 * report["categories"][name]["score"]) for name in CATEGORIES}


def main() -> None:
    """Print and record the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the program `lighthouse` of the npm package")
    program = parser.parse_args().program
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        http_server(Path(folder) / "home", "--ui", "--graph", "nba") as mcp,
        serve_site(Path(folder) / "site") as site,
    ):
        page = mcp.replace("/mcp", "/ui/")
        addresses = {
            "the page": page,
            "its view of queries": f"{page}#/query/nba",
            "its view of a schema": f"{page}#/schema/nba",
            "the site's first page": site,
            "a page of the site": f"{site}validation/",
        }
        rounds = [{what: scores(program, address) for what, address in addresses.items()} for _ in range(ROUNDS)]
    command = "benchmarks.server.lighthouse"
    for name, bar in CATEGORIES.items():
        worst = min(median(found[what][name] for found in rounds) for what in addresses)
        for what in addresses:
            print(f"{name:14} {what:22} {median(found[what][name] for found in rounds):.0f}")
        record("server", Figure(f"Lighthouse on a phone, {name}", "the worst of five pages", worst, "", bar, command))


if __name__ == "__main__":
    main()
