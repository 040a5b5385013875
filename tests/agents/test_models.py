from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest

from graphground.agents.conversation import Message, Reply, ToolOffer
from graphground.agents.model_settings import ModelFailure, ModelSettings
from graphground.agents.models import Model, ReplyCache
from tests.support.scripted_endpoint import Answer, Asked, ScriptedEndpoint, fail, say, use

QUESTION = [Message("system", "You write Cypher."), Message("user", "How many teams are there?")]
COUNT = ToolOffer("count", "Counts nodes.", {"type": "object", "properties": {"label": {"type": "string"}}})
PROVIDERS = ("openai", "anthropic")


def settings(endpoint: ScriptedEndpoint, provider: str = "openai", **more: Any) -> ModelSettings:
    address = endpoint.openai if provider == "openai" else endpoint.anthropic
    scripted = ModelSettings(f"{provider}:scripted", endpoint=address, retries=2, longest_wait=2.0)
    return replace(scripted, **more)


def ask(
    settings: ModelSettings,
    cache: Path | None = None,
    tools: tuple[ToolOffer, ...] = (),
    messages: list[Message] = QUESTION,
    waits: list[str] | None = None,
) -> Reply:
    async def send() -> Reply:
        with anyio.fail_after(30):
            say = (lambda sentence: None) if waits is None else waits.append
            async with Model(settings, ReplyCache(cache) if cache else None, say) as model:
                return await model.ask(messages, tools)

    return anyio.run(send)


def in_turn(*answers: Answer) -> Callable[[Asked], Answer]:
    """Return a script that gives these answers one after the other, then repeats the last."""
    left: Iterator[Answer] = iter(answers[:-1])
    return lambda request: next(left, answers[-1])


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_reply_has_its_text_and_its_tokens_and_the_request_its_settings(provider: str) -> None:
    with ScriptedEndpoint(lambda request: say("MATCH (t:Team) RETURN count(t)")) as endpoint:
        reply = ask(settings(endpoint, provider, temperature=0.5, seed=7, max_tokens=99))
    assert (reply.text, reply.tokens_in, reply.tokens_out) == ("MATCH (t:Team) RETURN count(t)", 100, 20)
    assert (reply.finish, reply.attempts, reply.cached) == ("stop", 1, False)
    [request] = endpoint.requests
    assert request.body["model"] == "scripted"
    assert request.body["temperature"] == 0.5
    assert request.body["max_tokens"] == 99
    assert "You write Cypher." in request.text
    assert "How many teams are there?" in request.text
    if provider == "openai":
        assert request.body["seed"] == 7


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_tool_call_is_read_from_the_reply_and_its_answer_is_sent_with_the_next_request(provider: str) -> None:
    with ScriptedEndpoint(lambda request: say("30") if request.results else use("count", label="Team")) as endpoint:
        first = ask(settings(endpoint, provider), tools=(COUNT,))
        [call] = first.uses
        assert (call.name, call.parsed()) == ("count", {"label": "Team"})
        messages = [*QUESTION, first.as_message(), Message("tool", '{"count": 30}', answers=call)]
        assert ask(settings(endpoint, provider), tools=(COUNT,), messages=messages).text == "30"
    assert '{"count": 30}' in endpoint.requests[-1].last.replace("\\", "")
    if provider == "openai":  # llama.cpp's server refuses a message without text
        assert endpoint.requests[-1].body["messages"][-2]["content"] == ""


@pytest.mark.parametrize(
    ("message", "advice"),
    [
        ("Unsupported value: 'temperature' does not support 0.0 with this model", "--temperature none"),
        ("Unsupported parameter: 'max_tokens'", "--max-tokens sets"),
        ("tools are not supported", "`agent zero-shot` and `agent loop`"),
    ],
)
def test_a_refused_parameter_is_reported_with_the_option_that_helps(message: str, advice: str) -> None:
    with (
        ScriptedEndpoint(lambda request: fail(400, "invalid_request_error", message)) as endpoint,
        pytest.raises(ModelFailure, match=advice),
    ):
        ask(settings(endpoint))


def test_the_reasoning_effort_is_sent_if_it_is_set() -> None:
    with ScriptedEndpoint(lambda request: say("x")) as endpoint:
        ask(replace(settings(endpoint), reasoning_effort="low"))
        ask(settings(endpoint))
        with pytest.raises(ModelFailure, match="leave out --reasoning-effort"):
            ask(replace(settings(endpoint, "anthropic"), reasoning_effort="low"))
    assert [request.body.get("reasoning_effort") for request in endpoint.requests] == ["low", None]


