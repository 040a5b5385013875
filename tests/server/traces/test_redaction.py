"""Traces contain no secret: secrets are recognised by name, by form, and as copies of a known secret."""

from __future__ import annotations

import html
import json
import random
import string
import time
from typing import Any
from urllib.parse import quote, quote_plus

import orjson
import pytest

from graphground.server.traces.redaction import LEFT_OUT, Redactor, is_secret, secret_columns

SECRET_NAMES = [
    "password", "user_password", "dbPassword", "PASSWD", "pwd", "passphrase", "api_key", "apiKey", "APIKey", "token",
    "accessToken", "refresh_token", "client-secret", "privateKey", "credentials", "Authorization", "bearerToken",
    "ssh key", "secret",
]  # fmt: skip
PLAIN_NAMES = ["name", "keyword", "monkey", "secretary", "tokenized", "compass", "passenger", "bypass", "title"]


@pytest.mark.parametrize("name", SECRET_NAMES)
def test_a_value_under_a_secret_name_is_left_out_at_any_depth(name: str) -> None:
    shown = Redactor().arguments({"parameters": {"users": [{"name": "Ada", name: "correct horse"}]}})
    assert shown["parameters"]["users"][0] == {"name": "Ada", name: LEFT_OUT}


@pytest.mark.parametrize("name", PLAIN_NAMES)
def test_values_under_names_that_merely_contain_a_secret_word_are_shown(name: str) -> None:
    assert not is_secret(name, argument=True)
    assert Redactor().arguments({name: "Ada"}) == {name: "Ada"}


def test_a_parameter_named_key_is_secret_but_a_column_named_key_is_not() -> None:
    redactor = Redactor()
    assert redactor.arguments({"parameters": {"key": "8f14e45f"}}) == {"parameters": {"key": LEFT_OUT}}
    answer = {"columns": ["key"], "rows": [["C major"]]}
    assert Redactor().answer(answer) == answer


def test_token_counts_and_empty_values_are_not_secrets() -> None:
    arguments = {"max_tokens": 2000, "token": None}
    assert Redactor().arguments(arguments) == arguments


