"""Removes secrets from traces: values under secret names, and every copy of a secret that is known.

- A value is left out if its name contains a word such as *password*, *secret*, *token* or *credential*; *key* counts
  for an argument or a parameter, and elsewhere only together with a word such as *api* or *private*. In any text this
  holds for `password = 'x'`, `"token": "x"`, `?token=x`, `NEO4J_PASSWORD=x` and `--password x`.
- The password in an address, a private key in PEM form, and keys with a well-known prefix are left out of every text.
- Secrets of the server's settings, and values left out of the arguments, are also left out of every other text.
- If a query reads a property with a secret name, the cells of its answer are left out.

Texts come from strangers, so every pattern reads each character a bounded number of times.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote, quote_plus

import orjson

from graphground.cypher.names.split import split

LEFT_OUT = "[left out]"
SECRET_WORDS = frozenset(
    {
        *("password", "passwords", "passwd", "passphrase", "passcode", "pwd", "secret", "secrets", "token", "tokens"),
        *("credential", "credentials", "authorization", "bearer", "cookie"),
        *("apikey", "privatekey", "secretkey", "accesskey"),
    }
)
KEY_WORDS = frozenset({"key", "keys"})
KINDS_OF_KEYS = frozenset(
    {"api", "private", "secret", "access", "auth", "authentication", "signing", "encryption", "session", "ssh", "pgp"}
)
MIN_SECRET_CHARACTERS, MAX_FOUND_SECRETS = 4, 50
"""Shorter secrets are not searched for, because they occur by chance. If a call has more secrets than the maximum,
its answer is left out, because it would be searched for each of them."""

HINT = re.compile(
    r"://|pass|pwd|secret|token|credential|bearer|authori[sz]|key|cookie|cursor|eyJ|sk-|gh[oprsu]_|github_pat_|xox|glpat-"
    r"|AKIA|AIza|k_live_|k_test_",
    re.IGNORECASE,
)
"""While no secret is known, a text is searched only if it matches this pattern."""

_NAME = re.compile(
    r"(?<![\w-])(?P<option>--)?(?P<name>[A-Za-z_][\w-]{1,60}+)"
    r"(?P<between>[\\\"'`]{0,8}+\s{0,9}+(?:=>|=~|<>|[=:]|contains\b|starts\s{1,9}+with\b|ends\s{1,9}+with\b|in\b"
    r"|(?<=\s))\s{0,9}+\[?\s{0,9}+(?:(?:basic|bearer)\s{1,9}+)?)",
    re.IGNORECASE,
)
_QUOTED = re.compile(
    r"\"(?P<double>(?:[^\"\\]|\\.)*+)|\\{1,8}+\"(?P<nested>(?:[^\"\\]|\\++[^\"\\])*+)|'(?P<single>(?:[^'\\]|\\.)*+)",
    re.DOTALL,
)
_UNQUOTED = re.compile(r"[^\s'\"`,;&()\[\]{}$|<>\\%]{4,}+")
_IN_ADDRESS = re.compile(r"://(?:[^\s:/@'\"]{0,200}+:[^\s/'\"<>]{1,200}|[^\s:/@'\"]{16,200}+)@")
_KNOWN_FORM = re.compile(
    r"\beyJ[\w-]{8,}+\.[\w.-]++|\b(?:sk-|[sr]k_(?:live|test)_|gh[oprsu]_|github_pat_|xox[a-z]-|glpat-|AKIA|AIza)[\w-]{12,}+"
)
_PRIVATE_KEY = "PRIVATE KEY-----"
_READ = re.compile(r"[.$]\s{0,9}+`?([A-Za-z_]\w{0,60}+)|\[\s{0,9}+['\"]([A-Za-z_][\w-]{0,60}+)")


def is_secret(name: str, *, argument: bool = False) -> bool:
    """Whether a name says that its value is secret.

    >>> is_secret("dbPassword"), is_secret("key", argument=True), is_secret("key"), is_secret("secretary")
    (True, True, False, False)
    """
    words = {word.lower() for word in split(name[:200])}
    return bool(words & SECRET_WORDS) or (bool(words & KEY_WORDS) and (argument or bool(words & KINDS_OF_KEYS)))


class Redactor:
    """The redaction of one call: secrets are removed first from its arguments, then from its answer.

    >>> redactor = Redactor()
    >>> redactor.redact_arguments({"query": "RETURN $pwd AS p", "parameters": {"pwd": "hunter2"}})["parameters"]
    {'pwd': '[left out]'}
    >>> redactor.redact_answer({"columns": ["p"], "rows": [["hunter2"]]}, "RETURN $pwd AS p")["rows"]
    [['[left out]']]
    """

    def __init__(self, known: Iterable[str] = ()) -> None:
        """Remember `known`, the secrets of the server's settings."""
        self._forms: set[str] = set()
        self._found = 0
        for secret in known:
            self._remember(secret)
        self._found = 0

    def redact_arguments(self, arguments: Any) -> Any:
        """Return the arguments of a call without secrets, and remember their secrets for the answer."""
        return self._redact(arguments, argument=True)

    def redact_answer(self, answer: Any, query: str = "") -> Any:
        """Return the answer without secrets; `query` is the query that was run."""
        if self._found > MAX_FOUND_SECRETS:
            return LEFT_OUT
        text = orjson.dumps(answer, default=str, option=orjson.OPT_NON_STR_KEYS).decode()
        if not self._forms and HINT.search(text) is None and HINT.search(query) is None:
            return answer
        if isinstance(answer, Mapping) and isinstance(answer.get("rows"), list):
            if any(is_secret(property or key) for property, key in _READ.findall(query)):
                rows = [[LEFT_OUT] * len(row) if isinstance(row, list) else LEFT_OUT for row in answer["rows"]]
            else:
                rows = [self._redact_row(row, answer.get("columns")) for row in answer["rows"]]
            return {**self._redact({**answer, "rows": []}), "rows": rows}
        return self._redact(answer)

    def redact_text(self, text: str) -> str:
        """Return the text without secrets."""
        if HINT.search(text) is not None:
            text = self._redact_named(text)
            text = _KNOWN_FORM.sub(LEFT_OUT, _IN_ADDRESS.sub(f"://{LEFT_OUT}@", text))
            parts = text.split(_PRIVATE_KEY)
            text = _PRIVATE_KEY.join(LEFT_OUT if place % 2 else part for place, part in enumerate(parts))
        for form in sorted(self._forms, key=len, reverse=True):
            text = text.replace(form, LEFT_OUT)
        return text

    def _redact_named(self, text: str) -> str:
        """Replace the values that a text assigns to secret names or compares with them: `password = 'x'`."""
        parts, start, position = [], 0, 0
        while (found := _NAME.search(text, position)) is not None:
            position = found.end()
            name, between = found["name"], found["between"]
            if not is_secret(name) or name.lower().endswith("file"):
                continue
            assigned = not between.isspace()
            may_be_quoted = assigned or "pass" in name.lower() or "pwd" in name.lower()
            quoted = _QUOTED.match(text, position) if may_be_quoted else None
            value = quoted or _UNQUOTED.match(text, position)
            if value is None:
                continue
            begin, end = value.span(value.lastgroup or 0)
            if quoted is None:
                certain = found["option"] or (assigned and name.isupper())
                certain = certain or text[max(0, found.start() - 1) : found.start()] in ("?", "&", "#")
                # In a query, a value of letters, digits, `_` and `.` may be a variable, a property or a number.
                plain = re.fullmatch(r"[\w.]+", value[0]) or not any(map(str.isdigit, value[0]))
                hidden = not value[0].isdigit() and (certain or (not plain and (assigned or name.lower() == "bearer")))
            else:
                hidden = True
            if hidden and begin < end:
                self._remember(text[begin:end])
                parts += [text[start:begin], LEFT_OUT]
                start = position = end
        return "".join([*parts, text[start:]])

    def _redact_row(self, row: Any, columns: Any) -> Any:
        if not isinstance(row, list) or not isinstance(columns, list):
            return self._redact(row)
        secret = [is_secret(str(column)) for column in columns] + [False] * len(row)
        return [self._hide(cell) if hidden else self._redact(cell) for cell, hidden in zip(row, secret, strict=False)]

    def _redact(self, value: Any, *, argument: bool = False) -> Any:
        if isinstance(value, str):
            return self.redact_text(value)
        if isinstance(value, Mapping):
            return {
                self.redact_text(str(key)): f"{item[:4]}…"  # with the whole cursor, others could fetch the rows
                if key == "cursor" and isinstance(item, str)
                else self._hide(item)
                if is_secret(str(key), argument=argument) and not isinstance(item, int | float)
                else self._redact(item, argument=argument)
                for key, item in value.items()
            }
        if isinstance(value, list | tuple):
            return [self._redact(item, argument=argument) for item in value]
        return value

    def _hide(self, value: Any) -> Any:
        """Return the text that replaces a secret value (None for None); remember its texts for other places."""
        waiting = [value]
        while waiting:
            item = waiting.pop()
            if isinstance(item, str):
                self._remember(item)
            elif isinstance(item, Mapping | list | tuple):
                waiting += item.values() if isinstance(item, Mapping) else item
        return None if value is None else LEFT_OUT

    def _remember(self, secret: str) -> None:
        """Remember a secret, also as addresses, HTML, JSON and JSON in JSON write it."""
        if len(secret) < MIN_SECRET_CHARACTERS or secret in self._forms or secret in LEFT_OUT:
            return
        self._found += 1
        if self._found > MAX_FOUND_SECRETS:
            return
        text = secret.encode(errors="replace").decode()
        self._forms |= {secret, quote(text, safe=""), quote(text), quote_plus(text), html.escape(text)}
        for is_ascii in (True, False):
            inner = json.dumps(text, ensure_ascii=is_ascii)[1:-1]
            self._forms |= {inner, json.dumps(inner, ensure_ascii=is_ascii)[1:-1]}
