"""The canonical text of a query has the same tokens as the checked text,
and nothing that parsers may read differently."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphground.cypher import CypherSyntaxError, parse, validate
from graphground.cypher.safety.canonical import WRITING_WORDS, Ambiguous, canonical
from graphground.cypher.tokens import tokenize
from tests.support.cypher_fuzz import queries


@pytest.mark.parametrize(
    ("given_text", "sent"),
    [
        ("MATCH (f:Film) RETURN f.title", "MATCH (f:Film) RETURN f.title"),
        ("RETURN 1 // '\n AS x /* \" */", "RETURN 1     \n AS x        "),
        ("RETURN/**/1\u00a0AS\u2003x", "RETURN    1 AS x"),
        (
            "MATCH (set)-->(b:Set {create: set}) RETURN set.delete AS load",
            "MATCH (`set`)-->(b:`Set` {`create`: `set`}) RETURN `set`.delete AS `load`",
        ),
        ("RETURN coll.remove([1], 0) AS x", "RETURN coll.remove([1], 0) AS x"),
        ("RETURN 1. CREATE (n)", "RETURN 1. `CREATE` (n)"),
        (r"RETURN 'caf\u00e9' AS x", "RETURN 'caf\u00e9' AS x"),
        (r"RETURN '\d\'' AS x", r"RETURN '\\d\'' AS x"),
        (r"RETURN '\\u0027' AS x", r"RETURN ('\\' + 'u0027') AS x"),
        ("MATCH (\u00e9t\u00e9) RETURN \u00e9t\u00e9.x", "MATCH (`\u00e9t\u00e9`) RETURN `\u00e9t\u00e9`.x"),
        ("MATCH (a)\u2013[:X]\u2014\u27e9(b) RETURN 1_000 AS x", "MATCH (a)-[:X]->(b) RETURN 1000 AS x"),
    ],
)
def test_each_query_has_the_expected_canonical_text(given_text: str, sent: str) -> None:
    assert canonical(given_text).text == sent


@pytest.mark.parametrize(
    "text",
    [
        "CREATE (n)",
        "match (n) detach delete n",
        "MATCH (n) SET n.x = 1",
        "LOAD CSV FROM 'x' AS row RETURN row",
        "SHOW INDEXES YIELD name CREATE (n)",
        "CALL { CREATE (n) }",
        "DROP INDEX x",
        "TERMINATE TRANSACTIONS 'x'",
        "FOREACH (x IN [1] | MERGE (n))",
        "USE system RETURN 1",
        "CYPHER 25 INSERT (n)",
        "GRANT ROLE admin TO x",
        "/**/CREATE/**/(n)",
        "MATCH (n)REMOVE n.x",
        "RETURN 1CREATE (n)",
    ],
)
def test_a_write_that_the_check_overlooks_is_sent_as_a_syntax_error(text: str) -> None:
    sent = canonical(text).text
    words = {kind for kind, name in zip(tokenize(sent).kinds, tokenize(sent).names, strict=True) if name}
    assert not words & WRITING_WORDS
    with pytest.raises(CypherSyntaxError):
        parse(sent, language="cypher25")


def test_a_text_that_databases_parse_differently_cannot_be_sent() -> None:
    with pytest.raises(Ambiguous, match=r"line 1, column 9: \\u0027 "):
        canonical(r"RETURN '\u0027'")


def test_the_sent_text_has_the_meaning_of_the_checked_text() -> None:
    seen = 0
    for text in queries(7, 1_500):
        if text.startswith("SHOW") or not validate(text, read_only=True).valid:
            continue
        seen += 1
        sent = canonical(text.replace(" RETURN ", " /* RETURN */ RETURN "))
        assert parse(sent.text).shape() == parse(text).shape(), text
    assert seen > 200


@given(st.text(st.sampled_from("ab'\"\\nru0027`/* \n\u00e9\u200b\u2028$-"), max_size=30))
def test_every_parser_decodes_a_sent_string_to_the_same_text(text: str) -> None:
    quoted = "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
    sent = canonical(f"RETURN {quoted} AS x").text
    assert not re.search(r"\\u|//|/\*", re.sub(r"'(?:[^'\\]|\\.)*'", "", sent, flags=re.DOTALL))
    assert "\\u" not in sent
    parts = [node.value for node in parse(sent).walk() if type(node).__name__ == "StringLiteral"]
    assert "".join(parts) == text


def test_positions_in_the_sent_text_are_mapped_to_the_original_text() -> None:
    text = "MATCH (set:Film) /* all\nof them */ WHERE set.title = 'caf\\u00e9'\nRETURN set.x, wrong"
    sent = canonical(text)
    offset = sent.text.index("wrong")
    line = sent.text.count("\n", 0, offset) + 1
    assert sent.place(line, offset - sent.text.rindex("\n", 0, offset)) == (3, 15)
    assert text.splitlines()[2][14:] == "wrong"
    assert sent.place(1, 1) == (1, 1)