def test_a_streamed_reply_is_the_same_as_a_whole_one() -> None:
    called = Answer("I look it up.", uses=(("get_schema", '{"graph": "nba"}'),))
    for answer in (say("MATCH (t:Team) RETURN t.name"), called):
        with ScriptedEndpoint(lambda request, answer=answer: answer) as endpoint:  # type: ignore[misc]
            whole, streamed = (ask(replace(settings(endpoint), stream=stream)) for stream in (False, True))
        assert [request.body.get("stream", False) for request in endpoint.requests] == [False, True]
        assert replace(streamed, seconds=0.0) == replace(whole, seconds=0.0)
        assert (streamed.tokens_in, streamed.tokens_out) == (100, 20)


def test_an_error_with_status_200_is_treated_as_the_error_that_it_is() -> None:
    waits: list[str] = []
    limited = Answer(raw=b'{"error": {"message": "slow down", "code": 429}}', headers={"Retry-After": "0.01"})
    with ScriptedEndpoint(in_turn(limited, say("done"))) as endpoint:
        assert ask(settings(endpoint), waits=waits).text == "done"
    assert "limits the rate of requests" in waits[0]


def test_a_price_is_known_only_for_a_known_model() -> None:
    with ScriptedEndpoint(lambda request: say("x")) as endpoint:
        known = ask(settings(endpoint, name="gpt-4o-mini"))
        unknown = ask(settings(endpoint))
    assert known.cost_usd == pytest.approx(100 * 0.15e-6 + 20 * 0.6e-6)
    assert unknown.cost_usd is None


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_refused_key_is_reported_at_once_and_never_shown(
    provider: str, keys: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    refusal = fail(401, "authentication_error", f"Incorrect API key provided: {keys}")
    with ScriptedEndpoint(lambda request: refusal) as endpoint, pytest.raises(ModelFailure) as caught:
        ask(settings(endpoint, provider))
    assert caught.value.kind == "key_refused"
    assert f"{provider.upper()}_API_KEY" in str(caught.value)
    assert len(endpoint.requests) == 1
    assert keys in str(endpoint.requests[0].headers)
    assert keys not in str(caught.value)
    assert keys not in caplog.text


def test_the_error_about_a_missing_key_names_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(ModelFailure, match=r"set the environment variable OPENAI_API_KEY, or give your own endpoint$"):
        ask(ModelSettings("gpt-5-mini"))
    with pytest.raises(ModelFailure, match=r"set the environment variable MY_KEY$"):
        ask(ModelSettings("local", endpoint="http://127.0.0.1:9/v1", key_variable="MY_KEY"))


@pytest.mark.parametrize(
    ("provider", "header", "seconds"),
    [("openai", {"retry_after": "1"}, 1.0), ("anthropic", {"retry_after_ms": "200"}, 0.2)],
)
def test_after_a_rate_limit_the_client_waits_as_long_as_the_endpoint_asks(
    provider: str, header: dict[str, str], seconds: float
) -> None:
    waits: list[str] = []
    script = in_turn(fail(429, "rate_limit_error", **header), say("done"))
    with ScriptedEndpoint(script) as endpoint:
        reply = ask(settings(endpoint, provider), waits=waits)
    assert (reply.text, reply.attempts) == ("done", 2)
    assert reply.seconds >= seconds
    [wait] = waits
    assert wait.endswith(f"trying again in {seconds:.1f} s")


def test_a_wait_that_is_too_long_stops_the_run_with_advice_to_try_later() -> None:
    refusal = fail(429, "rate_limit_error", retry_after="3600")
    with (
        ScriptedEndpoint(lambda request: refusal) as endpoint,
        pytest.raises(ModelFailure, match=r"3600 s.*try again later$") as error,
    ):
        ask(settings(endpoint))
    assert error.value.kind == "rate_limit"
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize("broken", [Answer("half", cut=True), fail(503, "overloaded_error", retry_after="0")])
def test_a_truncated_reply_and_an_overloaded_server_are_retried(broken: Answer) -> None:
    with ScriptedEndpoint(in_turn(broken, say("whole"))) as endpoint:
        reply = ask(settings(endpoint, longest_wait=0.05))
    assert (reply.text, reply.attempts) == ("whole", 2)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (Answer(raw=b"<html>Bad gateway</html>"), "bad_reply"),
        (fail(404, "model_not_found", "The model `scripted` does not exist"), "model_not_found"),
        (fail(400, "context_length_exceeded", "maximum context length is 2048 tokens"), "too_long"),
        (fail(429, "insufficient_quota", "You exceeded your current quota"), "quota"),
        (fail(400, "invalid_request_error", "temperature is not supported"), "refused"),
    ],
)
def test_an_error_that_a_retry_cannot_fix_fails_once_with_its_kind(answer: Answer, kind: str) -> None:
    with ScriptedEndpoint(lambda request: answer) as endpoint, pytest.raises(ModelFailure) as caught:
        ask(settings(endpoint))
    assert caught.value.kind == kind
    assert len(endpoint.requests) == 1


