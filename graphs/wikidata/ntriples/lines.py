"""The lines of a block of N-Triples as arrays: predicates and item numbers are read from all lines at once.

>>> direct = b"<http://www.wikidata.org/prop/direct/P31>"
>>> block = b"<http://www.wikidata.org/entity/Q42> %b <http://www.wikidata.org/entity/Q5> .\\n" % direct
>>> lines = Lines(block, Terms([direct]))
>>> lines.kinds, lines.subjects, lines.objects, lines.rests()
(array([0]), array([42]), array([5]), [b'<http://www.wikidata.org/entity/Q5> .'])

Only lines with one of the given predicates are kept. The arrays require the usual layout: one space between the parts,
and no other white space before the object. A block with a line in another layout is first rewritten in this layout.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy
from numpy.typing import NDArray

from graphground.graphs.wikidata.ntriples.terms import ITEM_PREFIX, item_in

Numbers = NDArray[numpy.int64]
Mask = NDArray[numpy.bool_]
WORD = 8
"""The number of bytes that are compared at once, as one integer."""
MOST_DIGITS = 18
LINE_FEED, RETURN, SPACE, FULL_STOP, CLOSING, ZERO = b"\n\r .>0"
_OTHER_SPACES = (b"\t", b"\r", b"\x0b", b"\x0c")
SPREAD = numpy.uint64(0x9E3779B97F4A7C15)
"""An odd factor: the search key of a term is its length times this factor, plus its last eight bytes as an integer."""
_ALPHANUMERIC = numpy.array([bytes((value,)).isalnum() for value in range(256)])
_POWERS = 10 ** numpy.arange(MOST_DIGITS, dtype=numpy.int64)[::-1]


class Block:
    """The bytes of whole lines, the positions of the lines, and an array `words` of integers.

    The integer at a position consists of the eight bytes that start at this position of the block.
    """

    def __init__(self, piece: bytes) -> None:
        self.piece = piece if not piece or piece.endswith(b"\n") else piece + b"\n"
        self.bytes = numpy.frombuffer(self.piece, numpy.uint8)
        padded = numpy.frombuffer(self.piece + bytes(WORD), numpy.uint8)
        self.words = numpy.ndarray((len(self.piece),), "<u8", padded, strides=(1,))

    @cached_property
    def ends(self) -> Numbers:
        """The position of each line's line feed."""
        return numpy.flatnonzero(self.bytes == LINE_FEED)

    @cached_property
    def starts(self) -> Numbers:
        """The position at which each line starts."""
        return numpy.concatenate((numpy.zeros(1, numpy.int64), self.ends + 1))[:-1]


class Terms:
    """Terms to look for in a block: `Terms([b"<http://www.w3.org/2002/07/owl#sameAs>"])`.

    Each term has at least eight bytes. Its place is its position among the terms.
    """

    def __init__(self, terms: Iterable[bytes]) -> None:
        self.terms = tuple(dict.fromkeys(terms))
        keys = numpy.array([_word(term[-WORD:]) for term in self.terms], numpy.uint64)
        keys += numpy.array([len(term) for term in self.terms], numpy.uint64) * SPREAD
        order = numpy.argsort(keys, kind="stable")
        self._keys = keys[order]
        self._order = order.astype(numpy.int64)
        self._lengths = numpy.array([len(self.terms[place]) for place in order], numpy.int64)
        longest = max(map(len, self.terms), default=0)
        self._words = numpy.array(
            [
                [
                    _word(term[at : at + WORD])
                    for at in (min(start, len(term) - WORD) for start in range(0, longest, WORD))
                ]
                for term in (self.terms[place] for place in order)
            ],
            numpy.uint64,
        )
        _, counts = numpy.unique(self._keys, return_counts=True)
        self._alike = int(counts.max(initial=0))
        """The maximum number of terms that have the same length and end in the same eight bytes."""

    def are(self, terms: Iterable[bytes]) -> Mask:
        """Return a mask of this object's terms, by place: True for each that is also in `terms`."""
        others = frozenset(terms)
        return numpy.array([term in others for term in self.terms], bool)

    def places_of(self, terms: Iterable[bytes]) -> Numbers:
        """Return the place of each of `terms` among this object's terms; -1 for a term that is not among them."""
        places = {term: place for place, term in enumerate(self.terms)}
        return numpy.array([places.get(term, -1) for term in terms], numpy.int64)

    def find(self, block: Block, starts: Numbers, ends: Numbers) -> Numbers:
        """Return the place of each text of a block among this object's terms; -1 for a text that is not a term.

        `starts` and `ends` hold the positions in the block at which the texts start and end.
        """
        found = numpy.full(len(starts), -1, numpy.int64)
        if not self.terms or not len(starts):
            return found
        lengths = ends - starts
        tails = block.words[numpy.maximum(ends - WORD, 0)]
        keys = tails + lengths.astype(numpy.uint64) * SPREAD
        first = numpy.searchsorted(self._keys, keys)
        for place in range(self._alike):
            among = numpy.minimum(first + place, len(self._keys) - 1)
            rows = numpy.flatnonzero((self._keys[among] == keys) & (self._lengths[among] == lengths))
            if len(rows):
                rows = rows[self._is_equal(block, starts[rows], among[rows])]
                found[rows] = self._order[among[rows]]
        return found

    def _is_equal(self, block: Block, starts: Numbers, among: Numbers) -> Mask:
        equal = numpy.ones(len(starts), bool)
        last = self._lengths[among] - WORD
        for number in range(self._words.shape[1]):
            equal &= block.words[starts + numpy.minimum(number * WORD, last)] == self._words[among, number]
        return equal


