"""Makes one request to a model through pydantic-ai, and turns a failure into a `ModelFailure` that explains it.

pydantic-ai sorts the errors of each provider into categories and reads `Retry-After`. The text of an authentication
error is not quoted, because it may contain a part of the key. In other error texts, the whole key is replaced by `…`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from pydantic_ai import exceptions as errors
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import Model as PydanticModel
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.settings import ModelSettings as RequestSettings
from pydantic_ai.tools import ToolDefinition

from graphground.agents.conversation import Message, Reply, ToolOffer, ToolUse
from graphground.agents.model_settings import ModelFailure

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic
    from openai import AsyncOpenAI

    from graphground.agents.model_settings import ModelSettings

QUOTED = 300
"""The maximum number of characters of an endpoint's error text that a message quotes."""


ADVICE = {
    "temperature": "--temperature none leaves the temperature out",
    "reasoning_effort": "--reasoning-effort sets it, and without the option it is left out",
    "max_tokens": "--max-tokens sets the limit",
    "seed": "without --seed it is left out",
    "tool": "`agent zero-shot` and `agent loop` need no tool calls",
    "stream": "this endpoint must also answer requests without streaming",
}
"""What to do about a parameter that an endpoint refuses, by a word of its error."""
ONLY_OPENAI = {
    "reasoning_effort": "has no reasoning effort; leave out --reasoning-effort",
    "grammar": "does not accept a grammar; use llama.cpp's server",
}
"""What to say about a part of a request that only OpenAI-compatible endpoints know."""


class Endpoint:
    """The connection to one model: `await Endpoint(settings).request([Message("user", "…")], [])`."""

    def __init__(self, settings: ModelSettings) -> None:
        self._settings = settings
        self._key = settings.key()
        self._client, self._model = _connect(settings, self._key)

    async def request(self, messages: Sequence[Message], tools: Sequence[ToolOffer], grammar: str = "") -> Reply:
        """Make one request, without retries.

        `grammar` restricts the reply; it is written in GBNF, the grammar format of llama.cpp's server.

        Raises:
            ModelFailure: there is no reply.
        """
        settings = RequestSettings(max_tokens=self._settings.max_tokens, timeout=self._settings.timeout)
        if self._settings.temperature is not None:
            settings["temperature"] = self._settings.temperature
        if self._settings.seed is not None:
            settings["seed"] = self._settings.seed
        body = {"reasoning_effort": self._settings.reasoning_effort, "grammar": grammar}
        for name in filter(body.get, body):
            if self._settings.provider != "openai":
                raise ModelFailure("refused", f"{self._where} {ONLY_OPENAI[name]}")
        settings["extra_body"] = {name: value for name, value in body.items() if value} or None
        parameters = ModelRequestParameters(
            function_tools=[
                ToolDefinition(
                    name=tool.name, description=tool.description, parameters_json_schema=dict(tool.parameters)
                )
                for tool in tools
            ]
        )
        try:
            conversation = list(_as_pydantic(messages, self._settings.provider))
            if self._settings.stream:
                async with self._model.request_stream(conversation, settings, parameters) as parts:
                    async for _ in parts:
                        pass
                response = parts.get()
            else:
                response = await self._model.request(conversation, settings, parameters)
        except errors.ModelAPIError as error:
            raise self._failure(error) from None
        except errors.AgentRunError as error:
            raise ModelFailure("bad_reply", f"{self._where} sent no valid reply: {self._words(error)}") from None
        except ValueError as error:  # the client's own parser: a body that is not JSON
            raise ModelFailure("bad_reply", f"{self._where} sent no JSON: {self._words(error)}") from None
        except Exception as error:  # a body in another form, such as `"choices": []`, breaks the client in many ways
            words = f"{type(error).__name__}: {self._words(error)}"
            raise ModelFailure("bad_reply", f"{self._where} sent a reply in an unknown form ({words})") from None
        return _reply(response)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    @property
    def _where(self) -> str:
        return self._settings.address or f"the endpoint of {self._settings.provider}"

    def _failure(self, error: errors.ModelAPIError) -> ModelFailure:
        where, status = self._where, getattr(error, "status_code", None)
        match error:
            case errors.ModelAuthenticationError():
                return ModelFailure(
                    "key_refused",
                    f"{where} refused the key in {self._settings.key_from} (status {status}); set a valid one",
                )
            case errors.ModelNotFoundError():
                return ModelFailure("model_not_found", f"{where} has no model {self._settings.model!r}")
            case errors.ModelContextWindowExceededError():
                return ModelFailure(
                    "too_long",
                    f"the request is longer than {self._settings.model} accepts; use a smaller form of the schema",
                )
            case errors.ModelQuotaExceededError():
                return ModelFailure("quota", f"the quota of the key in {self._settings.key_from} is used up")
            case errors.ModelRateLimitError():
                failed = f"{where} limits the rate of requests (status {status})"
                return ModelFailure("rate_limit", failed, error.retry_after)
            case errors.ModelTimeoutError():
                return ModelFailure(
                    "timeout",
                    f"{where} did not reply within {self._settings.timeout:g} s; a slow endpoint needs a longer time limit "
                    "(--model-timeout) or shorter replies (--max-tokens)",
                )
            case errors.ModelConnectionError():
                return ModelFailure("unreachable", f"the connection to {where} failed: {self._words(error)}")
            case errors.ModelUnavailableError() | errors.ModelServerError():
                failed = f"{where} is unavailable (status {status}): {self._words(error)}"
                return ModelFailure("unreachable", failed, error.retry_after)
        if status is None:
            return ModelFailure("bad_reply", f"{where} sent no valid reply: {self._words(error)}")
        words = self._words(error)
        advice = next((f"; {option}" for parameter, option in ADVICE.items() if parameter in words), "")
        return ModelFailure("refused", f"{where} refused the request: {words}{advice}")

    def _words(self, error: Exception) -> str:
        words = " ".join(str(error.__cause__ or error).split())
        return words.replace(self._key, "…")[:QUOTED] if len(self._key) > 4 else words[:QUOTED]


