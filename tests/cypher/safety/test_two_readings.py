"""Texts that databases parse differently are refused; ordinary texts with quotes, escapes and accents are not."""

import pytest

from graphground.cypher import validate
from graphground.cypher.safety.canonical import two_readings
from tests.support.shared_data import SHARED, needs

DISPUTED = (
    # An escape that Neo4j decodes before it looks for quotes, in every context in which a text may hide it.
    r"WITH '\u0027 AS a RETURN a /* ' AS b CREATE (n:Attacked) RETURN 1 AS y // */",
    r"RETURN '\u005c' AS a, ' DELETE n // ' AS b",
    r'RETURN "\u0022 AS a //" AS a',
    r"RETURN '\\\u0027 AS a //' AS a",
    r"RETURN 1 AS `a\u0060 CREATE (n) //`",
    r"RETURN 1 /* \u002a\u002f CREATE (n) /* */ AS x",
    "RETURN 1 AS x // \\u000a CREATE (n)",
    r"RETURN 1 AS x \u002f\u002a CREATE (n) \u002a\u002f",
    r"\u0043REATE (n)",
    r"MATCH (n) \u0044ELETE n",
    r"RETURN '\u000a' AS x",
    r"RETURN '\ud83d\u0027' AS x",
    r"RETURN '\uu0027' AS x",
    r"RETURN '\u002' AS x",
    r"RETURN '\U00000027' AS x",
    r"RETURN '\0' AS x",
    # Letters that become ASCII in another case or form, digits of other scripts.
    "MATCH (n) \u017fET n.x = 1",
    "MATCH (n) RETURN n \u017fKIP 1",
    "RETURN 1 AS x L\u0130MIT 1",
    "RETURN 1 AS x S\u212aIP 0",
    "\uff23\uff32\uff25\uff21\uff34\uff25 (n)",
    "RETURN 1 AS x l\u0131mit 1",
    "RETURN \u0663 AS x",
    # Characters that are whitespace to one parser and a part of a word to another.
    "CREATE\u200b(n)",
    "\ufeffRETURN 1 AS x",
    "RETURN\u00851 AS x",
    "RETURN\x001 AS x",
    "RETURN 1 AS a\u00adb",
    "MATCH (n) RET\u2060URN n",
    "MATCH (a)-\u202e-(b) RETURN 1 AS x",
    "RETURN 1 AS x // y\u2028CREATE (n)",
    "RETURN 1 AS x // y\x85CREATE (n)",
    "RETURN 1 AS x // y\x0cCREATE (n)",
    "RETURN 1 AS x /* *\u200d/ CREATE (n) // */",
    "RETURN 'a\\\u200b' AS x",
    "RETURN 1 AS `a\\\\u0060`",
    # `$` in a word, a backslash outside quotes or before a backtick, a lone surrogate.
    "WITH 1 AS a$b RETURN 1 AS x",
    "RETURN 1 AS x \\ RETURN",
    r"RETURN 1 AS `a\` CREATE (n) //`",
    "RETURN '\ud800' AS x",
)
HARMLESS = (
    r"RETURN 'O\'Brien' AS name",
    r'RETURN "O\"Brien" AS name',
    'RETURN "O\'Brien" AS name',
    r"RETURN 'a\\b' AS path",
    r"RETURN 'C:\\users\\n' AS path",
    r"RETURN 'two\nlines\tand\r\b\f' AS text",
    r"RETURN 'caf\u00e9 \u0026 bar' AS name",
    r"MATCH (n) WHERE n.name =~ '.*\d+\w*\..*' RETURN n",
    r"MATCH (n) WHERE n.name =~ '\\u00e9+' RETURN n",
    "RETURN 'Zo\u00eb \u2019\u201cx\u201d \u200b \u2028' AS name",
    "MATCH (n:`a``b`) RETURN n.`first name`",
    "MATCH (stra\u00dfe:Gr\u00f6\u00dfe) RETURN stra\u00dfe.\u00e9t\u00e9",
    "MATCH (\u4eba:\u4eba) RETURN \u4eba",
    "RETURN 1 AS x // costs 5$ \\d\nLIMIT 1",
    "RETURN /* 'it' \\ \u200b */ 1 AS x",
    "RETURN\u00a01\u2003AS x",
    "MATCH (a)\u2013[:X]\u2013(b) RETURN a.x",
    "RETURN 'US$5' AS x, $a AS y, $`b c` AS z",
    "RETURN '//' AS x, '/*' AS y",
    "RETURN ';' AS x;",
    "RETURN '\\\\' AS x, '\\'' AS y",
    "CYPHER 25 RETURN 1 AS x",
    "EXPLAIN RETURN 1 AS x",
)


@pytest.mark.parametrize("text", DISPUTED)
def test_a_text_that_databases_parse_differently_is_refused_in_both_languages(text: str) -> None:
    for language in ("cypher5", "cypher25"):
        report = validate(text, read_only=True, language=language)
        assert (report.valid, {diagnostic.code for diagnostic in report.diagnostics}) == (False, {"two_readings"})
        assert report.access != "read"


@pytest.mark.parametrize("text", HARMLESS)
def test_quotes_escapes_and_accents_are_parsed_alike_everywhere(text: str) -> None:
    assert two_readings(text) == []
    assert "two_readings" not in {diagnostic.code for diagnostic in validate(text, read_only=True).diagnostics}


def test_the_message_states_the_position_and_the_fix() -> None:
    (diagnostic,) = validate("RETURN 1 AS x,\n  'It\\u0027s' AS y", read_only=True).diagnostics
    assert (diagnostic.line, diagnostic.column, diagnostic.found) == (2, 6, "\\u0027")
    assert diagnostic.message.endswith("Write \\', or pass the text as a parameter")


@pytest.mark.parametrize(
    ("text", "written", "fixed"),
    [
        (r"RETURN 'It\u0027s' AS x", r"\'", r"RETURN 'It\'s' AS x"),
        (r'RETURN "It\u0027s" AS x', "the character itself", 'RETURN "It\'s" AS x'),
        (r"RETURN 'a\u005cb' AS x", r"\\", r"RETURN 'a\\b' AS x"),
    ],
)
def test_a_string_with_what_the_message_says_to_write_is_valid(text: str, written: str, fixed: str) -> None:
    (diagnostic,) = validate(text, read_only=True).diagnostics
    assert diagnostic.message.endswith(f" Write {written}, or pass the text as a parameter")
    assert validate(fixed, read_only=True).diagnostics == ()


def test_outside_read_only_mode_the_language_is_checked_as_by_neo4j() -> None:
    assert validate(r"R\u0045TURN 'It\u0027 AS x").valid
    assert validate(r"R\u0045TURN 'It\u0027 AS x", language="cypher25").valid


@needs("neo4j_verdicts", "neo4j_5.26_explain.jsonl.gz")
def test_databases_parse_nearly_every_real_query_alike() -> None:
    import gzip
    import json

    with gzip.open(SHARED / "neo4j_verdicts" / "neo4j_5.26_explain.jsonl.gz", "rt") as file:
        texts = {json.loads(line)["query"] for line in file}
    disputed = [text for text in texts if two_readings(text)]
    assert len(texts) > 30_000
    assert len(disputed) <= 2, disputed
