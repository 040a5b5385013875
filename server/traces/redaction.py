"""Removes secrets from traces. These rules hold for the arguments and the answer of a call:

- A value is left out if its name contains a word such as *password*, *passphrase*, *secret*, *token*, *credential* or
  *authorization*; *key* counts for an argument or a query's parameter, and elsewhere only together with a word such as
  *api* or *private*. Numbers under names such as `max_tokens` are counts and are kept.
- A column is left out if it is computed from a property or parameter with such a name, even under another name.
- In any text, these are left out: the password in an address, even in a percent-encoded address, a bearer token, a JSON
  Web Token, the value of a header such as `Cookie`, a private key, a key with a well-known prefix, and a value that is
  assigned to a secret name or compared with it (`password = 'x'`, `?token=x`, `NEO4J_PASSWORD=x`, `--password x`).
- Secrets of the server's settings, and values left out of the arguments, are also left out of every other text, both
  unchanged and in the forms that JSON, HTML and addresses give them.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import quote, quote_plus

import orjson

from graphground.cypher import CypherSyntaxError, parse
from graphground.cypher import tree as t
from graphground.cypher.names.split import split

LEFT_OUT = "[left out]"
SECRET_WORDS = frozenset(
    {
        *("password", "passwords", "passwd", "passphrase", "passcode", "pwd", "secret", "secrets", "token"),
        *("credential", "credentials", "authorization", "bearer", "apikey", "privatekey", "secretkey", "accesskey"),
    }
)
KEY_WORDS = frozenset({"key", "keys"})
KINDS_OF_KEYS = frozenset(
    {"api", "private", "secret", "access", "auth", "authentication", "signing", "encryption", "session", "ssh", "pgp"}
)
SHORTEST = 4
"""The minimum number of characters of a secret that is searched for in other texts; shorter ones occur by chance."""

HINT = re.compile(
    rb"://|pass|pwd|secret|token|credential|bearer|authori[sz]|key|cursor|cookie|eyJ|sk-|k_live_|k_test_|gh[oprsu]_"
    rb"|github_pat_|xox[a-z]-|glpat-|hf_|npm_|ya29\.|AKIA|ASIA|AIza|%3A%2F%2F",
    re.IGNORECASE,
)
"""A quick test: while no secret is known, an answer is searched only if the answer
or its query matches this pattern."""

_ADDRESS = re.compile(r"(://[^\s:/@'\"]{0,200}):([^\s'\"<>]{1,300})@")
_TOKEN_IN_ADDRESS = re.compile(r"(://)([^\s:/@'\"]{16,300})@")
_BEARER = re.compile(r"(\bbearer\s{1,4})((?=[\w.~+/=-]*\d)[\w.~+/=-]{8,}|[\w.~+/=-]{20,})", re.IGNORECASE)
_KNOWN_FORM = re.compile(
    r"\beyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*)?"
    r"|\b(?:sk-|[sr]k_(?:live|test)_|gh[oprsu]_|github_pat_|xox[a-z]-|glpat-|ya29\.|AKIA|ASIA|AIza)[\w-]{12,}"
    r"|\b(?:hf|npm)_(?=\w*\d)[A-Za-z0-9]{20,}"
)
_PRIVATE_KEY = re.compile(
    r"(-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----).{0,5000}?(-----END [A-Z ]{0,30}PRIVATE KEY-----)", re.DOTALL
)
_ENCODED_ADDRESS = re.compile(r"(%3A%2F%2F[^\s:/@'\"%]{0,200}%3A)((?:(?!%40)[^\s'\"<>]){1,300})(%40)", re.IGNORECASE)
_HEADER = re.compile(
    r"\b((?:proxy-)?authorization|x-api-key|api-key|x-auth-token|(?:set-)?cookie)(\\?[\"']?\s{0,3}:\s{0,3}\\?[\"']?"
    r"(?:basic\s{1,3})?)(?!bearer\b)((?=[^\s'\",]*[\d=])[^\s'\",]{6,500})",
    re.IGNORECASE,
)
_AFTER_PASSWORD = re.compile(
    r"(\b(?:password|passphrase|passcode|pwd)\s{1,3})('[^']{1,300}'|\"[^\"]{1,300}\")", re.IGNORECASE
)
_ENVIRONMENT = re.compile(r"\b(?P<name>[A-Z][A-Z0-9_]{2,100}+)(?P<between>=)(?P<value>[^\s'\"`;,\])}]{4,300})")
_OPTION = re.compile(
    r"(?<![\w-])(?P<before>--)(?P<name>[a-z][\w-]{1,100}+)(?P<between>=|\s{1,3})(?P<value>[^\s'\"`\-][^\s'\"`]{3,300})"
)
_UNQUOTED = re.compile(
    r"(?<![\w-])(?P<name>(?=[\w-]{0,100}?(?:pass|pwd|secret|token|credential|key))[A-Za-z_][\w-]{1,100}+)"
    r"(?P<between>\s{0,3}[=:]\s{0,3})(?P<value>[^\s,;&()\[\]{}'\"`$|]{6,300})",
    re.IGNORECASE,
)
_IDENTIFIER = re.compile(r"[\w.]+")
_NAMED = re.compile(
    r"(?<![\w-])(?P<name>[A-Za-z_][\w-]{1,200}+)"
    r"(?P<between>\\{0,7}[\"'`]?\s{0,5}(?:=>|=~|<>|[=:]|\bcontains\b|\bstarts\s{1,3}with\b|\bends\s{1,3}with\b|\bin\b)\s{0,5}(?:\[\s{0,3})?)"
    r"(?P<value>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|\\{1,7}\"(?:[^\"\\]|\\{1,7}+[^\"])*\\{1,7}\")",
    re.IGNORECASE | re.DOTALL,
)
_IN_ADDRESS = re.compile(
    r"(?P<between>[?&;#]|%3F|%26|%3B|%23)(?P<name>[A-Za-z_][\w-]{1,200}+)(?P<equals>=|%3D)"
    r"(?P<value>(?:(?!%26|%23)[^\s&;#'\"]){1,300})",
    re.IGNORECASE,
)


def is_secret(name: str, *, argument: bool = False) -> bool:
    """Whether a name says that its value is secret.

    >>> is_secret("dbPassword"), is_secret("key", argument=True), is_secret("key"), is_secret("secretary")
    (True, True, False, False)
    """
    words = [word.lower() for word in split(name)]
    if SECRET_WORDS.intersection(words) or "tokens" in words:
        return True
    return bool(KEY_WORDS.intersection(words)) and (argument or bool(KINDS_OF_KEYS.intersection(words)))


class Redactor:
    """The redaction of one call: secrets are removed first from its arguments, then from its answer.

    >>> redactor = Redactor()
    >>> redactor.arguments({"query": "RETURN $pwd AS p", "parameters": {"pwd": "hunter2"}})["parameters"]
    {'pwd': '[left out]'}
    >>> redactor.answer({"columns": ["p"], "rows": [["hunter2"]]}, "RETURN $pwd AS p")["rows"]
    [['[left out]']]
    """

    def __init__(self, known: Iterable[str] = ()) -> None:
        """Remember `known`, the secrets of the server's settings, except texts shorter than `SHORTEST`."""
        self._found: set[str] = set()
        for secret in known:
            self._remember(secret)

    def _remember(self, secret: str) -> None:
        """Remember a secret in all its `forms`, which are removed from all further texts."""
        if len(secret) >= SHORTEST:
            self._found |= forms(secret)

    def arguments(self, arguments: Any) -> Any:
        """Return the arguments without secrets, and remember the secrets for `answer`."""
        return self._value(arguments, argument=True)

    def answer(self, answer: Any, query: str = "", encoded: bytes | None = None) -> Any:
        """Return the answer without secrets; `query` is the query that was run, `encoded` the answer as JSON."""
        text = encoded if encoded is not None else orjson.dumps(answer, default=str)
        if not self._found and HINT.search(text) is None and HINT.search(query.encode(errors="replace")) is None:
            return answer
        if isinstance(answer, Mapping) and isinstance(answer.get("rows"), list) and "columns" in answer:
            rows = self._rows(answer["rows"], answer["columns"], query)
            return {**self._value({**answer, "rows": []}, argument=False), "rows": rows}
        return self._value(answer, argument=False)

    def text(self, text: str) -> str:
        """Return the text without secrets."""
        text = _NAMED.sub(self._named, text)
        text = _IN_ADDRESS.sub(self._named_in_address, text)
        text = _ADDRESS.sub(rf"\1:{LEFT_OUT}@", text)
        text = _TOKEN_IN_ADDRESS.sub(rf"\1{LEFT_OUT}@", text)
        text = _ENCODED_ADDRESS.sub(rf"\1{LEFT_OUT}\3", text)
        text = _BEARER.sub(rf"\1{LEFT_OUT}", text)
        text = _HEADER.sub(rf"\1\2{LEFT_OUT}", text)
        text = _PRIVATE_KEY.sub(rf"\1{LEFT_OUT}\2", text)
        text = _AFTER_PASSWORD.sub(self._after_password, text)
        text = _OPTION.sub(self._unquoted, text)
        text = _ENVIRONMENT.sub(self._unquoted, text)
        text = _UNQUOTED.sub(self._unquoted_value, text)
        text = _KNOWN_FORM.sub(LEFT_OUT, text)
        for secret in sorted(self._found, key=len, reverse=True):
            text = text.replace(secret, LEFT_OUT)
        return text

    def _rows(self, rows: Sequence[Any], columns: Sequence[str], query: str) -> list[Any]:
        secret = secret_columns(query) if query else frozenset()
        hidden = [is_secret(column) or column in secret for column in columns]
        return [
            [
                self._hidden(cell) if place < len(hidden) and hidden[place] else self._value(cell, argument=False)
                for place, cell in enumerate(row)
            ]
            if isinstance(row, list | tuple)
            else self._value(row, argument=False)
            for row in rows
        ]

    def _value(self, value: Any, *, argument: bool) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {
                self.text(str(key)): self._cursor(item)
                if key == "cursor"
                else self._hidden(item)
                if is_secret(str(key), argument=argument) and not _is_count(str(key), item)
                else self._value(item, argument=argument)
                for key, item in value.items()
            }
        if isinstance(value, list | tuple):
            return [self._value(item, argument=argument) for item in value]
        return value

    def _hidden(self, value: Any) -> Any:
        """Return the text that replaces a secret value (None for None); remember the value, to remove it elsewhere."""
        if value is None:
            return None
        for text in _texts(value):
            self._remember(text)
        return LEFT_OUT

    def _cursor(self, value: Any) -> Any:
        """Return the first characters of a cursor; with the whole cursor, others could fetch the rows."""
        return f"{value[:4]}…" if isinstance(value, str) else value

    def _named(self, found: re.Match[str]) -> str:
        if not is_secret(found["name"]):
            return found[0]
        quotes = len(found["value"]) - len(found["value"].lstrip("\\")) + 1
        self._remember(found["value"][quotes:-quotes])
        return f"{found['name']}{found['between']}{found['value'][:quotes]}{LEFT_OUT}{found['value'][-quotes:]}"

    def _after_password(self, found: re.Match[str]) -> str:
        self._remember(found[2][1:-1])
        return f"{found[1]}{found[2][0]}{LEFT_OUT}{found[2][-1]}"

    def _unquoted(self, found: re.Match[str]) -> str:
        """Replace the value of a secret option or variable, unless its name says that it is a file or a count."""
        name, value = found["name"].lower(), found["value"]
        counted = "tokens" in name and value.isdigit()
        if not is_secret(found["name"]) or name.endswith("file") or counted or LEFT_OUT.startswith(value):
            return found[0]
        self._remember(found["value"])
        return found[0][: -len(found["value"])] + LEFT_OUT

    def _unquoted_value(self, found: re.Match[str]) -> str:
        """Replace an unquoted value of a secret name, unless it may be a part of a query.

        A value without a digit, or with only letters, digits, `_` and `.`, may be a variable, a property or a number.
        """
        if _IDENTIFIER.fullmatch(found["value"]) or not any(map(str.isdigit, found["value"])):
            return found[0]
        return self._unquoted(found)

    def _named_in_address(self, found: re.Match[str]) -> str:
        if not is_secret(found["name"], argument=True):
            return found[0]
        return f"{found['between']}{found['name']}{found['equals']}{LEFT_OUT}"


