"""Reads a question against an open graph."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from functools import lru_cache, partial
from itertools import product

from rapidfuzz.distance import OSA

from graphground.cypher.names.lexicon import COMMON, STOP_WORDS, TALK_WORDS
from graphground.cypher.names.words import MONTHS as MONTH_NAMES
from graphground.cypher.names.words import lemma, root
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.entities.candidate import Candidate, EntityLookup, Mode, Search
from graphground.graphs.entities.spans import LONGEST_QUESTION, demonyms_in, words_of
from graphground.graphs.entities.spans import Word as Token
from graphground.graphs.entities.verdicts.judging import CONSIDERED, Judgement, judge, word_ranks
from graphground.graphs.graph import Graph
from graphground.graphs.question.meanings import ROOT, schema_names
from graphground.graphs.question.model import (
    Comparison,
    Meaning,
    MeaningKind,
    Mention,
    Quantity,
    Question,
    Word,
    node_of,
)
from graphground.graphs.question.neighbourhoods import read_neighbourhoods
from graphground.graphs.question.segment import UNKNOWN_PROMINENCE, Found, Segmenter
from graphground.graphs.question.values import add_values

NEIGHBOURHOOD_SECONDS = 4.0
QUESTION_WORDS = ("which", "what", "where", "when", "whose", "there", "with", "that", "does", "have", "from", "many")
"""Long function words, which are recognised even with a typing error."""
CLASSING = frozenset(("about", "kind", "kinds", "type", "types"))
"""Common words that say a topic or a class if the schema has one: films about it, which kind of film."""
SPEAKING = CLASSING | {"where", "when", "who"}
"""Common words that nevertheless ask for something."""
POSSESSIVES = frozenset(("my", "our", "your", "his", "her", "its", "their", "whose"))
"""Words after which `own` says nothing: "their own films"."""
ALIASES = frozenset(product(("other", "alternative"), ("name", "names"))) | {("also", "known"), ("also", "called")}
"""Pairs of words that ask for aliases, of which the first alone, or both, say nothing."""
_ASKING = r"(?:(?:in|at|on|under|to|from|by|for|with|of|since|about) )?(?:which|what|who|whom|whose|where|when|how (?:many|much)|how)\b"
_REASON = r"(?:since|as|because|before|after|now|if|in case|for (?:an?|my|our)|although|though|while|my|our|I|we|it)\b.*?[,;:.–-] "
_THEN = r"(?:so |and |then |but )?"
REQUEST = re.compile(
    rf".*?\b(?:know|tell|learn|hear|ask|see|wonder\w*|curious|interested|find out|understand|remember|inform|say)"
    rf"(?: me| us| you| \w+ly| beforehand| please)*[,:]? (?={_ASKING})"
    rf"|\W*(?:{_REASON}{_THEN})?(?:kindly|please|(?:can|could|would|will) you) (?:[a-z]+ ){{0,3}}?"
    r"(?:list|name|show|give|find|count|tell)\b(?: (?:me|us)\b)?"
    rf"|\W*(?:{_REASON}{_THEN}|\w[\w ]+, )?(?:I|we) (?:should|would) (?:\w+ )?like (?:to (?:have|see) )?(?:a list of|the)\b"
    rf"|\W*{_REASON}{_THEN}(?:please )?(?={_ASKING})",
    re.IGNORECASE,
)
"""A reason for asking, and the request, before the question itself: "I love her films and want to know which"."""
COURTESY = re.compile(r"(?:[,;]? please|[,;]? thank\w*(?: you)?|[,;] if (?:you|it) [^,?]*)[.?! ]*$", re.IGNORECASE)


def read(
    text: str,
    graph: Graph,
    *,
    label: str | None = None,
    property: str | None = None,
    mode: Mode = "auto",
    seconds: float = NEIGHBOURHOOD_SECONDS,
) -> Question:
    """Read a question: its words, mentions and numbers, and what the named nodes have in the database.

    `label`, `property` and `mode` restrict the names to look up, as in `EntityLookup.find_all`. What the nodes have is
    read within `seconds`; with 0, or for a graph without data, the database is not asked.

        read("Who coaches the Celtics?", graph).mentions[0].nodes[0].name  # 'Boston Celtics'

    Raises:
        LookupError: the mode is `vector` and there are no usable vectors; the message says why.
    """
    question = read_text(
        text,
        graph.schema,
        graph.entities,
        label=label,
        property=property,
        mode=mode,
        prominence=partial(_prominence, graph, seconds) if graph.engine is not None and seconds > 0 else None,
    )
    if label is None and property is None and seconds > 0:
        question = add_values(question, graph)
    named = [node for mention in question.mentions if mention.verdict != "not_found" for node in mention.nodes[:4]]
    question.neighbourhoods = read_neighbourhoods(graph, named, seconds)
    if question.neighbourhoods:
        question.mentions = [order_by_links(mention, question) for mention in question.mentions]
    return question


def order_by_links(mention: Mention, question: Question) -> Mention:
    """Return an ambiguous mention with the nodes first that have what the question speaks of.

    In "who studied at Princeton", the university with its alumni comes before the town.
    """
    if mention.verdict != "ambiguous":
        return mention

    def fit(candidate: Candidate) -> float:
        around = question.neighbourhoods.get(candidate.key)
        if around is None:
            return -1.0
        links = [question.strength("type", link.type) * math.log1p(link.count) for link in around.links]
        labels = [question.strength("label", label) for label in around.labels]
        degree = sum(link.count for link in around.links)
        same = (candidate.matched or candidate.name).casefold() == mention.text.casefold()  # `Bruno` before `Brüno`
        by_name = 0.3 * (candidate.match == "exact") + 0.3 * same
        return max(links, default=0.0) + max(labels, default=0.0) + 0.3 * math.log1p(degree) + by_name

    fits = {candidate.key: fit(candidate) for candidate in mention.candidates}
    ordered = sorted(mention.candidates, key=lambda candidate: -fits[candidate.key])
    return replace(mention, judgement=replace(mention.judgement, candidates=ordered))


def asked_part(text: str) -> tuple[int, int]:
    """Return where the question itself begins and ends, without a reason for asking before it, and courtesy after it.

    >>> text = "For my talk I need to know who painted it, please."
    >>> text[slice(*asked_part(text))]
    'who painted it'
    """
    before, after = REQUEST.match(text), COURTESY.search(text)
    start = before.end() if before else 0
    return start, after.start() if after and after.start() > start else len(text)


def read_text(
    text: str,
    schema: PropertyGraphSchema,
    lookup: EntityLookup | None,
    *,
    label: str | None = None,
    property: str | None = None,
    mode: Mode = "auto",
    prominence: Callable[[Sequence[Candidate]], Sequence[float]] | None = None,
) -> Question:
    """Read a question as `read` does, without asking the database; without `lookup`, no names are found."""
    text = text[:LONGEST_QUESTION]
    tokens = words_of(text)
    begin, finish = asked_part(text)
    names = schema_names(schema)
    words: list[Word] = []
    for token in tokens:
        # A reason for asking says nothing of what is asked.
        folded = token.folded if begin <= token.start < finish else ""
        if words and (words[-1].folded, folded) in ALIASES and "aliases" in names.words:
            folded = "aliases"
        owns = folded == "own" and bool(words) and words[-1].folded not in POSSESSIVES
        content = owns or (bool(folded) and _is_content(folded))
        words.append(Word(text[token.start : token.end], token.start, token.end, folded, root(folded), content))
    said, spelt, near = names.explain(
        [word.folded if word.folded not in STOP_WORDS or word.folded in SPEAKING else "" for word in words]
    )
    for place, word in enumerate(words):
        if (
            not word.content and word.folded not in SPEAKING
        ):  # talk such as `list` or `number` speaks of the schema only by its very name
            said[place] = [its for its in said[place] if its.strength >= ROOT - 0.05 and len(its.words) == 1]
    mentions: list[Mention] = []
    possible: list[Mention] = []
    if lookup is not None:
        judge_all = partial(_judge_all, lookup=lookup, label=label, property=property, mode=mode)
        segmenter = Segmenter(text, tokens, spelt, near, judge_all, prominence, lookup.word_counts)
        mentions = [
            _mention(text, its)
            for its in segmenter.divide(lookup.spans(text))
            # The first word of a sentence is in capitals anyway.
            if begin <= its.start < finish
            or (its.start and text[its.start : its.end] != text[its.start : its.end].lower())
        ]
        possible = [_mention(text, its) for its in segmenter.possible if begin <= its.start < finish]
        if label is None and property is None:
            mentions = _add_demonyms(text, tokens, mentions, lookup)
    blank = list(text)
    for mention in mentions:
        blank[mention.start : mention.end] = "@" * (mention.end - mention.start)
    quantities = quantities_in("".join(blank))
    question = Question(text, words, mentions, {}, quantities, asked=(begin, finish), possible=possible)
    question.meanings = {
        place: [
            Meaning(its.element.kind, its.element.name, its.element.owner, its.strength, its.words) for its in found
        ]
        or [Meaning("nothing", words[place].text, "", 0.0, (place,))]
        for place, found in enumerate(said)
        if place not in question.mentioned and (found or words[place].content)
    }
    for quantity in quantities:
        kind: MeaningKind = "number" if quantity.kind == "number" else "time"
        its_words = tuple(n for n, word in enumerate(words) if quantity.start <= word.start < quantity.end)
        for place in its_words:
            question.meanings[place] = [Meaning(kind, str(quantity.value), "", 1.0, its_words)]
    return question


def _mention(text: str, found: Found) -> Mention:
    return Mention(text[found.start : found.end], found.start, found.end, found.judgement, (found.first, found.last))


def _add_demonyms(text: str, tokens: Sequence[Token], mentions: list[Mention], lookup: EntityLookup) -> list[Mention]:
    """Return the mentions with adjectives as mentions of countries, `French` of `France`; nodes come before values."""
    taken = [
        (its.start, its.end)
        for its in mentions
        if its.words[0] < its.words[1] or any(candidate.match in ("exact", "alias") for candidate in its.candidates)
    ]
    for word, candidates in demonyms_in(text, taken, lookup):
        place = next(number for number, token in enumerate(tokens) if token.start == word.start)
        preferred = [candidate for candidate in candidates if not candidate.is_value] or candidates
        judgement = Judgement("found" if len(preferred) == 1 else "ambiguous", preferred, candidates)
        mentions = [its for its in mentions if not (its.start < word.end and word.start < its.end)]
        mentions.append(Mention(text[word.start : word.end], word.start, word.end, judgement, (place, place)))
    return sorted(mentions, key=lambda mention: mention.start)


def _prominence(graph: Graph, seconds: float, candidates: Sequence[Candidate]) -> list[float]:
    """Return how well connected the nodes are, from 0 to 1: 1 from twice the average number of relationships."""
    nodes_, relationships = graph.counts
    mean = 2 * relationships / max(nodes_, 1) if nodes_ and relationships else 8.0
    around = read_neighbourhoods(graph, [node_of([candidate]) for candidate in candidates], seconds)
    found = []
    for candidate in candidates:
        its = around.get(candidate.key)
        if candidate.is_value:
            found.append(1.0)
        elif its is None or not its.complete:
            found.append(UNKNOWN_PROMINENCE)
        else:
            degree = sum(link.count for link in its.links)
            found.append(min(1.0, math.log1p(degree) / math.log1p(2 * mean)) ** 2)
    return found


@lru_cache(maxsize=10_000)
def _is_content(folded: str) -> bool:
    """Whether a folded word has content: no function word, even misspelt (`wich`), no talk, and no number."""
    if (
        len(folded) > 3
        and folded not in word_ranks()
        and any(OSA.distance(folded, word) == 1 for word in QUESTION_WORDS)
    ):
        return False
    return not (folded in COMMON or lemma(folded) in TALK_WORDS or not any(letter.isalpha() for letter in folded))


def _judge_all(
    texts: Sequence[str], lookup: EntityLookup, label: str | None, property: str | None, mode: Mode
) -> list[Judgement]:
    found = lookup.find_all(texts, Search(label, property, mode, CONSIDERED))
    by_meaning = mode == "vector"
    return [
        judge(text, _without_copies(candidates), lookup, by_meaning=by_meaning)
        for text, candidates in zip(texts, found, strict=True)
    ]


def _without_copies(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates without values that only repeat a node's name: the `ship_name` of a ship of that name."""
    names = {(its.name, its.label) for its in candidates if not its.is_value}
    return [its for its in candidates if not its.is_value or (its.name, its.label) not in names]


