"""The files of the page: HTML, style sheets and ES modules, read once and sent with an ETag."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from graphground.cypher.diagnostics import LONGEST_SPAN, cut

FOLDER = Path(__file__).parent / "static"
TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
PAGE = "page.html"


async def file(request: Request) -> Response:
    """Handle `GET /ui/PATH`: return the file or, without a path, the page itself."""
    name = request.path_params.get("path", "") or PAGE
    known = files().get(name)
    if known is None:
        return PlainTextResponse(f"there is no file {cut(name, LONGEST_SPAN)!r}", status_code=404)
    content, tag = known
    headers = {"ETag": tag}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(content, media_type=TYPES[Path(name).suffix], headers=headers)


@cache
def files() -> dict[str, tuple[bytes, str]]:
    """Return the content and the ETag of each file in the folder, by path; no other file can be requested."""
    paths = [path for path in FOLDER.rglob("*") if path.suffix in TYPES and path.is_file()]
    contents = {path.relative_to(FOLDER).as_posix(): path.read_bytes() for path in paths}
    return {name: (content, f'"{hashlib.sha256(content).hexdigest()[:24]}"') for name, content in contents.items()}
