"""The findings about a query: a `Diagnostic` for each, a `Report` for all."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from graphground.cypher.tree import Node, Query, RelationshipPattern

Severity = Literal["error", "warning", "hint"]
LONGEST_SPAN, LONGEST_MESSAGE = 400, 2_000
"""The maximum number of characters of a span of the query, and of a message, that a tool's answer contains."""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding, with its position in the query.

    `MATCH (m:Movi) RETURN m.name` yields
    `Diagnostic("unknown_label", "error", "…", line=1, column=10, end_line=1, end_column=14,
    found="Movi", suggestions=("Movie",))`.

    Lines and columns count from 1; the end is just past the last character. `suggestions` are ready to
    paste in place of the span, best first.
    """

    code: str
    severity: Severity
    message: str
    line: int
    column: int
    end_line: int
    end_column: int
    found: str = ""
    suggestions: Sequence[str] = ()
    edits: Sequence[Edit] = field(default=(), repr=False, compare=False)
    """The edits that fix the problem, if the fix is clear; not included in tool answers."""
    choices: Sequence[Sequence[Edit]] = field(default=(), repr=False, compare=False)
    """Several fixes of which one may be meant: the data show whether only one of them returns rows."""

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form for tool answers: long spans and messages are cut, long suggestions are left out."""
        return {
            "code": self.code,
            "severity": self.severity,
            "message": cut_inside(self.message, LONGEST_MESSAGE),
            "line": self.line,
            "column": self.column,
            "end_line": self.end_line,
            "end_column": self.end_column,
            "found": cut(self.found, LONGEST_SPAN),
            "suggestions": [text for text in self.suggestions if len(text) <= LONGEST_MESSAGE],
        }


def cut(text: str, most: int) -> str:
    """Shorten a text that is longer than `most` characters: `cut("abcdef", 4)` is `abc…`."""
    return text if len(text) <= most else text[: most - 1] + "…"


def cut_inside(text: str, most: int) -> str:
    """Cut the middle out of a text longer than `most`: `cut_inside("no label 'aaaaaaa'", 15)` is `no label …aaaa'`.

    The end of a message says what to do, so it must survive a long name in the middle.
    """
    if len(text) <= most:
        return text
    end = most // 3
    return text[: most - end - 1] + "…" + text[len(text) - end :]


@dataclass(frozen=True, slots=True)
class Report:
    """The verdict on a query: `valid` is true when no diagnostic is an error.

    `suggested_query` is the repaired query, or None if no repair is clear.
    """

    valid: bool
    access: Access
    diagnostics: tuple[Diagnostic, ...]
    suggested_query: str | None = None
    query: Query | None = field(default=None, repr=False, compare=False)
    """The syntax tree, kept so that the text is parsed only once; None if the text cannot be parsed."""
    compiles: bool = True
    """Whether the database would compile the query, regardless of schema and access rights."""

    def edits(self) -> list[Edit]:
        """Return the edits of all findings whose fix is clear."""
        return [edit for diagnostic in self.diagnostics for edit in diagnostic.edits]


# The versions of Cypher and the order of access levels; cheap to import


Language = Literal["cypher5", "cypher25"]
"""The version of Cypher for a query that does not state a version."""

Access = Literal["read", "write", "schema", "admin"]
"""Access levels: the effect of a query on the database, from the weakest to the strongest."""

ORDER: dict[Access, int] = {"read": 0, "write": 1, "schema": 2, "admin": 3}


def widest(accesses: Iterable[Access]) -> Access:
    """Return the highest of several access levels, `read` for none:
    `widest(["read", "schema", "write"])` is `schema`."""
    return max(accesses, key=ORDER.__getitem__, default="read")


class Problem(NamedTuple):
    """An error of the text at a span: `Problem("not_read_only", 0, 6, "CREATE writes; …", access="write")`.

    `access` is what a query with this problem needs; `LineIndex.diagnostic` makes the `Diagnostic`.
    """

    code: str
    start: int
    end: int
    message: str
    suggestions: tuple[str, ...] = ()
    edits: tuple[Edit, ...] = ()
    access: Access = "read"


