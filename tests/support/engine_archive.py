"""Writes the archive of the engine's classes now; without this, the first engine that stops in order writes it.

python -m tests.support.engine_archive
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from graphground.graphs.engines.embedded.engine import EmbeddedEngine
from graphground.graphs.engines.embedded.launcher import archive_file, end_engine, is_complete
from graphground.graphs.opening.stored import load_bundled
from graphground.graphs.storage.home import Home
from tests.support.waiting import until

SECONDS = 300.0


def write_archive(home: Home) -> Path:
    """Run an engine in the data folder until it has written the archive; return the archive."""
    file = archive_file()
    assert file is not None, "archives are switched off"
    if not is_complete(file):
        engine = EmbeddedEngine(home, load_bundled("nba", home).id)
        assert list(engine.stream("MATCH (t:Team {name: 'Miami Heat'})<-[r:playsFor]-(p) RETURN count(p) > 0")) == [
            [True]
        ]
        engine.close()
        end_engine(home)
    until(lambda: is_complete(file), SECONDS)
    return file


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="graphground-archive-", ignore_cleanup_errors=True) as folder:
        write_archive(Home(Path(folder)))
