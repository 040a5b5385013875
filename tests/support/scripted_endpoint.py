"""A language model that follows a script, over real HTTP, in the two forms of OpenAI and in Anthropic's.

    with ScriptedEndpoint(lambda asked: say("MATCH (t:Team) RETURN t.name")) as endpoint:
        ModelSettings("scripted", endpoint=endpoint.openai)

The script is a function that takes the request and returns one of the replies below; every request is recorded.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.support.local_http import LocalHandler, LocalServer

TOKENS_IN, TOKENS_OUT = 100, 20
"""The token counts that the endpoint reports for a reply, unless its `counts` is False."""


@dataclass(frozen=True)
class Asked:
    """A request to the model, in the form of either provider."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def text(self) -> str:
        """The text of the system prompt and of all messages."""
        return "\n".join(_texts(self.body.get("system")) + _texts(self.body.get("messages")))

    @property
    def last(self) -> str:
        """The text of the last message."""
        return "\n".join(_texts(self.body["messages"][-1]))

    @property
    def results(self) -> int:
        """The number of tool results in the conversation."""
        return json.dumps(self.body["messages"]).count('"tool_call_id"') + json.dumps(self.body["messages"]).count(
            '"tool_use_id"'
        )


@dataclass(frozen=True)
class Answer:
    """The endpoint's response to a request."""

    text: str = ""
    uses: tuple[tuple[str, str], ...] = ()
    """The tool calls: names with their arguments as JSON."""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    error: Mapping[str, Any] = field(default_factory=dict)
    raw: bytes | None = None
    """Bytes to send in place of JSON."""
    cut: bool = False
    """Whether the connection closes in the middle of the body."""
    waits: threading.Event | None = None
    """An event that must be set before the reply is sent."""
    finish: str = "stop"
    """Why the reply ended, in OpenAI's form."""
    counts: bool = True
    """Whether the reply contains token counts."""


def say(text: str) -> Answer:
    """Return a reply of text."""
    return Answer(text)


def use(tool: str, **arguments: Any) -> Answer:
    """Return a reply that calls one tool."""
    return Answer(uses=((tool, json.dumps(arguments)),))


def fail(status: int, code: str, message: str = "no", **headers: str) -> Answer:
    """Return an error, in the form of both providers."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status=status, headers=named, error={"message": message, "type": code, "code": code})


class ScriptedEndpoint(LocalServer):
    """The endpoint, on a free port during the `with` block."""

    def __init__(self, script: Callable[[Asked], Answer]) -> None:
        self.requests: list[Asked] = []
        self.script = script
        lock = threading.Lock()
        endpoint = self

        class Handler(LocalHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                request = Asked(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
                with lock:
                    endpoint.requests.append(request)
                    answer = endpoint.script(request)
                if answer.waits is not None and not answer.waits.wait(60):
                    return
                self._send(request, answer)

            def _send(self, request: Asked, answer: Answer) -> None:
                if answer.error:
                    content = json.dumps({"type": "error", "error": answer.error}).encode()
                elif answer.raw is not None:
                    content = answer.raw
                else:
                    form, stream = FORMS[request.path.partition("?")[0].rpartition("/")[2]]
                    body = form(request.body, answer)
                    if request.body.get("stream") and stream is not None:
                        self.reply(200, stream(body), {"Content-Type": "text/event-stream"})
                        return
                    content = json.dumps(body if answer.counts else body | {"usage": None}).encode()
                headers = {"Content-Type": "application/json", **answer.headers}
                if answer.cut:
                    headers["Content-Length"] = str(len(content))
                    content = content[: len(content) // 2]
                self.reply(answer.status, content, headers)

        super().__init__(Handler)
        self.openai, self.anthropic = f"{self.address}/v1", self.address


def _completion(request: Mapping[str, Any], answer: Answer) -> dict[str, Any]:
    calls = [
        {"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for number, (name, arguments) in enumerate(answer.uses, start=len(request["messages"]))
    ]
    message: dict[str, Any] = {"role": "assistant", "content": answer.text or None}
    if calls:
        message["tool_calls"] = calls
    return {
        "id": "chat_1",
        "object": "chat.completion",
        "created": 0,
        "model": request["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if calls else answer.finish}],
        "usage": {"prompt_tokens": TOKENS_IN, "completion_tokens": TOKENS_OUT, "total_tokens": TOKENS_IN + TOKENS_OUT},
    }


def _streamed(completion: dict[str, Any]) -> bytes:
    """Return an OpenAI completion as server-sent events: the text word by word, the calls, the usage."""
    message, finish = completion["choices"][0]["message"], completion["choices"][0]["finish_reason"]
    deltas: list[dict[str, Any]] = [{"content": word} for word in (message["content"] or "").split(" ")]
    for delta in deltas[1:]:
        delta["content"] = f" {delta['content']}"
    deltas += [{"tool_calls": [{"index": place, **call}]} for place, call in enumerate(message.get("tool_calls", ()))]
    common = {**completion, "object": "chat.completion.chunk", "usage": None}
    chunks = [{**common, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    chunks.append({**common, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    chunks.append({**common, "choices": [], "usage": completion["usage"]})
    return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks).encode() + b"data: [DONE]\n\n"


def _message(request: Mapping[str, Any], answer: Answer) -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"type": "text", "text": answer.text}] if answer.text else []
    content += [
        {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": json.loads(arguments)}
        for number, (name, arguments) in enumerate(answer.uses, start=len(request["messages"]))
    ]
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": request["model"],
        "content": content,
        "stop_reason": "tool_use" if answer.uses else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": TOKENS_IN, "output_tokens": TOKENS_OUT},
    }


def _message_streamed(message: dict[str, Any]) -> bytes:
    """Return a message of Anthropic's form as server-sent events: one event for each part of its content."""
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
    ]
    for index, part in enumerate(message["content"]):
        start, delta = (
            ({"type": "text", "text": ""}, {"type": "text_delta", "text": part["text"]})
            if part["type"] == "text"
            else ({**part, "input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(part["input"])})
        )
        events.append({"type": "content_block_start", "index": index, "content_block": start})
        events.append({"type": "content_block_delta", "index": index, "delta": delta})
        events.append({"type": "content_block_stop", "index": index})
    end = {"delta": {"stop_reason": message["stop_reason"]}, "usage": {"output_tokens": TOKENS_OUT}}
    events += [{"type": "message_delta", **end}, {"type": "message_stop"}]
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events).encode()


def _response(request: Mapping[str, Any], answer: Answer) -> dict[str, Any]:
    text = {"type": "output_text", "text": answer.text, "annotations": []}
    items: list[dict[str, Any]] = [
        {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [text]}
    ]
    if answer.uses:
        items = [
            {"type": "function_call", "id": "fc_1", "call_id": f"call_{number}", "name": name, "arguments": arguments}
            for number, (name, arguments) in enumerate(answer.uses)
        ]
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 0,
        "model": request.get("model", ""),
        "status": "completed",
        "output": items,
        "parallel_tool_calls": False,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": TOKENS_IN,
            "output_tokens": TOKENS_OUT,
            "total_tokens": TOKENS_IN + TOKENS_OUT,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0},
        },
    }


FORMS: dict[str, tuple[Callable[..., dict[str, Any]], Callable[[dict[str, Any]], bytes] | None]] = {
    "completions": (_completion, _streamed),
    "messages": (_message, _message_streamed),
    "responses": (_response, None),
}
"""How a reply to each path is written, whole and as a stream."""


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [text for part in value for text in _texts(part)]
    if isinstance(value, Mapping):
        return _texts(value.get("text") or value.get("content"))
    return []
