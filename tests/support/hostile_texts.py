"""Generates texts that databases may parse differently, and attacks that hide in them, from a seed.

texts = HostileTexts(7)
texts.text()      # RETURN 'a\\u0027' AS `x``y` /* … */ …: text that parsers may read differently
texts.attack()    # MATCH (n) RETURN n /* \\u002a/ CREATE (:Attacked) // */: text that must not reach a database
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from graphground.cypher.canonical import WRITING_WORDS

ESCAPES = (
    *(
        f"\\u{code:04x}"
        for code in (
            0x27,
            0x22,
            0x5C,
            0x60,
            0x0A,
            0x0D,
            0x2A,
            0x2F,
            0x20,
            0x41,
            0x24,
            0x3B,
            0x85,
            0xE9,
            0x2028,
            0x201D,
            0xFF07,
            0xD83D,
            0xDE00,
        )
    ),
    "\\u",
    "\\u00",
    "\\uu0027",
    "\\U0027",
    "\\U00000027",
    "\\0",
    "\\x27",
    "\\N{APOSTROPHE}",
)
BACKSLASHES = (
    "\\\\",
    "\\'",
    '\\"',
    "\\`",
    "\\n",
    "\\r",
    "\\t",
    "\\b",
    "\\f",
    "\\a",
    "\\d",
    "\\ ",
    "\\/",
    "\\\n",
    "\\\u00e9",
    "\\\u200b",
    "\\\x00",
)
QUOTES = ("'", '"', "`", "``", "''", '""', "\u2019", "\u201c", "\uff07", "\u00b4", "\u02bc")
COMMENTS = (
    "*\u200d/",
    "/\u2060*",
    "/\u200b/",
    "/*",
    "*/",
    "//",
    "/**/",
    "/*/",
    "--",
    "#",
    "//*",
    "*//",
    "/* /* */",
    "% ",
)
BLANKS = (
    " ",
    "  ",
    "\n",
    "\r",
    "\r\n",
    "\t",
    "\x0b",
    "\x0c",
    "\x1c",
    "\x1f",
    "\u00a0",
    "\u1680",
    "\u2003",
    "\u2028",
    "\u2029",
    "\u202f",
    "\u3000",
)
ODD = (
    "\x00",
    "\x01",
    "\x08",
    "\x1a",
    "\x7f",
    "\x85",
    "\u00ad",
    "\u180e",
    "\u200b",
    "\u200d",
    "\u200e",
    "\u202e",
    "\u2060",
    "\ufeff",
    "\ufe0f",
    "\u0301",
    "\u3164",
)
LETTERS = (
    "a",
    "b",
    "\u00e9",
    "\u00df",
    "\u017f",
    "\u212a",
    "\u0130",
    "\u0131",
    "\uff21",
    "\ufb01",
    "\u4eba",
    "\u0663",
    "\u00b2",
    "\u00b5",
    "\u20ac",
    "$",
    "_",
    "0",
    "1",
    "\U0001f600",
    "\ud83d",
)
CODE = (
    " AS a",
    " AS b",
    ", 1 AS c",
    " CREATE (:Attacked)",
    " UNION RETURN 2 AS x",
    ";",
    "; ",
    " RETURN 3",
    "(",
    ")",
    "{",
    "}",
    "$p",
    "..",
    " SET ",
    " DELETE ",
    "|",
    " WITH 1 AS q RETURN q",
    " CALL db.labels()",
)
NAMES = (
    "x",
    "y",
    "name",
    "set",
    "create",
    "stra\u00dfe",
    "\u00e9t\u00e9",
    "\u4eba",
    "l\u0131mit",
    "\u017fet",
    "a$b",
    "x\u200by",
)


class HostileTexts:
    """A generator of texts; the same seed gives the same texts."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def pick(self, choices: Sequence[str]) -> str:
        return choices[int(self.random.random() * len(choices))]

    def body(self, odds: Sequence[tuple[float, Sequence[str]]], most: int = 5) -> str:
        """Return a few pieces, each of a random kind with the given probabilities."""
        pieces = []
        for _ in range(int(self.random.random() * (most + 1))):
            drawn = self.random.random()
            for share, kind in odds:
                drawn -= share
                if drawn < 0:
                    pieces.append(self.pick(kind))
                    break
        return "".join(pieces)

    IN_STRING = (
        (0.2, LETTERS),
        (0.22, BACKSLASHES),
        (0.12, ESCAPES),
        (0.1, COMMENTS),
        (0.1, CODE),
        (0.1, QUOTES),
        (0.08, BLANKS),
        (0.08, ODD),
    )
    IN_NAME = (
        (0.4, LETTERS),
        (0.05, BACKSLASHES),
        (0.04, ESCAPES),
        (0.15, COMMENTS),
        (0.1, CODE),
        (0.1, ("``", "'", '"')),
        (0.1, BLANKS),
        (0.06, ODD),
    )
    IN_COMMENT = (
        (0.2, LETTERS),
        (0.1, BACKSLASHES),
        (0.06, ESCAPES),
        (0.2, QUOTES),
        (0.24, CODE),
        (0.1, BLANKS),
        (0.06, ODD),
    )
    BETWEEN = ((0.86, BLANKS), (0.02, ODD), (0.01, ESCAPES), (0.03, COMMENTS))

    def string(self) -> str:
        quote = "'" if self.random.random() < 0.6 else '"'
        body = self.body(self.IN_STRING)
        if self.random.random() < 0.75:  # mostly closed correctly
            body = body.replace("\\" + quote, "\0").replace(quote, "").replace("\0", "\\" + quote)
        return quote + body + quote

    def name(self) -> str:
        if self.random.random() < 0.6:
            return self.pick(NAMES[:5]) if self.random.random() < 0.7 else self.pick(NAMES)
        body = self.body(self.IN_NAME, 4)
        if self.random.random() < 0.8:
            body = body.replace("``", "\0").replace("`", "").replace("\0", "``")
        return "`" + body + "`"

    def blank(self) -> str:
        if self.random.random() < 0.75:
            return " "
        if self.random.random() < 0.55:
            body = self.body(self.IN_COMMENT)
            return f"/*{body}*/" if self.random.random() < 0.6 else f"//{body}{self.pick(BLANKS[2:5])}"
        return self.body(self.BETWEEN, 3) or " "

    def value(self) -> str:
        drawn = self.random.random()
        if drawn < 0.6:
            return self.string()
        if drawn < 0.8:
            return self.pick(("1", "0x1F", "1_0", "1.5", "1e3", ".5", "0o17", "$p", "null", "true", "-1", "1..2"))
        if drawn < 0.9:
            return f"[{self.string()},{self.blank()}{self.string()}]"
        return f"size({self.string()}{self.blank()})"

    def text(self) -> str:
        """Return a query of pieces that parsers may read differently; it returns values and needs no graph."""
        parts = ["RETURN", self.blank() or " "]
        for number in range(1 + int(self.random.random() * 3)):
            parts += [",", self.blank()] if number else []
            parts += [self.value(), self.blank() or " ", "AS", self.blank() or " ", self.name()]
        if self.random.random() < 0.5:
            parts += [self.blank(), self.pick(("", "", ";", "LIMIT 1", "UNION RETURN 1 AS x", "SKIP 0"))]
        if self.random.random() < 0.3:
            parts += ["//" if self.random.random() < 0.5 else "", self.body(self.IN_COMMENT)]
        text = "".join(parts)
        if self.random.random() < 0.1:
            place = int(self.random.random() * len(text))
            text = text[:place] + self.pick(self.pick_kind()) + text[place:]
        return text

    def pick_kind(self) -> Sequence[str]:
        return (ESCAPES, BACKSLASHES, QUOTES, COMMENTS, BLANKS, ODD, LETTERS, CODE)[int(self.random.random() * 8)]

    def attack(self) -> str:
        """Return a write, a file access, an address, a command or a call that runs text: disguised, wrapped or smuggled."""
        payload = self.pick(PAYLOADS)
        drawn = self.random.random()
        if drawn < 0.3:
            payload = self.disguised(payload)
        if drawn < 0.55:
            return self.pick(WRAPPERS).replace("{}", payload)
        if drawn < 0.985:
            return self.pick(SMUGGLERS).replace("{}", payload.replace("{value}", "1"))
        opening, closing = self.pick(("( )", "[ ]", "CASE_WHEN_true_THEN_ _END")).split(" ")
        depth = self.random.choice((61, 70, 200, 2000))
        return (
            f"{payload} RETURN " + opening.replace("_", " ") * depth + "1" + closing.replace("_", " ") * depth
            if self.random.random() < 0.7
            else f"{payload} RETURN " + "1+" * 26_000 + "1"
        )

    def disguised(self, payload: str) -> str:
        """Return the text with an escaped or look-alike letter, an invisible character, a comment or unusual
        whitespace.
        """
        place = int(self.random.random() * len(payload))
        letter = payload[place]
        drawn = self.random.random()
        if drawn < 0.3:
            return payload[:place] + f"\\u{ord(letter):04x}" + payload[place + 1 :]
        if drawn < 0.5:
            alike = {"s": "\u017f", "k": "\u212a", "i": "\u0131", "I": "\u0130", "S": "\u017f", "K": "\u212a"}.get(
                letter
            )
            other = alike or (chr(ord(letter) + 0xFEE0) if "!" <= letter <= "~" else "\u00a0")
            return payload[:place] + other + payload[place + 1 :]
        if drawn < 0.65:
            return payload[:place] + self.pick(ODD) + payload[place:]
        if drawn < 0.8:
            blank = self.pick(("/**/", "/* x */", "//\n", "/*'*/", '/*"*/', "/*`*/", *BLANKS))
            return payload.replace(" ", blank)
        return "".join(letter.upper() if self.random.random() < 0.5 else letter.lower() for letter in payload)


