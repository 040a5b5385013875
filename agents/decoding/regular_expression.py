"""Builds an automaton over UTF-8 bytes from a regular expression.

`suggest_queries` returns such an expression with `grammar=regex`. The supported syntax is literals, escapes, `.`,
classes of ASCII characters and their negations, groups, `|`, `?`, `*`, `+` and `{m,n}`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass

from graphground.agents.decoding.automaton import Automaton

ASCII = frozenset(range(128))
DIGITS = frozenset(b"0123456789")
CLASSES = {
    "d": DIGITS,
    "s": frozenset(b" \t\n\r\f\v"),
    "w": DIGITS | frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"),
}
CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v"}
_REPEAT = re.compile(r"\{([0-9]{1,4})(,?)([0-9]{0,4})\}")
MOST_REPEATED = 1_000


class RegularExpressionError(ValueError):
    """An expression that cannot be parsed; the message says where and why."""


@dataclass(frozen=True, slots=True)
class Text:
    """Literal bytes: `Text(b"MATCH")`."""

    value: bytes


@dataclass(frozen=True, slots=True)
class ByteOf:
    """One byte of a set: `ByteOf(frozenset(b"0123456789"))`."""

    values: frozenset[int]


@dataclass(frozen=True, slots=True)
class Both:
    """A sequence of parts."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Either:
    """A choice between parts."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """A part repeated from `least` to `most` times; without an upper limit if `most` is None."""

    part: Expression
    least: int
    most: int | None


Expression = Text | ByteOf | Both | Either | Repeat


def _of_ranges(*ranges: tuple[int, int]) -> Both:
    return Both(tuple(ByteOf(frozenset(range(low, high + 1))) for low, high in ranges))


TAIL = (0x80, 0xBF)
BEYOND_ASCII = (
    _of_ranges((0xC2, 0xDF), TAIL),
    _of_ranges((0xE0, 0xE0), (0xA0, 0xBF), TAIL),
    _of_ranges((0xE1, 0xEC), TAIL, TAIL),
    _of_ranges((0xED, 0xED), (0x80, 0x9F), TAIL),
    _of_ranges((0xEE, 0xEF), TAIL, TAIL),
    _of_ranges((0xF0, 0xF0), (0x90, 0xBF), TAIL, TAIL),
    _of_ranges((0xF1, 0xF3), TAIL, TAIL, TAIL),
    _of_ranges((0xF4, 0xF4), (0x80, 0x8F), TAIL, TAIL),
)
"""The well-formed byte sequences of two to four bytes (Unicode 16, table 3-7)."""


def automaton_of(text: str) -> Automaton:
    """Return the automaton of a whole expression: `automaton_of("RETURN (?:1|[2-9]+)")`.

    Raises:
        RegularExpressionError: the expression is invalid or contains an unsupported construct.
    """
    return _deterministic(_Reader(text).whole())


class _Reader:
    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0

    def whole(self) -> Expression:
        found = self._alternatives()
        if self._at < len(self._text):
            raise self._error("a closing bracket has no opening one")
        return found

    def _alternatives(self) -> Expression:
        found = [self._sequence()]
        while self._take("|"):
            found.append(self._sequence())
        return found[0] if len(found) == 1 else Either(tuple(found))

    def _sequence(self) -> Expression:
        parts: list[Expression] = []
        while self._at < len(self._text) and self._text[self._at] not in "|)":
            part, last = self._repeated(self._atom()), parts[-1] if parts else None
            if isinstance(part, Text) and isinstance(last, Text):
                parts[-1] = Text(last.value + part.value)
            else:
                parts.append(part)
        return parts[0] if len(parts) == 1 else Both(tuple(parts))

    def _repeated(self, atom: Expression) -> Expression:
        for sign, least, most in (("?", 0, 1), ("*", 0, None), ("+", 1, None)):
            if self._take(sign):
                return Repeat(atom, least, most)
        found = _REPEAT.match(self._text, self._at)
        if found is None:
            return atom
        self._at = found.end()
        least = int(found[1])
        most = int(found[3]) if found[3] else None if found[2] else least
        if most is not None and most < least:
            raise self._error(f"the bounds of {found[0]} are not in ascending order")
        if max(least, most or 0) > MOST_REPEATED:
            raise self._error(f"{found[0]} repeats more than {MOST_REPEATED:,} times")
        return Repeat(atom, least, most)

    def _atom(self) -> Expression:
        sign = self._next()
        if sign == "(":
            if self._text.startswith("?", self._at) and not self._take("?:"):
                raise self._error("of the groups that begin with (?, only (?: is supported")
            found = self._alternatives()
            if not self._take(")"):
                raise self._error("a group is not closed")
            return found
        if sign == "[":
            return self._class()
        if sign == ".":
            return Either((ByteOf(ASCII - {10}), *BEYOND_ASCII))
        if sign == "\\":
            return self._escape()
        if sign == "{":
            raise self._error(
                f"{{ must be escaped, unless it begins a repetition, such as {{2,5}}, of at most {MOST_REPEATED:,} times"
            )
        if sign in "?*+^$":
            raise self._error(f"{sign} must be escaped here")
        return Text(sign.encode())

    def _escape(self) -> Expression:
        sign = self._next()
        if sign.lower() in CLASSES:
            return ByteOf(CLASSES[sign]) if sign.islower() else _none_of(CLASSES[sign.lower()])
        if sign.isalnum() and sign not in CONTROLS:
            raise self._error(f"\\{sign} is not supported")
        return Text(CONTROLS.get(sign, sign).encode())

    def _class(self) -> Expression:
        negated, members = self._take("^"), set[int]()
        first = True
        while first or not self._take("]"):
            first = False
            low = self._member()
            if isinstance(low, frozenset):
                members |= low
            elif self._text.startswith("-", self._at) and not self._text.startswith("-]", self._at):
                self._at += 1
                high = self._member()
                if isinstance(high, frozenset):
                    raise self._error("a range of a class must end with a single character")
                if high < low:
                    raise self._error("a range of a class ends before it begins")
                members |= set(range(low, high + 1))
            else:
                members.add(low)
        return _none_of(frozenset(members)) if negated else ByteOf(frozenset(members))

    def _member(self) -> int | frozenset[int]:
        sign = self._next()
        if sign == "\\":
            sign = self._next()
            if sign in CLASSES:
                return CLASSES[sign]
            sign = CONTROLS.get(sign, sign)
        if ord(sign) > 127:
            raise self._error("a class may contain only ASCII characters")
        return ord(sign)

    def _next(self) -> str:
        if self._at >= len(self._text):
            raise self._error("the expression ends too early")
        self._at += 1
        return self._text[self._at - 1]

    def _take(self, text: str) -> bool:
        if not self._text.startswith(text, self._at):
            return False
        self._at += len(text)
        return True

    def _error(self, reason: str) -> RegularExpressionError:
        around = self._text[max(0, self._at - 20) : self._at + 10]
        return RegularExpressionError(
            f"The regular expression cannot be parsed at character {self._at}, {around!r}: {reason}."
        )


def _none_of(values: frozenset[int]) -> Expression:
    return Either((ByteOf(ASCII - values), *BEYOND_ASCII))


class _Branches:
    """A nondeterministic automaton: state 0 accepts; any other state reads one byte or is a choice between states.

    Equal parts with the same continuation share their states, because many suggested queries have the same end.
    """

    def __init__(self) -> None:
        self.reads: dict[int, tuple[frozenset[int], int]] = {}
        self.choices: dict[int, tuple[int, ...]] = {}
        self._built: dict[tuple[Expression, int], int] = {}

    def state(self) -> int:
        return len(self.reads) + len(self.choices) + 1

    def build(self, part: Expression, after: int) -> int:
        """Build the states of `part` and return the first of them; the states at its end lead to the state `after`."""
        known = self._built.get((part, after))
        if known is None:
            known = self._built[part, after] = self._new(part, after)
        return known

    def _new(self, part: Expression, after: int) -> int:
        match part:
            case Text(value):
                for byte in reversed(value):
                    after = self._read(frozenset((byte,)), after)
                return after
            case ByteOf(values):
                return self._read(values, after)
            case Both(parts):
                for piece in reversed(parts):
                    after = self.build(piece, after)
                return after
            case Either(parts):
                return self._choice(tuple(self.build(piece, after) for piece in parts))
            case Repeat(piece, _, None):
                state = self.state()
                self.choices[state] = ()  # the number is taken before the part is built
                self.choices[state] = (after, self.build(piece, state))
                after = state
            case Repeat(piece, least, int(most)):
                for _ in range(most - least):
                    after = self._choice((after, self.build(piece, after)))
        for _ in range(part.least):
            after = self.build(part.part, after)
        return after

    def _read(self, values: frozenset[int], after: int) -> int:
        state = self.state()
        self.reads[state] = (values, after)
        return state

    def _choice(self, states: tuple[int, ...]) -> int:
        state = self.state()
        self.choices[state] = states
        return state


def _deterministic(expression: Expression) -> Automaton:
    branches = _Branches()
    closures: dict[int, frozenset[int]] = {}

    def closure(state: int) -> frozenset[int]:
        """Return the states that read a byte or accept, and that are reachable from `state` without reading a byte."""
        if state not in closures:
            found, seen, waiting = set(), {state}, [state]
            while waiting:
                here = waiting.pop()
                if here not in branches.choices:
                    found.add(here)
                for there in branches.choices.get(here, ()):
                    if there not in seen:
                        seen.add(there)
                        waiting.append(there)
            closures[state] = frozenset(found)
        return closures[state]

    start = closure(branches.build(expression, 0))
    numbers, waiting, edges = {start: 0}, [start], []
    for states in waiting:
        after: dict[int, set[int]] = defaultdict(set)
        for state in states:
            values, target = branches.reads.get(state, (frozenset(), 0))
            for byte in values:
                after[byte] |= closure(target)
        # Bytes of one class lead to the same state: look each distinct one up once.
        for byte, reached in after.items():
            target_states = frozenset(reached)
            if target_states not in numbers:
                numbers[target_states] = len(numbers)
                waiting.append(target_states)
            edges.append((numbers[states], byte, numbers[target_states]))
    return Automaton.of_edges(edges, [0 in states for states in waiting])