class LineIndex:
    r"""A converter of offsets in a text to lines and columns, both counted from 1.

    `starts` has the offset at which each line begins; `\n`, `\r\n` and a lone `\r` end a line.
    """

    __slots__ = ("starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0, *(match.end() for match in _LINE_END.finditer(text))]

    def of(self, offset: int) -> tuple[int, int]:
        """Return the line and the column of an offset."""
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1

    def diagnostic(self, problem: Problem) -> Diagnostic:
        """Return the error diagnostic for a problem."""
        code, start, end, message, suggestions, edits, _ = problem
        return Diagnostic(
            code, "error", message, *self.of(start), *self.of(end), self.text[start:end], suggestions, edits
        )


_LINE_END = re.compile(r"\r\n?|\n")


# Edits of a query's text, and the reversal of a relationship


@dataclass(frozen=True, slots=True)
class Edit:
    """A replacement of `text[start:end]`: `Edit(9, 13, "Movie")` turns `MATCH (m:Movi)` into `MATCH (m:Movie)`."""

    start: int
    end: int
    replacement: str


def applied(text: str, edits: Iterable[Edit]) -> str:
    """Apply all edits, whose offsets refer to the original text.

        >>> applied("MATCH (m:Movi)", [Edit(9, 13, "Movie"), Edit(14, 14, " RETURN m")])
        'MATCH (m:Movie) RETURN m'

    Of overlapping edits, only the edit that begins first is applied; of replacements that begin together, the longest.
    Insertions at the same offset stay in order.
    """
    parts: list[str] = []
    place, last = 0, None
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end > edit.start, -edit.end)):
        if edit.start < place or (edit == last and edit.end > edit.start):
            continue
        parts += (text[place : edit.start], edit.replacement)
        place, last = edit.end, edit
    return "".join(parts) + text[place:]


def reversal(text: str, relationship: RelationshipPattern) -> list[Edit]:
    """Return the edits of a query's text that turn the arrow of a relationship; none for an undirected relationship."""
    if relationship.direction == "both":
        return []
    start, to_right = relationship.start, relationship.direction == "right"
    from graphground.cypher.tokens import tokenize  # `tools/list` loads this module, and needs no tokens

    tokens = tokenize(text[start : relationship.end])
    # A quantifier may follow the arrow, but it has no bracket: the last bracket closes the relationship.
    brackets = [at for at, kind in enumerate(tokens.kinds) if kind == "]"]
    dash = brackets[-1] + 1 if brackets else 1 if to_right else 2
    head = dash + 1 if to_right else 0
    turned = Edit(start, start, "<") if to_right else Edit(start + tokens.ends[dash], start + tokens.ends[dash], ">")
    return [turned, Edit(start + tokens.starts[head], start + tokens.ends[head], "")]


def reversed_text(text: str, relationship: RelationshipPattern) -> str:
    """Return a relationship of a query's text reversed: `-[r:hasCEO]->{1,3}` as `<-[r:hasCEO]-{1,3}`.

    An undirected relationship is written unchanged.
    """
    return text_with(text, relationship, reversal(text, relationship))


def text_with(text: str, node: Node, edits: Iterable[Edit]) -> str:
    """Return a node of a query's text after edits, whose offsets are those of the whole text."""
    shifted = (Edit(edit.start - node.start, edit.end - node.start, edit.replacement) for edit in edits)
    return applied(text[node.start : node.end], shifted)


# Words for messages: counted nouns, lists of words that may be long, and whole sentences


MOST = 8
"""The number of words after which a list is cut, unless the caller gives another number."""


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun; an irregular plural is passed.

    >>> counted(1, "row"), counted(2_500, "row"), counted(2, "entity", "entities")
    ('1 row', '2,500 rows', '2 entities')
    """
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def listed(words: Sequence[str], most: int = MOST) -> str:
    """Join words after a colon: `listed(["a", "b"])` is `a, b`; a list longer than `most` ends in `and 3 more`."""
    if len(words) <= most:
        return ", ".join(words)
    return f"{', '.join(words[:most])} and {len(words) - most} more"


def all_of(words: Sequence[str], most: int = MOST) -> str:
    """Join words inside a sentence; a longer list is cut as by `listed`.

    >>> all_of(["a", "b", "c"])
    'a, b and c'
    """
    return _with_last("and", words) if len(words) <= most else listed(words, most)


def either(words: Sequence[str], most: int = MOST) -> str:
    """Join alternatives; a list longer than `most` ends in `or one of 3 others`.

    >>> either(["a", "b", "c"]), either(["a", "b", "c"], most=1)
    ('a, b or c', 'a or one of 2 others')
    """
    if len(words) <= most:
        return _with_last("or", words)
    left = len(words) - most
    return f"{', '.join(words[:most])} or {'one other' if left == 1 else f'one of {left} others'}"


def sentence(message: str) -> str:
    """Return a diagnostic's message without the lines that show its position, ended by a full stop if it has no end."""
    line = message.partition("\n")[0]
    return line if line.endswith((".", "?")) else f"{line}."


def _with_last(word: str, words: Sequence[str]) -> str:
    return f" {word} ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))
