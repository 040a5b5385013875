"""Finds the mentions in a whole question, each with its verdict: exact names, misspelt names, and absent names.

    >>> mentions = mentions_of(question, lookup, schema)  # doctest: +SKIP
    >>> [(mention.text, mention.judgement.verdict) for mention in mentions]  # doctest: +SKIP
    [('Golrtn 1 Center', 'found'), ('Democratic Socialist Party of Greece', 'not_found')]

A sequence of words written like a name (capitalised, or in quotation marks) is looked up as one name. A shorter name
of the graph inside the sequence is probably a part of another name, and is used only if the sequence consists entirely
of names of the graph and words such as `of`. A word that is neither English nor in the schema may be a misspelt name,
alone or with its neighbours. A sequence without an entity in the graph is reported as `not_found`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from graphground.cypher.names.calendar import MONTHS, WEEKDAYS
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.entities.candidate import Candidate, EntityLookup, Mode
from graphground.graphs.entities.demonyms import demonyms_in
from graphground.graphs.entities.folding import fold
from graphground.graphs.entities.spans import COMMON, LONGEST_QUESTION, QUOTED, Word, begins_sentence, words_of
from graphground.graphs.entities.verdicts.judging import CONSIDERED, Judgement, Verdict, judge
from graphground.graphs.schemas.filtering.lexicon import concepts_of
from graphground.graphs.schemas.filtering.words import lemma, root, split_name

MOST_MENTIONS = 50
CALENDAR = frozenset(name.lower() for name in (*MONTHS, *WEEKDAYS))
"""Names of months and weekdays: capitalised words that are not written like names of entities."""
# fmt: off
CONNECTORS = frozenset("""
of the and de la le les von van der den di da du del in for at to on y et & no a an with his her its from by as
""".split())  # noqa: SIM905
# fmt: on
"""Words that stay in lower case within a name."""
APART = frozenset(("and", "or", "&", "in", "at", "by", "to", "for", "on", "from", "with"))
"""Words that may separate two names in a sequence of capitalised words."""
LONGEST_MISSPELT = 6
"""The maximum number of words that are looked up as a misspelt name: an unknown word and its neighbours."""
MOST_LOOKED_UP = 60
ALIKE = 0.85
"""The minimum similarity, ignoring spaces, at which a name is regarded as covering a whole text."""
# fmt: off
EXPLAINED = frozenset("""
different distinct unique various multiple several single similar specific particular certain other same corresponding
individual respective known given following available existing main new among per versus without
""".split())  # noqa: SIM905
# fmt: on
"""Words that are not looked up when they precede a label: `different` in `different films`."""
VERB_AFTER = frozenset(("that", "which", "who", "to", "do", "does", "did", "they", "it", "and", "or", "not"))
"""Words that may precede a verb: in `genres that include sculptures`, `include` is a verb and is not looked up."""


@dataclass(frozen=True, slots=True)
class QuestionMention:
    """A part of a question, from the position `start` up to but not including `end`, with its verdict."""

    text: str
    start: int
    end: int
    judgement: Judgement


def mentions_of(
    question: str,
    lookup: EntityLookup,
    schema: PropertyGraphSchema,
    *,
    label: str | None = None,
    property: str | None = None,
    mode: Mode = "auto",
) -> list[QuestionMention]:
    """Return the mentions in a question, in order and without overlaps; `label` and `property` restrict candidates."""
    question = question[:LONGEST_QUESTION]
    words = words_of(question)
    exact = [(span.start, span.end) for span in lookup.spans(question)]
    known = _schema_words(schema)
    judge_all = partial(_judge_all, lookup=lookup, label=label, property=property, mode=mode)
    strange = _strange(words, exact, known)
    found: list[QuestionMention] = []
    covered: list[tuple[int, int]] = []

    def add(pieces: Iterable[QuestionMention]) -> None:
        for piece in pieces:
            if not _overlaps((piece.start, piece.end), covered):
                covered.append((piece.start, piece.end))
                found.append(piece)

    add(_quoted(question, words, exact, judge_all))
    if label is None and property is None:
        add(_demonyms(question, [*exact, *covered], lookup))
    add(_misspelt(question, words, strange, covered, judge_all))
    for run in _runs(question, words, exact, strange):
        if not _overlaps((run[0].start, run[-1].end), covered):
            add(_of_run(question, run, exact, judge_all))
    add(_as_written(question, [span for span in exact if not _overlaps(span, covered)], judge_all))
    add(_before_labels(question, words, covered, known, schema, judge_all))
    return sorted(found, key=lambda mention: mention.start)[:MOST_MENTIONS]


def _demonyms(question: str, covered: Sequence[tuple[int, int]], lookup: EntityLookup) -> Iterator[QuestionMention]:
    """Yield adjectives as mentions of countries, `French` of `France`; nodes take precedence over property values."""
    for word, candidates in demonyms_in(question, covered, lookup):
        preferred = [candidate for candidate in candidates if not candidate.is_value] or candidates
        verdict: Verdict = "found" if len(preferred) == 1 else "ambiguous"
        yield QuestionMention(
            question[word.start : word.end], word.start, word.end, Judgement(verdict, preferred, candidates)
        )


def _judge_all(
    texts: Sequence[str], lookup: EntityLookup, label: str | None, property: str | None, mode: Mode
) -> list[Judgement]:
    found = lookup.find_all(texts, label=label, property=property, mode=mode, limit=CONSIDERED)
    by_meaning = mode == "vector"
    return [
        judge(text, candidates, lookup, by_meaning=by_meaning) for text, candidates in zip(texts, found, strict=True)
    ]


def _overlaps(span: tuple[int, int], covered: Iterable[tuple[int, int]]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in covered)


def _as_written(
    question: str, spans: Sequence[tuple[int, int]], judge_all: partial[list[Judgement]]
) -> list[QuestionMention]:
    texts = [question[start:end] for start, end in spans]
    return [
        QuestionMention(text, start, end, its)
        for (start, end), text, its in zip(spans, texts, judge_all(texts), strict=True)
    ]


def _quoted(
    question: str, words: Sequence[Word], exact: Sequence[tuple[int, int]], judge_all: partial[list[Judgement]]
) -> list[QuestionMention]:
    """Return the quoted parts as mentions, without those in `exact`; each quoted part is one name."""
    spans = [
        match.span(match.lastindex or 0)
        for match in QUOTED.finditer(question)
        if match.span(match.lastindex or 0) not in exact
    ]
    return _as_written(question, spans, judge_all)


def _strange(words: Sequence[Word], exact: Sequence[tuple[int, int]], known: frozenset[str]) -> set[int]:
    """Return the positions of the words that may be misspelt names.

    They have at least three letters, are not numbers, and are neither English nor in the schema nor in an exact name.
    """
    from graphground.graphs.entities.verdicts.features import common_words  # NumPy, on first use

    ordinary = COMMON | common_words()
    return {
        place
        for place, word in enumerate(words)
        if not _overlaps((word.start, word.end), exact)
        and not word.folded.isdecimal()
        and len(word.folded) > 2
        and root(word.folded) not in known
        and ordinary.isdisjoint((word.folded, lemma(word.folded), *(ending for ending, _ in word.endings)))
    }


def _runs(
    question: str, words: Sequence[Word], exact: Sequence[tuple[int, int]], strange: Collection[int]
) -> Iterator[list[Word]]:
    """Yield the sequences written like names.

    A sequence begins with a capitalised word. Capitalised words, numbers, connectors and strange words follow.
    """
    run: list[Word] = []
    for place, word in enumerate([*words, None]):
        if word is not None and run and _breaks(question, run[-1], word, exact):
            yield from _trimmed(question, run)
            run = []
        if word is not None and (_continues(question, word, bool(run)) or (run and place in strange)):
            run.append(word)
            continue
        yield from _trimmed(question, run)
        run = []


def _breaks(question: str, last: Word, word: Word, exact: Sequence[tuple[int, int]]) -> bool:
    """Whether punctuation before `word` ends the name; False if a name of the graph continues after the punctuation."""
    between = question[last.end : word.start]
    return any(mark in between for mark in ',;:?!()"\u201c\u201d') and not any(
        start <= last.start and word.end <= end for start, end in exact
    )


def _continues(question: str, word: Word, within: bool) -> bool:
    first = question[word.start]
    if first.isupper():
        return word.folded not in CALENDAR and not (
            word.folded in COMMON and begins_sentence(question, word.start) and not within
        )
    return within and (first.isdecimal() or word.folded in CONNECTORS)


def _trimmed(question: str, run: list[Word]) -> Iterator[list[Word]]:
    """Yield the sequence without connectors at its end; yield nothing for a single word that begins a sentence."""
    while run and (run[-1].folded in CONNECTORS or run[-1].folded in COMMON) and not question[run[-1].start].isupper():
        run = run[:-1]
    if run and begins_sentence(question, run[0].start) and len(run) == 1:
        return
    if run:
        yield run


def _of_run(
    question: str, run: list[Word], exact: Sequence[tuple[int, int]], judge_all: partial[list[Judgement]]
) -> list[QuestionMention]:
    """Return the mentions in a sequence of words: the whole sequence as a single name, or the names in it."""
    start, end = run[0].start, _end(question, run)
    inside = [span for span in exact if start <= span[0] and span[1] <= max(end, run[-1].end + 2)]
    across = [span for span in exact if _overlaps(span, [(start, end)]) and span not in inside]
    if across:
        return _as_written(question, across, judge_all)
    left = [word for word in run if not _overlaps((word.start, word.end), inside)]
    if inside and not [word for word in left if word.folded not in CONNECTORS and word.folded not in COMMON]:
        return _as_written(question, inside, judge_all)
    options = [run]
    if begins_sentence(question, run[0].start) and len(run) > 1:
        options.append(run[1:])
    spans = [(option[0].start, end) for option in options]
    for mention in _as_written(question, spans, judge_all):
        if mention.judgement.verdict != "not_found" and _whole(mention.text, mention.judgement.candidates):
            return [mention]
    for place in range(len(run) - 2, 0, -1):
        if run[place].folded in APART and not question[run[place].start].isupper():
            parts = [part for part in (run[:place], run[place + 1 :]) if part]
            return [
                mention
                for part in parts
                for trimmed in _trimmed(question, part)
                for mention in _of_run(question, trimmed, exact, judge_all)
            ]
    if begins_sentence(question, run[0].start) and len(run) > 1:
        return _of_run(question, run[1:], exact, judge_all)
    return _as_written(question, [(start, end)], judge_all)


def _end(question: str, run: Sequence[Word]) -> int:
    """Return the end position of a sequence, without a possessive ending but with the full stop of an abbreviation."""
    last = run[-1]
    end = min((end for _, end in last.endings if question[end : end + 1] in ("'", "\u2019")), default=last.end)
    if question[end : end + 1] == "." and question[end - 2 : end - 1] in (".", " ", ""):
        end += 1
    return end


def _whole(text: str, candidates: Sequence[Candidate]) -> bool:
    """Whether the name of any candidate covers the whole text, and not just a part of it."""
    from rapidfuzz.distance import OSA  # loaded on first use, with NumPy

    from graphground.graphs.entities.verdicts.features import align

    folded = fold(text)
    for candidate in candidates:
        other = fold(candidate.matched or candidate.name)
        if all(word in CONNECTORS for word in align(folded.split(), other.split()).unmatched):
            return True
        if OSA.normalized_similarity(folded.replace(" ", ""), other.replace(" ", "")) >= ALIKE:
            return True
    return False


def _schema_words(schema: PropertyGraphSchema) -> frozenset[str]:
    """Return the roots of the words of labels, relationship types and properties."""
    names = [
        *schema.labels,
        *(pattern.type for pattern in schema.patterns),
        *(name for label in schema.labels.values() for name in label.properties),
        *(name for pattern in schema.patterns for name in pattern.properties),
    ]
    return frozenset(root(word) for name in names for word in split_name(name))


def _misspelt(
    question: str,
    words: Sequence[Word],
    strange: Collection[int],
    covered: Sequence[tuple[int, int]],
    judge_all: partial[list[Judgement]],
) -> list[QuestionMention]:
    """Return the misspelt names, best first: strange words, alone or with neighbours, that are similar to a name."""
    spans: dict[tuple[int, int], None] = {}
    for place in sorted(strange):
        for first in range(max(0, place - LONGEST_MISSPELT + 1), place + 1):
            for last in range(place, min(first + LONGEST_MISSPELT, len(words))):
                ends = (words[first], words[last])
                if _overlaps((words[first].start, words[last].end), covered) or any(
                    word.folded in COMMON | CONNECTORS and not question[word.start].isupper() for word in ends
                ):
                    continue
                if not any(mark in question[words[first].end : words[last].start] for mark in ';:?!"'):
                    spans[words[first].start, _end(question, words[first : last + 1])] = None
    likeliest = sorted(spans, key=lambda span: span[0] - span[1])[:MOST_LOOKED_UP]
    return sorted(
        (
            mention
            for mention in _as_written(question, likeliest, judge_all)
            if mention.judgement.verdict != "not_found" and _whole(mention.text, mention.judgement.candidates)
        ),
        key=lambda mention: -mention.judgement.candidates[0].score,
    )


def _before_labels(
    question: str,
    words: Sequence[Word],
    covered: Sequence[tuple[int, int]],
    known: frozenset[str],
    schema: PropertyGraphSchema,
    judge_all: partial[list[Judgement]],
) -> list[QuestionMention]:
    """Return the words before a label that are not in the schema, and so may be values: `gothic` in `gothic films`."""
    labels = {lemma(split_name(label)[-1]) for label in schema.labels if split_name(label)}
    concepts = {concept for label in labels for concept in concepts_of(label)} - {"agent"}
    spans = [
        (before.start, before.end)
        for earlier, before, word in zip(words, words[1:], words[2:], strict=False)
        if (lemma(word.folded) in labels or not concepts.isdisjoint(concepts_of(word.folded)))
        and not word.folded.endswith(("ed", "ing"))
        and not concepts_of(before.folded)
        and question[before.end : word.start] == " "
        and not _overlaps((before.start, before.end), covered)
        and before.folded.isalpha()
        and before.folded not in COMMON | EXPLAINED
        and earlier.folded in COMMON
        and (earlier.folded not in VERB_AFTER or begins_sentence(question, earlier.start))
        and root(before.folded) not in known
        and not before.folded.endswith(("ed", "ing", "est", "ly"))
    ]
    return _as_written(question, spans, judge_all)