# The numbers and dates of a question outside its names, each with the comparison that the words around it express.


MAX_QUANTITIES = 12
LEAST_YEAR, MOST_YEAR = 1000, 2100
"""A bare number between these is taken for a year."""
MONTHS = [name.lower() for name in MONTH_NAMES]
_MONTH = "|".join(MONTHS)
GREATER = re.compile(
    r"(more|greater|higher|larger|later|longer|older|taller|heavier|bigger|deeper|wider) than|over|above|after|exceed\w*|since"
    r"|from|surpass\w*|beyond|following|past|post"
)
LESS = re.compile(
    r"(less|fewer|lower|smaller|earlier|shorter|younger|lighter) than|under|below|before|prior to|until|till|preceding|up to|by"
)
AT_LEAST = re.compile(
    r"(at least|no (less|fewer|earlier) than|minimum of|not (less|before))|\b(?:or|and) (more|later|above|after|higher|over)"
)
AT_MOST = re.compile(
    r"(at most|no (more|later|greater) than|up to|maximum of|not (more|after))|\b(?:or|and) (less|fewer|earlier|before|below|lower)"
)
DATE = re.compile(
    rf"\b(?:({_MONTH})\.? (\d{{1,2}})(?:st|nd|rd|th)?,? (\d{{4}})|(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({_MONTH}),? (\d{{4}})"
    r"|(\d{4})-(\d{2})-(\d{2}))\b",
    re.IGNORECASE,
)
NUMBER = re.compile(r"(?<![\w@.])-?\d+(?:,\d{3})*(?:\.\d+)?(?![\w]|,\d)")
OFTEN = {"once": 1, "twice": 2}
WORDS = OFTEN | {
    word: number + 1
    for number, word in enumerate(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    )
}
# "He once lived here", "twice as many" and "the one by Mann" count nothing.
NUMBER_WORD = re.compile(
    rf"\b(?:{'|'.join(WORDS.keys() - OFTEN.keys() - {'one'})}|twice(?! as\b)"
    r"|(?:(?<=than )|(?<=exactly )|(?<=least )|(?<=only ))(?:once|one))\b"
)
MILLIONS = {"thousand": 10**3, "million": 10**6, "billion": 10**9}


