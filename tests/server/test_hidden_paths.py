"""Paths of the server's machine in texts for clients."""

from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import LoggingMessageNotification

from graphground.server.call import DATA_FOLDER, HOME_FOLDER, hiding, hiding_paths
from tests.support.serving import LEGACY, call, failure_in, stdio

HIDE = hiding({Path("/home/ada"): HOME_FOLDER, Path("/home/ada/graphs"): DATA_FOLDER})


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("/home/ada/graphs/catalog.json", "<data folder>/catalog.json"),
        ("in /home/ada/graphs.", "in <data folder>."),
        ("'/home/ada/films.csv'", "'<home folder>/films.csv'"),
        ("file:///home/ada/graphs/x", "file://<data folder>/x"),
        ("/home/adam/x, /home/ada-2/x, /mnt/home/ada/x", "/home/adam/x, /home/ada-2/x, /mnt/home/ada/x"),
        ("no path", "no path"),
    ],
)
def test_the_data_folder_and_the_home_folder_are_replaced_by_names(text: str, shown: str) -> None:
    assert HIDE(text) == shown


def test_a_link_to_the_data_folder_is_replaced_like_its_target(tmp_path: Path) -> None:
    (tmp_path / "target").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "target")
    hide = hiding_paths(tmp_path / "link")
    assert hide(f"{tmp_path}/link/x, {tmp_path}/target/x") == "<data folder>/x, <data folder>/x"


def test_a_root_folder_is_not_replaced() -> None:
    assert hiding({Path("/"): HOME_FOLDER})("/etc/x") == "/etc/x"


@pytest.mark.anyio
async def test_a_server_hides_the_data_folder_from_clients_and_the_command_line_shows_it(tmp_path: Path) -> None:
    (tmp_path / "catalog.json").write_text("{", encoding="utf-8")
    heard: list[Any] = []

    async def note(message: Any) -> None:
        if isinstance(message, LoggingMessageNotification):
            heard.append(message.params)

    with anyio.fail_after(90):
        async with Client(stdio(tmp_path), mode=LEGACY, message_handler=note) as client:
            failure = failure_in(await client.call_tool("list_graphs", {}))
            with pytest.raises(MCPError, match=r"<data folder>/catalog\.json cannot be read"):
                await client.list_resources()
    assert failure["message"].startswith("<data folder>/catalog.json cannot be read")
    assert any("<data folder>/catalog.json" in str(params.data) for params in heard)
    assert str(tmp_path) not in str(heard)
    assert f"{tmp_path}/catalog.json" in call(tmp_path, "list_graphs").stderr