TEXTS = [
    "neo4j://ada:correct-horse@graphs.example:7687",
    "bolt+s://ada:correct-horse@[::1]:7687/db",
    "https://correct-horse-battery-staple@git.example/x",
    "http://h.example/?q=1&access_token=correct-horse&x=2",
    "Authorization: Bearer correct-horse-1-battery",
    "eyJhbGciOiJIUzI1NiJ9.correct-horse.c2lnbmF0dXJl",
    "sk-correct-horse-battery",
    "MATCH (u:User {password: 'correct-horse'}) RETURN u",
    'MATCH (u) WHERE u.apiKey = "correct-horse" RETURN u',
    "MATCH (u) WHERE u.secret STARTS WITH 'correct-horse' RETURN u",
    '{"password": "correct-horse"}',
    'in JSON in JSON: {\\"password\\": \\"correct-horse\\"}',
    'in JSON in JSON in JSON: {\\\\\\"password\\\\\\": \\\\\\"correct-horse\\\\\\"}',
    '{"password": ["correct-horse"]}',
    "https://h.example/#access_token=correct-horse-9",
    "https://login.example/?to=bolt%3A%2F%2Fada%3Acorrect-horse-9%40graphs.example",
    "https%3A%2F%2Fh.example%2F%3Fpassword%3Dcorrect-horse-9%26x%3D1",
    "NEO4J_PASSWORD=correct-horse graphground serve",
    "export OPENAI_API_KEY=correct-horse",
    "graphground serve --password correct-horse",
    "graphground serve --token=correct-horse",
    "password=correct-horse-9",
    "client_secret: correct-horse-9",
    "Authorization: Basic correct-horse9=",
    "x-api-key: correct-horse-9",
    "Cookie: session=correct-horse-9",
    "ALTER USER ada SET PASSWORD 'correct-horse'",
    "the password 'correct-horse' is wrong",
    "password => 'correct-horse'",
    "-----BEGIN PRIVATE KEY-----\ncorrect-horse\n-----END PRIVATE KEY-----",
    "ghs_correct-horse-battery-staple",
    "sk_live_correct-horse-battery",
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_secret_in_a_text_is_removed_and_the_rest_is_kept(text: str) -> None:
    text = f"Before it: {text} and after it."
    for shown in (Redactor().text(text), Redactor().arguments({"question": text})["question"]):
        assert "correct-horse" not in shown
        assert LEFT_OUT in shown
        assert shown.startswith("Before it: ")
        assert shown.endswith(" and after it.")


ORDINARY = [
    "MATCH (s:Secretary {name: 'Ada'}) RETURN s.name",
    "MATCH (n) WHERE n.name = 'http://example.org/a' RETURN n ORDER BY n.keyword LIMIT 5",
    "Who is the bearer of the ring?",
    "basic information about the token economy",
    "MATCH (u) WHERE u.password = $given RETURN u.name",
    "mailto:ada@example.org",
    "MATCH (a)-[:R]->(b) WHERE a.token=b.token2 AND a.password = b.password RETURN {password: b.pwd1, token: size(b.x)}",
    "Unexpected token 'RETURN' at line 1",
    "the token: a story in 12 parts",
    "serve --token-file /etc/tokens --max-tokens 2000",
    "MATCH (n) WHERE n.since=date('2024-01-01') AND n.secret=$given RETURN n.key1-n.key2 AS x -- no secret",
    "a cookie: chocolate",
]


@pytest.mark.parametrize("secret", ["p@ss/w:rd&x", 'quo"te\\back é', "per%20cent", "<tag>'s"])
def test_a_known_secret_is_removed_in_every_encoding(secret: str) -> None:
    encoded = json.dumps({"a": secret})
    for form in (secret, quote(secret, safe=""), quote(secret), quote_plus(secret), html.escape(secret), encoded):
        shown = Redactor([secret]).text(f"<{form}>")
        assert LEFT_OUT in shown, form
        assert Redactor([secret]).text(f"<{json.dumps(form)}>") != json.dumps(form)
    nested = json.dumps({"b": encoded, "c": json.dumps({"d": secret}, ensure_ascii=False)}, ensure_ascii=False)
    assert Redactor([secret]).text(nested).count(LEFT_OUT) == 2


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_is_unchanged(text: str) -> None:
    assert Redactor().text(text) == text


def test_a_secret_removed_from_the_arguments_is_removed_from_the_answer_too() -> None:
    redactor = Redactor()
    query = "MATCH (u {password: 'hunter2-x'}) RETURN u.name AS n, $pin AS p"
    redactor.arguments({"query": query, "parameters": {"pinSecret": "tr0ub4dor"}})
    answer = {
        "columns": ["n", "p"],
        "rows": [["hunter2-x", "tr0ub4dor"], ["Ada", 3]],
        "diagnostics": [{"message": "There is no 'hunter2-x'.", "suggestions": ["tr0ub4dor"]}],
    }
    shown = orjson.dumps(redactor.answer(answer, query)).decode()
    assert "hunter2-x" not in shown
    assert "tr0ub4dor" not in shown
    assert "Ada" in shown


def test_the_secrets_of_the_settings_are_removed_everywhere() -> None:
    redactor = Redactor(["xK7-pass", ""])
    assert redactor.answer({"message": "refused: ada / xK7-pass"}) == {"message": f"refused: ada / {LEFT_OUT}"}


@pytest.mark.parametrize(
    ("query", "columns", "row", "shown"),
    [
        ("MATCH (u) RETURN u.password AS p, u.name", ["p", "u.name"], ["hunter2", "Ada"], [LEFT_OUT, "Ada"]),
        ("MATCH (u) RETURN u.password", ["u.password"], ["hunter2"], [LEFT_OUT]),
        ("MATCH (u) WITH u.api_key AS a RETURN toUpper(a) AS b", ["b"], ["HUNTER2"], [LEFT_OUT]),
        ("MATCH (u) UNWIND u.tokens AS x RETURN x", ["x"], ["hunter2"], [LEFT_OUT]),
        ("MATCH (u) RETURN collect({p: u['secret']}) AS all", ["all"], [[{"p": "hunter2"}]], [LEFT_OUT]),
        ("RETURN $token AS t", ["t"], ["hunter2"], [LEFT_OUT]),
        ("MATCH (u) RETURN u", ["u"], [{"properties": {"password": "hunter2", "name": "Ada"}}], None),
        ("MATCH (u) RETURN u.name AS n", ["n"], ["Ada"], ["Ada"]),
    ],
)
def test_a_column_computed_from_a_secret_property_is_removed_whatever_its_name(
    query: str, columns: list[str], row: list[Any], shown: list[Any] | None
) -> None:
    [cells] = Redactor().answer({"columns": columns, "rows": [row]}, query)["rows"]
    assert shown is None or cells == shown
    assert "hunter2" not in str(cells).lower()


def test_a_query_that_cannot_be_parsed_has_no_secret_columns() -> None:
    assert not secret_columns("MATCH (u RETURN u.password AS p")


def test_the_beginning_of_a_cursor_is_shown() -> None:
    assert Redactor().answer({"cursor": "abcdefghijkl"}) == {"cursor": "abcd…"}


def test_texts_made_to_be_slow_are_searched_in_seconds() -> None:
    maker = random.Random(11)
    for part in (
        "a://" + "b" * 50,
        "password='",
        "x" * 60 + ":",
        "bearer ",
        "eyJ" + "a" * 30,
        "\\'" * 9,
        'token=\\"',
        " " * 9,
        "-----BEGIN PRIVATE KEY-----",
        "%3A%2F%2Fa%3A",
        "A_TOKEN=",
        "--token ",
        "?token%3D",
        "cookie: ",
        "password ",
        "token: x-",
        '\\\\"',
    ):
        text = part * (200_000 // len(part)) + "".join(maker.choices(string.printable, k=100))
        began = time.process_time()
        Redactor().text(text)
        assert time.process_time() - began < 5, part