def quantities_in(text: str) -> list[Quantity]:
    """Return the numbers and dates of a text in which names are blanked out, in the order of the text.

    >>> [(its.kind, its.value, its.comparison) for its in quantities_in("films longer than 90 minutes since 1940")]
    [('number', 90, '>'), ('year', 1940, '>')]
    """
    lowered = text.lower().replace("\u2019", "'")
    found: list[Quantity] = []
    dates = [match for match in DATE.finditer(lowered) if _is_day(_iso(match))]
    for match in dates:
        found.append(Quantity("date", _iso(match), _comparison(lowered, *match.span()), *match.span()))
    for number in sorted((*NUMBER.finditer(lowered), *NUMBER_WORD.finditer(lowered)), key=lambda its: its.start()):
        if any(match.start() <= number.start() < match.end() for match in dates):
            continue
        digits = number.group().replace(",", "")
        if re.fullmatch(r"\d{1,3}(\.000)+", digits):  # thousands, as written in most of Europe
            digits = digits.replace(".", "")
        value: float | int = WORDS.get(digits, 0) or (float(digits) if "." in digits else int(digits))
        if abs(value) >= 2**63:  # no database has such a number
            continue
        end = number.end()
        scale = re.match(r" (thousand|million|billion)\b", lowered[end:])
        if scale:
            value, end = int(value * MILLIONS[scale[1]]), end + scale.end()
        year = isinstance(value, int) and LEAST_YEAR <= value <= MOST_YEAR and not scale and "," not in number.group()
        comparison = _comparison(lowered, number.start(), end)
        if year and (aged := re.search(r"\b(older|younger|newer) than\W*$", lowered[: number.start()])):
            comparison = "<" if aged[1] == "older" else ">"  # who is older than 1950 was born before
        times = digits in OFTEN or re.match(r" times\b", lowered[end:]) is not None
        found.append(Quantity("year" if year else "number", value, comparison, number.start(), end, times))
    return sorted(found, key=lambda quantity: quantity.start)[:MAX_QUANTITIES]


