import stat
from pathlib import Path

import pytest

from graphground.graphs.storage.home import replacing


def test_the_old_file_stays_until_the_new_file_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "catalog.json"
    path.write_text("old")
    with replacing(path, durable=True) as file:
        file.write(b"new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_after_a_failure_only_the_old_file_exists(tmp_path: Path) -> None:
    path = tmp_path / "catalog.json"
    path.write_text("old")

    def fail() -> None:
        with replacing(path) as file:
            file.write(b"ne")
            raise ValueError("in the middle")

    with pytest.raises(ValueError, match="in the middle"):
        fail()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif("os.name == 'nt'")
def test_only_its_owner_can_read_a_private_file(tmp_path: Path) -> None:
    with replacing(tmp_path / "state.json", private=True) as file:
        file.write(b"{}")
    assert stat.S_IMODE((tmp_path / "state.json").stat().st_mode) == 0o600
