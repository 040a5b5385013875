"""Removes secrets from traces: values under secret names, and every copy of a secret that is known.

- A value is left out if its name contains a word such as *password*, *secret*, *token* or *credential*, or *key* after
  a word such as *api* or *private*. In any text this holds for `password = 'x'`, `"token": "x"`, `?token=x`,
  `NEO4J_PASSWORD=x` and `x-api-key: x1`.
- The password in an address, the key of an `Authorization` header, a private key, and keys with a well-known prefix are
  left out of every text.
- Secrets of the server's settings, and values left out of the arguments, are also left out of every other text.
- If a query reads a property with a secret name, the cells of its answer are left out.

Texts come from strangers, so every pattern reads each character a bounded number of times.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote, quote_plus

LEFT_OUT = "[left out]"
MIN_SECRET_CHARACTERS, MAX_FOUND_FORMS = 4, 200
"""Shorter secrets are not searched for, because they occur by chance. If a call has secrets in more forms than the
maximum, its answer is left out, because it would be searched for each of them."""

_WORD = (
    r"(?:(?<![A-Za-z])|(?<=[a-z])(?=[A-Z]))(?i:passw(?:or)?ds?|passphrase|passcode|pwd|secrets?|tokens?|credentials?"
    r"|authorization|bearer|cookie|(?:api|private|secret|access|auth|signing|encryption|session|ssh)[_ -]?keys?)(?![a-z])"
)
_SECRET_NAME = re.compile(_WORD)
_QUOTED = re.compile(
    rf"(?P<before>{_WORD}[\w-]{{0,60}}+(?:[\\\"'`]{{0,8}}+\s{{0,9}}+(?:=>|=~|<>|[:=]|(?i:contains|in|(?:starts|ends)\s{{1,9}}with)\b)"
    r"|(?<=(?i:password))(?=\s))\s{0,9}+\[?\s{0,9}+(?P<quote>\\{0,8}+[\"']))"
    # The value may be cut off, so that its closing quote, which has as many backslashes as the opening, is missing.
    r"(?P<value>.+?)(?=(?<!\\)(?P=quote)|\Z)",
    re.DOTALL,
)
# Without quotes, the value in `{token: x}` or `a.token=x` may be a variable of a query.
_PLAIN = re.compile(
    rf"(?P<before>(?<!\.){_WORD}[\w-]{{0,60}}+(?:=|:\s?(?=[\w=-]{{0,200}}\d)))(?!\d+\b)"
    r"(?P<value>[^\s'\"`,;&()\[\]{}$|<>\\%]{4,}+)"
)
_FORMS = re.compile(
    r"(?<=://)(?:[^\s:/@'\"]{0,200}+:[^\s/'\"<>]{1,200}|[^\s:/@'\"]{16,200}+)(?=@)"  # the password in an address
    r"|(?<=-----)(?=BEGIN [A-Z ]{0,30}PRIVATE KEY).*?(?=-----END|\Z)|\b(?i:basic|bearer)\s(?=\S{0,200}[\d=])[\w.+/=~-]{8,}+"
    r"|\beyJ[\w-]{8,}+\.[\w.-]++|\b(?:sk-|[sr]k_(?:live|test)_|gh[oprsu]_|github_pat_|glpat-|AKIA|AIza)[\w-]{12,}+",
    re.DOTALL,
)
_READ = re.compile(rf"(?:[.$]\s{{0,9}}+`?|\[\s{{0,9}}+['\"])[\w-]{{0,60}}?{_WORD}")


def is_secret(name: str) -> bool:
    """Whether a name says that its value is secret.

    >>> is_secret("dbPassword"), is_secret("api_key"), is_secret("key"), is_secret("secretary")
    (True, True, False, False)
    """
    return _SECRET_NAME.search(name[:200]) is not None


class Redactor:
    """The redaction of one call: secrets are removed first from its arguments, then from its answer.

    >>> redactor = Redactor()
    >>> redactor.redact({"query": "RETURN $pwd AS p", "parameters": {"pwd": "hunter2"}})["parameters"]
    {'pwd': '[left out]'}
    >>> redactor.redact_answer({"columns": ["p"], "rows": [["hunter2"]]}, "RETURN $pwd AS p")["rows"]
    [['[left out]']]
    """

    def __init__(self, known: Iterable[str] = ()) -> None:
        """Remember `known`, the secrets of the server's settings."""
        self._forms: set[str] = set()
        self._most_forms: float = float("inf")
        for secret in known:
            self._remember(secret)
        self._most_forms = len(self._forms) + MAX_FOUND_FORMS

    def redact(self, value: Any, *, hidden: bool = False) -> Any:
        """Return a value without secrets, and remember those that it holds; all texts are secrets if it is `hidden`."""
        if isinstance(value, str):
            if hidden:
                self._remember(value)
                return LEFT_OUT
            text = _FORMS.sub(LEFT_OUT, _PLAIN.sub(self._replace, _QUOTED.sub(self._replace, value)))
            for form in sorted(self._forms, key=len, reverse=True):
                text = text.replace(form, LEFT_OUT)
            return text
        if isinstance(value, Mapping):
            return {
                self.redact(str(key)): f"{item[:4]}…"  # with the whole cursor, others could fetch the rows
                if key == "cursor" and isinstance(item, str)
                else self.redact(item, hidden=hidden or is_secret(str(key)))
                for key, item in value.items()
            }
        return [self.redact(item, hidden=hidden) for item in value] if isinstance(value, list | tuple) else value

    def redact_answer(self, answer: Any, query: str = "") -> Any:
        """Return the answer without secrets; `query` is the query that was run."""
        if len(self._forms) > self._most_forms:
            return LEFT_OUT
        rows = answer.get("rows") if isinstance(answer, Mapping) else None
        if not isinstance(rows, list):
            return self.redact(answer)
        reads_secret = _READ.search(query) is not None
        columns = [reads_secret or is_secret(str(column)) for column in answer.get("columns") or ()]
        shown = []
        for row in rows:
            cells = row if isinstance(row, list) else [row]
            hidden = columns + [reads_secret] * len(cells)
            shown.append([LEFT_OUT if hide else self.redact(cell) for cell, hide in zip(cells, hidden, strict=False)])
        return {**self.redact({**answer, "rows": []}), "rows": shown}

    def _replace(self, found: re.Match[str]) -> str:
        self._remember(found["value"])
        return found["before"] + LEFT_OUT

    def _remember(self, secret: str) -> None:
        """Remember a secret, also as addresses and JSON write it."""
        if len(secret) >= MIN_SECRET_CHARACTERS and secret not in LEFT_OUT and len(self._forms) <= self._most_forms:
            encoded = quote(secret, "", errors="replace"), quote_plus(secret, errors="replace")
            self._forms |= {secret, *encoded, json.dumps(secret, ensure_ascii=False)[1:-1]}
