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
    # Without a display, a text browser would occupy the terminal.
    has_display = sys.platform != "linux" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    return serve_with(settings, open_page if has_display and not parsed.no_browser else None)


def open_page(address: str) -> None:
    """Open the page in the user's browser; the server has already printed the address."""
    import webbrowser

    from graphground.server.transports.http import page_address

    webbrowser.open(page_address(address))
