import re

from graphground.agents.decoding.grammars import gbnf
from tests.agents.decoding.inputs import QUERIES

RULE = re.compile(r"(?P<name>\w+) ::= (?P<body>.*)")
PART = re.compile(r'"((?:[^"\\]|\\.)*)"|(\w+)|(\|)')
UNESCAPED = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\"}


def language(grammar: str) -> list[str]:
    """Return all texts of a grammar without loops, by writing out every alternative."""
    rules = {found["name"]: found["body"] for found in map(RULE.fullmatch, grammar.split("\n")) if found}

    def texts(name: str) -> list[str]:
        whole, current = [], [""]
        for literal, rule, bar in PART.findall(rules[name]):
            if bar:
                whole, current = whole + current, [""]
            elif rule:
                current = [begin + end for begin in current for end in texts(rule)]
            else:
                text = re.sub(r"\\(?:x(..)|(.))", lambda m: chr(int(m[1], 16)) if m[1] else UNESCAPED[m[2]], literal)
                current = [begin + text for begin in current]
        return whole + current

    return texts("root")


def test_the_grammar_generates_exactly_the_queries() -> None:
    queries = [*QUERIES, QUERIES[0] + " LIMIT 1", "RETURN '\t\x7f\n'"]
    assert sorted(language(gbnf(queries))) == sorted(queries)


def test_shared_endings_of_queries_are_written_once() -> None:
    grammar = gbnf(QUERIES)
    assert grammar.count("runtime_minute") == 1