def _connect(settings: ModelSettings, key: str) -> tuple[AsyncOpenAI | AsyncAnthropic, PydanticModel]:
    """Return the provider's client, without retries of its own, and the pydantic-ai model that uses the client."""
    if settings.provider == "anthropic":
        from anthropic import AsyncAnthropic
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        anthropic = AsyncAnthropic(
            api_key=key, base_url=settings.address or None, max_retries=0, timeout=settings.timeout
        )
        return anthropic, AnthropicModel(settings.model, provider=AnthropicProvider(anthropic_client=anthropic))
    from openai import AsyncOpenAI, DefaultAsyncHttpxClient
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.openai import OpenAIProvider

    openai = AsyncOpenAI(
        api_key=key,
        base_url=settings.address or None,
        max_retries=0,
        timeout=settings.timeout,
        http_client=DefaultAsyncHttpxClient(event_hooks={"response": [_expose_error]}),
    )
    # Other servers, llama.cpp's among them, ignore the newer name of the limit and would write without end.
    newer = str(openai.base_url.host).endswith((".openai.com", ".azure.com"))
    profile = OpenAIModelProfile(openai_chat_supports_max_completion_tokens=newer)
    return openai, OpenAIChatModel(settings.model, provider=OpenAIProvider(openai_client=openai), profile=profile)


async def _expose_error(response: Any) -> None:
    """Give a response of status 200 the status of the error in its body; routers such as OpenRouter send these."""
    if response.status_code != 200 or response.headers.get("Content-Type", "").startswith("text/event-stream"):
        return
    await response.aread()
    try:
        error = response.json()["error"]
    except (ValueError, KeyError, TypeError):
        return
    if error:
        code = error.get("code") if isinstance(error, dict) else None
        response.status_code = code if isinstance(code, int) and 400 <= code < 600 else 400


def _as_pydantic(messages: Sequence[Message], provider: str) -> Iterator[ModelMessage]:
    """Convert messages to pydantic-ai's form; all messages between two messages of the assistant become one request."""
    request_parts: list[ModelRequestPart] = []
    for message in messages:
        if message.role == "assistant":
            if request_parts:
                yield ModelRequest(parts=request_parts)
                request_parts = []
            # llama.cpp's server refuses an assistant's message without text; Anthropic refuses an empty text.
            written = message.text or provider == "openai"
            response_parts: list[ModelResponsePart] = [TextPart(message.text)] if written else []
            response_parts += [ToolCallPart(use.name, use.arguments, use.id) for use in message.uses]
            yield ModelResponse(parts=response_parts)
        elif message.role == "tool" and message.answers is not None:
            request_parts.append(ToolReturnPart(message.answers.name, message.text, message.answers.id))
        elif message.role == "system":
            request_parts.append(SystemPromptPart(message.text))
        else:
            request_parts.append(UserPromptPart(message.text))
    if request_parts:
        yield ModelRequest(parts=request_parts)


def _reply(response: ModelResponse) -> Reply:
    try:
        cost: float | None = float(response.cost().total_price)
    except (LookupError, ValueError, AssertionError):  # no price is known for the model, or no usage was sent
        cost = None
    # As the model wrote them: the session reports what is not JSON.
    calls = [(its, its.args if isinstance(its.args, str) else its.args_as_json_str()) for its in response.tool_calls]
    return Reply(
        text=response.text or "",
        uses=tuple(ToolUse(part.tool_call_id, part.tool_name, arguments) for part, arguments in calls),
        tokens_in=response.usage.input_tokens,
        tokens_out=response.usage.output_tokens,
        cost_usd=cost,
        finish=response.finish_reason or "",
    )