def forms(secret: str) -> set[str]:
    """Return a secret unchanged, and in the forms that addresses, HTML, JSON and JSON in JSON give it.

    >>> sorted(forms('p"a/s'))
    ['p"a/s', 'p%22a%2Fs', 'p%22a/s', 'p&quot;a/s', 'p\\\\"a/s', 'p\\\\\\\\\\\\"a/s']
    """
    text = secret.encode(errors="replace").decode()
    found = {secret, quote(text, safe=""), quote(text), quote(text, safe="!'()*"), quote_plus(text), html.escape(text)}
    for ascii_alone in (True, False):
        inner = json.dumps(text, ensure_ascii=ascii_alone)[1:-1]
        found |= {inner, json.dumps(inner, ensure_ascii=ascii_alone)[1:-1]}
    return found


def secret_columns(query: str) -> Collection[str]:
    """Return the columns of a query that are computed from a property or a parameter with a secret name.

    >>> sorted(secret_columns("MATCH (u:User) WITH u.password AS p, u.name AS n RETURN toUpper(p) AS shown, n"))
    ['p', 'shown']
    """
    if HINT.search(query.encode(errors="replace")) is None:
        return frozenset()
    try:
        tree = parse(query)
    except (CypherSyntaxError, RecursionError):
        return frozenset()
    secret: set[str] = set()
    for clause in tree.find(t.Node):
        match clause:
            case t.ReturnItem(expression=source, name=name):
                if _depends(source, secret):
                    secret.add(clause.alias.name if clause.alias is not None else name)
            case t.Unwind(source=source, variable=variable):
                if _depends(source, secret):
                    secret.add(variable.name)
    return secret


def _depends(expression: t.Node, secret: Collection[str]) -> bool:
    return any(
        (isinstance(node, t.Property) and is_secret(node.key.text))
        or (isinstance(node, t.Subscript) and isinstance(node.index, t.StringLiteral) and is_secret(node.index.value))
        or (isinstance(node, t.Parameter) and is_secret(node.name, argument=True))
        or (isinstance(node, t.Variable) and node.name in secret)
        for node in expression.walk()
    )


def _is_count(name: str, value: Any) -> bool:
    """Whether a value is a number of tokens: `max_tokens: 2000`."""
    return "tokens" in name.lower() and isinstance(value, int | float)


def _texts(value: Any) -> Iterable[str]:
    if isinstance(value, Mapping):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, str):
        yield value
