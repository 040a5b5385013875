"""The engine's main loop: it stops on SIGTERM or if its folder is gone, and continues with a damaged catalog."""

import os
import shutil
import signal
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from graphground.graphs.engines.embedded.engine import EmbeddedEngine
from graphground.graphs.engines.embedded.launcher import EmbeddedSettings, ensure_engine
from graphground.graphs.engines.embedded.process import EngineProcess
from graphground.graphs.storage.home import Catalog, Home
from tests.support.waiting import until

pytestmark = [pytest.mark.timeout(300), pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")]


def test_an_engine_with_a_damaged_catalog_answers_and_ends_at_sigterm(own_small_home: Home, tmp_path: Path) -> None:
    engine = EmbeddedEngine(own_small_home, Catalog(own_small_home).get("films").id)
    assert engine.run("MATCH (n) RETURN count(n)").rows == [[4]]
    process = ensure_engine(own_small_home).pid
    catalog = own_small_home.folder / "catalog.json"
    log = own_small_home.engine / "engine.log"
    for number, damage in enumerate(('{"graphs": [', "null", "[1, 2]", '{"graphs": 7}'), start=1):
        # Replaced in one step: the engine would also report a catalog that it reads while it is being written.
        (tmp_path / "damaged").write_text(damage, encoding="utf-8")
        os.replace(tmp_path / "damaged", catalog)
        until(lambda times=number: log.read_text("utf-8", "replace").count("could not be deleted") == times)
        assert engine.run("MATCH (n) RETURN count(n)").rows == [[4]]
    os.kill(process, signal.SIGTERM)
    until(lambda: not Path(f"/proc/{process}").exists())
    engine.close()


def test_an_engine_whose_folder_was_deleted_stops(own_small_home: Home, tmp_path: Path) -> None:
    engine = EmbeddedEngine(own_small_home, Catalog(own_small_home).get("films").id)
    assert engine.run("RETURN 1").rows == [[1]]
    process = ensure_engine(own_small_home).pid
    engine.close()
    # The folder is moved, not deleted file by file: the engine still writes, and the deletion fails if a new file
    # appears while the folder is being emptied.
    aside = own_small_home.folder.rename(tmp_path / "aside")
    until(lambda: not Path(f"/proc/{process}").exists())
    shutil.rmtree(aside)


class Running:
    """A running query as ArcadeDB's registry shows it."""

    def __init__(self, user: str, seconds: float) -> None:
        self._user, self._seconds, self.ended = user, seconds, False

    def getUser(self) -> str:
        return self._user

    def getElapsedMillis(self) -> float:
        return self._seconds * 1000

    def isTerminated(self) -> bool:
        return self.ended

    def terminate(self, reason: str) -> None:
        self.ended = True


@pytest.mark.parametrize(
    ("query", "is_ended", "stops"),
    [
        (Running("reader", 650), False, False),
        (Running("reader", 670), True, False),
        (Running("reader", 730), True, True),
        (Running("exporter", 9_000), False, False),
    ],
)
def test_a_query_that_runs_longer_than_any_clients_limit_is_ended_and_an_export_is_not(
    tmp_path: Path, query: Running, is_ended: bool, stops: bool
) -> None:
    process = EngineProcess(Home(tmp_path), EmbeddedSettings(heap="512m"))
    registry = SimpleNamespace(getRunning=lambda: [query])
    process.server = SimpleNamespace(getRunningQueries=lambda: registry)
    assert process._end_orphans() is stops
    assert query.ended is is_ended
