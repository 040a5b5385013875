"""A scripted language model with the HTTP interfaces of OpenAI and Anthropic: one tool call, then the answer.

The answer is built from the tool's result, so that a client that loses the result is detected.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOOL = "execute_cypher"
ARGUMENTS = {"graph": "nba", "query": "MATCH (t:Team) RETURN count(t) AS teams"}


def tool_name(request: dict[str, Any]) -> str | None:
    """Return the name under which a client offers the tool, such as `mcp__graphground__execute_cypher`."""
    names = re.findall(rf'"name": "(\w*{TOOL})"', json.dumps(request.get("tools", [])))
    return names[0] if names else None


def final_text(request: dict[str, Any]) -> str | None:
    """Return a sentence with the number in the tool's result (`There are 30 teams.`); None if there is no result."""
    rows = re.search(r"rows\W+(\d+)", json.dumps(request))
    return f"There are {rows[1]} teams." if rows else None


def chat_completion(request: dict[str, Any]) -> dict[str, Any]:
    """Return a reply in OpenAI's older form."""
    text = final_text(request)
    call = {
        "id": "call_1",
        "type": "function",
        "function": {"name": tool_name(request), "arguments": json.dumps(ARGUMENTS)},
    }
    message = (
        {"role": "assistant", "content": text} if text else {"role": "assistant", "content": None, "tool_calls": [call]}
    )
    return {
        "id": "chat_1",
        "object": "chat.completion",
        "created": 0,
        "model": request.get("model", ""),
        "choices": [{"index": 0, "message": message, "finish_reason": "stop" if text else "tool_calls"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }


def response(request: dict[str, Any]) -> dict[str, Any]:
    """Return a reply in OpenAI's newer form."""
    text = final_text(request)
    item = (
        {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}],
        }
        if text
        else {
            "type": "function_call",
            "id": "fc_1",
            "call_id": "call_1",
            "name": tool_name(request),
            "status": "completed",
            "arguments": json.dumps(ARGUMENTS),
        }
    )
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 0,
        "model": request.get("model", ""),
        "status": "completed",
        "output": [item],
        "parallel_tool_calls": False,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": 1,
            "output_tokens": 1,
            "total_tokens": 2,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0},
        },
    }


def message(request: dict[str, Any]) -> dict[str, Any]:
    """Return a reply in Anthropic's form."""
    text = final_text(request)
    content = (
        {"type": "text", "text": text}
        if text
        else {"type": "tool_use", "id": "toolu_1", "name": tool_name(request), "input": ARGUMENTS}
    )
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": request.get("model", ""),
        "content": [content],
        "stop_reason": "end_turn" if text else "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def events_of(whole: dict[str, Any]) -> bytes:
    """Return a reply in Anthropic's form as the events of a stream."""
    [part] = whole["content"]
    start, delta = (
        ({"type": "text", "text": ""}, {"type": "text_delta", "text": part["text"]})
        if part["type"] == "text"
        else ({**part, "input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(part["input"])})
    )
    events = [
        {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": start},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": whole["stop_reason"]}, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ]
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events).encode()


ANSWERS = {"/chat/completions": chat_completion, "/responses": response, "/messages": message}


class Model(BaseHTTPRequestHandler):
    """A request handler that replies in the form of the requested path; a request without the tool is an error."""

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = next((answer for end, answer in ANSWERS.items() if self.path.partition("?")[0].endswith(end)), None)
        offered = tool_name(request) is not None
        reply = answer(request) if answer and offered else {"error": {"message": self.path}}
        streamed = bool(request.get("stream")) and reply.get("type") == "message"
        body = events_of(reply) if streamed else json.dumps(reply).encode()
        self.send_response(200 if answer and offered else 400)
        self.send_header("Content-Type", "text/event-stream" if streamed else "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None: ...


@contextmanager
def scripted_model() -> Iterator[dict[str, str]]:
    """Run the model on a free port; yield the environment variables by which the libraries find it."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield {
            "OPENAI_BASE_URL": f"{address}/v1",
            "OPENAI_API_BASE": f"{address}/v1",
            "OPENAI_API_KEY": "none",
            "ANTHROPIC_BASE_URL": address,
            "ANTHROPIC_API_KEY": "none",
            "OPENAI_AGENTS_DISABLE_TRACING": "1",
        }
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)
