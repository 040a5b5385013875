"""Traces contain no secret: secrets are recognised by name, by form, and as copies of a known secret."""

from __future__ import annotations

import json
from urllib.parse import quote, quote_plus

import orjson
import pytest

from graphground.server.traces.recorder import MAX_ARGUMENT_BYTES
from graphground.server.traces.redaction import LEFT_OUT, MAX_FOUND_FORMS, Redactor, is_secret

SECRET_NAMES = [
    "password", "user_password", "dbPassword", "PASSWD", "pwd", "passphrase", "api_key", "apiKey", "APIKey", "token",
    "accessToken", "refresh_token", "client-secret", "privateKey", "credentials", "Authorization", "bearerToken",
    "ssh key", "secret",
]  # fmt: skip
PLAIN_NAMES = ["name", "keyword", "monkey", "secretary", "tokenized", "compass", "passenger", "bypass", "title"]


@pytest.mark.parametrize("name", SECRET_NAMES)
def test_a_value_under_a_secret_name_is_left_out_at_any_depth(name: str) -> None:
    shown = Redactor().redact({"parameters": {"users": [{"name": "Ada", name: "correct horse"}]}})
    assert shown["parameters"]["users"][0] == {"name": "Ada", name: LEFT_OUT}


@pytest.mark.parametrize("name", PLAIN_NAMES)
def test_values_under_names_that_merely_contain_a_secret_word_are_shown(name: str) -> None:
    assert not is_secret(name)
    assert Redactor().redact({name: "Ada"}) == {name: "Ada"}


def test_a_column_named_key_is_not_secret() -> None:
    answer = {"columns": ["key"], "rows": [["C major"]]}
    assert Redactor().redact_answer(answer) == answer


def test_token_counts_and_empty_values_are_not_secrets() -> None:
    arguments = {"max_tokens": 2000, "token": None}
    assert Redactor().redact(arguments) == arguments


TEXTS = [
    "neo4j://ada:correct-horse@graphs.example:7687",
    "http://h.example/?q=1&access_token=correct-horse&x=2",
    "eyJhbGciOiJIUzI1NiJ9.correct-horse.c2lnbmF0dXJl",
    "sk-correct-horse-battery",
    'MATCH (u) WHERE u.apiKey = "correct-horse" RETURN u',
    "MATCH (u) WHERE u.secret STARTS WITH 'correct-horse' RETURN u",
    'in JSON in JSON: {\\"password\\": \\"correct-horse\\"}',
    'in JSON in JSON in JSON: {\\\\\\"password\\\\\\": \\\\\\"correct-horse\\\\\\"}',
    '{"password": ["correct-horse"]}',
    "https://h.example/#access_token=correct-horse-9",
    'the text {"a": "{\\"password\\": \\"correct-horse with more \\u00e9\\"}"}',
    "-----BEGIN RSA PRIVATE KEY-----\ncorrect-horse\n-----END RSA PRIVATE KEY-----",
    "question: {password: 'correct-horse'}",
    "NEO4J_PASSWORD=correct-horse graphground serve",
    "graphground serve --token=correct-horse",
    "password=correct-horse-9",
    "Authorization: Basic correct-horse9=",
    "x-api-key: correct-horse-9",
    "Cookie: session=correct-horse-9",
    "ALTER USER ada SET PASSWORD 'correct-horse'",
    "the password 'correct-horse' is wrong",
    "sk_live_correct-horse-battery",
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_secret_in_a_text_is_removed_and_the_rest_is_kept(text: str) -> None:
    text = f"Before it: {text} and after it."
    for shown in (Redactor().redact(text), Redactor().redact({"question": text})["question"]):
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
def test_a_known_secret_is_removed_as_addresses_and_json_write_it(secret: str) -> None:
    encoded = json.dumps({"a": secret}, ensure_ascii=False)
    for form in (secret, quote(secret, safe=""), quote_plus(secret), encoded):
        assert LEFT_OUT in Redactor([secret]).redact(f"<{form}>"), form


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_is_unchanged(text: str) -> None:
    assert Redactor().redact(text) == text


def test_a_secret_removed_from_the_arguments_is_removed_from_the_answer_too() -> None:
    redactor = Redactor()
    query = "MATCH (u {password: 'hunter2-x'}) RETURN u.name AS n, $pin AS p"
    redactor.redact({"query": query, "parameters": {"pinSecret": "tr0ub4dor"}})
    answer = {
        "columns": ["n", "p"],
        "rows": [["hunter2-x", "tr0ub4dor"], ["Ada", 3]],
        "diagnostics": [{"message": "There is no 'hunter2-x'.", "suggestions": ["tr0ub4dor"]}],
    }
    shown = orjson.dumps(redactor.redact_answer(answer, query)).decode()
    assert "hunter2-x" not in shown
    assert "tr0ub4dor" not in shown
    assert "Ada" in shown


def test_the_secrets_of_the_settings_are_removed_everywhere() -> None:
    redactor = Redactor(["xK7-pass", ""])
    assert redactor.redact_answer({"message": "refused: ada / xK7-pass"}) == {"message": f"refused: ada / {LEFT_OUT}"}


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (u) RETURN u.password AS p",
        "MATCH (u) WITH u.api_key AS a RETURN toUpper(a) AS p",
        "MATCH (u) UNWIND u.tokens AS p RETURN p",
        "MATCH (u) RETURN collect({p: u['secret']}) AS p",
        "MATCH (u) RETURN u . `dbPassword` AS p",
        "RETURN $token AS p",
    ],
)
def test_the_cells_of_a_query_that_reads_a_secret_property_are_left_out(query: str) -> None:
    answer = {"columns": ["p"], "rows": [["hunter2"], [{"p": "hunter2"}]], "row_count": 2}
    assert Redactor().redact_answer(answer, query) == {**answer, "rows": [[LEFT_OUT], [LEFT_OUT]]}