_ITEM_WORDS = tuple(
    numpy.uint64(int.from_bytes(ITEM_PREFIX[at : at + WORD], "little")) for at in range(0, len(ITEM_PREFIX) - 1, WORD)
)


def _word(text: bytes) -> int:
    return int.from_bytes(text, "little")


class Lines:
    """The lines of a block whose predicate is one of the given terms: `Lines(block, Terms([b"<…/direct/P31>"]))`."""

    def __init__(self, piece: bytes, terms: Terms) -> None:
        block = Block(piece)
        parts = None if any(space in piece for space in _OTHER_SPACES) else _parts(block)
        if parts is None:
            block = Block(_usual(block.piece))
            parts = _parts(block)
            assert parts is not None, "a block was not rewritten in the usual layout"
        starts, first, second = parts
        kinds = terms.find(block, first + 1, second)
        rows = numpy.flatnonzero(kinds >= 0)
        self.block = block
        self.kinds = kinds[rows]
        """For each line, the place of its predicate among the terms."""
        self.starts, self.ends = starts[rows], block.ends[rows]
        self._first, self._second = first[rows], second[rows]

    def __len__(self) -> int:
        return len(self.kinds)

    def only(self, rows: Numbers | Mask) -> Lines:
        """Return some of the lines: `lines.only(lines.kinds == 0)`."""
        selection = object.__new__(Lines)
        selection.block, selection.kinds = self.block, self.kinds[rows]
        selection.starts, selection.ends = self.starts[rows], self.ends[rows]
        selection._first, selection._second = self._first[rows], self._second[rows]
        return selection

    @cached_property
    def subjects(self) -> Numbers:
        """For each line, the number of the item that is its subject; -1 for any other subject."""
        return _items(self.block, self.starts, self._first)

    @cached_property
    def objects(self) -> Numbers:
        """For each line, the number of the item with which its object begins; -1 for any other object."""
        return _items(self.block, self._second + 1, self.ends - 2)

    @cached_property
    def are_complete(self) -> Mask:
        """A mask of the lines that end with a full stop, perhaps followed by a space or carriage return."""
        last, before = self.block.bytes[self.ends - 1], self.block.bytes[self.ends - 2]
        found: Mask = (last == FULL_STOP) | ((before == FULL_STOP) & ((last == SPACE) | (last == RETURN)))
        return found

    @cached_property
    def are_items(self) -> Mask:
        """A mask of the lines whose object is an item, followed by one space and the full stop."""
        values, ends = self.block.bytes, self.ends
        found: Mask = (values[ends - 1] == FULL_STOP) & (values[ends - 2] == SPACE) & (values[ends - 3] == CLOSING)
        return found & (self.objects >= 0)

    def are_of(self, terms: Terms, predicate: bytes) -> Mask:
        """Return a mask of the lines with the given predicate; `terms` are the terms with which the lines were read."""
        found: Mask = terms.are((predicate,))[self.kinds]
        return found

    def kinds_of_objects(self, terms: Terms) -> Numbers:
        """Return, for each line, the place of its object among `terms`; -1 for other objects and unusual line ends."""
        return terms.find(self.block, self._second + 1, self.ends - 2)

    def subject_texts(self) -> list[bytes]:
        """Return the subject of each line."""
        return _slices(self.block.piece, self.starts, self._first)

    def rests(self) -> list[bytes]:
        """Return the rest of each line: the object and the final full stop."""
        return _slices(self.block.piece, self._second + 1, self.ends)

    def text(self) -> bytes:
        """Return the lines as one text."""
        return _joined(self.block.piece, self.starts, self.ends)