PAYLOADS = (
    "CREATE (:Attacked)",
    "CREATE (n:Attacked {name: 'x'})",
    "MERGE (n:Attacked {x: 1})",
    "MATCH (n) SET n.attacked = 1",
    "MATCH (n) SET n:Attacked",
    "MATCH (n) REMOVE n.name",
    "MATCH (n) DETACH DELETE n",
    "MATCH (n) DELETE n",
    "UNWIND [1] AS i CREATE (:Attacked {i: i})",
    "FOREACH (i IN [1] | CREATE (:Attacked))",
    "MATCH (n) SET n = {}",
    "MATCH (n) FOREACH (i IN [1] | SET n.attacked = i)",
    "MATCH (n) SET n += {attacked: 1}",
    "INSERT (:Attacked)",
    "LOAD CSV FROM 'file:///etc/hostname' AS row",
    "LOAD CSV FROM 'http://127.0.0.1:9/x' AS row",
    "LOAD CSV WITH HEADERS FROM $url AS row",
    "CALL apoc.load.json('http://127.0.0.1:9/x') YIELD value",
    "CALL apoc.cypher.run('CREATE (:Attacked)', {}) YIELD value",
    "CALL apoc.cypher.doIt('CREATE (:Attacked)', {})",
    "CALL apoc.search.nodeAll({Film: $key}, '=', 'x') YIELD node",
    "CALL apoc.search.node($map, 'exact', 'x') YIELD node",
    "CALL apoc.periodic.iterate('RETURN 1', 'CREATE (:Attacked)', {})",
    "CALL apoc.create.node(['Attacked'], {})",
    "CALL apoc.util.sleep(60000)",
    "CALL dbms.listConfig() YIELD name",
    "CALL dbms.killConnection('1')",
    "CALL db.createLabel('Attacked')",
    "CALL apoc.systemdb.graph()",
    "CALL apoc.export.csv.all('x.csv', {})",
    "CALL algo.louvain() YIELD nodeId",
    "CALL apoc.meta.data.of('CREATE (:Attacked)') YIELD label",
    "USE system",
    "WITH apoc.text.repeat('x', 2000000000) AS v",
    "WITH apoc.coll.fill('x', 2000000000) AS v",
    "WITH apoc.cypher.runFirstColumnSingle('CREATE (n:Attacked) RETURN n', {}) AS v",
    "WITH apoc.text.lpad('x', 2000000000, 'y') AS v",
    "WITH apoc.text.format('%999999999d', [1]) AS v",
    "CREATE INDEX attacked FOR (n:Film) ON (n.x)",
    "DROP INDEX film_name",
    "DROP CONSTRAINT attacked",
    "CREATE USER attacker SET PASSWORD 'attacker-1'",
    "ALTER USER neo4j SET PASSWORD 'attacked-1'",
    "SHOW USERS",
    "SHOW SETTINGS",
    "SHOW TRANSACTIONS",
    "TERMINATE TRANSACTIONS 'neo4j-transaction-1'",
    "STOP DATABASE neo4j",
    "GRANT ALL ON DBMS TO PUBLIC",
    "CREATE DATABASE attacked",
    "DUMP DATABASE",
    "CREATE TRIGGER t EXECUTE CREATE ()",
    "STORAGE MODE IN_MEMORY_ANALYTICAL",
    "FREE MEMORY",
    "CREATE SNAPSHOT",
    "DELETE FROM Film",
    "UPDATE Film SET x = 1",
)
WRAPPERS = (
    "{}",
    "{} RETURN 1 AS x",
    "MATCH (m) {} RETURN 1 AS x",
    "MATCH (m) WITH m LIMIT 1 {} RETURN 1 AS x",
    "CALL { {} } RETURN 1 AS x",
    "CALL { {} RETURN 1 AS z } RETURN z",
    "MATCH (m) CALL (m) { {} } RETURN 1 AS x",
    "RETURN EXISTS { {} } AS x",
    "RETURN COUNT { {} RETURN 1 AS z } AS x",
    "RETURN COLLECT { {} RETURN 1 AS z } AS x",
    "MATCH (m) WHERE EXISTS { {} RETURN 1 AS z } RETURN m",
    "RETURN 1 AS x UNION {} RETURN 1 AS x",
    "EXPLAIN {}",
    "RETURN 1 AS x UNION ALL {} RETURN 1 AS x",
    "RETURN 1 AS x; {}",
    "{}; RETURN 1 AS x",
    "PROFILE {} RETURN 1 AS x",
    "CYPHER 5 {} RETURN 1 AS x",
    "CYPHER 25 {} RETURN 1 AS x",
    "CYPHER runtime=slotted {} RETURN 1 AS x",
    "CYPHER 25 RETURN 1 AS x NEXT {} RETURN 1 AS y",
    "CYPHER 25 WHEN true THEN {} RETURN 1 AS x",
    "CYPHER 25 { {} RETURN 1 AS x }",
    "SHOW INDEXES YIELD name {}",
    "CYPHER 25 SHOW INDEXES YIELD name {}",
    "CALL { {} } IN TRANSACTIONS OF 1 ROWS RETURN 1 AS x",
    "OPTIONAL CALL { {} RETURN 1 AS z } RETURN z",
    "/* x */ {} // y",
    "// x\n{}",
    "// x\r{}",
    "/**/{}/**/",
    "RETURN [x IN [1] WHERE EXISTS { {} } | x] AS y",
    "MATCH (n) RETURN n ORDER BY COUNT { {} RETURN 1 AS z }",
    "MATCH (n) RETURN CASE WHEN EXISTS { {} } THEN 1 END AS x",
    "UNWIND COLLECT { {} RETURN 1 AS z } AS x RETURN x",
    "WITH '{' AS a {} RETURN '}' AS x",
    "RETURN 'x' AS `a` {}",
)
SMUGGLERS = (
    # The end of a string, name or comment that only one of two parsers finds.
    r"RETURN '\u0027 AS a {} //' AS a",
    r'RETURN "\u0022 AS a {} //" AS a',
    r"WITH '\u0027 AS a RETURN a /* ' AS b {} // */",
    r"WITH '\u0027 AS a RETURN a /* ' AS b {} RETURN 1 AS y // */",
    r"RETURN 1 AS `a\u0060 {} //`",
    r"RETURN 1 AS x /* \u002a\u002f {} /* */",
    r"RETURN 1 AS x /* \u002a/ {} // */",
    "RETURN 1 AS x // \\u000a {}",
    "RETURN 1 AS x // \\u000d {}",
    r"RETURN '\\\u0027 AS a {} //' AS a",
    r"RETURN '\\\\u0027 AS a {} //' AS a",
    r"RETURN '\\u0027 AS a {} //' AS a",
    r"RETURN 'x\u005c' AS a, ' {} // ' AS b",
    r"RETURN 'x\u005c\u0027 AS a {} //' AS a",
    r"RETURN '\uu0027 AS a {} //' AS a",
    r"RETURN '\U00000027 AS a {} //' AS a",
    r"RETURN '\x27 AS a {} //' AS a",
    r"RETURN '\047 AS a {} //' AS a",
    "RETURN '\u2019 AS a {} //' AS a",
    "RETURN '\uff07 AS a {} //' AS a",
    "RETURN \u2018x' AS a {} //'",
    "RETURN ''' AS a {} //' AS b",
    "RETURN 'a'' AS a {} //' AS b",
    r"RETURN 'a\' AS a {} //' AS b",
    r"RETURN 'a\\' AS a {} //' AS b",
    "RETURN 'a\\\n' AS a {} //' AS b",
    "RETURN 1 AS `a`` {} //`",
    r"RETURN 1 AS `a\` {} //`",
    "RETURN 1 AS x // y\u2028 {}",
    "RETURN 1 AS x // y\u0085 {}",
    "RETURN 1 AS x // y\x0b {}",
    "RETURN 1 AS x // y\x0c {}",
    "RETURN 1 AS x // y\x00 {}",
    "RETURN 1 AS x // y\u2029 {}",
    "RETURN 1 AS x // y\r {}",
    "RETURN 1 AS x // y\x1c {}",
    "RETURN 1 AS x /* /* */ {} /* */ */",
    "RETURN 1 AS x /* // */ {}",
    "RETURN 1 AS x // /*\n {} // */",
    "RETURN 1 AS x /*/ {} /*/",
    "RETURN 1 AS x /**/ {} /**/",
    "RETURN 1 AS x -- {}",
    "RETURN 1 AS x # {}",
    "RETURN 'x\x00' AS a {}",
    "RETURN 1 AS x\x00 {}",
    "RETURN 1 AS x\x1a {}",
    "\ufeff{}",
    "\u200b{}",
    "RETURN 1 AS x\u200b{}",
    "RETURN 1 AS a$b {}",
    "RETURN 1. {}",
    "RETURN 1 AS x, {}",
    "RETURN {x: {}} AS x",
    "RETURN [ {} ] AS x",
    "MATCH ({}) RETURN 1 AS x",
    "RETURN 1 AS x LIMIT 1 {}",
    "RETURN 1 AS x ORDER BY x {}",
    "RETURN $p {}",
    "RETURN $`p` {}",
    "RETURN $`p\\u0060 {} //`",
    "RETURN n.`x\\u0060 {} //`",
    "MATCH (n:`x\\u0060) {} //`) RETURN 1 AS x",
    "MATCH (n {x: '\\u0027}) {} //'}) RETURN 1 AS x",
    "{} RETURN '\ud800' AS x",
    "RETURN '\ud800\\u0027' AS x {}",
)

QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`(?:[^`]|``)*`", re.DOTALL)
_BARE = re.compile(rf"(\.\s*)?(?<!\w)(?:{'|'.join(WRITING_WORDS)})\b", re.IGNORECASE)
"""Writing words with the dot before them, if any: every parser takes a word after a dot for a name."""


def unclean(sent: str) -> str | None:
    """Return the kind of forbidden text outside strings and names of a sent query, or None; does not use our tokenizer."""
    if "\\u" in sent or "\\U" in sent:
        return "an escape"
    rest = QUOTED.sub(lambda found: "''" if found[0][0] != "`" else "``", sent)
    if not rest.isascii() or "\\" in rest or "//" in rest or "/*" in rest:
        return "a comment, a backslash or a letter that is not ASCII"
    if any(letter < " " and letter not in "\t\n\r" for letter in rest):
        return "a control character"
    return "a writing word" if any(found[1] is None for found in _BARE.finditer(rest)) else None
