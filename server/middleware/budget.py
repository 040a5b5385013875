"""The size limit of answers: an answer that is too large loses whole rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from graphground.server.call import Call, Outcome, encode_answer
from graphground.tools.failure import ToolFailure

if TYPE_CHECKING:
    from graphground.tools.tool import Answer


def run_within(most_bytes: int) -> Callable[[Call], Outcome]:
    """Return the last step, which runs the tool and drops rows until the encoded answer fits into `most_bytes`.

    The step raises `ToolFailure` if the answer cannot be made small enough.
    """

    def run(call: Call) -> Outcome:
        assert call.request is not None, "check_arguments runs before"
        answer: Answer = call.tool.run(call.graphs(), call.request)
        payload = encode_answer(answer)
        while len(payload) > most_bytes:
            shorter = answer.shortened(0.95 * most_bytes / len(payload))
            if shorter is None:
                raise ToolFailure(
                    "answer_too_large",
                    f"The answer has {len(payload):,} bytes; the limit of this server is {most_bytes:,}.",
                    next="Request less: a smaller limit, fewer columns, or a max_tokens.",
                )
            answer, payload = shorter, encode_answer(shorter)
        text = answer.as_text()
        return Outcome(payload, payload.decode() if text is None else text)

    return run
