"""Reading blocks of N-Triples as arrays gives the same as reading them line by line, even for unusual lines."""

import random
from contextlib import closing
from pathlib import Path

import numpy
import pytest

from graphground.graphs.wikidata.dump_files import DumpError
from graphground.graphs.wikidata.ntriples.bits import MOST, Bits, SortedItems
from graphground.graphs.wikidata.ntriples.extract_file import content_of, frame_of, frames
from graphground.graphs.wikidata.ntriples.lines import Lines, Terms, lines_ending
from graphground.graphs.wikidata.ntriples.passes import Found
from graphground.graphs.wikidata.ntriples.staging import Staging
from graphground.graphs.wikidata.ntriples.terms import is_object, item_in, language_of, term_of
from graphground.graphs.wikidata.statements import NORMAL, Statement
from graphground.graphs.wikidata.workspace import Workspace

ENTITY, PROP = b"<http://www.wikidata.org/entity/", b"<http://www.wikidata.org/prop/"
WANTED = [
    PROP + b"direct/P31>",
    PROP + b"statement/P12345>",
    PROP + b"qualifier/P12345>",  # as long as the one before, with the same last bytes
    PROP + b"P31>",
    b"<http://www.w3.org/2002/07/owl#sameAs>",
]
PREDICATES = [*WANTED, PROP + b"reference/P12345>", PROP + b"direct/P3>", b"<a>", b"p", PROP + b"direct/P31>x"]
TERMS = [
    ENTITY + b"Q42>",
    ENTITY + b"Q7>",
    ENTITY + b"Q130000001>",
    ENTITY + b"Q" + b"9" * 18 + b">",
    ENTITY + b"Q" + b"9" * 19 + b">",
    ENTITY + b"Q42-F078>",
    ENTITY + b"Q>",
    ENTITY + b"Q4x2>",
    ENTITY + b"Q42",
    ENTITY + b"Q42>x",
    ENTITY + b"P42>",
    ENTITY + b"statement/Q42-F078>",
    b"<http://www.wikidata.org/entity",
    b"_:b",
    b"#",
    "été".encode(),
    b"\x01\xff",
]
OBJECTS = [*TERMS, b'"a text  of words"@en', b'"a\ttab"@de', b'"\\"@en"', b'"1"^^<x>', b'"@en .', b"<a> <b>"]
ENDS = [b" .", b" .", b" .", b".", b" . ", b" .\r", b"", b" ", b" ..", b"\t.", b" .\x0c"]
GAPS = [b" "] * 30 + [b"  ", b"\t", b"\r", b"\x0b ", b""]
ODD = [b"", b"# a comment of words .", b" ", b"<a>", b"<a> <b>", b"<a> <b> ", b"\r", b"."]


def block_of(chance: random.Random, odd: float) -> bytes:
    """Return a block of random lines; `odd` is the share of lines in an unusual layout."""
    lines = []
    for _ in range(chance.randrange(30)):
        if chance.random() < odd:
            parts = [chance.choice(TERMS), chance.choice(PREDICATES), chance.choice(OBJECTS)]
            gaps = [chance.choice([b""] * 9 + [b" ", b"\t"]), chance.choice(GAPS), chance.choice(GAPS)]
            line = b"".join(gap + part for gap, part in zip(gaps, parts, strict=True)) + chance.choice(ENDS)
            lines.append(chance.choice([line] * 9 + ODD))
        else:
            lines.append(b" ".join((chance.choice(TERMS), chance.choice(PREDICATES), chance.choice(OBJECTS), b".")))
    return b"\n".join(lines) + chance.choice([b"", b"\n"])


def expected(block: bytes) -> list[tuple[int, bytes, bytes, int, int]]:
    """Read a block line by line; return the wanted lines.

    Each line is a tuple: the index of the predicate, the subject, the rest, and the item numbers of the subject and of
    the rest, which are -1 for terms that are not items.
    """
    found = []
    for line in block.split(b"\n"):
        parts = line.split(None, 2)
        if len(parts) == 3 and parts[1] in WANTED:
            items = [item_in(part) for part in (parts[0], parts[2])]
            numbers = [-1 if item is None else item for item in items]
            found.append((WANTED.index(parts[1]), parts[0], parts[2], numbers[0], numbers[1]))
    return found


@pytest.mark.parametrize("odd", [0.0, 0.02, 0.5])
def test_blocks_read_as_arrays_give_the_same_lines_as_blocks_read_line_by_line(odd: float) -> None:
    chance, terms, seen = random.Random(17), Terms(WANTED), 0
    for _ in range(400):
        block = block_of(chance, odd)
        lines = Lines(block, terms)
        rows = zip(
            lines.kinds.tolist(),
            lines.subject_texts(),
            lines.rests(),
            lines.subjects.tolist(),
            lines.objects.tolist(),
            strict=True,
        )
        right = expected(block)
        assert list(rows) == right
        assert lines.are_complete.tolist() == [rest.endswith((b".", b".\r", b". ")) for _, _, rest, _, _ in right]
        assert expected(lines.text()) == right
        assert all(item_in(right[row][2]) is not None for row in numpy.flatnonzero(lines.are_items))
        seen += len(right)
    assert seen > 1000