def test_the_words_of_a_server_error_are_quoted_without_the_key(keys: str) -> None:
    broken = fail(500, "internal_server_error", f"no attribute 'content' {keys}")
    with ScriptedEndpoint(lambda request: broken) as endpoint, pytest.raises(ModelFailure) as caught:
        ask(settings(endpoint, retries=0))
    assert "no attribute 'content'" in str(caught.value)
    assert keys not in str(caught.value)


def test_an_address_without_an_endpoint_is_reported_with_the_address() -> None:
    with ScriptedEndpoint(lambda request: say("x")) as endpoint:
        address = endpoint.openai
    with pytest.raises(ModelFailure, match=r"after 1 attempt$") as caught:
        ask(ModelSettings("local", endpoint=address, retries=0))
    assert caught.value.kind == "unreachable"
    assert address in str(caught.value)


def test_a_request_that_times_out_is_retried_once_and_the_message_names_the_limit() -> None:
    ended = threading.Event()
    with ScriptedEndpoint(lambda request: Answer("late", cut=True, waits=ended)) as endpoint:
        try:
            with pytest.raises(ModelFailure, match=r"within 1 s.*--model-timeout.*after 2 attempts") as caught:
                ask(settings(endpoint, timeout=1.0, retries=5, longest_wait=0.05))
        finally:
            ended.set()
    assert caught.value.kind == "timeout"
    assert len(endpoint.requests) == 2


def test_token_counts_are_marked_as_estimates_if_the_endpoint_returns_none() -> None:
    with ScriptedEndpoint(lambda request: Answer("x" * 40, counts="counted" in request.text)) as endpoint:
        estimated, counted = ask(settings(endpoint)), ask(settings(endpoint), messages=[Message("user", "counted")])
    sent = sum(len(message.text) for message in QUESTION)
    assert (estimated.tokens_in, estimated.tokens_out, estimated.tokens_estimated) == (sent // 4, 10, True)
    assert (counted.tokens_in, counted.tokens_out, counted.tokens_estimated) == (100, 20, False)


def test_no_call_is_made_twice(tmp_path: Path, keys: str) -> None:
    with ScriptedEndpoint(lambda request: say(f"reply {len(request.text)}")) as endpoint:
        first = ask(settings(endpoint), tmp_path)
        again = ask(settings(endpoint), tmp_path)
        other = ask(settings(endpoint, seed=1), tmp_path)
    assert len(endpoint.requests) == 2
    assert again == replace(first, cached=True)
    assert not other.cached
    assert keys not in "".join(path.read_text(encoding="utf-8") for path in tmp_path.rglob("*.json"))


@pytest.mark.anyio
async def test_concurrent_equal_requests_cause_one_call(tmp_path: Path) -> None:
    with ScriptedEndpoint(lambda request: say("x")) as endpoint:
        async with Model(settings(endpoint), ReplyCache(tmp_path)) as model, anyio.create_task_group() as tasks:
            for _ in range(3):
                tasks.start_soon(model.ask, QUESTION)
    assert len(endpoint.requests) == 1


def test_a_damaged_cache_file_is_replaced(tmp_path: Path) -> None:
    with ScriptedEndpoint(lambda request: say("x")) as endpoint:
        ask(settings(endpoint), tmp_path)
        [path] = tmp_path.rglob("*.json")
        path.write_text('{"text": "x", "uses"', encoding="utf-8")
        assert not ask(settings(endpoint), tmp_path).cached
        assert ask(settings(endpoint), tmp_path).cached