def test_a_secret_column_and_a_secret_property_of_a_node_are_left_out_and_other_cells_are_shown() -> None:
    row = ["hunter2", {"properties": {"password": "hunter2", "name": "Ada"}}, "Ada"]
    answer = {"columns": ["password", "u", "name"], "rows": [row]}
    [cells] = Redactor().redact_answer(answer, "MATCH (u) CALL db.f() YIELD password RETURN password, u, name")["rows"]
    assert cells == [LEFT_OUT, {"properties": {"password": LEFT_OUT, "name": "Ada"}}, "Ada"]


def test_the_answer_to_a_call_with_very_many_secrets_is_left_out() -> None:
    redactor = Redactor()
    redactor.redact({"tokens": [f"secret {number}" for number in range(MAX_FOUND_FORMS + 1)]})
    assert redactor.redact_answer({"rows": [["secret 50"]], "columns": ["a"]}) == LEFT_OUT


def test_the_beginning_of_a_cursor_is_shown() -> None:
    assert Redactor().redact_answer({"cursor": "abcdefghijkl"}) == {"cursor": "abcd…"}


SLOW = [
    "a://" + "b" * 50, "://a:", "password='", 'password = "', "x" * 60 + ":", "bearer ", "eyJ" + "a" * 30, "\\'" * 9,
    'token=\\"', " " * 9, "-----BEGIN PRIVATE KEY-----", "A_TOKEN=", "--token ", "?token%3D", "cookie: ", "password ",
    "token: x-", '\\\\"', "token", "QUJD", "é", "\u202e", "token  in  [", "x  starts  ", "secret \\\\\\", "sk-", "a.token",
    "['token", "$key",
]  # fmt: skip


@pytest.mark.parametrize("part", SLOW)
def test_a_hostile_text_of_the_largest_recorded_size_is_searched(part: str) -> None:
    # A pattern that looks for an end from every start takes minutes for one of these: the test runs out of time.
    text = "token " + part * (MAX_ARGUMENT_BYTES // len(part)) + "!"
    redactor = Redactor(["battery-staple"])
    redactor.redact({"query": text})
    redactor.redact_answer({"columns": ["a"], "rows": [[text]]}, text)