def test_the_extract_holds_every_line_as_numbers_or_as_text(tmp_path: Path) -> None:
    chance, terms = random.Random(23), Terms(WANTED)
    blocks = [block_of(chance, 0.1) for _ in range(400)]
    written = [frame_of(Lines(block, terms)) for block in blocks]
    path = tmp_path / "extract"
    path.write_bytes(b"".join(written))
    read: list[int] = []
    stored = list(frames(path, read.append))
    assert stored == [frame for frame in written if frame]
    assert read[-1] == path.stat().st_size
    many = 0
    for block, frame in zip(blocks, written, strict=True):
        right = expected(block)
        if not right:
            assert frame == b""
            continue
        pairs, text = content_of(frame)
        as_numbers = list(zip(*(column.tolist() for column in pairs), strict=True))
        as_text = expected(text)
        assert sorted(as_numbers + [(kind, start, end) for kind, _, _, start, end in as_text]) == sorted(
            (kind, start, end) for kind, _, _, start, end in right
        )
        assert all(row in right for row in as_text)
        many += len(as_numbers)
    assert many > 50
    path.write_bytes(b"".join(written)[:-1])
    with pytest.raises(DumpError, match="extract cannot be read any further: it is truncated"):
        list(frames(path, read.append))
    with pytest.raises(DumpError, match="the extract of the dump is damaged"):
        content_of(stored[0][:-5] + b"wrong")
    with pytest.raises(DumpError, match="extract cannot be read any further"):
        list(frames(tmp_path / "missing" / "extract", read.append))


def test_terms_with_the_same_length_and_end_are_distinguished_by_all_their_bytes() -> None:
    block = b"".join(b"<a> %b <b> .\n" % predicate for predicate in PREDICATES)
    assert Lines(block, Terms(WANTED)).kinds.tolist() == [0, 1, 2, 3, 4]
    assert len(Lines(block, Terms([]))) == 0
    assert len(Lines(b"", Terms(WANTED))) == 0


def test_lines_in_wanted_languages_are_kept_and_lines_in_other_languages_are_left_out() -> None:
    chance, usual = random.Random(5), (b'"@en .', b'"@zh-hant .')
    tags = [b"en", b"de", b"zh-hant", b"xzh-hant", b"en-gb", b"een"]
    for _ in range(200):
        many = [
            b'<a> <b> "%b"@%b%b' % (chance.choice([b"", b"a text"]), chance.choice(tags), chance.choice(ENDS))
            for _ in range(20)
        ]
        block = b"\n".join([*many, chance.choice(ODD)])
        kept = set(lines_ending(block, usual).split(b"\n"))
        assert kept <= {*block.split(b"\n"), b""}
        assert {line for line in many if language_of(line.split(None, 2)[2]) in (b"en", b"zh-hant")} <= kept
        assert not any(line.endswith(b'"@de .') for line in kept)


def test_membership_in_a_set_of_items_is_the_same_for_arrays_as_for_single_items() -> None:
    items = {3, 5, 700, MOST - 1, MOST, 10**15}
    numbers = numpy.array([-1, 0, 3, 4, 5, 700, 701, MOST - 1, MOST, MOST + 3, 10**15, 10**17])
    right = [item in items for item in numbers.tolist()]
    assert Bits.of_items(items, max(items)).contain(numbers).tolist() == right
    assert SortedItems.of(items).contain(numbers).tolist() == right
    assert Bits.of_items([5], 5).contain(numbers).tolist() == [item == 5 for item in numbers.tolist()]
    assert not SortedItems.of([]).contain(numbers).any()


def test_truthy_values_that_are_items_are_stored_with_the_other_values_of_their_property(tmp_path: Path) -> None:
    with closing(Workspace(tmp_path / "workspace", "a build")) as workspace:
        for _ in range(2):  # as a level that is repeated after an interruption, or another level with the same items
            with workspace.doing():
                staging, found = Staging(workspace.database), Found()
                found.add("items", [(1, 36, 5), (1, 36, 42), (1, 36, 5), (2, 36, 7), (2, 36, 10), (2, 17, 7)])
                found.add("direct", [(1, 36, b'"text" .'), (3, 36, b'"\\"" .'), (1, 36, b'"text" . ')])
                staging.add(found)
                staging.store(workspace)
                staging.close()
        expected = {
            1: [("item", "Q42"), ("item", "Q5"), ("text", "text")],
            2: [("item", "Q10"), ("item", "Q7")],
            3: [("text", '"')],
        }
        for item, values in expected.items():
            assert workspace.statements(item, "P36") == [Statement(NORMAL, value) for value in values]
        assert [workspace.item_values(item, "P36") for item in (1, 2, 3, 4)] == [None, [10, 7], None, None]


def test_the_quick_test_for_literals_accepts_exactly_the_literals_that_can_be_parsed() -> None:
    chance, parts = random.Random(3), ['"', '"', "\\", "a b", "@en", "^^", "<x>", " .", ".", "é", ">", "\t", "@"]
    texts = ['"' + "".join(chance.choices(parts, k=chance.randrange(1, 7))) for _ in range(20_000)]
    outcomes = [(is_object(text.encode()), term_of(text.encode()) is not None) for text in texts]
    assert set(outcomes) == {(True, True), (False, False)}
