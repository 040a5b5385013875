"""The parser's position in the tokens, and the furthest position of any attempt, where the error is reported."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TypeVar

from graphground.cypher.diagnostics import Problem
from graphground.cypher.tokens import Tokens
from graphground.cypher.tree import Name, Variable

T = TypeVar("T")
MAX_DEPTH = 60
"""The maximum depth to which expressions, patterns and subqueries may be nested."""
MAX_LENGTH = 200_000
"""The maximum number of characters that a query may have."""
MOST_DIGITS = 1000
"""The maximum number of digits of an integer that are converted: more than any valid integer has, and within Python's
limit for conversions."""
MAX_TOKENS = 50_000
"""The maximum number of tokens that a query may have."""


@dataclass(eq=False)
class Failure(Exception):
    """The signal that parsing stopped at a token: the token's number, and the expected tokens.

    The parser catches a failure to try the next alternative; only the furthest failure is reported.
    """

    at: int
    expected: str


@dataclass(eq=False)
class Fatal(Exception):
    """A syntax error under every possible parse, with its offsets."""

    start: int
    end: int
    message: str
    code: str


class Cursor:
    """A position in the tokens. `kinds[i]` is the kind of the next token; the parser's functions move `i`."""

    def __init__(self, text: str, tokens: Tokens, cypher25: bool) -> None:
        self.text = text
        # The end token is repeated, so that looking three tokens ahead needs no check.
        self.kinds = [*tokens.kinds, "end", "end", "end", "end"]
        self.names = [*tokens.names, None, None, None, None]
        self.starts = tokens.starts
        self.ends = tokens.ends
        self.i = 0
        self.depth = 0
        self.cypher25 = cypher25
        self.furthest = -1
        self.expected: list[str] = []
        self.no_pattern: set[int] = set()
        self.bars: list[int] = []
        self.stop_bar = -1
        self.notes: list[Problem] = []

    def fail(self, expected: str) -> Failure:
        """Record what was expected in place of the next token, and return the failure to raise."""
        i = self.i
        if i > self.furthest:
            self.furthest = i
            self.expected = [expected]
        elif i == self.furthest and expected not in self.expected:
            self.expected.append(expected)
        return Failure(i, expected)

    def note(self, code: str, start: int, end: int, message: str) -> None:
        """Note a problem that does not stop the parser; it is reported together with problems found later."""
        self.notes.append(Problem(code, start, end, message))

    def note_token(self, i: int, message: str, code: str = "invalid_literal") -> None:
        """Note a problem of one token."""
        self.note(code, self.starts[i], self.ends[i], message)

    def attempt(self, parse: Callable[[Cursor], T | None]) -> T | None:
        """Parse a construct; if that fails or returns None, go back to the token with which it began."""
        i, depth = self.i, self.depth
        try:
            found = parse(self)
        except Failure:
            found = None
        if found is None:
            self.i, self.depth = i, depth
        return found

    def one_of(self, kinds: Collection[str], expected: str = "") -> str:
        """Skip the next token if it is of one of these kinds; return its kind, or "" if it is not.

        If it is not, and `expected` says what is expected, parsing fails.
        """
        kind = self.kinds[self.i]
        if kind not in kinds:
            if expected:
                raise self.fail(expected)
            return ""
        self.i += 1
        return kind

    def accept(self, kind: str) -> bool:
        """Skip the next token if it is of this kind; return whether it was skipped."""
        if self.kinds[self.i] == kind:
            self.i += 1
            return True
        return False

    def skip(self) -> int:
        """Skip the next token; return the offset at which it begins."""
        i = self.i
        self.i = i + 1
        return self.starts[i]

    def several(self, parse: Callable[[Cursor], T]) -> list[T]:
        """Parse one or more constructs, separated by commas."""
        found = [parse(self)]
        while self.kinds[self.i] == ",":
            self.i += 1
            found.append(parse(self))
        return found

    def expect(self, kind: str, expected: str = "") -> int:
        """Skip the next token, which must be of this kind; return the token's number.

        If it is another token, the error says that `expected`, or the kind, is expected.
        """
        i = self.i
        if self.kinds[i] != kind:
            raise self.fail(expected or f"'{kind}'")
        self.i = i + 1
        return i

    def name(self, what: str) -> Name:
        """Parse a label, type, property key or other name; if there is none, the error says that `what` is expected."""
        i = self.i
        text = self.names[i]
        if text is None:
            raise self.fail(what)
        self.i = i + 1
        return Name(self.starts[i], self.ends[i], text)

    def variable(self) -> Variable:
        """Parse a variable."""
        i = self.i
        text = self.names[i]
        if text is None:
            raise self.fail("a variable name")
        self.i = i + 1
        return Variable(self.starts[i], self.ends[i], text)

    def integer(self) -> int:
        """Parse an unsigned integer, as in `*1..3` and `{2}`."""
        i = self.i
        if self.kinds[i] != "integer":
            raise self.fail("a whole number")
        self.i = i + 1
        return integer_value(self, i)

    def deeper(self) -> None:
        """Enter a level of nesting, or raise `Fatal` beyond `MAX_DEPTH`; the caller leaves it with `depth -= 1`."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            i = self.i
            raise Fatal(
                self.starts[i],
                self.ends[i],
                f"the query nests more than {MAX_DEPTH} levels deep; break it into parts with WITH",
                "too_complex",
            )

    @property
    def end(self) -> int:
        """The offset at which the last consumed token ends."""
        return self.ends[self.i - 1] if self.i else 0


def integer_value(c: Cursor, i: int) -> int:
    """Return the value of an integer token; an invalid integer is noted as a problem."""
    text = c.text[c.starts[i] : c.ends[i]]
    plain = text.replace("_", "")
    base = 16 if plain[:2].lower() == "0x" else 8 if plain[:2] == "0o" else 10
    if text.isdigit() and (text[0] != "0" or len(text) == 1):
        if len(text) < 19:
            return int(text)
    elif base == 10 and plain.isdigit() and plain[0] == "0" and len(plain) > 1:
        octal = "" if "8" in plain or "9" in plain else f"0o{text[1:]} for an octal number, or "
        c.note_token(i, f"{text} begins with 0; write {octal}{plain.lstrip('0') or '0'}")
        return 0
    try:
        if text.endswith("_") or "__" in text:
            raise ValueError
        value = int(plain[:MOST_DIGITS], base)
    except ValueError:
        c.note_token(i, f"{text[:40]} is not a number")
        return 0
    if value > 2**63 - 1 and not (value == 2**63 and i and c.kinds[i - 1] == "-"):
        c.note_token(i, f"the integer {text[:40]} is too large; the largest is 2^63-1")
    return value
