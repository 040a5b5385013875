"""The pause that a busy HTTP server requests."""

from __future__ import annotations

import datetime
import email.utils


def retry_after(value: str | None) -> float:
    """Return the wait in seconds that a Retry-After header states, as a number or a date; 0 without a valid header."""
    if not value:
        return 0.0
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        moment = email.utils.parsedate_to_datetime(value)
    except (TypeError, ValueError):
        return 0.0
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=datetime.UTC)
    return max(0.0, (moment - datetime.datetime.now(datetime.UTC)).total_seconds())
