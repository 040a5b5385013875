"""Removes secrets from traces: values under secret names, and every copy of a secret that is known.

- A value is left out if its name contains a word such as *password*, *secret*, *token* or *credential*; *key* counts
  for an argument or a parameter, and elsewhere only together with a word such as *api* or *private*. In any text this
  holds for `password = 'x'`, `"token": "x"`, `?token=x`, `NEO4J_PASSWORD=x` and `--password x`.
- The password in an address, a private key, and keys with a well-known prefix are left out of every text.
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

from graphground.cypher.names.words import split

LEFT_OUT = "[left out]"
SECRET_WORD = re.compile(
    r"passw(?:or)?ds?|passphrase|passcode|pwd|secrets?|tokens?|credentials?|authorization|bearer|cookie"
    r"|(?:api|private|secret|access)key"
)
KEY_KIND = re.compile(r"api|private|secret|access|auth|authentication|signing|encryption|session|ssh|pgp")
MIN_SECRET_CHARACTERS, MAX_FOUND_SECRETS = 4, 50
"""Shorter secrets are not searched for, because they occur by chance. If a call has more secrets than the maximum,
its answer is left out, because it would be searched for each of them."""

_NAMED = re.compile(
    r"(?<![\w-])(?P<option>--)?(?P<name>[A-Za-z_][\w-]{1,60}+)"
    r"(?P<between>[\\\"'`]{0,8}+\s{0,9}+(?:=>|=~|<>|[=:]|contains\b|starts\s{1,9}+with\b|ends\s{1,9}+with\b|in\b"
    r"|(?<=\s))\s{0,9}+\[?\s{0,9}+(?:(?:basic|bearer)\s{1,9}+)?)"
    # The value may be cut off, so that its closing quote, which has as many backslashes as the opening, is missing.
    r"(?:(?P<quote>\\{0,8}+[\"'])(?P<quoted>.*?)(?:(?<!\\)(?P=quote)|\Z)|(?P<plain>[^\s'\"`,;&()\[\]{}$|<>\\%]{4,}+))",
    re.IGNORECASE | re.DOTALL,
)
_OTHERS = re.compile(
    r"(?<=://)(?:[^\s:/@'\"]{0,200}+:[^\s/'\"<>]{1,200}|[^\s:/@'\"]{16,200}+)(?=@)"  # the password in an address
    r"|\beyJ[\w-]{8,}+\.[\w.-]++|\b(?:sk-|[sr]k_(?:live|test)_|gh[oprsu]_|github_pat_|glpat-|AKIA|AIza)[\w-]{12,}+"
)
_PRIVATE_KEY = re.compile(r"(-----BEGIN [A-Z ]{0,30}?PRIVATE KEY-----).*?(?=-----END|\Z)", re.DOTALL)
_READ = re.compile(r"[.$]\s{0,9}+`?([A-Za-z_]\w{0,60}+)|\[\s{0,9}+['\"]([A-Za-z_][\w-]{0,60}+)")


def is_secret(name: str, *, argument: bool = False) -> bool:
    """Whether a name says that its value is secret.

    >>> is_secret("dbPassword"), is_secret("key", argument=True), is_secret("key"), is_secret("secretary")
    (True, True, False, False)
    """
    words = [word.lower() for word in split(name[:200])]
    if any(map(SECRET_WORD.fullmatch, words)):
        return True
    return ("key" in words or "keys" in words) and (argument or any(map(KEY_KIND.fullmatch, words)))


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
        if isinstance(answer, Mapping) and isinstance(answer.get("rows"), list):
            if any(is_secret(property or key) for property, key in _READ.findall(query)):
                rows = [[LEFT_OUT] * len(row) if isinstance(row, list) else LEFT_OUT for row in answer["rows"]]
            else:
                rows = [self._redact_row(row, answer.get("columns")) for row in answer["rows"]]
            return {**self._redact({**answer, "rows": []}), "rows": rows}
        return self._redact(answer)

    def redact_text(self, text: str) -> str:
        """Return the text without secrets."""
        text = _PRIVATE_KEY.sub(rf"\1{LEFT_OUT}", _OTHERS.sub(LEFT_OUT, self._redact_named(text)))
        for form in sorted(self._forms, key=len, reverse=True):
            text = text.replace(form, LEFT_OUT)
        return text

    def _redact_named(self, text: str) -> str:
        """Replace the values that a text assigns to secret names or compares with them: `password = 'x'`."""
        parts, start, position = [], 0, 0
        while (found := _NAMED.search(text, position)) is not None:
            place = "quoted" if found["quote"] else "plain"
            position = found.start(place)
            if self._holds_secret(found, text[max(0, found.start() - 1) : found.start()]):
                self._remember(found[place])
                parts += [text[start:position], LEFT_OUT]
                start = position = found.end(place)
        return "".join([*parts, text[start:]])

    @staticmethod
    def _holds_secret(found: re.Match[str], before: str) -> bool:
        """Whether a name is secret and its value could be one; in a query, a plain word may be a variable."""
        name, value, assigned = found["name"], found["plain"], not found["between"].isspace()
        if not is_secret(name) or name.lower().endswith("file"):
            return False
        if value is None:
            return bool(found["quoted"]) and (assigned or "pass" in name.lower() or "pwd" in name.lower())
        if value.isdigit():
            return False
        if found["option"] or before in ("?", "&", "#") or (assigned and name.isupper()):
            return True
        is_word = re.fullmatch(r"[\w.]+", value) or not any(map(str.isdigit, value))
        return not is_word and (assigned or name.lower() == "bearer")

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