def _comparison(text: str, start: int, end: int) -> Comparison:
    """Return the comparison that words before or after a number express: `>=` for `at least`; `=` by default."""
    before = re.split(r"[,;?@\d]| (?:and|or) ", text[max(0, start - 40) : start])[-1]
    after = text[end : end + 18]
    if AT_LEAST.search(before) or re.match(r"\W*(\w+ )?or (more|later|above|after|higher|over|older|taller)", after):
        return ">="
    if AT_MOST.search(before) or re.match(r"\W*(\w+ )?or (less|fewer|earlier|before|below|lower|shorter)", after):
        return "<="
    places: dict[Comparison, int] = {">": _compared(GREATER, before), "<": _compared(LESS, before)}
    sign, place = max(places.items(), key=lambda item: item[1])
    if place < 0:
        return "<>" if re.search(r"\b(not|other than|except|excluding)\b", before) else "="
    return sign


def _compared(words: re.Pattern[str], before: str) -> int:
    """Return where the last comparison in a text ends, or -1: `under the age of 40`, not `under work order 40`."""
    ends = [
        its.end() for its in re.finditer(rf"\b(?:{words.pattern})\b", before) if _is_near(its[0], before[its.end() :])
    ]
    return max(ends, default=-1)


def _is_near(comparison: str, between: str) -> bool:
    """Whether a comparison is that of a number after some words: a mere preposition reaches over one noun."""
    return " than" in comparison or len(re.findall(r"(?!(?:the|an?|of|about)\b)\b\w+", between)) < 2


def _is_day(text: str) -> bool:
    try:
        return bool(date.fromisoformat(text))
    except ValueError:  # the 30th of February
        return False


def _iso(match: re.Match[str]) -> str:
    month, day, year, day2, month2, year2, year3, month3, day3 = match.groups()
    if year3:
        return f"{year3}-{month3}-{day3}"
    number = MONTHS.index((month or month2).lower()) + 1
    return f"{year or year2}-{number:02d}-{int(day or day2):02d}"
