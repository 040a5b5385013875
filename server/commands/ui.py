"""`graphground ui`: serve the page for people, and open it in the browser."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import replace

from graphground.server.commands.command_line import ALL_SETTINGS, command, settings_from


@command(settings=[name for name in ALL_SETTINGS if name not in ("transport", "ui")])
def ui(parsed: argparse.Namespace) -> int:
    """Serve the graphs over HTTP with a page for people, and open it in the browser.

    --no-browser  Only print the address of the page.
    """
    from graphground.server.commands.serve import serve_with  # loads little before settings are read

    settings = replace(settings_from(parsed), transport="http", ui=True)
    return serve_with(settings, None if parsed.no_browser or not has_display() else open_page)


def has_display() -> bool:
    """Whether a browser can open a window; without a display, a text browser would occupy the terminal."""
    return sys.platform != "linux" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def open_page(address: str) -> None:
    """Open the page in the user's browser; the server has already printed the address."""
    import webbrowser

    from graphground.server.transports.http import page_address

    webbrowser.open(page_address(address))
