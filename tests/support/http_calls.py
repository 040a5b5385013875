"""Single HTTP requests to a server, as sent by a client without a library."""

from __future__ import annotations

import json
import ssl
import urllib.error
import urllib.request
from typing import Any

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}},
}


def posted(
    address: str, message: dict[str, Any], *, token: str | None = None, context: ssl.SSLContext | None = None
) -> tuple[int, dict[str, Any]]:
    """Post one message; return the status and the JSON of the answer.

    If the status is an error, return the text and the headers of the response in place of the JSON.
    """
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    request = urllib.request.Request(address, json.dumps(message).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=60, context=context) as answer:
            text = answer.read().decode()
            if answer.headers.get_content_type() == "text/event-stream":  # the answer is the last event of the stream
                text = text.rstrip().rpartition("data: ")[2]
            return answer.status, json.loads(text)
    except urllib.error.HTTPError as error:
        with error:
            text = error.read().decode()
            headers = {name.lower(): value for name, value in error.headers.items()}
        return error.code, {"text": text, **headers}
