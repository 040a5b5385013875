"""Generates texts that databases may parse differently, and attacks that hide in them, from a seed.

texts = HostileTexts(7)
texts.text()      # RETURN 'a\\u0027' AS `x``y` /* … */ …: text that parsers may read differently
texts.attack()    # MATCH (n) RETURN n /* \\u002a/ CREATE (:Attacked) // */: text that must not reach a database
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from graphground.cypher.safety.canonical import WRITING_WORDS
from tests.support.hostile_pieces import BACKSLASHES, BLANKS, CODE, COMMENTS, ESCAPES, LETTERS, NAMES, ODD, QUOTES
from tests.support.hostile_queries import PAYLOADS, SMUGGLERS, WRAPPERS

QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`(?:[^`]|``)*`", re.DOTALL)
_BARE = re.compile(rf"(\.\s*)?(?<!\w)(?:{'|'.join(WRITING_WORDS)})\b", re.IGNORECASE)
"""Writing words, with a preceding dot if there is one, because every parser reads a word after a dot as a name."""


class HostileTexts:
    """A generator of texts; the same seed gives the same texts."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def pick(self, choices: Sequence[str]) -> str:
        return choices[int(self.random.random() * len(choices))]

    def body(self, odds: Sequence[tuple[float, Sequence[str]]], most: int = 5) -> str:
        """Return up to `most` joined pieces of random kinds; `odds` has the probability and the pieces of each kind."""
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
        """Return a forbidden query: a write, a file access, a call that runs text, …

        The query is hidden by a disguise, a wrapper or a smuggler, or followed by a very deep or long expression.
        """
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
        """Return a payload in one disguise.

        The disguises are: a letter escaped, a letter replaced, an odd character inserted, spaces replaced by comments
        or by unusual whitespace, letters in random case.
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


def unclean(sent: str) -> str | None:
    """Return what a sent query wrongly contains, or None; our tokenizer is not used.

    Unicode escapes are wrong everywhere. Comments, backslashes, odd characters and writing words are wrong outside
    strings and names.
    """
    if "\\u" in sent or "\\U" in sent:
        return "an escape"
    rest = QUOTED.sub(lambda found: "''" if found[0][0] != "`" else "``", sent)
    if not rest.isascii() or "\\" in rest or "//" in rest or "/*" in rest:
        return "a comment, a backslash or a letter that is not ASCII"
    if any(letter < " " and letter not in "\t\n\r" for letter in rest):
        return "a control character"
    return "a writing word" if any(found[1] is None for found in _BARE.finditer(rest)) else None