def lines_ending(piece: bytes, usual: Sequence[bytes]) -> bytes:
    """Return the lines of a block, without most of the lines that contain texts in unwanted languages.

    Such a line usually ends with a language tag, one space and the full stop. `usual` are the ends of lines with texts
    in the wanted languages. A line whose object is a blank node (`_:b0`) may be left out too.

    >>> lines_ending(b'<a> <b> "c"@de .\\n<a> <b> "c"@en .\\n<a> <b> <c> .\\n', [b'"@en .'])
    b'<a> <b> "c"@en .\\n<a> <b> <c> .\\n'
    """
    block = Block(piece)
    ends = block.ends
    before = block.bytes[numpy.maximum(ends - 3, 0)]
    is_kept = (block.bytes[ends - 1] != FULL_STOP) | (block.bytes[ends - 2] != SPACE) | ~_ALPHANUMERIC[before]
    tails = block.words[numpy.maximum(ends - WORD, 0)]
    for end in usual:
        size = min(len(end), WORD)
        is_kept |= tails >> numpy.uint64(8 * (WORD - size)) == numpy.uint64(_word(end[-size:]))
    return _joined(block.piece, block.starts[is_kept], ends[is_kept])


def _joined(piece: bytes, starts: Numbers, ends: Numbers) -> bytes:
    """Return the lines with the given starts and ends as one text; consecutive lines are copied in one piece."""
    if not len(starts):
        return b""
    gaps = numpy.flatnonzero(starts[1:] != ends[:-1] + 1)
    starts = numpy.concatenate((starts[:1], starts[1:][gaps]))
    ends = numpy.concatenate((ends[:-1][gaps], ends[-1:]))
    return b"".join(_slices(piece, starts, ends + 1))


def _slices(piece: bytes, starts: Numbers, ends: Numbers) -> list[bytes]:
    return [piece[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]


def _parts(block: Block) -> tuple[Numbers, Numbers, Numbers] | None:
    """Return the positions of each line's start, first space and second space; None if any line's layout is unusual."""
    separators = numpy.flatnonzero((block.bytes == LINE_FEED) | (block.bytes == SPACE))
    lasts = numpy.flatnonzero(block.bytes[separators] == LINE_FEED)
    before = numpy.concatenate((numpy.full(1, -1, numpy.int64), lasts))[:-1]
    if (lasts - before < 3).any():  # fewer than three parts
        return None
    starts = block.starts
    first, second = separators[before + 1], separators[before + 2]
    if (first == starts).any() or (second == first + 1).any() or (block.bytes[second + 1] == SPACE).any():
        return None
    return starts, first, second


def _usual(piece: bytes) -> bytes:
    """Rewrite lines in the usual layout, with one space between the three parts; leave out lines with fewer parts."""
    return b"".join(
        b"%b %b %b\n" % (parts[0], parts[1], parts[2])
        for line in piece.split(b"\n")
        if len(parts := line.split(None, 2)) == 3
    )


def _items(block: Block, starts: Numbers, ends: Numbers) -> Numbers:
    """Return, for the text at each start, the number of the item with which it begins; -1 for any other text.

    `ends` are the positions after the texts. Most texts are an item and nothing else: NumPy parses all of these
    together, and Python parses the other texts one by one.
    """
    found = numpy.full(len(starts), -1, numpy.int64)
    digits = ends - 1 - len(ITEM_PREFIX) - starts
    rows = numpy.flatnonzero(starts + len(ITEM_PREFIX) < len(block.piece))
    rows = rows[block.bytes[starts[rows] + len(ITEM_PREFIX) - 1] == ITEM_PREFIX[-1]]
    for number, word in enumerate(_ITEM_WORDS):
        rows = rows[block.words[starts[rows] + number * WORD] == word]
    if not len(rows):
        return found
    closings, counts = ends[rows] - 1, digits[rows]
    is_usual = (counts > 0) & (counts <= MOST_DIGITS) & (block.bytes[closings] == CLOSING)
    usual = rows[is_usual]
    if len(usual):
        counts = counts[is_usual]
        most = int(counts.max())
        places = closings[is_usual][:, None] - numpy.arange(most, 0, -1)
        values = block.bytes[places].astype(numpy.int64) - ZERO
        values[numpy.arange(most) < most - counts[:, None]] = 0
        is_number = ((values >= 0) & (values <= 9)).all(axis=1)
        found[usual] = numpy.where(is_number, values @ _POWERS[-most:], -1)
    for row in rows[found[rows] < 0].tolist():
        start = int(starts[row])
        item = item_in(block.piece[start : start + len(ITEM_PREFIX) + MOST_DIGITS + 1])
        found[row] = -1 if item is None else item
    return found
